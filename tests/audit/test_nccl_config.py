"""The class that ``nccl config`` writes: its DSCP, its priority, and whether a pause meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache

import pytest

from netdesign.catalog import data_directory
from netdesign.catalog.nccl_variables import fabric_named, nccl_tables
from netdesign.catalog.switch_chips import lossless_rows
from netdesign.design import read_design
from netdesign.evaluate import Evaluation, evaluate
from netdesign.export.nccl_settings import (
    FORMATS,
    class_of_settings,
    settings_record,
    settings_text,
)
from netdesign.nccl_settings import NcclSettings, nccl_settings


@cache
def evaluation(name: str) -> Evaluation:
    return evaluate(read_design(name))


def ethernet(cloud: str = "none") -> NcclSettings:
    return nccl_settings(evaluation("llama-3-70b-1024-h100-ethernet"), cloud=cloud)


def flat(text: str) -> str:
    return " ".join(text.replace("#", " ").split())


@pytest.mark.parametrize("form", FORMATS)
def test_the_class_and_the_warning_are_in_every_form(form: str) -> None:
    text = flat(settings_text(ethernet(), form))
    assert "NCCL_IB_TC=160 is DSCP 40, which an adapter sends with priority 5" in text
    assert "Warning: netdesign lossless makes priority 3 lossless" in text
    assert "--dscp2prio set,40,3" in text
    assert "DSCP 24 (the byte 96)" in text


def test_the_record_has_the_numbers() -> None:
    record = settings_record(ethernet())["traffic_class"]
    assert {name: record[name] for name in ("byte", "dscp", "ecn_bits")} == {
        "byte": 160,
        "dscp": 40,
        "ecn_bits": 0,
    }
    assert (record["adapter_priority"], record["lossless_priority"]) == (5, 3)
    priority = lossless_rows(data_directory())["priority"].value
    assert record["lossless_priority"] == priority


def test_no_warning_where_the_two_priorities_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("netdesign.export.nccl_settings.number", lambda name: 5.0)
    found = class_of_settings(ethernet())
    assert found is not None
    assert found.warning == ""
    assert "Warning" not in settings_text(ethernet())


def test_a_cloud_decides_by_itself_and_infiniband_has_no_class() -> None:
    oracle = class_of_settings(ethernet("oci"))
    assert oracle is not None
    assert (oracle.traffic_class.dscp, oracle.priority, oracle.warning) == (10, 1, "")
    assert "two lowest bits, 1, are those of ECN" in oracle.sentence
    assert "decided on the switches of the cloud" in oracle.sentence
    infiniband = nccl_settings(evaluation("llama-3-70b-1024-h100"))
    assert class_of_settings(infiniband) is None
    assert settings_record(infiniband)["traffic_class"] is None


def run(content: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "netdesign", "nccl", "check", "-", *arguments],
        input=content,
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_a_shell_gets_status_2_and_a_sentence_for_what_is_no_text() -> None:
    told = run(b"\x7fELF\x02\x01\x01" + b"\x00" * 60)
    assert (told.returncode, told.stdout) == (2, b"")
    assert told.stderr.decode().strip() == "stdin is a program, not text; give the text in it"


def test_a_shell_may_name_a_cloud_and_give_utf_16() -> None:
    told = run("NCCL_NET=IB\n".encode("utf-16"), "--fabric", "gcp", "--json")
    assert (told.returncode, told.stderr) == (1, b"")
    record = json.loads(told.stdout)
    assert record["fabric"] == "gib"
    assert any("gcp-a3-mega has tcpxo" in note for note in record["summary"]["notes"])


def test_a_cloud_names_the_network_of_its_profile() -> None:
    for row in nccl_tables().clouds:
        if not row.servers:
            assert fabric_named(row.cloud).id == fabric_named(row.vendor).id == row.fabric
