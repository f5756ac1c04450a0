"""NVLinks that are missing, matrices that contradict themselves, peers that cannot talk."""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.gpu_topology.content import Matrix
from netdesign.audit.gpu_topology.summary import nvlink_name
from netdesign.audit.limits import limit
from netdesign.audit.report import Finding


def link_findings(matrix: Matrix, where: str) -> Iterator[Finding]:
    """Verdicts on what stands between the GPUs."""
    yield from _asymmetric(matrix, where)
    yield from _blocked(matrix, where)
    if len(matrix.gpus) < 2:
        return
    if matrix.has_nvlink:
        yield from _uneven(matrix, where)
        return
    ways = {
        way
        for a in matrix.gpus
        for b in matrix.gpus
        if a.name != b.name and (way := matrix.link(a.name, b.name))
    }
    if not ways:
        return
    if matrix.pcie_only:
        yield Finding(
            "nvlink-not-shown",
            "note",
            where,
            "The matrix was printed with -mp, which shows PCIe only: whether there is NVLink "
            "cannot be told. Give nvidia-smi topo -m.",
        )
        return
    yield Finding(
        "no-nvlink",
        "note",
        where,
        f"No NVLink: the {len(matrix.gpus)} GPUs reach each other by {'/'.join(sorted(ways))}. "
        "Tensor parallelism inside the node runs at PCIe speed.",
        {"ways": sorted(ways)},
    )
    if not ways & {"PIX", "PXB"}:
        yield Finding(
            "no-gpudirect-peers",
            "note",
            where,
            "No two GPUs share a PCIe switch: there are no GPUDirect peers, and what they "
            "exchange goes through the processor (SHM in NCCL's log).",
            {"ways": sorted(ways)},
        )


def _asymmetric(matrix: Matrix, where: str) -> Iterator[Finding]:
    pairs = [
        (a, b, way, other)
        for (a, b), way in matrix.links.items()
        if a < b and (other := matrix.links.get((b, a))) is not None and other != way
    ]
    if pairs:
        a, b, way, other = pairs[0]
        yield Finding(
            "matrix-asymmetric",
            "warning",
            where,
            f"{a} to {b} says {way}, {b} to {a} says {other}"
            f"{f', and {len(pairs) - 1} more pairs disagree' if len(pairs) > 1 else ''}: the file "
            "was edited or two outputs were mixed, or the driver is confused. Print it again.",
            {"pairs": [list(pair) for pair in pairs[:20]], "count": len(pairs)},
        )


def _blocked(matrix: Matrix, where: str) -> Iterator[Finding]:
    if matrix.blocked_peers:
        yield Finding(
            "peers-blocked",
            "note",
            where,
            f"{len(matrix.blocked_peers)} ordered pairs of GPUs cannot read or write each other's "
            "memory (topo -p2p): NCCL uses host memory between them.",
            {"pairs": [list(pair) for pair in matrix.blocked_peers[:20]]},
        )


def _is_mixed(matrix: Matrix) -> bool:
    """Whether pairs are meant to have different numbers of NVLinks: a mesh without a switch."""
    linked = [count for counts in matrix.nvlinks.values() for count in counts if count]
    most = max(map(linked.count, set(linked)), default=0)
    return most < limit("mostly-alike") * len(linked)


def _even(matrix: Matrix, where: str, total: dict[str, int]) -> Finding:
    none = sum(not count for counts in matrix.nvlinks.values() for count in counts) // 2
    pairs = len(matrix.gpus) * (len(matrix.gpus) - 1) // 2
    evidence = {"nvlink": nvlink_name(matrix), "pairs_without": none, "pairs": pairs}
    if not none and not _is_mixed(matrix):
        text = f"All {len(matrix.gpus)} GPUs have the same NVLinks ({nvlink_name(matrix)})."
        return Finding("nvlink", "note", where, text, evidence)
    least, most = min(total.values()), max(total.values())
    each = f"{least}" if least == most else f"{least} to {most}"
    text = (
        f"Each of {len(matrix.gpus)} GPUs has {each} NVLinks, straight to others "
        f"({nvlink_name(matrix)}) and not through a switch"
    )
    if none:
        text += f"; {none} of {pairs} pairs have none and go through another GPU or PCIe"
    if least != most:
        text += ". The others may lead to GPUs that are not visible here"
    return Finding("nvlink", "note", where, f"{text}.", evidence)


def _uneven(matrix: Matrix, where: str) -> Iterator[Finding]:
    if matrix.missing:
        return
    most = {name: max(counts) for name, counts in matrix.nvlinks.items()}
    total = {name: sum(counts) for name, counts in matrix.nvlinks.items()}
    poor = [name for name, count in most.items() if count < max(most.values())]
    counts = most
    if not poor:
        poor = [name for name, count in total.items() if count < max(total.values())]
        counts = total
    part = counts is total and len(matrix.gpus) < limit("nvlink-mesh") and _is_mixed(matrix)
    if not poor or part:
        yield _even(matrix, where, total)
        return
    worst = min(poor, key=lambda name: counts[name])
    others = [name for name in counts if name not in poor]
    meshed = len(others) > 1 and all(
        sum(1 for count in matrix.nvlinks[name] if count) >= len(others) - 1 for name in others
    )
    built_so = max(counts[name] for name in poor) == 0 and (not meshed or len(others) < 4)
    yield Finding(
        "nvlink-missing",
        "warning" if built_so else "error",  # a bridge joins few cards, a switch joins all
        where,
        f"{', '.join(poor[:8])} {'have' if len(poor) > 1 else 'has'} fewer NVLinks than the other "
        f"GPUs ({worst}: {counts[worst]} against {max(counts.values())}): links are down, a bridge "
        "is missing, or the fabric manager has left it out. See nvidia-smi nvlink -s.",
        {"gpus": poor, "nvlinks": {name: counts[name] for name in counts}},
    )
