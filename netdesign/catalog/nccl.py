"""NCCL's own tables, the constants of measured collectives, and the measured systems and points."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from netdesign.catalog.tables import (
    Count,
    Finite,
    Name,
    NonNegative,
    Positive,
    Row,
    Table,
    keyed_rows,
    read_rows,
    read_table,
)

Operation = Literal[
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "alltoall",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "sendrecv",
]


class TuningRow(Row):
    """A number of NCCL's cost model; blank cells mean that it holds for all of them."""

    table: Name
    algorithm: str = ""
    protocol: str = ""
    scope: str = ""
    nodes: str = ""
    value: Finite
    unit: Name


class CollectiveConstantRow(Row):
    """A constant of the prediction of collectives, fitted or quoted, valid in its scope."""

    name: Name
    scope: Name
    value: Finite
    unit: Name


class CollectiveErrorRow(Row):
    """Absolute errors of the prediction on healthy systems, when the constants were fitted.

    ``unseen`` is by constants that were fitted without the machine, ``table`` by NCCL's own table.
    """

    cut: Name
    name: Name
    size: Name
    points: Count
    fitted_median: NonNegative
    fitted_90: NonNegative
    unseen_median: NonNegative
    unseen_90: NonNegative
    table_median: NonNegative | None = None
    table_90: NonNegative | None = None


class HardwareWord(Row):
    """A word in the description of a system, and what it says about the hardware.

    ``column`` is accelerator, link or fabric; the first row of a column whose pattern (a regular
    expression, without regard to case) is found decides.
    """

    column: Literal["accelerator", "link", "fabric"]
    pattern: Name
    kind: Name


class CollectiveSystem(Row):
    """A measured system as its source describes it.

    ``cluster`` joins systems that are the same machine, which are left out of a fit together;
    ``condition`` is healthy, or sick where the source itself names the fault in ``reason``.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    name: Name
    cluster: Name
    accelerator: Name
    link: str = ""
    fabric: Name
    topology: str = ""
    condition: Literal["healthy", "sick"]
    reason: str = ""


class CollectivePoint(Row):
    """A measured call of a collective; a blank cell is what the source does not say.

    ``left_out`` names the rule that keeps a point out of fits and scores.
    """

    id: Name
    system: Name
    collective: Operation
    gpus: Count
    nodes: Count
    gpus_per_node: Count
    nic_gbps_per_gpu: Positive | None = None
    algorithm: str = ""
    protocol: str = ""
    nccl_version: str = ""
    size_bytes: Positive | None = None
    time_us: Positive | None = None
    algbw_gbs: NonNegative | None = None
    busbw_gbs: NonNegative | None = None
    left_out: str = ""


def read_tuning(path: Path) -> tuple[TuningRow, ...]:
    """Read NCCL's tables; a repeated key is an error."""
    key = ("table", "algorithm", "protocol", "scope", "nodes")
    return tuple(keyed_rows(path, TuningRow, key).values())


def read_collective_constants(path: Path) -> dict[tuple[str, str], CollectiveConstantRow]:
    """Read the constants by name and scope."""
    rows = keyed_rows(path, CollectiveConstantRow, ("name", "scope"))
    return {(row.name, row.scope): row for row in rows.values()}


@cache
def collective_systems(folder: Path) -> Table[CollectiveSystem]:
    """Measured systems of a data folder by id."""
    path = folder / "measurements" / "collective-systems.csv"
    return read_table(path, CollectiveSystem, "measured system")


@cache
def collective_points(folder: Path) -> Table[CollectivePoint]:
    """Measured collectives of a data folder by id."""
    path = folder / "measurements" / "collectives.csv"
    return read_table(path, CollectivePoint, "measured collective")


@cache
def hardware_words(folder: Path) -> tuple[HardwareWord, ...]:
    """Words that name hardware, in the order in which they are tried."""
    return read_rows(folder / "hardware_words.csv", HardwareWord)
