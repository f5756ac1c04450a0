"""Which device stands behind a box of the picture of tiers?"""

from __future__ import annotations

import numpy as np

from netdesign.charts.fabric_parts import parts_of
from netdesign.charts.fabric_words import tier_words
from netdesign.topology.built import Fabric
from netdesign.topology.naming import device_names


def device_in(fabric: Fabric, box: str) -> str:
    """The first device of a box, by the name that the picture has for it; empty if none has it."""
    parts = parts_of(fabric)
    for number, row in enumerate(parts.devices.tolist()):
        for part, count in enumerate([*row[:-1]]):
            words = tier_words(fabric, number, count) if count else ""
            name = f"{parts.word} {part + 1}"
            name += "" if words == f"1 {parts.word}" else f": {words}"
            if count and name == box:
                return _first(fabric, (parts.level == number) & (parts.part == part))
        if row[-1] and tier_words(fabric, number, row[-1]) == box:
            return _first(fabric, (parts.level == number) & (parts.part < 0))
    return ""


def _first(fabric: Fabric, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    devices = np.flatnonzero(chosen)
    return device_names(fabric)[int(devices[0])] if len(devices) else ""
