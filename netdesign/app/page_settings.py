"""The settings of a page: read from their file, a value read from text, checked and written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

from netdesign.catalog import Parameter, data_directory
from netdesign.catalog.tables import keyed_rows
from netdesign.errors import DesignError


@dataclass(frozen=True)
class PageRequest:
    """A value for every setting of a page."""

    values: Mapping[str, Any]

    def value(self, path: str) -> Any:
        return self.values[path]

    def with_values(self, changes: Mapping[str, Any]) -> Self:
        """A copy with some values changed.

        Raises
        ------
        DesignError     for a value that its setting cannot have
        """
        for path, value in changes.items():
            self.check(path, value)
        return replace(self, values=MappingProxyType({**self.values, **changes}))

    def check(self, path: str, value: Any) -> None:
        """Refuse a value that a setting cannot have."""
        raise NotImplementedError


def settings_in(file: str) -> Mapping[str, Parameter]:
    """The settings of a file of the data folder by path, in its order."""
    return MappingProxyType(keyed_rows(data_directory() / file, Parameter, ("path",)))


def default_values(settings: Mapping[str, Parameter]) -> Mapping[str, Any]:
    """What a newcomer sees."""
    return MappingProxyType({path: read_value(one, one.default) for path, one in settings.items()})


def differing(
    settings: Mapping[str, Parameter], request: PageRequest, first: PageRequest
) -> list[tuple[str, Any]]:
    """The settings that differ from those of another request, as an address carries them."""
    return [
        (path, written(setting, request.value(path)))
        for path, setting in settings.items()
        if request.value(path) != first.value(path)
    ]


def read_changes(
    settings: Mapping[str, Parameter],
    pairs: Iterable[tuple[str, str]],
    check: Callable[[str, Any], None],
) -> tuple[dict[str, Any], list[str]]:
    """Values from the pairs of an address, and what in them was ignored and why."""
    changes: dict[str, Any] = {}
    ignored: list[str] = []
    for path, text in pairs:
        if path in settings:
            try:
                value = read_value(settings[path], text)
                check(path, value)
                changes[path] = value
            except DesignError as error:
                ignored.append(str(error))
    return changes, ignored


def read_value(setting: Parameter, text: str) -> Any:
    """A value from an address or a default.

    Raises
    ------
    DesignError     when it is not a number and should be
    """
    if setting.kind == "choice":
        return text
    try:
        return int(text) if setting.kind == "integer" else float(text)
    except ValueError:
        raise DesignError(setting.path, text, "is not a number", _range(setting)) from None


def check_value(setting: Parameter, value: Any, allowed: Collection[str]) -> None:
    """Refuse a value that a setting cannot have; ``allowed`` are those of a choice.

    Raises
    ------
    DesignError
    """
    if setting.kind == "choice":
        if value not in allowed:
            raise DesignError(setting.path, value, "is not known", f"one of {', '.join(allowed)}")
        return
    lowest, highest = setting.lowest, setting.highest
    if lowest is None or highest is None or not lowest <= value <= highest:
        raise DesignError(setting.path, value, "is out of range", _range(setting))


def written(setting: Parameter, value: Any) -> Any:
    """A value as an address carries it."""
    return f"{value:.12g}" if setting.kind == "number" else value


def _range(setting: Parameter) -> str:
    return f"give one from {setting.lowest:,.10g} to {setting.highest:,.10g}"


def sentence(line: str) -> str:
    """A note with a capital, unless it begins with a symbol, and a full stop or question mark."""
    first = line[:1] if line[1:3] == " =" else line[:1].upper()
    end = "" if line.endswith("?") else "."
    return f"{first}{line[1:].rstrip('.')}{end}"
