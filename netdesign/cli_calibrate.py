"""``netdesign calibrate``: the planner's own nccl-tests logs refit the model of collectives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from netdesign.cli_files import check_place, write_file
from netdesign.errors import DesignError


def calibrate(
    logs: Annotated[
        list[Path],
        typer.Argument(metavar="LOG...", help="nccl-tests or rccl-tests logs of your machines."),
    ],
    design: Annotated[
        str, typer.Option(help="The design with these machines: a file or a shipped name.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Write the design with what was measured: .yaml.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Refit the model of collectives on logs of your own machines; errors before and after.

    What is invalid, sick, of another GPU or does not tell its operation, GPUs and nodes is left
    out and named. Exit status 2: nothing is left to calibrate with.
    """
    from netdesign.audit.context import Context
    from netdesign.audit.document import open_document
    from netdesign.audit.files import audit
    from netdesign.audit.own_measurements import calibrate as fit
    from netdesign.design import design_to_yaml, read_design
    from netdesign.export.own_machines import own_fit_lines, own_fit_record

    check_place(out, "out", ".yaml", ".yml")
    chosen = read_design(design)
    reports = [audit(open_document(log), Context()) for log in logs]
    try:
        found = fit(reports, chosen)
    except DesignError as error:
        raise error if error.field == "logs" else error.within(Path(design).name) from None
    measured = chosen.with_values(found.settings)
    if as_json:
        typer.echo(json.dumps(own_fit_record(found), indent=2, allow_nan=False))
    else:
        typer.echo("\n".join(own_fit_lines(found)))
    if out is not None:
        write_file(out, design_to_yaml(measured))
