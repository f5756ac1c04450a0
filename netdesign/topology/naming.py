"""What is each device and each port of a built fabric called?"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from netdesign.topology.built import Fabric

_FEWEST_DIGITS = 2


def device_names(fabric: Fabric) -> list[str]:
    """The name of every device: hosts first, then switches, as they are numbered.

    Returns
    -------
    list of str     length ``fabric.devices``: "server-0001", "leaf-01"; the number runs within the
                    tier and is as wide as its last one; without switches hosts are "node-0001"
    """
    names = _numbered("server" if fabric.switches else "node", fabric.hosts)
    tiers = np.asarray(fabric.tier)
    by_tier = [
        iter(_numbered(name, int(np.count_nonzero(tiers == index))))
        for index, name in enumerate(fabric.tier_names)
    ]
    return names + [next(by_tier[tier]) for tier in tiers.tolist()]


def port_names(
    fabric: Fabric, slots: npt.NDArray[np.integer], devices: npt.NDArray[np.integer]
) -> npt.NDArray[Any]:
    """The name of the port that holds each slot of a device.

    Parameters
    ----------
    fabric : Fabric
    slots : array of int, (n,)      ``fabric.a_slot`` or ``fabric.b_slot``, or some of them
    devices : array of int, (n,)    the device of each slot

    Returns
    -------
    array of str, (n,)              hosts "nic1" and up, or as ``host_port`` says;
                                    switches "1" and up; lanes of a split port "1/1", "1/2"
    """
    slot = np.asarray(slots, dtype=np.int64)
    device = np.asarray(devices, dtype=np.int64)
    on_host = device < fabric.hosts
    cards = int(slot[on_host].max(initial=-1)) + 1
    table = [f"{fabric.host_port}{card + 1}" for card in range(cards)]
    port, lane = slot // fabric.breakout, slot % fabric.breakout
    width = _lane_width(fabric, port, device)
    whole = width >= fabric.breakout
    # Names of a switch port stand in a row: the whole port, then its lanes.
    each = fabric.breakout + 1
    place = cards + port * each + np.where(whole, 0, 1 + lane // width)
    for number in range(1, int(port[~on_host].max(initial=-1)) + 2):
        table.append(f"{number}")
        table += [f"{number}/{lane + 1}" for lane in range(fabric.breakout)]
    return np.asarray(table, dtype=str)[np.where(on_host, slot, place)]


def _numbered(name: str, count: int) -> list[str]:
    width = max(_FEWEST_DIGITS, len(str(count)))
    return [f"{name}-{number:0{width}d}" for number in range(1, count + 1)]


def _lane_width(
    fabric: Fabric, port: npt.NDArray[np.int64], devices: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Slots of the links in each of these ports; a port without links counts as one whole port."""
    widths = {kind.slots for kind in fabric.kinds}
    if fabric.breakout == 1 or len(widths) == 1:
        return np.full(len(port), min(widths, default=1) if fabric.breakout > 1 else 1)
    ends = np.concatenate([fabric.a, fabric.b]).astype(np.int64)
    end_port = np.concatenate([fabric.a_slot, fabric.b_slot]) // fabric.breakout
    highest = 1 + int(max(end_port.max(initial=0), port.max(initial=0)))
    found = np.full(fabric.devices * highest, fabric.breakout, dtype=np.int64)
    taken = np.asarray([kind.slots for kind in fabric.kinds])[fabric.kind]
    found[ends * highest + end_port] = np.concatenate([taken, taken])
    width: npt.NDArray[np.int64] = found[devices * highest + port]
    return width
