"""What there is to say about a lossless configuration."""

from __future__ import annotations

from dataclasses import dataclass

SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Remark:
    """One thing that is wrong or worth knowing, why, and what would be right."""

    code: str  # stable name, e.g. "marks-after-pause"
    severity: str  # one of SEVERITIES
    sentence: str
    fix: str
    source: str  # key of references.bib
    where: str = ""  # table, row or ports that it is about
    grade: str = "verified"


def worst_first(found: list[Remark]) -> tuple[Remark, ...]:
    """Errors before warnings before notes; equals keep their order."""
    return tuple(sorted(found, key=lambda remark: SEVERITIES.index(remark.severity)))
