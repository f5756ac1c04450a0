"""The fragment of config_db.json against the schema of SONiC, written out here again."""

from __future__ import annotations

import json
import re

import pytest

from netdesign.audit.sonic_check import check_sonic
from netdesign.audit.sonic_tables import sonic_from_tree
from netdesign.catalog import load_catalog
from netdesign.design import read_design
from netdesign.errors import DesignError
from netdesign.evaluate import evaluate
from netdesign.export.sonic import (
    host_notes,
    port_names,
    sonic_config,
    sonic_json,
    switch_notes,
)
from netdesign.lossless import LosslessChoice, lossless_plan

EVALUATION = evaluate(read_design("llama-3-70b-1024-h100-ethernet"))
PORT = r"Ethernet\d+"
BYTES = r"\d{1,19}"
CHIPS = ("spectrum-4", "tomahawk-5", "tomahawk-4", "trident-4", "teralynx-10")

# Key and fields of each table by SONiC's YANG models: pattern of the key, then of each field;
# a field in capitals names the table that it must lead to.
SCHEMA = {
    "PORT": (PORT, {"mtu": r"\d+"}),
    "LOSSLESS_TRAFFIC_PATTERN": ("AZURE", {"mtu": r"\d+", "small_packet_percentage": r"\d+"}),
    "BUFFER_POOL": (
        r"[a-z_]+",
        {"type": "ingress|egress", "mode": "static|dynamic", "size": BYTES, "xoff": BYTES},
    ),
    "BUFFER_PROFILE": (
        r"[a-z_0-9m]+",
        {
            "pool": "BUFFER_POOL",
            "size": BYTES,
            "xon": BYTES,
            "xoff": BYTES,
            "xon_offset": BYTES,
            "dynamic_th": r"-[1-8]|[0-7]",
        },
    ),
    "BUFFER_PG": (PORT + r"\|[0-7](-[0-7])?", {"profile": "BUFFER_PROFILE"}),
    "BUFFER_QUEUE": (
        PORT + r"\|(1[0-5]|[0-9])(-(1[0-5]|[0-9]))?",
        {"profile": "BUFFER_PROFILE"},
    ),
    "PORT_QOS_MAP": (
        PORT + "|global",
        {
            "dscp_to_tc_map": "DSCP_TO_TC_MAP",
            "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
            "tc_to_queue_map": "TC_TO_QUEUE_MAP",
            "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
            "pfc_to_pg_map": "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
            "pfc_enable": r"([0-7](,[0-7])*)?",
            "pfcwd_sw_enable": r"([0-7](,[0-7])*)?",
        },
    ),
    "WRED_PROFILE": (
        r"[a-zA-Z0-9]([-a-zA-Z0-9_]{0,31})",
        {
            "ecn": "ecn_all",
            **{f"wred_{colour}_enable": "true" for colour in ("green", "yellow", "red")},
            **{
                f"{colour}_{end}_threshold": BYTES
                for colour in ("green", "yellow", "red")
                for end in ("min", "max")
            },
            **{
                f"{colour}_drop_probability": r"100|\d{1,2}"
                for colour in ("green", "yellow", "red")
            },
        },
    ),
    "SCHEDULER": (r"scheduler\.\d", {"type": "DWRR|WRR|STRICT", "weight": r"100|[1-9]\d?"}),
    "QUEUE": (PORT + r"\|\d+", {"scheduler": "SCHEDULER", "wred_profile": "WRED_PROFILE"}),
    "PFC_WD": (
        PORT + "|GLOBAL",
        {
            "POLL_INTERVAL": r"\d+",
            "action": "drop|forward|alert",
            "detection_time": r"\d+",
            "restoration_time": r"\d+",
        },
    ),
}
MAPS = {
    "DSCP_TO_TC_MAP": r"6[0-3]|[1-5][0-9]?|[0-9]?",
    "TC_TO_PRIORITY_GROUP_MAP": "[0-7]",
    "TC_TO_QUEUE_MAP": "[0-7]",
    "MAP_PFC_PRIORITY_TO_QUEUE": "[0-7]",
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": "[0-7]",
}


def plan(**choice):
    return lossless_plan(EVALUATION, LosslessChoice(**choice))


