"""``netdesign audit``: real logs and dumps, read and held against the design."""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netdesign.errors import DesignError

if TYPE_CHECKING:
    from netdesign.audit.context import Context
    from netdesign.audit.report import FileReport


def audit_files(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="nccl-tests, perftest, ibnetdiscover, iblinkinfo, ibdiagnet, nvidia-smi topo -m, "
            "Slurm topology, LLDP, NCCL_DEBUG logs; - is stdin.",
        ),
    ],
    design: Annotated[
        str | None, typer.Option(help="The design that was built: a file or a shipped name.")
    ] = None,
    line_rate: Annotated[
        str | None, typer.Option("--line-rate", help="Rate of one NIC port: 400G.")
    ] = None,
    nics: Annotated[int | None, typer.Option(min=1, help="NIC ports of a node.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write a report to this file: .html.")] = None,
) -> None:
    """What logs and dumps say, and whether what was built performs as designed.

    Exit status 0: healthy. 1: something is wrong. 2: a file cannot be read.
    """
    from netdesign.audit.whole import together
    from netdesign.export.audit_record import audit_record, audit_text

    if report is not None:
        from netdesign.export.audit_html import check_html_place

        check_html_place(report)
    known = _context(design, line_rate, nics)
    names = _names(files)
    reports = (_report(file, name, known) for file, name in zip(files, names, strict=True))
    found = together(tuple(reports), known)
    if as_json:
        _say(json.dumps(audit_record(found), indent=2, allow_nan=False))
    else:
        _say(audit_text(found))
    if report is not None:
        from netdesign.export.audit_drawings import drawings, plan_drawing
        from netdesign.export.audit_html import audit_html, write_html

        pictures = drawings(found.reports, known)
        write_html(audit_html(found, known, pictures, plan_drawing(found)), report)
    if not found.is_readable:
        raise typer.Exit(2)
    if not found.is_healthy:
        raise typer.Exit(1)


def _say(text: str) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that knows few letters
    try:
        typer.echo(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise DesignError("output", None, f"cannot be written: {reason}", "make room") from None


def _context(design: str | None, line_rate: str | None, nics: int | None) -> Context:
    from netdesign.audit.context import Context, line_rate_of

    rate = None if line_rate is None else line_rate_of(line_rate)
    if design is None:
        return Context(rate, nics)
    from netdesign.design import read_design
    from netdesign.evaluate import evaluate

    try:
        return Context(rate, nics, evaluate(read_design(design)))
    except DesignError as error:
        raise error.within(Path(design).name) from None


def _names(files: list[str]) -> list[str]:
    """What each file is called: its name alone where no other is called so."""
    short = [Path(file).name or file for file in files]
    counts = Counter(short)
    return [name if counts[name] == 1 else file for name, file in zip(short, files, strict=True)]


def _report(file: str, name: str, known: Context) -> FileReport:
    """What is said of one file; the others are read whatever is wrong with it."""
    from netdesign.audit.document import document_of, open_document
    from netdesign.audit.files import audit_whatever, unreadable

    try:
        if file == "-":
            document = document_of("stdin", sys.stdin.buffer.read())
        else:
            document = open_document(Path(file), name)
    except DesignError as error:
        return unreadable(error.field, error.hint)
    return audit_whatever(document, known)
