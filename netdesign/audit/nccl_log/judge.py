"""Whether NCCL uses the network that was bought."""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.context import Context
from netdesign.audit.limits import limit
from netdesign.audit.nccl_log.complaints import complaint_findings
from netdesign.audit.nccl_log.content import NcclLog
from netdesign.audit.nccl_log.judge_nics import nic_findings
from netdesign.audit.nccl_log.judge_settings import setting_findings
from netdesign.audit.nccl_log.summary import gbs
from netdesign.audit.nccl_log.verdict import in_order
from netdesign.audit.report import Finding


def judge(log: NcclLog, context: Context) -> list[Finding]:
    """Every verdict on a log."""
    found = [
        *complaint_findings(log),
        *_network(log, context),
        *setting_findings(log),
        *_bandwidth(log),
        *_unfinished(log),
        *_shape(log),
        *_spliced(log),
    ]
    if log.uses_network and all(entry.severity == "note" for entry in found):
        found.append(in_order(log, found))
    return found


def _network(log: NcclLog, context: Context) -> Iterator[Finding]:
    socket = [name for name in log.transports if name.startswith("NET/Socket")]
    chosen_socket = "Socket" in log.networks and not log.uses_network
    if socket or (chosen_socket and (log.nodes or 0) > 1):
        yield _tcp(log)
        return
    if log.transports and not log.uses_network:
        yield _local(log)
        return
    if not log.uses_network:
        return
    yield from _direct(log)
    yield from nic_findings(log, context)
    if log.provider is not None and log.provider.split(";")[0] != "efa":
        yield Finding(
            "provider",
            "note",
            "network",
            f"The libfabric provider is {log.provider}, not efa: this is no EFA network, and the "
            f"plugin's settings for AWS do not apply ({log.plugin or 'plugin not named'}).",
            {"provider": log.provider, "nics_found": log.nics_found},
        )


def _tcp(log: NcclLog) -> Finding:
    disabled = log.environment.get("NCCL_IB_DISABLE", ("0",))[0] not in ("0", "")
    if disabled:
        reason = ": NCCL_IB_DISABLE is set"
    elif log.nics:
        reason = f" although {len(log.nics)} RDMA devices are listed ({', '.join(log.nics[:4])})"
    elif log.no_ib_device:
        reason = (
            ": it found no RDMA device. Its driver is not loaded or it is not in the container; "
            "on EFA and Slingshot the plugin (aws-ofi-nccl) is not loaded"
        )
    else:
        reason = "; no RDMA device is named in the log"
    return Finding(
        "tcp-fallback",
        "error" if log.nics or disabled else "warning",
        "network",
        f"NCCL goes over TCP sockets between the hosts (NET/Socket){reason}. Expect a few GB/s "
        "and no GPUDirect. Check ibv_devinfo, /dev/infiniband in the container, NCCL_IB_HCA and "
        "NCCL_NET.",
        {
            "socket_connections": sum(
                count for name, count in log.transports.items() if "Socket" in name
            ),
            "nics": list(log.nics),
        },
    )


def _local(log: NcclLog) -> Finding:
    kinds = ", ".join(log.transports)
    hosts = "one host" if log.is_single_node or len(log.hosts) < 2 else f"{len(log.hosts)} hosts"
    return Finding(
        "no-network-used",
        "note",
        "network",
        f"No network is used: all connections are inside {hosts} ({kinds}). The figures say "
        "nothing of NICs, cables or switches.",
        {"transports": dict(log.transports), "nodes": log.nodes},
    )


