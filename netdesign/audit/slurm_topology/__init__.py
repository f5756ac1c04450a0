"""Slurm's topology.conf and topology.yaml: the network as the scheduler knows it."""

from __future__ import annotations

from netdesign.audit.kind import Kind
from netdesign.audit.slurm_topology.judge import judge
from netdesign.audit.slurm_topology.reader import NEEDLES, SIGNATURE, is_empty, read_slurm
from netdesign.audit.slurm_topology.summary import summarise

KIND = Kind(
    name="slurm-topology",
    title="Slurm topology",
    needles=NEEDLES,
    signature=SIGNATURE,
    read=read_slurm,
    summarise=summarise,
    judge=judge,
    is_empty=is_empty,
)
