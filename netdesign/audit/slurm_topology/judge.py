"""Would Slurm take this topology file, and does it place jobs as the network is cabled?"""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.context import Context
from netdesign.audit.report import Finding, too_long
from netdesign.audit.slurm_topology.block_rules import (
    block_findings,
    ring_findings,
    torus_findings,
)
from netdesign.audit.slurm_topology.content import SlurmContent, Topology
from netdesign.audit.slurm_topology.draft import MOST_NAMES
from netdesign.audit.slurm_topology.node_rules import node_findings
from netdesign.audit.slurm_topology.tree_rules import tree_findings
from netdesign.wording import plural

_RULES = {
    "tree": tree_findings,
    "block": block_findings,
    "ring": ring_findings,
    "torus3d": torus_findings,
}


def judge(content: SlurmContent, context: Context) -> list[Finding]:
    """Everything that is wrong or worth knowing, of every topology in the file."""
    findings = [
        Finding(fault.rule, fault.severity, fault.where, fault.message, fault.evidence)
        for fault in content.faults
    ]
    if content.more_faults:
        message = f"{content.more_faults:,} more faults of the same kinds are not listed."
        findings.append(Finding("more-faults", "error", "file", message))
    if content.cut_lines:
        findings.append(too_long(content.cut_lines, "The names at their ends are missing here."))
    if content.full_line:  # what is left out would seem to be missing
        return [*findings, _full(content)]
    for topology in content.topologies:
        for finding in _topology_findings(topology):
            findings.append(_named(finding, topology, len(content.topologies)))
    findings += _node_count(content.main, context)
    return findings


def _full(content: SlurmContent) -> Finding:
    line = content.full_line
    one, several = content.main.words
    return Finding(
        "names-left-out",
        "note",
        f"line {line}",
        f"The file names more than {MOST_NAMES:,} nodes and {several}: it was read up to line "
        f"{line}, {plural(content.left_out, one, several)} behind it were not. The figures are of "
        f"what stands before, and how the {several} stand to each other is not judged. Give a part "
        "of the file, such as one tree of it.",
        {"line": line, "left_out": content.left_out, "names_read": MOST_NAMES},
    )


def _topology_findings(topology: Topology) -> Iterator[Finding]:
    if topology.plugin == "flat":
        return
    yield from node_findings(topology)
    if topology.plugin in _RULES:
        yield from _RULES[topology.plugin](topology)


def _named(finding: Finding, topology: Topology, count: int) -> Finding:
    if count < 2:
        return finding
    name = topology.name or topology.plugin
    return Finding(
        finding.rule,
        finding.severity,
        f"{name}: {finding.where}",
        finding.message,
        finding.evidence,
        finding.source,
    )


def _node_count(topology: Topology, context: Context) -> Iterator[Finding]:
    if context.evaluation is None or not topology.units:
        return
    planned = context.evaluation.servers
    nodes = len({node for unit in topology.units for node in unit.nodes})
    if nodes == planned:
        return
    difference = abs(nodes - planned)
    yield Finding(
        "node-count",
        "warning",
        "nodes",
        f"The file names {nodes:,} nodes, the design has {planned:,} servers: "
        f"{difference:,} {'too many' if nodes > planned else 'are missing'}. Add them to the file, "
        "or give the design that was built.",
        {"nodes": nodes, "servers_of_design": planned},
    )