def _direct(log: NcclLog) -> Iterator[Finding]:
    plain = {
        name: count
        for name, count in log.transports.items()
        if name.startswith("NET/") and not name.endswith("/GDRDMA")
    }
    if log.gdr is False:
        yield Finding(
            "gpudirect-off",
            "warning",
            "network",
            "GPUDirect RDMA is off: every connection between hosts copies through host memory "
            f"({', '.join(plain) or 'no connection shows GDRDMA'}). Load nvidia_peermem or enable "
            "DMA-BUF, turn ACS off, check the way from GPU to NIC (nvidia-smi topo -m) and "
            "NCCL_NET_GDR_LEVEL.",
            {"transports": plain, "gdr": False},
        )
    elif plain:
        yield Finding(
            "gpudirect-partly",
            "warning",
            "network",
            f"{sum(plain.values()):,} connections between hosts go without GPUDirect RDMA while "
            "others have it: some GPUs are far from their NIC, or a module is missing on some "
            "hosts.",
            {"transports": dict(log.transports)},
        )


def _bandwidth(log: NcclLog) -> Iterator[Finding]:
    steady = gbs(log.steady_bandwidth)
    if steady is None:
        return
    warm = log.warm_up
    text = f"busbw is {steady:.4g} GB/s (median of {len(log.bandwidths)} lines that print it)"
    if warm:
        text += (
            f"; {len(warm)} lines of {gbs(min(warm)):.3g} to {gbs(max(warm)):.3g} GB/s are far "
            "below it: a warm-up, left out"
        )
    yield Finding(
        "own-busbw",
        "note",
        "benchmark",
        f"{text}.",
        {"busbw_gbs": steady, "samples": len(log.bandwidths), "warm_up": len(warm)},
    )


def _unfinished(log: NcclLog) -> Iterator[Finding]:
    ranks = sorted(rank for some in log.unfinished.values() for rank in some)
    if len(ranks) <= log.spliced:  # a message that was run into may be the missing one
        return
    hosts = ", ".join(list(log.unfinished)[:6])
    shown = ", ".join(map(str, ranks[:12])) + (" and more" if len(ranks) > 12 else "")
    yield Finding(
        "init-incomplete",
        "warning" if log.completed else "note",
        "initialisation",
        f"{len(ranks)} rank{'s begin' if len(ranks) > 1 else ' begins'} to initialise and "
        f"{'are' if len(ranks) > 1 else 'is'} not seen to end (rank {shown} on {hosts}): the log "
        "is cut, or the job hangs in setting up its connections. If it hangs, look for a host "
        "whose NICs, GID index or firewall differ, and bisect by pairs of hosts.",
        {
            "ranks": ranks[:200],
            "count": len(ranks),
            "hosts": list(log.unfinished)[:20],
            "completed": log.completed,
        },
    )


def _shape(log: NcclLog) -> Iterator[Finding]:
    few = log.channels is not None and log.channels < limit("nccl-few-channels")
    if few and (log.ranks or 2) > 1:
        yield Finding(
            "few-channels",
            "note",
            "channels",
            f"{log.channels} channel{'s' if log.channels != 1 else ''}: few. NCCL counts them by "
            "the links that it sees, and has more with NVLink and several NICs. With PCIe alone, "
            "or one GPU and one NIC in a host, it is as it should be.",
            {"channels": log.channels},
        )
    if len({name.split("+")[0] for name in log.versions}) > 1:
        yield Finding(
            "mixed-versions",
            "warning",
            "NCCL",
            f"Several versions of NCCL are in the log ({', '.join(list(log.versions)[:5])}): "
            "ranks of one job must have one version; or these are logs of several jobs.",
            {"versions": dict(log.versions)},
        )
    if len(log.plugin_versions) > 1:
        yield Finding(
            "mixed-plugins",
            "warning",
            "plugin",
            f"Several versions of the network plugin: {', '.join(log.plugin_versions[:5])}.",
            {"plugins": list(log.plugin_versions)},
        )


def _spliced(log: NcclLog) -> Iterator[Finding]:
    if log.spliced:
        yield Finding(
            "spliced-lines",
            "note",
            "file",
            f"{log.spliced:,} lines hold several messages that ran into each other: what could be "
            "told apart is used, and the lines are listed as not understood.",
            {"lines": log.spliced},
        )
