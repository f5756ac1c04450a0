"""What the checker finds in a good configuration that is broken in one place, and in junk."""

from __future__ import annotations

import copy
import json
import subprocess
import sys

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
from netdesign.catalog import data_directory, load_catalog
from netdesign.catalog.switch_chips import headroom_rows
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
        tree[table][key] |= value if field is None else {field: value}

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
BUFFERS, POOL = "BUFFER_PROFILE", "ingress_lossless_pool"
MAX, PATTERN = "green_max_threshold", "LOSSLESS_TRAFFIC_PATTERN"
LONG, EXIT = "pg_lossless_400000_30m_profile", "egress_lossless_profile"
UNWATCHED = every(QOS, "pfcwd_sw_enable", "")
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
    # A file in which every group is bound to a lossy profile leaves nothing to a manager.
    ("pause-without-lossless-buffer", "error", every(PG, "profile", "ingress_lossy_profile")),
    ("pause-without-lossless-buffer", "error", one(BUFFERS, LONG, "xoff", "0")),
    ("green-is-not-marked", "warning", one(WRED, "AZURE_LOSSLESS", "wred_green_enable", "false")),
    ("green-is-not-marked", "warning", gone(WRED, "AZURE_LOSSLESS", "wred_green_enable")),
    ("green-is-not-marked", "warning", one(WRED, "AZURE_LOSSLESS", "ecn", "ecn_yellow_red")),
    ("marks-never", "warning", one(WRED, "AZURE_LOSSLESS", "green_drop_probability", "0")),
    ("marks-every-packet", "warning", one(WRED, "AZURE_LOSSLESS", "green_min_threshold", "4")),
    ("value-not-allowed", "error", one(WRED, "AZURE_LOSSLESS", "green_min_threshold", "-4")),
    ("egress-drops-before-pause", "error", one(BUFFERS, EXIT, "dynamic_th", "-2")),
    ("egress-drops-under-incast", "warning", one(BUFFERS, EXIT, "dynamic_th", "2")),
    ("egress-drops-before-pause", "error", one(BUFFERS, EXIT, "static_th", "200000")),
    ("egress-drops-under-incast", "warning", one(BUFFERS, EXIT, "static_th", "100000000")),
    ("marks-fully-after-pause", "warning", one(WRED, "AZURE_LOSSLESS", MAX, "99999999")),
    ("value-not-allowed", "error", one(WRED, "AZURE_LOSSLESS", "wred_red_enable", "on")),
    ("value-not-allowed", "error", one("DSCP_TO_TC_MAP", "AZURE", "0", "8")),
    ("value-not-allowed", "error", one("DSCP_TO_TC_MAP", "AZURE", "64", "0")),
    ("value-not-allowed", "error", one("TC_TO_QUEUE_MAP", "AZURE", "1", "first")),
    ("value-not-allowed", "error", one("PORT", "Ethernet0", "mtu", "jumbo")),
    ("value-not-allowed", "error", one("PORT", "Ethernet0", "speed", "400G")),
    ("value-not-allowed", "error", one(PATTERN, "AZURE", "small_packet_percentage", "101")),
    ("value-not-allowed", "error", gone("BUFFER_POOL", POOL, "mode")),
    ("value-not-allowed", "error", one("SCHEDULER", "scheduler.1", "type", "FIFO")),
    ("profile-without-a-pool", "error", gone(BUFFERS, EXIT, "pool")),
    ("profile-without-a-threshold", "error", gone(BUFFERS, LONG, "dynamic_th")),
    ("group-larger-than-its-pool", "error", one(BUFFERS, LONG, "size", "133653505")),
    ("group-larger-than-its-pool", "error", one(BUFFERS, LONG, "xoff", "133653505")),
    ("classes-without-a-map", "warning", gone(QOS, "Ethernet0", "tc_to_pg_map")),
    ("classes-without-a-map", "warning", gone(QOS, "Ethernet0", "tc_to_queue_map")),
    ("egress-not-set", "warning", gone("BUFFER_QUEUE", "Ethernet0|3")),
    ("one-group-takes-the-pool", "warning", one(BUFFERS, LONG, "dynamic_th", "7")),
    ("one-group-takes-the-pool", "warning", one(BUFFERS, LONG, "static_th", "133653504")),
    ("resumes-above-the-buffer", "error", one(BUFFERS, LONG, "xon", "300000")),
    ("resumes-above-the-pause", "error", one(BUFFERS, LONG, "xon", "30000")),
    (
        "resumes-above-the-buffer",
        "error",
        lambda tree: tree[BUFFERS][LONG].update({"size": "0", "xon": "182273"}),
    ),
    (
        "everything-is-lossless",
        "warning",
        one("DSCP_TO_TC_MAP", "AZURE", None, dict.fromkeys(map(str, range(64)), "3")),
    ),
    ("ordinary-traffic-is-lossless", "note", one("DSCP_TO_TC_MAP", "AZURE", "0", "3")),
    ("pool-too-small", "error", one("BUFFER_POOL", POOL, "size", "500000")),
    ("pool-too-small", "error", one("BUFFER_POOL", POOL, "size", "0")),
    ("value-not-allowed", "error", one("BUFFER_POOL", POOL, "size", "-133653504")),
    ("value-not-allowed", "error", one("BUFFER_POOL", POOL, "size", "128 MB")),
    ("value-not-allowed", "error", one("BUFFER_POOL", POOL, "type", "entrance")),
    ("value-not-allowed", "error", one(BUFFERS, LONG, "dynamic_th", "half")),
    ("value-not-allowed", "error", one(BUFFERS, LONG, "xoff", "1e6")),
    ("pool-of-the-other-side", "error", one(BUFFERS, LONG, "pool", "egress_lossless_pool")),
    ("pool-of-the-other-side", "error", one(BUFFERS, EXIT, "pool", POOL)),
    ("weight-is-zero", "error", one("SCHEDULER", "scheduler.1", "weight", "0")),
    ("value-not-allowed", "error", one("SCHEDULER", "scheduler.1", "weight", "101")),
    ("watchdog-forwards", "warning", one("PFC_WD", "Ethernet0", "action", "forward")),
    ("watchdog-only-reports", "warning", one("PFC_WD", "Ethernet0", "action", "alert")),
    ("value-not-allowed", "error", one("PFC_WD", "Ethernet0", "action", "ignore")),
    ("value-not-allowed", "error", one("PFC_WD", "GLOBAL", "POLL_INTERVAL", "often")),
    ("watchdog-not-started", "warning", gone("PFC_WD")),
    ("watchdog-not-started", "warning", gone("PFC_WD", "Ethernet0", "detection_time")),
    ("watchdog-off", "warning", lambda tree: [gone("PFC_WD")(tree), UNWATCHED(tree)]),
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
    assert set(found(GOOD, plan=None)) == {"pools-not-checked"}
    tree = broken(one("BUFFER_POOL", "ingress_lossless_pool", "size", "170000000"))
    unknown = found(tree, plan=None)["pools-not-checked"]
    assert unknown.severity == "note"
    assert unknown.sentence == "chip unknown: pools not checked against its buffer"
    assert "--chip" in unknown.fix
    assert "pool-larger-than-the-buffer" not in found(tree, plan=None)
    assert (
        "not published" in found(tree, plan=None, chip="spectrum-6")["pools-not-checked"].sentence
    )
    assert "pool-larger-than-the-buffer" in found(tree, plan=None, chip="spectrum-4")
    with pytest.raises(DesignError, match="switch chip"):
        remarks(tree, plan=None, chip="nonsense")
    tree["DEVICE_METADATA"] = {"localhost": {"platform": "x86_64-nvidia_sn5600-r0"}}
    assert "pool-larger-than-the-buffer" in found(tree, plan=None)


