"""The settings of a page: read from their file, a value read from text, checked and written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from netdesign.catalog import Parameter, data_directory
from netdesign.catalog.tables import keyed_rows
from netdesign.errors import DesignError


def settings_in(file: str) -> Mapping[str, Parameter]:
    """The settings of a file of the data folder by path, in its order."""
    return MappingProxyType(keyed_rows(data_directory() / file, Parameter, ("path",)))


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
