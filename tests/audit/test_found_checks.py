"""A found network is held against the rule that most of it follows."""

from __future__ import annotations

from typing import Any

import pytest
from infiniband_dumps import Dump, two_tiers

from netdesign.audit.context import Context, line_rate_of
from netdesign.audit.document import document_of
from netdesign.audit.found.checks import findings_of
from netdesign.audit.found.names import adapter_of, is_factory_name, label_of
from netdesign.audit.found.network import FoundDevice, FoundLink, FoundNetwork
from netdesign.audit.found.tiers import tiered
from netdesign.audit.infiniband.dump import read_discovery
from netdesign.audit.report import Finding


def network_of(dump: Dump) -> FoundNetwork:
    return read_discovery(document_of("a", dump.text()))[0].network


def findings(dump: Dump) -> dict[str, Finding]:
    return {finding.rule: finding for finding in findings_of(tiered(network_of(dump)))}


def test_a_whole_pod_has_nothing_to_say() -> None:
    assert findings(two_tiers(leaves=4, spines=4)) == {}


def test_missing_uplinks_by_pair_and_worst_leaf() -> None:
    absent = [(1, 1, 2), (1, 2, 2), (3, 1, 1), (3, 1, 2), (1, 3, 1)]
    found = findings(two_tiers(leaves=8, spines=4, absent=absent))
    finding = found["missing-links"]
    assert finding.severity == "warning"
    evidence = finding.evidence
    assert [evidence[key] for key in ("missing", "pairs", "all_pairs", "links_per_pair")] == [
        5,
        4,
        32,
        2,
    ]
    assert evidence["leaves"][0] == {"name": "LEAF-01", "up": 5, "expected": 8, "missing": 3}
    assert "5 uplinks missing over 4 pairs" in finding.message
    assert "oversubscription" not in found  # 4 down over 5 up is enough


def test_a_pair_without_any_link_counts_only_where_all_others_have_one() -> None:
    dump = two_tiers(leaves=4, spines=2)
    other = two_tiers(leaves=4, spines=2)
    for name in other.switches:  # a second pod: its spines owe the first one nothing
        dump.switches["B-" + name] = other.switches[name].replace("2c5e", "aaaa")
    for name in other.adapters:
        dump.adapters["b" + name] = other.adapters[name].replace("e09d", "bbbb")
    named = {name: "B-" + name for name in other.switches}
    named.update({name: "b" + name for name in other.adapters})
    dump.links += [(named[a], ap, named[b], bp, speed) for a, ap, b, bp, speed in other.links]
    found = findings(dump)
    assert "missing-links" not in found
    assert found["separate-fabrics"].evidence["count"] == 2


def test_no_rule_no_verdict() -> None:
    absent = [(leaf, spine, 1) for leaf in (1, 2) for spine in (1, 2)]
    found = findings(two_tiers(leaves=4, spines=2, absent=absent))
    assert "missing-links" not in found
    assert found["uneven-links"].severity == "note"


def test_a_number_that_names_skip() -> None:
    dump = Dump()
    for rail in (1, 2, 3, 4):
        for rack in (1, 2, 3):
            if (rail, rack) != (3, 1):
                dump.switch(f"A09-IBLEAF-{rail:02d}-{rack:02d}")
    for name in list(dump.switches):
        dump.adapter(f"host-{name} HCA-1")
        dump.link(name, 1, f"host-{name} HCA-1", 1)
    finding = findings(dump)["missing-switch"]
    assert finding.evidence["missing"] == ["IBLEAF-03-01"]
    assert finding.severity == "warning"


def test_swapped_rails() -> None:
    dump = two_tiers(leaves=4, servers=6)
    swap = {"node03 HCA-2": "LEAF-03", "node03 HCA-3": "LEAF-02"}
    dump.links = [(swap.get(b, a), ap, b, bp, speed) for a, ap, b, bp, speed in dump.links]
    finding = findings(dump)["rail-swap"]
    assert finding.where == "node03"
    assert finding.evidence["count"] == 1
    adapters = finding.evidence["servers"][0]["adapters"]
    assert {(entry["adapter"], entry["switch"]) for entry in adapters} == {
        ("HCA-2", "LEAF-03"),
        ("HCA-3", "LEAF-02"),
    }


