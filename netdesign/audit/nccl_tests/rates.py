"""Is the highest bandwidth what NICs and scale-up links can carry?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from netdesign.audit.context import Context
from netdesign.audit.limits import limit
from netdesign.audit.nccl_tests.causes import cause_names, causes_text
from netdesign.audit.nccl_tests.curve import Point, is_small
from netdesign.audit.nccl_tests.tables import Table
from netdesign.audit.nccl_tests.wording import gbps_text, gbs, machine, rate_text
from netdesign.audit.report import Finding, Severity
from netdesign.catalog.library import load_catalog
from netdesign.catalog.parts import Accelerator
from netdesign.units import bytes_per_second_to_gbps
from netdesign.wording import binary_size

_WITHOUT_SWITCH = re.compile(r"PCI|NVL\b", re.I)


def accelerator_of(table: Table) -> Accelerator | None:
    """The part of the catalog that device names speak of, else host names; None if unknown."""
    for text in (*table.devices, *table.hosts[:4]):
        if _WITHOUT_SWITCH.search(text):
            continue
        for word in re.findall(r"[A-Z]{1,3}\d{2,3}[A-Z]?", text.upper().replace("-", " ")):
            if word in _accelerators():
                return _accelerators()[word]
    return None


@cache
def _accelerators() -> dict[str, Accelerator]:
    found: dict[str, Accelerator] = {}
    for part in load_catalog().accelerators.values():
        found.setdefault(part.name.split()[0].upper(), part)
    return found


def spans_one_domain(table: Table) -> bool:
    """Whether scale-up links join all ranks: one node, or a rack that is one domain."""
    seen = table.network
    if table.nodes == 1 or (seen.nodes == 1 and seen.ranks == table.ranks is not None):
        return True  # NCCL counts a rack of NVLink as one node
    part = accelerator_of(table)
    if part is None or table.ranks is None or table.ranks_per_node is None:
        return False
    domains = [
        server.scaleup_domain
        for server in load_catalog().servers.values()
        if server.accelerator == part.id
    ]
    widest = max(domains, default=0)
    # A rack-wide domain is made of trays of a few GPUs, each a node to the tests.
    one_node = limit("gpus-of-a-node")
    is_rack = min(domains, default=0) > one_node and table.ranks_per_node <= one_node
    return is_rack and table.ranks <= widest


def line_of(table: Table, node_rate: float, ports: int | None = None) -> float | None:
    """Bus bandwidth at which the NICs of a node are full, bytes/s.

    Parameters
    ----------
    node_rate       bytes/s per direction of all NICs of a node
    ports           NICs of a node; one for each GPU if None

    Returns
    -------
    float or None   None when ranks or nodes are unknown, or the operation has no such bound
    """
    n, nodes = table.communicator, table.nodes
    if n is None or nodes is None or nodes < 2 or table.operation is None or table.groups > 1:
        return None
    per_node = n / nodes
    one_gpu = node_rate / min(per_node, ports or per_node)
    if table.operation in ("alltoall", "alltoallv"):
        # Every GPU has its share of the NICs, and only what leaves the node uses it.
        return node_rate / per_node * (n - 1) / (n - per_node)
    if table.operation == "gather":  # all of it arrives at one GPU
        return one_gpu * (n - 1) / (n - per_node)
    if table.operation == "sendrecv":  # one GPU of a node sends to the next node
        return one_gpu
    # A scatter leaves through the NICs of other GPUs too, as many as NCCL likes.
    return None if table.operation in ("scatter", "hypercube") else node_rate


def share_of_line(table: Table, peak: Point, context: Context) -> tuple[float, float] | None:
    """Bus bandwidth over that of full NICs, and the latter; None if there is nothing to compare.

    Of GPUs on an unknown number of nodes it is the share if they are on several.
    """
    if context.node_rate is None or context.ports_per_node is None:
        return None
    line = line_of(table, context.node_rate, context.ports_per_node)
    if line is None and (table.nodes is None or table.operation is None) and table.groups == 1:
        line = context.node_rate
    return None if line is None else (peak.busbw / line, line)


def least_share(table: Table) -> float:
    """Share of the line below which a large message is worth a look."""
    return limit("sendrecv-worth-a-look" if table.operation == "sendrecv" else "worth-a-look")


def is_saturated(table: Table, peak: Point | None, context: Context) -> bool:
    """Whether the highest bandwidth is known to be near what the links carry."""
    if peak is None:
        return False
    if spans_one_domain(table):
        part = accelerator_of(table)
        return part is not None and peak.busbw >= limit("worth-a-look") * part.scaleup_bandwidth
    found = share_of_line(table, peak, context)
    return found is not None and found[0] >= least_share(table)


def rate_findings(table: Table, peak: Point, context: Context, where: str) -> Iterator[Finding]:
    """Verdicts on the highest bandwidth."""
    at = f"{where}, {binary_size(peak.size)}"
    if spans_one_domain(table):
        yield from _scaleup(table, peak, at)
        return
    if table.network.gpudirect_off and not table.network.gpudirect_on and not table.network.nics:
        yield _without_gpudirect(table, peak, context, where)
    if context.node_rate is None:
        yield Finding(
            "line-rate-unknown",
            "note",
            at,
            f"Line rate unknown: the highest bus bandwidth is {rate_text(peak.busbw)} "
            f"({machine(table)}), and whether that is good depends on the NICs. {_usual(table)}"
            "Give their rate and number with --line-rate and "
            f"--nics.{_of_two_nodes(table)}{_of_one_gpu(table)}",
            {"peak_gbs": gbs(peak.busbw)},
        )
        return
    yield from _against_line(table, peak, context, at)


def _usual(table: Table) -> str:
    """What a NIC port usually gives to the operations that use all of them."""
    if table.operation not in (None, "all_reduce", "all_gather", "reduce_scatter"):
        return ""
    low, middle, high = (limit(f"usual-busbw-{gbps}g") for gbps in (100, 200, 400))
    return (
        f"Usual for large messages is about {low:g} GB/s a port of 100 Gb/s, {middle:g} of 200 "
        f"and {high:g} to {limit('usual-busbw-400g-most'):g} of 400, times the NICs of a node. "
    )


def _slot_text() -> str:
    return (
        f"One GPU moves about {limit('pcie-5-slot'):g} GB/s through its PCIe Gen5 x16 slot, "
        "however many NICs there are."
    )


def _of_one_gpu(table: Table) -> str:
    """What bounds a GPU that is alone in its node, where there are several NICs."""
    if table.ranks_per_node != 1 or len(table.network.nics) < 2:
        return ""
    count = len(table.network.nics)
    return f" One GPU of a node uses {count} NICs here. {_slot_text()} Use one GPU per NIC."


def _scaleup(table: Table, peak: Point, where: str) -> Iterator[Finding]:
    part = accelerator_of(table)
    if part is None:
        return
    rate = part.scaleup_bandwidth
    share = peak.busbw / rate
    name = part.name.partition(" (")[0]
    links = "NVLinks" if part.vendor == "NVIDIA" else "scale-up links"
    most = f"the {rate_text(rate)} that the {links} of one {name} carry in a direction"
    rule, severity, message = _scaleup_verdict(table, rate_text(peak.busbw), share, most)
    yield Finding(
        rule,
        severity,
        where,
        message,
        {
            "peak_gbs": gbs(peak.busbw),
            "scaleup_gbs_per_direction": gbs(rate),
            "share": round(share, 4),
            "accelerator": part.id,
        },
    )


def _scaleup_verdict(table: Table, peak: str, share: float, most: str) -> tuple[str, Severity, str]:
    if share > 1 and table.operation == "all_reduce":
        return (
            "in-switch-reduction",
            "note",
            f"Healthy: {peak} is above {most}, since the switch does the sum (NVLS) and each GPU "
            "sends its data once. A ring alone would stay below.",
        )
    if share > limit("above-line"):
        return (
            "above-scale-up",
            "warning",
            f"{peak} is more than {most}, and {table.operation or 'this operation'} gains nothing "
            "from sums in the switch: the GPU, the number of ranks or the operation is not what it "
            "is said to be.",
        )
    if share >= limit("scale-up-worth-a-look"):
        return (
            "scale-up-share",
            "note",
            f"{peak} is {share:.0%} of {most}: large messages usually reach 70 to 95 %.",
        )
    said = f"{peak} is only {share:.0%} of {most}."
    if (table.ranks or 0) < limit("full-node") or is_small(table):
        return (
            "scale-up-share",
            "note",
            f"{said} Few GPUs or small messages do not fill the links: judge with all GPUs of a "
            "node and gigabytes.",
        )
    return (
        "below-scale-up",
        "warning",
        f"{said} Usual causes: links down or switched off (nvidia-smi nvlink -s), the fabric "
        "manager not running, peer access off (NCCL_P2P_DISABLE).",
    )


def _without_gpudirect(table: Table, peak: Point, context: Context, where: str) -> Finding:
    """For logs without lines on channels; those are judged with the rest of NCCL's log."""
    full = is_saturated(table, peak, context)
    does = " The NICs are full all the same." if full else ""
    return Finding(
        "gpudirect-off",
        "note" if full else "warning",
        where,
        "NCCL's log says that GPUDirect RDMA is off: data pass through host memory, which can "
        f"cost half of the bandwidth or more.{does} Load nvidia-peermem or use DMA-BUF, switch "
        "ACS off, and check NCCL_NET_GDR_LEVEL.",
        {"lines": table.network.gpudirect_off},
    )


