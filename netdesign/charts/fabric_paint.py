"""Which colour has a link of a built fabric: of its rail, its plane or its kind; or of its load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from netdesign.charts.fabric_words import kind_words
from netdesign.charts.format import SPACE
from netdesign.charts.palette import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    QUIET_INK,
    SKY,
    VERMILLION,
    WINE,
)
from netdesign.topology.built import Fabric

COLOURS = (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, WINE, GREY)
LOAD_RAMP = ("#C7DFF2", "#7FB8DE", "#3A8CC4", "#E69F00", "#C0392B")  # 0, 1/4, ... of the capacity
BROKEN = "#E3007E"
_KEYS_IN_A_ROW = 8


@dataclass(frozen=True, eq=False)
class Paint:
    """The colour of each link and what the colours mean."""

    by: str  # rail | plane | kind | load
    group: npt.NDArray[np.int64]  # of each link, index into colours
    colours: tuple[str, ...]
    key: tuple[tuple[str, str], ...]  # words and colour

    def of(self, link: int) -> str:
        return self.colours[int(self.group[link])]


def load_key() -> tuple[tuple[str, str], ...]:
    """The colours of the load and the shares they stand for."""
    shares = np.linspace(0, 100, len(LOAD_RAMP))
    return tuple(
        (f"{share:.0f}{SPACE}%", colour) for share, colour in zip(shares, LOAD_RAMP, strict=True)
    )


def paint(
    fabric: Fabric,
    load: npt.NDArray[np.floating] | None = None,
    broken: npt.NDArray[np.bool_] | None = None,
) -> Paint:
    """Colour every link; a given ``load`` (share of the capacity, 0 to 1) comes before all else."""
    if load is not None:
        step = np.rint(np.clip(load, 0, 1) * (len(LOAD_RAMP) - 1)).astype(np.int64)
        found = Paint("load", step, (*LOAD_RAMP, BROKEN), load_key())
    else:
        found = _without_load(fabric)
    if broken is None or not np.any(broken):
        return found
    colours = found.colours if BROKEN in found.colours else (*found.colours, BROKEN)
    group = np.where(broken, colours.index(BROKEN), found.group)
    return Paint(found.by, group, colours, (*found.key, ("broken", BROKEN)))


def _without_load(fabric: Fabric) -> Paint:
    rail = rail_of_links(fabric)
    if rail.max(initial=-1) > 0:
        return _numbered("rail", rail)
    plane = _of_switches(fabric, fabric.plane)
    if plane.max(initial=-1) > 0:
        return _numbered("plane", plane)
    present = np.unique(fabric.kind)
    group = np.searchsorted(present, fabric.kind) % len(COLOURS)
    words = [kind_words(fabric.kinds[number].name) for number in present.tolist()]
    if not fabric.switches:
        words = ["node to node"] if len(words) == 1 else words
    key = tuple(zip(words, COLOURS, strict=False))
    return Paint("kind", group.astype(np.int64), COLOURS, key)


def rail_of_links(fabric: Fabric) -> npt.NDArray[np.int64]:
    """The rail of each link: that of its switch, else of the adapter's port; -1 where neither."""
    rail = _of_switches(fabric, fabric.rail)
    if fabric.family in ("rail-optimised", "rail-only"):
        at_host = (rail < 0) & (fabric.a < fabric.hosts)
        rail = np.where(at_host, fabric.a_slot, rail)
    return np.asarray(rail, dtype=np.int64)


def _of_switches(fabric: Fabric, values: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """What a switch array says of each link: of the lower switch if it says so, else the upper."""
    table = np.concatenate([np.full(fabric.hosts, -1, dtype=np.int64), np.asarray(values)])
    lower, upper = table[fabric.a], table[fabric.b]
    return np.where(lower >= 0, lower, upper)


def _numbered(by: str, number: npt.NDArray[np.int64]) -> Paint:
    """One colour a rail or plane; those that serve several are dark."""
    colours = COLOURS
    group = np.where(number >= 0, number % len(colours), len(colours))
    present = np.unique(number[number >= 0]).tolist()
    words = [
        " ".join([by, *(str(n + 1) for n in present[place :: len(colours)][:1])])
        for place in range(min(len(present), len(colours)))
    ]
    if len(present) > len(colours):
        words = [f"{by}s, colours in turn"]
    used = [colours[present[place] % len(colours)] for place in range(len(words))]
    key = list(zip(words, used, strict=True))
    if np.any(number < 0):
        key.append((f"several {by}s", QUIET_INK))
    return Paint(by, group.astype(np.int64), (*COLOURS, QUIET_INK), tuple(key))


def key_columns(key: tuple[tuple[str, str], ...]) -> dict[str, list[Any]]:
    """The data set ``key``: places on the sheet below the picture, eight in a row."""
    step = min(100 / max(min(len(key), _KEYS_IN_A_ROW), 1), 33.0)
    return {
        "x": [round(step * (n % _KEYS_IN_A_ROW), 2) for n in range(len(key))],
        "y": [-6.0 - 3.6 * (n // _KEYS_IN_A_ROW) for n in range(len(key))],
        "text": [words for words, _ in key],
        "colour": [colour for _, colour in key],
    }
