"""Can a dump be trusted? Ports in two places, and questions that got no answer."""

from __future__ import annotations

from collections.abc import Sequence

from netdesign.audit.report import Finding
from netdesign.wording import named, plural

_MOST_LISTED = 20


def conflicts(sentences: Sequence[str], count: int) -> list[Finding]:
    """Ports that a file cables to two places."""
    if not count:
        return []
    more = f" and {count - 1:,} more" if count > 1 else ""
    return [
        Finding(
            "conflicting-ports",
            "warning",
            "file",
            f"The file contradicts itself: {sentences[0]}{more}. Two dumps in one file, or cables "
            "that moved while it was made: the first word is taken.",
            {"count": count, "conflicts": list(sentences[:20])},
        )
    ]


def unreached(places: Sequence[str]) -> list[Finding]:
    """Devices that did not answer while the file was made."""
    if not places:
        return []
    return [
        Finding(
            "discovery-incomplete",
            "warning",
            "file",
            f"{plural(len(places), 'question')} without an answer while the file was made "
            f"({named(places)}): what lies there is missing. Look at the last port of each path, "
            "then take the dump again.",
            {"count": len(places), "places": list(places[:_MOST_LISTED])},
        )
    ]
