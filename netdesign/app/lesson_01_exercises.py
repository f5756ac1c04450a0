"""The two exercises of lesson 1; answers and wrong ways are computed by the product's functions."""

from __future__ import annotations

from dataclasses import replace

from netdesign.app.lesson import Exercise, Mistake
from netdesign.arrays import as_float
from netdesign.charts.format import SPACE, bandwidth, digits, percent, seconds, size
from netdesign.network.collectives import (
    algorithm_bandwidth,
    bus_bandwidth,
    ring_all_gather_time,
    send_time,
)
from netdesign.network.slow_link import SlowRing
from netdesign.units import BITS_PER_BYTE, bytes_per_second_to_gbps, gigabytes_to_bytes

FORWARD_RANKS, FORWARD_GB, FORWARD_SHARE = 16, 26.0, 0.25
DIAGNOSIS_RANKS, DIAGNOSIS_GB, DIAGNOSIS_SHARE = 8, 8.0, 0.5
TOLERANCE = 0.03


def forward_exercise(healthy: SlowRing) -> Exercise:
    """How long does it take? From a rate to a time."""
    ring = replace(
        healthy,
        size=gigabytes_to_bytes(FORWARD_GB),
        ranks=FORWARD_RANKS,
        slow_share=FORWARD_SHARE,
    )
    slowest = ring.bandwidth * ring.slow_share
    rate, slow = bandwidth(ring.bandwidth), bandwidth(slowest)
    return Exercise(
        title="Exercise 1: how long does it take?",
        question=(
            f"A 13-billion-parameter model has {size(ring.size)} of bf16 gradients. {ring.ranks} "
            f"ranks reduce them in a ring over links of {rate}. One cable has come up at {slow}. "
            "How long does one all-reduce take?"
        ),
        quantity="time",
        answer=ring.time,
        tolerance=TOLERANCE,
        praise=f"The slow link alone decides; the other {ring.ranks - 1} only wait for it.",
        hint="Each rank sends 2(n−1)/n of the message, at the rate of the slowest link.",
        solution=(
            f"Each rank sends 2 × {ring.ranks - 1}/{ring.ranks} × {size(ring.size)} = "
            f"{size(ring.sent)}. {slow} is {size(slowest)} per "
            f"second, so the ring takes {seconds(ring.time)}. With every link at {rate} it would "
            f"take {seconds(ring.healthy_time)}."
        ),
        mistakes=_forward_mistakes(ring),
    )


def _forward_mistakes(ring: SlowRing) -> tuple[Mistake, ...]:
    slowest = ring.bandwidth * ring.slow_share
    half = as_float(ring_all_gather_time(ring.size, ring.ranks, slowest, ring.latency))
    once = as_float(send_time(ring.size, slowest, ring.latency))
    twice = as_float(send_time(2 * ring.size, slowest, ring.latency))
    return (
        Mistake(
            ring.time / BITS_PER_BYTE,
            "You divided bytes by bits: a link of 8 Gb/s carries 1 GB in a second.",
        ),
        Mistake(
            ring.time * BITS_PER_BYTE,
            "You turned bits into bytes twice: divide the Gb/s by 8 once.",
        ),
        Mistake(
            once,
            "You sent the message once. In a ring every rank sends 2(n−1)/n of it: a "
            "reduce-scatter and an all-gather.",
        ),
        Mistake(
            half,
            "You sent (n−1)/n of the message: that is the reduce-scatter alone. The all-gather "
            "sends as much again.",
        ),
        Mistake(
            twice,
            "You sent the message twice. It is 2(n−1)/n of it: a rank keeps its own chunk.",
        ),
        Mistake(
            ring.healthy_time,
            f"That is the healthy ring. The cable at {bandwidth(slowest)} is in it: every chunk "
            "passes it.",
        ),
        Mistake(
            ring.time_at_average,
            "You used the average of the links. The ring runs at the rate of the slowest.",
        ),
    )


def diagnosis_exercise(healthy: SlowRing) -> Exercise:
    """Which rate did the slow link have? From a measured time back to a rate."""
    ring = replace(
        healthy,
        size=gigabytes_to_bytes(DIAGNOSIS_GB),
        ranks=DIAGNOSIS_RANKS,
        slow_share=DIAGNOSIS_SHARE,
        latency=0.0,
    )
    measured = float(digits(ring.time))
    answer = as_float(bus_bandwidth("all-reduce", ring.size, measured, ring.ranks))
    algorithm = as_float(algorithm_bandwidth(ring.size, measured))
    gbps = bytes_per_second_to_gbps(answer)
    return Exercise(
        title="Exercise 2: which link is it?",
        question=(
            f"A benchmark all-reduces {size(ring.size)} over {ring.ranks} ranks in a ring and "
            f"reports {digits(measured)}{SPACE}s. All links were bought as "
            f"{bandwidth(ring.bandwidth)}. At which rate does the slowest one run?"
        ),
        quantity="bandwidth",
        answer=answer,
        tolerance=TOLERANCE,
        praise=(
            f"That is the bus bandwidth of nccl-tests, {digits(gbps)}{SPACE}Gb/s: look for the "
            f"port that came up at {percent(answer / ring.bandwidth)} of its rate."
        ),
        hint="Turn the formula round: rate = 2(n−1)/n × size / time. Mind bits and bytes.",
        solution=(
            f"Each rank sent 2 × {ring.ranks - 1}/{ring.ranks} × {size(ring.size)} = "
            f"{size(ring.sent)} in {digits(measured)}{SPACE}s: {size(answer)} per second, "
            f"times 8 is {digits(gbps)}{SPACE}Gb/s. nccl-tests prints this as busbw; its algbw, "
            f"{size(algorithm)} per second, leaves out 2(n−1)/n and depends on the number of "
            "ranks."
        ),
        mistakes=(
            Mistake(
                answer / BITS_PER_BYTE,
                "That is the number of gigabytes: bytes into bits is times 8, or choose GB/s.",
            ),
            Mistake(
                answer * BITS_PER_BYTE,
                "You multiplied by 8 and then chose bytes: GB/s already counts bytes.",
            ),
            Mistake(
                algorithm,
                "That is size over time, the algorithm bandwidth. A link carries 2(n−1)/n of the "
                "message: multiply by it.",
            ),
            Mistake(
                algorithm / BITS_PER_BYTE,
                "Two things: size over time leaves out 2(n−1)/n, and bytes into bits is times 8.",
            ),
            Mistake(
                ring.bandwidth,
                "That is what was bought. Then the test would have taken "
                f"{seconds(ring.healthy_time)}.",
            ),
        ),
    )
