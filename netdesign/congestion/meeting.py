"""Two kinds of traffic at the same time: what does each lose to the other?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.congestion.scene import Scene
from netdesign.topology.flows import solved
from netdesign.topology.routing import Flows, Lost, routes

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Meeting:
    """A phase of one kind while another kind is sent all the time; rates are max-min fair."""

    own: str
    other: str
    alone_s: float
    together_s: float
    utilisation: Reals  # of each link with both, rates over capacity, busier direction

    @property
    def slowdown(self) -> float:
        """What the other costs."""
        return self.together_s / self.alone_s if self.alone_s > 0 else 1.0


def met(
    scene: Scene,
    seed: int,
    own: tuple[str, Flows],
    other: tuple[str, Flows],
    lost: Lost | None = None,
) -> tuple[Meeting, Meeting]:
    """Send two named sets of flows alone and together.

    Returns
    -------
    two of Meeting      the first set beside the second, and the second beside the first
    """
    first, second = own[1], other[1]
    together, used = _times(scene, seed, _joined(first, second), lost)
    parts = together[: len(first)], together[len(first) :]
    alone = [_times(scene, seed, flows, lost)[0].max(initial=0.0) for flows in (first, second)]
    times = [float(part.max(initial=0.0)) for part in parts]
    return (
        Meeting(own[0], other[0], float(alone[0]), times[0], used),
        Meeting(other[0], own[0], float(alone[1]), times[1], used),
    )


def _times(scene: Scene, seed: int, flows: Flows, lost: Lost | None) -> tuple[Reals, Reals]:
    way = routes(
        scene.fabric,
        flows,
        scene.policy,
        seed=seed,
        queue_pairs=scene.queue_pairs,
        lost=lost,
    )
    result = solved(scene.fabric, flows, way, coupled=True)
    return result.times, np.maximum(result.utilisation[::2], result.utilisation[1::2])


def _joined(first: Flows, second: Flows) -> Flows:
    return Flows(
        np.concatenate([first.source, second.source]),
        np.concatenate([first.target, second.target]),
        np.concatenate([first.size, second.size]),
    )
