"""Settings that contradict one another, that stand twice, and the report as a whole."""

from __future__ import annotations

import pytest

from netdesign.audit.nccl_check import (
    Finding,
    Report,
    check_settings,
    report_record,
    report_text,
)
from netdesign.audit.nccl_check.report import MOST_FINDINGS
from netdesign.catalog.nccl_variables import fabric_named, nccl_tables, version_of

SHARP = "NCCL_COLLNET_ENABLE=1\nNCCL_ALGO=allreduce:collnetdirect,collnetchain\n"
PAIRS = [
    ("NCCL_SOCKET_NTHREADS=16\nNCCL_NSOCKS_PERTHREAD=5", "NCCL_SOCKET_NTHREADS", "invalid-value"),
    ("NCCL_SOCKET_NTHREADS=16\nNCCL_NSOCKS_PERTHREAD=5", "NCCL_NSOCKS_PERTHREAD", "invalid-value"),
    ("NCCL_SOCKET_NTHREADS=16\nNCCL_NSOCKS_PERTHREAD=4", "NCCL_SOCKET_NTHREADS", "situational"),
    ("NCCL_MIN_CTAS=16\nNCCL_MAX_CTAS=8", "NCCL_MIN_CTAS", "invalid-value"),
    ("NCCL_MIN_CTAS=16\nNCCL_MAX_CTAS=8", "NCCL_MAX_CTAS", "invalid-value"),
    ("NCCL_MIN_CTAS=8\nNCCL_MAX_CTAS=8", "NCCL_MIN_CTAS", "situational"),
    ("NCCL_MIN_NCHANNELS=16\nNCCL_MAX_NCHANNELS=8", "NCCL_MAX_NCHANNELS", "invalid-value"),
    ("NCCL_MIN_NCHANNELS=16\nNCCL_MAX_NCHANNELS=8", "NCCL_MIN_NCHANNELS", "invalid-value"),
    (SHARP, "NCCL_ALGO", "situational"),
    (SHARP, "NCCL_COLLNET_ENABLE", "situational"),
    ("NCCL_COLLNET_ENABLE=1\nNCCL_ALGO=collnetchain", "NCCL_ALGO", "situational"),
    ("NCCL_COLLNET_ENABLE=1\nNCCL_ALGO=Tree", "NCCL_COLLNET_ENABLE", "harmful"),
    ("NCCL_ALGO=allreduce:collnetdirect,collnetchain", "NCCL_ALGO", "harmful"),
    ("NCCL_NVLS_ENABLE=0\nNCCL_ALGO=NVLS,NVLSTree", "NCCL_ALGO", "harmful"),
    ("NCCL_NET=IB\nNCCL_COLLNET_ENABLE=1", "NCCL_NET", "harmful"),
    ("NCCL_NET_PLUGIN=none\nNCCL_COLLNET_ENABLE=1", "NCCL_NET_PLUGIN", "harmful"),
    ("NCCL_IB_AR_THRESHOLD=8388608\nNCCL_BUFFSIZE=2097152", "NCCL_IB_AR_THRESHOLD", "harmful"),
    ("NCCL_IB_ADDR_FAMILY=AF_INET6\nNCCL_IB_GID_INDEX=3", "NCCL_IB_ADDR_FAMILY", "redundant"),
    ("NCCL_DEBUG_SUBSYS=NET", "NCCL_DEBUG_SUBSYS", "redundant"),
    ("NCCL_DEBUG=INFO\nNCCL_DEBUG_SUBSYS=NET", "NCCL_DEBUG_SUBSYS", "ok"),
    ("NCCL_DEBUG=$LEVEL\nNCCL_DEBUG_SUBSYS=NET", "NCCL_DEBUG_SUBSYS", "ok"),
]
WORDS = [
    ("NCCL_IB_DISABLE=1\nNCCL_IB_HCA==mlx5_0", "NCCL_IB_HCA", "NCCL_IB_DISABLE=1 switches off"),
    ("NCCL_NET=Socket\nNCCL_IB_TC=106", "NCCL_IB_TC", "NCCL_NET=Socket leaves no transport"),
    ("NCCL_NET=IB\nNCCL_SOCKET_NTHREADS=4", "NCCL_SOCKET_NTHREADS", "leaves no sockets"),
    ("NCCL_IB_SPLIT_DATA_ON_QPS=1", "NCCL_IB_SPLIT_DATA_ON_QPS", "there is one queue pair"),
    ("NCCL_IB_TC=84\nNCCL_IB_FIFO_TC=84", "NCCL_IB_FIFO_TC", "it follows NCCL_IB_TC"),
    ("NCCL_PXN_DISABLE=1\nNCCL_P2P_PXN_LEVEL=1", "NCCL_P2P_PXN_LEVEL", "switches PXN off"),
    ("NCCL_GDRCOPY_FIFO_ENABLE=0", "NCCL_GDRCOPY_FIFO_ENABLE", "only with NCCL_GDRCOPY_ENABLE=1"),
    ("NCCL_DEBUG_FILE=/tmp/%h.%p", "NCCL_DEBUG_FILE", "nothing is logged"),
    ("NCCL_IB_ADDR_RANGE=10.0.0.0/8\nNCCL_IB_GID_INDEX=3", "NCCL_IB_ADDR_RANGE", "only while"),
    ("NCCL_IB_ROCE_VERSION_NUM=1\nNCCL_IB_GID_INDEX=3", "NCCL_IB_ROCE_VERSION_NUM", "only while"),
]