def test_headroom_is_held_against_speed_and_cable_without_a_design():
    """Port speed and cable length of the file, the formula and the rows, the least of all chips."""
    short = one(BUFFERS, "pg_lossless_400000_10m_profile", "xoff", "30000")
    told = found(broken(short), plan=None)["headroom-too-small"]
    assert "the chip is unknown: the least of all known chips" in told.sentence
    assert "400 Gb/s and 10 m" in told.sentence
    assert (
        "Spectrum-4 needs"
        in found(broken(short), plan=None, chip="spectrum-4")["headroom-too-small"].sentence
    )
    # Speed from PORT: what is enough at 400G is too little at 800G, and the cable counts as well.
    faster = broken(every("PORT", "speed", "800000"))
    assert (
        "at 800 Gb/s" in found(faster, plan=None, chip="spectrum-4")["headroom-too-small"].sentence
    )
    longer = broken(one("CABLE_LENGTH", "AZURE", "Ethernet0", "2000m"))
    assert found(longer, plan=None)["headroom-too-small"].where == "Ethernet0"


def test_the_least_of_all_chips_is_less_than_each():
    file = broken(one(BUFFERS, "pg_lossless_400000_10m_profile", "xoff", "30000"))

    def asked(**more):
        fix = found(file, plan=None, **more)["headroom-too-small"].fix
        return int(fix.removeprefix("give xoff at least ").removesuffix(" B").replace(",", ""))

    chips = ("spectrum-3", "spectrum-4", "tomahawk-5", "teralynx-10")
    assert asked() <= min(asked(chip=chip) for chip in chips)


