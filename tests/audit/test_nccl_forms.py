"""Forms that settings are written in: YAML, make, fish, helm, Markdown, INI, arrays, encodings."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence

import pytest

from netdesign.audit.nccl_check import Setting, check_settings, read_settings
from netdesign.errors import DesignError


def pairs(text: str | bytes) -> list[tuple[str, str | None]]:
    """Names and values of NCCL's variables."""
    return [
        (found.name, found.value)
        for found in read_settings(text)
        if "NCCL" in found.name and not found.unset
    ]


def one(text: str) -> Setting:
    (found,) = [found for found in read_settings(text) if "NCCL" in found.name]
    return found


X = [("NCCL_DEBUG", "INFO")]
XY = [("NCCL_DEBUG", "INFO"), ("NCCL_IB_TC", "106")]
UNRESOLVED = [("NCCL_DEBUG", None)]
FORMS: dict[str, tuple[str, Sequence[tuple[str, str | None]]]] = {
    # YAML
    "block in a list": ("- name: NCCL_DEBUG\n  value: |-\n    INFO\n- name: Z\n  value: 1\n", X),
    "folded block": ("NCCL_ALGO: >-\n  Ring,\n  Tree\nNCCL_DEBUG: INFO\n",
                     [("NCCL_ALGO", "Ring, Tree"), *X]),
    "block with a number": ("NCCL_DEBUG: |2-\n    INFO\nX: 1\n", X),
    "block at the end": ("NCCL_DEBUG: |-\n  INFO", X),
    "empty block": ("env:\n  NCCL_DEBUG: |-\n  NCCL_IB_TC: 106\n",
                    [("NCCL_DEBUG", ""), ("NCCL_IB_TC", "106")]),
    "shell in a block": ("run: |\n  export NCCL_DEBUG=INFO\n  export NCCL_IB_TC=106\n", XY),
    "env file in a block": ("ENV_FILE: |\n  NCCL_DEBUG=INFO\n  NCCL_IB_TC=106\n", XY),
    "setenv in a block": ("SCRIPT: |\n  setenv NCCL_DEBUG INFO\n", X),
    "anchor": ("a: 1\nNCCL_DEBUG: &level INFO\n", X),
    "alias": ("level: &level INFO\nenv:\n  NCCL_DEBUG: *level\n", X),
    "alias in quotes": ('level: &level "INFO"\nenv: {NCCL_DEBUG: *level, B: 1}\n', X),
    "alias of a list": ("- &d INFO\n- name: NCCL_DEBUG\n  value: *d\n", X),
    "alias without an anchor": ("NCCL_DEBUG: *elsewhere\n", UNRESOLVED),
    "tag": ("NCCL_DEBUG: !!str INFO\nNCCL_IB_TC: !!int 106\n", XY),
    "tag and anchor": ("NCCL_DEBUG: !!str &d 'INFO'\n", X),
    "anchored map": ("common: &common\n  NCCL_DEBUG: INFO\njob:\n  <<: *common\n", X),
    "merge in braces": ("env: {<<: *common, NCCL_DEBUG: INFO}\n", X),
    "anchored key": ("env:\n  &k NCCL_DEBUG: INFO\n", X),
    # Programs
    "percent": ('os.environ["NCCL_DEBUG"] = "%s" % level\n', UNRESOLVED),
    "percent in a word": ('env NCCL_DEBUG="%s" % level\n', UNRESOLVED),
    "format": ('os.environ["NCCL_DEBUG"] = "{}".format(level)\n', UNRESOLVED),
    "plus": ("os.environ['NCCL_DEBUG'] = 'IN' + 'FO'\n", UNRESOLVED),
    "percent in a dictionary": ('env = {"NCCL_DEBUG": "%s" % level, "X": "1"}\n', UNRESOLVED),
    "f-string": ('os.environ["NCCL_DEBUG"] = f"{level}"\n', UNRESOLVED),
    "f-string without a field": ('os.environ["NCCL_DEBUG"] = f"INFO"\n', X),
    "raw string": ("os.environ['NCCL_DEBUG'] = r'INFO'\n", X),
    "choice": ('os.environ["NCCL_DEBUG"] = "INFO" if verbose else "WARN"\n', UNRESOLVED),
    "or": ('os.environ["NCCL_DEBUG"] = level or "INFO"\n', UNRESOLVED),
    "str of a number": ('os.environ["NCCL_IB_TC"] = str(106)\n', [("NCCL_IB_TC", "106")]),
    "str of a name": ('os.environ["NCCL_DEBUG"] = str(level)\n', UNRESOLVED),
    "sum": ('os.environ["NCCL_IB_TC"] = 100 + 6\n', [("NCCL_IB_TC", None)]),
    "keyword": ('env = dict(os.environ, NCCL_DEBUG="INFO")\n', X),
    "text that is formatted": ('cmd = "NCCL_DEBUG=%s ./run" % level\n', UNRESOLVED),
    "text with a field": ('cmd = f"NCCL_DEBUG={level} ./run"\n', UNRESOLVED),
    "template": ("NCCL_DEBUG={% if a %}INFO{% endif %}\n", UNRESOLVED),
    "names of a log": ("NCCL_DEBUG_FILE=/tmp/%h.%p\n", [("NCCL_DEBUG_FILE", "/tmp/%h.%p")]),
    "pairs": ("env = [('NCCL_DEBUG', 'INFO'), (\"NCCL_IB_TC\", \"106\")]\n", XY),
    "keys of an array": ("ENVS[NCCL_DEBUG]=INFO\nENVS[\"NCCL_IB_TC\"]=106\n", XY),
    "setx": ("set NCCL_DEBUG=INFO\r\nsetx NCCL_IB_TC 106\r\n", XY),
    # Shells
    "ansi quotes": (r"export NCCL_DEBUG=$'IN\x46O'", X),
    "ansi escapes": (r"NCCL_DEBUG=$'INF\117'", X),
    "translated quotes": ('export NCCL_DEBUG=$"INFO"', X),
    "array": ("NCCL_ARGS=(NCCL_DEBUG=INFO NCCL_IB_TC=106)\n", XY),
    "array over lines": ('args=(\n  -x NCCL_DEBUG=INFO\n  "NCCL_IB_TC=106"\n)\n', XY),
    "array that grows": ("NCCL_ARGS+=(NCCL_DEBUG=INFO)\n", X),
    "array with keys": ('declare -A e=([NCCL_DEBUG]=INFO [NCCL_IB_TC]="106")\n', XY),
    "text of settings": ('NCCL_OPTS="-x NCCL_DEBUG=INFO -x NCCL_IB_TC=106"\n', XY),
    "singularity": ("export SINGULARITYENV_NCCL_DEBUG=INFO\n", X),
    "apptainer": ("APPTAINERENV_NCCL_DEBUG=INFO apptainer run i.sif\n", X),
    "command after": ("export NCCL_DEBUG=INFO;export NCCL_IB_TC=106; echo\n", XY),
    "comment that goes on": ("# a \\\nexport NCCL_DEBUG=INFO\n", X),
    "comment between": ("run -x A=1 \\\n # -x NCCL_ALGO=Tree \\\n -x NCCL_DEBUG=INFO\n", X),
    # make, INI, TOML
    "make": ("NCCL_DEBUG := INFO\nexport NCCL_IB_TC := 106\n", XY),
    "make, tight": ("export NCCL_DEBUG:=INFO\nNCCL_IB_TC::=106\n", XY),
    "make unless set": ("NCCL_DEBUG ?= INFO\n", X),
    "make export": ("export NCCL_DEBUG = INFO\n", X),
    "make reference": ("NCCL_DEBUG := $(LEVEL)\n", UNRESOLVED),
    "ini": ("[env]\nNCCL_DEBUG = INFO ; the level\nNCCL_IB_TC = 106\n", XY),
    "ini comment": ("; NCCL_ALGO=Ring\n  ;NCCL_PROTO = LL\nNCCL_DEBUG=INFO\n", X),
    # JSON
    "block comment": ('{ /* "NCCL_ALGO": "Ring",\n "NCCL_NET": "IB" */ "NCCL_DEBUG": "INFO"}', X),
    "line comment": ('{\n  //"NCCL_ALGO": "Ring",\n  "NCCL_DEBUG": "INFO",//x\n}', X),
    "comment first": ('// settings\n{"NCCL_DEBUG": "INFO"} // "NCCL_ALGO": "Ring"', X),
    "no comment in a string": ('{"a": "/*", "NCCL_DEBUG": "INFO", "b": "*/ http://x"}', X),
    "open comment": ('{"NCCL_DEBUG": "INFO" /* "NCCL_ALGO": "Ring"}', X),
    "terraform": ('/* NCCL_ALGO=Ring\n*/\nNCCL_DEBUG = "INFO"\n', X),
    "patterns are no comments": ("ls /tmp/*\nexport NCCL_DEBUG=INFO\nls /a/*/\n", X),
    "ecs": ('[{"Name": "NCCL_DEBUG", "Value": "INFO"},{"Name":"NCCL_IB_TC","Value":"106"}]', XY),
    "ecs, value first": ('[{"Value": "INFO", "Name": "NCCL_DEBUG"}]', X),
    "ecs in YAML": ("Environment:\n  - Name: NCCL_DEBUG\n    Value: INFO\n", X),
    "upper case": ('[{"NAME": "NCCL_DEBUG", "VALUE": "INFO"}]', X),
    "key and value": ('[{"key": "NCCL_DEBUG", "value": "INFO"}]', X),
    "something between": ('[{"name": "NCCL_DEBUG", "type": "PLAINTEXT", "value": "INFO"}]', X),
    "terraform list": ('env = [\n { name = "NCCL_DEBUG", value = "INFO" },\n {\n name  = '
                       '"NCCL_IB_TC"\n value = 106\n }]\n', XY),
    "quotes over lines": ('NCCL_IB_HCA: "=mlx5_0,\n  mlx5_1"\nNCCL_DEBUG: INFO\n',
                          [("NCCL_IB_HCA", "=mlx5_0, mlx5_1"), *X]),
    "open quote": ('NCCL_DEBUG: "INFO\nA: "b"\n', [("NCCL_DEBUG", '"INFO')]),
    "call in a dictionary": ('{"NCCL_DEBUG": level(1), "NCCL_IB_TC": str(106)}',
                             [*UNRESOLVED, ("NCCL_IB_TC", "106")]),
    "keywords": ("environ.update(NCCL_DEBUG='INFO', NCCL_IB_TC=str(106))\n", XY),
    "arguments": ('Sys.setenv(NCCL_DEBUG = "INFO", NCCL_IB_TC = "106")\n', XY),
    "node": ('process.env.NCCL_DEBUG = "INFO";\n', X),
    "nushell": ('$env.NCCL_DEBUG = "INFO"\n', X),
    "supervisor": ('environment=NCCL_DEBUG="INFO",NCCL_IB_TC="106"\n', XY),
    "list in quotes": ('NCCL_IB_HCA="=mlx5_0","mlx5_1"\n', [("NCCL_IB_HCA", "=mlx5_0,mlx5_1")]),
    # helm
    "helm": ("helm install x . --set env.NCCL_DEBUG=INFO,env.NCCL_IB_TC=106\n", XY),
    "helm string": ("helm upgrade x . --set-string 'a.env.NCCL_DEBUG=INFO' --wait\n", X),
    "helm comma": (r"helm install x . --set e.NCCL_IB_HCA=mlx5_0\,mlx5_1,e.NCCL_DEBUG=INFO",
                   [("NCCL_IB_HCA", "mlx5_0,mlx5_1"), *X]),
    "helm list": ("helm install x . --set env[0].name=NCCL_DEBUG,env[0].value=INFO\n", X),
    "helm list in two": ("helm install x --set e[0].name=NCCL_DEBUG --set e[0].value=INFO\n", X),
    # Markdown
    "ticks": ("Set `NCCL_DEBUG=INFO` and `NCCL_IB_TC=106`.\n", XY),
    "span of several": ("run `NCCL_DEBUG=INFO NCCL_IB_TC=106` first\n", XY),
    "bullets": ("* NCCL_DEBUG=INFO\n+ `NCCL_IB_TC=106`\n", XY),
    "numbers": ("1. NCCL_DEBUG=INFO\n2) **NCCL_IB_TC=106**\n", XY),
    "ticks apart": ("- `NCCL_DEBUG`: `INFO`\n- **NCCL_IB_TC**: 106\n", XY),
    "ticks, equals": ("`NCCL_DEBUG` = `INFO`\n", X),
    "value in ticks": ("NCCL_DEBUG: `INFO`\n", X),
    "sentence": ("We set NCCL_DEBUG=INFO, and NCCL_IB_TC=106.\n", XY),
    "link": ("[NCCL_DEBUG=INFO](https://x/y)\n", X),
    "no sentence": ("#!/bin/sh\nNCCL_DEBUG=INFO. NCCL_IB_TC=106,\n",
                    [("NCCL_DEBUG", "INFO."), ("NCCL_IB_TC", "106,")]),
    "quote": ("> NCCL_DEBUG=INFO\n", X),
    "fence": ("```bash\nexport NCCL_DEBUG=INFO\n```\n", X),
    "table": ("| Variable | Value | Why |\n|---|---|---|\n| NCCL_DEBUG | INFO | a log |\n"
              "| `NCCL_IB_TC` | `106` | the class |\n", XY),
    "table, other order": ("| Variable | Default | Value |\n|--|--|--|\n"
                           "| NCCL_DEBUG | unset | INFO |\n", X),
    "table without a head": ("| NCCL_DEBUG | INFO |\n| NCCL_IB_TC | 106 |\n", XY),
    "table of assignments": ("| NCCL_DEBUG=INFO | a log |\n", X),
}  # fmt: skip
NOTHING = [
    "| Variable | Meaning |\n|---|---|\n| NCCL_DEBUG | level |\n",
    "| Variable | Default |\n|---|---|\n| NCCL_DEBUG | WARN |\n",
    "| NCCL_DEBUG | the level of the log |\n",
    "- `NCCL_DEBUG`: the level of the log\n",
    "* NCCL_DEBUG: the level of the log\n",
    "cat log | grep NCCL_DEBUG | sort\n",
    "config.NCCL_DEBUG=INFO\n",
    "torch.NCCL_DEBUG = 1\n",
    "x = counts[NCCL_DEBUG]\n",
    "level = getenv('NCCL_DEBUG', 'INFO')\n",
    "helm get values x.NCCL_DEBUG=INFO\n",
    "{ // \"NCCL_DEBUG\": \"INFO\"\n}",
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMS.values(), ids=FORMS)
def test_a_form(text: str, expected: Sequence[tuple[str, str | None]]) -> None:
    assert pairs(text) == list(expected)


