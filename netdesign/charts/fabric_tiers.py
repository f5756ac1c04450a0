"""How do the tiers of a large fabric fit together? Pods as boxes with counts, links as bundles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from netdesign.charts.fabric_paint import (
    BROKEN,
    COLOURS,
    LOAD_RAMP,
    key_columns,
    load_key,
)
from netdesign.charts.fabric_parts import Bundles, Parts, parts_of
from netdesign.charts.fabric_places import RIGHT, is_direct
from netdesign.charts.fabric_routers import draw as draw_routers
from netdesign.charts.fabric_routers import drawn_by_router
from netdesign.charts.fabric_words import kind_words, link_words, port_words, rate_words, tier_words
from netdesign.topology.built import Fabric
from netdesign.wording import plural

if TYPE_CHECKING:
    import altair as alt

Marks = list[dict[str, Any]]
Columns = dict[str, list[Any]]

MOST_COLUMNS, MOST_ON_THE_RING = 9, 18
SETS = ("boxes", "links", "names", "numbers", "titles", "notes")
_NUMBERED = 6  # columns, whose bundles have room for a number
_WIDEST = 11.0
_ROWS = {
    1: (52.0,),
    2: (20.0, 84.0),
    3: (15.0, 54.0, 93.0),
    4: (13.0, 40.3, 67.6, 95.0),
    5: (13.0, 33.5, 54.0, 74.5, 95.0),
    6: (13.0, 29.4, 45.8, 62.2, 78.6, 95.0),
}
_HALF = 4.5
_OPAQUE = len("#RRGGBB")
_LEFT = 25.0  # of the columns; the words stand left of it
_MIDDLE, _RING = (50.0, 41.0), (43.0, 37.0)


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float
    name: str
    half: float = _HALF


def data(
    fabric: Fabric,
    dims: tuple[int, ...] | None = None,
    load: npt.NDArray[np.floating] | None = None,
    broken: npt.NDArray[np.bool_] | None = None,
) -> dict[str, Marks | Columns]:
    """Data sets ``boxes``, ``links``, ``names``, ``numbers``, ``titles``, ``notes`` and ``key``.

    Places are on a sheet of 100 x 100; of many parts the first ones and the last are drawn. A few
    hundred routers that are joined to each other are a dot each.

    Parameters
    ----------
    fabric : Fabric
    dims : tuple of int                 of a grid (HyperX, torus); else found from the links
    load : array of float, (links,)     share of the capacity in use; a bundle shows the mean
    broken : array of bool, (links,)    a bundle shows how many
    """
    parts = parts_of(fabric, dims)
    bundles = parts.bundles(load, broken)
    sets: dict[str, Marks] = {name: [] for name in SETS}
    if drawn_by_router(parts):
        drawn = draw_routers(parts, bundles, sets, load, broken)
        _ring_words(parts, bundles, sets, drawn)
    else:
        boxes = _ring(parts, bundles, sets) if is_direct(fabric) else _rows(parts, sets)
        _draw_links(parts, bundles, boxes, sets)
    colours = {link["colour"][:_OPAQUE] for link in sets["links"]}
    key = _key(fabric, colours, load is not None, bool(bundles.broken.any()))
    return {**sets, "key": key}


def label(fabric: Fabric, dims: tuple[int, ...] | None = None, *_rest: Any) -> str:
    """The chart in one sentence."""
    parts = parts_of(fabric, dims)
    totals = parts.devices.sum(axis=1).tolist()
    tiers = [tier_words(fabric, n, count) for n, count in enumerate(totals) if count]
    split = f" in {parts.words(parts.count)}" if parts.count > 1 and parts.word != "leaf" else ""
    family = fabric.family.replace("-", " ")
    return f"A {family} fabric: {', '.join(tiers)}{split}; {link_words(fabric)}."


def _shown(count: int, most: int) -> list[int | None]:
    """The parts that are drawn; None stands for those left out."""
    if count <= most:
        return list(range(count))
    return [*range(most - 2), None, count - 1]


def _rows(parts: Parts, sets: dict[str, Marks]) -> dict[tuple[int, int], _Box]:
    """A row for each tier, a column for each part; what serves several parts spans them."""
    fabric, devices = parts.fabric, parts.devices
    present = [n for n, total in enumerate(devices.sum(axis=1).tolist()) if total]
    centres = dict(zip(present, _ROWS[len(present)], strict=True))
    shown = _shown(parts.count, MOST_COLUMNS)
    room = (RIGHT - _LEFT) / max(len(shown), 1)
    boxes: dict[tuple[int, int], _Box] = {}
    for number, y in centres.items():
        row = devices[number].tolist()
        _row_words(parts, number, y, sum(row), sets)
        if row[-1]:
            # of a row that also has parts, the lower half: neither hides the other's words
            low, half = (y - _HALF / 2, _HALF / 2 - 0.3) if any(row[:-1]) else (y, _HALF)
            words = tier_words(fabric, number, row[-1])
            box = _Box((_LEFT + RIGHT) / 2, low, RIGHT - _LEFT - 1, words, half)
            boxes[number, -1] = box
            _draw_box(box, box.name, box.name, sets, row[-1])
        for place, part in enumerate(shown):
            x = _LEFT + (place + 0.5) * room
            if part is None:
                if any(row[:-1]):
                    height = y + _HALF / 2 if row[-1] else y
                    sets["names"].append(
                        {"x": x, "y": height, "text": "…", "tip": _left_out(parts)}
                    )
            elif row[part]:
                words = tier_words(fabric, number, row[part])
                name = f"{parts.word} {part + 1}"
                name += "" if words == f"1 {parts.word}" else f": {words}"
                high, half = (y + _HALF / 2, _HALF / 2 - 0.3) if row[-1] else (y, _HALF)
                box = _Box(x, high, min(0.82 * room, 24.0), name, half)
                boxes[number, part] = box
                text = words if len(shown) <= 3 else f"{row[part]:,}"
                _draw_box(box, text, name, sets, row[part])
    _column_words(parts, shown, room, min(centres.values()), sets)
    return boxes


def _left_out(parts: Parts) -> str:
    return parts.words(parts.count - MOST_COLUMNS + 1, "more ")


def _row_words(parts: Parts, number: int, y: float, total: int, sets: dict[str, Marks]) -> None:
    fabric = parts.fabric
    sets["titles"].append({"x": 0, "y": y + 2.2, "text": tier_words(fabric, number, total)})
    text = port_words(fabric, number)
    sets["notes"].append({"x": 0, "y": y - 2.4, "text": text, "align": "left"})


def _column_words(
    parts: Parts, shown: list[int | None], room: float, lowest: float, sets: dict[str, Marks]
) -> None:
    """The number of each part below its column, and how many are left out."""
    if parts.count < 2:
        return
    y = lowest - _HALF - 4.0
    sets["notes"].append({"x": 0, "y": y, "text": parts.word, "align": "left"})
    for place, part in enumerate(shown):
        x = _LEFT + (place + 0.5) * room
        if part is not None:
            text = f"{part + 1:,}"
            sets["names"].append({"x": x, "y": y, "text": text, "tip": f"{parts.word} {text}"})
    if None in shown:
        x = _LEFT + (shown.index(None) + 0.5) * room
        text = f"… {_left_out(parts)}"
        sets["notes"].append({"x": x, "y": y - 5.0, "text": text, "align": "center"})


def _draw_box(box: _Box, text: str, tip: str, sets: dict[str, Marks], count: int) -> None:
    """A box, with two more behind it if it stands for several devices."""
    for behind in range(min(count, 3) - 1, -1, -1):
        sets["boxes"].append(
            {
                "x": round(box.x - box.width / 2 + 0.3 * behind, 2),
                "x2": round(box.x + box.width / 2 + 0.3 * behind, 2),
                "y": round(box.y - box.half + 0.2 * box.half * behind, 2),
                "y2": round(box.y + box.half + 0.2 * box.half * behind, 2),
                "device": box.name,
                "tip": tip,
            }
        )
    name = {"x": round(box.x, 2), "y": round(box.y, 2), "text": text, "tip": tip}
    sets["names"].append({**name, "device": box.name})


def _ring(parts: Parts, bundles: Bundles, sets: dict[str, Marks]) -> dict[tuple[int, int], _Box]:
    """The parts round a ring, all tiers of a part in one box."""
    fabric, devices = parts.fabric, parts.devices
    shown = _shown(parts.count, MOST_ON_THE_RING) or [-1]
    boxes: dict[tuple[int, int], _Box] = {}
    for place, part in enumerate(shown):
        angle = 2 * np.pi * place / len(shown)
        spread = 1.0 if len(shown) > 1 else 0.0
        x = float(_MIDDLE[0] + spread * _RING[0] * np.sin(angle))
        y = float(_MIDDLE[1] + spread * _RING[1] * np.cos(angle))
        if part is None:
            hidden = parts.words(parts.count - MOST_ON_THE_RING + 1, "more ")
            sets["notes"].append({"x": x, "y": y, "text": f"… {hidden}", "align": "center"})
            continue
        column = devices[:, part].tolist()
        words = [tier_words(fabric, n, count) for n, count in enumerate(column) if count]
        name = f"{parts.word} {part + 1}" if part >= 0 else "all"
        box = _Box(x, y, 8.5 if part >= 0 else 40.0, f"{name}: {', '.join(reversed(words))}")
        for number in range(len(column)):
            boxes[number, part] = box
        text = f"{part + 1:,}" if part >= 0 else ", ".join(reversed(words))
        _draw_box(box, text, box.name, sets, sum(column))
    _ring_words(parts, bundles, sets)
    return boxes


def _ring_words(
    parts: Parts, bundles: Bundles, sets: dict[str, Marks], drawn: tuple[str, ...] = ()
) -> None:
    """Above the ring: what a part holds, what joins two of them, and what is ``drawn``."""
    fabric, devices = parts.fabric, parts.devices
    totals = devices.sum(axis=1).tolist()
    tiers = [tier_words(fabric, n, count) for n, count in enumerate(totals) if count]
    sets["titles"].append({"x": 0, "y": 100, "text": ", ".join(reversed(tiers))})
    lines = []
    if parts.count > 1:
        # a server with links to several parts is of none
        whole = [
            n for n, row in enumerate(devices.tolist()) if any(row[:-1]) and (n or not row[-1])
        ]
        alike = [_span(devices[n, :-1]) for n in whole]
        names = [tier_words(fabric, n, 2)[2:] for n in whole]
        each = ", ".join(f"{n} {name}" for n, name in zip(alike, names, strict=True))
        lines.append(f"{parts.words(parts.count)} of {each}")
        apart = (bundles.a_part != bundles.b_part) & (bundles.a_part >= 0)
        code = np.minimum(bundles.a_part, bundles.b_part) * parts.count + np.maximum(
            bundles.a_part, bundles.b_part
        )
        pairs = np.unique(code[apart], return_inverse=True)[1]
        links = np.bincount(pairs, weights=bundles.links[apart]).astype(np.int64)
        possible = parts.count * (parts.count - 1) // 2
        which = "each pair" if len(links) == possible else f"{len(links):,} of {possible:,} pairs"
        many = "links" if links.max(initial=0) > 1 else "link"
        lines.append(f"{which} joined by {_span(links)} {many}" if len(links) else "none joined")
        lines += [] if drawn else _inside(parts, bundles)
    for line, text in enumerate((*lines, *drawn)):
        sets["notes"].append({"x": 0, "y": 95.0 - 4.2 * line, "text": text, "align": "left"})


def _inside(parts: Parts, bundles: Bundles) -> list[str]:
    """How many links between switches (or nodes) stay inside a box, where they are not drawn."""
    lowest = 1 if parts.fabric.switches else 0
    own = (bundles.a_part == bundles.b_part) & (bundles.a_part >= 0) & (bundles.a_level >= lowest)
    counts = np.bincount(
        bundles.a_part[own], weights=bundles.links[own], minlength=parts.count
    ).astype(np.int64)
    if not counts.any():
        return []
    return [f"inside each {parts.word}: {_span(counts)} {'links' if counts.max() > 1 else 'link'}"]


def _span(values: Any) -> str:
    low, high = int(np.min(values)), int(np.max(values))
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _draw_links(
    parts: Parts,
    bundles: Bundles,
    boxes: dict[tuple[int, int], _Box],
    sets: dict[str, Marks],
) -> None:
    fabric = parts.fabric
    ringed = is_direct(fabric)
    columns = min(parts.count, MOST_COLUMNS + 1)
    most = int(bundles.links.max(initial=1))
    for n in range(len(bundles.links)):
        ends = (
            (int(bundles.a_level[n]), int(bundles.a_part[n])),
            (
                int(bundles.b_level[n]),
                int(bundles.b_part[n]),
            ),
        )
        low, high = (boxes.get(end) for end in ends)
        if low is None or high is None or low is high:
            continue
        count, gbps = int(bundles.links[n]), fabric.kinds[int(bundles.kind[n])].gbps
        line = _line(low, high, ringed)
        share = float(np.sqrt(count / most))
        sets["links"].append(
            {
                **line,
                "a": low.name,
                "b": high.name,
                "width": round(0.8 + (2.5 if ringed else _WIDEST) * share, 2),
                "colour": _colour(bundles, n),
                "load": None if bundles.load is None else round(float(bundles.load[n]), 4),
                "broken": int(bundles.broken[n]),
                "tip": f"{low.name} to {high.name}: {plural(count, 'link')}{rate_words(gbps)}",
            }
        )
        if not ringed and columns <= _NUMBERED:
            # of a bundle that passes a tier by, above that tier
            share = 0.5 if abs(ends[1][0] - ends[0][0]) < 2 else 0.75
            middle = {"x": line["x"], "y": round((1 - share) * line["y"] + share * line["y2"], 2)}
            sets["numbers"].append({**middle, "text": f"{count:,}"})
    if not ringed:
        _totals(parts, bundles, sets)


def _line(low: _Box, high: _Box, ringed: bool) -> dict[str, float]:
    """From middle to middle on the ring; else straight up where one box spans the other."""
    if ringed:
        places = (low.x, low.y, high.x, high.y)
    else:
        low_x = high.x if low.width > high.width else low.x
        high_x = low.x if high.width > low.width else high.x
        places = (low_x, low.y + low.half, high_x, high.y - high.half)
    return dict(zip(("x", "y", "x2", "y2"), (round(place, 2) for place in places), strict=True))


def _totals(parts: Parts, bundles: Bundles, sets: dict[str, Marks]) -> None:
    """Left of the bundles: all links between two tiers that follow each other, and their rate."""
    rows = [title["y"] for title in sets["titles"]]
    present = [n for n, row in enumerate(parts.devices.tolist()) if any(row)]
    lowest = np.minimum(bundles.a_level, bundles.b_level)
    highest = np.maximum(bundles.a_level, bundles.b_level)
    gaps = zip(
        zip(present, rows, strict=True), zip(present[1:], rows[1:], strict=True), strict=False
    )
    for (below, low), (above, high) in gaps:
        between = (lowest == below) & (highest == above)
        count = int(bundles.links[between].sum())
        rates = {parts.fabric.kinds[kind].gbps for kind in bundles.kind[between].tolist()}
        rate = rate_words(rates.pop()) if len(rates) == 1 else ""
        middle = (low + high) / 2
        for line, text in enumerate((plural(count, "link"), rate.strip())[: 1 + bool(rate)]):
            y = round(middle + 1.8 - 4.4 * line, 2)
            sets["notes"].append({"x": 0, "y": y, "text": text, "align": "left"})


def _colour(bundles: Bundles, n: int) -> str:
    if bundles.broken[n] == bundles.links[n]:
        return BROKEN
    if bundles.load is not None:
        share = float(np.clip(bundles.load[n], 0, 1))
        return LOAD_RAMP[round(share * (len(LOAD_RAMP) - 1))]
    return COLOURS[int(bundles.kind[n]) % len(COLOURS)]


def _key(fabric: Fabric, colours: set[str], loaded: bool, broken: bool) -> Columns:
    """What the colours mean, of those that are drawn."""
    kinds = enumerate(fabric.kinds)
    words = [(kind_words(kind.name), COLOURS[n % len(COLOURS)]) for n, kind in kinds]
    key = load_key() if loaded else tuple(pair for pair in words if pair[1] in colours)
    return key_columns((*key, ("all broken", BROKEN)) if broken else key)


def build() -> alt.LayerChart:
    """The chart, its data sets empty; the parameter ``picked`` is the box that was clicked."""
    from netdesign.charts.fabric_tiers_marks import chart

    return chart()
