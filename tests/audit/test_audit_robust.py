"""Any bytes, however many, give a report: no exception, no hang, nothing that is not JSON."""

from __future__ import annotations

import errno
import io
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from infiniband_dumps import two_tiers
from no_hang import no_hang
from typer.testing import CliRunner

from netdesign.audit import files, whole
from netdesign.audit.context import Context
from netdesign.audit.document import LARGEST_TEXT, Document, document_of, open_document
from netdesign.audit.files import audit
from netdesign.audit.kinds import KINDS
from netdesign.audit.triples import may_hold, triples_of
from netdesign.audit.whole import audit_all, together
from netdesign.cli import app
from netdesign.design import read_design
from netdesign.errors import DesignError
from netdesign.evaluate import evaluate
from netdesign.export.audit_html import audit_html
from netdesign.export.audit_record import audit_record, audit_text

TABLE = (
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 64 step: 2(factor) warmup iters: 5 iters: 20\n"
    "#  Rank  0 Group  0 Pid 1000 on node0 device  0 [0x1b] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid 1001 on node1 device  0 [0x1b] NVIDIA H100 80GB HBM3\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong"
    "     time   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)"
    "            (us)  (GB/s)  (GB/s)\n"
    "     1048576        262144     float     sum      -1    50.00   20.97   20.97      0"
    "    50.00   20.97   20.97      0\n"
    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 20.97\n"
)
LOG = "node0:17:99 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA\n"
PERFTEST = (
    "                    RDMA_Write BW Test\n Number of qps   : 1\t\tTransport type : IB\n"
    " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    " 65536      5000             390.20              390.10\t\t   0.744057\n"
)
HOST = (
    "        GPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV18\tPIX\t0-55\t0\n"
    "GPU1\tNV18\t X \tSYS\t56-111\t1\nNIC0\tPIX\tSYS\t X \n"
)
SLURM = "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\nSwitchName=top Switches=s[0-1]\n"
LLDP = (
    "Interface:    eth0, via: LLDP, RID: 1, Time: 0 day, 01:00:00\n  Chassis:\n"
    "    ChassisID:    mac 00:11:22:33:44:55\n    SysName:      leaf0\n  Port:\n"
    "    PortID:       ifname Ethernet4\n"
)
REPORT = json.dumps(
    {
        "version": 1,
        "results": [
            {
                "size": 8,
                "count": 2,
                "type": "float",
                "redop": "sum",
                "out_of_place": {"time": 1.0, "alg_bw": 2.0, "bus_bw": 3.0, "nwrong": 0},
            }
        ],
    },
    indent=1,
)
WHOLE = [TABLE, LOG * 3, PERFTEST, HOST, SLURM, LLDP, REPORT, two_tiers().text()]
LINES = [line for text in WHOLE for line in text.splitlines()][:400]
ODD = [
    *("N/A", "nan", "inf", "-1", "1e999", "9" * 5000, "NaN", "Infinity", "\r", "\0", "\x1b[31m"),
    *("[1,0]<stdout>:", "<b>", "&amp;", "{", "}", '"\\ud800"', "\u0663", "\ufeff", "\u2028", ""),
]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1", "cp1252"]
EVALUATION = evaluate(read_design("llama-3-8b-64-h100"))
CONTEXTS = [Context(), Context(5e10, 8), Context(evaluation=EVALUATION)]
RUNNER = CliRunner()


def strict(word: str) -> float:
    raise AssertionError(f"{word} is no JSON")


def survives(contents: list[bytes], context: Context) -> None:
    reports = tuple(
        audit(document_of(f"f{n}", content), context) for n, content in enumerate(contents)
    )
    found = together(reports, context)
    record = json.dumps(audit_record(found), allow_nan=False, ensure_ascii=False)
    json.loads(record.encode(), parse_constant=strict)
    assert all(letter.isprintable() or letter == "\n" for letter in audit_text(found))
    page = audit_html(found, context)
    assert "\x1b" not in page
    assert "<b>" not in page.replace("<b></b>", "")


mutations = st.lists(
    st.tuples(
        st.sampled_from(["cut", "start", "splice", "repeat", "column", "put", "byte"]),
        st.integers(0, 20_000),
        st.integers(0, 300),
        st.sampled_from(ODD),
        st.sampled_from(WHOLE),
    ),
    max_size=5,
)


def mutated(content: str, how: str, place: int, length: int, put: str, other: str) -> str:
    at = place % (len(content) + 1)
    if how == "cut":
        return content[:at]
    if how == "start":
        return content[at:]
    if how == "splice":
        return content[:at] + other[length:]
    if how == "repeat":
        return content[:at] + content[at : at + length] * 3 + content[at:]
    if how == "column":
        rows = [line.split(" ") for line in content.split("\n")]
        return "\n".join(" ".join(row[: length % 9] + row[length % 9 + 1 :]) for row in rows)
    if how == "put":
        return content[:at] + put + content[at + length % 12 :]
    return content[:at] + chr(length) + content[at + 1 :]


