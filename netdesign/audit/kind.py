"""A kind of file: how it is known, read, summed up and judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from netdesign.audit.context import Context
from netdesign.audit.document import Document
from netdesign.audit.report import Finding, Understood


@dataclass(frozen=True)
class Kind:
    """One kind of file.

    ``needles`` are short byte strings of which a file of this kind has at least one; they make
    recognition fast. ``signature`` is searched in every line where a needle stands, until it is
    found.
    """

    name: str  # nccl-tests
    title: str  # what a person calls it
    needles: tuple[bytes, ...]
    signature: re.Pattern[str]
    read: Callable[[Document], tuple[Any, Understood]]
    summarise: Callable[[Any], dict[str, Any]]
    judge: Callable[[Any, Context], Sequence[Finding]]
    is_empty: Callable[[Any], bool]  # nothing of this kind was found after all
    # What was read with what a person knows beside it, where the summary tells of both.
    informed: Callable[[Any, Context], Any] = lambda content, _: content

    def recognises(self, document: Document) -> bool:
        """Whether a line of this kind stands in the document."""
        places = {needle: document.has(needle) for needle in self.needles}
        ahead = {needle: place for needle, place in places.items() if place >= 0}
        while ahead:
            place = min(ahead.values())
            text, end = document.line_around(place)
            if self.signature.search(text):
                return True
            end = max(place + 1, end)
            for needle in [needle for needle, place in ahead.items() if place < end]:
                ahead[needle] = document.sought.find(needle, end)
                if ahead[needle] < 0:
                    del ahead[needle]
        return False
