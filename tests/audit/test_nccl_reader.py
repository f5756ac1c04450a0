"""NCCL settings out of scripts, job files, YAML, JSON, programs, logs and broken files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.audit.nccl_check import Setting, check_settings, read_settings, report_text
from netdesign.audit.nccl_check.reader import LARGEST_FILE_BYTES
from netdesign.errors import DesignError

CASES = {
    "export": ("export NCCL_DEBUG=INFO", "INFO"),
    "bare": ("NCCL_DEBUG=INFO python train.py", "INFO"),
    "double quotes": ('export NCCL_DEBUG="INFO"', "INFO"),
    "single quotes": ("export NCCL_DEBUG='INFO'", "INFO"),
    "comment": ("NCCL_DEBUG=INFO # or WARN", "INFO"),
    "hash in quotes": ("NCCL_DEBUG='a # b'", "a # b"),
    "semicolon": ("export NCCL_DEBUG=INFO; echo", "INFO"),
    "env": ("env -i NCCL_DEBUG=INFO cmd", "INFO"),
    "set -x trace": ("+ export NCCL_DEBUG=INFO", "INFO"),
    "exact prefix": ("NCCL_DEBUG==INFO", "=INFO"),
    "mpirun": ("mpirun -np 2 -x NCCL_DEBUG=INFO -x PATH ./a", "INFO"),
    "mpich": ("mpiexec -genv NCCL_DEBUG INFO ./a", "INFO"),
    "docker -e": ("docker run -e NCCL_DEBUG=INFO -e X=1 image", "INFO"),
    "docker --env": ("docker run --env=NCCL_DEBUG=INFO image", "INFO"),
    "docker quoted": ('docker run -e "NCCL_DEBUG=INFO" -e "X=1" image', "INFO"),
    "srun": ("srun --export=ALL,NCCL_DEBUG=INFO,NCCL_ALGO=Ring ./a", "INFO"),
    "sbatch": ("#SBATCH --export=ALL,NCCL_DEBUG=INFO", "INFO"),
    "csh": ("setenv NCCL_DEBUG INFO", "INFO"),
    "fish": ("set -gx NCCL_DEBUG INFO", "INFO"),
    "powershell": ('$env:NCCL_DEBUG = "INFO"', "INFO"),
    "modules": ('setenv("NCCL_DEBUG", "INFO")', "INFO"),
    "dockerfile": ("ENV NCCL_DEBUG=INFO X=1", "INFO"),
    "old dockerfile": ("ENV NCCL_DEBUG INFO", "INFO"),
    "python": ('os.environ["NCCL_DEBUG"] = "INFO"', "INFO"),
    "python single": ("os.environ['NCCL_DEBUG']='INFO'", "INFO"),
    "setdefault": ('os.environ.setdefault("NCCL_DEBUG", "INFO")', "INFO"),
    "dictionary": ('env = {"NCCL_DEBUG": "INFO", "X": 1}', "INFO"),
    "yaml": ("env:\n  NCCL_DEBUG: INFO  # level\n", "INFO"),
    "yaml quoted": ("env:\n  'NCCL_DEBUG': \"INFO\"\n", "INFO"),
    "yaml list": ("env:\n- name: NCCL_DEBUG\n  value: INFO\n", "INFO"),
    "yaml value first": ('- value: "INFO"\n  name: NCCL_DEBUG\n', "INFO"),
    "yaml flow": ("env: [{name: NCCL_DEBUG, value: INFO}]", "INFO"),
    "compose": ("environment:\n  - NCCL_DEBUG=INFO\n", "INFO"),
    "shell in yaml": ("run: |\n  export NCCL_DEBUG=INFO\n", "INFO"),
    "json map": ('{"env": {"NCCL_DEBUG": "INFO"}}', "INFO"),
    "json number": ('{"NCCL_DEBUG": 3, "a": 1}', "3"),
    "json list": ('[{"name": "NCCL_DEBUG", "value": "INFO"}]', "INFO"),
    "json value first": ('[{"value": "INFO", "name": "NCCL_DEBUG"}]', "INFO"),
    "shell in json": ('{"cmd": "x\\nexport NCCL_DEBUG=\\"INFO\\"\\ny"}', "INFO"),
    "shell in json, first word": ('{"cmd": "x\\nNCCL_DEBUG=INFO\\ny"}', "INFO"),
    "several in quotes": ('ENVS="A=1 NCCL_DEBUG=INFO" X="y"', "INFO"),
    "empty in quotes": ('docker run -e "NCCL_DEBUG=" -e "X=1" image', ""),
    "log": ("h:1:2 [0] NCCL INFO NCCL_DEBUG set by environment to INFO.", "INFO"),
    "only if unset": (": ${NCCL_DEBUG:=INFO}", "INFO"),
    "toml": ('NCCL_DEBUG = "INFO"', "INFO"),
    "continued": ("mpirun \\\n -x A=1 \\\n -x NCCL_DEBUG=INFO", "INFO"),
    "cut word": ("NCCL_DEBUG=IN\\\nFO", "INFO"),
    "carriage returns": ("A=1\r\nNCCL_DEBUG=INFO\r\n", "INFO"),
    "environ of a process": ("A=1\x00NCCL_DEBUG=INFO\x00", "INFO"),
    "reference": ("export NCCL_DEBUG=${LEVEL:-INFO}", None),
    "command": ("export NCCL_DEBUG=$(level)", None),
    "template": ("NCCL_DEBUG: {{ .Values.level }}", None),
    "expression": ('os.environ["NCCL_DEBUG"] = str(level)', None),
    "value from": ("- name: NCCL_DEBUG\n  valueFrom:\n    secret: x\n", None),
}
NOTHING = [
    "# export NCCL_DEBUG=INFO",
    'if [ "$NCCL_DEBUG" = "INFO" ]; then',
    "if [ $NCCL_DEBUG=INFO ]; then",
    "echo $NCCL_DEBUG ${NCCL_DEBUG:-INFO}",
    'if os.environ["NCCL_DEBUG"] == "INFO":',
    'os.environ.get("NCCL_DEBUG", "INFO")',
    'names = ["NCCL_DEBUG", "NCCL_ALGO"]',
    "mpirun -x NCCL_DEBUG ./a",
    "srun --export=ALL,NCCL_DEBUG ./a",
    "Set NCCL_DEBUG to see more.",
    "MY_NCCL_DEBUG=INFO",
    "config.NCCL_DEBUG=INFO",
]


def one(text: str | bytes) -> Setting:
    (found,) = [found for found in read_settings(text) if found.name == "NCCL_DEBUG"]
    return found


@pytest.mark.parametrize(("text", "value"), CASES.values(), ids=CASES)
def test_forms_that_people_keep_settings_in(text: str, value: str | None) -> None:
    assert one(text).value == value


@pytest.mark.parametrize("text", NOTHING)
def test_what_only_names_a_variable_sets_none(text: str) -> None:
    assert [found.name for found in read_settings(text) if found.name.startswith("NCCL")] == []


def test_lines_are_those_of_the_file() -> None:
    text = "a\nrun \\\n  -x NCCL_DEBUG=INFO \\\n  -x NCCL_ALGO=Ring\n# c\nNCCL_PROTO=LL\n"
    assert [(found.name, found.line) for found in read_settings(text)] == [
        ("NCCL_DEBUG", 3),
        ("NCCL_ALGO", 4),
        ("NCCL_PROTO", 6),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x00", "\u2028"])
def test_every_end_of_a_line_counts(end: str) -> None:
    assert one(f"A=1{end}NCCL_DEBUG=INFO{end}").line == 2


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marks_of_an_encoding(encoding: str) -> None:
    assert one("NCCL_DEBUG=INFO\n".encode(encoding)).value == "INFO"


def test_letters_of_another_encoding_are_passed_over() -> None:
    assert one(b"# caf\xe9 \xff\xfe\nNCCL_DEBUG=INFO\n").value == "INFO"


def test_srun_cuts_a_list() -> None:
    found = read_settings("srun --export=ALL,NCCL_IB_HCA=mlx5_0,mlx5_1 ./a")[0]
    assert (found.value, "srun" in found.doubt) == ("mlx5_0", True)


def test_a_list_by_function_is_read_whole() -> None:
    text = "NCCL_ALGO=ring,tree;allreduce:tree\nNCCL_PROTO='simple;allreduce:^ll'"
    values = [found.value for found in read_settings(text)]
    assert values == ["ring,tree;allreduce:tree", "simple;allreduce:^ll"]


def test_a_file_that_is_too_long_is_refused() -> None:
    with pytest.raises(DesignError, match="too long"):
        read_settings(b" " * (LARGEST_FILE_BYTES + 1))


def test_a_single_line_of_a_million_letters() -> None:
    assert one("x" * 1_000_000 + " NCCL_DEBUG=INFO " + "y" * 1_000_000).value == "INFO"


PIECES = st.sampled_from(
    [
        "NCCL_DEBUG", "NCCL_ALGO", "=", "==", ":", '"', "'", "\\", "\n", "\r\n", "\x00", " ", ",",
        ";", "{", "}", "[", "]", "$", "${", "`", "#", "#SBATCH ", "--export=", "ALL,", "name: ",
        "value: ", "valueFrom:", "export ", "unset ", "setenv ", "-x ", "{{", "}}", "\ufeff",
        "+=", ":=", "?=", "|-", "|", ">", "&a ", "*a", "/*", "*/", "//", "$'", "(", ")", "]=", "`",
        "**", "Name", "Value", "--set a.", "SINGULARITYENV_", "set -e ", "env -u ", "%", ".", "  ",
        "allreduce:", "^", "INFO", "Ring", "0", "-1", "999999999999999999999", "\u2028", "é",
    ]
)  # fmt: skip


@settings(derandomize=True, max_examples=400)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_text_breaks_the_checker(text: str) -> None:
    report = check_settings(text)
    assert report_text(report)
    lines = text.count("\n") + text.count("\r") + text.count("\x00") + text.count("\u2028") + 1
    assert all(1 <= finding.line <= lines for finding in report.findings)


def refusal(content: bytes) -> str:
    """The sentence about what is no text; "" for what is."""
    try:
        check_settings(content)
    except DesignError as error:
        return str(error)
    return ""


@settings(derandomize=True, max_examples=200)
@given(st.binary(max_size=300))
def test_no_bytes_break_the_checker(content: bytes) -> None:
    for each in (content, b"NCCL_ALGO=" + content):
        said = refusal(each)
        assert not said or "text" in said or "UTF" in said


VALUE = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=20)


@settings(derandomize=True, max_examples=150)
@given(VALUE, st.sampled_from(["NCCL_ALGO", "NCCL_NET", "NCCL_IB_HCA"]))
def test_every_form_says_the_same(value: str, name: str) -> None:
    texts = [
        f"export {name}={value}\n",
        f'export {name}="{value}"',
        f"setenv {name} {value}",
        f'os.environ["{name}"] = "{value}"',
        json.dumps({"env": {name: value}}),
        json.dumps([{"name": name, "value": value}], indent=2),
        f"- name: {name}\n  value: '{value}'\n",
        f"  {name}: {value}\n",
        f"mpirun -x {name}={value} ./a",
    ]
    assert {(found.name, found.value) for text in texts for found in read_settings(text)} == {
        (name, value)
    }


@pytest.mark.parametrize(
    "line",
    [
        "srun --export=ALL,NCCL_DEBUG=INFO,NCCL_IB_SL=1 job",
        'srun --export="ALL,NCCL_DEBUG=INFO,NCCL_IB_SL=1" job',
        "#PBS -v NCCL_DEBUG=INFO,NCCL_IB_SL=1,OTHER=2",
        '#BSUB -env "NCCL_DEBUG=INFO,NCCL_IB_SL=1"',
        "apptainer exec --env NCCL_DEBUG=INFO,NCCL_IB_SL=1 image.sif run",
    ],
)
def test_a_list_of_settings_is_cut_at_its_commas(line: str) -> None:
    found = {one.name: one.value for one in read_settings(f"{line}\n")}
    assert found["NCCL_DEBUG"] == "INFO"
    assert found["NCCL_IB_SL"] == "1"


def test_what_is_printed_is_not_set_and_what_is_written_to_a_file_is() -> None:
    assert read_settings('echo "NCCL_IB_HCA=$NCCL_IB_HCA"\n') == ()
    assert read_settings('printf "NCCL_SHM_DISABLE=1"\n') == ()
    found = read_settings('echo "export NCCL_SHM_DISABLE=1" >> profile\n')
    assert [(one.name, one.value) for one in found] == [("NCCL_SHM_DISABLE", "1")]
