"""What a log of NCCL says, for JSON: under ``nccl``."""

from __future__ import annotations

from typing import Any

from netdesign.audit.nccl_log.content import NcclLog
from netdesign.units import bytes_per_second_to_gbps, bytes_to_gigabytes

_MOST_HOSTS = 4096
_MOST_COMPLAINTS = 50


def summarise(log: NcclLog) -> dict[str, Any]:
    """One record; null is what the log does not say."""
    steady = log.steady_bandwidth
    record: dict[str, Any] = {
        "version": next(iter(log.versions), None),
        "versions": dict(log.versions),
        "plugin": log.plugin,
        "provider": log.provider,
        "libfabric": log.libfabric,
        "network": next(iter(log.networks), None),
        "nics": list(log.nics),
        "nics_found": log.nics_found,
        "nics_used": list(log.nics_used),
        "network_used": log.uses_network if log.transports else None,
        "gdr": log.gdr,
        "channels": log.channels,
        "transports": dict(log.transports),
        "algorithms": list(log.algorithms),
        "ranks": log.ranks,
        "nodes": log.nodes,
        "ranks_per_node": log.local_ranks,
        "gpus": log.gpus or None,
        "hosts": list(log.hosts[:_MOST_HOSTS]),
        "environment": {name: _one(values) for name, values in log.environment.items()},
        "nic_gbps": sorted({float(bytes_per_second_to_gbps(rate)) for rate in log.speeds.values()}),
        "gid_indexes": list(log.gid_indexes),
        "mtus_bytes": list(log.mtus),
        "warnings": sum(entry.count for entry in log.complaints),
        "warning_groups": [
            {"text": entry.text, "count": entry.count, "line": entry.line}
            for entry in sorted(log.complaints, key=lambda entry: -entry.count)[:_MOST_COMPLAINTS]
        ],
        "lines": log.lines,
        "spliced_lines": log.spliced,
    }
    if log.bandwidths:
        record["busbw_gbs"] = gbs(steady)
        record["busbw_samples"] = len(log.bandwidths)
        record["busbw_warm_up_gbs"] = [gbs(value) for value in log.warm_up[:20]]
    return {"nccl": record}


def gbs(value: float | None) -> float | None:
    """GB/s of bytes/s."""
    return None if value is None else round(float(bytes_to_gigabytes(value)), 4)


def _one(values: tuple[str, ...]) -> str | list[str]:
    return values[0] if len(values) == 1 else list(values)
