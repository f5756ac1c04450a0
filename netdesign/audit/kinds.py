"""Every kind of file that is read, the most telling first: it names a file that holds several."""

from __future__ import annotations

from netdesign.audit import (
    gpu_topology,
    infiniband,
    lldp,
    nccl_log,
    nccl_tests,
    perftest,
    slurm_topology,
)
from netdesign.audit.kind import Kind

KINDS: tuple[Kind, ...] = (
    nccl_tests.KIND,
    perftest.KIND,
    *infiniband.KINDS,
    gpu_topology.KIND,
    slurm_topology.KIND,
    lldp.KIND,
    nccl_log.KIND,
)
