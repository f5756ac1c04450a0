"""Verdicts on the shape of bandwidth over size: how it ends, where it breaks, how much it jumps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from netdesign.audit.limits import limit
from netdesign.audit.nccl_tests.summary import small_time
from netdesign.audit.nccl_tests.tables import Row, Table
from netdesign.audit.nccl_tests.wording import gbs, rate_text, time_text
from netdesign.audit.report import Finding
from netdesign.wording import binary_size


@dataclass(frozen=True)
class Point:
    """A size and its best bandwidth."""

    size: int
    busbw: float  # bytes/s


def curve_of(rows: Sequence[Row]) -> list[Point]:
    """The better half of every size; of a size that was run again the best."""
    best: dict[int, float] = {}
    for row in rows:
        rate = row.busbw
        if rate is not None and row.size > 0:
            best[row.size] = max(rate, best.get(row.size, 0.0))
    return [Point(size, best[size]) for size in sorted(best)]


def peak_of(table: Table) -> Point | None:
    """Where the bandwidth is highest."""
    return max(curve_of(table.rows), key=lambda point: point.busbw, default=None)


def is_small(table: Table) -> bool:
    """Whether start-up times weigh even in the largest message."""
    if not table.rows or table.ranks is None:
        return False
    return max(row.size for row in table.rows) / table.ranks < limit("share-of-a-rank")


def curve_findings(table: Table, where: str, *, saturated: bool) -> Iterator[Finding]:
    """Verdicts that need no line rate.

    Parameters
    ----------
    saturated       the highest bandwidth is known to be near the line: a rising end is none
    """
    curve = curve_of(table.rows)
    if len(curve) < 2 or curve[-1].busbw <= 0:
        return
    peak = max(curve, key=lambda point: point.busbw)
    yield from _end(table, curve, peak, where, saturated=saturated)
    yield from _breaks(curve, peak, where)
    yield from _jumps(table, where)
    yield from _halves(table, where)
    yield from _average(table, peak, where)


def _end(
    table: Table, curve: Sequence[Point], peak: Point, where: str, *, saturated: bool
) -> Iterator[Finding]:
    last, before = curve[-1], curve[-2]
    if last.busbw < limit("falling-end") * peak.busbw:
        yield Finding(
            "falling-end",
            "warning",
            where,
            f"Bandwidth falls at the end: {rate_text(last.busbw)} at {binary_size(last.size)} "
            f"after {rate_text(peak.busbw)} at {binary_size(peak.size)}. Usual causes: congestion "
            "or pause frames under long load, a throttling GPU or NIC, memory that runs out.",
            {
                "last_gbs": gbs(last.busbw),
                "last_size_bytes": last.size,
                "peak_gbs": gbs(peak.busbw),
                "peak_size_bytes": peak.size,
            },
        )
        return
    rise = last.busbw / before.busbw - 1 if before.busbw > 0 else 1.0
    small = is_small(table)
    if saturated or peak.size != last.size or rise < limit("rising-end"):
        return
    share = ""
    if small and table.ranks is not None:
        share = (
            f" One rank's share of it is only {binary_size(last.size / table.ranks)}, so start-up "
            "times still weigh."
        )
    more = f"{rise:.1%} above" if rise < 1 else f"{rise + 1:,.0f} times"
    yield Finding(
        "still-rising",
        "warning" if small else "note",
        where,
        f"The largest size is still rising: {rate_text(last.busbw)} at {binary_size(last.size)}, "
        f"{more} the size before.{share} Test bigger messages (-e) before judging.",
        {"last_gbs": gbs(last.busbw), "last_size_bytes": last.size, "rise": round(rise, 4)},
    )


def _breaks(curve: Sequence[Point], peak: Point, where: str) -> Iterator[Finding]:
    """A size from which bandwidth is much lower than before, in both halves."""
    floor = limit("cliff-from")
    for before, here, after in zip(curve, curve[1:], [*curve[2:], None], strict=False):
        if here.size < floor or before.busbw < limit("cliff-least") * peak.busbw:
            continue
        if here.busbw >= limit("cliff") * before.busbw:
            continue
        lasts = after is not None and after.busbw < before.busbw
        kind = "and stays low after it" if lasts else "and recovers after it"
        if after is None:
            continue  # the falling end says it
        yield Finding(
            "cliff",
            "warning",
            f"{where}, {binary_size(here.size)}",
            f"Bandwidth drops from {rate_text(before.busbw)} to {rate_text(here.busbw)} at "
            f"{binary_size(here.size)}, {kind}. {_cliff_causes(here.busbw / before.busbw)}",
            {
                "size_bytes": here.size,
                "before_gbs": gbs(before.busbw),
                "here_gbs": gbs(here.busbw),
            },
        )


def _cliff_causes(left: float) -> str:
    if left < limit("deep-fall"):
        return (
            "So deep a fall is most often packets that are lost and sent again: on RoCE check that "
            "PFC and ECN are on at every hop. Else NCCL changes algorithm or protocol there."
        )
    return (
        "Usual causes: NCCL changes algorithm or protocol there, buffers overflow in the fabric, "
        "or registration of memory fails."
    )


@dataclass(frozen=True)
class _Slow:
    """A measurement that took longer than one of a larger message."""

    size: int
    time: float  # s
    usual: float  # s, of the other half or of the sizes around
    stands_alone: bool  # also slower than the size before


def _jumps(table: Table, where: str) -> Iterator[Finding]:
    slow = [*_slow(table.rows, 0), *_slow(table.rows, 1)]
    spikes = [entry for entry in slow if entry.stands_alone]
    cells = sum(len(row.sides) for row in table.rows if row.size > 0)
    least = max(limit("jitter-rows"), limit("jitter-share") * cells)
    if len(spikes) >= least:
        yield _jitter(table, spikes, cells, where)
        return
    for entry in spikes[:3]:
        yield Finding(
            "outlier",
            "note",
            f"{where}, {binary_size(entry.size)}",
            f"One measurement stands out: {time_text(entry.time)} at {binary_size(entry.size)}, "
            f"where about {time_text(entry.usual)} is usual. A single one is a first use or a "
            "disturbance; run again.",
            {
                "size_bytes": entry.size,
                "time_us": round(entry.time * 1e6, 2),
                "usual_us": round(entry.usual * 1e6, 2),
            },
        )
    if len(slow) - len(spikes) >= least:
        last = max(entry.size for entry in slow)
        yield Finding(
            "small-messages-slow",
            "note",
            where,
            f"Messages up to {binary_size(last)} take longer than larger ones, again and again: "
            "NCCL or its plugin uses a slower way for them. See NCCL_PROTO and the "
            "plugin's settings.",
            {"largest_slow_bytes": last},
        )


def _jitter(table: Table, spikes: Sequence[_Slow], cells: int, where: str) -> Finding:
    middle = small_time(table.rows)
    start = ""
    if middle is not None:
        start = (
            f" Take the median of small messages, {time_text(middle)}, for their latency, and no "
            "single row."
        )
    worst = max(spikes, key=lambda entry: entry.time / entry.usual)
    return Finding(
        "jitter",
        "warning",
        where,
        f"Times jump: {len(spikes)} of {cells} measurements take more than {limit('outlier'):g} "
        f"times as long as their neighbours, up to {time_text(worst.time)} at "
        f"{binary_size(worst.size)}.{start} Look for busy or sleeping CPUs, interrupts on the "
        "wrong socket, and other traffic.",
        {"slow": len(spikes), "of": cells, "worst_us": round(worst.time * 1e6, 2)},
    )


def _slow(rows: Sequence[Row], half: int) -> list[_Slow]:
    times: list[tuple[int, float, float]] = []
    for row in rows:
        sides = (row.out_of_place, row.in_place)
        side, other = sides[half], sides[1 - half]
        if side is not None and row.size > 0 and side.time > 0:
            times.append((row.size, side.time, side.time if other is None else other.time))
    factor = limit("outlier")
    found: list[_Slow] = []
    fastest = float("inf")
    for place in range(len(times) - 1, -1, -1):
        size, time, other_time = times[place]
        if time > factor * fastest:
            before = times[place - 1][1] if place else times[1][1]
            usual = other_time if factor * other_time < time else sqrt(before * fastest)
            found.append(_Slow(size, time, usual, time > factor * before))
        fastest = min(fastest, time)
    return found[::-1]


def _halves(table: Table, where: str) -> Iterator[Finding]:
    out = max((row.out_of_place.busbw for row in table.rows if row.out_of_place), default=0.0)
    within = max((row.in_place.busbw for row in table.rows if row.in_place), default=0.0)
    if min(out, within) <= 0 or min(out, within) > limit("halves") * max(out, within):
        return
    slower = "out of place" if out < within else "in place"
    yield Finding(
        "halves-differ",
        "note",
        where,
        f"Out of place reaches {rate_text(out)}, in place {rate_text(within)}: {slower} is slower. "
        "Copies on the GPU or unregistered buffers cost that; use the half your framework uses.",
        {"out_of_place_gbs": gbs(out), "in_place_gbs": gbs(within)},
    )


def _average(table: Table, peak: Point, where: str) -> Iterator[Finding]:
    average = table.printed_average
    if average is None or average > limit("headline-average") * peak.busbw:
        return
    small = sum(row.size < limit("cliff-from") for row in table.rows)
    if not small:
        return
    yield Finding(
        "average-of-small-sizes",
        "note",
        where,
        f"The printed average, {rate_text(average)}, is a mean over all sizes, {small} of "
        f"{len(table.rows)} of them below {binary_size(limit('cliff-from'))}: judge by the large "
        f"ones, {rate_text(peak.busbw)} at {binary_size(peak.size)}.",
        {"average_gbs": gbs(average), "peak_gbs": gbs(peak.busbw), "peak_size_bytes": peak.size},
    )
