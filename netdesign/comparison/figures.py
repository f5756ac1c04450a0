"""The figures of a transport with their grades, and what a planner puts in their place."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from netdesign.arrays import Numeric, as_float
from netdesign.catalog import Transport, load_catalog
from netdesign.catalog.transport_facts import figure_rows
from netdesign.errors import DesignError
from netdesign.network.transport import balance_with_queue_pairs, frame_efficiency
from netdesign.units import microseconds_to_seconds

Overrides = Mapping[str, Mapping[str, float]]  # figure by name, by transport

# What a planner can overwrite, and the least and most that make sense for it.
OVERRIDABLE: Mapping[str, tuple[float, float]] = {
    "mtu_bytes": (64, 65_536),
    "overhead_bytes": (0, 4_096),
    "balance_efficiency": (0.01, 1),
    "base_latency_us": (0.001, 1e6),
    "extra_latency_us": (0, 1e6),
    "queue_pairs": (1, 128),
}
_OF_FRAMING = ("mtu_bytes", "overhead_bytes")


@dataclass(frozen=True)
class Figure:
    """A number of a transport, between what it may lie, and how sure it is."""

    name: str
    value: float
    low: float
    high: float
    grade: str  # verified | secondary | recalled | computed | assumed; "yours" of the planner
    source: str
    date: str
    note: str = ""


@dataclass(frozen=True)
class TransportFigures:
    """The figures of one transport as a comparison uses them; SI units."""

    transport: Transport
    mtu: Figure  # bytes
    overhead: Figure  # bytes
    framing: Figure
    balance: Figure  # with the queue pairs
    base_latency: Figure  # s, end to end under one leaf
    extra_latency: Figure  # s, for each further tier
    queue_pairs: int

    @property
    def id(self) -> str:
        return self.transport.id

    @property
    def name(self) -> str:
        return self.transport.name

    @property
    def all(self) -> tuple[Figure, ...]:
        """Every figure, for tables."""
        return (self.framing, self.balance, self.base_latency, self.extra_latency)

    def latency(self, tiers: Numeric = 1) -> Numeric:
        """End to end over a path that climbs this many tiers, s."""
        return self.base_latency.value + (tiers - 1) * self.extra_latency.value


def figures_of(transport: str, overrides: Overrides | None = None) -> TransportFigures:
    """The figures of a transport, the planner's own in place of those of the data.

    Parameters
    ----------
    transport : str             key of transports.csv
    overrides : mapping         by transport and column of transports.csv; ``queue_pairs`` too

    Raises
    ------
    DesignError                 for an unknown transport
    """
    row = load_catalog().transports.require(transport, "transport")
    own = dict((overrides or {}).get(transport, {}))
    pairs = int(own.get("queue_pairs", 1))
    balance = _figure(row, "balance_efficiency", own)
    mtu, overhead = _figure(row, "mtu_bytes", own), _figure(row, "overhead_bytes", own)
    return TransportFigures(
        transport=row,
        mtu=mtu,
        overhead=overhead,
        framing=_framing(row, mtu, overhead, own),
        balance=_over_queue_pairs(balance, pairs) if pairs > 1 else balance,
        base_latency=_in_seconds(_figure(row, "base_latency_us", own)),
        extra_latency=_in_seconds(_figure(row, "extra_latency_us", own)),
        queue_pairs=pairs,
    )


def read_overrides(texts: Iterable[str]) -> Overrides:
    """Overrides from lines like ``transport.roce-hashed.balance_efficiency=0.95``.

    Raises
    ------
    DesignError     for a line of another form, an unknown name, no number, or one out of range
    """
    found: dict[str, dict[str, float]] = {}
    for text in texts:
        path, equals, value = text.partition("=")
        parts = path.strip().split(".")
        if not equals or len(parts) != 3 or parts[0] != "transport":
            example = "write transport.roce-hashed.balance_efficiency=0.95"
            raise DesignError("set", text[:120], "is not a figure of a transport", example)
        load_catalog().transports.require(parts[1], "set")
        found.setdefault(parts[1], {})[parts[2]] = _checked(path.strip(), parts[2], value.strip())
    return found


def check_used(overrides: Overrides | None, transports: Iterable[str]) -> None:
    """Complain of a figure of a transport that is on neither side: it would change nothing."""
    used = tuple(transports)
    for transport, figures in (overrides or {}).items():
        if transport not in used and figures:
            path = f"transport.{transport}.{next(iter(figures))}"
            raise DesignError("set", path, "is on neither side", f"the sides are {', '.join(used)}")


def _checked(path: str, name: str, text: str) -> float:
    if name not in OVERRIDABLE:
        near = difflib.get_close_matches(name, OVERRIDABLE, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(OVERRIDABLE)}"
        raise DesignError("set", path[:120], "is not a figure that can be set", hint)
    lowest, highest = OVERRIDABLE[name]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    whole = name != "queue_pairs" or value == int(value if math.isfinite(value) else 0)
    if not (lowest <= value <= highest and whole):
        kind = "a whole number" if name == "queue_pairs" else "a number"
        raise DesignError(
            path, text[:80], "is out of range", f"{kind} from {lowest:g} to {highest:g}"
        )
    return value


def _figure(row: Transport, name: str, own: Mapping[str, float]) -> Figure:
    if name in own:
        value = as_float(own[name])
        return Figure(name, value, value, value, "yours", "", "", "in place of the data's figure")
    value = as_float(getattr(row, name))
    known = figure_rows()[f"{row.id} {'framing' if name in _OF_FRAMING else name}"]
    low = value if known.low is None else known.low
    high = value if known.high is None else known.high
    return Figure(name, value, low, high, known.grade, known.source, known.date, known.note)


def _framing(row: Transport, mtu: Figure, overhead: Figure, own: Mapping[str, float]) -> Figure:
    share = as_float(frame_efficiency(mtu.value, overhead.value))
    if own.keys() & set(_OF_FRAMING):
        note = f"{mtu.value:g} B of data and {overhead.value:g} B around them"
        return Figure("framing", share, share, share, "yours", "", "", note)
    known = figure_rows()[f"{row.id} framing"]
    return Figure("framing", share, share, share, known.grade, known.source, known.date, known.note)


def _over_queue_pairs(balance: Figure, pairs: int) -> Figure:
    value, low, high = (
        as_float(balance_with_queue_pairs(share, pairs))
        for share in (balance.value, balance.low, balance.high)
    )
    note = f"{balance.value:g} with one queue pair, as the root of {pairs} of them"
    grade = "yours" if balance.grade == "yours" else "computed"
    source = balance.source if balance.grade == "yours" else "fabric-economics"
    return Figure(balance.name, value, low, high, grade, source, balance.date, note)


def _in_seconds(figure: Figure) -> Figure:
    value, low, high = (
        microseconds_to_seconds(time) for time in (figure.value, figure.low, figure.high)
    )
    return Figure(
        figure.name.removesuffix("_us") + "_s",
        value,
        low,
        high,
        figure.grade,
        figure.source,
        figure.date,
        figure.note,
    )
