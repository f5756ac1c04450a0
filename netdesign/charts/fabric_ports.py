"""Which port is cabled to which? Every device, port and link of a small built fabric."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from netdesign.catalog import load_catalog
from netdesign.charts.fabric_paint import Paint, key_columns, paint
from netdesign.charts.fabric_places import Array, Places, is_direct, level, places
from netdesign.charts.fabric_words import link_words, tier_words
from netdesign.charts.palette import PALE
from netdesign.topology.built import Fabric
from netdesign.topology.naming import device_names, port_names
from netdesign.wording import plural

if TYPE_CHECKING:
    import altair as alt

Columns = dict[str, list[Any]]

MOST_DRAWN_LINKS = 1_500
MOST_AMONG_ROUTERS = 600  # links; of routers that are joined to each other, more are a tangle
MOST_DRAWN_PORTS = 4_500
MOST_IN_A_ROW = 130
USED, EMPTY, SPARE = "used", "empty", "spare"
_SETS = ("boxes", "ports", "links", "names", "titles", "notes", "key")
_PORT_HEIGHT = 1.7
_LAST_NUMBER = re.compile(r"(\d{1,5})\D*\Z")
_SHORT = 5  # letters of a name that stand where a number has room


def drawn_singly(fabric: Fabric) -> bool:
    """Whether the fabric is small enough to draw every port; else its tiers are the picture."""
    if fabric.links > MOST_DRAWN_LINKS:
        return False
    if is_direct(fabric):
        return not fabric.switches or fabric.links <= MOST_AMONG_ROUTERS
    ports = fabric.hosts * fabric.host_ports + int(np.sum(fabric.ports))
    widest = int(np.bincount(level(fabric)).max())
    return ports <= MOST_DRAWN_PORTS and widest <= MOST_IN_A_ROW


def data(
    fabric: Fabric,
    names: list[str] | None = None,
    dims: tuple[int, ...] | None = None,
    load: npt.NDArray[np.floating] | None = None,
    broken: npt.NDArray[np.bool_] | None = None,
    broken_devices: npt.NDArray[np.bool_] | None = None,
) -> dict[str, Columns]:
    """Data sets ``boxes``, ``ports``, ``links``, ``names``, ``titles``, ``notes`` and ``key``.

    Each set is columns, which weigh half of what rows do. Places are on a sheet of 100 x 100.

    Parameters
    ----------
    fabric : Fabric
    names : list of str                 of the devices; else ``device_names``
    dims : tuple of int                 of a grid (HyperX, torus); else found from the links
    load : array of float, (links,)     share of the capacity in use, 0 to 1
    broken : array of bool, (links,)
    broken_devices : array of bool, (devices,)
    """
    if not drawn_singly(fabric):
        text = f"{plural(fabric.links, 'link')}: too many to draw one by one; see the tiers"
        empty: dict[str, Columns] = {name: _no_marks() for name in _SETS}
        return {**empty, "notes": {"x": [50], "y": [50], "text": [text], "align": ["center"]}}
    names = device_names(fabric) if names is None else names
    at = places(fabric, dims)
    drawn = _DrawnPorts(fabric, at)
    colours = paint(fabric, load, broken)
    return {
        "boxes": _boxes(fabric, names, at, drawn, broken_devices),
        "ports": _ports(fabric, names, drawn, colours),
        "links": _links(fabric, names, drawn, colours, load, broken),
        "names": _names(names, at),
        "titles": _titles(at),
        "notes": _notes(at),
        "key": key_columns((*colours.key, *_kept(drawn))),
    }


def label(fabric: Fabric, *_rest: Any) -> str:
    """The chart in one sentence."""
    levels = np.bincount(level(fabric))
    parts = [tier_words(fabric, n, int(count)) for n, count in enumerate(levels) if count]
    family = fabric.family.replace("-", " ")
    return f"A {family} fabric of {', '.join(parts)}, joined by {link_words(fabric)}."


def _no_marks() -> Columns:
    return {"x": []}


def _rounded(values: Array, digits: int = 2) -> list[float]:
    return [float(value) for value in np.round(values, digits)]


class _DrawnPorts:
    """Every port of every device: which one, what it is used for and where it sits."""

    def __init__(self, fabric: Fabric, at: Places) -> None:
        self.breakout = np.where(np.arange(fabric.devices) < fabric.hosts, 1, fabric.breakout)
        ends = np.concatenate([fabric.a, fabric.b])
        slots = np.concatenate([fabric.a_slot, fabric.b_slot])
        port = slots // self.breakout[ends]
        highest = np.zeros(fabric.devices, dtype=np.int64)
        np.maximum.at(highest, ends, port + 1)
        owned = np.concatenate(
            [np.full(fabric.hosts, fabric.host_ports), np.asarray(fabric.ports)]
        ).astype(np.int64)
        self.owned = np.maximum(owned, highest)
        # Where routers are many and small, ports that nobody uses would hide those in use.
        spare = np.where(np.arange(fabric.devices) < fabric.hosts, 0, fabric.spare_ports)
        self.drawn = self.owned if at.in_tiers else np.minimum(self.owned, highest + spare)
        self.start = np.concatenate([[0], np.cumsum(self.drawn)])
        self.device = np.repeat(np.arange(fabric.devices), self.drawn)
        self.number = np.arange(len(self.device)) - self.start[self.device]
        self.link = np.full(len(self.device), -1, dtype=np.int64)
        both = np.tile(np.arange(fabric.links), 2)
        self.link[self.start[ends] + port] = both
        used = np.bincount(self.device[self.link >= 0], minlength=fabric.devices)
        self.used = used
        self.state = np.where(self.link >= 0, USED, EMPTY).astype("U5")
        kept = (self.link < 0) & (self.number >= (self.drawn - spare)[self.device])
        self.state[kept] = SPARE
        self._place(fabric, at, ends, port)

    def _place(self, fabric: Fabric, at: Places, ends: Any, port: Any) -> None:
        """Ports that lead up sit on the upper edge, unused ones where there is room."""
        device, in_tiers = self.device, at.in_tiers
        upper = np.zeros(len(device), dtype=bool)
        if in_tiers:
            upward = np.arange(len(ends)) < fabric.links
            upper[self.start[ends[upward]] + port[upward]] = True
            ups = np.bincount(device[upper], minlength=fabric.devices)
            room = np.maximum(self.used - ups, ups)
            free = self.link < 0
            unused: npt.NDArray[np.int64] = np.cumsum(free) - free
            unused -= unused[np.minimum(self.start[device], len(device) - 1)]
            # unused ports first even out the two rows
            downs = self.used - ups
            total_row = np.maximum(room, -(-self.drawn // 2))
            lower_room = np.where(ups > 0, total_row - downs, self.drawn)
            upper |= free & (unused >= lower_room[device])
            upper[device < fabric.hosts] = True
        rows = 2 * device + upper
        order = np.argsort(rows, kind="stable")
        count = np.bincount(rows, minlength=2 * fabric.devices)
        first = np.concatenate([[0], np.cumsum(count)])[:-1]
        place = np.empty(len(device), dtype=np.int64)
        place[order] = np.arange(len(device)) - first[rows[order]]
        longest = np.maximum(count[0::2], count[1::2])[device]
        self.step = 0.96 * at.width[device] / np.maximum(longest, 1)
        self.x = at.x[device] + self.step * (place - (count[rows] - 1) / 2)
        edge = at.height[device] / 2
        if in_tiers:
            inset = np.where(upper, 1, -1) * (edge - 0.6 * _PORT_HEIGHT)
            self.y = at.y[device] + inset
            self.edge = at.y[device] + np.where(upper, 1, -1) * edge
            self.height = np.full(len(device), _PORT_HEIGHT)
        else:
            self.y = self.edge = at.y[device]
            self.height = 1.16 * edge

    def end(self, device: Any, slot: Any, width: Any) -> tuple[Array, Array]:
        """Where links meet their devices: x, y; lanes of a port side by side."""
        lanes = self.breakout[device]
        port = self.start[device] + slot // lanes
        lane = (slot % lanes + np.minimum(width, lanes) / 2) / lanes
        return self.x[port] + 0.8 * self.step[port] * (lane - 0.5), self.edge[port]


def _boxes(
    fabric: Fabric,
    names: list[str],
    at: Places,
    drawn: _DrawnPorts,
    broken: npt.NDArray[np.bool_] | None,
) -> Columns:
    tips = [
        f"{name}: {used} of {owned} ports used"
        for name, used, owned in zip(names, drawn.used.tolist(), drawn.owned.tolist(), strict=True)
    ]
    gone = np.zeros(fabric.devices, dtype=bool) if broken is None else np.asarray(broken)
    return {
        "x": _rounded(at.x - at.width / 2),
        "x2": _rounded(at.x + at.width / 2),
        "y": _rounded(at.y - at.height / 2),
        "y2": _rounded(at.y + at.height / 2),
        "device": list(names),
        "tip": tips,
        "broken": gone.tolist(),
    }


def _ports(fabric: Fabric, names: list[str], drawn: _DrawnPorts, colours: Paint) -> Columns:
    link = drawn.link
    used = link >= 0
    first = fabric.a[link] == drawn.device
    other = np.where(first, fabric.b[link], fabric.a[link])
    other_slot = np.where(first, fabric.b_slot[link], fabric.a_slot[link])
    far = port_names(fabric, other_slot, other)
    host = drawn.device < fabric.hosts
    tips = []
    for number, is_used, state, goal, port, on_host in zip(
        drawn.number.tolist(),
        used.tolist(),
        drawn.state.tolist(),
        other.tolist(),
        far.tolist(),
        host.tolist(),
        strict=True,
    ):
        mine = f"{'nic' if on_host else 'port '}{number + 1}"
        tips.append(f"{mine} to {_port(names[goal], port)}" if is_used else f"{mine}, {state}")
    half = 0.4 * drawn.step
    return {
        "x": _rounded(drawn.x - half),
        "x2": _rounded(drawn.x + half),
        "y": _rounded(drawn.y - drawn.height / 2, 1),
        "y2": _rounded(drawn.y + drawn.height / 2, 1),
        "device": [names[device] for device in drawn.device.tolist()],
        "state": drawn.state.tolist(),
        "colour": [
            colours.of(number) if is_used else PALE
            for number, is_used in zip(link.tolist(), used.tolist(), strict=True)
        ],
        "tip": tips,
    }


def _port(device: str, port: str) -> str:
    return f"{device} {port}" if not port[0].isdigit() else f"{device} port {port}"


def _links(
    fabric: Fabric,
    names: list[str],
    drawn: _DrawnPorts,
    colours: Paint,
    load: npt.NDArray[np.floating] | None,
    broken: npt.NDArray[np.bool_] | None,
) -> Columns:
    slots = np.array([kind.slots for kind in fabric.kinds] or [1])[fabric.kind]
    x, y = drawn.end(fabric.a, fabric.a_slot, slots)
    x2, y2 = drawn.end(fabric.b, fabric.b_slot, slots)
    return {
        "x": _rounded(x),
        "y": _rounded(y, 1),
        "x2": _rounded(x2),
        "y2": _rounded(y2, 1),
        "a": [names[device] for device in fabric.a.tolist()],
        "a_port": port_names(fabric, fabric.a_slot, fabric.a).tolist(),
        "b": [names[device] for device in fabric.b.tolist()],
        "b_port": port_names(fabric, fabric.b_slot, fabric.b).tolist(),
        "what": _what(fabric),
        "colour": [colours.colours[group] for group in colours.group.tolist()],
        "load": [None] * fabric.links if load is None else _rounded(np.asarray(load)),
        "broken": [False] * fabric.links if broken is None else np.asarray(broken).tolist(),
    }


def _what(fabric: Fabric) -> list[str]:
    """Speed, length and medium of each link in words."""
    speeds = [f"{kind.gbps:g} Gb/s" for kind in fabric.kinds]
    words = [speeds[kind] for kind in fabric.kind.tolist()]
    if fabric.length_m is not None:
        lengths = np.round(np.asarray(fabric.length_m, dtype=float), 1).tolist()
        words = [f"{word}, {length:g} m" for word, length in zip(words, lengths, strict=True)]
    if fabric.medium is not None:
        made = [_medium(key) for key in fabric.media]
        words = [
            f"{word}, {made[medium]}" if medium >= 0 else f"{word}, no medium reaches"
            for word, medium in zip(words, fabric.medium.tolist(), strict=True)
        ]
    return words


def _medium(key: str) -> str:
    known = load_catalog().link_media
    kind = known[key].kind if key in known else key
    spoken = {"dac": "DAC", "acc": "active copper", "aec": "active copper", "aoc": "AOC"}
    return spoken.get(kind, kind.removeprefix("optics-").replace("-", " "))


def _names(names: list[str], at: Places) -> Columns:
    """Numbers (whole names where a box is wide) of devices, and of groups."""
    chosen = np.flatnonzero(at.labelled).tolist()
    texts = [names[n] if at.width[n] > 17 else _number(names[n]) for n in chosen]
    below = 0.1 * at.height[chosen] * (at.height[chosen] < 8)
    return {
        "x": _rounded(np.append(at.x[chosen], [group[0] for group in at.groups])),
        "y": _rounded(np.append(at.y[chosen] - below, [group[1] for group in at.groups])),
        "text": texts + [group[2] for group in at.groups],
        "device": [names[n] for n in chosen] + [None for _ in at.groups],
        "tip": [names[n] for n in chosen] + [f"group {group[2]}" for group in at.groups],
    }


def _number(name: str) -> str:
    """The number that a name ends on; its end where it has none."""
    digits = _LAST_NUMBER.search(name)
    return str(int(digits[1])) if digits is not None else name[-_SHORT:]


def _titles(at: Places) -> Columns:
    dy = 1.8 if at.in_tiers else 0.0
    return {
        "x": [title[0] for title in at.titles],
        "y": [title[1] + dy for title in at.titles],
        "text": [title[2] for title in at.titles],
    }


def _notes(at: Places) -> Columns:
    detailed = [title for title in at.titles if title[3]]
    return {
        "x": [title[0] for title in detailed],
        "y": [title[1] - 2.0 for title in detailed],
        "text": [title[3] for title in detailed],
        "align": ["left" for _ in detailed],
    }


def _kept(drawn: _DrawnPorts) -> tuple[tuple[str, str], ...]:
    return (("port kept spare", PALE),) if np.any(drawn.state == SPARE) else ()


def build() -> alt.LayerChart:
    """The chart, its data sets empty; the parameter ``picked`` is the device that was clicked."""
    from netdesign.charts.fabric_ports_marks import chart

    return chart()
