"""How far are the planner's own machines from the model, and how sure is it afterwards?

A few factors (``OwnSpeeds``) are fitted on measured collectives, in the logarithm of their time:
each row counts by the width of the shipped band at its size, one that lies far off counts less
(soft L1), and the shipped constants count as a few rows that say 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from netdesign.acceptance.benchmarks import setting
from netdesign.acceptance.expected import System
from netdesign.acceptance.own_errors import (
    ErrorLine,
    Scopes,
    band_of_unseen,
    error_lines,
    scopes_of,
)
from netdesign.arrays import Array
from netdesign.catalog import load_catalog
from netdesign.design import NOT_MEASURED
from netdesign.errors import DesignError
from netdesign.network.nccl.constants import shipped_constants
from netdesign.network.own_speeds import AS_SHIPPED, OwnSpeeds, own_constants
from netdesign.performance.collective_prediction import (
    Band,
    Batch,
    Case,
    batches,
    predict_batches,
    shipped_band,
)
from netdesign.wording import named

# Of the section ``measured``, in the order of the fields of OwnSpeeds.
FACTORS = ("domain_speed", "network_speed", "domain_start_up", "network_start_up")
_STEPS, _ENOUGH, _NUDGE = 40, 1e-7, 1e-3  # of the search, in logarithms
_MOST_TOLD = 20  # logs that an error names
_NORMAL = 1.2816  # standard deviations between which and below which 80 % of a normal lie


@dataclass(frozen=True)
class OwnPoint:
    """One measured call."""

    log: str  # which table of which file
    operation: str  # all-reduce
    ranks: int
    nodes: int
    size: float  # bytes
    time: float  # s
    taper: float = 1.0  # how much slower the design's oversubscription makes it


@dataclass(frozen=True)
class LeftOut:
    """What did not count, and why."""

    log: str
    rows: int
    reason: str


@dataclass(frozen=True, eq=False)
class OwnFit:
    """What own logs say; errors are of the shipped constants before, of the factors after."""

    speeds: OwnSpeeds
    helps: bool  # whether they predict better than the shipped constants, which stay otherwise
    told: tuple[bool, ...]  # in the order of FACTORS: whether the logs say anything of it
    logs: tuple[str, ...]  # that count
    rows: int
    before: tuple[ErrorLine, ...]  # all rows first, then by size and domains
    after: tuple[ErrorLine, ...]
    unseen_before: ErrorLine | None  # None with too few logs
    unseen_after: ErrorLine | None  # each log by factors of the others, whether they help or not
    band: Band  # the shipped one, narrower where the logs earned it
    earned: tuple[str, ...]  # scopes of the band that are their own
    left_out: tuple[LeftOut, ...]

    @property
    def settings(self) -> dict[str, float | int]:
        """Values of the section ``measured`` by path of the design; none where they do not help."""
        if not self.helps:
            return dict(NOT_MEASURED)
        speeds = astuple(self.speeds)
        found: dict[str, float | int] = {
            f"measured.{name}": round(value, 4) for name, value in zip(FACTORS, speeds, strict=True)
        }
        return {**found, "measured.logs": min(len(self.logs), _limits("logs")[1])}


@dataclass(frozen=True, eq=False)
class _Rows:
    """Points that can be predicted, sorted into arrays."""

    points: tuple[OwnPoint, ...]
    system: System
    batches: tuple[Batch, ...]
    scopes: Scopes
    measured: Array  # s
    taper: Array
    width: Array  # one standard deviation of the shipped band, in logarithms

    def chosen(self, where: Array) -> _Rows:
        """The rows where a mask is true."""
        return _rows([p for p, keep in zip(self.points, where, strict=True) if keep], self.system)

    def time(self, speeds: OwnSpeeds) -> Array:
        """Predicted time, s."""
        constants = own_constants(shipped_constants(), speeds, self.system.domain_line)
        found: Array = predict_batches(self.batches, len(self.points), constants).time * self.taper
        return found

    def off(self, logarithms: Array) -> Array:
        """Logarithm of measured over predicted."""
        found: Array = np.log(self.measured / self.time(_speeds(logarithms)))
        return found


def fit(points: Sequence[OwnPoint], system: System, left_out: Sequence[LeftOut] = ()) -> OwnFit:
    """Fit the factors of own machines.

    Parameters
    ----------
    points : sequence of OwnPoint
    system : System                     of the machines; what it has of ``own`` does not count
    left_out : sequence of LeftOut      what was left out before, to be told with the rest

    Returns
    -------
    OwnFit

    Raises
    ------
    DesignError     when no row is left, saying why
    """
    told = list(left_out)
    plain = replace(system, own=AS_SHIPPED)
    rows = _sound(_rows(_without_copies(points, told), plain), told)
    if not rows.points:
        raise DesignError(
            "logs", None, f"hold nothing to calibrate with: {_reasons(told)}", "give other logs"
        )
    told_of = _weights(rows) >= setting("own-told-rows")
    none = np.zeros(len(FACTORS))
    logarithms = np.where(told_of, _search(rows), none)
    logs = tuple(dict.fromkeys(point.log for point in rows.points))
    before, after = rows.off(none), rows.off(logarithms)
    unseen = _unseen(rows, logs, logarithms) if len(logs) >= setting("own-band-logs") else None
    helps = not any(_worse(off, before) for off in (after, unseen) if off is not None)
    # The shipped constants have seen none of the logs: their errors are those of unseen ones.
    last = after if helps else before
    off_unseen = unseen if helps or unseen is None else before
    band, earned = band_of_unseen(rows.scopes, off_unseen, [point.log for point in rows.points])
    return OwnFit(
        speeds=_speeds(logarithms) if helps else AS_SHIPPED,
        helps=helps,
        told=tuple(bool(each) for each in told_of),
        logs=logs,
        rows=len(rows.points),
        before=error_lines(rows.scopes, before),
        after=error_lines(rows.scopes, last),
        unseen_before=None if unseen is None else error_lines(rows.scopes, before)[0],
        unseen_after=None if unseen is None else error_lines(rows.scopes, unseen)[0],
        band=band,
        earned=earned,
        left_out=tuple(told),
    )


def _worse(off: Array, before: Array) -> bool:
    """Whether factors are further off than the shipped constants, on the mean of logarithms."""
    return bool(np.mean(np.abs(off)) > np.mean(np.abs(before)))


def _rows(points: Sequence[OwnPoint], system: System) -> _Rows:
    cases = [
        Case(
            id="",
            operation=point.operation,
            gpus=point.ranks,
            nodes=point.nodes,
            size=point.size,
            accelerator=system.accelerator,
            link=system.link,
            fabric=system.fabric,
            nic_gbps_per_gpu=system.nic_gbps_per_gpu,
        )
        for point in points
    ]
    scopes = scopes_of(
        np.array([point.size for point in points]), np.array([case.domains for case in cases])
    )
    band = shipped_band()
    width = np.log(band.high / band.low)[scopes.bin, scopes.several] / (2 * _NORMAL)
    return _Rows(
        points=tuple(points),
        system=system,
        batches=tuple(batches(cases)),
        scopes=scopes,
        measured=np.array([point.time for point in points]),
        taper=np.array([point.taper for point in points]),
        width=width,
    )


def _without_copies(points: Sequence[OwnPoint], told: list[LeftOut]) -> list[OwnPoint]:
    """Points without those of logs most of whose rows another one holds to the last digit."""
    first: dict[OwnPoint, str] = {}
    rows, copies = dict[str, int](), dict[str, int]()
    for point in points:
        rows[point.log] = rows.get(point.log, 0) + 1
        if first.setdefault(replace(point, log=""), point.log) != point.log:
            copies[point.log] = copies.get(point.log, 0) + 1
    again = {log for log, number in copies.items() if 2 * number > rows[log]}
    told += [LeftOut(log, rows[log], "the same rows as in another log") for log in again]
    return [point for point in points if point.log not in again]


def _sound(rows: _Rows, told: list[LeftOut]) -> _Rows:
    """Rows without those so far off that something is broken, or is not what it is said to be.

    A log most of whose rows are goes as a whole. No factor makes up for what is faster than links.
    """
    if not rows.points:
        return rows
    predicted = rows.time(AS_SHIPPED)
    far = float(shipped_constants().far_below[0])
    band = shipped_band()
    low, high = (
        predicted * ends[rows.scopes.bin, rows.scopes.several] for ends in (band.low, band.high)
    )
    slow = rows.measured > np.maximum(high, far * predicted)
    fast = rows.measured < np.minimum(low, predicted / far)
    lowest, highest = np.exp(_ends())
    fastest = rows.time(OwnSpeeds(*highest[:2], *lowest[2:]))
    above = rows.measured < fastest * low / predicted
    names = np.array([point.log for point in rows.points])
    sick = (
        f"more than {far:g} times slower than the model and outside its band: sick. Mend it first, "
        "calibrating would hide it"
    )
    other = (
        f"more than {far:g} times faster than the model and outside its band: GPUs, nodes or "
        "operation are not what they are taken for"
    )
    line = (
        "faster than the model allows at the full rate of every link: NICs, nodes or operation are "
        "not what they are taken for, or NCCL does what the model does not know"
    )
    kept: Array = np.ones(len(names), dtype=bool)
    for wrong, reason in ((slow, sick), (fast, other), (above & ~fast, line)):
        for log in dict.fromkeys(names[wrong].tolist()):
            own: Array = names == log
            if 2 * np.sum(wrong & own) <= np.sum(own):
                own = own & wrong
            told.append(LeftOut(log, int(np.sum(own & kept)), reason))
            kept &= ~own
    return rows.chosen(kept)


def _reasons(told: Sequence[LeftOut]) -> str:
    if not told:
        return "there is no row"
    return named((f"{entry.log}: {entry.reason}" for entry in told), _MOST_TOLD, "; ")


def _limits(name: str) -> tuple[float, int]:
    parameter = load_catalog().parameters[f"measured.{name}"]
    return parameter.lowest or 0.0, int(parameter.highest or 0)


def _ends() -> tuple[Array, Array]:
    """The least and the most that each factor may be, in logarithms."""
    rows = [load_catalog().parameters[f"measured.{name}"] for name in FACTORS]
    low, high = ([row.lowest for row in rows], [row.highest for row in rows])
    return np.log(np.array(low, dtype=float)), np.log(np.array(high, dtype=float))


def _speeds(logarithms: Array) -> OwnSpeeds:
    return OwnSpeeds(*(float(value) for value in np.exp(logarithms)))


def _prior() -> Array:
    """Weight of the shipped constants on each factor, over squares of logarithms."""
    band = shipped_band()
    width = np.log(band.high / band.low).mean(axis=1) / (2 * _NORMAL)
    found: Array = setting("own-prior-rows") / width[[-1, -1, 0, 0]] ** 2
    return found


def _slopes(rows: _Rows, at: Array) -> Array:
    """How the logarithm of the predicted time moves with each factor's: rows by factors."""
    columns = []
    for factor in range(len(FACTORS)):
        nudge = np.zeros(len(FACTORS))
        nudge[factor] = _NUDGE
        columns.append((rows.off(at - nudge) - rows.off(at + nudge)) / (2 * _NUDGE))
    return np.stack(columns, axis=1)


