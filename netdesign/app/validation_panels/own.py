"""A planner's own runs: read, predicted, and told one by one."""

from __future__ import annotations

from dataclasses import dataclass

from netdesign.app.html import Head, Markup, table, tag
from netdesign.charts.format import NOTHING, count, digits, percent
from netdesign.charts.validation_scatter import plan_words, signed
from netdesign.validation.rows import USED, RunTable
from netdesign.validation.scores import Scores, group_errors
from netdesign.wording import plural

MOST_SHOWN = 100
EXAMPLE = {
    "id": "my-run-1", "source": "our cluster", "year": "2026", "model": "Llama 3 70B",
    "layers": "80", "hidden": "8192", "ffn": "28672", "heads": "64", "kv_heads": "8",
    "vocab": "128256", "seq_len": "8192", "gated_ffn": "yes", "accelerator": "H100",
    "gpus": "64", "gpus_per_node": "8", "nic_gbps_per_gpu": "400", "fabric": "InfiniBand",
    "tp": "4", "pp": "4", "cp": "2", "dp": "2", "vpp": "5", "zero_stage": "1",
    "micro_batch": "1", "global_batch_seqs": "128", "precision": "BF16", "recompute": "none",
    "flash_attention": "yes", "step_time_s": "14.5",
}  # fmt: skip
HEADS = (
    Head("Run"),
    Head("Measured", "s", number=True),
    Head("Predicted", "s", number=True),
    Head("80 % band", "s", number=True),
    Head("Error", number=True),
    Head("Plan"),
    Head("Memory"),
    Head("Taken as usual, because blank"),
)


@dataclass(frozen=True)
class OwnRuns:
    """A file of runs that was uploaded, predicted."""

    name: str
    table: RunTable
    scores: Scores


def example_csv() -> str:
    """A table with one run, to be filled in."""
    return f"{','.join(USED)}\n{','.join(EXAMPLE.get(column, '') for column in USED)}\n"


def section(own: OwnRuns | None) -> Markup:
    """What the file holds; nothing without one."""
    if own is None:
        return Markup("")
    return tag(
        "section",
        tag("h2", "Your runs"),
        tag("p", told(own), role="status"),
        table("Your runs", HEADS, _cells(own), class_="nd-own-runs")
        if own.table.candidates
        else "",
        _skipped(own),
        class_="nd-part",
    )


def told(own: OwnRuns) -> str:
    """A file of runs in a few sentences."""
    runs = len(own.table.candidates)
    parts = [f"{own.name[:80]}: {plural(runs, 'run')} predicted."]
    whole = group_errors(own.scores, "all")
    if whole:
        parts.append(
            f"Of {count(whole[0].rows)} with a measured time half are within "
            f"{percent(whole[0].median)}, {percent(whole[0].in_band)} in the band; by a flat MFU "
            f"half are within {percent(whole[0].flat_median)}."
        )
    if own.table.missing:
        parts.append(f"There is no column {', '.join(own.table.missing)}: taken as unknown.")
    if runs > MOST_SHOWN:
        parts.append(f"The first {count(MOST_SHOWN)} are listed; the file to download has all.")
    return " ".join(parts)


def _cells(own: OwnRuns) -> list[tuple[object, ...]]:
    scores = own.scores
    rows: list[tuple[object, ...]] = []
    for place, candidate in enumerate(scores.candidates[:MOST_SHOWN]):
        known = candidate.measured is not None
        outside = known and not scores.inside[place]
        said = signed(scores.error[place]) if known else NOTHING
        rows.append(
            (
                f"{candidate.run.id}, {candidate.run.model[:60]}",
                digits(candidate.measured),
                digits(scores.predicted[place]),
                f"{digits(scores.low[place])} to {digits(scores.high[place])}",
                tag("em", said, ", outside the band") if outside else said,
                plan_words(candidate.run),
                "fits" if scores.fits_memory[place] else tag("em", "does not fit"),
                ", ".join(candidate.unknown) or NOTHING,
            )
        )
    return rows


def _skipped(own: OwnRuns) -> Markup:
    skipped = own.table.skipped
    if not skipped:
        return Markup("")
    rows = list(skipped[:MOST_SHOWN])
    return tag(
        "div",
        tag("h3", f"{plural(len(skipped), 'row')} skipped"),
        table("Rows that were skipped", (Head("Row"), Head("Why")), rows, class_="nd-left-out"),
    )