def _against_line(table: Table, peak: Point, context: Context, where: str) -> Iterator[Finding]:
    found = share_of_line(table, peak, context)
    if found is None:
        return
    share, line = found
    evidence = {
        "peak_gbs": gbs(peak.busbw),
        "line_gbs": gbs(line),
        "share": round(share, 4),
        "nics": context.ports_per_node,
        "port_gbps": context.port_rate and round(bytes_per_second_to_gbps(context.port_rate), 3),
        "nodes": table.nodes,
    }
    nics = f"{context.ports_per_node} x {gbps_text(context.port_rate or 0)}"
    if share > limit("above-line"):
        yield _above(table, peak, line, share, nics, where, evidence)
    elif share >= least_share(table):
        spread = "" if table.nodes else " if the GPUs are spread over nodes"
        yield Finding(
            "near-line-rate",
            "note",
            where,
            f"Healthy: {rate_text(peak.busbw)} is {share:.0%} of what "
            f"{_carriers(table, nics, line)}{spread}.{_of_two_nodes(table)}",
            evidence,
        )
    else:
        yield _below(table, peak, line, share, context, where, evidence)


def _carriers(table: Table, nics: str, line: float) -> str:
    """Whose rate the line is: of the NICs of a node, or of one GPU's share of them."""
    if table.operation in ("alltoall", "alltoallv"):
        return (
            f"the NICs of a node carry for all-to-all, where every GPU has only its own share of "
            f"them and sends a part inside the node ({nics}, {rate_text(line)})"
        )
    if table.operation in ("sendrecv", "gather"):
        return f"the NIC of one GPU carries for {table.operation} ({nics}, {rate_text(line)})"
    return f"the NICs of a node carry ({nics}, {rate_text(line)})"


