"""What lesson 1 tells after the guess: why everyone waits, and what it holds against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.charts.format import SPACE, count, digits
from netdesign.network.congestion import step_slowdown
from netdesign.network.slow_link import SlowRing

WAITING = 0.2  # of a training step, in the example of what a slow link costs
SHARES = (1.0, 0.8, 0.5, 0.25)
ISSUE = "https://github.com/NVIDIA/nccl-tests/issues/106"
HEADS = (
    Head("the slow link runs at"),
    Head("the ring keeps"),
    Head("the all-reduce above takes"),
)


def why(ring: SlowRing) -> Markup:
    """Why nobody overtakes, and what it costs; ``ring`` has one slow link."""
    slower = step_slowdown(WAITING, ring.slow_share)
    lost = ring.ranks * (1 - 1 / slower)
    average = 1 - (1 - ring.slow_share) / ring.ranks
    return join(
        (
            tag(
                "p",
                "Follow the first bars downwards: rank 1 runs out of chunks at once, rank 2 a "
                "little later, and after one turn of the ring ",
                tag("strong", "everybody sends at the pace of the slow link"),
                ". A GPU can only pass on what it has received, and every chunk passes every "
                "link. So nobody overtakes:",
            ),
            tag(
                "blockquote",
                tag(
                    "p",
                    Markup(
                        "time = 2 (<em>n</em> − 1)/<em>n</em> × <em>S</em> ÷ rate of the "
                        "<strong>slowest</strong> link + 2 (<em>n</em> − 1) × hop delay"
                    ),
                ),
            ),
            tag(
                "p",
                f"The average of {count(ring.ranks)} links, one of them at half rate, is "
                f"{digits(100 * average)}{SPACE}% of a healthy one. It describes the cables "
                "and says nothing about the ring.",
            ),
            tag(
                "p",
                tag("strong", "What it costs. "),
                "If a fifth of a training step waits for this all-reduce, a link at half rate "
                f"makes the step {WAITING:g} × (1/{ring.slow_share:g} − 1) = "
                f"{_whole(float(slower - 1))} longer, on all {count(ring.ranks)} GPUs: as if "
                f"{round(float(lost))} of them had been switched off.",
            ),
        )
    )


def check(ring: SlowRing) -> Markup:
    """A published claim beside the ring, and a measurement."""
    return join(
        (
            tag(
                "p",
                tag("strong", "A claim. "),
                "A guide for planners says that ",
                tag("em", "one bad cable can halve ring throughput"),
                ". It holds, on one condition: the link must run at half its rate. The ring "
                "keeps the share that the link keeps.",
            ),
            table("What the ring keeps", HEADS, _kept(ring)),
            tag(
                "p",
                tag("strong", "A measurement. "),
                "In one data centre the same ring test ran at about 80 GB/s between one pair of "
                "servers and at about 40 GB/s between another: half, with all else equal (",
                tag("a", "nccl-tests issue 106", href=ISSUE),
                ", May 2022). The report does not say which part was slow. Testing pairs, as its "
                "author did, is how one finds it.",
            ),
        )
    )


def _kept(ring: SlowRing) -> Sequence[Sequence[str]]:
    """Rate of the link, what the ring keeps, and the time, for some rates."""
    rows = []
    for share in SHARES:
        slow = replace(ring, slow_share=share)
        kept = ring.healthy_time / slow.time
        rows.append((_whole(share), _whole(kept), f"{digits(slow.time)}{SPACE}s"))
    return rows


def _whole(share: float) -> str:
    return f"{100 * share:.0f}{SPACE}%"
