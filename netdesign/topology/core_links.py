"""Which spine and which core does each link between them join?

Links of a copy go round its cores, pod after pod. Where the cores divide the links of every pod
the links of a spine are numbered one after the other. Where they do not, some cores have one more
link to a pod, or a small pod reaches a part of the cores only: there the links of a pod go round
its spines as well, so that every spine leads to such cores with an even part of its links.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netdesign.topology.clos_shape import ClosShape

Numbers = npt.NDArray[np.int64]


def striped(shape: ClosShape) -> bool:
    """Whether the links of a pod go round its spines."""
    if shape.core_groups or not shape.cores:
        return False
    pods = sum(pod.count for pod in shape.pods)
    return pods > 1 and any(pod.core_links % shape.cores for pod in shape.pods)


def spine_in_turn(link: Numbers, spines: Numbers | int, cores: int) -> Numbers:
    """The spine, of a pod, of each of its links where these go round; never twice the same way.

    Parameters
    ----------
    link : int array            of the pod, from 0
    spines : int or int array   of the pod
    cores : int
    """
    rounds = link // np.lcm(spines, cores)
    return np.asarray((link + rounds) % spines, dtype=np.int64)


def core_links(shape: ClosShape) -> tuple[Numbers, Numbers]:
    """Spine and core of each link between them, both numbered within a copy."""
    counts = [pod.count for pod in shape.pods]
    spines = np.repeat([pod.spines for pod in shape.pods], counts).astype(np.int64)
    links = np.repeat([pod.core_links for pod in shape.pods], counts).astype(np.int64)
    first, before = np.cumsum(spines) - spines, np.cumsum(links) - links
    pod = np.repeat(np.arange(len(links)), links)
    number = np.arange(shape.core_links, dtype=np.int64)
    own = number - before[pod]
    if striped(shape):
        spine = spine_in_turn(own, spines[pod], shape.cores)
    else:
        spine = own * spines[pod] // links[pod]
    return first[pod] + spine, number % shape.cores


def kept_links(today: ClosShape, tomorrow: ClosShape) -> int:
    """Links of today's spines that join the same spine and core tomorrow."""
    width = max(today.cores, tomorrow.cores)
    both = []
    for shape in (today, tomorrow):
        spine, core = core_links(shape)
        both.append(np.unique(spine * width + core, return_counts=True))
    (keys, links), (later_keys, later) = both
    _, here, there = np.intersect1d(keys, later_keys, assume_unique=True, return_indices=True)
    return int(np.minimum(links[here], later[there]).sum())


def most_in_common(
    spines: int, links: int, cores: int, begins: Numbers, run: int, each: int
) -> Numbers:
    """Paths to another pod over the spine of a pod that has most of them, links going round.

    Parameters
    ----------
    spines, links : int     of the pod, whose links begin at core 0
    cores : int
    begins : int array      core at which the run of the other pod begins, one an answer
    run : int               cores of that run: they have one link more to the other pod
    each : int              links of every core to the other pod
    """
    link = np.arange(links, dtype=np.int64)
    spine = spine_in_turn(link, spines, cores)
    order = np.argsort(spine, kind="stable")
    held = np.bincount(spine, minlength=spines)
    inside = (link[order] - begins[:, None]) % cores < run
    starts = np.cumsum(held) - held
    more = np.add.reduceat(inside.astype(np.int64), starts, axis=1)
    return np.asarray((held * each + more).max(axis=1), dtype=np.int64)
