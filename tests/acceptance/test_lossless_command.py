"""``netdesign lossless`` and ``netdesign lossless-check`` from a shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .shell import SHIPPED, run_process, strict_json

ETHERNET = f"{SHIPPED}-ethernet"


def test_a_plan_as_text() -> None:
    run = run_process("lossless", ETHERNET)
    assert run.status == 0, run
    for words in (
        "Spectrum-4",
        "NCCL_IB_TC=160, DSCP 40",
        "server to leaf",
        "leaf to spine",
        "SONiC AZURE_LOSSLESS",
        "in flight".capitalize(),
        "mlnx_qos",
    ):
        assert words in run.out


def test_a_plan_as_json_with_everything_replaced() -> None:
    run = run_process(
        "lossless", ETHERNET, "--json", "--chip", "tomahawk-5", "--length", "40",
        "--priorities", "3,4", "--traffic-class", "104", "--mtu", "4096",
        "--small-packets", "0.25",
    )  # fmt: skip
    assert run.status == 0, run
    record = strict_json(run.out)
    assert record["chip"] == "Tomahawk 5"
    assert [tier["headroom"]["xoff"] for tier in record["tiers"]] == [446_024, 446_024]
    assert record["traffic_class"] == {"byte": 104, "dscp": 26, "ecn_bits": 0}
    fit = record["switches"][0]["fit"]
    assert fit["oversubscription"] == pytest.approx(5.19, abs=0.01)
    assert len(record["marking"]["all"]) == 9
    assert record["packet_mix"]["small_packet_share"] == 0.25


def test_the_fragment_that_is_written_is_clean_and_a_wrong_class_is_found(tmp_path: Path) -> None:
    file = tmp_path / "leaf.json"
    run = run_process("lossless", ETHERNET, "--sonic", str(file))
    assert run.status == 0, run
    assert "config load leaf.json" in run.out
    good = run_process("lossless-check", str(file), "--design", ETHERNET)
    assert (good.status, good.err) == (0, "")
    assert "no finding" in good.out
    bad = run_process(
        "lossless-check", str(file), "--design", ETHERNET, "--traffic-class", "41", "--json"
    )
    assert bad.status == 1
    record = strict_json(bad.out)
    assert record["findings"] == 1
    assert record["remarks"][0]["code"] == "nccl-class-is-lossy"
    tables = json.loads(file.read_text(encoding="utf-8"))
    tables["WRED_PROFILE"]["AZURE_LOSSLESS"]["ecn"] = "ecn_none"
    file.write_text(json.dumps(tables), encoding="utf-8")
    worse = run_process("lossless-check", str(file))
    assert worse.status == 1
    assert "1 finding" in worse.out
    assert "does not mark" in worse.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("lossless", SHIPPED), "lossless by credits"),
        (("lossless", ETHERNET, "--chip", "silicon-one-g200"), "no published headroom"),
        (("lossless", ETHERNET, "--chip", "x"), "is not a known switch chip"),
        (("lossless", ETHERNET, "--traffic-class", "256"), "give 0 to 255"),
        (("lossless", ETHERNET, "--priorities", "x"), "write 3 or 3,4"),
        (("lossless", ETHERNET, "--length", "-1"), "is out of range"),
        (("lossless", ETHERNET, "--sonic", "x.yaml"), "end it with .json"),
        (("lossless", ETHERNET, "--sonic", "no/such/x.json"), "cannot be written"),
        (("lossless", ETHERNET, "--sonic", "x.json", "--switch", "core"), "there are leaf, spine"),
        (("lossless", "missing.yaml"), "missing.yaml"),
        (("lossless-check", "missing.json"), "missing.json"),
    ],
)
def test_a_wrong_input_is_one_sentence(
    arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    run = run_process(*arguments, cwd=tmp_path)
    assert run.status == 2, run
    assert run.out == ""
    assert words in run.err
    assert len(run.err.strip().splitlines()) == 1
    assert "Traceback" not in run.err


def test_a_stranger_s_file_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "strange.json"
    file.write_bytes(b"[" * 100_000)
    run = run_process("lossless-check", str(file))
    assert (run.status, run.out) == (2, "")
    assert "strange.json is not JSON" in run.err