@pytest.mark.parametrize("text", NOTHING)
def test_what_describes_a_variable_sets_none(text: str) -> None:
    assert pairs(text) == []


@pytest.mark.parametrize(
    "line",
    [
        "unset NCCL_ALGO",
        "unset -v A NCCL_ALGO B",
        "set -e NCCL_ALGO",
        "set -ge NCCL_ALGO",
        "set --erase NCCL_ALGO",
        "set -e -g NCCL_DEBUG NCCL_ALGO",
        "export -n NCCL_ALGO",
        "unsetenv NCCL_ALGO",
        "env -u NCCL_ALGO python x.py",
        "env --unset=NCCL_ALGO python x.py",
        'del os.environ["NCCL_ALGO"]',
        "os.environ.pop('NCCL_ALGO', None)",
        'unsetenv("NCCL_ALGO")',
        "Remove-Item Env:NCCL_ALGO",
        r"Remove-Item Env:\NCCL_ALGO",
    ],
)
def test_what_takes_a_variable_back(line: str) -> None:
    found = [each for each in read_settings(f"{line}\n") if each.name == "NCCL_ALGO"]
    assert [each.unset for each in found] == [True]
    report = check_settings(f"export NCCL_ALGO=Ring\n{line}\n")
    assert "line 2 takes it back" in report.findings[0].reason


