"""``netdesign failures``: break a part of a design's network, and plan the tests that do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netdesign.cli_files import check_place, write_file
from netdesign.errors import DesignError

if TYPE_CHECKING:
    from netdesign.design import Design
    from netdesign.failures import Choice, Outcome, Stage
    from netdesign.failures.flap import Flap

_MOST_BREAKS = 50
_FLAPS = (1.0, 10.0, 40.0)
_OWN = "own"
_FABRICS = {_OWN: "as designed", "dual-tor": "dual ToR", "two-planes": "two planes"}


def failures(
    design: Annotated[
        str, typer.Argument(help="A design file (YAML) or the name of a shipped one.")
    ],
    breaks: Annotated[
        list[str] | None,
        typer.Option(
            "--break",
            help="What breaks: cable, uplink, nic, leaf, spine, core, plane, rail, server, with :N "
            "from 0; a device such as spine-02; cable:DEVICE:PORT; @0.5 for half the rate. Can be "
            "given again; each breaks alone. Without it: one of each.",
        ),
    ] = None,
    on: Annotated[
        str, typer.Option(help="The fabric that breaks: own, dual-tor or two-planes.")
    ] = _OWN,
    plan: Annotated[
        Path | None,
        typer.Option(help="Write the failure and soak tests with expected numbers: .md or .csv."),
    ] = None,
    redundancy: Annotated[
        bool, typer.Option("--redundancy/--no-redundancy", help="Dual ToR and two planes beside.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print every number as JSON.")] = False,
) -> None:
    """What a broken cable, NIC, switch or plane does to the job, and what it costs in a month."""
    if breaks and len(breaks) > _MOST_BREAKS:
        raise DesignError("break", len(breaks), "are too many", f"give up to {_MOST_BREAKS}")
    if on not in _FABRICS:
        raise DesignError("on", on, "is not known", f"one of {', '.join(_FABRICS)}")
    if plan is not None:
        check_place(plan, "plan", ".md", ".csv")
    from netdesign.design import read_design

    chosen = read_design(design)
    try:
        answer = _answer(chosen, breaks or [], on, redundancy=redundancy)
    except DesignError as error:
        raise error.within(Path(design).name) from None
    if plan is not None:
        _write_plan(plan, answer.stage)
    typer.echo(answer.json() if as_json else answer.text())


@dataclass(frozen=True, eq=False)
class _Answer:
    """What is said, whatever its form."""

    stage: Stage
    outcomes: list[Outcome]
    flaps: list[Flap]
    choices: tuple[Choice, ...]
    fabric: str  # empty for the design's own

    def json(self) -> str:
        from netdesign.export.failure_record import failures_record

        parts = self.outcomes, self.flaps, self.choices
        record = failures_record(self.stage.evaluation, *parts)
        return json.dumps(record, indent=2, allow_nan=False)

    def text(self) -> str:
        from netdesign.export.failure_record import failures_text

        parts = self.outcomes, self.flaps, self.choices
        return failures_text(self.stage.evaluation, *parts, self.fabric)


def _answer(design: Design, breaks: list[str], on: str, *, redundancy: bool) -> _Answer:
    from netdesign.evaluate import evaluate
    from netdesign.failures import broken, outcome, stage_of, usual
    from netdesign.failures import redundancy as choices_of
    from netdesign.failures.flap import flap
    from netdesign.failures.redundancy import alternatives

    evaluation = evaluate(design)
    own = on == _OWN
    stage = stage_of(evaluation, spec=None if own else alternatives(evaluation)[_FABRICS[on]])
    return _Answer(
        stage=stage,
        outcomes=[
            outcome(stage, broken(stage.fabric, word, nic_ports=stage.nic_ports))
            for word in breaks or usual(stage.fabric)
        ],
        flaps=[] if breaks else [flap(evaluation, seconds) for seconds in _FLAPS],
        choices=choices_of(evaluation) if redundancy and own and not breaks else (),
        fabric="" if own else _FABRICS[on],
    )


def _write_plan(path: Path, stage: Stage) -> None:
    from netdesign.export.failure_plan import plan_csv, plan_markdown
    from netdesign.failures.preflight import preflight

    tests = preflight(stage)
    as_csv = path.suffix.lower() == ".csv"
    text = plan_csv(tests) if as_csv else plan_markdown(stage.evaluation, tests)
    write_file(path, text)
