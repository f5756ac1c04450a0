"""How much of the time does a job get work done, between its failures and its checkpoints?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric, as_float
from netdesign.formulas import formula
from netdesign.units import SECONDS_PER_DAY


@formula(latex=r"M = \frac{1}{N\,r_f}", source="kokolis-2024")
def mean_time_to_failure(nodes: Numeric, failures_per_node_day: Numeric) -> Numeric:
    """Mean time until the first of the nodes of a job stops it.

    Nodes fail independently at a constant rate. Jobs below some thousands of GPUs fail more often
    than this says: they die of other causes too.

    Parameters
    ----------
    nodes : float or array, > 0
    failures_per_node_day : float or array, 1/day

    Returns
    -------
    float or array, s
    """
    return SECONDS_PER_DAY / (nodes * failures_per_node_day)


@formula(latex=r"M_N = \frac{M_1}{N}", source="daly-2006")
def first_failure_time(part_mttf: Numeric, parts: Numeric) -> Numeric:
    """Mean time until the first of many equal parts fails.

    Parameters
    ----------
    part_mttf : float or array, s   of one part
    parts : int or array, >= 1

    Returns
    -------
    float or array, s               26.28 min for 100,000 parts of 5 years
    """
    return part_mttf / parts


@formula(latex=r"\Delta t = \max\left(\sqrt{2\,w\,M} - w,\; w\right)", source="daly-2006")
def checkpoint_interval(write: Numeric, mttf: Numeric) -> Numeric:
    """Time of work between two checkpoints that loses least, to first order (Young, Daly).

    Parameters
    ----------
    write : float or array, s, > 0      training stops for it
    mttf : float or array, s            of the job

    Returns
    -------
    float or array, s                   never shorter than a write: the estimate ends at w = M / 2
    """
    return np.maximum(np.sqrt(2.0 * write * mttf) - write, write)


@formula(
    latex=r"E = \frac{1 - \frac{1}{M}\left(u_0 + \frac{\Delta t}{2}\right)}{1 + w/\Delta t}",
    source="kokolis-2024",
)
def effective_training_time_ratio(
    mttf: Numeric, restart: Numeric, interval: Numeric, write: Numeric
) -> Numeric:
    """Share of the time of a job in which it makes progress that is kept (ETTR).

    Each failure costs a restart and half an interval of work; each interval a write. To first
    order in the failures.

    Parameters
    ----------
    mttf : float or array, s        of the job
    restart : float or array, s     from the failure until the job computes again
    interval : float or array, s    of work between two checkpoints
    write : float or array, s       training stops for it

    Returns
    -------
    float or array, 0 to 1          0: the job gets no further
    """
    kept = 1.0 - (restart + interval / 2.0) / mttf
    return np.maximum(kept, 0.0) / (1.0 + write / interval)


@formula(latex=r"o^* \approx \sqrt{\frac{2w}{M}} + \frac{u_0}{M}", source="kokolis-2024")
def least_overhead(mttf: Numeric, restart: Numeric, write: Numeric) -> Numeric:
    """Share of the time that is lost at the best interval, for writes much shorter than the MTTF.

    Parameters
    ----------
    mttf : float or array, s
    restart : float or array, s
    write : float or array, s

    Returns
    -------
    float or array, 1
    """
    return np.sqrt(2.0 * write / mttf) + restart / mttf


@formula(latex=r"u = p^2,\quad p = r\,t_\mathrm{repair}", source="hpn-2024")
def both_sides_down(failures_per_s: Numeric, repair: Numeric) -> Numeric:
    """Probability that both links of a dual-homed port are down at one moment.

    Parameters
    ----------
    failures_per_s : float or array, 1/s    of one link
    repair : float or array, s              until it is back

    Returns
    -------
    float or array, 0 to 1
    """
    return np.minimum(failures_per_s * repair, 1.0) ** 2


@formula(latex=r"t = 4.096\,\mathrm{\mu s}\cdot 2^{\tau}\,n", source="nccl-tuning")
def retry_window(timeout: Numeric, retries: Numeric) -> Numeric:
    """How long an InfiniBand or RoCE connection waits before it gives up.

    Parameters
    ----------
    timeout : int or array, 0 to 31     NCCL_IB_TIMEOUT
    retries : int or array, 0 to 7      NCCL_IB_RETRY_CNT

    Returns
    -------
    float or array, s                   30.06 s for 20 and 7, the defaults of NCCL
    """
    return 4.096e-6 * np.exp2(timeout) * retries


@dataclass(frozen=True)
class Goodput:
    """Failures, checkpoints and what is left of the time; SI units, US dollars, scalars."""

    fleet: str  # whose rate of stops is taken
    failures_per_node_day: float
    nodes: float  # of the fleet's size, that hold the job's GPUs
    mttf_s: float  # of the job
    optimistic: bool  # a job so small that it stops more often than the model says
    mttf_as_measured_s: float  # for a small job, by the one measurement; else as ``mttf_s``
    checkpoint_bytes: float
    write_bandwidth: float  # bytes/s of all storage
    write_s: float  # training stops for it
    interval_s: float  # of work between two checkpoints
    interval_is_best: bool
    restart_s: float
    ettr: float
    stops_per_day: float
    effective_training_days: float
    effective_tokens_per_s: float
    usd_per_useful_gpu_hour: float  # cost of owning over ETTR
    lost_usd_per_day: float  # GPU time without kept progress, at what a GPU-hour is worth
    ingest_bandwidth: float  # bytes/s that training reads

    @property
    def lost_share(self) -> float:
        return 1.0 - self.ettr


@dataclass(frozen=True)
class Stops:
    """How often a job stops and what each stop costs; SI units."""

    fleet: str
    failures_per_node_day: float
    node_gpus: int
    restart_s: float
    optimistic_below_gpus: float
    measured_over_model: float  # MTTF of a small job, measured over computed


@dataclass(frozen=True)
class Writing:
    """How checkpoints are written; SI units."""

    size: float  # bytes
    bandwidth: float  # bytes/s of all storage
    stall_s: float | None  # training stops for it; None: for the whole write
    interval_s: float | None  # of work between two; None: the best


def goodput_of(
    stops: Stops,
    writing: Writing,
    *,
    gpus: int,
    step_time_s: float,
    training_days: float,
    tokens_per_s: float,
    usd_per_gpu_hour: float,
    rental_usd_per_gpu_hour: float,
    ingest: float,
) -> Goodput:
    """Failures and checkpoints of a job.

    Parameters
    ----------
    stops : Stops
    writing : Writing
    gpus : int
    step_time_s : float, s              an interval is at least one step
    training_days : float               without failures
    tokens_per_s : float                without failures
    usd_per_gpu_hour : float            of owning
    rental_usd_per_gpu_hour : float     what a GPU-hour is worth
    ingest : float, bytes/s
    """
    nodes = gpus / stops.node_gpus
    mttf = as_float(mean_time_to_failure(nodes, stops.failures_per_node_day))
    written = writing.size / writing.bandwidth
    write = written if writing.stall_s is None else min(writing.stall_s, written)
    best = as_float(checkpoint_interval(write, mttf))
    interval = max(best if writing.interval_s is None else writing.interval_s, step_time_s)
    ettr = as_float(effective_training_time_ratio(mttf, stops.restart_s, interval, write))
    small = gpus < stops.optimistic_below_gpus
    return Goodput(
        fleet=stops.fleet,
        failures_per_node_day=stops.failures_per_node_day,
        nodes=nodes,
        mttf_s=mttf,
        optimistic=small,
        mttf_as_measured_s=mttf * (stops.measured_over_model if small else 1.0),
        checkpoint_bytes=writing.size,
        write_bandwidth=writing.bandwidth,
        write_s=write,
        interval_s=interval,
        interval_is_best=writing.interval_s is None,
        restart_s=stops.restart_s,
        ettr=ettr,
        stops_per_day=SECONDS_PER_DAY / mttf,
        effective_training_days=training_days / ettr if ettr else float("inf"),
        effective_tokens_per_s=tokens_per_s * ettr,
        usd_per_useful_gpu_hour=usd_per_gpu_hour / ettr if ettr else float("inf"),
        lost_usd_per_day=gpus * rental_usd_per_gpu_hour * 24.0 * (1.0 - ettr),
        ingest_bandwidth=ingest,
    )