@pytest.mark.parametrize(
    "line", ["set -x NCCL_ALGO Ring", "set -gx NCCL_ALGO Ring", "env NCCL_ALGO=Ring python -u x.py"]
)
def test_what_sets_is_no_unset(line: str) -> None:
    assert pairs(line) == [("NCCL_ALGO", "Ring")]


def test_what_is_added_goes_behind_what_was_set() -> None:
    assert pairs("NCCL_IB_HCA==mlx5_0\nNCCL_IB_HCA+=,mlx5_1\n")[-1][1] == "=mlx5_0,mlx5_1"
    program = "os.environ['NCCL_IB_HCA'] = 'mlx5_0'\nos.environ['NCCL_IB_HCA'] += ',mlx5_1'\n"
    assert pairs(program)[-1] == ("NCCL_IB_HCA", "mlx5_0,mlx5_1")
    assert pairs("NCCL_ALGO := Ring\nNCCL_ALGO += Tree\n")[-1] == ("NCCL_ALGO", "Ring Tree")
    assert pairs("NCCL_ALGO=$A\nNCCL_ALGO+=,Tree\n")[-1] == ("NCCL_ALGO", None)
    alone = one("export NCCL_IB_HCA+=,mlx5_1\n")
    assert "which is not in this text" in alone.doubt
    first, last = check_settings("NCCL_ALGO=Ring\nNCCL_ALGO+=,Tree\n").findings
    assert "line 2 sets Ring,Tree, which wins" in first.reason
    assert last.value == "Ring,Tree"


