"""Everything that is worth saying about a network that was found in a file."""

from __future__ import annotations

from netdesign.audit.found.host_checks import HOST_CHECKS
from netdesign.audit.found.link_checks import LINK_CHECKS
from netdesign.audit.found.servers import servers_of
from netdesign.audit.found.tiers import Tiered
from netdesign.audit.found.wiring_checks import WIRING_CHECKS
from netdesign.audit.report import Finding


def findings_of(tiered: Tiered) -> list[Finding]:
    """Verdicts on a found network, whatever file it comes from."""
    servers = servers_of(tiered)
    found = [finding for check in HOST_CHECKS for finding in check(tiered, servers)]
    if not tiered.links:
        return [finding for finding in found if finding.rule in ("no-fabric", "factory-name")]
    for checks in (WIRING_CHECKS, LINK_CHECKS):
        found += [finding for check in checks for finding in check(tiered)]
    return found
