"""One design on two fabrics, or two designs: which is better, by how much, and how sure is that?"""

from netdesign.comparison.compare import Comparison, compare, compare_transports
from netdesign.comparison.counterpart import Counterpart, counterpart
from netdesign.comparison.figures import Figure, TransportFigures, figures_of, read_overrides
from netdesign.comparison.measures import Measure
from netdesign.comparison.money import Money, Pricing
from netdesign.comparison.sides import Side, side_of

__all__ = [
    "Comparison",
    "Counterpart",
    "Figure",
    "Measure",
    "Money",
    "Pricing",
    "Side",
    "TransportFigures",
    "compare",
    "compare_transports",
    "counterpart",
    "figures_of",
    "read_overrides",
    "side_of",
]