def test_an_unquoted_semicolon_ends_a_command_of_a_shell() -> None:
    text = "NCCL_ALGO=ring,tree;allreduce:tree\n"
    cut = one(f"#!/bin/bash\n{text}")
    assert (cut.value, "put it in quotes" in cut.doubt) == ("ring,tree", True)
    assert one(f"export {text}").value == "ring,tree"
    whole = one(text)  # an env file, which no shell reads
    assert (whole.value, "a shell would end" in whole.doubt) == ("ring,tree;allreduce:tree", True)
    for quoted in ("'{}'", '"{}"'):
        right = one("export NCCL_ALGO=" + quoted.format("allreduce:ring;broadcast:tree"))
        assert (right.value, right.doubt) == ("allreduce:ring;broadcast:tree", "")
    (finding,) = check_settings(f"export {text}").findings
    assert "unquoted ;" in finding.reason


def test_a_block_that_keeps_the_end_of_its_line_is_said() -> None:
    (finding,) = check_settings("env:\n- name: NCCL_DEBUG\n  value: |\n    INFO\n").findings
    assert (finding.value, finding.verdict) == ("INFO", "situational")
    assert "write it as |-" in finding.reason
    (right,) = check_settings("env:\n- name: NCCL_DEBUG\n  value: |-\n    INFO\n").findings
    assert right.verdict == "ok"


