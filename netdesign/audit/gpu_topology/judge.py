"""Has each GPU a NIC of its own near it, and all its NVLinks?"""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.context import Context
from netdesign.audit.gpu_topology.content import DISTANCE, GpuTopology, Matrix
from netdesign.audit.gpu_topology.judge_links import link_findings
from netdesign.audit.gpu_topology.summary import numa_records
from netdesign.audit.limits import limit
from netdesign.audit.report import Finding
from netdesign.wording import named, plural

_MOST_JUDGED = 200  # matrices
_MOST_NAMED = 4
_ACROSS = 2  # class of a way across sockets
_WAYS = {
    "PIX": "one PCIe switch",
    "PXB": "PCIe switches",
    "PHB": "the host bridge",
    "NODE": "the processor, within a socket",
    "SYS": "the link between sockets",
    "SOC": "the link between sockets",
}


def judge(topology: GpuTopology, context: Context) -> list[Finding]:
    """Every verdict on every host of a file."""
    found: list[Finding] = []
    several = len(topology.matrices) > 1
    for number, matrix in enumerate(topology.matrices[:_MOST_JUDGED], 1):
        where = f"matrix {number} (line {matrix.line})" if several else "host"
        found += _findings(matrix, where, context)
    return found


def _findings(matrix: Matrix, where: str, context: Context) -> Iterator[Finding]:
    yield from _complete(matrix, where)
    yield from link_findings(matrix, where)
    if matrix.tool != "nvidia-smi":
        return
    if not matrix.nics:
        yield Finding(
            "no-nic-listed",
            "note",
            where,
            "No NIC is in the matrix: nvidia-smi lists RDMA NICs whose driver is loaded, and none "
            "is seen here. Which GPU is near which NIC cannot be told; nor is there anything for "
            "GPUDirect RDMA.",
        )
        return
    yield from _against_design(matrix, where, context)
    classes = {gpu.name: matrix.near_class(gpu.name) for gpu in matrix.gpus}
    known = {name: value for name, value in classes.items() if value is not None}
    if not known:
        return
    nearest = min(known.values())
    yield from _borrowers(matrix, where, known, nearest)
    if nearest > 0:
        yield _far(matrix, where, nearest)
        yield from _numa_balance(matrix, where)
    else:
        yield from _sharing(matrix, where, known)


def _complete(matrix: Matrix, where: str) -> Iterator[Finding]:
    if matrix.missing:
        yield Finding(
            "matrix-cut",
            "warning",
            where,
            f"{matrix.missing:,} of the pairs that the header announces are not in the file: the "
            "matrix was cut. What is said below holds for the rest; give the whole output.",
            {"missing_pairs": matrix.missing},
        )


def _against_design(matrix: Matrix, where: str, context: Context) -> Iterator[Finding]:
    expected = context.ports_per_node
    if expected is not None and len(matrix.nics) < expected:
        yield Finding(
            "nics-missing",
            "warning",
            where,
            f"{len(matrix.nics)} NICs are listed where the node should have {expected} NIC ports: "
            "a NIC or its driver is missing (lspci, ibv_devinfo), or ports are bonded.",
            {"nics": len(matrix.nics), "expected": expected},
        )


def _borrowers(
    matrix: Matrix, where: str, known: dict[str, int], nearest: int
) -> Iterator[Finding]:
    far = [name for name, value in known.items() if value > nearest]
    if not far:
        return
    chosen = {name: matrix.best_nics(name) for name in far}
    parts = [
        f"{name} ({way} to {named(nics, _MOST_NAMED)})" for name, (way, nics) in chosen.items()
    ]
    through = (
        "NCCL goes through the NVLink peer that is near the NIC (PXN)"
        if matrix.has_nvlink
        else "Its traffic crosses the processor"
    )
    count = f"{len(far)} GPUs have" if len(far) > 1 else "One GPU has"
    yield Finding(
        "gpu-borrows-nic",
        "warning",
        where,
        f"{count} no NIC as near as the others' and must borrow one: {', '.join(parts)}. "
        f"{through}, and the NIC is shared: expect less than a full NIC for it. Check whether a "
        "NIC is missing or in the wrong slot.",
        {
            "gpus": far,
            "best_nics": {name: list(nics) for name, (_, nics) in chosen.items()},
            "best": {name: way for name, (way, _) in chosen.items()},
        },
    )


