"""Files of a built fabric by kind: what ``netdesign fabric`` and the Topology explorer hand out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from netdesign.errors import DesignError
from netdesign.export.cable_plan import CablePlan, cable_table, write_csv, write_xlsx
from netdesign.export.graphs import write_dot, write_graphml
from netdesign.export.netbox import write_netbox
from netdesign.export.simulator import write_simulator
from netdesign.export.slurm import write_slurm
from netdesign.fabrics import BuiltFabric

_ROWS_OF_A_SHEET = 1_048_575  # of XLSX, beside the header


def cable_plan(built: BuiltFabric) -> CablePlan:
    """The cables of a fabric in the order in which they are pulled."""
    return cable_table(built.fabric, built.placement, **built.hardware.cages)


def _cables(built: BuiltFabric, path: Path) -> None:
    writers = {".csv": write_csv, ".xlsx": write_xlsx}
    if path.suffix.lower() not in writers:
        raise DesignError("cables", str(path), "is neither CSV nor XLSX", "end it in .csv or .xlsx")
    if path.suffix.lower() == ".xlsx" and built.fabric.links > _ROWS_OF_A_SHEET:
        raise DesignError(
            "cables",
            str(path),
            f"cannot hold {built.fabric.links:,} rows",
            "a sheet has fewer: write .csv",
        )
    writers[path.suffix.lower()](cable_plan(built), path)


WRITERS: Mapping[str, Callable[[BuiltFabric, Path], None]] = MappingProxyType(
    {
        "cables": _cables,
        "netbox": lambda built, path: write_netbox(
            built.fabric,
            built.placement,
            path,
            technology=built.hardware.technology,
            **built.hardware.cages,
        ),
        "slurm": lambda built, path: write_slurm(built.fabric, built.placement, path),
        "dot": lambda built, path: write_dot(built.fabric, built.placement, path),
        "graphml": lambda built, path: write_graphml(built.fabric, built.placement, path),
        "simulator": lambda built, path: write_simulator(built.fabric, built.placement, path),
    }
)
