"""The network picture of a large fabric: pods as stacked boxes, links as numbered bundles."""

from __future__ import annotations

from typing import Any

from netdesign.charts.network_shape import BOX_HEIGHT, LEFT, RIGHT, Row, Shape
from netdesign.charts.words import plural

Marks = list[dict[str, Any]]

MOST_PODS = 6
SHOWN_OF_MANY = 3
_WIDEST_BUNDLE = 16.0
_STACK = (0.45, 1.5)  # how far a box of a stack stands behind the one before
_ONE_MANY = {
    "server": ("server", "servers"),
    "leaf": ("leaf", "leaves"),
    "spine": ("spine", "spines"),
    "core": ("core", "cores"),
}


def draw(shape: Shape) -> tuple[Marks, Marks, Marks, Marks]:
    """Boxes, links, names and numbers; at most six pods, of more the first three and the last."""
    boxes: Marks = []
    links: Marks = []
    names: Marks = []
    numbers: Marks = []
    columns = _columns(shape)
    in_pods = [row for row in shape.rows if row.kind in ("server", "leaf")]
    above = [row for row in shape.rows if row.kind in ("spine", "core")]
    widest = max(row.links_up for row in shape.rows)
    for centre, width, pod in columns:
        if pod is None:
            for row in in_pods:
                names.append({"x": centre, "y": row.y, "text": _hidden(shape), "tip": ""})
            continue
        counts = [shape.in_pod(row, pod) for row in in_pods]
        for row, count in zip(in_pods, counts, strict=True):
            text = _name(row, count, pod, shape)
            _stack(boxes, names, centre, width, row.y, count, text, f"Pod {pod + 1}: {text}")
        _pod_links(links, numbers, shape, centre, counts, pod, widest)
    for row in above:
        text = plural(row.count, *_ONE_MANY[row.kind])
        _stack(boxes, names, (LEFT + RIGHT) / 2, RIGHT - LEFT - 2, row.y, row.count, text, text)
    for lower, upper in zip(above, above[1:], strict=False):
        middle = (LEFT + RIGHT) / 2
        links.append(_bundle(middle, lower, upper, lower.links_up, lower.links_up / widest))
        numbers.append(_number(middle, lower, upper, lower.links_up))
    return boxes, links, names, numbers


def _columns(shape: Shape) -> list[tuple[float, float, int | None]]:
    """Centre, width and number of each pod that is drawn; None for the ones left out."""
    pods: list[int | None] = list(range(shape.pods))
    if shape.pods > MOST_PODS:
        pods = [*range(SHOWN_OF_MANY), None, shape.pods - 1]
    slot = (RIGHT - LEFT) / len(pods)
    return [(LEFT + (n + 0.5) * slot, min(0.78 * slot, 26.0), pod) for n, pod in enumerate(pods)]


def _hidden(shape: Shape) -> str:
    return f"· · · {shape.pods - SHOWN_OF_MANY - 1:,} more · · ·"


def _name(row: Row, count: int, pod: int, shape: Shape) -> str:
    if row.kind == "leaf" and count == 1 and shape.pods == row.count:
        return f"leaf {pod + 1:,}"
    return plural(count, *_ONE_MANY[row.kind])


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


def _pod_links(
    links: Marks,
    numbers: Marks,
    shape: Shape,
    centre: float,
    counts: list[int],
    pod: int,
    widest: int,
) -> None:
    for number, (row, count) in enumerate(zip(shape.rows, counts, strict=False)):
        upper = shape.rows[number + 1] if number + 1 < len(shape.rows) else None
        if upper is None or not row.links_up:
            continue
        bundle = round(row.links_up * count / max(1, row.count))
        links.append(_bundle(centre, row, upper, bundle, row.links_up / widest, pod))
        numbers.append(_number(centre, row, upper, bundle))


def _bundle(
    x: float, lower: Row, upper: Row, number: int, share: float, pod: int | None = None
) -> dict[str, Any]:
    one, other = _ONE_MANY[lower.kind][1], _ONE_MANY[upper.kind][1]
    where = "" if pod is None else f"Pod {pod + 1}: "
    return {
        "x": x,
        "x2": x,
        "y": lower.y + BOX_HEIGHT / 2,
        "y2": upper.y - BOX_HEIGHT / 2,
        "width": max(2.0, _WIDEST_BUNDLE * share),
        "opacity": 0.85,
        "tapered": lower.taper > 1,
        "tip": f"{where}{plural(number, 'link')} from {one} to {other}",
    }


def _number(x: float, lower: Row, upper: Row, number: int) -> dict[str, Any]:
    text = f"{number:,}"
    return {"x": x, "y": (lower.y + upper.y) / 2, "text": text, "tip": plural(number, "link")}