def test_hca_1_and_mlx5_0_are_the_same_adapter() -> None:
    dump = two_tiers(leaves=4, spines=3, servers=6)
    for leaf in range(1, 5):
        old, new = f"node02 HCA-{leaf}", f"node02 mlx5_{leaf - 1}"
        dump.adapters[new] = dump.adapters.pop(old)
        dump.links = [tuple(new if end == old else end for end in link) for link in dump.links]  # type: ignore[misc]
    assert findings(dump) == {}


def test_a_server_that_numbers_its_adapters_otherwise_is_left_alone() -> None:
    dump = two_tiers(leaves=4, spines=3, servers=6)
    for leaf in range(1, 5):
        old, new = f"node02 HCA-{leaf}", f"node02 HCA-{leaf + 6}"
        dump.adapters[new] = dump.adapters.pop(old)
        dump.links = [tuple(new if end == old else end for end in link) for link in dump.links]  # type: ignore[misc]
    assert findings(dump) == {}


def test_a_server_with_an_adapter_less() -> None:
    dump = two_tiers(leaves=4, servers=5)
    del dump.adapters["node04 HCA-2"]
    dump.links = [link for link in dump.links if "node04 HCA-2" not in link]
    finding = findings(dump)["missing-adapter"]
    assert (finding.severity, finding.evidence["names"]) == ("warning", ["node04"])
    assert "node04 has 3 of 4" in finding.message


def test_names_of_the_factory_may_be_the_missing_adapters() -> None:
    dump = two_tiers(leaves=4, servers=5)
    guid = dump.adapters.pop("node04 HCA-2")
    name = "MT4129 ConnectX7   Mellanox Technologies"
    dump.adapters[name] = guid
    dump.links = [
        tuple(name if end == "node04 HCA-2" else end for end in link)  # type: ignore[misc]
        for link in dump.links
    ]
    found = findings(dump)
    assert found["missing-adapter"].severity == "note"
    assert found["factory-name"].evidence["adapters"] == 1
    assert {finding.severity for finding in found.values()} == {"note"}


def test_one_name_on_two_machines() -> None:
    devices = {
        "s": FoundDevice("s", "leaf", "switch"),
        "a": FoundDevice("a", "localhost mlx5_0", "host"),
        "b": FoundDevice("b", "localhost mlx5_0", "host"),
    }
    links = (FoundLink("s", "1", "a", "1", 400.0), FoundLink("s", "2", "b", "1", 400.0))
    found = {entry.rule: entry for entry in findings_of(tiered(FoundNetwork(devices, links)))}
    assert found["duplicate-name"].severity == "warning"
    assert found["duplicate-name"].evidence["names"] == {"localhost mlx5_0": ["a", "b"]}


def test_a_link_slower_than_its_like() -> None:
    dump = two_tiers(leaves=4, servers=6)
    at = next(n for n, link in enumerate(dump.links) if link[2] == "node05 HCA-1")
    dump.links[at] = (*dump.links[at][:4], "4xHDR")
    found = findings(dump)
    finding = found["slow-link"]
    assert "LEAF-01 port 5 to node05 HCA-1 port 1 at 4xHDR (200 of 400 Gb/s" in finding.message
    assert "Links of one tier differ" in found["mixed-speeds"].message


def test_a_link_far_below_the_others_where_nothing_is_usual() -> None:
    dump = Dump()
    dump.switch("LEAF")
    for port, speed in enumerate(["4xEDR", "4xFDR", "4xFDR", "4xQDR", "4xSDR"], 1):
        dump.adapter(f"lab{port} HCA-1")
        dump.link("LEAF", port, f"lab{port} HCA-1", 1, speed)
    finding = findings(dump)["slow-link"]
    assert [link["b"] for link in finding.evidence["links"]] == ["lab5 HCA-1"]