def check(text: str, nccl: str = "2.27", fabric: str | None = None) -> Report:
    return check_settings(
        text, version=version_of(nccl), fabric=fabric_named(fabric) if fabric else None
    )


def effective(text: str, name: str) -> Finding:
    return {finding.variable: finding for finding in check(text).findings}[name]


@pytest.mark.parametrize(("text", "name", "expected"), PAIRS)
def test_pairs_of_settings(text: str, name: str, expected: str) -> None:
    assert effective(text, name).verdict == expected


@pytest.mark.parametrize(("text", "name", "words"), WORDS)
def test_pairs_that_explain_themselves(text: str, name: str, words: str) -> None:
    assert words in effective(text, name).reason


def test_every_combination_is_told() -> None:
    told = " ".join(effective(text, name).reason for text, name, _ in [*PAIRS, *WORDS])
    silent = [row.reason for row in nccl_tables().combinations if row.reason not in told]
    assert silent == []


def test_the_last_value_wins_and_the_first_is_said() -> None:
    first, last = check("NCCL_CROSS_NIC=2\nexport NCCL_CROSS_NIC=0\n").findings
    assert (first.value, first.line, first.verdict) == ("2", 1, "situational")
    assert "line 2 sets 0, which wins" in first.reason
    assert (last.value, last.line) == ("0", 2)
    assert "wins" not in last.reason


def test_the_same_value_twice_is_one_finding() -> None:
    assert len(check("NCCL_DEBUG=INFO\nNCCL_DEBUG=INFO\n").findings) == 1


def test_unset_takes_a_value_back() -> None:
    report = check("export NCCL_IB_DISABLE=1\nexport NCCL_IB_HCA==mlx5_0\nunset NCCL_IB_DISABLE\n")
    disable, devices = report.findings
    assert "line 3 takes it back" in disable.reason
    assert devices.verdict == "ok"


def test_what_is_taken_back_is_absent() -> None:
    text = "NCCL_DEBUG=INFO\nNCCL_DEBUG_SUBSYS=NET\nunset NCCL_DEBUG\n"
    assert effective(text, "NCCL_DEBUG_SUBSYS").verdict == "redundant"


def test_a_list_that_srun_cuts_is_said() -> None:
    finding = effective("srun --export=ALL,NCCL_IB_HCA==mlx5_0,mlx5_1 ./a", "NCCL_IB_HCA")
    assert (finding.verdict, "srun ends a value" in finding.reason) == ("situational", True)


def test_a_value_known_only_at_run_time_is_said() -> None:
    finding = effective("export NCCL_IB_TC=${TC:-106}", "NCCL_IB_TC")
    assert (finding.value, finding.verdict) == ("${TC:-106}", "situational")
    assert "run time" in finding.reason
    assert effective("NCCL_MAX_NCHANNELS=$N", "NCCL_MAX_NCHANNELS").verdict == "deprecated"


def test_variables_of_others_are_listed_and_not_judged() -> None:
    report = check("export CUDA_VISIBLE_DEVICES=0 OMP_NUM_THREADS=8\nNCCL_DEBUG=INFO\n")
    assert report.others == ("CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS")
    assert [finding.variable for finding in report.findings] == ["NCCL_DEBUG"]


def test_the_record_has_every_key_and_counts() -> None:
    record = report_record(check("NCCL_DEBUG=INFO\nNCCL_FOO=1\nPATH=/bin\n", fabric="roce"))
    assert set(record) == {"nccl", "fabric", "findings", "summary"}
    assert (record["nccl"], record["fabric"]) == ("2.27", "roce")
    for finding in record["findings"]:
        assert list(finding) == [
            "variable", "value", "verdict", "reason", "suggestion", "source", "line",
        ]  # fmt: skip
    summary = record["summary"]
    assert summary["verdicts"]["unknown"] == summary["verdicts"]["ok"] == summary["to_change"] == 1
    assert summary["not_nccl"] == ["PATH"]


def test_text_puts_the_worst_first_and_shows_no_control_letters() -> None:
    text = report_text(check("NCCL_DEBUG=INFO\nNCCL_ALGO='\x1b[31mred'\nNCCL_P2P_DISABLE=1\n"))
    assert text.index("invalid-value") < text.index("harmful") < text.index("ok ")
    assert "\x1b" not in text


def test_a_network_that_is_not_given_is_said() -> None:
    assert any("--fabric" in note for note in check("NCCL_IB_TC=106").notes)
    assert check("NCCL_IB_TC=106", fabric="roce").notes == ()
    assert check("hello").notes == ("No variable of NCCL is set in this text.",)
    assert any("ends with NCCL 2.30.7" in note for note in check("NCCL_DEBUG=INFO", "2.31").notes)


def test_a_flood_of_names_is_cut_and_said() -> None:
    report = check("".join(f"NCCL_X{number}=1\n" for number in range(MOST_FINDINGS + 5)))
    assert (len(report.findings), report.left_out) == (MOST_FINDINGS, 5)


def test_a_constant_of_a_program_is_no_misspelt_variable() -> None:
    assert check("NCCL_UNIQUE_ID_BYTES = 128\n").findings == ()
    assert effective('NCCL_DEBUG = "INFO"\n', "NCCL_DEBUG").verdict == "ok"
