"""A part breaks: does routing get around it, what is cut off, how long is the step?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from netdesign.arrays import as_float
from netdesign.catalog.reliability import failure_rates, reliability
from netdesign.congestion.phase import host_time, routed
from netdesign.congestion.report import name_of, one_byte_flows, running
from netdesign.congestion.scene import USUAL, Conditions, Scene, fabric_of, scene_of
from netdesign.congestion.slowed_step import slowed_step
from netdesign.evaluate import Evaluation
from netdesign.failures.rerouting import dead_endpoints, moved, nic_order, stand_ins
from netdesign.failures.scenario import Scenario
from netdesign.performance.goodput import retry_window
from netdesign.reliability import link_failures_per_s, switch_failures_per_s
from netdesign.topology.built import Fabric
from netdesign.topology.forwarding import host_links
from netdesign.topology.placement import seats
from netdesign.topology.routing import Flows, Lost, endpoint_hosts, routes
from netdesign.topology.spec import FabricSpec
from netdesign.units import DAYS_PER_YEAR, SECONDS_PER_DAY, SECONDS_PER_HOUR
from netdesign.workload.patterns import amount_of, shape_of
from netdesign.workload.rank_groups import group_of
from netdesign.workload.traffic import Collective

SECONDS_PER_MONTH = DAYS_PER_YEAR * SECONDS_PER_DAY / 12
Reals = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Pattern = tuple[str, str]  # group and shape
_ROUNDING = 1e-9
KEEP = "run on"
OTHER_PORTS = "restart over the other ports"
WITHOUT_HOSTS = "restart without the hosts"


@dataclass(frozen=True, eq=False)
class Stage:
    """The job of a design on a built fabric, and its messages while nothing is broken."""

    evaluation: Evaluation
    conditions: Conditions
    scene: Scene
    nic_ports: int  # ports of a host that stand in for each other while the job runs

    @property
    def fabric(self) -> Fabric:
        return self.scene.fabric

    def pattern(self, entry: Collective) -> Pattern:
        """The group that runs a collective, and how it sends."""
        return group_of(entry), shape_of(entry, self.conditions.sending)

    @cached_property
    def flows(self) -> Mapping[Pattern, Flows]:
        """Messages for one byte of each pattern of the plan that leaves the domains."""
        keys = dict.fromkeys(self.pattern(entry) for entry in running(self.evaluation.traffic))
        job, sending = self.scene.jobs[0], self.conditions.sending
        found = {key: one_byte_flows(self.scene, job, key, sending) for key in keys}
        return {key: flows for key, flows in found.items() if len(flows)}

    @cached_property
    def collectives(self) -> tuple[Collective, ...]:
        """Those that leave the domains."""
        entries = running(self.evaluation.traffic)
        return tuple(entry for entry in entries if self.pattern(entry) in self.flows)

    @cached_property
    def host_times(self) -> Mapping[Pattern, float]:
        """Seconds of each pattern if only the ports of the hosts were shared."""
        return {key: host_time(self.fabric, flows) for key, flows in self.flows.items()}

    @cached_property
    def healthy(self) -> Run:
        """The job while nothing is broken."""
        return run(self, self.fabric, None, dict(self.flows))


@dataclass(frozen=True, eq=False)
class Run:
    """The communication of a job on a fabric."""

    slowdowns: Mapping[Pattern, float]  # of each pattern, over host ports alone
    step_s: float  # infinite where a message has no way
    unreachable: int  # messages without a way
    load: Reals  # of each link, share of what it could carry in its busiest phase


@dataclass(frozen=True)
class Way:
    """One way to go on after a failure until the repair."""

    name: str  # KEEP | OTHER_PORTS | WITHOUT_HOSTS
    pause_s: float  # time of the whole job that it costs at once
    step_s: float  # infinite: the job stands
    lost_s: float  # time of the whole job by the end of the repair


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one broken or slow part does to the job; SI units, scalars."""

    scenario: Scenario
    endpoints_lost: int
    hosts_cut_off: int  # no port left
    hosts_degraded: int  # some ports left
    gpus_stranded: int  # of the hosts that are cut off
    gpus_without_port: int  # of the degraded hosts: they go through a neighbour's
    stops_job: bool  # messages of the running job have no way: it must restart
    slowdowns: tuple[tuple[str, float], ...]  # of each collective, over the healthy fabric
    healthy_step_s: float  # on the built fabric, with the collisions and tapers it has
    ways: tuple[Way, ...]  # the one that loses least first
    closed_form: float | None  # slow-down of communication by hand, where there is one
    failures_per_month: float | None  # of all such parts; None: no published rate
    stop_cost_s: float  # time of the whole job that one stop costs
    repair_s: float
    load: Reals  # of each link while broken, for pictures
    broken: Bools  # links that carry nothing

    @property
    def recovers(self) -> bool:
        """Whether routing finds a way for every message while the job runs on."""
        return not self.stops_job

    @property
    def step_s(self) -> float:
        """Until the repair, on the way that loses least."""
        return self.ways[0].step_s

    @property
    def slowdown(self) -> float:
        """Of the step, until the repair."""
        return self.step_s / self.healthy_step_s

    @property
    def communication_slowdown(self) -> float:
        """Of the collective that suffers most, if no host is left out."""
        return max((slowed for _, slowed in self.slowdowns), default=1.0)

    @property
    def lost_s(self) -> float:
        """Time of the whole job that one failure costs."""
        return self.ways[0].lost_s

    @property
    def lost_with_spares_s(self) -> float:
        """The same where spare servers take the place of those that lost a port."""
        if not self.hosts_cut_off + self.hosts_degraded:
            return self.lost_s
        return min(self.lost_s, self.stop_cost_s)

    @property
    def stops_per_month(self) -> float | None:
        if self.failures_per_month is None:
            return None
        return self.failures_per_month * self.stops_job


