"""Errors by source, accelerator, style, size and network, and where a flat MFU is better."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.catalog import load_catalog
from netdesign.charts.format import NOTHING, count, percent
from netdesign.validation.scores import ALL_CUTS, GroupErrors, Scores, group_errors

TITLES: Mapping[str, str] = {
    "source": "Source",
    "accelerator": "Accelerator",
    "style": "Parallel style",
    "size": "Size of the cluster",
    "bandwidth": "Network of a GPU",
}
IN_PICTURE = ("size", "bandwidth", "style", "accelerator")
HEADS = (
    Head("Group"),
    Head("Runs", number=True),
    Head("Median error", "ours", number=True),
    Head("Median error", "unseen source", number=True),
    Head("Median error", "flat MFU", number=True),
    Head("Nine of ten", "ours", number=True),
    Head("Nine of ten", "unseen source", number=True),
    Head("Nine of ten", "flat MFU", number=True),
    Head("In the band", number=True),
)


def cuts(scores: Scores) -> list[tuple[str, list[tuple[str, list[int]]]]]:
    """Groups of scored runs for the picture of errors, in the order to show."""
    return [(TITLES[cut], _groups(scores, cut)) for cut in IN_PICTURE]


def _groups(scores: Scores, cut: str) -> list[tuple[str, list[int]]]:
    found: dict[str, list[int]] = {}
    for place in np.flatnonzero(scores.scored).tolist():
        found.setdefault(ALL_CUTS[cut](scores.candidates[place].run), []).append(place)
    if cut == "size":
        return sorted(found.items(), key=lambda entry: scores.candidates[entry[1][0]].run.gpus)
    if cut == "bandwidth":
        return sorted(found.items(), key=lambda entry: _rate(scores, entry[1][0]))
    return sorted(found.items(), key=lambda entry: -len(entry[1]))


def _rate(scores: Scores, place: int) -> float:
    run = scores.candidates[place].run
    return run.network_gbps_per_gpu if run.network_stated else float("inf")


def section(scores: Scores) -> Markup:
    """The table, and in words where the flat MFU wins."""
    groups = [group for cut in TITLES for group in group_errors(scores, cut)]
    rows: list[tuple[object, ...]] = []
    for cut, title in TITLES.items():
        rows.append((tag("strong", title), *[""] * (len(HEADS) - 1)))
        rows += [_cells(group) for group in groups if group.cut == cut]
    return tag(
        "section",
        tag("h2", "Ours and the flat MFU, group by group"),
        tag("div", beaten(groups), class_="nd-beaten"),
        table("Errors by source, accelerator, style, size and network", HEADS, rows,
              class_="nd-errors"),
        class_="nd-part",
    )  # fmt: skip


def beaten(groups: list[GroupErrors]) -> Markup:
    """Where the flat MFU has the smaller median error, said plainly."""
    worse = [group for group in groups if group.flat_is_better]
    unseen = [
        f"{TITLES[group.cut].lower().replace('gpu', 'GPU')} {group_name(group)}"
        for group in groups
        if group.unseen_median is not None
        and group.median <= group.flat_median < group.unseen_median
    ]
    if not worse:
        said = tag("p", "In no group has the flat MFU a smaller median error than ours.")
    else:
        said = join(
            (
                tag(
                    "p",
                    tag("strong", "A flat MFU has the smaller median error here."),
                    " It is chosen in hindsight on these very runs, which nobody who plans can do.",
                ),
                tag("ul", join(tag("li", _told(group)) for group in worse)),
            )
        )
    more = (
        "Against constants that had not seen the source it is also better in the middle of: "
        f"{'; '.join(unseen)}."
    )
    return join((said, tag("p", more) if unseen else ""))


def _told(group: GroupErrors) -> str:
    return (
        f"{TITLES[group.cut]}, {group_name(group)}: {percent(group.flat_median)} against our "
        f"{percent(group.median)} ({count(group.rows)} runs); nine of ten within "
        f"{percent(group.flat_percentile_90)} against {percent(group.percentile_90)}"
    )


def group_name(group: GroupErrors) -> str:
    """A group as a person calls it: a source by its title."""
    if group.cut != "source":
        return group.name
    reference = load_catalog().references.get(group.name)
    return reference.title if reference else group.name


def _known(share: float | None) -> str:
    return NOTHING if share is None else str(percent(share))


def _cells(group: GroupErrors) -> tuple[object, ...]:
    ours = str(percent(group.median))
    flat = str(percent(group.flat_median))
    better = tag("em", flat, tag("span", " better", class_="nd-spoken"))
    return (
        group_name(group),
        count(group.rows),
        ours if group.flat_is_better else tag("strong", ours),
        _known(group.unseen_median),
        better if group.flat_is_better else flat,
        percent(group.percentile_90),
        _known(group.unseen_percentile_90),
        percent(group.flat_percentile_90),
        percent(group.in_band),
    )
