"""Slurm's hostlist grammar, and its limits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from no_hang import no_hang

from netdesign.audit.slurm_topology.hostlist import expand, fold, numbered


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("m5", ["m5"]),
        ("n[001-003,7],m5", ["n001", "n002", "n003", "n7", "m5"]),
        ("a[1-2],n[3]", ["a1", "a2", "n3"]),  # the prefix ends with the bracket
        ("n[1-2][0-1]", ["n10", "n11", "n20", "n21"]),
        ("r[1-2]n[08-10]", ["r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10"]),
        ("[1-2]", ["1", "2"]),
        ("a,,b c\td", ["a", "b", "c", "d"]),
        ("n[9-11]", ["n9", "n10", "n11"]),
        ("", []),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    found = expand(text, 1000)
    assert (list(found.names), found.faults) == (names, ())


@pytest.mark.parametrize(
    ("text", "names", "reason"),
    [
        ("n[1-3", [], "not closed"),
        ("n1],m2", ["m2"], "not opened"),
        ("n[3-1]", [], "backwards"),
        ("n[a-b],m1", ["m1"], "no number"),
        ("n[1,-2]", ["n1"], "no number"),
        ("n[]", [], "nothing"),
        ("n[1-2]-ib", ["n1-ib", "n2-ib"], "behind the last bracket"),
    ],
)
def test_what_slurm_refuses(text: str, names: list[str], reason: str) -> None:
    found = expand(text, 1000)
    assert list(found.names) == names
    assert reason in found.faults[0]


@pytest.mark.parametrize(
    "text", ["n[1-1000000000]", "n[0-65536]", "a[1-999][1-999][1-999]", "n[1-9" + "9" * 30 + "]"]
)
def test_a_range_too_large_is_said_and_not_made(text: str) -> None:
    with no_hang():
        found = expand(f"m1,{text},m2", 1 << 20)
    assert found.names == ("m1", "m2")
    assert found.is_cut
    assert "large" in found.faults[0] or "too many" in found.faults[0]


def test_the_largest_range_that_slurm_allows() -> None:
    assert len(expand("n[0-65535]", 1 << 20).names) == 65_536
    assert not expand("n[0-65535]", 60_000).names


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["n1", "n2", "n3", "n5"], "n[1-3,5]"),
        (["n08", "n09", "n10"], "n[08-10]"),
        (["a1-ib", "a2-ib", "login"], "login,a[1-2]-ib"),
        (["n7"], "n7"),
    ],
)
def test_names_fold_again(names: list[str], text: str) -> None:
    assert fold(names) == text


def test_a_name_as_a_member_of_a_sequence() -> None:
    part = numbered("gpu-a007-ib")
    assert part is not None
    assert (part.prefix, part.number, part.suffix, part.width) == ("gpu-a", 7, "-ib", 3)
    assert numbered("login") is None
    assert numbered("n" + "9" * 40) is None


@given(st.text(alphabet="ab[]-,01 9", max_size=60))
def test_any_text_expands(text: str) -> None:
    found = expand(text, 500)
    assert len(found.names) <= 500
    fold(found.names)
