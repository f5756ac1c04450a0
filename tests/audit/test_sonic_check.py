"""What the checker finds in a good configuration that is broken in one place, and in junk."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netdesign.audit.sonic_check import check_sonic, read_sonic, sonic_from_bytes
from netdesign.audit.sonic_tables import (
    LARGEST_FILE_BYTES,
    TABLES,
    classes_of,
    metres_of,
    number_of,
    reference,
    sonic_from_tree,
    span_of,
)
from netdesign.catalog import load_catalog
from netdesign.design import read_design
from netdesign.errors import DesignError
from netdesign.evaluate import evaluate
from netdesign.export.sonic import sonic_config
from netdesign.lossless import LosslessChoice, lossless_plan
from netdesign.network.lossless.remark import SEVERITIES

EVALUATION = evaluate(read_design("llama-3-70b-1024-h100-ethernet"))
PLAN = lossless_plan(EVALUATION)
TOMAHAWK = lossless_plan(EVALUATION, LosslessChoice(chip="tomahawk-5", priorities=(3, 4)))
GOOD = sonic_config(PLAN)


def broken(change, base=GOOD):
    tree = copy.deepcopy(base)
    change(tree)
    return tree


def remarks(tree, **more):
    more.setdefault("plan", PLAN)
    return check_sonic(sonic_from_tree(tree), **more)


def found(tree, **more):
    return {remark.code: remark for remark in remarks(tree, **more)}


def every(table, field, value):
    def change(tree):
        for row in tree[table].values():
            row[field] = value

    return change


def one(table, key, field, value):
    def change(tree):
        tree[table][key][field] = value

    return change


def gone(table, key=None, field=None):
    def change(tree):
        if key is None:
            del tree[table]
        elif field is None:
            del tree[table][key]
        else:
            del tree[table][key][field]

    return change


@pytest.mark.parametrize("role", ["leaf", "spine"])
@pytest.mark.parametrize("plan", [PLAN, TOMAHAWK], ids=["spectrum-4", "tomahawk-5"])
def test_what_we_write_has_no_fault(plan, role):
    told = remarks(sonic_config(plan, role), plan=plan)
    assert [remark for remark in told if remark.severity != "note"] == []
    codes = {remark.code for remark in told}
    # DSCP 40 leaves an adapter with priority 5 unless it is told otherwise.
    expected = {"headroom-oversubscribed"} if plan is TOMAHAWK else set()
    assert codes == expected | {"adapter-maps-elsewhere"}


PG, QOS, WRED = "BUFFER_PG", "PORT_QOS_MAP", "WRED_PROFILE"
FAULTS = [
    ("lossless-without-pause", "error", one(QOS, "Ethernet0", "pfc_enable", "")),
    (
        "pause-without-lossless-buffer",
        "error",
        one(PG, "Ethernet0|3", "profile", "ingress_lossy_profile"),
    ),
    ("pause-without-lossless-buffer", "error", one(QOS, "Ethernet8", "pfc_enable", "3,4")),
    ("ecn-off", "warning", one(WRED, "AZURE_LOSSLESS", "ecn", "ecn_none")),
    ("ecn-off", "warning", gone(WRED, "AZURE_LOSSLESS", "ecn")),
    ("ecn-off", "warning", gone("QUEUE", "Ethernet4|3", "wred_profile")),
    ("marks-nowhere", "error", gone(WRED, "AZURE_LOSSLESS", "green_min_threshold")),
    ("marks-after-pause", "error", every(WRED, "green_min_threshold", "90000000")),
    ("marks-after-pause-when-busy", "warning", every(WRED, "green_min_threshold", "1048576")),
    ("thresholds-cross", "error", every(WRED, "yellow_max_threshold", "10")),
    ("cable-longer-than-configured", "error", one("CABLE_LENGTH", "AZURE", "Ethernet0", "5m")),
    ("cable-unknown", "warning", one("CABLE_LENGTH", "AZURE", "Ethernet0", "0m")),
    ("profile-for-a-shorter-cable", "error", one("CABLE_LENGTH", "AZURE", "Ethernet0", "300m")),
    ("headroom-too-small", "warning", one("CABLE_LENGTH", "AZURE", "Ethernet0", "300m")),
    (
        "headroom-too-small",
        "warning",
        one("BUFFER_PROFILE", "pg_lossless_400000_30m_profile", "xoff", "30720"),
    ),
    ("profile-for-another-speed", "error", one("PORT", "Ethernet0", "speed", "100000")),
    ("nccl-class-is-lossy", "error", one("DSCP_TO_TC_MAP", "AZURE", "40", "1")),
    ("nccl-class-is-lossy", "error", gone("DSCP_TO_TC_MAP", "AZURE", "40")),
    ("nothing-reaches-the-lossless-class", "error", gone("DSCP_TO_TC_MAP", "AZURE", "40")),
    ("nccl-class-is-lossy", "error", one("TC_TO_PRIORITY_GROUP_MAP", "AZURE", "3", "0")),
    ("pause-stops-another-queue", "error", one("TC_TO_QUEUE_MAP", "AZURE", "3", "4")),
    ("pause-stops-another-queue", "error", one("MAP_PFC_PRIORITY_TO_QUEUE", "AZURE", "3", "5")),
    ("mtu-differs", "warning", one("PORT", "Ethernet0", "mtu", "9000")),
    ("mtu-too-small", "error", one("PORT", "Ethernet0", "mtu", "1500")),
    (
        "headroom-made-for-small-frames",
        "note",
        one("LOSSLESS_TRAFFIC_PATTERN", "AZURE", "mtu", "1024"),
    ),
    ("watchdog-off", "warning", one(QOS, "Ethernet0", "pfcwd_sw_enable", "")),
    ("watchdog-not-started", "warning", gone("PFC_WD", "Ethernet0")),
    ("watchdog-faster-than-its-poll", "error", one("PFC_WD", "Ethernet0", "detection_time", "200")),
    ("value-not-allowed", "error", one("PFC_WD", "Ethernet0", "restoration_time", "never")),
    ("value-not-allowed", "error", every(WRED, "red_drop_probability", "500")),
    ("value-not-allowed", "error", every(WRED, "ecn", "on")),
    ("value-not-allowed", "error", one("CABLE_LENGTH", "AZURE", "Ethernet0", "5 feet")),
    (
        "pool-larger-than-the-buffer",
        "error",
        one("BUFFER_POOL", "ingress_lossless_pool", "size", "170000000"),
    ),
    (
        "pool-larger-than-the-buffer",
        "error",
        one("BUFFER_POOL", "egress_lossless_pool", "size", "170000000"),
    ),
    (
        "headroom-does-not-fit",
        "error",
        one("BUFFER_POOL", "ingress_lossless_pool", "size", "150000000"),
    ),
    ("reference-to-nothing", "error", one(PG, "Ethernet0|3", "profile", "nothing")),
    ("reference-outside-the-file", "note", gone("SCHEDULER")),
    ("key-cannot-be-read", "error", lambda tree: tree[PG].update({"Ethernet0|9": {}})),
    ("priorities-cannot-be-read", "error", one(QOS, "Ethernet0", "pfc_enable", "3;4")),
    ("nothing-is-lossless", "warning", every(QOS, "pfc_enable", "")),
    ("many-lossless-priorities", "warning", one(QOS, "Ethernet0", "pfc_enable", "0,3,4")),
    ("lossless-queue-is-strict", "note", one("QUEUE", "Ethernet0|3", "scheduler", "scheduler.2")),
    ("queues-not-in-the-file", "note", gone("QUEUE")),
    (
        "egress-drops-lossless",
        "error",
        one("BUFFER_QUEUE", "Ethernet0|3", "profile", "egress_lossy_profile"),
    ),
    (
        "another-chip",
        "warning",
        lambda tree: tree.update(
            {"DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0"}}}
        ),
    ),
    ("dscp-not-trusted", "error", gone("DSCP_TO_TC_MAP")),
    ("part-not-read", "warning", lambda tree: tree.update({"SCHEDULER": [1, 2]})),
]


@pytest.mark.parametrize(
    ("code", "severity", "change"),
    FAULTS,
    ids=[f"{index}-{entry[0]}" for index, entry in enumerate(FAULTS)],
)
def test_a_fault_is_found_and_says_what_would_be_right(code, severity, change):
    told = found(broken(change))
    assert code in told, sorted(told)
    remark = told[code]
    assert remark.severity == severity
    assert remark.fix
    assert remark.source in load_catalog().references
    assert remark.sentence.isprintable()


def test_a_class_of_nccl_that_is_not_lossless():
    told = found(GOOD, traffic_class=41)
    lossy = told["nccl-class-is-lossy"]
    assert "NCCL_IB_TC=41 is DSCP 10" in lossy.sentence
    assert "NCCL_IB_TC=160" in lossy.fix
    assert lossy.where == "Ethernet0, Ethernet4, Ethernet8 and 125 more"
    assert "class-carries-ecn-bits" in told


def test_a_spine_whose_cables_are_all_short_is_only_warned():
    tree = broken(
        lambda tree: tree["CABLE_LENGTH"]["AZURE"].update(
            dict.fromkeys(tree["CABLE_LENGTH"]["AZURE"], "10m")
        )
    )
    told = found(tree)["too-few-ports-for-the-longest-cable"]
    assert told.severity == "warning"
    assert "a leaf of the design has 64 cables of 30 m" in told.sentence
    one_short = broken(one("CABLE_LENGTH", "AZURE", "Ethernet508", "10m"))
    assert "63 ports set" in found(one_short)["too-few-ports-for-the-longest-cable"].sentence


def test_without_a_design_the_file_is_checked_by_itself():
    assert remarks(GOOD, plan=None) == ()
    tree = broken(one("BUFFER_POOL", "ingress_lossless_pool", "size", "170000000"))
    assert remarks(tree, plan=None) == ()
    assert "pool-larger-than-the-buffer" in found(tree, plan=None, chip="spectrum-4")
    with pytest.raises(DesignError, match="switch chip"):
        remarks(tree, plan=None, chip="nonsense")
    tree["DEVICE_METADATA"] = {"localhost": {"platform": "x86_64-nvidia_sn5600-r0"}}
    assert "pool-larger-than-the-buffer" in found(tree, plan=None)


def test_older_references_and_spans_are_understood():
    tree = copy.deepcopy(GOOD)
    for row in tree["BUFFER_PROFILE"].values():
        row["pool"] = f"[BUFFER_POOL|{row['pool']}]"
    tables = {
        "dscp_to_tc_map": "DSCP_TO_TC_MAP",
        "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
        "tc_to_queue_map": "TC_TO_QUEUE_MAP",
        "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
    }
    for row in tree["PORT_QOS_MAP"].values():
        row |= {field: f"[{table}|AZURE]" for field, table in tables.items() if field in row}
    for row in tree["BUFFER_PG"].values():
        row["profile"] = f"[BUFFER_PROFILE|{row['profile']}]"
    assert set(found(tree, traffic_class=96)) == {"nccl-class-is-lossy"}
    ports = ",".join(key for key in tree["PORT"])
    tree["QUEUE"] = {f"{ports}|2-4": {"wred_profile": "[WRED_PROFILE|AZURE_LOSSLESS]"}}
    assert set(found(tree)) == {"adapter-maps-elsewhere"}


def test_buffers_left_to_the_switch_are_no_fault():
    tree = broken(gone("BUFFER_PG"))
    assert found(tree)["buffer-left-to-the-manager"].severity == "note"
    computed = broken(
        lambda tree: [row.update(profile="NULL") for row in tree["BUFFER_PG"].values()]
    )
    codes = set(found(computed))
    assert "pause-without-lossless-buffer" not in codes
    assert "reference-to-nothing" not in codes


# As a switch of Microsoft's templates has it: priorities 3 and 4, DSCP 3 and 4, marking at 1 MiB.
def azure():
    ports = ["Ethernet0", "Ethernet8"]
    identity = {str(number): str(number) for number in range(8)}
    return {
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(ports, "40m")},
        "DSCP_TO_TC_MAP": {
            "AZURE": {str(dscp): "1" for dscp in range(64)} | {"3": "3", "4": "4", "46": "5"}
        },
        "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": identity | {"1": "0", "2": "0"}},
        "TC_TO_QUEUE_MAP": {"AZURE": identity},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": identity},
        "PORT_QOS_MAP": {
            port: {
                "dscp_to_tc_map": "AZURE",
                "tc_to_queue_map": "AZURE",
                "tc_to_pg_map": "AZURE",
                "pfc_to_queue_map": "AZURE",
                "pfc_enable": "3,4",
                "pfcwd_sw_enable": "3,4",
            }
            for port in ports
        },
        "WRED_PROFILE": {
            "AZURE_LOSSLESS": {
                "ecn": "ecn_all",
                "green_min_threshold": "1048576",
                "green_max_threshold": "2097152",
            }
        },
        "QUEUE": {f"{port}|3-4": {"wred_profile": "AZURE_LOSSLESS"} for port in ports},
        "DEVICE_METADATA": {"localhost": {"default_pfcwd_status": "enable"}},
    }


def test_the_shipped_map_of_sonic_does_not_know_the_usual_class_of_nccl():
    told = found(azure(), plan=None, traffic_class=160)
    assert told["nccl-class-is-lossy"].severity == "error"
    assert "NCCL_IB_TC=12" in told["nccl-class-is-lossy"].fix
    assert set(told) == {"nccl-class-is-lossy", "buffer-left-to-the-manager"}
    mended = set(found(azure(), plan=None, traffic_class=12))
    assert mended == {"buffer-left-to-the-manager", "adapter-maps-elsewhere"}


def test_the_same_fault_at_many_ports_is_told_once():
    told = remarks(broken(every("QUEUE", "wred_profile", "")))
    assert [remark.code for remark in told if remark.severity != "note"] == ["ecn-off"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not JSON"),
        (b"[1, 2]", "holds no table"),
        (b"{}", "holds no table"),
        (b"null", "holds no table"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"{'PORT': 1}", "line 1 is not JSON"),
        (b"[" * 200_000, "is not JSON"),
        (b'{"PORT": ' + b"9" * 10_000 + b"}", "is not JSON"),
        (b" " * (LARGEST_FILE_BYTES + 1), "is too large"),
    ],
)
def test_what_is_no_configuration_gets_one_sentence(content, words):
    with pytest.raises(DesignError, match=".") as caught:
        sonic_from_bytes(content, "strange.json")
    assert words in str(caught.value)
    assert len(str(caught.value)) < 300


def test_more_than_a_switch_can_have_is_refused():
    many = {"QUEUE": {",".join(["Ethernet0"] * 10_000) + "|0-63": {}}}
    with pytest.raises(DesignError, match="names too many ports and queues"):
        remarks(many)
    with pytest.raises(DesignError, match="ports: 20001 are too many"):
        remarks({"PORT": {f"Ethernet{index}": {} for index in range(20_001)}})


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DesignError, match="no such file"):
        read_sonic(tmp_path / "missing.json")
    with pytest.raises(DesignError, match="cannot be read"):
        read_sonic(tmp_path)


PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["3-4", "3,4", "40m", "NULL", "ecn_all", "AZURE", "Ethernet0", "-1", "1e9"]),
)
JUNK = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(
                st.sampled_from(["Ethernet0", "Ethernet0|3", "Ethernet0|3-4", "AZURE", "global"]),
                st.sampled_from(["pfc_enable", "profile", "xoff", "size", "pool", "mtu", "ecn"]),
                st.text(max_size=8),
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@settings(
    deadline=None,
    derandomize=True,
    max_examples=300,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.dictionaries(st.sampled_from(TABLES), JUNK, min_size=1, max_size=6))
def test_junk_never_breaks_the_checker(tree):
    content = json.dumps(tree).encode()
    for remark in check_sonic(sonic_from_bytes(content), plan=PLAN, traffic_class=160):
        assert remark.severity in SEVERITIES
        assert (remark.sentence + remark.where + remark.fix).isprintable()


@settings(
    deadline=None,
    derandomize=True,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(table=st.sampled_from(sorted(GOOD)), data=st.data())
def test_a_good_file_with_junk_in_one_row_never_breaks_the_checker(table, data):
    tree = {name: dict(list(rows.items())[:6]) for name, rows in GOOD.items()}
    key = data.draw(st.sampled_from(sorted(tree[table])))
    tree[table][key] = data.draw(JUNK)
    content = json.dumps(tree).encode()
    assert isinstance(check_sonic(sonic_from_bytes(content), plan=PLAN), tuple)


def test_pieces_of_the_reading():
    assert reference("[BUFFER_POOL|a]") == reference("a") == "a"
    assert list(span_of("3-4")) == [3, 4]
    assert list(span_of("7")) == [7]
    assert list(span_of("x")) == list(span_of("4-3")) == []
    assert len(span_of("0-99")) == 64
    assert classes_of("3,4") == {3, 4}
    assert classes_of("") == frozenset()
    assert classes_of("8") is None
    assert metres_of("40m") == 40
    assert metres_of("None") is None
    assert number_of("12") == 12
    assert number_of("nan") is number_of("1e999") is number_of(None) is None
