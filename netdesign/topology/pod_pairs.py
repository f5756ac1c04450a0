"""What do two pods of a Clos fabric get between them, leaf facing leaf, over the cores they share?

Traffic spread over all shortest paths puts on a core, from pod p to pod q, a part that goes as its
links to p times its links to q. Where each core has as many links to a pod as the others, every
link carries the same. Where the cores do not divide a pod's links, some have one more, and the
links that lead there from the other pod carry more than their part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.topology.clos_shape import ClosShape, Pods
from netdesign.topology.core_links import most_in_common, striped

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PodPairs:
    """The two pods that get least between them, of peak."""

    cores: int  # that a pod's links go round
    core_links: int  # of the pod whose links are not divided, or of the larger one
    share: float  # what the leaves of the smaller pod get, each facing one of the other pod
    whole: float  # what they would get if every core had as many links to a pod


@dataclass(frozen=True)
class _Above:
    """A pod's way to the cores: link k of it goes to core ``begin`` + k mod ``cores``."""

    leaves: int
    spines: int  # that share these cores
    links: int
    cores: int
    part: float  # of a leaf's traffic that takes these spines
    turns: bool  # links go round the spines as well

    @property
    def each(self) -> int:
        """Links of a core to this pod; those of a run have one more."""
        return self.links // self.cores

    @property
    def run(self) -> int:
        return self.links % self.cores

    @property
    def even(self) -> bool:
        return self.run == 0 and self.links % self.spines == 0


def pod_pairs(shape: ClosShape, oversubscription: float) -> PodPairs | None:
    """The pair of pods that gets least; None where there is none, or leaves are not cabled alike.

    Parameters
    ----------
    shape : ClosShape           one that can be built
    oversubscription : float    of the leaves: what their endpoints send over what their uplinks
                                carry
    """
    if not shape.cores or sum(pod.count for pod in shape.pods) < 2:
        return None
    if not all(shape.alike(pod) for pod in shape.pods):
        return None
    sent = oversubscription * shape.up_links  # by a leaf, in links
    first, *others = shape.pods
    own = _above(shape, first)
    found = []
    if first.count > 1:
        # Which two of the full pods does not count, only how far apart their links begin.
        apart = _apart(own, np.arange(1, first.count // 2 + 1, dtype=np.int64))
        found.append(_least(own, own, apart, sent, oversubscription))
    for pod in others:
        other = _above(shape, pod)
        apart = _apart(own, np.arange(1, first.count + 1, dtype=np.int64))
        found.append(_least(own, other, apart, sent, oversubscription))
    return min(found, key=lambda pairs: pairs.share)


def _above(shape: ClosShape, pod: Pods) -> _Above:
    groups = shape.core_groups or 1
    if shape.core_groups:  # spines of equal place share cores
        links = pod.core_links // pod.spines
        return _Above(pod.leaves, 1, links, shape.cores // groups, 1 / pod.spines, False)
    return _Above(pod.leaves, pod.spines, pod.core_links, shape.cores, 1.0, striped(shape))


def _apart(own: _Above, pods: Numbers) -> Numbers:
    """Cores between where the links of two pods begin, so many pods apart."""
    return pods[:1] * 0 if own.even else np.unique(own.links * pods % own.cores)


def _least(one: _Above, other: _Above, apart: Numbers, sent: float, taper: float) -> PodPairs:
    cores, undivided = one.cores, next((pod for pod in (one, other) if pod.run), one)
    moved = min(one.leaves, other.leaves) * sent
    whole = 1 / max(1.0, taper, *(moved * pod.part / pod.links for pod in (one, other)))
    if one.even and other.even:
        return PodPairs(cores, undivided.links, whole, whole)
    both = _overlap(0 * apart, one.run, apart, other.run, cores)
    paths = cores * one.each * other.each + one.each * other.run + other.each * one.run + both
    load = np.full(len(apart), max(1.0, taper))
    for pod, there, begins in ((one, other, apart), (other, one, -apart)):
        # Of the cores that this pod reaches: the most links to the other pod.
        widest = there.each + ((both > 0) if not pod.each else np.full(len(apart), there.run > 0))
        to_core = moved * pod.part * widest / np.maximum(paths, 1)
        to_spine = taper * pod.spines * _by_spine(pod, there, begins) / np.maximum(paths, 1)
        load = np.maximum(load, np.maximum(to_core, to_spine))
    share = float(np.where(paths > 0, 1 / load, 0.0).min())
    return PodPairs(cores, undivided.links, share, whole)


def _by_spine(pod: _Above, there: _Above, begins: Numbers) -> Numbers:
    """Paths over the spine of a pod that has most; the run of the other pod begins at ``begins``.

    Returns
    -------
    int array, as ``begins``
    """
    if pod.turns:
        return most_in_common(pod.spines, pod.links, pod.cores, begins, there.run, there.each)
    first = -(-np.arange(pod.spines + 1, dtype=np.int64) * pod.links // pod.spines)
    links = np.diff(first)
    whole, rest = np.divmod(links, pod.cores)
    more = _overlap(first[:-1], rest, begins[:, None], there.run, pod.cores)
    return np.asarray((links * there.each + whole * there.run + more).max(axis=1), dtype=np.int64)


def _overlap(
    begin: Numbers, length: Numbers | int, other: Numbers, other_length: int, cores: int
) -> Numbers:
    """Cores that two runs around the cores have in common; no run is longer than the round."""
    behind = (other - begin) % cores
    end = behind + other_length
    straight = np.maximum(np.minimum(length, end) - behind, 0)
    return np.asarray(straight + np.maximum(np.minimum(length, end - cores), 0), dtype=np.int64)
