"""What an explanation of a number is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from netdesign.app.panels.origins import Origin
from netdesign.bands import MEANING, Band, Bands
from netdesign.charts.format import digits

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

Term = tuple[str, str, Any]  # symbol in LaTeX, what it is, value
Terms = list[Term]
Origins = tuple[Origin, ...]


class Explanation(NamedTuple):
    """A number in words, its equation, the value of each term, and the formulas of the terms."""

    title: str
    sentence: str
    equation: str
    terms: Callable[[Evaluation], Terms]
    formulas: tuple[str, ...] = ()
    source: str = ""  # of the equation: key in data/references.bib
    origins: Callable[[Evaluation], Origins] = lambda _: ()
    band: Callable[[Bands], Band] | None = None
    say: Callable[[Any], Any] = digits
    meaning: str = MEANING  # of the band
