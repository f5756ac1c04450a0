"""A file read and judged, whatever it is."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from netdesign.acceptance.mark import MARK
from netdesign.audit.context import Context
from netdesign.audit.document import LARGEST_TEXT, Document
from netdesign.audit.doubt import with_doubt
from netdesign.audit.kind import Kind
from netdesign.audit.kinds import KINDS
from netdesign.audit.report import (
    FileReport,
    Finding,
    NotUnderstood,
    Understood,
    merged,
    worst_first,
)

MOST_LISTED = 1000  # lines not understood that are listed
LONGEST_SHOWN = 200  # characters of such a line
_WITHOUT_MEANING = re.compile(r"[\s#*=_.`~|+:-]*\Z")


def audit(document: Document, context: Context | None = None) -> FileReport:
    """Read a file, say what it holds, and judge it.

    Parameters
    ----------
    document : Document
    context : Context       what it is held against; nothing if None

    Returns
    -------
    FileReport              of kind "unknown" with one finding when nothing in it is known
    """
    with _without_collection():
        return _audited(document, context or Context())


@contextmanager
def _without_collection() -> Iterator[None]:
    """The collector would walk the hundreds of thousands of rows of a large file again and again;
    that doubles the time, and there is nothing in them to collect.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _audited(document: Document, known: Context) -> FileReport:
    read = [(kind, *kind.read(document)) for kind in KINDS if kind.recognises(document)]
    found = [entry for entry in read if not entry[0].is_empty(entry[1])]
    if not found:
        return _unknown(document, [kind for kind, *_ in read])
    unread, more = _not_understood(document, [entry[2] for entry in found])
    summary: dict[str, Any] = {}
    findings: list[Finding] = []
    for kind, content, _ in found:
        for key, value in kind.summarise(kind.informed(content, known)).items():
            taken = f"{kind.name.replace('-', '_')}_{key}"
            summary[key if key not in summary else taken] = value
        said = {finding.rule for finding in findings}  # by a more telling kind
        findings.extend(entry for entry in kind.judge(content, known) if entry.rule not in said)
    return FileReport(
        name=document.name,
        kind=found[0][0].name,
        kinds=tuple(kind.name for kind, *_ in found),
        summary=summary,
        findings=worst_first(with_doubt(findings)),
        not_understood=unread,
        not_listed=more,
        check=_check_of(document),
        contents={kind.name: content for kind, content, _ in found},
    )


def audit_whatever(document: Document, context: Context | None = None) -> FileReport:
    """The same, where a fault of a reader must not cost the reports on other files."""
    try:
        return audit(document, context)
    except Exception as error:
        reason = f"netdesign itself failed on it ({type(error).__name__}: {str(error)[:120]})"
        return unreadable(document.name, reason, "reader-failed")


def _check_of(document: Document) -> str:
    """The check of a plan whose script wrote this log; blank if none did."""
    place = document.has(MARK.encode())
    return document.line_around(place)[0].partition(MARK)[2].strip() if place >= 0 else ""


def _unknown(document: Document, candidates: Sequence[Kind]) -> FileReport:
    if not len(document.content):
        reason = "the file is empty"
    elif document.is_noise:
        reason = "the file is not text"
    elif candidates and len(document.content) > LARGEST_TEXT:
        titles = ", ".join(kind.title for kind in candidates)
        reason = (
            f"it looks like {titles}, but nothing could be read; JSON is read up to "
            f"{LARGEST_TEXT // 2**20} MiB"
        )
    else:
        titles = ", ".join(kind.title for kind in KINDS)
        reason = f"nothing in it is of a kind that is read ({titles})"
    unread, more = _not_understood(document, [])
    check = _check_of(document)
    return replace(
        unreadable(document.name, reason), not_understood=unread, not_listed=more, check=check
    )


def unreadable(name: str, reason: str, rule: str = "unreadable") -> FileReport:
    """The report on a file of which nothing was read."""
    finding = Finding(rule, "error", "file", f"Not read: {reason}.")
    return FileReport(name, "unknown", (), {}, (finding,), ())


def _not_understood(
    document: Document, used: Sequence[Understood]
) -> tuple[tuple[NotUnderstood, ...], int]:
    listed: list[NotUnderstood] = []
    more = 0
    for line in document.lines(merged(used)):
        if not line.text or line.text.startswith(MARK):
            continue
        if _WITHOUT_MEANING.match(line.text) is not None:
            continue
        if len(listed) < MOST_LISTED:
            listed.append(NotUnderstood(line.number, line.text[:LONGEST_SHOWN]))
        else:
            more += 1
    return tuple(listed), more
