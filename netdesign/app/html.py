"""Small pieces of HTML, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


class Head(NamedTuple):
    """The head of a column; ``number`` aligns it right."""

    text: str
    unit: str = ""
    number: bool = False


def text(value: Any) -> Markup:
    """Any value as HTML: escaped, unless it is markup of ours."""
    return value if isinstance(value, Markup) else Markup(escape(str(value)))


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """An element; ``class_`` is ``class``, ``data_act`` is ``data-act``, True has no value."""
    parts = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        label = key.rstrip("_").replace("_", "-")
        parts.append(label if value is True else f'{label}="{escape(str(value))}"')
    return Markup(f"<{' '.join(parts)}>{join(children)}</{name}>")


def join(children: Iterable[Any]) -> Markup:
    """Pieces one after the other."""
    return Markup("".join(text(child) for child in children))


def swatch(colour: str) -> Markup:
    """A small square in the colour of a picture's part."""
    return tag("span", class_="nd-swatch", style=f"background:{colour}", aria_hidden="true")


def table(
    caption: str,
    heads: Sequence[Head],
    rows: Iterable[Sequence[Any]],
    foot: Sequence[Any] | None = None,
    class_: str = "",
) -> Markup:
    """A table with a caption for screen readers; numbers right, units in the head.

    A cell that is None is left out: the cell above, with a row span, stands in its place.
    """
    head = join(
        tag(
            "th",
            column.text,
            tag("span", column.unit, class_="nd-unit") if column.unit else "",
            scope="col",
            class_="nd-number" if column.number else None,
        )
        for column in heads
    )
    body = join(tag("tr", _cells(row, heads)) for row in rows)
    parts = [
        tag("caption", caption),
        tag("thead", tag("tr", head)),
        tag("tbody", body),
        tag("tfoot", tag("tr", _cells(foot, heads))) if foot else "",
    ]
    return tag(
        "div", tag("table", *parts, class_=f"nd-table {class_}".strip()), class_="nd-table-frame"
    )


class Span(NamedTuple):
    """A cell over several rows."""

    content: Any
    rows: int


def _cells(row: Sequence[Any], heads: Sequence[Head]) -> Markup:
    cells = []
    for cell, head in zip(row, heads, strict=True):
        if cell is None:
            continue
        rows = cell.rows if isinstance(cell, Span) else None
        content = cell.content if isinstance(cell, Span) else cell
        kind = "nd-number" if head.number else None
        cells.append(tag("td", content, class_=kind, rowspan=rows if rows and rows > 1 else None))
    return join(cells)
