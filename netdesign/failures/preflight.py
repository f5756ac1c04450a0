"""The tests before training: what to break, how, and which number the model expects."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from netdesign.arrays import as_float
from netdesign.catalog.library import data_directory
from netdesign.catalog.reliability import reliability
from netdesign.catalog.tables import Name, Positive, Row, keyed_rows
from netdesign.failures.flap import flap
from netdesign.failures.outcome import (
    SECONDS_PER_MONTH,
    WITHOUT_HOSTS,
    Outcome,
    Stage,
    outcome,
)
from netdesign.failures.scenario import broken
from netdesign.lossless.choice import number
from netdesign.network.collectives import collective_time
from netdesign.order import parts_of
from netdesign.performance.calibration import calibration_for
from netdesign.performance.collective_prediction import shipped_band
from netdesign.performance.goodput import retry_window
from netdesign.performance.overlap import links_of
from netdesign.performance.tails import harmonic_number
from netdesign.units import bytes_to_gigabytes, hours_to_seconds, seconds_to_microseconds
from netdesign.wording import plural
from netdesign.workload.plan import group_span
from netdesign.workload.traffic import Collective

SOAK_HOURS = 48.0
_FEW, _MOST = 0.025, 0.975  # chance below and up to the ends of a band of counts


class FailureTestRow(Row):
    """One test in words; ``pass_ratio`` of the expected number is still good."""

    id: Name
    name: Name
    procedure: Name
    infiniband: str = ""
    ethernet: str = ""
    measure: Name
    unit: Name
    pass_ratio: Positive | None = None


@dataclass(frozen=True)
class PlannedTest:
    """A test with its numbers in the unit that its row names."""

    row: FailureTestRow
    procedure: str  # with the names of this fabric
    measure: str
    command: str  # of this transport; empty where a hand does it
    expected: float
    low: float
    high: float  # the expected number may lie anywhere between
    limit: float  # good up to it; or down to it where more is better
    more_is_better: bool
    remark: str  # what else must hold

    def passes(self, measured: float) -> bool:
        """Whether a measured number is good."""
        return measured >= self.limit if self.more_is_better else measured <= self.limit


@dataclass(frozen=True)
class _Number:
    """What a test expects; the limit follows from the row where it is None."""

    expected: float
    low: float
    high: float
    limit: float | None = None
    more_is_better: bool = False
    remark: str = ""
    part: str = ""


@cache
def failure_test_rows() -> dict[str, FailureTestRow]:
    """Rows of failure_tests.csv by id, in the order in which the tests are run."""
    return keyed_rows(data_directory() / "failure_tests.csv", FailureTestRow, ("id",))


def preflight(stage: Stage) -> tuple[PlannedTest, ...]:
    """Every failure and soak test that a design's fabric can be given, with expected numbers.

    Parameters
    ----------
    stage : Stage       of the design's own fabric
    """
    bench = _Bench(stage)
    found = []
    for row in failure_test_rows().values():
        given = _NUMBERS[row.id](bench)
        if given is not None:
            found.append(_planned(bench, row, given))
    return tuple(found)


def poisson_band(mean: float) -> tuple[int, int]:
    """Counts between which 95 % of a Poisson number with this mean lie."""
    term, total, count, low = math.exp(-mean), math.exp(-mean), 0, -1
    while total < _MOST and count < 10 * mean + 100:
        if low < 0 and total >= _FEW:
            low = count
        count += 1
        term *= mean / count
        total += term
    return (count if low < 0 else low), count


class _Bench:
    """What several tests share."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.evaluation = stage.evaluation
        self.step = as_float(stage.evaluation.step.step_time_s)
        self.window = as_float(retry_window(reliability("ib-timeout"), reliability("ib-retries")))
        self.parts = parts_of(stage.evaluation.design)

    @cached_property
    def known(self) -> dict[str, Outcome]:
        return {}

    def broken(self, word: str) -> Outcome:
        """What breaking a part does; each is broken once."""
        if word not in self.known:
            fabric, ports = self.stage.fabric, self.stage.nic_ports
            self.known[word] = outcome(self.stage, broken(fabric, word, nic_ports=ports))
        return self.known[word]

    def has(self, tier: str) -> bool:
        names = self.stage.fabric.tier_names
        return tier in names and bool(np.any(self.stage.fabric.tier == names.index(tier)))

    @cached_property
    def gradients(self) -> Collective | None:
        """The gradient collective that leaves the domains."""
        return next(
            (entry for entry in self.stage.collectives if entry.parallelism == "data"), None
        )

    @property
    def size(self) -> float:
        return as_float(self.gradients.size) if self.gradients else 0.0