def stage_of(
    evaluation: Evaluation, conditions: Conditions = USUAL, spec: FabricSpec | None = None
) -> Stage:
    """Put the job of a design on its built fabric, or on another.

    Parameters
    ----------
    evaluation : Evaluation
    conditions : Conditions
    spec : FabricSpec           another fabric for the same endpoints; the design's own if None

    Raises
    ------
    DesignError                 when the fabric cannot be built
    """
    scene = scene_of(evaluation, conditions)
    if spec is not None:
        fabric, ports = fabric_of(spec)
        own = scene.jobs[0]
        job = seats(
            fabric,
            np.unique(own.gpu // scene.fabric.gpus_per_host),
            own.ranks,
            domain_gpus=own.domain_gpus,
            ports=nic_order(fabric, _nic_ports(evaluation, fabric), ports),
        )
        scene = replace(scene, fabric=fabric, jobs=(job,))
    return Stage(evaluation, conditions, scene, _nic_ports(evaluation, scene.fabric))


def _nic_ports(evaluation: Evaluation, fabric: Fabric) -> int:
    """Ports that stand in for each other: as many as this fabric has for one of the design's."""
    usual = round(as_float(evaluation.fabric.endpoints) / max(evaluation.servers, 1))
    return max(1, fabric.host_ports // max(usual, 1))


def outcome(stage: Stage, scenario: Scenario) -> Outcome:
    """Break a part, or slow it down, and run the job.

    A message whose port is dead moves to the other port of its NIC, where there is one. Else the
    job stops when its connections give up, and restarts: over the other ports of the hosts, or
    without these hosts, with fewer replicas of the model.

    Parameters
    ----------
    stage : Stage
    scenario : Scenario     of the stage's fabric
    """
    fabric = stage.fabric
    dead = dead_endpoints(fabric, scenario.lost)
    hosts = endpoint_hosts(fabric)
    ports = np.bincount(hosts, minlength=fabric.hosts)
    gone = np.bincount(hosts[dead], minlength=fabric.hosts)
    cut_off = int(np.count_nonzero((gone > 0) & (gone == ports)))
    during = _around(stage, scenario, dead, stage.nic_ports)
    stops = during.unreachable > 0
    shown = _around(stage, scenario, dead, fabric.host_ports) if stops else during
    slow = np.unique(fabric.a[scenario.slowed & host_links(fabric)])
    return Outcome(
        scenario=scenario,
        endpoints_lost=int(np.count_nonzero(dead)),
        hosts_cut_off=cut_off,
        hosts_degraded=int(np.count_nonzero(gone)) - cut_off,
        gpus_stranded=cut_off * fabric.gpus_per_host,
        gpus_without_port=_gpus_without_port(stage, dead, gone, ports),
        stops_job=stops,
        slowdowns=_named(stage, shown),
        healthy_step_s=stage.healthy.step_s,
        ways=_ways(stage, shown, int(np.count_nonzero(gone)) + len(slow), stops=stops),
        closed_form=_closed_form(fabric, scenario),
        failures_per_month=_failures_per_month(stage, scenario),
        stop_cost_s=stop_cost(stage.evaluation),
        repair_s=_repair_s(stage),
        load=shown.load,
        broken=~scenario.lost.alive(fabric),
    )


def _ways(stage: Stage, shown: Run, hosts: int, *, stops: bool) -> tuple[Way, ...]:
    """How to go on: as routing leaves it, or without the hosts that lost a port."""
    healthy = stage.healthy.step_s
    stop, repair = stop_cost(stage.evaluation), _repair_s(stage)
    planned = stage.evaluation.goodput.restart_s  # after a checkpoint: no work is done again
    name, pause = (OTHER_PORTS, stop) if stops else (KEEP, 0.0)
    steps = [(name, pause, shown.step_s)]
    if hosts:
        fewer = healthy * _fewer_replicas(stage, hosts)
        steps.append((WITHOUT_HOSTS, stop if stops else planned, fewer))
    ways = [
        Way(name, pause, step, pause + repair * _lost_share(healthy, step))
        for name, pause, step in steps
    ]
    return tuple(sorted(ways, key=lambda way: way.lost_s))


def _lost_share(healthy: float, step: float) -> float:
    """Share of the time that slower steps lose; rounding is no loss."""
    return 0.0 if step <= healthy * (1.0 + _ROUNDING) else 1.0 - healthy / step


def _repair_s(stage: Stage) -> float:
    return stage.evaluation.design.reliability.repair_hours * SECONDS_PER_HOUR


def run(stage: Stage, fabric: Fabric, lost: Lost | None, flows: Mapping[Pattern, Flows]) -> Run:
    """Send the messages of every pattern and find the step time."""
    scene = stage.scene
    factors: dict[Pattern, float] = {}
    unreachable, load = 0, np.zeros(fabric.links)
    for key, messages in flows.items():
        way = routes(
            fabric,
            messages,
            scene.policy,
            seed=stage.conditions.seed,
            queue_pairs=scene.queue_pairs,
            lost=lost,
        )
        phase = routed(fabric, messages, way, fair=False)
        alone = stage.host_times[key]
        factors[key] = phase.time_s / alone if alone > 0 else 1.0
        unreachable += phase.unreachable
        load = np.maximum(load, phase.load)
    return Run(factors, _step(stage, factors), unreachable, load)


def stop_cost(evaluation: Evaluation) -> float:
    """Time of the whole job that a stop costs: to give up, to restart, and work done again."""
    found = evaluation.goodput
    window = retry_window(reliability("ib-timeout"), reliability("ib-retries"))
    return as_float(window) + found.restart_s + found.interval_s / 2


def _around(stage: Stage, scenario: Scenario, dead: Bools, group_ports: int) -> Run:
    others = stand_ins(stage.fabric, group_ports) if np.any(dead) else None
    flows = {
        key: messages if others is None else moved(messages, dead, others)
        for key, messages in stage.flows.items()
    }
    return run(stage, scenario.slow_fabric(stage.fabric), scenario.lost, flows)


def _step(stage: Stage, factors: Mapping[Pattern, float]) -> float:
    """Step time with each kind of communication slowed by its patterns, weighed by their time."""
    if not all(math.isfinite(factor) for factor in factors.values()):
        return math.inf
    time: dict[str, float] = {}
    ideal: dict[str, float] = {}
    for entry in stage.collectives:
        key = stage.pattern(entry)
        alone = as_float(entry.calls) * amount_of(entry, key[1]) * stage.host_times[key]
        ideal[entry.parallelism] = ideal.get(entry.parallelism, 0.0) + alone
        time[entry.parallelism] = time.get(entry.parallelism, 0.0) + alone * factors[key]
    slowed = {kind: time[kind] / alone if alone > 0 else 1.0 for kind, alone in ideal.items()}
    return slowed_step(stage.evaluation, slowed).step_s


def _named(stage: Stage, found: Run) -> tuple[tuple[str, float], ...]:
    named = []
    for entry in stage.collectives:
        key = stage.pattern(entry)
        named.append((name_of(entry), found.slowdowns[key] / stage.healthy.slowdowns[key]))
    return tuple(named)


def _fewer_replicas(stage: Stage, hosts: int) -> float:
    """Step time over the healthy one when these hosts are left out: each replica has more to do."""
    plan = stage.scene.plan
    replica = int(plan.tensor * plan.pipeline * plan.context)
    spare = stage.fabric.hosts * stage.fabric.gpus_per_host - replica * int(plan.data)
    missing = max(0, hosts * stage.fabric.gpus_per_host - spare)
    left = int(plan.data) - math.ceil(missing / replica)
    return int(plan.data) / left if left > 0 else math.inf


def _gpus_without_port(
    stage: Stage, dead: Bools, gone: npt.NDArray[np.int64], ports: npt.NDArray[np.int64]
) -> int:
    """GPUs of degraded hosts all of whose own ports are dead."""
    of_gpu = stage.scene.jobs[0].gpu_ports
    host = np.arange(len(of_gpu)) // stage.fabric.gpus_per_host
    without = dead[of_gpu].all(axis=1) & (gone[host] < ports[host])
    return int(np.count_nonzero(without))


def _closed_form(fabric: Fabric, scenario: Scenario) -> float | None:
    """Slow-down of traffic that fills every link: 1 / rate, or S / (S - 1) for one of S ways up."""
    if scenario.is_slow:
        return 1.0 / scenario.rate
    between = ~host_links(fabric)
    lost = between & ~scenario.lost.alive(fabric)
    if not np.any(lost):
        return None
    up = np.bincount(fabric.a[between], minlength=fabric.devices)
    gone = np.bincount(fabric.a[lost], minlength=fabric.devices)
    hit = (gone > 0) & (gone < up)
    return float(np.max(up[hit] / (up - gone)[hit])) if np.any(hit) else None


def _failures_per_month(stage: Stage, scenario: Scenario) -> float | None:
    design = stage.evaluation.design
    rates = {
        "link": link_failures_per_s(design),
        "switch": switch_failures_per_s(design),
        "nic": failure_rates()["llama-3-nic"].per_day / SECONDS_PER_DAY,
    }
    if scenario.of_what not in rates or scenario.is_slow:
        return None
    return rates[scenario.of_what] * scenario.count * SECONDS_PER_MONTH
