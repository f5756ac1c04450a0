"""Which slot of which port does each link take? Links are given by their ends, port by port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.topology.built import Fabric, Ints, LinkKind

AnyInts = npt.NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Bundle:
    """All links of one kind; devices are numbered as in ``Fabric``."""

    kind: LinkKind
    a: AnyInts  # the end nearer the hosts
    b: AnyInts
    a_slot: AnyInts | None = None  # where the family decides; else the next free
    b_slot: AnyInts | None = None  # only beside ``a_slot``
    a_first: int = 0  # the lower ends leave the slots before it to the bundles below


@dataclass(frozen=True, eq=False)
class Wires:
    """The link arrays of a ``Fabric``."""

    kinds: tuple[LinkKind, ...]
    kind: Ints
    a: Ints
    a_slot: Ints
    b: Ints
    b_slot: Ints


def wired_fabric(
    bundles: Sequence[Bundle],
    switches: Mapping[str, int],
    *,
    family: str,
    hosts: int,
    endpoints: int,
    ports: int | AnyInts,
    port_gbps: float,
    host_ports: int = 1,
    gpus_per_host: int = 1,
    pod: int | AnyInts = -1,
    rail: int | AnyInts = -1,
    plane: int | AnyInts = 0,
    breakout: int = 1,
    spare_ports: int = 0,
    notes: tuple[str, ...] = (),
) -> Fabric:
    """A fabric from its links, each end on the next free slot of its device.

    Parameters
    ----------
    bundles : sequence of Bundle        lowest tier first: hosts take the first ports of a leaf
    switches : mapping                  switches of each tier by its name, lowest first: they are
                                        numbered in this order
    ports, pod, rail, plane : int or array [switches]   one number where all switches have the same

    The others are fields of ``Fabric``.
    """
    total = sum(switches.values())
    wires = wire(bundles, hosts + total, breakout)
    return Fabric(
        family=family,
        hosts=hosts,
        host_ports=host_ports,
        gpus_per_host=gpus_per_host,
        endpoints=endpoints,
        tier_names=tuple(switches),
        tier=np.repeat(np.arange(len(switches), dtype=np.int32), list(switches.values())),
        pod=_each(pod, total),
        rail=_each(rail, total),
        plane=_each(plane, total),
        ports=_each(ports, total),
        port_gbps=port_gbps,
        breakout=breakout,
        spare_ports=spare_ports,
        kinds=wires.kinds,
        kind=wires.kind,
        a=wires.a,
        a_slot=wires.a_slot,
        b=wires.b,
        b_slot=wires.b_slot,
        notes=notes,
    )


def wire(bundles: Sequence[Bundle], devices: int, breakout: int = 1) -> Wires:
    """Give every end of every link the next free slot of its device, bundle after bundle.

    Parameters
    ----------
    bundles : sequence of Bundle    lowest tier first: hosts take the first ports of a leaf
    devices : int                   hosts and switches together
    breakout : int                  slots of a port; a bundle begins with a port of its own

    Returns
    -------
    Wires                           links in the order of the bundles
    """
    taken = np.zeros(devices, dtype=np.int64)
    ends = []
    for bundle in bundles:
        taken = -(-taken // breakout) * breakout
        if bundle.a_first:
            lower = np.unique(bundle.a)
            taken[lower] = np.maximum(taken[lower], bundle.a_first)
        ends.append(_slots_of(bundle, taken))
    return Wires(
        kinds=tuple(bundle.kind for bundle in bundles),
        kind=_joined([np.full(len(bundle.a), n, np.int32) for n, bundle in enumerate(bundles)]),
        a=_joined([bundle.a for bundle in bundles]),
        a_slot=_joined([a_slot for a_slot, _ in ends]),
        b=_joined([bundle.b for bundle in bundles]),
        b_slot=_joined([b_slot for _, b_slot in ends]),
    )


def occurrence(devices: AnyInts) -> npt.NDArray[np.int64]:
    """How many times each device stood earlier in the list: 0 for its first link, then 1, ..."""
    if len(devices) < 2:
        return np.zeros(len(devices), dtype=np.int64)
    order = np.argsort(devices, kind="stable")
    ordered = np.asarray(devices)[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    place = np.arange(len(ordered)) - np.repeat(first, np.diff(np.r_[first, len(ordered)]))
    result = np.empty(len(ordered), dtype=np.int64)
    result[order] = place
    return result


def _slots_of(bundle: Bundle, taken: npt.NDArray[np.int64]) -> tuple[Ints, Ints]:
    count = len(bundle.a)
    if bundle.a_slot is not None:
        a_slot, b_slot = bundle.a_slot.astype(np.int32), bundle.b_slot
        if b_slot is None:
            return a_slot, _next(bundle.b, bundle.kind.slots, taken)
        return a_slot, b_slot.astype(np.int32)
    # Both ends of a link between switches of one tier draw from the same ports, in link order.
    both = np.empty(2 * count, dtype=np.int64)
    both[0::2], both[1::2] = bundle.a, bundle.b
    slots = _next(both, bundle.kind.slots, taken)
    return slots[0::2], slots[1::2]


def _next(devices: AnyInts, slots: int, taken: npt.NDArray[np.int64]) -> Ints:
    start = -(-taken // slots) * slots
    found = start[devices] + slots * occurrence(devices)
    used = slots * np.bincount(devices, minlength=len(taken))
    taken[:] = np.where(used > 0, start + used, taken)
    return np.asarray(found, dtype=np.int32)


def _joined(parts: Sequence[AnyInts]) -> Ints:
    empty = np.zeros(0, dtype=np.int32)
    return np.concatenate([empty, *parts]).astype(np.int32, copy=False)


def _each(value: int | AnyInts, switches: int) -> Ints:
    return np.broadcast_to(np.asarray(value, dtype=np.int32), (switches,)).copy()