def _far(matrix: Matrix, where: str, nearest: int) -> Finding:
    ways = sorted(
        {way for gpu in matrix.gpus if (way := matrix.best_nics(gpu.name)[0])},
        key=lambda way: DISTANCE[way],
    )
    evidence = {"best": ways[0]}
    if matrix.coherent or (nearest == _ACROSS and _is_one_board(matrix)):
        return Finding(
            "nic-on-processor",
            "note",
            where,
            f"Every way from a GPU to a NIC is {'/'.join(ways)}: with Grace processors GPU and NIC "
            "hang on the processor and this is as it should be. On other machines it means that "
            "no GPU is near a NIC.",
            evidence,
        )
    return Finding(
        "no-near-nic",
        "warning",
        where,
        f"No GPU shares a PCIe switch with a NIC: the best way is {ways[0]}, through "
        f"{_WAYS[ways[0]]}. GPUDirect RDMA is slow there or is not used by default "
        "(NCCL_NET_GDR_LEVEL), and traffic is copied through host memory. Move the NICs to the "
        "GPUs' switches, or expect host-memory rates.",
        evidence,
    )


def _is_one_board(matrix: Matrix) -> bool:
    """Up to four GPUs, each pair with the same NVLinks: as on boards with Grace processors."""
    counts = {count for counts in matrix.nvlinks.values() for count in counts}
    return len(matrix.gpus) <= limit("full-node") and len(counts) == 1 and 0 not in counts


def _numa_balance(matrix: Matrix, where: str) -> Iterator[Finding]:
    nodes = [record for record in numa_records(matrix) if record["gpus"]]
    shares = [len(record["nics"]) / len(record["gpus"]) for record in nodes]
    if len(nodes) < 2 or not any(shares):
        return
    if min(shares) < limit("gpu-numa-balance") * max(shares):
        parts = [
            f"NUMA {record['node']}: {plural(len(record['gpus']), 'GPU')} / "
            f"{plural(len(record['nics']), 'NIC')}"
            for record in nodes
        ]
        yield Finding(
            "numa-imbalance",
            "warning",
            where,
            f"NICs are unevenly spread over the processors ({'; '.join(parts)}): GPUs of the "
            "poorer node share a NIC or cross sockets, and the slowest sets the pace of a "
            "collective. Move a NIC to the other socket.",
            {"numa": nodes},
        )


def _sharing(matrix: Matrix, where: str, known: dict[str, int]) -> Iterator[Finding]:
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, value in known.items():
        if value == 0:
            groups.setdefault(matrix.best_nics(name)[1], []).append(name)
    used = {nic for nics in groups for nic in nics}
    shares = {nics: len(nics) / len(gpus) for nics, gpus in groups.items()}
    whole = len(known) == len(matrix.gpus) and all(value == 0 for value in known.values())
    least, most = min(shares.values()), max(shares.values())
    others = len(matrix.nics) - len(used)
    rest = f" {others} more for storage or management." if others > 0 else ""
    evidence = {
        "groups": [{"gpus": gpus, "nics": list(nics)} for nics, gpus in groups.items()],
        "nics_per_gpu": round(least, 3),
    }
    if least < 1 and least < limit("gpu-numa-balance") * most:
        poor = next(gpus for nics, gpus in groups.items() if shares[nics] == least)
        yield Finding(
            "nics-uneven",
            "warning",
            where,
            f"GPUs do not have equal shares of near NICs: {named(poor, _MOST_NAMED)} have "
            f"{least:.2g} a GPU where others have {most:.2g}. A collective runs at "
            "the pace of the poorest.",
            evidence,
        )
    elif least < 1:
        yield Finding(
            "nic-shared",
            "note",
            where,
            f"Each NIC is shared by {1 / least:.2g} GPUs under one PCIe switch: a GPU has "
            f"{least:.0%} of a NIC when all send. As designed on machines with fewer NICs than "
            f"GPUs.{rest}",
            evidence,
        )
    elif whole:
        sizes = {(len(gpus), len(nics)) for nics, gpus in groups.items()}
        gpus, nics = next(iter(sizes)) if len(sizes) == 1 else (1, 1)
        groups_of = f", in groups of {gpus} GPUs and {nics} NICs" if gpus > 1 else ""
        own = f"Each of {len(matrix.gpus)} GPUs has" if len(matrix.gpus) > 1 else "The GPU has"
        slot = (
            " One GPU moves no more than its own PCIe slot carries, about one NIC of the same "
            "generation: several NICs for it do not add up."
            if least > 1
            else ""
        )
        yield Finding(
            "rails-healthy",
            "note",
            where,
            f"{own} {least:.2g} NIC{'s' if least > 1 else ''} under its own PCIe switch"
            f"{groups_of}: healthy for rails.{slot}{rest}",
            evidence,
        )
