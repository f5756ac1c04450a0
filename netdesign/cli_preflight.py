"""``netdesign preflight``: what a built cluster must pass, as a document and as a script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from netdesign.cli_files import check_place, write_file
from netdesign.errors import DesignError


def preflight(
    design: Annotated[
        str, typer.Argument(help="A design file (YAML) or the name of a shipped one.")
    ],
    document: Annotated[
        Path | None, typer.Option(help="Write the plan as a document: .md.")
    ] = None,
    script: Annotated[
        Path | None, typer.Option(help="Write a script that runs the benchmarks: .sh.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every number as JSON.")] = False,
) -> None:
    """Benchmarks, failure tests and soak of a design, each with the number it must reach.

    Run the script on the cluster; then ``netdesign audit LOGS --design`` says what passed.
    """
    from netdesign.acceptance.benchmarks import benchmarks
    from netdesign.acceptance.by_hand import tests_by_hand
    from netdesign.design import read_design
    from netdesign.evaluate import evaluate
    from netdesign.export.acceptance_record import check_record, plan_document, test_record
    from netdesign.export.preflight_script import goal, preflight_script

    check_place(document, "document", ".md")
    check_place(script, "script", ".sh")
    try:
        evaluation = evaluate(read_design(design))
    except DesignError as error:
        raise error.within(Path(design).name) from None
    checks = benchmarks(evaluation)
    tests = tests_by_hand(evaluation)
    if document is not None:
        write_file(document, plan_document(evaluation, checks, tests))
    if script is not None:
        write_file(script, preflight_script(evaluation, checks, tests, script.name))
    if as_json:
        record = {
            "checks": [check_record(check) for check in checks],
            "tests": [test_record(test) for test in tests],
        }
        typer.echo(json.dumps(record, indent=2, allow_nan=False))
    elif document is None and script is None:
        typer.echo("\n".join(f"{check.id}: {check.title}: {goal(check)}" for check in checks))
