"""Lines that a reader has used are passed over when the rest is listed."""

from __future__ import annotations

import gc

from netdesign.audit.document import document_of
from netdesign.audit.files import audit
from netdesign.audit.report import Understood, merged


def used(*numbers: int) -> Understood:
    lines = Understood()
    for number in numbers:
        lines.add(number)
    return lines


def test_lines_that_any_reader_has_used_are_passed_over() -> None:
    both = merged([used(1, 5000), used(3)])
    assert [number for number in (1, 2, 3, 4, 5000, 9000) if number in both] == [1, 3, 5000]
    document = document_of("a", "one\ntwo\nthree\nfour\n")
    assert [line.text for line in document.lines(both)] == ["two", "four"]
    assert [line.number for line in document.lines(merged([]))] == [1, 2, 3, 4]


def test_the_collector_runs_again_after_an_audit() -> None:
    assert gc.isenabled()
    audit(document_of("a", "nothing"))
    assert gc.isenabled()
    gc.disable()
    try:
        audit(document_of("a", "nothing"))
        assert not gc.isenabled()
    finally:
        gc.enable()
