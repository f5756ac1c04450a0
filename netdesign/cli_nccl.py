"""``netdesign nccl``: check the environment of a job, and write one for a design."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netdesign.errors import DesignError

if TYPE_CHECKING:
    from netdesign.catalog.nccl_variables import NcclFabric, Version

nccl = typer.Typer(
    no_args_is_help=True, help="NCCL's environment: check one, or write one for a design."
)

_Nccl = Annotated[
    str | None,
    typer.Option("--nccl", help="Release of NCCL: 2.27 or 2.27.3; the newest known if left out."),
]
_Json = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]


@nccl.command()
def check(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE_OR_-",
            help="Exports, an env file, YAML, JSON, a script (shell, fish, Slurm, Python), a "
            "makefile, INI, Markdown, a log; - is stdin.",
        ),
    ],
    release: _Nccl = None,
    fabric: Annotated[
        str | None,
        typer.Option(
            help="infiniband, roce, roce-hashed, roce-adaptive, roce-scheduled, efa, slingshot, "
            "tcpx, tcpxo, gib or sockets, or a cloud: aws, gcp, azure, oci; left out, verdicts "
            "say what they depend on."
        ),
    ] = None,
    as_json: _Json = False,
) -> None:
    """What each NCCL variable of a file is worth: unknown, invalid, harmful, redundant, ...

    Exit status 0: nothing needs a change. 1: something is unknown, deprecated, invalid or
    harmful. 2: the file cannot be read or is no text.
    """
    from netdesign.audit.nccl_check import (
        check_settings,
        cloud_note,
        report_record,
        report_text,
    )

    version, network = _version(release), _fabric(fabric)
    name = "stdin" if file == "-" else Path(file).name
    report = check_settings(_content(file), version=version, fabric=network, name=name)
    note = cloud_note(fabric) if fabric is not None else ""
    if note:
        report = replace(report, notes=(*report.notes, note))
    if as_json:
        typer.echo(json.dumps(report_record(report), indent=2, allow_nan=False))
    else:
        typer.echo(report_text(report))
    if report.has_faults:
        raise typer.Exit(1)


@nccl.command()
def config(
    design: Annotated[
        str, typer.Argument(help="A design file (YAML) or the name of a shipped one.")
    ],
    release: _Nccl = None,
    cloud: Annotated[
        str | None,
        typer.Option(help="aws, gcp, azure, oci or none; that of the design's server if left out."),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="env, yaml or slurm.")] = "env",
    as_json: _Json = False,
) -> None:
    """The few variables that a design should set, each with its reason."""
    from netdesign.design import read_design
    from netdesign.evaluate import evaluate
    from netdesign.export.nccl_settings import settings_record, settings_text
    from netdesign.nccl_settings import nccl_settings

    version = _version(release)
    settings = nccl_settings(evaluate(read_design(design)), version, cloud)
    text = settings_text(settings, form)
    if as_json:
        typer.echo(json.dumps(settings_record(settings), indent=2, allow_nan=False))
    else:
        typer.echo(text, nl=False)


def _version(text: str | None) -> Version | None:
    from netdesign.catalog.nccl_variables import version_of

    return None if text is None else version_of(text)


def _fabric(name: str | None) -> NcclFabric | None:
    from netdesign.catalog.nccl_variables import fabric_named

    return None if name is None else fabric_named(name)


def _content(file: str) -> bytes:
    """The bytes of a file, one more than are allowed at most."""
    from netdesign.audit.nccl_check.reader import LARGEST_FILE_BYTES

    try:
        if file == "-":
            return sys.stdin.buffer.read(LARGEST_FILE_BYTES + 1)
        with Path(file).open("rb") as opened:
            return opened.read(LARGEST_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise DesignError(file, None, f"cannot be read: {reason}", "check the path") from None