def _planned(bench: _Bench, row: FailureTestRow, given: _Number) -> PlannedTest:
    infiniband = bench.parts.switch.technology == "infiniband"
    half = bench.parts.link_gbps / 2
    words = {
        "part": given.part,
        "size": f"{bench.size:.0f}",
        "half": f"{half:g}G_4X",
        "large": f"{reliability('large-message'):.0f}",
        "percentile": f"{100 * bench.evaluation.tail.percentile:.6g}",
        "window": f"{bench.window:.0f}",
    }
    limit = given.limit
    if limit is None:
        limit = given.expected * (row.pass_ratio or 1.0)
    return PlannedTest(
        row=row,
        procedure=_filled(row.procedure, words),
        measure=_filled(row.measure, words),
        command=_filled(row.infiniband if infiniband else row.ethernet, words),
        expected=given.expected,
        low=given.low,
        high=given.high,
        limit=limit,
        more_is_better=given.more_is_better,
        remark=_filled(given.remark or row.note, words),
    )


def _filled(text: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        text = text.replace("{" + name + "}", value)
    return text


def _step(bench: _Bench) -> _Number:
    step = bench.evaluation.step
    high = as_float(step.step_time_high_s)
    return _Number(bench.step, as_float(step.step_time_low_s), high, high)


def _bus(bench: _Bench, size: float) -> _Number | None:
    found = _bus_bandwidth(bench, size, 1.0)
    return None if found is None else _Number(*found, more_is_better=True)


def _bus_bandwidth(bench: _Bench, size: float, rate: float) -> tuple[float, float, float] | None:
    """GB/s of a reduce-scatter of this size over all GPUs: expected, lowest, highest."""
    machine = bench.evaluation.machine
    if not bench.size:
        return None
    gpus = bench.stage.scene.jobs[0].ranks
    span = group_span(gpus, 1, machine.domain_gpus)
    whole = Collective("data", "reduce-scatter", span, size, 1, 0.0, 0.0)
    slowed = replace(machine, network_bandwidth=machine.network_bandwidth * rate)
    links = links_of(whole, slowed, calibration_for(machine.generation))
    time = as_float(collective_time("reduce-scatter", size, span, links))
    low, high = shipped_band().of(np.asarray(size), np.asarray(span.domains))
    sent = bytes_to_gigabytes(size * (gpus - 1) / gpus)
    return sent / time, sent / (time * as_float(high)), sent / (time * as_float(low))


def _tail(bench: _Bench) -> _Number | None:
    tail = bench.evaluation.tail
    if not tail.kinds or tail.tolerated_jitter_s is None:
        return None
    late = as_float(harmonic_number(tail.participants))
    expected = seconds_to_microseconds(tail.jitter_s * late)
    limit = seconds_to_microseconds(tail.tolerated_jitter_s * late)
    return _Number(expected, 0.0, limit, limit)


def _pause(bench: _Bench, word: str) -> _Number | None:
    """Seconds until the job computes again."""
    found = bench.broken(word)
    part = found.scenario.name
    if not found.stops_job:
        extra = found.step_s - found.healthy_step_s
        return _Number(
            extra, 0.0, max(extra, bench.window), bench.window, remark=_runs_on(found), part=part
        )
    pause = bench.window + bench.evaluation.goodput.restart_s
    return _Number(pause, bench.window, 1.5 * pause, remark=_cut(found), part=part)


def _runs_on(found: Outcome) -> str:
    return f"the job must run on; step {found.slowdown - 1:+.2%} until it is repaired"


def _cut(found: Outcome) -> str:
    lost = (
        f"{plural(found.gpus_stranded, 'GPU')} cut off"
        if found.hosts_cut_off
        else f"ports lost by {plural(found.gpus_without_port, 'GPU')}"
    )
    return f"the job stops; {lost}; then {found.ways[0].name}: step {found.slowdown - 1:+.2%}"


def _slower(found: Outcome, row_id: str, remark: str = "") -> _Number | None:
    """Step time over that of the healthy fabric, if the job runs on or restarts as it is."""
    way = next((way for way in found.ways if way.name != WITHOUT_HOSTS), found.ways[0])
    if not math.isfinite(way.step_s):
        return None
    more = max(0.0, way.step_s / found.healthy_step_s - 1.0)
    most = 1.0 + more * (failure_test_rows()[row_id].pass_ratio or 1.0)
    noise = reliability("step-noise")
    part = found.scenario.name
    return _Number(1.0 + more, 1.0, most, most + noise, remark=remark, part=part)


def _without(tier: str) -> Callable[[_Bench], _Number | None]:
    """The job runs on without one switch of a tier."""

    def expected(bench: _Bench) -> _Number | None:
        if not bench.has(tier) or bench.broken(tier).stops_job:
            return None
        found = bench.broken(tier)
        return _slower(found, tier, _runs_on(found))

    return expected


def _stopped_by(tier: str) -> Callable[[_Bench], _Number | None]:
    """The job stops when one switch of a tier goes."""

    def expected(bench: _Bench) -> _Number | None:
        if not bench.has(tier) or not bench.broken(tier).stops_job:
            return None
        return _pause(bench, tier)

    return expected


def _uplink(bench: _Bench) -> _Number | None:
    if not bench.has("spine"):
        return None
    found = bench.broken("uplink")
    return _slower(found, "uplink", _runs_on(found)) if found.recovers else None


def _flap(seconds: float) -> Callable[[_Bench], _Number | None]:
    def expected(bench: _Bench) -> _Number | None:
        found = flap(bench.evaluation, seconds)
        if not found.stops_job:
            most = found.most_lost_s
            return _Number(
                most, found.least_lost_s, most, 1.5 * most, remark="the job must not stop"
            )
        pause = found.window_s + bench.evaluation.goodput.restart_s
        return _Number(pause, found.window_s, 1.5 * pause, remark="the job stops and restarts")

    return expected


def _leaf_step(bench: _Bench) -> _Number | None:
    found = bench.broken("leaf")
    return _slower(found, "leaf-step") if found.stops_job else None


def _half_rate(bench: _Bench) -> _Number | None:
    found = bench.broken("nic@0.5")
    remark = f"communication x {found.communication_slowdown:.3g}"
    return _slower(found, "half-rate", remark)


def _half_rate_bus(bench: _Bench) -> _Number | None:
    found = _bus_bandwidth(bench, reliability("large-message"), 0.5)
    return None if found is None else _Number(*found)


def _storm(bench: _Bench) -> _Number | None:
    if bench.parts.switch.technology == "infiniband":
        return None
    ports = int(as_float(bench.evaluation.fabric.radix))
    times = (ports - 1) // int(number("watchdog_ports")) + 1
    expected = number("watchdog_time") * times
    return _Number(expected, expected, 2 * expected)


def _storage(bench: _Bench) -> _Number:
    found = bench.evaluation.goodput
    written = found.checkpoint_bytes / found.write_bandwidth
    return _Number(written, written, 2 * written, min(2 * written, found.interval_s))


def _soak(bench: _Bench) -> _Number:
    mean = bench.evaluation.goodput.stops_per_day * SOAK_HOURS / 24
    low, high = poisson_band(mean)
    remark = "optimistic for a job this small: see the stops of the design"
    small = bench.evaluation.goodput.optimistic
    return _Number(mean, low, high, high, remark=remark if small else "")


def _soak_ettr(bench: _Bench) -> _Number:
    found = bench.evaluation.goodput
    _, most = poisson_band(found.stops_per_day * SOAK_HOURS / 24)
    per_stop = (found.restart_s + found.interval_s / 2) / hours_to_seconds(SOAK_HOURS)
    written = 1.0 + found.write_s / found.interval_s
    low = max(0.0, 1.0 - most * per_stop) / written
    return _Number(found.ettr, low, 1.0 / written, low, more_is_better=True)


def _soak_links(bench: _Bench) -> _Number:
    fabric, chosen = bench.stage.fabric, bench.evaluation.design.reliability
    share = hours_to_seconds(SOAK_HOURS) / SECONDS_PER_MONTH / 12
    mean = fabric.links * chosen.link_failures_per_year * share
    low, high = poisson_band(mean)
    return _Number(mean, low, high, high)


_NUMBERS: dict[str, Callable[[_Bench], _Number | None]] = {
    "step": _step,
    "gradients": lambda bench: _bus(bench, bench.size),
    "large": lambda bench: _bus(bench, reliability("large-message")),
    "tail": _tail,
    "cable": lambda bench: _pause(bench, "cable"),
    "flap-1": _flap(1.0),
    "flap-10": _flap(10.0),
    "flap-40": _flap(40.0),
    "leaf": lambda bench: _pause(bench, "leaf") if bench.has("leaf") else None,
    "leaf-step": _leaf_step,
    "spine": _without("spine"),
    "spine-stop": _stopped_by("spine"),
    "core": _without("core"),
    "core-stop": _stopped_by("core"),
    "uplink": _uplink,
    "optic": lambda bench: _slower(bench.broken("optic@0.5"), "optic"),
    "half-rate": _half_rate,
    "half-rate-bus": _half_rate_bus,
    "pause-storm": _storm,
    "storage": _storage,
    "soak": _soak,
    "soak-ettr": _soak_ettr,
    "soak-links": _soak_links,
}
