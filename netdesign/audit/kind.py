"""A kind of file: how it is known, read, summed up and judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from netdesign.audit.context import Context
from netdesign.audit.document import Document
from netdesign.audit.report import Finding, Understood

_MOST_PLACES = 200  # of one needle that are looked at


@dataclass(frozen=True)
class Kind:
    """One kind of file.

    ``needles`` are short byte strings of which a file of this kind has at least one; they make
    recognition fast. ``signature`` is searched in the line where a needle stands.
    """

    name: str  # nccl-tests
    title: str  # what a person calls it
    needles: tuple[bytes, ...]
    signature: re.Pattern[str]
    read: Callable[[Document], tuple[Any, Understood]]
    summarise: Callable[[Any], dict[str, Any]]
    judge: Callable[[Any, Context], Sequence[Finding]]
    is_empty: Callable[[Any], bool]  # nothing of this kind was found after all

    def recognises(self, document: Document) -> bool:
        """Whether a line of this kind stands in the document."""
        for needle in self.needles:
            place = document.has(needle)
            for _ in range(_MOST_PLACES):
                if place < 0:
                    break
                if self.signature.search(document.line_at(place)):
                    return True
                place = document.content.find(needle, place + len(needle))
        return False
