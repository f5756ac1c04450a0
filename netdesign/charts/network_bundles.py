"""The network picture of a large fabric: pods or rails as stacked boxes, links as bundles."""

from __future__ import annotations

from typing import Any

from netdesign.charts.network_shape import BOX_HEIGHT, LEFT, RIGHT, Column, Row, Shape
from netdesign.wording import plural

Marks = list[dict[str, Any]]

MOST_COLUMNS = 6
SHOWN_OF_MANY = 3
_WIDEST_BUNDLE = 16.0
_STACK = (0.45, 1.5)  # how far a box of a stack stands behind the one before
_MIDDLE = (LEFT + RIGHT) / 2


def draw(shape: Shape) -> tuple[Marks, Marks, Marks, Marks]:
    """Boxes, links, names and numbers; of more than six columns the first three and the last."""
    boxes: Marks = []
    links: Marks = []
    names: Marks = []
    numbers: Marks = []
    for centre, width, number in _places(shape):
        if number is None:
            cut = [row for row in shape.rows if row.kind in shape.in_columns]
            names += [{"x": centre, "y": row.y, "text": _hidden(shape), "tip": ""} for row in cut]
            continue
        column = shape.column(number)
        for row, count, text in zip(shape.rows, column.counts, column.texts, strict=False):
            if row.kind in shape.in_columns:
                tip = f"{column.name}: {text}"
                _stack(boxes, names, centre, width, row.y, count, text, tip)
        _column_links(links, numbers, shape, centre, column)
        lowest, next_row = shape.rows[:2]
        if lowest.kind not in shape.in_columns:
            beside = {"x": centre - 0.38 * width, "y": (lowest.y + next_row.y) / 2}
            names.append({**beside, "text": column.name, "tip": column.name})
    for row in shape.rows:
        if row.kind not in shape.in_columns:
            text = row.of(row.count)
            _stack(boxes, names, _MIDDLE, RIGHT - LEFT - 2, row.y, row.count, text, text)
    _common_links(links, numbers, shape)
    return boxes, links, names, numbers


def _places(shape: Shape) -> list[tuple[float, float, int | None]]:
    """Centre, width and number of each column that is drawn; None for the ones left out."""
    shown: list[int | None] = list(range(shape.columns))
    if shape.columns > MOST_COLUMNS:
        shown = [*range(SHOWN_OF_MANY), None, shape.columns - 1]
    slot = (RIGHT - LEFT) / len(shown)
    return [
        (LEFT + (n + 0.5) * slot, min(0.78 * slot, 26.0), number) for n, number in enumerate(shown)
    ]


def _hidden(shape: Shape) -> str:
    return f"· · · {shape.columns - SHOWN_OF_MANY - 1:,} more · · ·"


def _stack(
    boxes: Marks,
    names: Marks,
    centre: float,
    width: float,
    y: float,
    count: int,
    text: str,
    tip: str,
) -> None:
    """A box, with two more behind it if it stands for several."""
    right, up = _STACK
    half = BOX_HEIGHT / 2
    for behind in range(min(count, 3) - 1, -1, -1):
        boxes.append(
            {
                "x": centre - width / 2 + right * behind,
                "x2": centre + width / 2 + right * behind,
                "y": y - half + up * behind,
                "y2": y + half + up * behind,
                "tip": tip,
            }
        )
    if count:
        names.append({"x": centre, "y": y, "text": text, "tip": tip})


def _column_links(
    links: Marks, numbers: Marks, shape: Shape, centre: float, column: Column
) -> None:
    """The links of a column, up to the row that all columns share."""
    widest = max(row.links_up for row in shape.rows)
    pairs = zip(shape.rows, shape.rows[1:], column.links_up, strict=False)
    for lower, upper, number in pairs:
        share = lower.links_up / widest
        links.append(_bundle(centre, lower, upper, number, share, f"{column.name}: "))
        numbers.append(_number(centre, lower, upper, number))


def _common_links(links: Marks, numbers: Marks, shape: Shape) -> None:
    """Links between two rows that no column cuts."""
    widest = max(row.links_up for row in shape.rows)
    for lower, upper in zip(shape.rows, shape.rows[1:], strict=False):
        if {lower.kind, upper.kind}.isdisjoint(shape.in_columns):
            number = lower.links_up
            links.append(_bundle(_MIDDLE, lower, upper, number, number / widest, ""))
            numbers.append(_number(_MIDDLE, lower, upper, number))


def _bundle(
    x: float, lower: Row, upper: Row, number: int, share: float, where: str
) -> dict[str, Any]:
    names = f"{lower.of(2).split()[1]} to {upper.of(2).split()[1]}"
    return {
        "x": x,
        "x2": x,
        "y": lower.y + BOX_HEIGHT / 2,
        "y2": upper.y - BOX_HEIGHT / 2,
        "width": max(2.0, _WIDEST_BUNDLE * share),
        "opacity": 0.85,
        "tapered": lower.taper > 1,
        "tip": f"{where}{plural(number, 'link')} from {names}",
    }


def _number(x: float, lower: Row, upper: Row, number: int) -> dict[str, Any]:
    y = (lower.y + upper.y) / 2
    return {"x": x, "y": y, "text": f"{number:,}", "tip": plural(number, "link")}
