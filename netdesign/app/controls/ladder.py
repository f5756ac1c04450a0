"""The values that a slider stops at: round ones, evenly felt."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from netdesign.catalog import Parameter

_DECADE = (1.0, 1.1, 1.25, 1.4, 1.6, 1.8, 2.0, 2.25, 2.5, 2.8, 3.2, 3.6, 4.0, 4.5, 5.0, 5.6, 6.3)
_DECADE_END = (7.0, 8.0, 9.0)


def ladder(parameter: Parameter) -> tuple[float, ...]:
    """Stops of a numeric parameter from its lowest to its highest value, by its scale."""
    lowest, highest = parameter.lowest, parameter.highest
    if lowest is None or highest is None:
        return ()
    if parameter.scale == "log2":
        stops = _doubling(lowest, highest)
    elif parameter.scale == "log":
        stops = _decades(lowest, highest)
    else:
        step = parameter.step or 1.0
        stops = [lowest + n * step for n in range(round((highest - lowest) / step) + 1)]
    return tuple(float(f"{stop:.10g}") for stop in stops)


def gpu_ladder(server_gpus: int, highest: float) -> tuple[float, ...]:
    """Whole servers: 1, 2, 3, 4, 6, 8, 12, ... times the GPUs of one."""
    stops: list[float] = []
    servers = 1
    while servers * server_gpus <= highest:
        stops.append(servers * server_gpus)
        between = servers * 3 // 2
        if servers % 2 == 0 and between * server_gpus <= highest:
            stops.append(between * server_gpus)
        servers *= 2
    return tuple(float(stop) for stop in stops)


def nearest(stops: Sequence[float], value: float) -> int:
    """Where on the ladder a value is."""
    right = bisect_left(stops, value)
    if right == 0:
        return 0
    if right == len(stops):
        return len(stops) - 1
    return right if stops[right] - value < value - stops[right - 1] else right - 1


def _doubling(lowest: float, highest: float) -> list[float]:
    first = math.ceil(math.log2(lowest))
    stops = [2.0**n for n in range(first, math.floor(math.log2(highest)) + 1)]
    return ([] if stops[0] == lowest else [lowest]) + stops


def _decades(lowest: float, highest: float) -> list[float]:
    stops = {lowest, highest}
    for power in range(math.floor(math.log10(lowest)), math.ceil(math.log10(highest))):
        stops.update(step * 10.0**power for step in (*_DECADE, *_DECADE_END))
    return sorted(stop for stop in stops if lowest <= stop <= highest)
