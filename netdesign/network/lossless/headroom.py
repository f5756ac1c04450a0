"""How many bytes must a port hold after it has asked its peer to pause?

No figure holds for every switch: the same port and cable differ four to five times between chips
and packet mixes. Four ways, each named in its result:

``sonic-formula``      NVIDIA's formula of SONiC with the constants of the chip
``sonic-slow-peer``    the same, the peer as slow as the standard lets it be
``published-rows``     rows of a vendor, linear in the length of the cable between them
``ieee-worst-case``    bit times of the standard, without regard to the chip
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from netdesign import units
from netdesign.arrays import Numeric
from netdesign.catalog.switch_chips import MOST_LANES, HeadroomRow, PauseRow, SwitchChip
from netdesign.errors import DesignError
from netdesign.formulas import formula

FORMULA: Final = "sonic-formula"
SLOW_PEER: Final = "sonic-slow-peer"
ROWS: Final = "published-rows"
WORST_CASE: Final = "ieee-worst-case"
GIVEN: Final = "given"
METHODS: Final = (FORMULA, ROWS, SLOW_PEER, WORST_CASE)
SMALLEST_PACKET_BYTES: Final = 64  # of Ethernet


@dataclass(frozen=True)
class PacketMix:
    """What runs over a lossless port: bytes, and the share of the smallest packets."""

    port_mtu: float
    lossless_mtu: float
    small_share: float


@dataclass(frozen=True)
class Medium:
    """A cable: length in m and the speed of light in it, m/s."""

    length: float
    light_speed: float


@dataclass(frozen=True)
class WorstCaseFrames:
    """Bit times and sizes of the worst case of the standard."""

    mtu: float  # bytes
    frame_overhead: float  # bit times
    pause_frame: float  # bit times
    cable_delay: float  # s/m, one way


@dataclass(frozen=True)
class Headroom:
    """Headroom of one priority group of one port, bytes, and how it was found.

    ``xoff`` is what arrives after the pause is sent; ``xon`` where the pause ends; ``size`` what is
    kept for the group alone.
    """

    method: str
    xoff: float
    xon: float
    size: float
    xon_offset: float | None
    grade: str
    source: str
    how: str  # one sentence
    shares_pool: bool = False  # xoff is taken from a pool that all groups share


@formula(latex=r"b = \frac{2 L B}{v}", source="sonic-swss-headroom")
def bytes_on_cable(length: Numeric, bandwidth: Numeric, light_speed: Numeric) -> Numeric:
    """Bytes under way on a cable, there and back.

    Parameters
    ----------
    length : float or array, m
    bandwidth : float or array, bytes/s     one direction
    light_speed : float or array, m/s       in the cable

    Returns
    -------
    float or array, bytes
    """
    return 2 * length * bandwidth / light_speed


@formula(
    latex=r"w = \begin{cases}c/64 & c > 128\\ 2c/(1+c) & \text{else}\end{cases}",
    source="sonic-swss-headroom",
)
def cell_expansion(cell: Numeric) -> Numeric:
    """Buffer that the worst packet fills, of its own size, when buffers are handed out in cells.

    Parameters
    ----------
    cell : float or array, bytes

    Returns
    -------
    float or array, 1       at least 1
    """
    large = cell / SMALLEST_PACKET_BYTES
    return np.where(np.greater(cell, 2 * SMALLEST_PACKET_BYTES), large, 2 * cell / (1 + cell))[()]


@formula(
    latex=r"x = \left\lceil M_l + \left(M_p + \frac{2LB}{v} + 2g + m + p + t B\right)"
    r"\left(1 - s + s w\right) \right\rceil_{1024}",
    source="sonic-swss-headroom",
)
def sonic_xoff(
    cable: Numeric,
    peer: Numeric,
    mac_phy: Numeric,
    cell: Numeric,
    *,
    port_mtu: Numeric,
    lossless_mtu: Numeric,
    small_share: Numeric,
    line_rate_delay: Numeric = 0.0,
    gearbox: Numeric = 0.0,
) -> Numeric:
    """Headroom that a priority group needs by NVIDIA's formula of SONiC.

    Parameters
    ----------
    cable : float or array, bytes            under way on the cable, there and back
    peer : float or array, bytes             that arrive while the peer reacts
    mac_phy : float or array, bytes          in MAC and PHY
    cell : float or array, bytes             in which the chip hands out its buffer
    port_mtu : float or array, bytes         frame that the peer has begun
    lossless_mtu : float or array, bytes     frame that the port itself has begun
    small_share : float or array, 0 to 1     of packets of 64 B, which waste cells
    line_rate_delay : float or array, bytes  at line rate inside the chip
    gearbox : float or array, bytes          in a gearbox, one way

    Returns
    -------
    float or array, bytes                    a multiple of 1,024
    """
    arriving = port_mtu + cable + 2 * gearbox + mac_phy + peer + line_rate_delay
    filled = 1 - small_share + small_share * cell_expansion(cell)
    return units.kibibytes_to_bytes(
        np.ceil(units.bytes_to_kibibytes(lossless_mtu + arriving * filled))
    )


@formula(
    latex=r"h = \frac{1}{8}\left(8M + o + f + 2 d_i + 2 d_c L b + r + 8M_n + o\right)",
    source="cisco-storage-congestion",
)
def worst_case_headroom(
    length: Numeric,
    bandwidth: Numeric,
    response: Numeric,
    interface: Numeric,
    *,
    mtu: Numeric,
    frame_overhead: Numeric,
    pause_frame: Numeric,
    cable_delay: Numeric,
) -> Numeric:
    """Headroom of the worst case of the standard, whatever the switch chip.

    Parameters
    ----------
    length : float or array, m
    bandwidth : float or array, bytes/s        one direction
    response : float or array, bit times       of the peer to a pause
    interface : float or array, bit times      through MAC and PHY, one way
    mtu : float or array, bytes                of the two frames that have begun
    frame_overhead : float or array, bit times preamble and gap
    pause_frame : float or array, bit times
    cable_delay : float or array, s/m          one way

    Returns
    -------
    float or array, bytes
    """
    bits = units.BITS_PER_BYTE
    frames = 2 * (mtu * bits + frame_overhead)
    cable = 2 * cable_delay * length * bandwidth * bits
    return (frames + pause_frame + 2 * interface + cable + response) / bits


def formula_headroom(
    chip: SwitchChip,
    pause: PauseRow | None,
    gbps: float,
    medium: Medium,
    mix: PacketMix,
    *,
    slow_peer: bool = False,
    lanes: int = 4,
    shared_pool: bool = False,
) -> Headroom | None:
    """Headroom by NVIDIA's formula; None where a constant is not published.

    Parameters
    ----------
    slow_peer : bool        the peer takes the pause quanta of the standard, whatever the chip's
                            own table does
    lanes : int             of a port; eight double what is kept until the pause ends
    shared_pool : bool      all groups share one pool of headroom
    """
    if chip.cell_bytes is None or chip.pipeline_kib is None or chip.mac_phy_kib is None:
        return None
    quanta = slow_peer or chip.peer_from_quanta
    if quanta and pause is None and chip.peer_kib is None:
        return None
    fixed = units.kibibytes_to_bytes(chip.peer_kib or 0.0)
    peer = pause.peer_bytes if quanta and pause is not None else fixed
    bandwidth = units.gbps_to_bytes_per_second(gbps)
    cable = float(bytes_on_cable(medium.length, bandwidth, medium.light_speed))
    xoff = float(
        sonic_xoff(
            cable,
            peer,
            units.kibibytes_to_bytes(chip.mac_phy_kib),
            chip.cell_bytes,
            port_mtu=mix.port_mtu,
            lossless_mtu=mix.lossless_mtu,
            small_share=mix.small_share,
            line_rate_delay=units.nanoseconds_to_seconds(chip.line_rate_delay_ns) * bandwidth,
        )
    )
    xon = units.kibibytes_to_bytes(chip.pipeline_kib)
    wide = lanes >= MOST_LANES
    xon = 2 * xon if wide else xon
    kept = xon if shared_pool else xoff + xon + (_whole_kibibytes(mix.port_mtu) if wide else 0.0)
    return Headroom(
        method=SLOW_PEER if slow_peer else FORMULA,
        xoff=xoff,
        xon=xon,
        size=kept,
        xon_offset=None,
        grade=chip.grade,
        source="sonic-swss-headroom",
        how=_formula_words(chip, mix, cable, peer, slow_peer=slow_peer),
        shares_pool=shared_pool,
    )


def _whole_kibibytes(size: float) -> float:
    return float(units.kibibytes_to_bytes(np.ceil(units.bytes_to_kibibytes(size))))


def _formula_words(
    chip: SwitchChip, mix: PacketMix, cable: float, peer: float, *, slow_peer: bool
) -> str:
    """What the headroom is made of; the largest part is the input that moves it most."""
    kind = "the peer as slow as IEEE 802.3 allows" if slow_peer else "the constants of the chip"
    filled = 1 - mix.small_share + mix.small_share * float(cell_expansion(chip.cell_bytes or 1))
    return (
        f"NVIDIA's formula of SONiC with {kind}: {cable:,.0f} B on the cable, {peer:,.0f} B while "
        f"the peer reacts, {mix.port_mtu:,.0f} B of a frame it has begun, all {filled:.2f} times: "
        f"{mix.small_share:.0%} small packets in cells of {chip.cell_bytes} B"
    )


def worst_case(
    pause: PauseRow | None, gbps: float, length: float, frames: WorstCaseFrames
) -> Headroom | None:
    """Headroom of the worst case; None where the standard's delays are not known."""
    if pause is None or pause.response_bit_times is None or pause.interface_bit_times is None:
        return None
    need = float(
        worst_case_headroom(
            length,
            units.gbps_to_bytes_per_second(gbps),
            pause.response_bit_times,
            pause.interface_bit_times,
            mtu=frames.mtu,
            frame_overhead=frames.frame_overhead,
            pause_frame=frames.pause_frame,
            cable_delay=frames.cable_delay,
        )
    )
    return Headroom(
        method=WORST_CASE,
        xoff=need,
        xon=0.0,
        size=need,
        xon_offset=None,
        grade="secondary",
        source="cisco-storage-congestion",
        how="the worst case in bit times of the standard; knows nothing of the chip's cells",
    )


