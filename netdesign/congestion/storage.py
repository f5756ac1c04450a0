"""Checkpoints and data sets over the compute fabric, where storage shares it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.congestion.meeting import Meeting, met
from netdesign.congestion.phase import Phase, phase
from netdesign.congestion.report import Congestion, one_byte_flows
from netdesign.congestion.settings import setting
from netdesign.errors import DesignError
from netdesign.topology.routing import Flows, Lost
from netdesign.workload.patterns import (
    amount_of,
    checkpoint_writers,
    dataset_readers,
    storage_flows,
)


@dataclass(frozen=True, eq=False)
class StorageTraffic:
    """What goes to storage or comes from it, alone and beside each collective."""

    name: str  # checkpoint | dataset
    phase: Phase
    meetings: tuple[Meeting, ...]  # each collective of the job while this runs

    @property
    def bandwidth(self) -> float:
        """Bytes/s of all ranks together, alone on the fabric."""
        return self.phase.size / self.phase.time_s if self.phase.time_s > 0 else 0.0


def storage_traffic(found: Congestion, *, lost: Lost | None = None) -> tuple[StorageTraffic, ...]:
    """The write of one checkpoint and the reads of one step's tokens.

    Every rank that holds a part of its own writes an equal share of the checkpoint; one rank of
    each tensor group in the first stage reads its tokens. Both spread over the endpoints of the
    storage servers in turn.

    Parameters
    ----------
    found : Congestion      of conditions with storage servers
    lost : Lost             what is broken

    Raises
    ------
    DesignError             when no storage stands on the compute fabric
    """
    scene, job = found.scene, found.scene.jobs[0]
    if not len(scene.storage):
        raise DesignError(
            "storage_servers", 0, "leaves storage on a network of its own", "give 1 or more"
        )
    writers, readers = checkpoint_writers(scene.plan), dataset_readers(scene.plan)
    whole = setting("checkpoint-bytes") * found.evaluation.parameters
    tokens = setting("token-bytes") * found.evaluation.tokens_per_step
    each = (
        ("checkpoint", writers, whole / len(writers), False),
        ("dataset", readers, tokens / len(readers), True),
    )
    return tuple(
        _traffic(found, name, storage_flows(job, ranks, scene.storage, size, read=read), lost)
        for name, ranks, size, read in each
    )


def _traffic(found: Congestion, name: str, flows: Flows, lost: Lost | None) -> StorageTraffic:
    scene, conditions = found.scene, found.conditions
    own = phase(
        scene.fabric,
        flows,
        scene.policy,
        seed=conditions.seed,
        queue_pairs=scene.queue_pairs,
        lost=lost,
    )
    meetings = []
    known: set[tuple[str, str]] = set()
    for entry in found.collectives:
        if entry.pattern in known:
            continue
        known.add(entry.pattern)
        of_job = one_byte_flows(scene, scene.jobs[0], entry.pattern, conditions.sending)
        amount = amount_of(entry.collective, entry.shape)
        sized = Flows(of_job.source, of_job.target, np.asarray(of_job.size * amount))
        mine, _ = met(scene, conditions.seed, (entry.name, sized), (name, flows), lost)
        meetings.append(mine)
    return StorageTraffic(name, own, tuple(meetings))
