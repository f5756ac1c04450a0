"""Settings and addresses that NCCL echoes, and what they restrict."""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.limits import limit
from netdesign.audit.nccl_log.content import NcclLog
from netdesign.audit.nccl_log.judge_nics import BEYOND_COUNT
from netdesign.audit.report import Finding


def setting_findings(log: NcclLog) -> Iterator[Finding]:
    """Verdicts on settings."""
    yield from _peers(log)
    yield from _devices(log)
    yield from _addresses(log)
    yield from _rails(log)
    differing = {
        name: values
        for name, values in log.environment.items()
        if len(values) > 1 and name not in ("NCCL_SOCKET_IFNAME", "NCCL_IB_HCA")
    }
    for name, values in list(differing.items())[:20]:
        yield Finding(
            "settings-differ",
            "warning",
            name,
            f"{name} is not the same on all ranks: {', '.join(values[:4])}. Ranks that choose "
            "differently hang or run at the pace of the worst.",
            {"values": list(values)},
        )


def _rails(log: NcclLog) -> Iterator[Finding]:
    cross = log.environment.get("NCCL_CROSS_NIC", ("",))[0]
    without = log.environment.get("NCCL_PXN_DISABLE", ("",))[0]
    seen = [
        text
        for text, is_on in (
            (f"NCCL_CROSS_NIC is {cross}", cross == "1"),
            (f"NCCL_PXN_DISABLE is {without}", without == "1"),
        )
        if is_on
    ]
    if not seen:
        return
    yield Finding(
        "rails",
        "note",
        "settings",
        f"{' and '.join(seen)}. Rails are a choice of wiring, which NCCL does not detect: on a "
        "fabric with rails NCCL_CROSS_NIC=0 and PXN (NCCL_PXN_DISABLE=0) keep traffic on its rail, "
        "on one without rails these settings may be meant. Keep a connection at the top all the "
        "same: some flows cross rails.",
        {"cross_nic": cross or None, "pxn_disable": without or None},
    )


def _peers(log: NcclLog) -> Iterator[Finding]:
    asked = log.environment.get("NCCL_P2P_DISABLE", ("0",))[0] not in ("0", "")
    if asked or log.p2p_disabled:
        reason = (
            "NCCL_P2P_DISABLE is set"
            if asked
            else "NCCL finds GPUs that are connected and cannot reach each other: ACS or the IOMMU "
            "is on, or the driver forbids it"
        )
        yield Finding(
            "p2p-disabled",
            "warning",
            "inside the host",
            f"GPUs do not talk to each other directly: {reason}. Traffic inside the host is copied "
            "through its memory.",
            {"by_setting": asked},
        )
    shm = sum(count for name, count in log.transports.items() if name.startswith("SHM"))
    if shm and not (asked or log.p2p_disabled):
        yield Finding(
            "shared-memory",
            "note",
            "inside the host",
            f"{shm:,} connections inside a host go through its memory (SHM): GPUs without NVLink "
            "or a common PCIe switch, or peer access that is switched off.",
            {"connections": shm},
        )


def _devices(log: NcclLog) -> Iterator[Finding]:
    values = log.environment.get("NCCL_IB_HCA")
    if values is None:
        return
    named = [part for part in values[0].lstrip("^=").split(",") if part]
    prefix = not values[0].startswith(("=", "^")) and not any(part[-1:].isdigit() for part in named)
    if values[0].startswith("^") or prefix or not log.nics:
        severity, text = "note", "which NICs it leaves out cannot be told from the log"
    elif len(log.nics) == 1 and (log.local_ranks or 1) > 1:
        severity, text = "warning", f"it leaves one NIC to {log.local_ranks} ranks of a host"
    else:
        severity, text = "note", f"it leaves {len(log.nics)} NIC{'s' if len(log.nics) != 1 else ''}"
    few = len(log.nics) == 1 or severity == "warning"
    beyond = f" {BEYOND_COUNT}" if few and log.nics else ""
    yield Finding(
        "nics-restricted",
        "warning" if severity == "warning" else "note",
        "NCCL_IB_HCA",
        f"NCCL_IB_HCA is {values[0]}: {text}. NCCL sees no other NIC, whatever is built in."
        f"{beyond}",
        {"value": values[0], "nics": list(log.nics)},
    )


def _addresses(log: NcclLog) -> Iterator[Finding]:
    if {"IB", "RoCE"} <= set(log.nic_links) and "NCCL_IB_HCA" not in log.environment:
        yield Finding(
            "mixed-links",
            "note",
            "NCCL_IB_HCA",
            "NCCL lists NICs of InfiniBand and of Ethernet (RoCE) together: the Ethernet ones are "
            "often for storage or management, and ranks that choose them hang or are slow. Name "
            "the NICs of the compute network in NCCL_IB_HCA.",
            {"links": list(log.nic_links), "nics": list(log.nics)},
        )
    if "RoCE" not in log.nic_links:
        return
    if len(log.gid_indexes) > 1:
        yield Finding(
            "gid-index-differs",
            "warning",
            "RoCE",
            f"Several GID indexes are used ({', '.join(map(str, log.gid_indexes))}): where they "
            "stand for different versions of RoCE or different subnets, queue pairs fail or "
            "traffic leaves its class. Set NCCL_IB_GID_INDEX, and compare show_gids on all hosts.",
            {"gid_indexes": list(log.gid_indexes)},
        )
    elif log.gid_indexes and log.gid_indexes[0] < 2:
        yield Finding(
            "gid-index-low",
            "note",
            "RoCE",
            f"GID index {log.gid_indexes[0]} is used: on most hosts 0 and 1 are link-local "
            "addresses, and the even one is RoCE version 1, which is not routed. RoCE version 2 "
            "with an IPv4 address is usually 3: compare show_gids.",
            {"gid_indexes": list(log.gid_indexes)},
        )
    small = [mtu for mtu in log.mtus if mtu < limit("perftest-full-mtu")]
    if small:
        yield Finding(
            "small-mtu",
            "note",
            "RoCE",
            f"The RDMA MTU is {min(small):,} bytes where 4,096 is possible: set the Ethernet MTU "
            "of NICs and switches to 4,200 or more.",
            {"mtus_bytes": list(log.mtus)},
        )