def rows_headroom(
    chip: SwitchChip, rows: Iterable[HeadroomRow], gbps: float, length: float, profile: str = ""
) -> Headroom | None:
    """Headroom between published rows, linear in the length; None where the rows end.

    A cable shorter than the shortest row takes that row.
    """
    wanted = profile or chip.rows_profile
    found = sorted(
        (row for row in rows if (row.chip, row.profile, row.gbps) == (chip.id, wanted, gbps)),
        key=lambda row: row.length_m,
    )
    if not found or length > found[-1].length_m:
        return None
    lengths = [row.length_m for row in found]
    xoff = float(np.interp(length, lengths, [row.xoff_bytes for row in found]))
    near = found[int(np.searchsorted(lengths, length))]
    pool = chip.headroom_pool_mb is not None or (near.size_bytes or 0) < near.xoff_bytes
    return Headroom(
        method=ROWS,
        xoff=xoff,
        xon=float(near.xon_bytes or 0),
        size=float(near.size_bytes or 0),
        xon_offset=None if near.xon_offset_bytes is None else float(near.xon_offset_bytes),
        grade=near.grade if length in lengths else "computed",
        source=near.source,
        how=_rows_words(chip, wanted, lengths, length),
        shares_pool=pool,
    )


def _rows_words(chip: SwitchChip, profile: str, lengths: Sequence[float], length: float) -> str:
    whose = f"rows of {chip.name} ({profile})"
    if length in lengths:
        return f"published {whose} at {length:g} m"
    if length < lengths[0]:
        return f"published {whose}: the shortest, {lengths[0]:g} m"
    place = int(np.searchsorted(lengths, length))
    return f"between the published {whose} of {lengths[place - 1]:g} m and {lengths[place]:g} m"


def no_headroom(
    chip: SwitchChip,
    rows: Iterable[HeadroomRow],
    gbps: float,
    length: float,
    profile: str = "",
) -> DesignError:
    """What to say where nothing is published for this chip, speed and length."""
    wanted = profile or chip.rows_profile
    known = [row for row in rows if (row.chip, row.profile) == (chip.id, wanted)]
    longest = max((row.length_m for row in known if row.gbps == gbps), default=0)
    if longest:
        return DesignError(
            "length",
            f"{length:g} m",
            f"is longer than every published headroom of {chip.name} at {gbps:g} Gb/s",
            f"give at most {longest:g} m, or the vendor's own headroom in bytes",
        )
    speeds = ", ".join(map(str, sorted({row.gbps for row in known})))
    return DesignError(
        "chip",
        chip.name,
        f"has no published headroom at {gbps:g} Gb/s"
        + (f"; there are rows at {speeds} Gb/s" if speeds else ""),
        "give another chip, or the vendor's own headroom in bytes",
    )