@given(st.sampled_from(WHOLE), mutations, st.sampled_from(ENCODINGS), st.sampled_from(CONTEXTS))
def test_mutated_files(
    text: str,
    steps: list[tuple[str, int, int, str, str]],
    encoding: str,
    context: Context,
) -> None:
    for how, place, length, put, other in steps:
        text = mutated(text, how, place, length, put, other)
    survives([text.encode(encoding, "replace")], context)


@given(st.lists(st.sampled_from(LINES + ODD), max_size=40), st.sampled_from(CONTEXTS))
def test_lines_of_all_kinds_in_any_order(lines: list[str], context: Context) -> None:
    survives(["\n".join(lines).encode("utf-8", "replace"), TABLE.encode()], context)


@given(st.binary(max_size=400), st.sampled_from(WHOLE))
def test_bytes_before_and_after(noise: bytes, text: str) -> None:
    survives([noise + text.encode() + noise], CONTEXTS[0])


HUGE: dict[str, Callable[[], bytes]] = {
    "noise": lambda: random.Random(1).randbytes(5_000_000),
    "nuls": lambda: bytes(5_000_000) + random.Random(1).randbytes(1_000_000),
    "one line": lambda: b"busbw 8 2 float sum " * 250_000,
    "one line of JSON": lambda: b'{"version":1,"results":[' + b'{"alg_bw":1},' * 400_000,
    "deep JSON": lambda: b'{"alg_bw":' + b"[" * 1_000_000,
    "deep objects": lambda: b'{"lldp":{"interface":' * 100_000,
    "deep lines": lambda: b'"lldpNeighbors"\n' + b"[\n" * 100_000,
    "aliases": lambda: (
        b"- topology: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"  b%d: &b%d [%s]\n" % (n, n, b",".join([b"*a"] * 9)) for n in range(30))
    ),
    "hosts without end": lambda: b"SwitchName=a Nodes=n[0-999999999999]\n" * 2_000,
    "line ends": lambda: b"\n" * 5_000_000,
    "carriage returns": lambda: b"\r" * 5_000_000,
    "blank lines": lambda: b" \t \n" * 1_000_000,
    "brackets": lambda: b"(" * 3_000_000 + b"\n" + b"[" * 3_000_000,
    "needles in every line": lambda: b"Switch CA  float GPU0 -I- ==> Interface: #bytes\n" * 100_000,
    "lines of no kind": lambda: b"loss 1.25 after step 7\n" * 200_000,
    "utf-16": lambda: (LOG * 20_000).encode("utf-16"),
}


@pytest.mark.parametrize("name", HUGE)
def test_megabytes_of_anything(name: str) -> None:
    with no_hang():
        survives([HUGE[name]()], CONTEXTS[0])


@pytest.mark.parametrize(
    ("rubbish", "text", "kind"),
    [
        (b"loss float 1 busbw\n", TABLE, "nccl-tests"),
        (b"Switch 1 is CA  now\n", two_tiers().text(), "ibnetdiscover"),
        (b"the GPU0 and GPU1 talk\n", HOST, "nvidia-smi-topo"),
        (b"Nodes=nothing\n", SLURM, "slurm-topology"),
        (b"Interface: one two\n", LLDP, "lldp"),
    ],
)
def test_a_table_after_many_lines_that_only_look_like_it(
    rubbish: bytes, text: str, kind: str
) -> None:
    assert kind in audit(document_of("a", rubbish * 5_000 + text.encode())).kinds


@pytest.mark.parametrize("text", WHOLE[:6])
@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.replace(b"\n", b"\r"),
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: bytes(2_000_000) + content,
        lambda content: content.replace(b" ", b"\x1b[0m ", 400),
        lambda content: content.replace(b"\n", b"\n[1,0]<stdout>:"),
    ],
    ids=["CR", "CRLF", "NULs", "colours", "launcher"],
)
def test_a_wrapping_changes_nothing(text: str, change: Callable[[bytes], bytes]) -> None:
    plain = audit(document_of("a", text))
    wrapped = audit(document_of("a", change(text.encode())))
    assert (wrapped.kinds, wrapped.summary) == (plain.kinds, plain.summary)


def test_carriage_returns_alone_count_as_lines() -> None:
    lines = [(line.number, line.text) for line in document_of("a", "one\rtwo\r\rfour").lines()]
    assert lines == [(1, "one"), (2, "two"), (3, ""), (4, "four")]


