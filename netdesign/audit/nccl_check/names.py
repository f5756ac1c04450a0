"""Whose variable is it, and which name was meant?"""

from __future__ import annotations

import difflib
from functools import cache

from netdesign.catalog.nccl_variables import NcclOwner, NcclTables, nccl_tables

_FAMILY = "NCCL"
_LONGEST_NAME = 80


def is_ours(name: str) -> bool:
    """Whether a variable is NCCL's, a plug-in's, or looks as if it was meant to be."""
    if is_known(name):
        return True
    head = name.partition("_")[0]
    return head == _FAMILY or _nearly(head.upper(), _FAMILY) or head.lower() == "nccl"


def is_known(name: str) -> bool:
    """Whether a table has a variable of exactly this name."""
    return name in nccl_tables().variables or owner_of(name) is not None


def owner_of(name: str) -> NcclOwner | None:
    """Who else reads variables of this name, by its whole or by its beginning."""
    for row in nccl_tables().owners:
        if name == row.prefix or (not row.whole and name.startswith(row.prefix)):
            return row
    return None


@cache
def nearest(name: str) -> str:
    """The variable that was most likely meant; "" if none is close."""
    tables = nccl_tables()
    wanted = name.upper()[:_LONGEST_NAME]
    head, _, rest = wanted.partition("_")
    if head != _FAMILY and _nearly(head, _FAMILY):
        wanted = f"{_FAMILY}_{rest}"
    if _exists(wanted, tables):
        return wanted
    known = [row for row in tables.variables if _exists(row, tables)]
    close = difflib.get_close_matches(wanted, known, n=1, cutoff=0.8)
    return close[0] if close else ""


def _exists(name: str, tables: NcclTables) -> bool:
    row = tables.variables.get(name)
    return row is not None and row.status not in ("never", "removed")


def _nearly(word: str, wanted: str) -> bool:
    """Whether one letter more, less, other, or two letters swapped make the word."""
    if word == wanted or abs(len(word) - len(wanted)) > 1:
        return False
    if len(word) == len(wanted):
        wrong = [place for place in range(len(word)) if word[place] != wanted[place]]
        if len(wrong) == 1:
            return True
        return len(wrong) == 2 and sorted(word) == sorted(wanted) and wrong[1] == wrong[0] + 1
    short, long = sorted((word, wanted), key=len)
    return any(long[:place] + long[place + 1 :] == short for place in range(len(long)))
