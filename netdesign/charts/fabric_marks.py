"""Marks that the pictures of ports and of tiers share; imports Altair, so no page imports it."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt

from netdesign.charts.authoring import dataset
from netdesign.charts.palette import BOX_FILL, BOX_LINE, QUIET_INK

PICKED = "picked"
# A device that the last fabric had and this one has not must not fade the whole picture.
ANYBODY = (
    f"!{PICKED}.device || !isValid({PICKED}.device[0]) || "
    f"!indata('boxes', 'device', {PICKED}.device[0])"
)
_TOUCHES = f"{ANYBODY} || datum.a === {PICKED}.device[0] || datum.b === {PICKED}.device[0]"
# A canvas has no stylesheet: the page gives these parameters the colours of its theme.
FILL = alt.param(name="theme_box", value=BOX_FILL)
LINE = alt.param(name="theme_box_line", value=BOX_LINE)
MUTED = alt.param(name="theme_muted", value=QUIET_INK)


def themed(of: alt.Parameter) -> alt.ExprRef:
    """The colour that a parameter has now."""
    return alt.ExprRef(expr=of.name)


@dataclass(frozen=True)
class Sheet:
    """The sheet of 100 x 100, with the colours explained below it."""

    x: alt.X
    y: alt.Y
    tip: alt.Tooltip

    def spans(self, name: str) -> alt.Chart:
        """A data set whose marks reach from x, y to x2, y2 and say what they are."""
        chart: alt.Chart = alt.Chart(dataset(name)).encode(
            x=self.x, y=self.y, x2="x2:Q", y2="y2:Q", tooltip=self.tip
        )
        return chart

    def words(self, name: str) -> alt.Chart:
        """A data set of words."""
        chart: alt.Chart = alt.Chart(dataset(name)).encode(x=self.x, y=self.y, text="text:N")
        return chart


def sheet() -> Sheet:
    """The axes of the sheet, unseen."""
    return Sheet(
        x=alt.X("x:Q", scale=alt.Scale(domain=[0, 100], nice=False, zero=False), axis=None),
        y=alt.Y("y:Q", scale=alt.Scale(domain=[-11, 102], nice=False, zero=False), axis=None),
        tip=alt.Tooltip("tip:N", title=" "),
    )


def links(
    rules: alt.Chart, *, broken: str, dash: tuple[int, int], opacity: float, faded: float
) -> alt.Chart:
    """Links in their colour; dashed where ``broken`` is true, faded where another box is picked."""
    # Dashes of [1, 0] look whole and take a hundred times as long to paint; an opacity of the mark
    # instead of its stroke paints each line on a layer of its own.
    chart: alt.Chart = rules.encode(
        color=alt.Color("colour:N", scale=None),
        strokeDash=alt.condition(f"datum.{broken}", alt.value(list(dash)), alt.value([])),
        strokeOpacity=alt.condition(_TOUCHES, alt.value(opacity), alt.value(faded)),
    )
    return chart


def boxes(rects: alt.Chart, corner: int) -> alt.Chart:
    """Boxes of devices; a click picks one, a double click none."""
    chosen = alt.selection_point(name=PICKED, fields=["device"], on="click", clear="dblclick")
    chart: alt.Chart = (
        rects.mark_rect(
            fill=themed(FILL),
            stroke=themed(LINE),
            strokeWidth=1,
            cornerRadius=corner,
            cursor="pointer",
        )
        .add_params(chosen, FILL, LINE, MUTED)
        .properties(name="box")
    )
    return chart


def titles(on: Sheet) -> alt.Chart:
    """Headings of the rows."""
    chart: alt.Chart = on.words("titles").mark_text(
        align="left", fontSize=12, fontWeight=600, limit=0
    )
    return chart


def notes(on: Sheet) -> list[alt.Chart]:
    """What is said quietly beside the picture, or alone in its middle."""
    quiet = on.words("notes")
    left = quiet.transform_filter("datum.align === 'left'").mark_text(
        align="left", fontSize=11, color=themed(MUTED)
    )
    middle = quiet.transform_filter("datum.align === 'center'").mark_text(
        align="center", fontSize=12
    )
    return [left.properties(name="quiet"), middle]


def key(on: Sheet) -> list[alt.Chart]:
    """What the colours mean, in rows below the picture."""
    entries = alt.Chart(dataset("key")).encode(x=on.x, y=on.y)
    squares = entries.mark_square(size=80, opacity=1, xOffset=6).encode(
        color=alt.Color("colour:N", scale=None)
    )
    words = entries.mark_text(align="left", fontSize=11, dx=14).encode(text="text:N")
    return [squares, words]
