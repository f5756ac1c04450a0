"""``netdesign fabric`` and a wrong input: one sentence that says what would be right."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .shell import Run, strict_json

LONGEST_SENTENCE = 400
JARGON = ("NoneType", "Errno", "invalid literal", "math domain", "division", "numpy", "slice")


def check_sentence(run: Run, *names: str) -> None:
    """Exit status 2, nothing on stdout, one sentence on stderr in which every name stands."""
    assert "Traceback" not in run.err + run.out
    assert run.status == 2, run
    assert run.out == "", run.out
    lines = run.err.splitlines()
    assert len(lines) == 1, run.err
    sentence = lines[0].strip()
    assert sentence.isprintable(), repr(sentence)
    assert " " in sentence
    assert len(sentence) <= LONGEST_SENTENCE, sentence
    assert re.search(r"[\w.?)'\"]$", sentence), sentence
    assert not sentence.endswith("..."), sentence
    assert not [word for word in JARGON if word in sentence], sentence
    spelled = re.sub(r"(?<=\d),(?=\d{3})", "", sentence)
    for name in names:
        assert re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", spelled), (name, sentence)


NUMBERS = {
    "radix 0": ("fat-tree --endpoints 64 --radix 0", "radix", "0"),
    "radix negative": ("fat-tree --endpoints 64 --radix -4", "radix", "-4"),
    "radix 1": ("fat-tree --endpoints 64 --radix 1", "radix", "1"),
    "radix 0 of a rail-only": ("rail-only --endpoints 64 --radix 0", "radix", "0"),
    "radix 0 of planes": ("multi-plane --planes 2 --endpoints 64 --radix 0", "radix", "0"),
    "radix 0 of a dragonfly": ("dragonfly --endpoints 64 --radix 0", "radix", "0"),
    "radix 0 of a dragonfly+": ("dragonfly-plus --radix 0", "radix", "0"),
    "radix 0 of a slim fly": ("slim-fly --endpoints 64 --radix 0", "radix", "0"),
    "radix 0 of a hyperx": ("hyperx --endpoints 64 --radix 0", "radix", "0"),
    "no endpoints": ("fat-tree --endpoints 0 --radix 64", "endpoints", "0"),
    "negative endpoints": ("rail-optimised --endpoints -8 --radix 64", "endpoints", "-8"),
    "no endpoints of a dragonfly": ("dragonfly --endpoints 0", "endpoints", "0"),
    "no endpoints of a torus": ("torus --endpoints 0", "endpoints", "0"),
    "no tiers": ("fat-tree --endpoints 64 --tiers 0", "tiers", "0"),
    "four tiers": ("fat-tree --endpoints 64 --tiers 4", "tiers", "4"),
    "no rails": ("rail-optimised --endpoints 64 --rails 0", "rails", "0"),
    "no planes": ("multi-plane --endpoints 64 --planes 0", "planes", "0"),
    "negative planes": ("multi-plane --endpoints 64 --planes -2", "planes", "-2"),
    "no GPUs in a server": ("rail-optimised --endpoints 64 --gpus-per-server 0", "0"),
    "no servers in a unit": ("rail-optimised --endpoints 64 --unit-servers 0", "0"),
    "no GPUs in a domain": ("rail-only --endpoints 64 --domain 0", "domain", "0"),
    "no global links": ("dragonfly --h 0", "h", "0"),
    "no routers": ("dragonfly --h 2 --a 0", "a", "0"),
    "no endpoints at a router": ("dragonfly --h 2 --p -1", "p", "-1"),
    "no groups": ("dragonfly --h 2 --groups 0", "groups", "0"),
    "too many groups": ("dragonfly --h 2 --a 4 --p 2 --groups 10", "groups", "10", "9"),
    "q 0": ("slim-fly --q 0", "q", "0"),
    "q negative": ("slim-fly --q -5", "q", "-5"),
}


@pytest.mark.parametrize("case", NUMBERS.values(), ids=NUMBERS)
def test_number_out_of_range(command: Callable[..., Run], case: tuple[str, ...]) -> None:
    arguments, *names = case
    check_sentence(command("fabric", *arguments.split()), *names)


@pytest.mark.parametrize("case", NUMBERS.values(), ids=NUMBERS)
def test_json_changes_nothing_about_it(command: Callable[..., Run], case: tuple[str, ...]) -> None:
    arguments, *names = case
    check_sentence(command("fabric", *arguments.split(), "--json"), *names)


# What is asked for, the largest that fits.
TOO_MANY = {
    "two tiers": ("fat-tree --endpoints 2049 --radix 64 --tiers 2", "2048"),
    "three tiers": ("fat-tree --endpoints 65537 --radix 64", "65536"),
    "small switches": ("fat-tree --endpoints 129 --radix 8", "128"),
    "rail-optimised": ("rail-optimised --endpoints 65544 --radix 64", "65536"),
    "rail-only": (
        "rail-only --endpoints 524296 --radix 64 --rails 8 --gpus-per-server 8",
        "524288",
    ),
    "rail-only of two tiers": (
        "rail-only --endpoints 16392 --radix 64 --rails 8 --gpus-per-server 8 --tiers 2",
        "16384",
    ),
    "dragonfly+": ("dragonfly-plus --endpoints 105301 --radix 36", "105300"),
    "dragonfly of given shape": ("dragonfly --h 2 --a 4 --p 2 --endpoints 73", "72"),
    "slim fly of given q": ("slim-fly --q 5 --p 4 --endpoints 201", "200"),
    "hyperx of given shape": ("hyperx --dims 4x4 --p 4 --endpoints 65", "64"),
    "torus of given shape": ("torus --dims 4x4x4 --endpoints 65", "64"),
}


@pytest.mark.parametrize("case", TOO_MANY.values(), ids=TOO_MANY)
def test_more_than_fits_names_the_largest(
    command: Callable[..., Run], case: tuple[str, str]
) -> None:
    arguments, largest = case
    endpoints = arguments.split("--endpoints ")[1].split()[0]
    check_sentence(command("fabric", *arguments.split()), endpoints, largest)


def test_two_tiers_too_small_names_three(command: Callable[..., Run]) -> None:
    run = command("fabric", "fat-tree", "--endpoints", "2049", "--radix", "64", "--tiers", "2")
    check_sentence(run, "2048")
    assert re.search(r"\b3 tiers|three tiers|tiers 3|radix (?:of )?\d+", run.err), run.err


def test_three_tiers_too_small_names_a_radix(command: Callable[..., Run]) -> None:
    run = command("fabric", "fat-tree", "--endpoints", "65537", "--radix", "64")
    check_sentence(run, "65536")
    assert re.search("radix|ports", run.err), run.err
    # 64^3 / 4 is too small; 66 is the next even radix: 66^3 / 4 = 71,874.
    named = {int(each) for each in re.findall(r"\d+", run.err.replace(",", ""))}
    fits = {each for each in named if 64 < each <= 128 and each**3 // 4 >= 65_537}
    assert fits, run.err


@pytest.mark.parametrize(
    "arguments",
    [
        "dragonfly --endpoints 100000000 --radix 64",
        "slim-fly --endpoints 100000000 --radix 64",
        "fat-tree --endpoints 1000000000000000000 --radix 64",
        "rail-optimised --endpoints 1000000000000000000 --radix 64",
        "multi-plane --planes 2 --endpoints 100000000 --radix 64 --tiers 2",
        "dragonfly-plus --endpoints 1000000000000000000 --radix 64",
    ],
)
def test_far_too_many(command: Callable[..., Run], arguments: str) -> None:
    check_sentence(command("fabric", *arguments.split()), "endpoints")


@pytest.mark.parametrize(
    ("q", "below", "above"), [(28, 27, 29), (6, 5, 7), (15, 13, 16), (24, 23, 25), (21, 19, 23)]
)
def test_slim_fly_that_does_not_exist(
    command: Callable[..., Run], q: int, below: int, above: int
) -> None:
    check_sentence(command("fabric", "slim-fly", "--q", str(q)), str(q), str(below), str(above))


def test_slim_fly_that_does_not_exist_is_sized_as_json(command: Callable[..., Run]) -> None:
    run = command("fabric", "slim-fly", "--q", "28", "--p", "21", "--json")
    assert run.status == 0, run
    record = strict_json(run.out)
    assert record["buildable"] is False
    assert "27" in record["reason"]
    assert "29" in record["reason"]
    # DeepSeek-V3 hardware paper (2025), Table 3.
    assert (record["endpoints"], record["switches"]["total"]) == (32_928, 1_568)


@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["text", "json"])
def test_slim_fly_that_does_not_exist_has_no_cables(
    command: Callable[..., Run], tmp_path: Path, as_json: tuple[str, ...]
) -> None:
    plan = tmp_path / "cables.csv"
    run = command("fabric", "slim-fly", "--q", "28", "--cables", str(plan), *as_json)
    check_sentence(run, "28", "27", "29")
    assert not plan.exists()


def test_what_can_be_built_says_so(command: Callable[..., Run]) -> None:
    record = strict_json(command("fabric", "slim-fly", "--q", "27", "--json").out)
    assert record["buildable"] is True
    assert record["reason"] == ""


TAPERS = {
    "no uplink": ("1e9", ("oversubscription",)),
    "zero": ("0", ("oversubscription", "0")),
    "negative": ("-1", ("oversubscription", "-1")),
    "not a number": ("nan", ("oversubscription", "nan")),
    "infinite": ("inf", ("oversubscription", "inf")),
}


@pytest.mark.parametrize("family", ["fat-tree", "rail-optimised", "rail-only"])
@pytest.mark.parametrize("case", TAPERS.values(), ids=TAPERS)
def test_taper_that_cannot_be(
    command: Callable[..., Run], family: str, case: tuple[str, tuple[str, ...]]
) -> None:
    taper, names = case
    run = command(
        *("fabric", family, "--endpoints", "4096", "--radix", "64", "--tiers", "2"),
        *("--oversubscription", taper),
    )
    check_sentence(run, *names)


PARTS = {
    "switch without the speed": (
        "fat-tree --endpoints 64 --switch qm9700 --port-gbps 800",
        ("800", "400"),
    ),
    "unknown switch": ("fat-tree --endpoints 64 --switch qm97000", ("qm97000", "qm9700")),
    "endpoint faster than the port": (
        "fat-tree --endpoints 64 --port-gbps 400 --endpoint-gbps 800",
        ("800", "400"),
    ),
    "endpoint that does not divide the port": (
        "fat-tree --endpoints 64 --port-gbps 400 --endpoint-gbps 300",
        ("300", "400"),
    ),
    "no speed": ("fat-tree --endpoints 64 --port-gbps 0", ("0",)),
    "negative speed": ("fat-tree --endpoints 64 --port-gbps -400", ("-400",)),
    "no speed of an endpoint": ("fat-tree --endpoints 64 --endpoint-gbps 0", ("0",)),
    "speed that is no number": ("fat-tree --endpoints 64 --port-gbps nan", ("nan",)),
    "rails that do not divide": (
        "rail-optimised --endpoints 256 --gpus-per-server 8 --rails 3",
        ("rails", "3", "8"),
    ),
    "more rails than GPUs": (
        "rail-only --endpoints 256 --gpus-per-server 8 --rails 16",
        ("rails", "16", "8"),
    ),
    "hyperx beyond its radix": ("hyperx --dims 8x8 --p 60 --radix 64", ("74", "64")),
    "slim fly beyond its radix": ("slim-fly --q 27 --p 30 --radix 64", ("71", "64")),
    "dragonfly beyond its radix": ("dragonfly --h 16 --p 16 --a 32 --radix 32", ("63", "32")),
}


@pytest.mark.parametrize("case", PARTS.values(), ids=PARTS)
def test_parts_that_do_not_go_together(
    command: Callable[..., Run], case: tuple[str, tuple[str, ...]]
) -> None:
    arguments, names = case
    check_sentence(command("fabric", *arguments.split()), *names)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("fattree", "fat-tree"),
        ("dragonfy", "dragonfly"),
        ("slymfly", "slim-fly"),
        ("rail-optimisd", "rail-optimised"),
        ("torux", "torus"),
        ("multiplan", "multi-plane"),
        ("cube", "fat-tree"),
    ],
)
def test_unknown_family_names_the_nearest(
    command: Callable[..., Run], given: str, meant: str
) -> None:
    check_sentence(command("fabric", given, "--endpoints", "64"), given, meant)


@pytest.mark.parametrize("family", ["torus", "hyperx"])
@pytest.mark.parametrize("dims", ["4xx4", "0x4", "x", "4x", "4x-4", "axb", "4.5x4", "4,,4", ""])
def test_dims_that_are_none(command: Callable[..., Run], family: str, dims: str) -> None:
    run = command("fabric", family, "--dims", dims)
    check_sentence(run, "dims")


@pytest.mark.parametrize("extra", [(), ("--json",)], ids=["text", "json"])
def test_neither_family_nor_design(command: Callable[..., Run], extra: tuple[str, ...]) -> None:
    check_sentence(command("fabric", *extra), "design")


def test_design_file_that_is_missing(command: Callable[..., Run], tmp_path: Path) -> None:
    run = command("fabric", "--design", str(tmp_path / "none.yaml"), "--json")
    check_sentence(run, "none.yaml")


def test_design_file_that_is_wrong(command: Callable[..., Run], tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("network:\n  oversubscripton: 2\n", encoding="utf-8")
    run = command("fabric", "--design", str(file))
    check_sentence(run, "network.oversubscripton", "network.oversubscription")


def test_design_that_is_a_folder(command: Callable[..., Run], tmp_path: Path) -> None:
    check_sentence(command("fabric", "--design", str(tmp_path)))


@pytest.mark.parametrize("extra", [(), ("--json",)], ids=["text", "json"])
def test_plan_into_a_folder_that_does_not_exist(
    command: Callable[..., Run], tmp_path: Path, extra: tuple[str, ...]
) -> None:
    plan = tmp_path / "none" / "cables.csv"
    run = command("fabric", "fat-tree", "--endpoints", "64", "--cables", str(plan), *extra)
    check_sentence(run, "cables.csv")


def test_plan_over_a_folder(command: Callable[..., Run], tmp_path: Path) -> None:
    run = command("fabric", "fat-tree", "--endpoints", "64", "--cables", str(tmp_path))
    check_sentence(run)
