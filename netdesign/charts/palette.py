"""Colours of the pictures: Okabe and Ito's set, which people with any colour vision tell apart.

Wine, darker than all of these but blue, is added for sharded states.

A colour never stands alone: every mark carries its name beside it, tapered links are also dashed,
limits are also lines. Colours of things stay the same in light and dark. Ink, rules and boxes are
given here for a picture that is saved; on a page the stylesheet sets them, by the name of the layer
(``quiet``, ``box``, ``rule``).
"""

from __future__ import annotations

from types import MappingProxyType

BLUE = "#0072B2"
ORANGE = "#E69F00"
GREEN = "#009E73"
SKY = "#56B4E9"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"
WINE = "#A8386B"
YELLOW = "#F0E442"
GREY = "#9AA3AE"
PALE = "#C9CFD6"

ON_DARK_COLOUR = "#FFFFFF"
ON_LIGHT_COLOUR = "#10151B"

PART_COLOURS = MappingProxyType(
    {
        "compute": BLUE,
        "bubble": GREY,
        "tensor": ORANGE,
        "context": GREEN,
        "expert": PURPLE,
        "pipeline": YELLOW,
        "data": VERMILLION,
        "sharding": WINE,
        "optimizer": SKY,
        "overhead": PALE,
        "weights": BLUE,
        "gradients": VERMILLION,
        "activations": GREEN,
        "workspace": PALE,
    }
)

QUIET_INK = "#57616E"
BOX_FILL = "#F1F4F7"
BOX_LINE = "#7A8593"


def ink_on(colour: str) -> str:
    """The text colour that is read on a bar of this colour."""
    return ON_DARK_COLOUR if colour in (BLUE, WINE) else ON_LIGHT_COLOUR
