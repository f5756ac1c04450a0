"""Names that pictures and tables share."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from netdesign.catalog import load_catalog

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation
    from netdesign.workload.traffic import Collective

PARALLELISM = MappingProxyType(
    {
        "tensor": "Tensor parallel",
        "context": "Context parallel",
        "expert": "Expert parallel",
        "pipeline": "Pipeline parallel",
        "data": "Data parallel",
        "sharding": "Sharded states",
    }
)
STEP_PARTS = MappingProxyType(
    {
        "compute": "Compute",
        "bubble": "Pipeline bubble",
        "optimizer": "Optimizer",
        "overhead": "Overhead",
        **PARALLELISM,
    }
)
MEMORY_PARTS = MappingProxyType(
    {
        "weights": "Weights",
        "gradients": "Gradients",
        "optimizer": "Optimizer",
        "activations": "Activations",
        "workspace": "Workspace",
    }
)
PART_KINDS = MappingProxyType(
    {
        "server": "Servers",
        "nic": "Adapters",
        "switch": "Switches",
        "transceiver": "Transceivers",
        "cable": "Cables",
        "facility": "Facility",
    }
)
FAMILIES = MappingProxyType(
    {
        "single-switch": "single switch",
        "fat-tree": "fat tree",
        "fat-tree-2": "two-tier fat tree",
        "fat-tree-3": "three-tier fat tree",
        "rail-optimised": "rail-optimised",
        "rail-only": "rail-only",
    }
)


SCALE_UP = MappingProxyType({"NVIDIA": "NVLink", "AMD": "Infinity Fabric"})


def scale_up(evaluation: Evaluation) -> str:
    """What the links inside a scale-up domain of this design are called."""
    catalog = load_catalog()
    server = catalog.servers[evaluation.design.cluster.server]
    return SCALE_UP.get(catalog.accelerators[server.accelerator].vendor, "scale-up")


def place(collective: Collective, evaluation: Evaluation) -> str:
    """The lowest tier that holds a whole group: scale-up domain, leaf or fabric."""
    span = collective.span
    if span.domains <= 1:
        return scale_up(evaluation)
    extent = span.ranks * span.stride
    return "leaf" if extent <= evaluation.machine.pod_gpus else "fabric"
