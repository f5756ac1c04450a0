"""The same things from a shell: ``netdesign evaluate``, ``netdesign serve``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from netdesign.cli_audit import audit_files
from netdesign.cli_calibrate import calibrate
from netdesign.cli_compare import compare
from netdesign.cli_congestion import congestion
from netdesign.cli_fabric import fabric_command
from netdesign.cli_failures import failures
from netdesign.cli_lossless import lossless, lossless_check
from netdesign.cli_nccl import nccl
from netdesign.cli_predict import predict, predict_collective
from netdesign.cli_preflight import preflight
from netdesign.errors import DesignError


class _Commands(TyperGroup):
    """A wrong input is one sentence and exit status 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except DesignError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(2) from None


app = typer.Typer(
    cls=_Commands, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False
)


@app.callback()
def root() -> None:
    """Design the network of a GPU cluster for training large language models."""


@app.command()
def evaluate(
    design: Annotated[
        str, typer.Argument(help="A design file (YAML) or the name of a shipped one.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print every number as JSON.")] = False,
    prices: Annotated[Path | None, typer.Option(help="Your own price file, CSV or XLSX.")] = None,
    plans: Annotated[
        int, typer.Option(min=0, max=1000, help="Rank every valid plan and show this many.")
    ] = 0,
    with_sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="Show which input moves the result most.")
    ] = False,
) -> None:
    """What a design demands, how fast it trains, what it costs and what to mind."""
    from netdesign.catalog import read_price_file
    from netdesign.design import read_design
    from netdesign.evaluate import evaluate as run
    from netdesign.export.record import to_record
    from netdesign.export.text import to_text

    book = read_price_file(prices.name, _bytes_of(prices)) if prices else None
    chosen = read_design(design)
    try:
        evaluation = run(chosen, book)
    except DesignError as error:
        raise error.within(Path(design).name) from None
    record, text = to_record(evaluation), [to_text(evaluation)]
    if plans:
        from netdesign.export.ranked_plans import ranking_record, ranking_text
        from netdesign.ranking import rank_plans

        ranking = rank_plans(evaluation)
        record["plans"] = ranking_record(ranking, plans)
        text.append(ranking_text(ranking, plans))
    if with_sensitivity:
        from netdesign.export.sensitivity_table import sensitivity_record, sensitivity_text
        from netdesign.sensitivity import sensitivity

        found = sensitivity(evaluation, book)
        record["sensitivity"] = sensitivity_record(found)
        text.append(sensitivity_text(found))
    if as_json:
        typer.echo(json.dumps(record, indent=2, allow_nan=False))
    else:
        typer.echo("\n".join(text))


app.command(name="fabric")(fabric_command)
app.command(name="audit")(audit_files)
app.command(name="calibrate")(calibrate)
app.command(name="congestion")(congestion)
app.command(name="compare")(compare)
app.command(name="failures")(failures)
app.command(name="lossless")(lossless)
app.command(name="lossless-check")(lossless_check)
app.add_typer(nccl, name="nccl")
app.command(name="preflight")(preflight)
app.command(name="predict")(predict)
app.command(name="predict-collective")(predict_collective)


@app.command()
def designs() -> None:
    """The designs that ship with netdesign."""
    from netdesign.design import read_design, shipped_designs

    for name in shipped_designs():
        typer.echo(f"{name}: {read_design(name).name}")


@app.command()
def parameters() -> None:
    """Everything that a design file can set: path, default, range and what it means."""
    from netdesign.export.text import parameters_text

    typer.echo(parameters_text())


@app.command()
def serve(
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8866,
    open_browser: Annotated[bool, typer.Option("--browser/--no-browser")] = True,
    notebooks: Annotated[Path | None, typer.Option(help="Folder of the notebooks.")] = None,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on; 0.0.0.0 lets every machine on the network in."),
    ] = "localhost",
) -> None:
    """Serve the Design Studio, the Executive summary and the lessons to a browser."""
    from netdesign.app.serving.serve import serve as run

    sys.exit(run(port=port, open_browser=open_browser, notebooks=notebooks, host=host))


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise DesignError(
            str(path), "file", f"cannot be read: {reason}", "check the path"
        ) from None


def main() -> None:
    """Run the command line."""
    app()
