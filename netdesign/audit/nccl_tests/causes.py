"""Why a table stays below its line: likely causes, the likeliest first, and their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from netdesign.audit.limits import limit
from netdesign.audit.nccl_tests.curve import is_small
from netdesign.audit.nccl_tests.tables import Table
from netdesign.audit.report import Finding

_CAUSES = {
    "small-messages": "the largest message is too small for so many GPUs: test bigger ones (-e)",
    "tcp-fallback": "TCP instead of RDMA (look for NET/Socket in NCCL's log), or RoCE that loses "
    "packets (PFC and ECN missing on the way)",
    "lossy-fabric": "RoCE that loses packets, since PFC or ECN is missing on the way (look at "
    "discards and pause counters of the switches); TCP it is not, since NCCL's log shows NET/IB",
    "gpudirect-off": "GPUDirect RDMA is off in NCCL's log: data pass through host memory",
    "bond": "one queue pair sits on one port of a bond, so half of it lies idle: use two or more "
    "queue pairs a connection (NCCL_IB_QPS_PER_CONNECTION=2 with NCCL_IB_SPLIT_DATA_ON_QPS=1), or "
    "do not bond",
    "one-nic": "about the rate of one NIC, so NCCL_IB_HCA, plugin or container may show one; once "
    "the count is right, ACS that is on halves GPUDirect",
    "few-nics": "NCCL's log shows fewer NICs than the node has (NCCL_IB_HCA); once the count is "
    "right, ACS that is on halves GPUDirect",
    "flows-collide": "few large flows of RoCE that hash onto the same links, also on a 1:1 fabric: "
    "more queue pairs with split data (NCCL_IB_QPS_PER_CONNECTION=4, NCCL_IB_SPLIT_DATA_ON_QPS=1) "
    "or adaptive routing; else a sick link or NIC (test pairs of nodes)",
    "host": "the host, since the fabric carries more: sockets instead of RDMA, small "
    "chunks, one busy processor, too few channels or queue pairs "
    "(NCCL_MIN_NCHANNELS, NCCL_IB_QPS_PER_CONNECTION), GPUDirect off",
}
_OF_THE_FABRIC = ("tcp-fallback", "lossy-fabric", "flows-collide", "unknown")


def cause_names(table: Table, share: float, nics: int) -> list[str]:
    """Likely causes, the likeliest first.

    Parameters
    ----------
    share       of the line that is reached
    nics        NIC ports of a node
    """
    seen = table.network
    names = []
    if seen.sockets:
        names.append("tcp-fallback")
    if seen.gpudirect_off and not seen.gpudirect_on:
        names.append("gpudirect-off")
    if is_small(table):
        names.append("small-messages")
    bond = seen.bonded and seen.queue_pairs < 2 and share < limit("perftest-half")
    if bond:
        names.append("bond")
    elif nics > 1 and _is_one_nic(share * nics) and len(seen.nics) < 2:
        names.append("one-nic")
    elif nics > 1 and seen.nics and len(seen.nics) < nics:
        names.append("few-nics")
    roce = seen.is_rdma and "RoCE" in seen.links
    if share < limit("tcp-share") and roce:
        first = [name for name in names if name == "one-nic"]
        return [*first, "lossy-fabric", *(name for name in names if name not in first)]
    if share < limit("tcp-share") and not names and not seen.is_rdma:
        names.append("tcp-fallback")
    if roce and not names:
        names.append("flows-collide")
    return names or ["unknown"]


def _is_one_nic(nics: float) -> bool:
    return limit("one-nic-least") <= nics <= limit("above-line")


def causes_text(names: Sequence[str]) -> str:
    """A sentence of these causes."""
    named = [_CAUSES[name] for name in names if name in _CAUSES]
    if named:
        return f"Likely: {'; '.join(named)}."
    return (
        "Usual causes: a sick link or NIC (test pairs of nodes), GPUDirect RDMA off, ACS on, one "
        "queue pair on a bond, flows that collide on a link, oversubscription, messages too small."
    )


def with_host_causes(finding: Finding) -> Finding:
    """The same finding where the fabric is known to carry more: its causes are in the host."""
    names = list(finding.evidence.get("causes", ()))
    left = [name for name in names if name not in _OF_THE_FABRIC]
    left.append("host")
    return replace(
        finding,
        message=finding.message.replace(causes_text(names), causes_text(left)),
        evidence={**finding.evidence, "causes": left},
    )
