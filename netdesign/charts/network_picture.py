"""What does the network look like? Tiers as rows; single links if few, bundles if many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.charts import network_bundles, network_links
from netdesign.charts.network_shape import HEIGHT, Row, Shape, shape_of
from netdesign.charts.palette import BLUE, BOX_FILL, BOX_LINE, QUIET_INK, VERMILLION
from netdesign.charts.words import FAMILIES
from netdesign.wording import plural

if TYPE_CHECKING:
    import altair as alt

    from netdesign.evaluate import Evaluation

MOST_DRAWN_BOXES = 16
MOST_DRAWN_LINKS = 800
_TIER = {"server": "servers", "leaf": "leaves", "spine": "spines"}
_SETS = ("boxes", "links", "names", "numbers", "titles", "notes")


def drawn_singly(shape: Shape) -> bool:
    """Whether every box and every link gets its own mark."""
    return (
        all(row.count <= MOST_DRAWN_BOXES for row in shape.rows)
        and sum(row.links_up for row in shape.rows) <= MOST_DRAWN_LINKS
    )


def data(evaluation: Evaluation) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``boxes``, ``links``, ``names``, ``numbers``, ``titles`` and ``notes``.

    Places are on a sheet of 100 x 100, the words of each tier on its left.
    """
    fabric = evaluation.fabric
    if not fabric.buildable:
        sentence = f"This fabric cannot be built: {fabric.reason}"
        note = {"x": 50, "y": HEIGHT / 2, "text": sentence, "align": "center"}
        return {**{name: [] for name in _SETS}, "notes": [note]}
    shape = shape_of(evaluation)
    picture = network_links if drawn_singly(shape) else network_bundles
    marks = (*picture.draw(shape), *_margin(shape))
    return dict(zip(_SETS, marks, strict=True))


def _margin(shape: Shape) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What stands left of the picture: each tier by name and number, and the links between."""
    titles, notes = [], []
    for row, above in zip(shape.rows, [*shape.rows[1:], None], strict=True):
        titles.append({"x": 0, "y": row.y + 2.2, "text": row.heading})
        notes.append({"x": 0, "y": row.y - 3.2, "text": row.detail, "align": "left"})
        if above is not None and row.links_up:
            middle = (row.y + above.y) / 2
            lines = [f"{row.links_up:,} × {shape.port_gbps:g} Gb/s"]
            if row.kind == "server" and shape.fabrics > 1:
                lines.append("rails never meet")
            if row.taper > 1:
                lines.append(f"{row.taper:.3g} : 1 oversubscribed")
            for number, text in enumerate(lines):
                y = middle + 2.4 * (len(lines) - 1) - 4.8 * number
                notes.append({"x": 0, "y": y, "text": text, "align": "left"})
    return titles, notes


def label(evaluation: Evaluation) -> str:
    """The chart in one sentence."""
    fabric = evaluation.fabric
    if not fabric.buildable:
        return f"This fabric cannot be built: {fabric.reason}"
    shape = shape_of(evaluation)
    rows = ", ".join(row.heading for row in reversed(shape.rows))
    links = "; ".join(_links_sentence(row, shape) for row in shape.rows if row.links_up)
    return f"A {FAMILIES.get(fabric.family, fabric.family)} fabric: {rows}. {links}."


def _links_sentence(row: Row, shape: Shape) -> str:
    links = f"{plural(row.links_up, 'link')} of {shape.port_gbps:g} Gb/s"
    taper = f", {row.taper:.3g} to 1 oversubscribed" if row.taper > 1 else ""
    return f"{links} up from the {_TIER[row.kind]}{taper}"


def _links(x: alt.X, y: alt.Y, tooltip: alt.Tooltip) -> alt.Chart:
    """Every link, or bundle of links; a tapered one in another colour and dashed."""
    import altair as alt

    from netdesign.charts.authoring import dataset

    chart: alt.Chart = (
        alt.Chart(dataset("links"))
        .mark_rule(strokeCap="butt")
        .encode(
            x=x,
            y=y,
            x2="x2:Q",
            y2="y2:Q",
            tooltip=tooltip,
            strokeWidth=alt.StrokeWidth("width:Q", scale=None),
            opacity=alt.Opacity("opacity:Q", scale=None),
            strokeDash=alt.StrokeDash(
                "tapered:N",
                scale=alt.Scale(domain=[False, True], range=[[1, 0], [5, 3]]),
                legend=None,
            ),
            color=alt.Color(
                "tapered:N",
                scale=alt.Scale(domain=[False, True], range=[BLUE, VERMILLION]),
                legend=None,
            ),
        )
    )
    return chart


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished

    whole = alt.Scale(domain=[0, 100], nice=False, zero=False)
    x = alt.X("x:Q", scale=whole, axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, HEIGHT], nice=False, zero=False), axis=None)
    tooltip = alt.Tooltip("tip:N", title=" ")
    links = _links(x, y, tooltip)
    boxes = (
        alt.Chart(dataset("boxes"))
        .mark_rect(fill=BOX_FILL, stroke=BOX_LINE, strokeWidth=1, cornerRadius=3)
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q", tooltip=tooltip)
        .properties(name="box")
    )
    names = (
        alt.Chart(dataset("names"))
        .mark_text(fontSize=12)
        .encode(x=x, y=y, text="text:N", tooltip=tooltip)
    )
    numbers = (
        alt.Chart(dataset("numbers"))
        .mark_text(align="left", dx=13)
        .encode(x=x, y=y, text="text:N", tooltip=tooltip)
    )
    titles = (
        alt.Chart(dataset("titles"))
        .mark_text(align="left", fontSize=13, fontWeight=600)
        .encode(x=x, y=y, text="text:N")
    )
    quiet = alt.Chart(dataset("notes")).encode(x=x, y=y, text="text:N")
    notes = quiet.transform_filter("datum.align === 'left'").mark_text(
        align="left", color=QUIET_INK
    )
    middle = quiet.transform_filter("datum.align === 'center'").mark_text(
        align="center", fontSize=14
    )
    return finished(
        links + boxes + names + numbers + titles + notes.properties(name="quiet") + middle,
        title="What does the network look like?",
        height=400,
        description="Tiers of switches above the servers, with the links between them.",
    )
