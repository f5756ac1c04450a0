"""The one state of a page: what is asked, and what was asked before it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, Self

import traitlets

from netdesign.catalog import load_catalog
from netdesign.design import Design, default_design

LONGEST_HISTORY = 200
SAME_DRAG_S = 1.0


class Inputs(Protocol):
    """What a state holds: values by path, copied with some of them changed."""

    def value(self, path: str) -> Any: ...

    def with_values(self, changes: Mapping[str, Any]) -> Self: ...


class PageState(traitlets.HasTraits):
    """One trait, ``inputs``; whoever draws observes it, whoever controls assigns it."""

    inputs: Any = traitlets.Any()

    def __init__(
        self, inputs: Inputs, paths: Iterable[str], clock: Callable[[], float] = time.monotonic
    ):
        super().__init__(inputs=inputs)
        self._paths = tuple(paths)
        self._clock = clock
        self._past: list[Inputs] = []
        self._future: list[Inputs] = []
        self._last_change: tuple[frozenset[str], float] = (frozenset(), float("-inf"))
        self._travelling = False
        self._refused: Inputs | None = None
        self.observe(self._remember, "inputs")

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    def forget(self) -> None:
        """Make the present inputs the first ones: there is nothing to undo."""
        self._past.clear()
        self._future.clear()

    def refuse(self) -> None:
        """The present inputs could not be computed: undo and redo pass over it."""
        self._refused = self.inputs

    def change(self, changes: Mapping[str, Any]) -> None:
        """Set values by path; a wrong one raises DesignError and changes nothing."""
        self.inputs = self.inputs.with_values(changes)

    def undo(self) -> None:
        """Go back one step; a drag is one step."""
        self._travel(self._past, self._future)

    def redo(self) -> None:
        """Go forward again."""
        self._travel(self._future, self._past)

    def _travel(self, source: list[Inputs], target: list[Inputs]) -> None:
        if not source:
            return
        if self.inputs != self._refused:
            target.append(self.inputs)
        self._travelling = True
        try:
            self.inputs = source.pop()
        finally:
            self._travelling = False
        self._last_change = (frozenset(), float("-inf"))

    def _remember(self, change: Any) -> None:
        if self._travelling:
            return
        paths = _differing(change["old"], change["new"], self._paths)
        previous, at = self._last_change
        now = self._clock()
        another_step = paths != previous or now - at > SAME_DRAG_S or not self._past
        if another_step and change["old"] != self._refused:
            self._past.append(change["old"])
            del self._past[:-LONGEST_HISTORY]
        self._future.clear()
        self._last_change = (paths, now)


class StudioState(PageState):
    """The state of the Studio: a Design."""

    inputs: Any = traitlets.Instance(Design)

    def __init__(self, inputs: Design | None = None, clock: Callable[[], float] = time.monotonic):
        super().__init__(inputs or default_design(), _paths(), clock)


def changed_paths(old: Design, new: Design) -> frozenset[str]:
    """Paths at which two designs differ."""
    return _differing(old, new, _paths())


def _paths() -> tuple[str, ...]:
    return ("name", *load_catalog().parameters)


def _differing(old: Inputs, new: Inputs, paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path for path in paths if old.value(path) != new.value(path))
