"""A wrong input gets one sentence that names file, field, value and what would be right."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from .shell import SHIPPED, Run, run_process

LONGEST_SENTENCE = 400
# Words of the programmer, not of the planner.
JARGON = ("instance of", "dictionary", "Choice", "NoneType", "utf-8 codec")


def check_sentence(run: Run, *names: str) -> None:
    assert "Traceback" not in run.err + run.out
    assert run.status == 2, run
    assert run.out == ""
    sentence = run.err.strip()
    assert sentence
    assert len(sentence.splitlines()) == 1, sentence
    assert sentence.isprintable(), repr(sentence)
    assert len(sentence) <= LONGEST_SENTENCE, sentence
    for name in names:
        assert name in sentence, (name, sentence)
    assert not [word for word in JARGON if word in sentence], sentence


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "\n".join(
    f"{key}: &{key} [{', '.join([f'*{before}'] * 9)}]"
    for before, key in zip("abcdefgh", "bcdefghi", strict=True)
)

BAD_DESIGNS = {
    "unknown key": (
        "network:\n  oversubscripton: 2\n",
        ("network.oversubscripton", "network.oversubscription"),
    ),
    "unknown section": ("netwrk:\n  oversubscription: 2\n", ("netwrk", "network")),
    "number as key": ("network:\n  7: 2\n", ("network.7",)),
    "list as key": ("? [1, 2]\n: 3\n", ()),
    "mapping as key": ("? {a: 1}\n: 3\n", ()),
    "text for a number": ("cluster:\n  gpus: many\n", ("cluster.gpus", "many", "whole number")),
    "fraction of a GPU": ("cluster:\n  gpus: 1024.5\n", ("cluster.gpus", "1024.5", "whole")),
    "list for a number": ("cluster:\n  gpus: [1, 2]\n", ("cluster.gpus", "[1, 2]")),
    "nothing for a number": ("cluster:\n  gpus:\n", ("cluster.gpus", "whole number")),
    "yes for a number": ("cluster:\n  gpus: yes\n", ("cluster.gpus", "True", "whole number")),
    "number for a section": ("cluster: 5\n", ("cluster", "5")),
    "word for a flag": (
        "plan:\n  sequence_parallel: maybe\n",
        ("plan.sequence_parallel", "maybe", "true or false"),
    ),
    "number for a choice": ("cluster:\n  server: 8\n", ("cluster.server", "8")),
    "list for a design": ("- a\n- b\n", ()),
    "text for a design": ("hello\n", ("hello",)),
    "no GPUs": ("cluster:\n  gpus: 0\n", ("cluster.gpus", "0", "from 1")),
    "too many GPUs": ("cluster:\n  gpus: 131073\n", ("cluster.gpus", "131073", "131,072")),
    "negative GPUs": ("cluster:\n  gpus: -8\n", ("cluster.gpus", "-8", "from 1")),
    "negative taper": (
        "network:\n  oversubscription: -1\n",
        ("network.oversubscription", "-1", "from 1"),
    ),
    "not a number": (
        "network:\n  oversubscription: .nan\n",
        ("network.oversubscription", "nan", "from 1"),
    ),
    "infinity": (
        "training:\n  token_budget_trillion: .inf\n",
        ("training.token_budget_trillion", "inf"),
    ),
    "infinite GPUs": ("cluster:\n  gpus: .inf\n", ("cluster.gpus", "inf", "whole number")),
    "number of 5,000 digits": (f"cluster:\n  gpus: {'9' * 5000}\n", ()),
    "day that does not exist": ("name: 2024-13-45\n", ()),
    "broken hexadecimal": ("cluster:\n  gpus: 0x_\n", ()),
    "forced number": ("cluster:\n  gpus: !!int many\n", ()),
    "forced date": ("name: !!timestamp never\n", ()),
    "unknown server": ("cluster:\n  server: dgx-h10\n", ("cluster.server", "dgx-h10", "dgx-h100")),
    "unknown model": (
        "model:\n  preset: llama-3-70\n",
        ("model.preset", "llama-3-70", "llama-3-70b"),
    ),
    "TP that does not divide heads": (
        "cluster:\n  gpus: 1023\nplan:\n  mode: manual\n  tensor: 3\n  pipeline: 1\n",
        ("plan.tensor", "3", "heads", "2"),
    ),
    "more ranks than GPUs": (
        "cluster:\n  gpus: 8\nplan:\n  mode: manual\n  tensor: 8\n  pipeline: 4\n",
        ("plan.tensor", "8", "32"),
    ),
    "experts in a dense model": (
        "plan:\n  mode: manual\n  tensor: 8\n  pipeline: 1\n  expert: 4\n",
        ("plan.expert", "4", "1"),
    ),
    "FP8 on a card without it": (
        "cluster:\n  server: dgx-a100\ntraining:\n  precision: fp8\n",
        ("training.precision", "fp8", "A100", "bf16"),
    ),
    "more stages than layers": (
        "plan:\n  mode: manual\n  tensor: 1\n  pipeline: 128\n",
        ("plan.pipeline", "128", "80"),
    ),
    "open bracket": ("network: [1, 2\n", ("YAML",)),
    "tab": ("network:\n\toversubscription: 2\n", ("YAML", "line 2")),
    "brackets without end": ("[" * 20_000, ()),
    "alias bomb": (BOMB, ("alias",)),
    "code": ("!!python/object/apply:os.system ['true']\n", ("YAML",)),
    "key twice": (
        "network:\n  oversubscription: 2\n  oversubscription: 4\n",
        ("oversubscription", "twice", "line 3"),
    ),
    "newline in a key": ('"net\\nwork": 2\n', ()),
    "escape in a key": ('"\\e[31mred": 2\n', ()),
    "endless key": (f"{'k' * 900}: 2\n", ()),
    "endless value": (f"cluster:\n  server: {'s' * 9000}\n", ("cluster.server",)),
    "escape in a value": ('cluster:\n  server: "\\e[31m\\n"\n', ("cluster.server",)),
    "other version": ("schema_version: 99\n", ("schema_version", "99", "1")),
}


@pytest.mark.parametrize("case", BAD_DESIGNS)
def test_bad_design(command: Callable[..., Run], tmp_path: Path, case: str) -> None:
    text, names = BAD_DESIGNS[case]
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    check_sentence(command("evaluate", str(file)), "mine.yaml", *names)


BAD_FILES = {
    "picture": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)),
    "zeros": bytes(1000),
    "UTF-16": b"\xff\xfe" + "cluster: {gpus: 0}".encode("utf-16-le"),
    "Latin-1": "name: Zürich\n".encode("latin-1"),
    "huge": b"# much\n" * 2_000_000,
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_file_that_is_no_design(command: Callable[..., Run], tmp_path: Path, case: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes(BAD_FILES[case])
    check_sentence(command("evaluate", str(file)), "mine.yaml")


def test_file_that_does_not_exist(command: Callable[..., Run], tmp_path: Path) -> None:
    check_sentence(command("evaluate", str(tmp_path / "absent.yaml")), "absent.yaml", "o such file")


def test_folder_instead_of_a_file(command: Callable[..., Run], tmp_path: Path) -> None:
    check_sentence(command("evaluate", str(tmp_path)), tmp_path.name)


def test_misspelt_shipped_design(command: Callable[..., Run]) -> None:
    check_sentence(command("evaluate", SHIPPED + "x"), SHIPPED + "x")


def _archive(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


BAD_PRICES = {
    "missing column": ("q.csv", b"part_id,source\nqm9700,me\n", ("price_usd",)),
    "negative": ("q.csv", b"part_id,price_usd\nqm9700,-5\n", ("row 2", "price_usd", "-5")),
    "text": ("q.csv", b"part_id,price_usd\nqm9700,cheap\n", ("row 2", "price_usd", "cheap")),
    "comma in a number": ("q.csv", b'part_id,price_usd\nqm9700,"36,000"\n', ("36,000",)),
    "not a number": ("q.csv", b"part_id,price_usd\nqm9700,nan\n", ("row 2", "price_usd", "nan")),
    "infinity": ("q.csv", b"part_id,price_usd\nqm9700,inf\n", ("row 2", "price_usd", "inf")),
    "blank price": ("q.csv", b"part_id,price_usd\nqm9700,\n", ("row 2", "price_usd", "blank")),
    "formula": ("q.csv", b"part_id,price_usd\nqm9700,=1+1\n", ("row 2", "price_usd", "=1+1")),
    "empty": ("q.csv", b"", ()),
    "header only": ("q.csv", b"part_id,price_usd\n", ()),
    "part twice": ("q.csv", b"part_id,price_usd\na,1\na,2\n", ("row 3", "twice")),
    "binary": ("q.csv", b"\xff\xfe\x00part", ()),
    "zeros": ("q.csv", bytes(100), ()),
    "open quote": ("q.csv", b'part_id,price_usd\n"qm9700,1\n', ()),
    "huge": ("q.csv", b"part_id,price_usd\n" + b"x,1\n" * 500_000, ("large",)),
    "not a workbook": ("q.xlsx", b"part_id,price_usd\nqm9700,1\n", ("workbook",)),
    "empty workbook": ("q.xlsx", b"", ()),
    "other archive": ("q.xlsx", _archive(**{"a.txt": b"hello"}), ("workbook",)),
    "archive bomb": ("q.xlsx", _archive(**{"xl/a": bytes(50_000_000)}), ("large",)),
    "other kind": ("q.pdf", b"%PDF-1.4", (".csv or .xlsx",)),
    "escape": ("q.csv", b"part_id,price_usd\nqm9700,\x1b[31m\n", ("row 2",)),
}


@pytest.mark.parametrize("case", BAD_PRICES)
def test_bad_prices(command: Callable[..., Run], tmp_path: Path, case: str) -> None:
    name, content, names = BAD_PRICES[case]
    file = tmp_path / name
    file.write_bytes(content)
    check_sentence(command("evaluate", SHIPPED, "--prices", str(file)), name, *names)


def test_price_file_that_does_not_exist(command: Callable[..., Run], tmp_path: Path) -> None:
    run = command("evaluate", SHIPPED, "--prices", str(tmp_path / "absent.csv"))
    check_sentence(run, "absent.csv", "o such file")


def test_a_narrow_terminal_does_not_break_the_sentence(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("cluster:\n  gpus: 0\n", encoding="utf-8")
    run = run_process("evaluate", str(file), "--json", COLUMNS="40")
    check_sentence(run, "mine.yaml", "cluster.gpus", "0", "from 1")


@pytest.mark.parametrize(
    ("text", "code_word"),
    [
        ("plan: {mode: manual, tensor: 1, pipeline: 1, sharding: ddp}", "memory"),
        ("network: {family: single-switch}", "port"),
    ],
)
def test_a_design_that_cannot_be_built_is_a_finding(
    command: Callable[..., Run], tmp_path: Path, text: str, code_word: str
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    run = command("evaluate", str(file))
    assert (run.status, run.err) == (0, "")
    assert code_word in run.out
