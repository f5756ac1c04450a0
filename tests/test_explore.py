"""Alternatives and what-if."""

from __future__ import annotations

import pytest

from netdesign.catalog import load_catalog, read_price_file
from netdesign.design import default_design
from netdesign.explore import alternatives, what_if


def test_alternatives_change_the_network_and_nothing_else():
    design = default_design()
    for other in alternatives(design):
        assert other.design.cluster == design.cluster
        assert other.design.training == design.training
        assert other.design.network != design.network
        assert other.evaluation.fabric.buildable


def test_the_other_technology_has_a_switch_and_a_transport_that_fit():
    catalog = load_catalog()
    for switch in ("qm9700", "sn5600"):
        transport = "infiniband" if switch == "qm9700" else "roce-adaptive"
        design = default_design().with_values(
            {"network.switch": switch, "network.transport": transport}
        )
        network = alternatives(design)[0].design.network
        assert catalog.switches[network.switch].technology != catalog.switches[switch].technology
        assert (
            catalog.switches[network.switch].technology
            == catalog.transports[network.transport].technology
        )


def test_a_taper_saves_spines_and_a_tapered_design_is_offered_a_full_one():
    design = default_design()
    tapered = alternatives(design)[1]
    assert tapered.evaluation.fabric.spines < 16
    assert alternatives(tapered.design)[1].design.network.oversubscription == 1


def test_what_if_leaves_out_what_is_no_design():
    found = what_if(default_design(), "cluster.gpus", [0, 64, 128])
    assert [evaluation.design.cluster.gpus for evaluation in found] == [64, 128]
    with pytest.raises(AttributeError):
        what_if(default_design(), "cluster.gpus", [64])[0].design.value("cluster.gpu")


def test_a_single_switch_is_weighed_against_a_fabric_that_grows():
    design = default_design().with_values({"cluster.gpus": 64, "network.family": "single-switch"})
    other = alternatives(design)[1]
    assert other.design.network.family == "rail-optimised"
    assert other.evaluation.fabric.largest > 64


def test_the_planners_prices_reach_the_alternatives():
    book = read_price_file("mine.csv", b"part_id,price_usd\nqm9700,1\nsn5600,1\n")
    for other in alternatives(default_design(), book):
        rows = other.evaluation.bom.rows
        assert {row.unit_price_usd for row in rows if row.kind == "switch"} == {1.0}
