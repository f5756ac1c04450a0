"""Which groups does each global link join? All ports used, spread evenly over pairs of groups.

Each of g groups has the same number of global ports, d. Every pair of groups gets m = d // (g - 1)
links; the r = d - m (g - 1) ports left in each group join groups at chosen distances around a ring,
so that no pair has more than m + 1. If g r is odd, one port of one group stays empty.
"""

from __future__ import annotations

from math import gcd

import numpy as np

from netdesign.topology.direct import Ends


def spread_links(groups: int, ports: int) -> tuple[int, int]:
    """Links of every pair of groups, and ports of each group that are left."""
    return (0, ports) if groups == 1 else divmod(ports, groups - 1)


def linked_ports(groups: int, ports: int) -> int:
    """Global ports that are cabled, of all groups together: an even number."""
    return 0 if groups == 1 else groups * ports // 2 * 2


def group_links(groups: int, ports: int, spread: int = 1) -> tuple[Ends, Ends, Ends, Ends]:
    """Both ends of every global link: group and port of the group, from 0.

    Parameters
    ----------
    groups : int    1 has no links; more than ports + 1 leaves pairs of groups without a link
    ports : int     global ports of a group
    spread : int    consecutive ports of one switch: links of a pair of groups that share a switch
                    at one end go to different switches at the other where there are enough

    Returns
    -------
    left, left_port, right, right_port : ints, one a link
    """
    if groups == 1:
        none = np.zeros(0, dtype=np.int64)
        return none, none, none, none
    each, rest = spread_links(groups, ports)
    left, right = (end.astype(np.int64) for end in np.triu_indices(groups, 1))
    layer = np.arange(each, dtype=np.int64)[:, None]
    stride = _coprime_from(max(spread, 1), each)
    forward = layer * (groups - 1) + (right - left - 1)
    backward = layer * stride % max(each, 1) * (groups - 1) + (groups - 1 - right + left)
    parts = [(np.tile(left, each), forward.ravel(), np.tile(right, each), backward.ravel())]
    if rest:
        parts.append(_rest_links(groups, rest, each * (groups - 1)))
    return tuple(np.concatenate(ends) for ends in zip(*parts, strict=True))  # type: ignore[return-value]


def port_distances(groups: int, ports: int) -> Ends:
    """How many groups further round each port of a group leads; 0 where that differs by group."""
    each, rest = spread_links(groups, ports)
    distance = _distances(groups, rest)
    both = np.column_stack([distance, groups - distance]).ravel()
    around = np.tile(np.arange(1, groups, dtype=np.int64), each)
    return np.concatenate([around, both, np.zeros(rest % 2, dtype=np.int64)])


def crossing_links(groups: int, ports: int) -> int:
    """Links between the first half of the groups and the others; the first half is rounded down."""
    if groups == 1:
        return 0
    each, rest = spread_links(groups, ports)
    half = groups // 2
    # Around a ring a distance up to the half crosses both borders as often as it is long.
    ring = 2 * int(_distances(groups, rest).sum())
    return each * half * (groups - half) + ring + (half if rest % 2 else 0)


def _distances(groups: int, rest: int) -> Ends:
    """Distances around the ring that take two ports of a group each.

    They follow the golden section, so that they lie evenly between 1 and the longest without
    being multiples of one number, which would leave groups apart.
    """
    longest = (groups - 1) // 2
    if groups % 2 and rest % 2:
        longest -= 1  # the longest is that of the links that take one port
    if longest < 1:
        return np.zeros(0, dtype=np.int64)
    stride = _coprime_from(max(int(longest * 0.618), 1), longest)
    return 1 + np.arange(rest // 2, dtype=np.int64) * stride % longest


def _rest_links(groups: int, rest: int, first: int) -> tuple[Ends, Ends, Ends, Ends]:
    """Links at the distances, from port ``first`` on."""
    group = np.arange(groups, dtype=np.int64)
    distance = _distances(groups, rest)[:, None]
    port = first + 2 * np.arange(len(distance), dtype=np.int64)[:, None]
    left = np.tile(group, len(distance))
    right = ((group + distance) % groups).ravel()
    ends = [left, np.repeat(port.ravel(), groups), right, np.repeat(port.ravel() + 1, groups)]
    if rest % 2:
        half = groups // 2
        # Walked in steps of half a ring every group comes once; each second step is a link.
        walk = group * half % groups if groups % 2 else group.reshape(2, half).T.ravel()
        pairs = walk[: 2 * half].reshape(half, 2)
        last = np.full(half, first + rest - 1, dtype=np.int64)
        ends = [
            np.concatenate([old, new])
            for old, new in zip(ends, (pairs[:, 0], last, pairs[:, 1], last), strict=True)
        ]
    return ends[0], ends[1], ends[2], ends[3]


def _coprime_from(start: int, number: int) -> int:
    """The least number from ``start`` on that shares no divisor with ``number``."""
    while gcd(start, max(number, 1)) != 1:
        start += 1
    return start
