"""The top of the page: how far off, in one sentence and four numbers, and what one can do."""

from __future__ import annotations

from netdesign.app.html import Markup, join, tag
from netdesign.app.toolbar import button
from netdesign.charts.format import Said, count, percent
from netdesign.validation.scores import GroupErrors, Scores, group_errors, rules_left_out
from netdesign.wording import plural

LARGEST_UPLOAD = 8 * 2**20  # bytes
TITLE = "How far off are the step times?"


def head(scores: Scores, has_own: bool) -> Markup:
    """Title, outcome, buttons, figures."""
    whole = group_errors(scores, "all")[0]
    header = tag(
        "header",
        tag("p", "Validation", class_="nd-kicker"),
        tag("h1", TITLE),
        tag("p", outcome(whole), class_="nd-outcome"),
        actions(has_own),
        class_="nd-sheet-head",
    )
    return join((header, figures(whole, scores)))


def outcome(whole: GroupErrors) -> str:
    """The page in two sentences, unseen sources first where their errors are stored."""
    fitted = f"{percent(whole.median)} and nine of ten within {percent(whole.percentile_90)}"
    if whole.unseen_median is None or whole.unseen_percentile_90 is None:
        ours = f"Of {count(whole.rows)} published training runs half were predicted within {fitted}"
    else:
        ours = (
            f"Of {count(whole.rows)} published training runs half were predicted within "
            f"{percent(whole.unseen_median)} and nine of ten within "
            f"{percent(whole.unseen_percentile_90)} by constants that had not seen the source of "
            f"the run, and within {percent(whole.median)} and {percent(whole.percentile_90)} by "
            "those that had"
        )
    return (
        f"{ours}. One flat MFU for each accelerator, chosen in hindsight on the same runs, is off "
        f"by {percent(whole.flat_median)} and {percent(whole.flat_percentile_90)}."
    )


def actions(has_own: bool) -> Markup:
    """Add runs, take the predictions along, forget the runs."""
    field = Markup(
        '<input type="file" accept=".csv,text/csv" data-upload="upload" '
        f'data-limit="{LARGEST_UPLOAD}" aria-label="Add your own runs, a CSV file">'
    )
    own = (
        button("Predictions of your runs, CSV", "download-own"),
        button("Forget your runs", "forget"),
    )
    return tag(
        "div",
        tag("label", "Add your own runs", field, class_="nd-button nd-button-strong nd-upload"),
        button("An example to fill in, CSV", "example"),
        button("All predictions, CSV", "download"),
        *(own if has_own else ()),
        class_="nd-actions",
    )


def figures(whole: GroupErrors, scores: Scores) -> Markup:
    """Four numbers with what they mean."""
    left_out = sum(len(runs) for runs in rules_left_out().values())
    sizes = [candidate.run.gpus for candidate in scores.candidates]
    span = f"{count(min(sizes))} to {count(max(sizes))} GPUs"
    sources = len({candidate.run.source for candidate in scores.candidates})
    tiles = (
        _error_tile("Median error", "Half of the runs are closer.", whole.median,
                    whole.unseen_median, whole.flat_median),
        _error_tile("Nine of ten within", "One run of ten is further off.", whole.percentile_90,
                    whole.unseen_percentile_90, whole.flat_percentile_90),
        _tile("Inside the 80 % band", percent(whole.in_band), "Of the runs, with fitted constants.",
              "The band is wide enough for sources that the fit had not seen."),
        _tile("Runs", Said(count(whole.rows), ""), f"From {plural(sources, 'source')}, {span}.",
              f"{count(left_out)} more are left out by written rules, listed below."),
    )  # fmt: skip
    return tag("dl", join(tiles), class_="nd-figures")


def _error_tile(name: str, means: str, fitted: float, unseen: float | None, flat: float) -> Markup:
    """An error of unseen sources where it is stored, and those of fitted runs and a flat MFU."""
    if unseen is None:
        said, also = percent(fitted), "On the runs the constants were fitted on."
    else:
        said, also = percent(unseen), f"Sources left out of the fit; {percent(fitted)} if fitted."
    return _tile(name, said, means, f"{also} Flat MFU: {percent(flat)}.")


def _tile(name: str, said: Said, means: str, trust: str) -> Markup:
    value = tag(
        "dd",
        tag("span", said.number, class_="nd-figure-number"),
        tag("span", f" {said.unit}", class_="nd-figure-unit") if said.unit else "",
        class_="nd-figure-value",
    )
    return tag(
        "div",
        tag("dt", name),
        value,
        tag("dd", means, class_="nd-figure-means"),
        tag("dd", trust, class_="nd-figure-trust"),
        class_="nd-figure",
    )