def test_a_computed_value_is_shown_and_not_judged() -> None:
    (finding,) = check_settings('os.environ["NCCL_DEBUG"] = "%s" % level\n').findings
    assert finding.value == '"%s" % level'
    assert "known only at run time" in finding.reason
    assert finding.verdict == "situational"


def test_only_where_nobody_has_set_it_is_said() -> None:
    assert one("NCCL_DEBUG ?= INFO\n").doubt == "set only where nobody has set it before"


def test_lines_of_a_table_and_of_a_block_are_those_of_the_file() -> None:
    text = "# a\n\n| NCCL_DEBUG | INFO |\n\n- name: NCCL_ALGO\n  value: |-\n    Ring\n"
    assert [(found.name, found.line) for found in read_settings(text)] == [
        ("NCCL_DEBUG", 3),
        ("NCCL_ALGO", 5),
    ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x7fELF\x02\x01\x01" + b"\x00" * 60, "is a program, not text"),
        (b"\x1f\x8b\x08\x00abc", "is a gzip archive"),
        (b"PK\x03\x04abc", "is a ZIP archive"),
        (b"%PDF-1.7\nNCCL_DEBUG=INFO", "is a PDF document"),
        (bytes(range(256)) * 4, "holds NUL bytes"),
        (b"export NCCL_DEBUG=INFO\n\x00\x00\x00rest\x00of\x00it", "holds NUL bytes"),
        (bytes(range(1, 32)) * 10, "is binary"),
        ("NCCL_DEBUG=INFO\n".encode("utf-16-le"), "UTF-16 or UTF-32 without its mark"),
        ("NCCL_DEBUG=INFO\n".encode("utf-16-be"), "UTF-16 or UTF-32 without its mark"),
        ("NCCL_DEBUG=INFO\n".encode("utf-32"), "is UTF-32"),
        ("NCCL_DEBUG=INFO\n".encode("utf-32-be"), "UTF-32 without its mark"),
        (b"\x00\x00\xfe\xff" + "NCCL_DEBUG=INFO\n".encode("utf-32-be"), "is UTF-32"),
        (b"\xff\xfe" + bytes(range(128, 256)) * 4, "marked as UTF-16 and holds no text"),
        (b"\xfe\xff", "marked as UTF-16 and holds no text"),
    ],
    ids=range(14),
)
def test_what_is_no_text_is_one_sentence(content: bytes, words: str) -> None:
    with pytest.raises(DesignError) as caught:
        read_settings(content, "strange.bin")
    assert words in str(caught.value)
    assert str(caught.value).startswith("strange.bin")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-8-sig", "latin-1"])
