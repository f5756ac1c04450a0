"""What a matrix of GPUs and NICs says, for JSON."""

from __future__ import annotations

from typing import Any

from netdesign.audit.gpu_topology.content import Device, GpuTopology, Matrix, nvlink_count


def summarise(topology: GpuTopology) -> dict[str, Any]:
    """The first matrix at the top; all of them under ``hosts`` where there are several."""
    if not topology.matrices:
        return {}
    records = [_matrix(matrix) for matrix in topology.matrices]
    first = dict(records[0])
    if len(records) > 1:
        first["hosts"] = records
    return first


def _matrix(matrix: Matrix) -> dict[str, Any]:
    labels = {nic.name: nic.label for nic in matrix.nics}
    return {
        "tool": matrix.tool,
        "line": matrix.line,
        "gpus": len(matrix.gpus),
        "nics": len(matrix.nics),
        "nvlink": nvlink_name(matrix),
        "nic_names": labels,
        "affinity": [_affinity(matrix, gpu, labels) for gpu in matrix.gpus],
        "numa": numa_records(matrix),
        "complete": matrix.missing == 0,
        "links": {
            gpu.name: {
                column: way
                for device in (*matrix.gpus, *matrix.nics)
                if (way := matrix.link(gpu.name, (column := device.name))) and way != "X"
            }
            for gpu in matrix.gpus
        },
    }


def nvlink_name(matrix: Matrix) -> str | None:
    """NV18; NV1-NV2 where GPUs have different numbers; None without NVLink."""
    names = {
        matrix.link(a.name, b.name) for a in matrix.gpus for b in matrix.gpus if a.name != b.name
    }
    counts = sorted({count for name in names if (count := nvlink_count(name))})
    if not counts:
        return None
    if "XGMI" in names:
        return "XGMI"
    return f"NV{counts[0]}" if len(counts) == 1 else f"NV{counts[0]}-NV{counts[-1]}"


def _affinity(matrix: Matrix, gpu: Device, labels: dict[str, str]) -> dict[str, Any]:
    best, nics = matrix.best_nics(gpu.name)
    return {
        "gpu": gpu.name,
        "cpus": gpu.cpus,
        "numa": numa_value(gpu.numa),
        "best_nics": list(nics),
        "best_devices": [labels[nic] for nic in nics],
        "best": best,
    }


def numa_value(nodes: tuple[int, ...]) -> int | str | None:
    """0, "0-1", None."""
    if not nodes:
        return None
    if len(nodes) == 1:
        return nodes[0]
    spans = nodes[-1] - nodes[0] + 1 == len(nodes)
    return f"{nodes[0]}-{nodes[-1]}" if spans else ",".join(str(node) for node in nodes)


def numa_records(matrix: Matrix) -> list[dict[str, Any]]:
    """GPUs and NICs of each NUMA node; NICs whose node is not known are left out."""
    groups: dict[tuple[int, ...], dict[str, list[str]]] = {}
    for gpu in matrix.gpus:
        if gpu.numa:
            groups.setdefault(gpu.numa, {"gpus": [], "nics": []})["gpus"].append(gpu.name)
    for nic in matrix.nics:
        nodes = matrix.nic_numa(nic.name)
        if len(nodes) == 1 and nodes in groups:
            groups[nodes]["nics"].append(nic.name)
    return [
        {"node": numa_value(nodes), "gpus": group["gpus"], "nics": group["nics"]}
        for nodes, group in sorted(groups.items())
    ]
