"""Made-up output in the form of nccl-tests: widths and names are the tool's."""

from __future__ import annotations

from collections.abc import Sequence

CAPTION = "# {:10}  {:12}  {:8}  {:6}  {:6}           out-of-place                       in-place\n"
NAMES = ("time", "algbw", "busbw", "#wrong")


def side_text(time: float, algbw: float, busbw: float, wrong: str = "0") -> str:
    """Half a row."""
    return f"  {time:7.2f}  {algbw:6.2f}  {busbw:6.2f}  {wrong:>6}"


def row_text(
    size: int,
    time: float,
    factor: float,
    *,
    in_place: float | None = None,
    wrong: str = "0",
    redop: str = "sum",
    root: int = -1,
    shares: int = 1,
    columns: str = "",
) -> str:
    """A row: ``time`` in microseconds, ``factor`` bus over algorithm bandwidth."""
    count = size // 4 // shares
    head = f"{size:12d}  {count:12d}  {'float':>8}  {redop:>6}  {root:6d}"
    sides = []
    for micros in (time, time if in_place is None else in_place):
        algbw = size / micros / 1e3
        sides.append(side_text(micros, algbw, algbw * factor, wrong) + columns)
    return head + "".join(sides) + "\n"


def settings_text(least: int, most: int) -> str:
    """The first line."""
    return (
        f"# nThread 1 nGpus 1 minBytes {least} maxBytes {most} step: 2(factor) warmup iters: 5 "
        "iters: 20 agg iters: 1 validation: 1 graph: 0\n"
    )


def ranks_text(ranks: int, per_node: int, name: str = "NVIDIA H100 80GB HBM3") -> str:
    """The list of GPUs."""
    return "#\n# Using devices\n" + "".join(
        f"#  Rank {rank:2d} Group  0 Pid {1000 + rank:6d} on {f'node{rank // per_node}':>10} "
        f"device {rank % per_node:2d} [0000:{rank % per_node:02x}:00] {name}\n"
        for rank in range(ranks)
    )


def columns_text() -> str:
    """The lines above the rows."""
    names = "".join(f"  {name:>7}" for name in NAMES)
    units = "".join(f"  {unit:>7}" for unit in ("(us)", "(GB/s)", "(GB/s)", ""))
    first = f"# {'size':>10}  {'count':>12}  {'type':>8}  {'redop':>6}  {'root':>6}"
    second = f"# {'(B)':>10}  {'(elements)':>12}  {'':>8}  {'':>6}  {'':>6}"
    return (
        "#\n"
        + CAPTION.format("", "", "", "", "")
        + f"{first}{names}{names}\n{second}{units}{units}\n"
    )


def footer_text(average: float, bounds: str = "0 OK") -> str:
    """The summary."""
    return f"# Out of bounds values : {bounds}\n# Avg bus bandwidth    : {average:g} \n#\n"


def factor_of(operation: str, ranks: int) -> float:
    """Bus over algorithm bandwidth."""
    if operation == "sendrecv":
        return 1.0
    return (ranks - 1) / ranks * (2 if operation == "all_reduce" else 1)


def run_text(
    times: Sequence[tuple[int, float]],
    *,
    ranks: int,
    per_node: int,
    name: str = "NVIDIA H100 80GB HBM3",
    operation: str = "all_reduce",
) -> str:
    """A whole run of sizes and times in microseconds."""
    divided = operation in ("all_gather", "reduce_scatter", "alltoall")
    factor = factor_of(operation, ranks)
    rows = [
        row_text(
            size,
            time,
            factor,
            redop="none" if operation in ("all_gather", "alltoall", "sendrecv") else "sum",
            shares=ranks if divided else 1,
        )
        for size, time in times
    ]
    rates = [size / time / 1e3 * factor for size, time in times]
    return (
        f"# Collective test starting: {operation}_perf\n"
        + settings_text(times[0][0], times[-1][0])
        + ranks_text(ranks, per_node, name)
        + columns_text()
        + "".join(rows)
        + footer_text(sum(rates) / len(rates))
        + f"# Collective test concluded: {operation}_perf\n"
    )
