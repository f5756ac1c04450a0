"""``netdesign lossless`` and ``netdesign lossless-check``: pause, mark and check a RoCE fabric."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netdesign.cli_files import write_file
from netdesign.errors import DesignError
from netdesign.wording import printable

if TYPE_CHECKING:
    from netdesign.lossless import LosslessChoice
    from netdesign.network.lossless.remark import Remark

_Json = Annotated[bool, typer.Option("--json", help="Print every number as JSON.")]
_Class = Annotated[
    int | None, typer.Option("--traffic-class", help="The byte of NCCL_IB_TC: DSCP times four.")
]
_Chip = Annotated[
    str | None, typer.Option(help="Switch chip, where it is not that of the design's switch.")
]


_Length = Annotated[float | None, typer.Option(help="Length of every cable, m.")]
_Mtu = Annotated[float | None, typer.Option(help="Largest lossless frame, bytes.")]
_PortMtu = Annotated[float | None, typer.Option(help="Largest frame of a port, bytes.")]
_Share = Annotated[float | None, typer.Option(help="Share of packets of 64 B, 0 to 1.")]
_Priorities = Annotated[str | None, typer.Option(help="Lossless priorities: 3 or 3,4.")]
_Method = Annotated[
    str | None,
    typer.Option(help="sonic-formula, published-rows, sonic-slow-peer or ieee-worst-case."),
]
_Profile = Annotated[str | None, typer.Option(help="Which published rows of the chip.")]
_Headroom = Annotated[float | None, typer.Option(help="Headroom from your vendor, bytes.")]
_Oversubscribe = Annotated[
    float | None, typer.Option(help="Headroom of all ports over the pool for it.")
]
_Marking = Annotated[str | None, typer.Option(help="Which recommendation for ECN, by its id.")]
_Sonic = Annotated[
    Path | None, typer.Option(help="Write a fragment of config_db.json for SONiC: .json.")
]
_Switch = Annotated[
    str, typer.Option(help="Which switch the fragment is for: leaf, spine or core.")
]


def lossless(
    design: Annotated[str, typer.Argument(help="A design file or the name of a shipped one.")],
    chip: _Chip = None,
    length: _Length = None,
    mtu: _Mtu = None,
    port_mtu: _PortMtu = None,
    small_packets: _Share = None,
    traffic_class: _Class = None,
    priorities: _Priorities = None,
    method: _Method = None,
    profile: _Profile = None,
    headroom: _Headroom = None,
    oversubscribe: _Oversubscribe = None,
    marking: _Marking = None,
    sonic: _Sonic = None,
    switch: _Switch = "leaf",
    as_json: _Json = False,
) -> None:
    """Headroom, buffer, ECN and classes of a design's Ethernet, and SONiC's configuration."""
    from netdesign.export.lossless_record import lossless_record, lossless_text
    from netdesign.export.sonic import host_notes, sonic_config, sonic_json, switch_notes
    from netdesign.lossless import lossless_plan

    choice = _choice(
        chip=chip,
        access_length=length,
        spine_length=length,
        lossless_mtu=mtu,
        port_mtu=port_mtu,
        small_packet_share=small_packets,
        traffic_class=traffic_class,
        priorities=None if priorities is None else _priorities(priorities),
        method=method,
        profile=profile,
        headroom=headroom,
        oversubscribe=oversubscribe,
        marking=marking,
    )
    plan = lossless_plan(_design(design), choice)
    if sonic is not None:
        _write_sonic(sonic, sonic_json(sonic_config(plan, switch)))
    notes = host_notes(plan)
    on_switch = switch_notes(sonic.name) if sonic is not None else ()
    if as_json:
        record = lossless_record(plan) | {"hosts": list(notes)}
        typer.echo(json.dumps(record, indent=2, allow_nan=False))
    else:
        lines = [lossless_text(plan), "", "On every host", *notes]
        if on_switch:
            lines += ["", f"On every {switch}", *on_switch]
        typer.echo("\n".join(lines))


def lossless_check(
    config: Annotated[Path, typer.Argument(metavar="CONFIG.json", help="A config_db.json.")],
    design: Annotated[
        str | None, typer.Option(help="The design that it must serve: cables, chip, MTU.")
    ] = None,
    chip: _Chip = None,
    traffic_class: _Class = None,
    as_json: _Json = False,
) -> None:
    """What makes a SONiC configuration lose or stall RoCE traffic; exit 1 if anything does."""
    from netdesign.audit.sonic_check import check_sonic, read_sonic
    from netdesign.export.lossless_record import remark_rows
    from netdesign.lossless import lossless_plan

    tables = read_sonic(config)
    choice = _choice(chip=chip, traffic_class=traffic_class)
    plan = None if design is None else lossless_plan(_design(design), choice)
    remarks = check_sonic(tables, plan=plan, chip=chip, traffic_class=traffic_class)
    name = printable(config.name)
    findings = sum(remark.severity != "note" for remark in remarks)
    if as_json:
        record = {"file": name, "findings": findings, "remarks": remark_rows(remarks)}
        typer.echo(json.dumps(record, indent=2, allow_nan=False))
    else:
        said = f"{findings} finding{'s' if findings != 1 else ''}" if findings else "no finding"
        typer.echo("\n".join([f"{name}: {said}", *_lines_with_ids(remarks)]))
    if findings:
        raise typer.Exit(1)


def _lines_with_ids(remarks: Sequence[Remark]) -> Iterator[str]:
    from netdesign.export.lossless_record import remark_lines

    for remark in remarks:
        what, right = remark_lines([remark])
        yield what
        yield f"{right} [{remark.code}]"


def _design(name: str) -> Any:
    from netdesign.design import read_design

    return read_design(name)


def _choice(**given: Any) -> LosslessChoice:
    from netdesign.lossless import LosslessChoice
    from netdesign.lossless.choice import with_changes

    settings: Mapping[str, Any] = given
    return with_changes(LosslessChoice(), **settings)


def _priorities(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise DesignError(
            "priorities", text, "is no list of priorities", "write 3 or 3,4"
        ) from None


def _write_sonic(path: Path, text: str) -> None:
    if path.suffix.lower() != ".json":
        raise DesignError("sonic", path.name, "does not end in .json", "end it with .json")
    write_file(path, text)