def test_links_below_the_rate_that_was_given() -> None:
    network = tiered(network_of(two_tiers()))
    assert findings_of(network, Context(line_rate=line_rate_of("400G"))) == []
    (finding,) = findings_of(network, Context(line_rate=line_rate_of("800G")))
    assert (finding.rule, finding.severity) == ("below-line-rate", "warning")
    assert (finding.evidence["count"], finding.evidence["line_rate_gbps"]) == (16, 800)


def test_speeds_that_differ_by_tier_were_meant() -> None:
    dump = two_tiers()
    dump.links = [
        (a, ap, b, bp, "4xQDR" if " " in b else "4xFDR10") for a, ap, b, bp, _ in dump.links
    ]
    found = findings(dump)
    assert set(found) == {"mixed-speeds"}
    assert found["mixed-speeds"].severity == "note"
    assert "Each tier is alike" in found["mixed-speeds"].message
    assert found["mixed-speeds"].evidence["data_gbps"] == {"4xFDR10": 40, "4xQDR": 32}


def test_a_link_that_one_listed_end_does_not_know() -> None:
    text = two_tiers().text()
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("[3]\t") and "HCA-" in line)
    network = read_discovery(document_of("a", "\n".join(lines[:at] + lines[at + 1 :])))[0].network
    (finding,) = findings_of(tiered(network))
    assert (finding.rule, finding.evidence["count"]) == ("one-sided-link", 1)


def test_hosts_on_a_spine_do_not_make_it_a_leaf() -> None:
    dump = two_tiers(leaves=4, spines=2, servers=8, per_pair=4)
    dump.adapter("tank1 mlx4_0")
    dump.link("SPINE-01", 60, "tank1 mlx4_0", 1)
    network = tiered(network_of(dump))
    assert [len(keys) for keys in network.by_tier] == [4, 2]
    finding = findings(dump)["hosts-above-leaves"]
    assert finding.evidence == {"switches": ["SPINE-01"], "host_links": 1}


def test_a_leaf_on_one_spine_only() -> None:
    absent = [(2, spine, link) for spine in (2, 3, 4) for link in (1, 2)]
    found = findings(two_tiers(leaves=8, spines=4, absent=absent))
    assert found["single-point"].evidence["leaves"] == ["LEAF-02"]
    single = two_tiers(leaves=8, spines=1)
    assert "single-point" not in findings(single)  # all alike


def test_a_server_on_one_leaf_only() -> None:
    dump = two_tiers(leaves=4, servers=8)
    dump.links = [
        ("LEAF-01", 20 + bp + int(b[-1]), b, bp, s) if b.startswith("node05") else (a, ap, b, bp, s)
        for a, ap, b, bp, s in dump.links
    ]
    assert findings(dump)["single-point"].where == "node05"


def test_three_tiers_by_distance() -> None:
    dump = two_tiers(leaves=4, spines=2)
    for core in (1, 2):
        dump.switch(f"CORE-{core:02d}")
        for spine in (1, 2):
            dump.link(f"SPINE-{spine:02d}", 40 + core, f"CORE-{core:02d}", spine)
    assert [len(keys) for keys in tiered(network_of(dump)).by_tier] == [4, 2, 2]
    assert "missing-links" not in findings(dump)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("node07 HCA-1", ("node07", "HCA-1", 1)),
        ("node07 mlx5_0", ("node07", "mlx5_0", 1)),
        ("H_32000 HCA-2 (Mellanox HCA)", ("H_32000", "HCA-2", 2)),
        ("RMD701091901003 ibp11s0f0", ("RMD701091901003", "ibp11s0f0", None)),
        ("login", ("login", "", None)),
        ("MT25408 ConnectX Mellanox Technologies", ("", "", None)),
        ("", ("", "", None)),
    ],
)
def test_names_of_adapters(name: str, expected: tuple[Any, ...]) -> None:
    assert tuple(adapter_of(name)) == expected


def test_names_of_switches() -> None:
    assert is_factory_name("Quantum-2 Mellanox Technologies")
    label = label_of("B09-P1-IBLEAF-04-08")
    assert label is not None
    assert (label.word, label.numbers) == ("IBLEAF", ("04", "08"))
    assert label.spelled((3, 1)) == "IBLEAF-03-01"
    assert label_of("Quantum Mellanox Technologies") is None
