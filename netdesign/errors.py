"""The one exception of the project: what is wrong with an input, and what would be right."""

from __future__ import annotations

from typing import Any

from netdesign.wording import printable

_LONGEST_VALUE = 80


class DesignError(Exception):
    """An input that cannot be used; as text it is one sentence on one line.

    Parameters
    ----------
    field : str     name of the setting; in a data file also the file, row and column
    value : Any     what was given; None or "" when nothing was
    reason : str    why it cannot be used, a clause that follows the value: "is below 1"
    hint : str      what would be right: "give a whole number of at least 1"
    """

    def __init__(self, field: str, value: Any, reason: str, hint: str) -> None:
        super().__init__(field, value, reason, hint)
        self.field = field
        self.value = value
        self.reason = reason
        self.hint = hint

    def within(self, where: str) -> DesignError:
        """The same error with the file it stands in before the field."""
        return DesignError(f"{where}: {self.field}", self.value, self.reason, self.hint)

    def __str__(self) -> str:
        given = "" if self.value is None or self.value == "" else f": {shown(self.value)}"
        sentence = " ".join(f"{self.field}{given} {self.reason}; {self.hint}".split())
        return printable(sentence)


def shown(value: Any) -> str:
    """Return a value as one short line of text, whatever a stranger put into it."""
    text = repr(value)
    if len(text) <= _LONGEST_VALUE:
        return text
    return text[: _LONGEST_VALUE - 3] + "..."
