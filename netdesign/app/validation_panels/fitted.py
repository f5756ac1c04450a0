"""What was fitted, on what, when; which runs no score counts; how to fit again."""

from __future__ import annotations

from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.catalog import CalibrationRow, load_catalog
from netdesign.charts.format import count, digits
from netdesign.performance.calibration import BAND_NAMES
from netdesign.validation.scores import Scores, rules_left_out
from netdesign.validation.unseen import of_an_earlier_fit, unseen_runs
from netdesign.wording import plural

FIT_SOURCE = "netdesign-calibration"
BAND = BAND_NAMES
RULES = {
    "speed-varies-by-forty-percent": "The source itself warns that the same run differs by 40 % "
    "between allocations of the machine.",
    "states-offloaded-to-host": "Optimizer states live in host memory, which is not modelled.",
    "precision-not-modelled": "Four-bit matrix products, for which there are no constants.",
    "adapter-fine-tuning": "Only adapters are trained: most weights have no gradients.",
}
HEADS = (
    Head("Constant"),
    Head("Value", number=True),
    Head("Unit"),
    Head("Valid for"),
    Head("Fitted"),
    Head("Note"),
)


def fitted_rows() -> list[CalibrationRow]:
    """Rows of calibration.csv that a fit has written, without the band."""
    rows = load_catalog().calibrations.values()
    return [row for row in rows if row.source == FIT_SOURCE and row.name not in BAND]


def section(scores: Scores) -> Markup:
    """What was fitted and on what, the rules, and how to add runs."""
    rows = fitted_rows()
    dates = sorted({row.date for row in rows})
    names = {(row.name, "" if "one for all" in row.note else row.scope) for row in rows}
    runs = int(scores.scored.sum())
    return join(
        (
            tag(
                "section",
                tag("h2", "What was fitted, and on what"),
                tag(
                    "p",
                    f"{plural(len(names), 'constant')} on {count(runs)} runs, on "
                    f"{' and '.join(dates)}: physical ones, for a GPU generation, for a named era "
                    "of software on it, or for all. None belongs to a run, a model or a source.",
                ),
                tag("p", standing()),
                tag(
                    "details",
                    tag("summary", "The constants, with value and date"),
                    table("Fitted constants", HEADS, _cells(rows), class_="nd-fitted"),
                ),
                class_="nd-part",
            ),
            left_out(),
            how_to(),
        )
    )


def standing() -> str:
    """Which of the errors on the page are of unseen runs."""
    dates = sorted({row.date for row in unseen_runs().values()})
    if dates:
        unseen = (
            "The columns “unseen source” are of runs whose whole source was left out of the fit, "
            f"as stored on {' and '.join(dates)}; all other errors are of runs that it has seen."
        )
        if of_an_earlier_fit():
            unseen += " The constants are newer than these columns."
    else:
        unseen = "The errors on this page are of runs that the fit has seen."
    return (
        f"{unseen} The band is set so that it also holds four of five runs of sources that were "
        "left out, for dense models and for mixtures of experts by themselves. Mixtures of experts "
        "are predicted less well, and few sources have published runs of them: their band is "
        "wider, and less sure."
    )


def _cells(rows: list[CalibrationRow]) -> list[tuple[object, ...]]:
    found: dict[tuple[str, str], tuple[object, ...]] = {}
    for row in rows:
        scope = "all generations" if "one for all" in row.note else row.scope
        note = row.note.replace("; one for all", "")
        name = row.name.replace("_", " ")
        found[row.name, scope] = (name, digits(row.value), row.unit, scope, row.date, note)
    return [found[key] for key in sorted(found)]


def left_out() -> Markup:
    """Runs that are left out, by rule."""
    rows = [
        (
            RULES.get(rule, rule.replace("-", " ")),
            plural(len(runs), "run"),
            ", ".join(run.id for run in runs),
        )
        for rule, runs in rules_left_out().items()
    ]
    return tag(
        "section",
        tag("h2", "What is left out"),
        tag("p", "By rules that name a fault of the source, applied before fitting."),
        table(
            "Runs left out by rule",
            (Head("Rule"), Head("Runs", number=True), Head("Which")),
            rows,
            class_="nd-left-out",
        ),
        class_="nd-part",
    )


def how_to() -> Markup:
    """How to add runs and fit again."""
    steps = (
        join(("Fill in the example: one run a row, the columns of the published table. Leave blank "
              "what you do not know; without a step time you get a prediction alone.",)),
        join(("Add the file above: its points stand in the picture in another colour, and stay in "
              "this page. From a shell: ", tag("code", "netdesign predict runs.csv --out "
                                                       "predictions.csv"), ".")),
        join(("To let the model learn from them, append rows to ",
              tag("code", "data/measurements/training.csv"), " and run ",
              tag("code", "make calibrate"), ". It prints the errors on sources that were left out "
              "and writes ", tag("code", "data/calibration.csv"), " with today's date. ",
              tag("code", "python benchmarks/unseen_runs.py"), " renews the columns of unseen "
              "sources.")),
    )  # fmt: skip
    return tag(
        "section",
        tag("h2", "Add your own runs, and fit again"),
        tag("ol", join(tag("li", step) for step in steps)),
        class_="nd-part nd-how",
    )
