"""Does the headroom fit into the buffer of the switch, and what is left for traffic?

A pool of headroom that is smaller than the sum of all headrooms is normal practice, because not
every group pauses at once; it must be said all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.network.lossless.headroom import Headroom


@dataclass(frozen=True)
class PortGroup:
    """Ports of one switch with the same cable."""

    tier: str
    ports: int
    headroom: Headroom


@dataclass(frozen=True)
class BufferFit:
    """Headroom against the buffer of one switch; bytes."""

    groups: int  # lossless priority groups, of all ports
    needed: float  # sum of all headrooms
    pool: float  # what is set aside for them
    oversubscription: float  # needed / pool; 1 if every group could pause at once
    kept: float  # for each group alone, until it resumes
    buffer: float
    shared: float  # left for queues
    fits: bool

    @property
    def shared_share(self) -> float:
        """Of the buffer, what queues may use."""
        return max(self.shared, 0.0) / self.buffer


@formula(latex=r"r = \frac{n\,p\,x}{H}", source="fabric-economics")
def headroom_oversubscription(
    ports: Numeric, priority_groups: Numeric, headroom: Numeric, pool: Numeric
) -> Numeric:
    """How much more headroom the groups may ask for than the pool holds.

    Parameters
    ----------
    ports : int or array
    priority_groups : int or array      lossless groups of a port
    headroom : float or array, bytes    of one group
    pool : float or array, bytes        that all groups share

    Returns
    -------
    float or array, 1                   above 1 not all groups can pause at once without loss
    """
    return ports * priority_groups * headroom / pool


@formula(latex=r"b = \frac{B}{n}", source="fabric-economics")
def buffer_per_port(buffer: Numeric, ports: Numeric) -> Numeric:
    """An even share of a shared buffer.

    Parameters
    ----------
    buffer : float or array, bytes
    ports : int or array

    Returns
    -------
    float or array, bytes
    """
    return buffer / ports


@formula(latex=r"L = \frac{b\,v}{2 B}", source="fabric-economics")
def length_that_fills(size: Numeric, bandwidth: Numeric, light_speed: Numeric) -> Numeric:
    """Cable whose round trip holds this many bytes.

    Parameters
    ----------
    size : float or array, bytes
    bandwidth : float or array, bytes/s     one direction
    light_speed : float or array, m/s

    Returns
    -------
    float or array, m
    """
    return size * light_speed / (2 * bandwidth)


@formula(latex=r"T = \frac{\alpha\,S}{1 + \alpha\,k}", source="choudhury-hahne-1998")
def dynamic_threshold(shared: Numeric, alpha: Numeric, congested: Numeric) -> Numeric:
    """Bytes at which a queue is stopped when a threshold follows what is left of the buffer.

    Parameters
    ----------
    shared : float or array, bytes      buffer that queues share
    alpha : float or array              of what is left, a queue may take so much
    congested : int or array            queues that fill at the same time

    Returns
    -------
    float or array, bytes
    """
    return alpha * shared / (1 + alpha * np.asarray(congested, dtype=float))[()]


def fit(
    groups: Sequence[PortGroup],
    priorities: int,
    buffer: float,
    *,
    pool: float | None = None,
    oversubscribe: float = 1.0,
) -> BufferFit:
    """Headroom of all ports of a switch against its buffer.

    Parameters
    ----------
    groups : sequence of PortGroup
    priorities : int                lossless priorities of a port
    buffer : float, bytes           that the software may give out
    pool : float or None, bytes     published pool of headroom; taken from the sum if None
    oversubscribe : float, >= 1     without a published pool: the sum over what is set aside
    """
    needed = sum(group.ports * priorities * group.headroom.xoff for group in groups)
    kept = sum(group.ports * priorities * _kept(group.headroom) for group in groups)
    aside = needed / oversubscribe if pool is None else pool
    shared = buffer - aside - kept
    return BufferFit(
        groups=sum(group.ports for group in groups) * priorities,
        needed=needed,
        pool=aside,
        oversubscription=needed / aside if aside else 0.0,
        kept=kept,
        buffer=buffer,
        shared=shared,
        fits=shared > 0,
    )


def _kept(headroom: Headroom) -> float:
    """What a group keeps for itself besides its headroom."""
    return headroom.size if headroom.shares_pool else headroom.size - headroom.xoff
