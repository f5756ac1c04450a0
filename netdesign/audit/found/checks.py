"""Everything that is worth saying about a network that was found in a file."""

from __future__ import annotations

from netdesign.audit.context import Context
from netdesign.audit.found.host_checks import HOST_CHECKS
from netdesign.audit.found.link_checks import LINK_CHECKS, below_the_rate_given
from netdesign.audit.found.servers import servers_of
from netdesign.audit.found.tiers import Tiered
from netdesign.audit.found.wiring_checks import WIRING_CHECKS
from netdesign.audit.report import Finding


def findings_of(tiered: Tiered, context: Context | None = None) -> list[Finding]:
    """Verdicts on a found network, whatever file it comes from.

    Parameters
    ----------
    tiered : Tiered
    context : Context       the rate that the links of hosts should have; nothing if None
    """
    servers = servers_of(tiered)
    found = [finding for check in HOST_CHECKS for finding in check(tiered, servers)]
    if not tiered.links:
        return [finding for finding in found if finding.rule in ("no-fabric", "factory-name")]
    for checks in (WIRING_CHECKS, LINK_CHECKS):
        found += [finding for check in checks for finding in check(tiered)]
    return found + below_the_rate_given(tiered, context or Context())