def test_text_in_the_usual_encodings_is_read(encoding: str) -> None:
    assert pairs("# Größe\r\nexport NCCL_DEBUG=INFO\r\n".encode(encoding)) == X


def test_utf_16_of_either_order_is_read() -> None:
    assert pairs(b"\xfe\xff" + "NCCL_DEBUG=INFO\n".encode("utf-16-be")) == X
    assert pairs(b"\xff\xfe" + "NCCL_DEBUG=INFO\n".encode("utf-16-le")) == X


def test_an_environment_of_a_process_and_a_log_with_colours_are_text() -> None:
    assert pairs(b"HOME=/root\x00NCCL_DEBUG=INFO\x00_=/bin/x\x00") == X
    assert pairs(b"\x1b[32m+ export NCCL_DEBUG=INFO\x1b[0m\n" * 3)[0][0] == "NCCL_DEBUG"


HARD = {
    "settings": "export NCCL_DEBUG=INFO # x\n- name: NCCL_ALGO\n  value: |\n    Ring\n",
    "log": "h:1:2 [0] NCCL INFO Channel 00/16 : 0 1 2 NCCL_DEBUG set by environment to INFO.\n",
    "spaces after a name": '{"name": "NCCL_X"' + " " * 900,
    "open comments": "{/* ",
    "stars": "/*\n",
    "quotes": '"NCCL_DEBUG": \'',
    "added": "NCCL_IB_HCA+=,mlx5_1\n",
    "aliases": "NCCL_DEBUG: *a &a b\n",
    "rows": "| NCCL_DEBUG | INFO |\n",
    "pipes": "|",
    "semicolons": "NCCL_ALGO=a;ring:b;allreduce:",
    "dots": "a.NCCL_DEBUG=b.",
    "sets": "set -e -e -e NCCL_DEBUG NCCL_ALGO ",
    "env": "env -u env -u NCCL_DEBUG ",
    "helm": "--set a.NCCL_DEBUG=1,",
    "unset": "unset NCCL_DEBUG NCCL_DEBUG ",
    "blocks": "NCCL_DEBUG: |\n ",
    "joined": "NCCL_DEBUG=\\\n",
}


@pytest.mark.parametrize("piece", HARD.values(), ids=HARD)
def test_time_grows_with_the_length_of_the_text(piece: str) -> None:
    """Four times the length may take four times as long; the square of it would take sixteen."""

    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        best = float("inf")
        for _ in range(3):  # the least of them: other work only adds
            begun = time.process_time()
            read_settings(text)
            best = min(best, time.process_time() - begun)
        return best

    gc.disable()  # its time grows with everything else in the process
    try:
        assert seconds(400_000) < 8 * seconds(100_000) + 0.3
    finally:
        gc.enable()