def test_a_line_of_megabytes_of_progress_is_not_cut() -> None:
    bar = "".join(f"\r{number} of 400000" for number in range(400_000))
    lines = list(document_of("a", f"{bar}\nlast\n").lines())
    assert [line.number for line in lines[1:]] == [1] * 400_000 + [2]
    assert (lines[-2].text, lines[-1].text) == ("399999 of 400000", "last")
    assert not any(line.cut for line in lines)


@given(st.binary(max_size=40), st.binary(max_size=6))
def test_what_is_not_there_is_not_sought(content: bytes, needle: bytes) -> None:
    if not may_hold(triples_of(content), needle):
        assert needle not in content


def test_every_line_not_understood_is_counted() -> None:
    report = audit(document_of("a", "what is this\n\n######\n" * 3_000))
    assert len(report.not_understood) + report.not_listed == 3_000
    assert len(report.not_understood) == files.MOST_LISTED


def test_a_file_too_large_for_json_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_TEXT", 10)
    report = audit(document_of("a", '{"alg_bw": nothing\n'))
    assert "JSON is read up to" in report.findings[0].message
    with pytest.raises(DesignError, match="too large"):
        Document("a", b" " * (LARGEST_TEXT + 1)).text()


def test_a_fault_of_a_reader_costs_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(document: Document, context: Context | None = None) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(files, "audit", fails)
    found = audit_all([document_of("a", TABLE)])
    assert [entry.rule for entry in found.reports[0].findings] == ["reader-failed"]
    assert not found.is_readable
    assert whole.audit_whatever is files.audit_whatever


def run(*arguments: str, stdin: bytes | None = None) -> tuple[int, str, str]:
    done = RUNNER.invoke(app, ["audit", *arguments], input=stdin)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.stdout, done.stderr


def test_what_cannot_be_opened_is_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "good").write_text(SLURM)
    paths = [str(tmp_path / name) for name in ("good", "none", "empty", "good", "")]
    status, out, _ = run(*paths, "/dev/zero", "--json")
    record = json.loads(out, parse_constant=strict)
    assert status == 2
    assert [entry["kind"] for entry in record["files"]] == [
        *("slurm-topology", "unknown", "unknown", "slurm-topology", "unknown", "unknown")
    ]
    said = [entry["findings"][0]["message"] for entry in record["files"] if not entry["summary"]]
    assert [sentence.partition(": ")[2] for sentence in said] == [
        "no such file or directory.",
        "the file is empty.",
        "is a directory.",
        "it is a device, give a file.",
    ]


def test_names_tell_files_apart(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "log").write_text(SLURM)
    (tmp_path / "other").write_text(SLURM)
    paths = [str(tmp_path / name) for name in ("one/log", "two/log", "other")]
    record = json.loads(run(*paths, "--json")[1])
    assert [entry["file"] for entry in record["files"]] == [*paths[:2], "other"]


def test_stdin_and_exit_status() -> None:
    assert run("-", stdin=SLURM.encode())[0] == 0
    assert run("-", stdin=TABLE.replace(" 0 OK", " 3 FAILED").encode())[0] == 1
    assert run("-", stdin=b"hello\n")[0] == 2


def test_a_thousand_files(tmp_path: Path) -> None:
    for number in range(1000):
        (tmp_path / f"log{number}").write_text(SLURM)
    status, out, _ = run(*(str(path) for path in tmp_path.iterdir()), "--json")
    assert (status, len(json.loads(out)["files"])) == (0, 1000)


@pytest.mark.parametrize("place", ["none/report.html", "report.pdf", "report"])
def test_a_report_without_a_place_is_refused_before_anything_is_read(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "netdesign.audit.document.open_document", lambda *_: pytest.fail("was read")
    )
    status, out, err = run("log", "--report", str(tmp_path / place))
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a\udcff\x1b[31mb.txt"
    path.write_text("hello\n")
    assert "\x1b" not in run(str(path))[1]
    assert json.loads(run(str(path), "--json")[1])["file"] == "a?\x1b[31mb.txt"


class _Full(io.TextIOWrapper):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from netdesign.cli_audit import audit_files

    (tmp_path / "log").write_text(SLURM)
    monkeypatch.setattr(sys, "stdout", _Full(io.BytesIO()))
    with pytest.raises(DesignError, match="no space left"):
        audit_files([str(tmp_path / "log")])


def test_a_large_file_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(LOG * 20_000)
    assert not isinstance(open_document(path).content, bytes)
    assert open_document(path).sought is not None
    assert [kind.name for kind in KINDS if kind.recognises(open_document(path))] == ["nccl-log"]
