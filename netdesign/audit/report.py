"""What is said of a file: its kind, what it holds, what is wrong, and what was not understood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from netdesign.audit.line_split import LONGEST_LINE

Severity = Literal["error", "warning", "note"]
_MOST_LINES = 50  # whose numbers are told
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """A verdict with its reason; a note is worth knowing and is no fault."""

    rule: str  # stable name: "sick-link"
    severity: Severity
    where: str  # "table 2, 8 MiB", "LEAF-01 port 7", "line 12"
    message: str  # a sentence: what is wrong, the likely cause, what to do
    evidence: Mapping[str, Any] = field(default_factory=dict)  # plain numbers, texts, lists
    source: str = ""  # key in references.bib where the rule has one


@dataclass(frozen=True)
class NotUnderstood:
    """A line that no reader could use, shortened."""

    line: int
    text: str


@dataclass(frozen=True)
class FileReport:
    """Everything that is said of one file."""

    name: str
    kind: str  # of kinds.KINDS, "unknown" if none fits
    kinds: tuple[str, ...]  # all kinds of which there is something in the file
    summary: Mapping[str, Any]  # plain values, ready for JSON
    findings: tuple[Finding, ...]  # worst first
    not_understood: tuple[NotUnderstood, ...]
    not_listed: int = 0  # lines not understood beyond those listed
    check: str = ""  # of the plan of benchmarks, where the log names it
    contents: Mapping[str, Any] = field(default_factory=dict)  # by kind: what its reader returned

    @property
    def is_readable(self) -> bool:
        return self.kind != "unknown"

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is wrong; notes do not count."""
        return self.is_readable and all(entry.severity == "note" for entry in self.findings)


def worst_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Errors, warnings, notes; in the order in which they were found among equals."""
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


def too_long(lines: Sequence[int], lost: str) -> Finding:
    """A note on used lines of which only the start was read; ``lost`` says what is not here."""
    several = len(lines) > 1
    return Finding(
        "line-too-long",
        "note",
        f"line {lines[0]}",
        f"{f'{len(lines):,} lines are' if several else f'Line {lines[0]} is'} longer than "
        f"{LONGEST_LINE:,} characters, and {'were' if several else 'was'} not read to "
        f"{'their ends' if several else 'its end'}. {lost}",
        {"lines": list(lines[:_MOST_LINES]), "count": len(lines), "read_characters": LONGEST_LINE},
    )


class Understood:
    """Numbers of the lines that a reader has used, also those that it knows to mean nothing."""

    def __init__(self) -> None:
        self._used = bytearray()

    def add(self, number: int) -> None:
        """Line ``number`` was used."""
        if number >= len(self._used):
            self._used.extend(bytes(max(1024, number + 1 - len(self._used) + len(self._used) // 2)))
        self._used[number] = 1

    def add_range(self, first: int, last: int) -> None:
        """Lines ``first`` to ``last`` were used, both included."""
        if last >= first:
            self.add(last)
            self._used[first : last + 1] = b"\x01" * (last - first + 1)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number < len(self._used) and self._used[number] == 1

    def join(self, other: Understood) -> None:
        """All lines of another one were used too."""
        size = max(len(self._used), len(other._used))
        both = int.from_bytes(self._used, "little") | int.from_bytes(other._used, "little")
        self._used = bytearray(both.to_bytes(size, "little"))


def merged(used: Sequence[Understood]) -> Understood:
    """The lines that any of these has used."""
    every = Understood()
    for one in used:
        every.join(one)
    return every