def _weights(rows: _Rows) -> Array:
    """Rows that tell of each factor, those on which it acts in part counting less."""
    found: Array = np.sum(_slopes(rows, np.zeros(len(FACTORS))) ** 2, axis=0)
    return found


def _cost(rows: _Rows, at: Array, prior: Array) -> float:
    scaled = rows.off(at) / rows.width
    return float(np.sum(2 * (np.sqrt(1 + scaled**2) - 1)) + np.sum(prior * at**2))


def _search(rows: _Rows, start: Array | None = None) -> Array:
    """Logarithms of the factors of the least cost: Gauss-Newton, weights by distance."""
    low, high = _ends()
    prior = _prior()
    at = np.zeros(len(FACTORS)) if start is None else start
    cost = _cost(rows, at, prior)
    for _ in range(_STEPS):
        scaled = rows.off(at) / rows.width
        slopes = _slopes(rows, at) / rows.width[:, None]
        weights = 1 / np.sqrt(1 + scaled**2)
        normal = slopes.T @ (weights[:, None] * slopes) + np.diag(prior)
        step = np.linalg.solve(normal, slopes.T @ (weights * scaled) - prior * at)
        moved, new = at, cost
        for _ in range(20):
            moved = np.clip(at + step, low, high)
            new = _cost(rows, moved, prior)
            if new <= cost:
                break
            step = step / 2
        if new > cost or np.max(np.abs(moved - at)) < _ENOUGH:
            break
        at, cost = moved, new
    return at


def _unseen(rows: _Rows, logs: Sequence[str], start: Array) -> Array:
    """Logarithm of measured over predicted, each log by a fit on the others."""
    folds = min(len(logs), int(setting("own-folds")))
    fold = np.array([logs.index(point.log) % folds for point in rows.points])
    off = np.empty(len(rows.points))
    for each in range(folds):
        hidden: Array = fold == each
        off[hidden] = rows.chosen(hidden).off(_search(rows.chosen(~hidden), start))
    return off
