"""A found network against the plan: port by port, whatever the devices are called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from netdesign.audit.cable_plan import compare_with_plan
from netdesign.audit.cable_plan_findings import plan_findings
from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.fabric_view import view_of, view_of_plan
from netdesign.audit.found.network import FoundDevice, FoundLink, FoundNetwork
from netdesign.audit.whole import audit_all
from netdesign.cli import app
from netdesign.design import read_design
from netdesign.evaluate import evaluate
from netdesign.fabrics import cabled, hardware_of, spec_of
from netdesign.topology.built import Fabric
from netdesign.topology.naming import device_names, port_names

Row = tuple[str, str, str, str]


@cache
def fabric() -> Fabric:
    evaluation = evaluate(read_design("llama-3-8b-64-h100"))
    return cabled(spec_of(evaluation), hardware_of(evaluation.design)).fabric


@cache
def planned() -> tuple[Row, ...]:
    built = fabric()
    names = device_names(built)
    a = port_names(built, built.a_slot, built.a).tolist()
    b = port_names(built, built.b_slot, built.b).tolist()
    ends = zip(built.a.tolist(), a, built.b.tolist(), b, strict=True)
    return tuple((names[x], p, names[y], q) for x, p, y, q in ends)


def network(rows: list[Row], rename: Callable[[str], str] = str) -> FoundNetwork:
    """The dump of these cables: each NIC of a server is an adapter of its own."""
    devices: dict[str, FoundDevice] = {}

    def end(device: str, port: str) -> tuple[str, str]:
        name = rename(device)
        if not device.startswith("server"):
            devices.setdefault(name, FoundDevice(name, name, "switch", 64))
            return name, port
        adapter = f"{name} HCA-{port.removeprefix('nic')}"
        devices.setdefault(adapter, FoundDevice(adapter, adapter, "host"))
        return adapter, "1"

    links = []
    for a, p, b, q in rows:
        (low, low_port), (high, high_port) = end(a, p), end(b, q)
        links.append(FoundLink(high, high_port, low, low_port, 400.0, "4xNDR", "4xNDR"))
    return FoundNetwork(devices, tuple(links))


def rules(rows: list[Row], rename: Callable[[str], str] = str) -> dict[str, int]:
    found = compare_with_plan(network(rows, rename), fabric())
    return {finding.rule: 1 for finding in plan_findings(found)}


def exchanged(rows: list[Row], i: int, j: int) -> list[Row]:
    changed = list(rows)
    changed[i] = (*rows[i][:2], *rows[j][2:])
    changed[j] = (*rows[j][:2], *rows[i][2:])
    return changed


def test_what_is_as_planned_is_said_to_be() -> None:
    found = compare_with_plan(network(list(planned())), fabric())
    assert (found.how, found.by_port, found.is_as_planned) == ("names", True, True)
    assert found.matched == found.planned == found.found == len(planned())
    assert rules(list(planned())) == {"as-planned": 1}


def test_capitals_domains_and_leading_zeros_are_the_same_name() -> None:
    def rename(name: str) -> str:
        tier, _, number = name.partition("-")
        return f"{tier.upper()}_{int(number):04d}.example.org"

    assert rules(list(planned()), rename) == {"as-planned": 1}


def test_a_missing_cable() -> None:
    rows = list(planned())
    found = compare_with_plan(network(rows[:5] + rows[6:]), fabric())
    (cable,) = found.missing
    assert {cable[0], cable[1]} == {rows[5][:2], rows[5][2:]}
    assert not found.extra
    assert not found.swapped
    (finding,) = [f for f in plan_findings(found) if f.severity == "error"]
    assert finding.rule == "cable-missing"
    assert rows[5][1] in finding.message


def test_two_exchanged_cables_are_one_swap_and_nothing_else() -> None:
    rows = list(planned())
    i, j = 0, next(n for n, row in enumerate(rows) if row[0] != rows[0][0] and "server" in row[0])
    found = compare_with_plan(network(exchanged(rows, i, j)), fabric())
    assert len(found.swapped) == 1
    assert not found.missing
    assert not found.extra
    assert not found.moved
    assert found.matched == len(rows) - 2


def test_a_cable_at_a_free_port_is_moved() -> None:
    rows = list(planned())
    device, port, leaf, _ = rows[0]
    rows[0] = (device, port, leaf, "999")
    found = compare_with_plan(network(rows), fabric())
    assert len(found.moved) == 1
    assert not found.missing
    assert rules(rows) == {"cable-moved": 1}


def test_an_unplanned_cable() -> None:
    rows = [*planned(), ("server-99", "nic1", "leaf-01", "998")]
    found = compare_with_plan(network(rows), fabric())
    assert len(found.extra) == 1
    assert found.devices_extra == ("server-99",)
    assert rules(rows) == {"cable-extra": 1}


def test_a_server_that_is_not_there_at_all_is_one_missing_device() -> None:
    rows = [row for row in planned() if row[0] != "server-03"]
    found = compare_with_plan(network(rows), fabric())
    assert (found.devices_missing, found.missing) == (("server-03",), ())
    assert rules(rows) == {"device-missing": 1}
    assert not found.is_as_planned


def test_the_table_of_one_leaf_is_a_part_and_no_fault() -> None:
    rows = [row for row in planned() if "leaf-01" in (row[0], row[2])]
    few = [row for row in rows if row[0] in ("server-01", "leaf-01")]
    found = compare_with_plan(network(few), fabric())
    assert (found.is_partial, found.missing, found.is_as_planned) == (True, (), True)
    assert rules(few) == {"part-of-the-plan": 1, "as-planned": 1}


def test_other_names_are_taken_in_their_order_and_said() -> None:
    def rename(name: str) -> str:
        tier, _, number = name.partition("-")
        return f"{ {'server': 'gpu', 'leaf': 'tor', 'spine': 'agg'}[tier] }{int(number)}"

    found = compare_with_plan(network(list(planned()), rename), fabric())
    assert (found.how, found.is_as_planned) == ("order", True)
    assert rules(list(planned()), rename) == {"names-not-the-plans": 1, "as-planned": 1}


def test_adapters_of_the_factorys_name_are_told_by_their_switch_port() -> None:
    rows = list(planned())
    dump = network(rows[1:])
    unnamed = {
        key: FoundDevice(key, "MT4129 ConnectX7   Mellanox Technologies", "host")
        if device.role == "host"
        else device
        for key, device in dump.devices.items()
    }
    found = compare_with_plan(FoundNetwork(unnamed, dump.links), fabric())
    assert (found.how, len(found.missing), found.extra) == ("names", 1, ())


def test_another_network_is_not_compared_cable_by_cable() -> None:
    rows = [(f"server-{n + 500}", "nic1", "x", str(n + 1)) for n in range(4)]
    found = compare_with_plan(network(rows), fabric())
    assert (found.how, found.missing) == ("counts", ())
    (finding,) = plan_findings(found)
    assert (finding.rule, finding.severity) == ("not-the-plans-network", "warning")


def test_ports_of_other_names_are_not_called_wrong() -> None:
    rows = [
        (a, p, b, str(1000 + 7 * int(q))) if a.startswith("server") else (a, f"e{p}x", b, f"e{q}x")
        for a, p, b, q in planned()
    ]
    found = compare_with_plan(network(rows), fabric())
    assert (found.by_port, found.is_as_planned) == (False, True)
    assert "ports-named-otherwise" in rules(rows)


@given(st.data())
def test_every_fault_is_found_and_only_those(data: st.DataObject) -> None:
    rows = list(planned())
    gone = data.draw(st.sets(st.integers(0, len(rows) - 1), max_size=4))
    left = [row for n, row in enumerate(rows) if n not in gone]
    found = compare_with_plan(network(left), fabric())
    assert len(found.missing) == len(gone)
    assert found.matched == len(rows) - len(gone)
    assert not found.extra


def test_the_picture_shows_what_is_wrong() -> None:
    rows = list(planned())
    found = compare_with_plan(network(rows[1:]), fabric())
    view = view_of_plan(found, fabric())
    assert int(view.bad.sum()) == 1
    assert view.bad[0]
    slow = network(rows)
    links = list(slow.links)
    links[3] = FoundLink(
        *(links[3].a, links[3].a_port, links[3].b, links[3].b_port), 200.0, "4xHDR"
    )
    seen = view_of(FoundNetwork(slow.devices, tuple(links)))
    assert seen is not None
    assert int(seen.bad.sum()) == 1


DUMP = """\
Switch\t64 "S-0000000000000001"\t\t# "leaf-01" enhanced port 0 lid 1 lmc 0
[1]\t"H-00000000000000a1"[1](a1) \t\t# "server-01 HCA-1" lid 11 4xNDR
[2]\t"H-00000000000000a2"[1](a2) \t\t# "server-02 HCA-1" lid 12 4xNDR
"""


@pytest.mark.parametrize("design", ["llama-3-8b-64-h100", None])
def test_files_are_held_against_the_plan_only_with_a_design(design: str | None) -> None:
    context = Context(evaluation=evaluate(read_design(design)) if design else None)
    found = audit_all([document_of("dump", DUMP)], context)
    assert bool(found.plan_findings) is (design is not None)
    assert found.reports[0].kind == "ibnetdiscover"


def test_what_the_scheduler_is_told_is_no_list_of_cables(tmp_path: Path) -> None:
    """The Slurm file that a design writes itself has nothing wrong beside that design."""
    design = "llama-3-8b-64-h100"
    path = tmp_path / "topology.conf"
    ran = CliRunner().invoke(app, ["fabric", "--design", design, "--slurm", str(path)])
    assert ran.exit_code == 0
    context = Context(evaluation=evaluate(read_design(design)))
    found = audit_all([document_of("topology.conf", path.read_bytes())], context)
    assert found.reports[0].kind == "slurm-topology"
    assert found.plan is None
    assert found.is_healthy
