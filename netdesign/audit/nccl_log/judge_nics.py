"""Which NICs NCCL uses: too few, bonded ones, slower ones."""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.context import Context
from netdesign.audit.limits import limit
from netdesign.audit.nccl_log.content import NcclLog
from netdesign.audit.report import Finding
from netdesign.units import bytes_per_second_to_gbps

BEYOND_COUNT = (
    "Once the count is right, look at ACS: where it is on, GPUDirect goes through the processor "
    "and moves about half (lspci -vvv, ACSCtl; GDRDMA on every connection in this log)."
)


def nic_findings(log: NcclLog, context: Context) -> Iterator[Finding]:
    """Verdicts on the NICs in use."""
    yield from _bonds(log, context)
    yield from _fewer_nics(log, context)
    yield from _slower(log, context)


def bonds(log: NcclLog) -> tuple[str, ...]:
    """NICs in use that are bonds of ports."""
    return tuple(nic for nic in log.nics_used if "bond" in nic)


def queue_pairs(log: NcclLog) -> int:
    """Queue pairs of a connection as set, NCCL's default of one if not."""
    values = log.environment.get("NCCL_IB_QPS_PER_CONNECTION", ("1",))
    return min((int(value) for value in values if value.isdecimal()), default=1)


def _both_ports(log: NcclLog, context: Context, used: int) -> bool:
    """Whether all ports of a host are in use, two of them behind each bond."""
    found = bonds(log)
    ports = used + min(used, len(found))
    return bool(found) and used >= (log.nics_found or 0) and ports >= (context.ports_per_node or 0)


def _bonds(log: NcclLog, context: Context) -> Iterator[Finding]:
    found = bonds(log)
    pairs = queue_pairs(log)
    merged = [names for names in log.merged if set(names.split("+")) & set(log.nics_used)]
    if merged:
        yield Finding(
            "ports-merged",
            "note",
            "network",
            f"NCCL merges ports into one device ({', '.join(merged[:4])}): one queue pair sits on "
            "one port. Where a device shows half of its ports' rate, use two queue pairs a "
            "connection and more (NCCL_IB_QPS_PER_CONNECTION with NCCL_IB_SPLIT_DATA_ON_QPS=1), "
            "or do not merge (NCCL_NET_MERGE_LEVEL=LOC).",
            {"merged": merged[:64], "queue_pairs": pairs},
        )
    if not found:
        return
    bought = context.ports_per_node or 0
    halved = pairs < 2 and log.fewest_used is not None and log.fewest_used < bought
    name = f"{', '.join(found[:8])} {'are bonds' if len(found) > 1 else 'is a bond'} of ports"
    if pairs > 1:
        said = f"{name}; {pairs} queue pairs a connection can load both ports of one"
        split = log.environment.get("NCCL_IB_SPLIT_DATA_ON_QPS", ("0",))[0]
        advice = (
            "" if split not in ("", "0") else ", if data are split (NCCL_IB_SPLIT_DATA_ON_QPS=1)"
        )
        advice += ". Compare the counters of both."
    else:
        said = (
            f"{name}, and one queue pair sits on one port of a bond: with one queue pair a "
            "connection, as NCCL has by default, expect half of its rate"
        )
        advice = (
            ". Use two or more (NCCL_IB_QPS_PER_CONNECTION=2 with NCCL_IB_SPLIT_DATA_ON_QPS=1), "
            "or do not bond and give NCCL both ports."
        )
    yield Finding(
        "bonded-one-queue-pair" if pairs < 2 else "bonded-nic",
        "warning" if halved else "note",
        "network",
        f"{said}{advice}",
        {"bonds": list(found[:64]), "queue_pairs": pairs, "nics_found": log.nics_found},
    )


def _fewer_nics(log: NcclLog, context: Context) -> Iterator[Finding]:
    used = log.fewest_used
    listed = max(log.nics_found or 0, context.ports_per_node or 0) or None
    seen = len(log.nics_used)
    partly = used is None and listed is not None and 0 < seen < listed
    if partly and not _both_ports(log, context, seen):
        yield Finding(
            "nics-partly-seen",
            "note",
            "network",
            f"{seen} of {listed} NICs are seen in use, but not all ranks of a host "
            "speak in this log: whether the others are used cannot be told. Give the logs of all "
            "ranks (NCCL_DEBUG_FILE=%h.%p).",
            {"nics_used": list(log.nics_used[:64]), "nics_found": listed},
        )
    if used is None or listed is None or used >= listed or _both_ports(log, context, used):
        return
    wanted = listed if log.local_ranks is None else min(listed, log.local_ranks)
    names = ", ".join(log.nics_used[:8])
    evidence = {
        "nics_used": used,
        "nics_found": log.nics_found,
        "ranks_per_node": log.local_ranks,
        "names": list(log.nics_used[:64]),
    }
    ranks = f"{log.local_ranks} rank{'s' if log.local_ranks != 1 else ''}"
    if used >= wanted:
        yield Finding(
            "nics-idle",
            "note",
            "network",
            f"{used} of {listed} NICs of a host are used ({names}) by {ranks} in it, and one GPU "
            "moves no more than its own PCIe slot carries: about "
            f"{limit('pcie-5-slot'):g} GB/s of Gen5 x16, one NIC of the same generation. "
            "Run one rank per GPU, each with its own NIC, to load them all.",
            evidence,
        )
        return
    hca = log.environment.get("NCCL_IB_HCA")
    restricted = f" NCCL_IB_HCA is {hca[0]}." if hca else ""
    yield Finding(
        "few-nics",
        "warning",
        "network",
        f"Only {used} of {listed} NICs of a host are used ({names}) by {log.local_ranks or 'its'} "
        f"ranks: the rate between hosts is at most {used / listed:.0%} of what was bought."
        f"{restricted} Check NCCL_IB_HCA, NCCL_CROSS_NIC, the topology file and which NICs are up. "
        f"{BEYOND_COUNT}",
        evidence,
    )


def _slower(log: NcclLog, context: Context) -> Iterator[Finding]:
    """NICs in use that run below the others, or below what was bought."""
    used = {
        (host, nic): log.speeds[host, nic]
        for host, nics in log.used.items()
        for nic in nics
        if (host, nic) in log.speeds
    }
    if not used:
        return
    usual = context.port_rate or max(used.values())
    slow = {key: rate for key, rate in used.items() if rate < usual}
    if slow:
        (host, nic), rate = min(slow.items(), key=lambda entry: entry[1])
        slowest, full = bytes_per_second_to_gbps(rate), bytes_per_second_to_gbps(usual)
        yield Finding(
            "slow-nic",
            "warning",
            "network",
            f"{len(slow)} of {len(used)} NICs in use run below {full:g} Gb/s: {nic} on {host} at "
            f"{slowest:g} Gb/s. The link came up slower, or it is another port than was meant: "
            "see ibstat or mlxlink, and NCCL_IB_HCA.",
            {
                "slow": [f"{host} {nic}" for host, nic in list(slow)[:20]],
                "slowest_gbps": float(slowest),
                "usual_gbps": float(full),
            },
        )
