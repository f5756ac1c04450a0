"""Every way to know the headroom of a chip at one speed and length, and the one that is taken."""

from __future__ import annotations

from collections.abc import Iterable

from netdesign.catalog import data_directory
from netdesign.catalog.switch_chips import SwitchChip, headroom_rows, pause_rows
from netdesign.errors import DesignError
from netdesign.lossless.choice import LosslessChoice, Settings
from netdesign.network.lossless.headroom import (
    FORMULA,
    GIVEN,
    METHODS,
    ROWS,
    SLOW_PEER,
    WORST_CASE,
    Headroom,
    Medium,
    formula_headroom,
    no_headroom,
    rows_headroom,
    worst_case,
)


def headrooms(
    chip: SwitchChip,
    gbps: float,
    length: float,
    settings: Settings,
    *,
    profile: str = "",
    shared_pool: bool = False,
) -> tuple[Headroom, ...]:
    """What every method that knows this chip and speed says, in the order of METHODS."""
    folder = data_directory()
    pause = pause_rows(folder).get(int(gbps)) if gbps == int(gbps) else None
    medium = Medium(length, settings.light_speed)
    found: dict[str, Headroom | None] = {
        ROWS: rows_headroom(chip, headroom_rows(folder), gbps, length, profile),
        WORST_CASE: worst_case(pause, gbps, length, settings.frames),
    }
    for method in (FORMULA, SLOW_PEER):
        if method == SLOW_PEER and (chip.peer_from_quanta or pause is None):
            continue
        found[method] = formula_headroom(
            chip,
            pause,
            gbps,
            medium,
            settings.mix,
            slow_peer=method == SLOW_PEER,
            lanes=chip.lanes(gbps),
            shared_pool=shared_pool,
        )
    return tuple(entry for name in METHODS if (entry := found.get(name)) is not None)


def headroom(
    chip: SwitchChip, gbps: float, length: float, choice: LosslessChoice, settings: Settings
) -> tuple[Headroom, tuple[Headroom, ...]]:
    """The headroom that is taken, and what the other methods say.

    The chip's own formula before its published rows; the others only if they are named.

    Raises
    ------
    DesignError     where nothing is published for the chip at this speed and length
    """
    shared = choice.oversubscribe > 1
    known = headrooms(chip, gbps, length, settings, profile=choice.profile, shared_pool=shared)
    if choice.headroom is not None:
        return _given(choice.headroom, chip), known
    wanted = (choice.method,) if choice.method else _of(chip, choice)
    for entry in known:
        if entry.method in wanted:
            return entry, tuple(other for other in known if other is not entry)
    rows = headroom_rows(data_directory())
    profiles = dict.fromkeys(row.profile for row in rows if row.chip == chip.id)
    if choice.profile and choice.profile not in profiles:
        raise DesignError(
            "profile",
            choice.profile,
            f"is no table of rows of {chip.name}",
            f"use {', '.join(profiles)}" if profiles else "leave it out: there is none",
        )
    if choice.method or choice.profile:
        offered = ", ".join(entry.method for entry in known) or "no other"
        raise DesignError(
            "method",
            choice.method or choice.profile,
            f"says nothing of {chip.name} at {gbps:g} Gb/s and {length:g} m",
            f"there is {offered}; or give the vendor's own headroom in bytes",
        )
    raise no_headroom(chip, rows, gbps, length)


def headrooms_by_length(
    chip: SwitchChip,
    gbps: float,
    lengths: Iterable[float],
    settings: Settings,
    *,
    profile: str = "",
) -> dict[str, list[tuple[float, float]]]:
    """Metres and bytes of every method that knows the chip and speed, in the order of METHODS."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for length in lengths:
        for found in headrooms(chip, gbps, length, settings, profile=profile):
            curves.setdefault(found.method, []).append((length, found.xoff))
    return {method: curves[method] for method in METHODS if method in curves}


def _of(chip: SwitchChip, choice: LosslessChoice) -> tuple[str, ...]:
    return (ROWS,) if choice.profile or not chip.has_formula else (FORMULA,)


def _given(size: float, chip: SwitchChip) -> Headroom:
    return Headroom(
        method=GIVEN,
        xoff=size,
        xon=0.0,
        size=size,
        xon_offset=None,
        grade="given",
        source="",
        how=f"given by hand for {chip.name}",
    )
