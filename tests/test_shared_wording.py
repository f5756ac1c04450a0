"""Counts, lists, sizes and names in one line of text."""

from __future__ import annotations

import pytest

from netdesign.wording import binary_size, named, natural_order, one_line, plural, printable


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (plural(1, "leaf"), "1 leaf"),
        (plural(1024, "leaf"), "1,024 leaves"),
        (plural(0, "management entry"), "0 management entries"),
        (plural(2, "link is", "links are"), "2 links are"),
        (plural(3.0, "spine"), "3 spines"),
    ],
)
def test_a_count_has_its_plural(said: str, expected: str) -> None:
    assert said == expected


def test_of_many_the_first_are_named_and_the_others_counted() -> None:
    assert named(["a", "b", "c"]) == "a, b, c"
    assert named((f"n{i}" for i in range(1004)), 2, "; ") == "n0; n1 and 1,002 more"
    assert named([]) == ""


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, "0 B"),
        (1000, "1000 B"),
        (64 * 2**10, "64 KiB"),
        (1000 * 2**10, "1000 KiB"),
        (1.5 * 2**30, "1.5 GiB"),
    ],
)
def test_a_message_size_has_the_unit_of_the_tools(size: float, expected: str) -> None:
    assert binary_size(size) == expected


def test_nothing_of_a_file_moves_the_cursor() -> None:
    assert printable("a\tb\x1b[2J\n") == "a?b?[2J?"
    assert one_line("a\tb\x1b[2J\n") == "a b?[2J?"
    assert printable("Größe") == "Größe"


def test_names_sort_by_their_numbers() -> None:
    names = ["node10", "node2", "leaf-1-10", "leaf-1-9", "7", "node"]
    assert sorted(names, key=natural_order) == [
        "7",
        "leaf-1-9",
        "leaf-1-10",
        "node",
        "node2",
        "node10",
    ]
    assert sorted(["n" + "9" * 10_000, "n1"], key=natural_order)[0] == "n1"
