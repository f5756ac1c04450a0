"""How many of their uplinks do two leaves of a Clos fabric share?

Two leaves share, at each spine, the smaller number of their links to it: no more can pass from one
to the other. Where all leaves of a pod are cabled alike they share all. Where the links go round
the spines instead, leaf l has q = u div S links to each spine and one more to a cyclic run of
u mod S of them that begins at l u mod S; two leaves share that q and the overlap of their runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.topology.clos_shape import ClosShape, Pods


@dataclass(frozen=True)
class LeafPairs:
    """The two leaves of a pod that share least, in links."""

    leaves: int  # of the pod
    spines: int
    uplinks: int  # of a leaf
    worst: int  # that the two share

    @property
    def share(self) -> float:
        """Of their uplinks, what the two can use between them."""
        return self.worst / self.uplinks


def leaf_pairs(shape: ClosShape) -> LeafPairs | None:
    """The pair of leaves below the same spines that shares least; None where there is no pair.

    Parameters
    ----------
    shape : ClosShape       one that can be built
    """
    found = [_worst_of(shape, pod) for pod in shape.pods if pod.leaves > 1]
    return min(found, key=lambda pairs: pairs.worst, default=None)


def shared_uplinks(uplinks: int, spines: int, apart: int) -> int:
    """Links that two leaves share whose links go round the spines, so many leaves apart.

    Parameters
    ----------
    uplinks : int, >= 1     of a leaf
    spines : int, >= 1
    apart : int             places between the two leaves

    Returns
    -------
    int                     at most the uplinks
    """
    each, run = divmod(uplinks, spines)
    distance = apart * uplinks % spines
    return each * spines + max(run - distance, 0) + max(run - (spines - distance), 0)


def link_counts(uplinks: int, spines: int, leaves: int) -> npt.NDArray[np.int64]:
    """Links of each leaf to each spine where the links go round the spines: [leaves, spines]."""
    each, run = divmod(uplinks, spines)
    first = np.arange(leaves, dtype=np.int64)[:, None] * uplinks
    return each + (((np.arange(spines) - first) % spines) < run).astype(np.int64)


def _worst_of(shape: ClosShape, pod: Pods) -> LeafPairs:
    uplinks, spines = shape.up_links, pod.spines
    if shape.alike(pod):
        return LeafPairs(pod.leaves, spines, uplinks, uplinks)
    # Runs begin at multiples of the uplinks: no more distances differ than there are spines.
    places = range(1, min(pod.leaves, spines + 1))
    worst = min(shared_uplinks(uplinks, spines, apart) for apart in places)
    return LeafPairs(pod.leaves, spines, uplinks, worst)
