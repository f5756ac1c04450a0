"""What a finding is."""

from __future__ import annotations

from dataclasses import dataclass

SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """A short sentence with the number that would fix it."""

    code: str  # stable name of the rule, e.g. "memory-does-not-fit"
    severity: str  # one of SEVERITIES
    sentence: str
    fix: str
    field: str = ""  # parameter path that the fix changes, empty if none
    suggestion: float | str | bool | None = None  # the value that would fix it
