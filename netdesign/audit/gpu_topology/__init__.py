"""nvidia-smi topo -m, and rocm-smi --showtopo: GPUs, NICs and what stands between them."""

from __future__ import annotations

import re

from netdesign.audit.gpu_topology.content import GpuTopology
from netdesign.audit.gpu_topology.judge import judge
from netdesign.audit.gpu_topology.reader import read
from netdesign.audit.gpu_topology.summary import summarise
from netdesign.audit.kind import Kind

KIND = Kind(
    name="nvidia-smi-topo",
    title="nvidia-smi topo -m",
    needles=(b"GPU0", b"GPU1", b"CPU Affinity", b"Link Type between"),
    signature=re.compile(
        r"\bGPU\d+\b.*\bCPU Affinity|^[\s#>|/*]*GPU\d+\s[\s|]*(?:X|SYS|NODE|PHB|PXB|PIX|NV\d+)\b"
        r"|^[\s#>|/*]*GPU\d+\s+GPU\d+\s|Link Type between two GPUs"
    ),
    read=read,
    summarise=summarise,
    judge=judge,
    is_empty=lambda topology: not topology.matrices,
)

__all__ = ["KIND", "GpuTopology", "judge", "read", "summarise"]