def check_schema(tables):
    for table, rows in tables.items():
        if table in MAPS:
            for row in rows.values():
                assert all(re.fullmatch(MAPS[table], key) for key in row), table
                assert all(re.fullmatch("[0-7]", value) for value in row.values()), table
        elif table == "CABLE_LENGTH":
            assert all(
                re.fullmatch(r"\d+m", text) for row in rows.values() for text in row.values()
            )
        else:
            key_form, fields = SCHEMA[table]
            for key, row in rows.items():
                assert re.fullmatch(key_form, key), (table, key)
                assert set(row) <= set(fields), (table, key, set(row) - set(fields))
                for field, value in row.items():
                    form = fields[field]
                    if form in tables:
                        assert value in tables[form], (table, key, field, value)
                    else:
                        assert re.fullmatch(form, value), (table, key, field, value)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("role", ["leaf", "spine"])
def test_the_fragment_follows_the_schema(chip, role):
    tables = sonic_config(plan(chip=chip, priorities=(3, 4)), role)
    check_schema(tables)
    assert json.loads(sonic_json(tables)) == tables
    needed = {
        "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_PG", "CABLE_LENGTH", "PORT_QOS_MAP",
        "DSCP_TO_TC_MAP", "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP", "WRED_PROFILE", "QUEUE",
        "SCHEDULER", "PFC_WD",
    }  # fmt: skip
    assert needed <= set(tables)


ETHERNET = [
    switch.id for switch in load_catalog().switches.values() if switch.technology == "ethernet"
]


@pytest.mark.parametrize("switch", ETHERNET)
def test_every_ethernet_switch_gets_a_clean_fragment_or_one_sentence(switch):
    design = EVALUATION.design.with_values({"network.switch": switch, "cluster.gpus": 64})
    if switch in REFUSED:
        with pytest.raises(DesignError, match=REFUSED[switch]):
            lossless_plan(design)
        return
    found = lossless_plan(design)
    if found.chip.buffer_bytes is None:
        return
    tables = sonic_config(found)
    check_schema(tables)
    told = check_sonic(sonic_from_tree(tables), plan=found)
    assert [remark for remark in told if remark.severity != "note"] == []


REFUSED = {
    "n9364e-sg2": "has no published headroom at 400 Gb/s",
    "modular-288x400": "not named",
}


def test_ranges_of_the_schema():
    tables = sonic_config(plan())
    wred = tables["WRED_PROFILE"]["AZURE_LOSSLESS"]
    for colour in ("green", "yellow", "red"):
        assert int(wred[f"{colour}_min_threshold"]) <= int(wred[f"{colour}_max_threshold"])
    watchdog = tables["PFC_WD"]
    poll = int(watchdog["GLOBAL"]["POLL_INTERVAL"])
    assert 100 <= poll <= 1000
    row = watchdog["Ethernet0"]
    assert poll <= int(row["detection_time"]) <= 5000
    assert poll <= int(row["restoration_time"]) <= 60_000


def test_every_port_has_its_cable_and_the_profile_for_it():
    found = plan(access_length=12.3, spine_length=55)
    tables = sonic_config(found)
    lengths = tables["CABLE_LENGTH"]["AZURE"]
    assert list(lengths.values()) == ["13m"] * 64 + ["55m"] * 64
    for port, length in lengths.items():
        profile = tables["BUFFER_PG"][f"{port}|3"]["profile"]
        assert profile == f"pg_lossless_400000_{length}_profile"
        assert profile in tables["BUFFER_PROFILE"]
    profile = tables["BUFFER_PROFILE"]["pg_lossless_400000_55m_profile"]
    assert int(profile["xoff"]) == found.tiers[1].headroom.xoff
    assert int(profile["size"]) == found.tiers[1].headroom.size


def test_two_cables_that_round_to_one_length_take_the_larger_headroom():
    found = plan(access_length=29.9, spine_length=20.1)
    assert found.tiers[0].headroom.xoff > found.tiers[1].headroom.xoff
    for lengths in ((29.1, 29.9), (29.9, 29.1)):
        found = plan(access_length=lengths[0], spine_length=lengths[1])
        profiles = sonic_config(found)["BUFFER_PROFILE"]
        lossless = [row for name, row in profiles.items() if name.startswith("pg_lossless")]
        assert len(lossless) == 1
        assert int(lossless[0]["xoff"]) == max(tier.headroom.xoff for tier in found.tiers)


