"""The failure and soak tests of a design as a document: Markdown to read, CSV to fill in."""

from __future__ import annotations

from collections.abc import Sequence

from netdesign.evaluate import Evaluation
from netdesign.export.csv_cells import cells, csv_text
from netdesign.failures.preflight import PlannedTest
from netdesign.wording import printable

COLUMNS = (
    "test",
    "name",
    "procedure",
    "command",
    "measure",
    "unit",
    "expected",
    "low",
    "high",
    "pass_if",
    "limit",
    "remark",
    "measured",
    "source",
)
_SPECIAL = "\\`*_{}[]<>()#+-!|~"


def plan_csv(tests: Sequence[PlannedTest]) -> str:
    """One row a test, with an empty column for what is measured."""
    columns = [
        [test.row.id for test in tests],
        [test.row.name for test in tests],
        [test.procedure for test in tests],
        [test.command for test in tests],
        [test.measure for test in tests],
        [test.row.unit for test in tests],
        [number(test.expected) for test in tests],
        [number(test.low) for test in tests],
        [number(test.high) for test in tests],
        [sign(test) for test in tests],
        [number(test.limit) for test in tests],
        [test.remark for test in tests],
        ["" for _ in tests],
        [test.row.source for test in tests],
    ]
    return csv_text(COLUMNS, [cells(column) for column in columns])


def plan_markdown(evaluation: Evaluation, tests: Sequence[PlannedTest]) -> str:
    """A page: a table of all tests, then how each is done."""
    lines = [
        f"# Failure and soak tests: {escaped(evaluation.design.name)}",
        "",
        "Expected numbers are those of the model for this design. A test passes while the "
        "measured number keeps to the limit. Run them in this order, on the whole cluster, before "
        "the training starts.",
        "",
        "| Test | Measure | Expected | Between | Passes if | Measured |",
        "|---|---|---:|---:|---:|---|",
    ]
    for test in tests:
        unit = test.row.unit
        lines.append(
            f"| {escaped(test.row.name)} | {escaped(test.measure)} "
            f"| {number(test.expected)} {unit} | {number(test.low)} to {number(test.high)} {unit} "
            f"| {sign(test)} {number(test.limit)} {unit} | |"
        )
    lines += how_lines(tests)
    return "\n".join([*lines, ""])


def how_lines(tests: Sequence[PlannedTest]) -> list[str]:
    """How each test is done, in Markdown: a section each."""
    lines: list[str] = []
    for test in tests:
        lines += ["", f"## {escaped(test.row.name)}", "", escaped(test.procedure)]
        if test.command:
            lines += ["", f"    {printable(test.command)}"]
        if test.remark:
            lines += ["", escaped(test.remark[:1].upper() + test.remark[1:]) + "."]
    return lines


def sign(test: PlannedTest) -> str:
    """What the measured number must be to the limit."""
    return "at least" if test.more_is_better else "at most"


def number(value: float) -> str:
    """Four digits, plain."""
    return f"{value:.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def escaped(text: str) -> str:
    """Text that Markdown shows as it stands."""
    return "".join(f"\\{letter}" if letter in _SPECIAL else letter for letter in printable(text))
