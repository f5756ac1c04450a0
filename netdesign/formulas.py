"""What a formula is: a function, its equation and its source, kept in one registry.

Decorating registers and returns the function itself, so a call costs nothing extra.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Formula:
    """One formula: where it lives, its equation and the key of its source."""

    name: str
    module: str
    function: Callable[..., Any]
    latex: str
    source: str
    summary: str


_REGISTRY: dict[str, Formula] = {}


def formula(*, latex: str, source: str) -> Callable[[Function], Function]:
    """Register a function as a formula.

    Parameters
    ----------
    latex : str     the equation
    source : str    key in data/references.bib

    Raises
    ------
    TypeError       when the equation, the source or the docstring is missing, or the name is taken
    """
    if not latex.strip() or not source.strip():
        raise TypeError("a formula needs its equation (latex) and the key of its source")

    def register(function: Function) -> Function:
        name = function.__name__
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        if not summary:
            raise TypeError(f"formula {name} has no docstring")
        known = _REGISTRY.get(name)
        if known is not None and known.module != function.__module__:
            raise TypeError(f"formula {name} exists in {known.module} and {function.__module__}")
        _REGISTRY[name] = Formula(name, function.__module__, function, latex, source, summary)
        return function

    return register


def formulas() -> Mapping[str, Formula]:
    """Return every formula registered so far, by name, read-only."""
    return MappingProxyType(_REGISTRY)
