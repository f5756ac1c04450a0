"""What the words of a table of runs say: rows of ``data/run_words.csv``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from netdesign.catalog import Row, data_directory
from netdesign.catalog.tables import Name, read_rows


class RunWord(Row):
    """A word in a column of a table of runs, and the value of a field that it stands for.

    ``pattern`` is a regular expression, without regard to case; the first row of a field whose
    pattern is found decides. ``value`` may take over a group of the pattern.
    """

    column: Name
    pattern: str = ""
    field: Name
    value: Name


@cache
def run_words() -> tuple[RunWord, ...]:
    """The rows in the order of the file."""
    return read_rows(data_directory() / "run_words.csv", RunWord)


def said_by(texts: Mapping[str, str]) -> dict[str, str]:
    """Fields that the words of a row set.

    Parameters
    ----------
    texts : mapping of str      text by column; a column that is not in it says nothing
    """
    found: dict[str, str] = {}
    for column, text in texts.items():
        for field, value in _said(column, text).items():
            found.setdefault(field, value)
    return found


@lru_cache(maxsize=4096)
def _said(column: str, text: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for word in run_words():
        if word.column == column and word.field not in found:
            match = re.search(word.pattern, text, re.IGNORECASE)
            if match:
                found[word.field] = match.expand(word.value)
    return found