@pytest.mark.parametrize("role", ["leaf", "spine"])
@pytest.mark.parametrize("plan", [PLAN, TOMAHAWK], ids=["spectrum-4", "tomahawk-5"])
def test_what_we_write_is_clean_for_a_stranger_without_the_design(plan, role):
    told = found(sonic_config(plan, role), plan=None, traffic_class=None)
    assert set(told) <= {"pools-not-checked", "headroom-oversubscribed"}
    named = found(sonic_config(plan, role), plan=None, chip=plan.chip.id)
    assert set(named) <= {"headroom-oversubscribed"}


@pytest.mark.parametrize(
    "change",
    [
        {"oversubscribe": 4.0},
        {"priorities": (3, 4)},
        {"lossless_mtu": 1024.0},
        {"traffic_class": 96},
        {"marking": "onyx-roce"},
        {"access_length": 100.0, "spine_length": 300.0},
    ],
    ids=str,
)
def test_what_we_write_is_clean_whatever_is_chosen(change):
    plan = lossless_plan(EVALUATION, LosslessChoice(**change))
    told = remarks(sonic_config(plan), plan=plan)
    assert [remark for remark in told if remark.severity != "note"] == []


def test_every_published_headroom_resumes_below_where_it_pauses():
    """Vendors' own rows of size, xon and xoff must pass the rules about them."""
    rows = [row for row in headroom_rows(data_directory()) if row.size_bytes and row.xon_bytes]
    assert len(rows) > 50
    for row in rows:
        profile = {"size": row.size_bytes, "xon": row.xon_bytes, "xoff": row.xoff_bytes}
        tree = broken(lambda tree, made=profile: tree[BUFFERS][LONG].update(made))
        if row.profile == "shared-pool" or row.size_bytes < row.xoff_bytes:
            tree["BUFFER_POOL"][POOL]["xoff"] = "20000000"
        tree = {name: tree[name] for name in (PG, BUFFERS, "BUFFER_POOL")}
        codes = set(found(tree, plan=None))
        assert not {code for code in codes if code.startswith("resumes-")}, row


def test_a_scheduler_that_only_limits_a_port_is_no_fault():
    tree = broken(lambda tree: tree["SCHEDULER"].update(port={"pir": "50000000000"}))
    assert set(found(tree)) == {"adapter-maps-elsewhere"}


def test_a_port_without_a_map_is_found_without_a_class_as_well():
    tree = broken(gone("DSCP_TO_TC_MAP"))
    assert "dscp-not-trusted" in found(tree, plan=None)
    assert "dscp-not-trusted" not in found(GOOD, plan=None)


def test_thresholds_are_compared_where_the_sizes_of_pools_are_not_in_the_file():
    tree = broken(gone("BUFFER_POOL"))
    assert "egress-drops-before-pause" not in found(tree)
    tree = broken(one(BUFFERS, EXIT, "dynamic_th", "-1"), tree)
    assert "dynamic_th -1 and the entrance 0" in found(tree)["egress-drops-before-pause"].sentence


def test_a_watchdog_that_the_switch_starts_by_itself_is_enough():
    tree = broken(gone("PFC_WD"))
    tree["DEVICE_METADATA"] = {"localhost": {"default_pfcwd_status": "enable"}}
    assert not {code for code in found(tree) if code.startswith("watchdog")}


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
                "wred_green_enable": "true",
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


def test_a_shell_shows_the_severity_the_place_the_cure_and_the_id_of_a_rule(tmp_path):
    file = tmp_path / "leaf.json"
    file.write_text(json.dumps(broken(one("PFC_WD", "Ethernet4", "action", "forward"))))
    told = subprocess.run(
        [sys.executable, "-m", "netdesign", "lossless-check", str(file)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (told.returncode, told.stderr) == (1, "")
    what, right = (line for line in told.stdout.splitlines() if "stuck" in line or "storm" in line)
    assert what.strip().startswith("warning  in a storm the watchdog forwards into congestion")
    assert what.endswith("[Ethernet4]")
    assert right.strip().startswith("-> set the action to drop")
    assert right.endswith("[watchdog-forwards]")
    assert "chip unknown: pools not checked" in told.stdout


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
