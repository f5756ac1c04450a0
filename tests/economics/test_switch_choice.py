"""Which switch stands in for another: speed, price, ports, and the same choice everywhere."""

from __future__ import annotations

import pytest

from netdesign.catalog import Switch, load_catalog
from netdesign.comparison import counterpart
from netdesign.design import default_design
from netdesign.economics.switch_choice import able_switches, nearest_switch, runs_at
from netdesign.evaluate import evaluate

CATALOG = load_catalog()
OWN = CATALOG.switches["qm9700"]  # 64 x 400
BOOK = CATALOG.price_books["street-2026"]


def able(link_gbps: float = 400.0, technology: str = "ethernet") -> list[Switch]:
    return able_switches(CATALOG.switches.values(), (technology,), link_gbps)


def test_only_fast_enough_switches_of_the_technology_are_able() -> None:
    for switch in able(400.0):
        assert switch.technology == "ethernet"
        assert switch.port_gbps >= 400
    assert able(1600.0) == []
    assert nearest_switch(OWN, [], 400.0, BOOK) is None


def test_a_port_runs_at_its_speed_or_at_half_of_it() -> None:
    five = CATALOG.switches["sn5600"]  # 800G ports, four parts each
    assert runs_at(five, 800.0)
    assert runs_at(five, 400.0)
    assert not runs_at(five, 200.0)
    assert not runs_at(five.model_copy(update={"breakout": 1}), 400.0)


def test_a_price_comes_before_like_ports_and_speed_before_a_price() -> None:
    found = nearest_switch(OWN, able(), 400.0, BOOK)
    assert found is not None
    assert found.id == "sn5600"
    assert BOOK.price(found.id) is not None
    # 200 Gb/s: the only priced switch would have to be cut into four
    slow = nearest_switch(CATALOG.switches["qm8700"], able(200.0), 200.0, BOOK)
    assert slow is not None
    assert slow.port_gbps == 200


def test_where_somebody_says_the_price_like_ports_come_first() -> None:
    found = nearest_switch(OWN, able(), 400.0, BOOK, priced_first=False)
    assert found is not None
    assert (found.ports, found.port_gbps, found.vendor) == (64, 400, "NVIDIA")


@pytest.mark.parametrize("transport", ["roce-hashed", "roce-adaptive"])
def test_a_finding_names_the_switch_of_the_comparison(transport: str) -> None:
    design = default_design()
    wrong = evaluate(design.with_values({"network.transport": transport}))
    finding = next(one for one in wrong.findings if one.code == "switch-of-the-transport")
    assert finding.suggestion == counterpart(design, transport).switch.id
