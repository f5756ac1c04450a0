"""Any bytes become numbered lines, and nothing that moves a cursor is left in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.audit.context import line_rate_of
from netdesign.audit.document import LONGEST_LINE, document_of, open_document
from netdesign.audit.files import audit
from netdesign.audit.report import Understood
from netdesign.errors import DesignError


def texts(content: bytes | str) -> list[str]:
    return [line.text for line in document_of("a", content).lines()]


def test_colours_launcher_prefixes_and_nuls_go() -> None:
    assert texts("[1,0]<stdout>:  8 [1,0]<stdout>:  2\x1b[4mGPU0\x1b[0m\x00!") == ["  8   2GPU0!"]


def test_numbers_are_those_of_an_editor() -> None:
    lines = list(document_of("a", "one\r\n\r\n10%\r100%\nlast").lines())
    assert [(line.number, line.text) for line in lines] == [
        (1, "one"),
        (2, ""),
        (3, "10%"),
        (3, "100%"),
        (4, "last"),
    ]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_encodings(encoding: str) -> None:
    assert texts("# nThread 1 nGpus 1\nrow two\n".encode(encoding)) == [
        "# nThread 1 nGpus 1",
        "row two",
    ]


def test_a_line_of_megabytes_is_cut_and_the_next_one_is_not(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"first\n" + b"x" * (5 << 20) + b"\nlast\n")
    lines = list(open_document(path).lines())
    assert [line.number for line in lines] == [1, 2, 3]
    assert (len(lines[1].text), lines[1].cut) == (LONGEST_LINE, True)
    assert (lines[2].text, lines[2].cut) == ("last", False)


def test_a_large_file_reads_as_a_small_one(tmp_path: Path) -> None:
    content = b"".join(b"line %d\n" % number for number in range(200_000))
    path = tmp_path / "large.txt"
    path.write_bytes(content)
    large = [(line.number, line.text) for line in open_document(path).lines()]
    assert large == [(line.number, line.text) for line in document_of("a", content).lines()]


@given(st.binary(max_size=300))
def test_any_bytes_are_read(content: bytes) -> None:
    for text in texts(content):
        assert text == "" or text[-1] != " "
        assert all(
            letter.isprintable() or letter.isspace() or ord(letter) > 0x9F for letter in text
        )
    report = audit(document_of("a", content))
    assert report.findings or report.is_readable


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "empty"), (bytes(range(32)) * 99, "not text"), (b"hello\n", "kind")],
)
def test_what_is_not_read_says_why(content: bytes, reason: str) -> None:
    report = audit(document_of("a", content))
    assert (report.kind, report.is_readable, report.is_healthy) == ("unknown", False, False)
    assert reason in report.findings[0].message


def test_understood_lines() -> None:
    used = Understood()
    used.add(3)
    used.add_range(5000, 5002)
    assert [number for number in range(6000) if number in used] == [3, 5000, 5001, 5002]


@pytest.mark.parametrize("text", ["400G", "400", "400Gb/s", "400 Gbps", "400gbit/s"])
def test_a_line_rate_as_people_write_it(text: str) -> None:
    assert line_rate_of(text) == 50e9


@pytest.mark.parametrize("text", ["", "fast", "-1G", "nan", "inf"])
def test_no_line_rate(text: str) -> None:
    with pytest.raises(DesignError, match="line-rate"):
        line_rate_of(text)
