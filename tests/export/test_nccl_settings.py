"""NCCL's environment for a design: as little as has a reason, and clean before our own checker."""

from __future__ import annotations

from functools import cache

import pytest

from netdesign.audit.nccl_check import check_settings
from netdesign.catalog import data_directory, load_catalog, references
from netdesign.catalog.nccl_variables import nccl_tables, version_of
from netdesign.catalog.switch_chips import lossless_rows
from netdesign.design import Design, read_design, shipped_designs
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.export.nccl_settings import FORMATS, settings_record, settings_text
from netdesign.nccl_settings import NcclSettings, clouds, fabric_of, nccl_settings

RELEASES = ("2.4", "2.8", "2.10", "2.16", "2.18", "2.20", "2.21", "2.23", "2.24", "2.27", "2.30.7")
DEBUG = ["NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE"]


@cache
def evaluation(name: str) -> Evaluation:
    return evaluate(read_design(name))


def changed(**values: object) -> Evaluation:
    """The default design on Ethernet with some values of its network or cluster changed."""
    design: Design = read_design("llama-3-70b-1024-h100-ethernet")
    return evaluate(design.with_values({k.replace("__", "."): v for k, v in values.items()}))


def names(settings: NcclSettings) -> list[str]:
    return [entry.variable for entry in settings.settings]


def values(settings: NcclSettings) -> dict[str, str]:
    return {entry.variable: entry.value for entry in settings.settings}


@pytest.mark.parametrize("name", shipped_designs())
def test_what_is_printed_passes_the_checker(name: str) -> None:
    for release in RELEASES:
        for cloud in (None, *clouds()):
            settings = nccl_settings(evaluation(name), version_of(release), cloud)
            for form in FORMATS:
                report = check_settings(
                    settings_text(settings, form), version=settings.version, fabric=settings.fabric
                )
                told = {finding.verdict for finding in report.findings}
                assert told <= {"ok", "situational"}, (release, cloud, form, report.findings)
                read = [finding.variable for finding in report.findings]
                assert [name for name in read if name != "NCCL_LIB_DIR"] == names(settings)


@pytest.mark.parametrize("transport", load_catalog().transports)
@pytest.mark.parametrize("reduction", [False, True])
def test_every_transport_has_settings_that_pass(transport: str, reduction: bool) -> None:
    found = changed(network__transport=transport, network__in_network_reduction=reduction)
    for release in RELEASES:
        settings = nccl_settings(found, version_of(release), "none")
        text = settings_text(settings)
        report = check_settings(text, version=settings.version, fabric=settings.fabric)
        assert not report.has_faults, report.findings


def test_every_value_is_needed_and_has_a_source() -> None:
    for name in shipped_designs():
        settings = nccl_settings(evaluation(name))
        for entry in settings.settings:
            variable = nccl_tables().variables[entry.variable]
            assert entry.value != variable.default_at(settings.version)
            assert entry.source in references()
            assert entry.reason


def test_the_log_comes_first() -> None:
    assert names(nccl_settings(evaluation("llama-3-70b-1024-h100")))[:3] == DEBUG


def test_infiniband_needs_nothing_more() -> None:
    found = changed(network__transport="infiniband", network__switch="qm9700")
    assert names(nccl_settings(found)) == DEBUG


def test_queue_pairs_for_hashed_paths_only() -> None:
    hashed = nccl_settings(changed(network__transport="roce-hashed"))
    spread = nccl_settings(changed(network__transport="roce-adaptive"))
    assert values(hashed)["NCCL_IB_QPS_PER_CONNECTION"] == "4"
    assert "NCCL_IB_ADAPTIVE_ROUTING" not in values(hashed)
    assert "NCCL_IB_QPS_PER_CONNECTION" not in values(spread)
    assert values(spread)["NCCL_IB_ADAPTIVE_ROUTING"] == "1"


def test_the_traffic_class_is_that_of_the_switches() -> None:
    shared = lossless_rows(data_directory())["traffic_class"].value
    found = values(nccl_settings(changed(network__transport="roce-hashed")))
    assert float(found["NCCL_IB_TC"]) == shared == 160


def test_reduction_in_the_switches_brings_three() -> None:
    on = changed(
        network__transport="infiniband",
        network__switch="qm9700",
        network__in_network_reduction=True,
    )
    assert names(nccl_settings(on))[3:] == [
        "NCCL_COLLNET_ENABLE",
        "SHARP_COLL_LOCK_ON_COMM_INIT",
        "NCCL_ALGO",
    ]
    old = nccl_settings(on, version_of("2.23"))
    assert "NCCL_ALGO" not in names(old)
    assert ("NCCL_ALGO", "this value needs NCCL 2.24") in [
        (entry.variable, entry.reason) for entry in old.left_out
    ]


def test_rails_that_do_not_meet() -> None:
    found = changed(network__family="rail-only")
    assert values(nccl_settings(found))["NCCL_CROSS_NIC"] == "0"


def test_a_row_of_addresses_before_2_21_only() -> None:
    found = changed(network__transport="roce-hashed")
    assert "NCCL_IB_GID_INDEX" in names(nccl_settings(found, version_of("2.20")))
    assert "NCCL_IB_GID_INDEX" not in names(nccl_settings(found, version_of("2.21")))


def test_clouds_bring_their_profile_and_no_knobs_of_verbs() -> None:
    aws = nccl_settings(changed(), cloud="aws")
    assert (names(aws), aws.fabric.id) == ([*DEBUG, "FI_PROVIDER"], "efa")
    assert any("The design is for" in note for note in aws.notes)
    mega = nccl_settings(changed(cluster__server="gcp-a3-mega"))
    assert (mega.cloud, mega.fabric.id, names(mega)) == ("gcp", "tcpxo", DEBUG)
    assert "nccl-env-profile.sh" in settings_text(mega)
    assert nccl_settings(changed(), cloud="gcp").fabric.id == "gib"
    azure = values(nccl_settings(changed(cluster__server="azure-nd-h100-v5")))
    assert azure["NCCL_TOPO_FILE"].endswith("ndv5-topo.xml")
    assert values(nccl_settings(changed(), cloud="oci"))["NCCL_IB_TC"] == "41"
    own = nccl_settings(changed(cluster__server="aws-p5"), cloud="none")
    assert own.command_reason == ""


def test_a_cloud_or_a_form_that_is_not_known() -> None:
    with pytest.raises(DesignError, match="cloud: 'moon' is not known"):
        nccl_settings(changed(), cloud="moon")
    with pytest.raises(DesignError, match="format: 'xml' is not known"):
        settings_text(nccl_settings(changed()), "xml")


def test_the_record_says_what_was_left_out() -> None:
    record = settings_record(nccl_settings(changed(), version_of("2.27")))
    assert [entry["variable"] for entry in record["left_out"]] == ["NCCL_IB_GID_INDEX"]
    assert all(entry["reason"] and entry["source"] for entry in record["settings"])


def test_every_transport_is_a_network_of_nccl() -> None:
    for name, transport in load_catalog().transports.items():
        assert fabric_of(transport).words, name
