"""How are the routers of a direct fabric joined? Each a dot, with as many links as stay clear.

Where there are too many links to tell apart, those of some routers of every group are drawn and it
is said which; a band between two groups stands for all links between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from netdesign.charts.fabric_paint import BROKEN, COLOURS, LOAD_RAMP
from netdesign.charts.fabric_parts import Bundles, Parts
from netdesign.charts.fabric_places import is_direct
from netdesign.charts.fabric_words import kind_words
from netdesign.topology.naming import device_names
from netdesign.wording import plural

Marks = list[dict[str, Any]]
Whole = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]

MOST_ROUTERS, MOST_GROUPS = 300, 18
MOST_THREADS = 240
_MIDDLE, _RADII = (50.0, 40.0), (48.0, 38.0)  # of the sheet; the words stand above
_ASIDE, _PAIR = 0.54, (0.42, 0.86)  # two groups stand side by side
_INNER = 0.62  # radius of a tier's ring, of that of the tier below
_APART = 0.82  # of the largest discs that fit, so that there is room between
_DOT = (1.5, 2.8)  # of the sheet, across and up
_THREAD, _BAND = "B0", "30"  # opacity
_BAND_WIDTH = 26.0


@dataclass(frozen=True, eq=False)
class _Discs:
    """Where the groups stand; a disc holds the routers of one."""

    x: Array
    y: Array
    across: float  # radii
    up: float

    def edge(self, one: int, other: int) -> tuple[float, float]:
        """Where a line from the middle of one disc to that of another leaves the first."""
        step_x, step_y = self.x[other] - self.x[one], self.y[other] - self.y[one]
        length = float(np.hypot(step_x / self.across, step_y / self.up))
        return float(self.x[one] + step_x / length), float(self.y[one] + step_y / length)


@dataclass(frozen=True, eq=False)
class _Threads:
    """All links of one kind between two routers, one entry a pair."""

    kind: Whole
    a: Whole
    b: Whole
    links: Whole
    load: Array | None
    broken: Whole


def drawn_by_router(parts: Parts) -> bool:
    """Whether the routers are few enough for a dot each."""
    fabric = parts.fabric
    return 1 < fabric.switches <= MOST_ROUTERS and parts.count <= MOST_GROUPS and is_direct(fabric)


def draw(
    parts: Parts,
    bundles: Bundles,
    sets: dict[str, Marks],
    load: npt.NDArray[np.floating] | None,
    broken: npt.NDArray[np.bool_] | None,
) -> tuple[str, ...]:
    """Fill the sets ``boxes``, ``links`` and ``names``; what is drawn, in lines of words."""
    fabric = parts.fabric
    names = device_names(fabric)
    discs = _discs(max(parts.count, 1))
    at = _places(parts, discs)
    threads = _threads(parts, load, broken)
    shown, number = _thinned(parts, threads)
    if parts.count > 1:
        _draw_bands(parts, bundles, discs, sets)
        _name_groups(parts, discs, sets)
    _draw_threads(parts, threads, shown, names, at, sets)
    _draw_dots(parts, names, at, discs, sets)
    lines = []
    if number:
        who = plural(number, fabric.tier_names[-1])
        lines.append(f"links drawn: those of {who}" + (" a group" if parts.count > 1 else ""))
    if parts.count > 1:
        lines.append("a band: all links between two groups")
    return tuple(lines)


def _discs(count: int) -> _Discs:
    """Equal discs round the sheet, the first on top."""
    if count < 3:
        x = _ASIDE * np.array([-1.0, 1.0]) if count == 2 else np.zeros(1)
        across, up = _PAIR if count == 2 else (0.9, 0.9)
        y = np.zeros(count)
    else:
        sine, angle = np.sin(np.pi / count), 2 * np.pi * np.arange(count) / count
        x, y = np.sin(angle) / (1 + sine), np.cos(angle) / (1 + sine)
        across = up = _APART * float(sine / (1 + sine))
    return _Discs(
        _MIDDLE[0] + _RADII[0] * x, _MIDDLE[1] + _RADII[1] * y, _RADII[0] * across, _RADII[1] * up
    )


def _places(parts: Parts, discs: _Discs) -> tuple[Array, Array]:
    """Routers round their disc, the lowest tier outside; places of servers mean nothing."""
    place, group = _place_in_group(parts), np.maximum(parts.part, 0)
    row = group * (len(parts.fabric.tier_names) + 1) + parts.level
    angle = 2 * np.pi * place / np.bincount(row)[row]
    radius = _INNER ** np.maximum(parts.level - 1, 0)
    x = discs.x[group] + discs.across * radius * np.sin(angle)
    return x, discs.y[group] + discs.up * radius * np.cos(angle)


def _threads(
    parts: Parts,
    load: npt.NDArray[np.floating] | None,
    broken: npt.NDArray[np.bool_] | None,
) -> _Threads:
    fabric = parts.fabric
    between = np.flatnonzero(np.asarray(fabric.a) >= fabric.hosts)
    a, b = fabric.a[between].astype(np.int64), fabric.b[between].astype(np.int64)
    low, high = np.minimum(a, b), np.maximum(a, b)
    size = fabric.devices
    code = (fabric.kind[between].astype(np.int64) * size + low) * size + high
    found, which = np.unique(code, return_inverse=True)
    links = np.bincount(which, minlength=len(found))
    rest, high = np.divmod(found, size)
    kind, low = np.divmod(rest, size)
    mean, dead = None, np.zeros(len(found), dtype=np.int64)
    if load is not None:
        weights = np.asarray(load, dtype=float)[between]
        mean = np.bincount(which, weights=weights, minlength=len(found)) / links
    if broken is not None:
        dead = np.bincount(which[np.asarray(broken)[between]], minlength=len(found))
    return _Threads(kind, low, high, links, mean, dead)


def _thinned(parts: Parts, threads: _Threads) -> tuple[npt.NDArray[np.bool_], int]:
    """Which threads are drawn: all, or those of some routers of a group; broken ones always.

    Returns
    -------
    array of bool, int      of each thread; routers of a group whose threads are drawn, 0 for all
    """
    place, top = _place_in_group(parts), parts.level == len(parts.fabric.tier_names)
    most = int(place[top].max(initial=0)) + 1
    shown, step = np.ones(len(threads.a), dtype=bool), 1
    while np.count_nonzero(shown) > MOST_THREADS and step < most:
        step = next(n for n in range(step + 1, most + 1) if most % n == 0)
        chosen = top & (place % step == 0)
        shown = chosen[threads.a] | chosen[threads.b] | (threads.broken > 0)
    return shown, 0 if step == 1 else most // step


def _place_in_group(parts: Parts) -> Whole:
    """The running number of each device in its tier of its group."""
    row = (parts.part + 1) * (len(parts.fabric.tier_names) + 1) + parts.level
    order = np.argsort(row, kind="stable")
    place = np.empty(len(row), dtype=np.int64)
    place[order] = np.arange(len(row)) - np.searchsorted(row[order], row[order])
    return place


def _draw_bands(parts: Parts, bundles: Bundles, discs: _Discs, sets: dict[str, Marks]) -> None:
    """A band between two groups, as wide as they have links."""
    fabric = parts.fabric
    apart = (bundles.a_part != bundles.b_part) & (bundles.a_part >= 0) & (bundles.b_part >= 0)
    chosen = np.flatnonzero(apart).tolist()
    most = max((int(bundles.links[n]) for n in chosen), default=1)
    widest = _BAND_WIDTH / max(parts.count - 1, 1)
    for n in chosen:
        a, b = int(bundles.a_part[n]), int(bundles.b_part[n])
        kind, count = int(bundles.kind[n]), int(bundles.links[n])
        names = (f"{parts.word} {a + 1}", f"{parts.word} {b + 1}")
        speed = f"{plural(count, 'link')} of {fabric.kinds[kind].gbps:g} Gb/s"
        ends = discs.edge(a, b), discs.edge(b, a)
        line = _line(*ends, names, f"{names[0]} to {names[1]}: {speed}")
        load = None if bundles.load is None else round(float(bundles.load[n]), 4)
        colour = _colour(kind, load, whole=int(bundles.broken[n]) == count)
        line |= {"width": round(1.0 + widest * count / most, 2), "colour": colour + _BAND}
        sets["links"].append({**line, "load": load, "broken": int(bundles.broken[n])})


def _name_groups(parts: Parts, discs: _Discs, sets: dict[str, Marks]) -> None:
    """The number of each group outside its disc, away from the others."""
    for number, (x, y) in enumerate(zip(discs.x.tolist(), discs.y.tolist(), strict=True)):
        left = x < _MIDDLE[0] + 1
        below = y < _MIDDLE[1] - 0.5 * _RADII[1]
        placed = {
            "x": round(x + (-0.95 if left else 0.95) * discs.across, 2),
            "y": round(y + (-0.95 if below else 0.95) * discs.up, 2),
        }
        text = f"{number + 1}"
        sets["names"].append({**placed, "text": text, "tip": f"{parts.word} {text}"})


def _draw_threads(
    parts: Parts,
    threads: _Threads,
    shown: npt.NDArray[np.bool_],
    names: list[str],
    at: tuple[Array, Array],
    sets: dict[str, Marks],
) -> None:
    fabric, (x, y) = parts.fabric, at
    for n in np.flatnonzero(shown).tolist():
        a, b, kind = int(threads.a[n]), int(threads.b[n]), int(threads.kind[n])
        count, dead = int(threads.links[n]), int(threads.broken[n])
        ends = (names[a], names[b])
        speed = f"{plural(count, 'link')} of {fabric.kinds[kind].gbps:g} Gb/s"
        line = _line((x[a], y[a]), (x[b], y[b]), ends, f"{ends[0]} to {ends[1]}: {speed}")
        load = None if threads.load is None else round(float(threads.load[n]), 4)
        colour = _colour(kind, load, whole=dead == count)
        line |= {"width": 1.0 if count == 1 else 1.6, "colour": colour + _THREAD}
        sets["links"].append({**line, "load": load, "broken": dead})


def _line(
    start: tuple[float, float], end: tuple[float, float], names: tuple[str, str], tip: str
) -> dict[str, Any]:
    places_ = (round(float(place), 2) for place in (*start, *end))
    line: dict[str, Any] = dict(zip(("x", "y", "x2", "y2"), places_, strict=True))
    return line | {"a": names[0], "b": names[1], "tip": tip}


def _colour(kind: int, load: float | None, *, whole: bool) -> str:
    if whole:
        return BROKEN
    if load is not None:
        return LOAD_RAMP[round(float(np.clip(load, 0, 1)) * (len(LOAD_RAMP) - 1))]
    return COLOURS[kind % len(COLOURS)]


def _draw_dots(
    parts: Parts, names: list[str], at: tuple[Array, Array], discs: _Discs, sets: dict[str, Marks]
) -> None:
    fabric, (x, y) = parts.fabric, at
    words = _link_words(parts)
    tiers = len(fabric.tier_names)
    fullest = int(_place_in_group(parts)[fabric.hosts :].max(initial=0)) + 1
    # a dot leaves as much of its ring free as it takes
    room = min(1.0, np.pi * discs.across * _INNER ** (tiers - 1) / fullest / _DOT[0])
    wide, high = room * _DOT[0] / 2, room * _DOT[1] / 2
    for device in range(fabric.hosts, fabric.devices):
        sets["boxes"].append(
            {
                "x": round(float(x[device]) - wide, 2),
                "x2": round(float(x[device]) + wide, 2),
                "y": round(float(y[device]) - high, 2),
                "y2": round(float(y[device]) + high, 2),
                "device": names[device],
                "tip": f"{names[device]}: {words[device - fabric.hosts]}",
            }
        )


def _link_words(parts: Parts) -> list[str]:
    """The links of each switch by kind: 16 to servers, 31 inside a group."""
    fabric = parts.fabric
    kinds = len(fabric.kinds)
    both = np.concatenate([fabric.a, fabric.b]).astype(np.int64)
    code = both * kinds + np.tile(np.asarray(fabric.kind, dtype=np.int64), 2)
    counts = np.bincount(code, minlength=fabric.devices * kinds).reshape(-1, kinds)
    spoken = [kind_words(kind.name) for kind in fabric.kinds]
    return [
        ", ".join(f"{number:,} {word}" for number, word in zip(row, spoken, strict=True) if number)
        for row in counts[fabric.hosts :].tolist()
    ]