def test_the_class_of_nccl_meets_the_lossless_queue():
    for byte, dscp in ((160, "40"), (41, "10"), (104, "26"), (192, "48")):
        tables = sonic_config(plan(traffic_class=byte))
        traffic = tables["DSCP_TO_TC_MAP"]["AZURE"][dscp]
        group = tables["TC_TO_PRIORITY_GROUP_MAP"]["AZURE"][traffic]
        queue = tables["TC_TO_QUEUE_MAP"]["AZURE"][traffic]
        assert traffic == group == queue == "3"
        assert tables["MAP_PFC_PRIORITY_TO_QUEUE"]["AZURE"]["3"] == queue
        for port, row in tables["PORT_QOS_MAP"].items():
            if port != "global":
                assert row["pfc_enable"] == row["pfcwd_sw_enable"] == "3"
                assert tables["QUEUE"][f"{port}|3"]["wred_profile"] == "AZURE_LOSSLESS"
                assert tables["BUFFER_QUEUE"][f"{port}|3"]["profile"] == "egress_lossless_profile"
        others = [tc for tc, pg in tables["TC_TO_PRIORITY_GROUP_MAP"]["AZURE"].items() if pg == "3"]
        assert others == ["3"]


def test_pools_of_chips_with_and_without_a_pool_of_headroom():
    spectrum = sonic_config(plan())["BUFFER_POOL"]["ingress_lossless_pool"]
    assert "xoff" not in spectrum
    fitted = plan().switch("leaf").fit
    assert int(spectrum["size"]) == int(fitted.shared)
    shared = sonic_config(plan(oversubscribe=2))
    pool = shared["BUFFER_POOL"]["ingress_lossless_pool"]
    assert int(pool["xoff"]) == pytest.approx(fitted.needed / 2, abs=1)
    assert shared["BUFFER_PROFILE"]["pg_lossless_400000_10m_profile"]["size"] == "19456"
    tomahawk = sonic_config(plan(chip="tomahawk-5"))["BUFFER_POOL"]["ingress_lossless_pool"]
    assert (tomahawk["size"], tomahawk["xoff"]) == ("164505640", "22010624")


@pytest.mark.parametrize("priorities", [(0,), (0, 1), (0, 3, 6), (7,), (0, 1, 2, 3, 4, 5, 6)])
def test_other_traffic_never_shares_a_lossless_group(priorities):
    tables = sonic_config(plan(priorities=priorities, oversubscribe=10))
    check_schema(tables)
    lossless = set(map(str, priorities))
    for traffic, group in tables["TC_TO_PRIORITY_GROUP_MAP"]["AZURE"].items():
        assert (group in lossless) == (traffic in lossless)
    spans = [key.split("|")[1] for key in tables["BUFFER_PG"] if key.startswith("Ethernet0|")]
    numbers = [number for span in spans for number in range(int(span[0]), int(span[-1]) + 1)]
    assert len(numbers) == len(set(numbers)) == len(priorities) + 1


def test_only_nvidia_has_a_map_from_pauses_to_groups():
    table = "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"
    assert table in sonic_config(plan())
    assert table not in sonic_config(plan(chip="tomahawk-5"))


def test_names_of_ports_count_lanes():
    assert port_names(3) == ["Ethernet0", "Ethernet8", "Ethernet16"]
    assert port_names(3, 2) == ["Ethernet0", "Ethernet4", "Ethernet8"]
    assert port_names(2, 8) == ["Ethernet0", "Ethernet1"]
    names = [f"Ethernet{index}" for index in range(128)]
    assert list(sonic_config(plan(), ports=names)["PORT"]) == names


def test_hosts_are_told_the_same_class():
    notes = "\n".join(host_notes(plan(traffic_class=104)))
    assert "NCCL_IB_TC=104" in notes
    assert "--pfc 0,0,0,1,0,0,0,0" in notes
    assert "set,26,3" in notes
    assert "-t 104" in notes
    assert any("config load leaf.json" in line for line in switch_notes("leaf.json"))


def test_what_cannot_be_written():
    with pytest.raises(DesignError, match="there are leaf, spine"):
        sonic_config(plan(), "core")
    with pytest.raises(DesignError, match="virtual queues"):
        sonic_config(plan(chip="jericho-2c-plus"))
    with pytest.raises(DesignError, match="leave one out"):
        sonic_config(plan(priorities=tuple(range(8))))
    with pytest.raises(DesignError, match="has no published buffer"):
        sonic_config(plan(chip="spectrum-6"))
    with pytest.raises(DesignError, match="do not fit into the 158,229,504 bytes of Spectrum-4"):
        sonic_config(plan(access_length=2000, spine_length=2000, priorities=(3, 4)))
    with pytest.raises(DesignError, match="give 128 names"):
        sonic_config(plan(), ports=["Ethernet0"])
    with pytest.raises(DesignError, match="give up to 9216"):
        sonic_config(plan(lossless_mtu=9600, port_mtu=9800))
