"""Congestion and failures at slider speed: the kernel's part of a key press, and its message.

``python benchmarks/bench_congestion_page.py`` prints a table; other work on the machine shows.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from netdesign.app.congestion_failures import CongestionFailures
from netdesign.app.transport.chart_view import Rows, news

ROUNDS = 3
DRAGS: tuple[tuple[str, dict[str, Any], str, tuple[Any, ...]], ...] = (
    ("taper, ports drawn", {}, "taper", tuple(4 + 0.25 * n for n in range(1, 20))),
    ("taper, tiers drawn", {}, "taper", tuple(1 + 0.25 * n for n in range(1, 8))),
    ("queue pairs", {}, "queue_pairs", (2, 4, 8, 16, 32, 64)),
    ("seed", {}, "seed", tuple(range(1, 15))),
    ("taper, leaf broken", {"broken": "leaf"}, "taper", tuple(4 + 0.25 * n for n in range(1, 20))),
    ("tensor degree", {}, "tensor", (1, 2, 4, 8)),
    ("cable length", {}, "cable_length", (10.0, 40.0, 100.0, 300.0)),
    ("GPUs to 4,096", {"routing": "adaptive"}, "gpus", (2048, 4096)),
)


def main() -> None:
    """Print p50 and p95 of an update, and the data that it sends: of a set only what differs."""
    print(f"load average {os.getloadavg()[0]:.1f}")
    print(f"{'control':24}{'steps':>7}{'p50 ms':>9}{'p95 ms':>9}{'data kB':>9}")
    for name, first, path, values in DRAGS:
        times, weights = [], []
        for _ in range(ROUNDS):
            page = CongestionFailures()
            page.change(first)
            for value in values:
                before = _data(page)
                start = time.perf_counter()
                page.change({path: value})
                times.append(1e3 * (time.perf_counter() - start))
                fresh = _data(page)
                sent = [news(before[name], data) for name, data in fresh.items()]
                weights.append(sum(len(json.dumps(part)) for part in sent if part) / 1e3)
        p50, p95 = np.percentile(times, (50, 95))
        print(f"{name:24}{len(times):7}{p50:9.1f}{p95:9.1f}{np.median(weights):9.0f}")


def _data(page: CongestionFailures) -> dict[str, Mapping[str, Rows]]:
    pictures = {
        "ports": page.fabric.ports,
        "tiers": page.fabric.tiers,
        "heat": page.heat.picture,
        "taper": page.taper.picture,
        "mttf": page.goodput.mttf,
        "ettr": page.goodput.ettr,
        "headroom": page.lossless.headroom,
        "ecn": page.lossless.ecn,
    }
    return {name: picture.view.data for name, picture in pictures.items()}


if __name__ == "__main__":
    main()
