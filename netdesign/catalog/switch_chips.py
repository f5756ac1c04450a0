"""Switch chips: their buffer, the constants of their headroom, and published rows of headroom."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from netdesign import units
from netdesign.catalog.tables import (
    Count,
    CountOrZero,
    Name,
    NonNegative,
    Part,
    Positive,
    Row,
    Table,
    keyed_rows,
    read_table,
)
from netdesign.errors import DesignError

MOST_LANES: Final = 8  # of a port
BITS_PER_QUANTUM: Final = 512  # by the definition of a pause quantum

Grade = Literal["verified", "secondary", "recalled", "computed", "assumed"]


class SwitchChip(Part):
    """A switch chip; the constants of the headroom formula are blank where none is published.

    ``peer_from_quanta`` says whether the peer may take the pause quanta of the standard or a fixed
    time; ``rows_profile`` names the rows that stand for the chip, blank if there are none.
    ``pool_holds_headroom`` says whether the size of a pool in SONiC counts the headroom in it;
    ``platforms`` are words by which SONiC's name of a platform tells the chip;
    virtual queues are those of a chassis, one for every port of the system at every entrance.
    """

    vendor: Name
    buffer_mb: Positive | None = None
    headroom_pool_mb: Positive | None = None
    pool_holds_headroom: bool
    queues: Literal["shared", "virtual"]
    lane_gbps: Count | None = None
    cell_bytes: Count | None = None
    pipeline_kib: Positive | None = None
    mac_phy_kib: Positive | None = None
    peer_kib: Positive | None = None
    peer_from_quanta: bool = False
    line_rate_delay_ns: NonNegative = 0.0
    rows_profile: str = ""
    platforms: str = ""
    grade: Grade

    @property
    def buffer_bytes(self) -> float | None:
        """Buffer that the software may give out, bytes."""
        return None if self.buffer_mb is None else units.megabytes_to_bytes(self.buffer_mb)

    @property
    def headroom_pool_bytes(self) -> float | None:
        """The part of the buffer that all headrooms share, bytes."""
        pool = self.headroom_pool_mb
        return None if pool is None else units.megabytes_to_bytes(pool)

    def lanes(self, gbps: float) -> int:
        """Electrical lanes of a port of this speed, 1 to 8; 4 where the lane is not known."""
        if self.lane_gbps is None:
            return 4
        lanes = 1
        while lanes * self.lane_gbps < gbps and lanes < MOST_LANES:
            lanes *= 2
        return lanes

    @property
    def has_formula(self) -> bool:
        """Whether the vendor published how headroom is computed."""
        return self.pipeline_kib is not None


class PauseRow(Row):
    """What the standard lets a peer take to react to a pause, by speed.

    ``quanta`` are of 512 bit times; the two others are of the worst case of the storage networks.
    """

    gbps: Count
    quanta: Count
    response_bit_times: Count | None = None
    interface_bit_times: Count | None = None
    grade: Grade

    @property
    def peer_bytes(self) -> float:
        """What arrives at line rate while the peer reacts, bytes."""
        return self.quanta * BITS_PER_QUANTUM / units.BITS_PER_BYTE


class HeadroomRow(Row):
    """A published row of headroom: what a priority group must hold after it has sent a pause."""

    chip: Name
    profile: Name
    gbps: Count
    length_m: Positive
    xoff_bytes: Count
    xon_bytes: CountOrZero | None = None
    size_bytes: CountOrZero | None = None
    xon_offset_bytes: CountOrZero | None = None
    grade: Grade
    file: Name


class EcnRow(Row):
    """A named recommendation of where a queue begins to mark and where it marks most.

    Bytes that grow with the speed are those at ``scales_from_gbps``; shares are of the queue.
    ``lossless_queue`` is false where the source means queues that may drop.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    name: Name
    kmin_bytes: Count | None = None
    kmax_bytes: Count | None = None
    pmax: Annotated[float, Field(gt=0, le=1)] | None = None
    kmin_share: Annotated[float, Field(gt=0, le=1)] | None = None
    kmax_share: Annotated[float, Field(gt=0, le=1)] | None = None
    scales_from_gbps: Count | None = None
    meant_for: Name
    lossless_queue: bool
    grade: Grade


class DcqcnRow(Row):
    """A setting of a sender; the set ``both`` belongs to every other set."""

    set: Name
    parameter: Name
    value: Positive
    unit: Name
    scales_from_gbps: Count | None = None
    grade: Grade


class LosslessRow(Row):
    """A number of lossless Ethernet that a planner can replace."""

    name: Name
    value: NonNegative
    unit: Name
    grade: Grade


@cache
def switch_chips(folder: Path) -> Table[SwitchChip]:
    """Switch chips of a data folder by id."""
    return read_table(folder / "switch_chips.csv", SwitchChip, "switch chip")


@cache
def pause_rows(folder: Path) -> dict[int, PauseRow]:
    """Reaction times of a peer by speed in Gb/s."""
    rows = keyed_rows(folder / "pause_quanta.csv", PauseRow, ("gbps",))
    return {row.gbps: row for row in rows.values()}


@cache
def headroom_rows(folder: Path) -> tuple[HeadroomRow, ...]:
    """Published headrooms; a chip that is not known is an error."""
    path = folder / "reference" / "pfc-headroom.csv"
    rows = keyed_rows(path, HeadroomRow, ("chip", "profile", "gbps", "length_m"))
    chips = switch_chips(folder)
    for row in rows.values():
        if row.chip not in chips:
            raise DesignError(
                f"{path.name}, column chip", row.chip, "is not a known switch chip", "add the chip"
            )
    return tuple(rows.values())


@cache
def ecn_rows(folder: Path) -> Table[EcnRow]:
    """Named recommendations for marking by id."""
    return read_table(folder / "ecn_recommendations.csv", EcnRow, "recommendation")


@cache
def dcqcn_rows(folder: Path) -> tuple[DcqcnRow, ...]:
    """Settings of senders."""
    return tuple(keyed_rows(folder / "dcqcn.csv", DcqcnRow, ("set", "parameter")).values())


@cache
def lossless_rows(folder: Path) -> Table[LosslessRow]:
    """The other numbers of lossless Ethernet by name."""
    return read_table(folder / "lossless.csv", LosslessRow, "number")


def chip_named(chips: Table[SwitchChip], name: str) -> SwitchChip:
    """The chip of this id or of this name, as switches.csv writes it.

    Raises
    ------
    DesignError     for a chip that is not known
    """
    for chip in chips.values():
        if name in (chip.id, chip.name):
            return chip
    key = "-".join(name.lower().split())
    return chips.require(key, "chip")


def chip_of_platform(chips: Table[SwitchChip], platform: str) -> SwitchChip | None:
    """The chip of a platform as SONiC names it, x86_64-nvidia_sn5600-r0; None if not known."""
    name = platform.lower()
    for chip in chips.values():
        if any(word in name for word in chip.platforms.split()):
            return chip
    return None