def _of_two_nodes(table: Table) -> str:
    """What the figure of two nodes does not tell."""
    if table.operation != "all_reduce" or table.nodes != 2:
        return ""
    return (
        " Between two nodes a tree can double the figure: judge the NICs with NCCL_ALGO=RING, or "
        "with three nodes and more."
    )


def _above(
    table: Table,
    peak: Point,
    line: float,
    share: float,
    nics: str,
    where: str,
    evidence: Mapping[str, object],
) -> Finding:
    said = f"{rate_text(peak.busbw)} is {share:.0%} of what {_carriers(table, nics, line)}"
    tree = share <= limit("two-node-tree")
    if tree and table.nodes == 2 and table.operation == "all_reduce":
        return Finding(
            "two-node-tree",
            "note",
            where,
            f"Healthy: {said}. Between exactly two nodes a tree sends half of what a ring sends, "
            "so bus bandwidth may show up to twice the line. It does not foretell more nodes: use "
            "NCCL_ALGO=RING, or three nodes and more, to judge the NICs.",
            evidence,
        )
    if table.nodes is None:
        return Finding(
            "above-line-rate",
            "note",
            where,
            f"{said}. That is sound inside one node, where NVLink carries it, and between two, "
            "where a tree sends half; it is not on more. Say how many nodes took part.",
            evidence,
        )
    return Finding(
        "above-line-rate",
        "warning",
        where,
        f"{said}: more than they can. The line rate or the number of NICs given is too small, the "
        "nodes share NVLink, the switches do the sums (SHARP), or operation or ranks are not what "
        "they are said to be.",
        evidence,
    )


def _below(
    table: Table,
    peak: Point,
    line: float,
    share: float,
    context: Context,
    where: str,
    evidence: Mapping[str, object],
) -> Finding:
    ports = f"{context.ports_per_node} x {gbps_text(context.port_rate or 0)}"
    part = f"{share:.0%}" if share >= 0.01 else f"{share:.1%}"
    said = f"{rate_text(peak.busbw)} is only {part} of what {_carriers(table, ports, line)}"
    nics, per_node = context.ports_per_node or 1, table.ranks_per_node
    if (
        per_node is not None
        and per_node < nics
        and share * nics / per_node >= limit("worth-a-look")
    ):
        return Finding(
            "few-gpus",
            "note",
            where,
            f"{said}, but only {per_node:g} of the GPUs of a node took part, and each uses the NIC "
            f"near it: that is what they can reach. {_slot_text()} Use all GPUs of a "
            "node, each with its own NIC, to judge it.",
            {**evidence, "ranks_per_node": per_node},
        )
    spread = "" if table.nodes else ", if the GPUs are spread over nodes"
    causes = cause_names(table, share, nics)
    return Finding(
        "below-line-rate",
        "warning",
        where,
        f"{said}{spread}. {causes_text(causes)}",
        {**evidence, "causes": causes},
    )
