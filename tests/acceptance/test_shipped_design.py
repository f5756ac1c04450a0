"""Llama-3 70B on 1,024 H100 with rail-optimised 400G: the design that opens first."""

from __future__ import annotations

import pytest

from netdesign.catalog import load_catalog
from netdesign.design import default_design, read_design, shipped_designs
from netdesign.evaluate import Evaluation, evaluate

from .shell import SHIPPED


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(read_design(SHIPPED))


def test_it_ships_and_opens_first() -> None:
    assert SHIPPED in shipped_designs()
    assert read_design(SHIPPED) == default_design()


def test_every_shipped_design_evaluates_without_errors() -> None:
    for name in shipped_designs():
        found = evaluate(read_design(name)).findings
        assert [each.sentence for each in found if each.severity == "error"] == [], name


def test_it_is_what_its_name_says(evaluation: Evaluation) -> None:
    assert evaluation.architecture.layers == 80
    assert evaluation.parameters == 70_553_706_496  # Llama 3 paper's 70B, config.json of the model
    assert evaluation.design.cluster.gpus == 1024
    assert evaluation.servers == 128
    server = load_catalog().servers[evaluation.design.cluster.server]
    assert load_catalog().accelerator_of(server).generation.lower() == "hopper"
    assert server.port_gbps == 400


def test_its_fabric_is_that_of_the_reference_architecture(evaluation: Evaluation) -> None:
    # NVIDIA DGX SuperPOD H100, RA-11333-001 V11, larger systems, 4 scalable units.
    fabric = evaluation.fabric
    assert (fabric.tiers, fabric.leaves, fabric.spines, fabric.cores) == (2, 32, 16, 0)
    assert (fabric.access_links, fabric.leaf_spine_links, fabric.spine_core_links) == (
        1024,
        1024,
        0,
    )
    assert fabric.buildable
    assert fabric.stranded_ports == 0


def test_its_parts_are_those_of_the_reference_architecture(evaluation: Evaluation) -> None:
    # Same document, major parts: every OSFP cage of 48 switches filled, 4 twin-port per DGX.
    switches = sum(row.quantity for row in evaluation.bom.rows if row.kind == "switch")
    modules = [row for row in evaluation.bom.rows if row.kind == "transceiver"]
    at_servers = sum(row.quantity for row in modules if row.place == "server")
    assert switches == 48
    assert sum(row.quantity for row in modules) - at_servers == 1536
    assert at_servers == 4 * 128


def test_it_fits_in_memory(evaluation: Evaluation) -> None:
    assert evaluation.memory.total <= evaluation.memory_limit
    assert evaluation.memory_limit <= 80e9 * 1.08  # 80 GB, at most GiB counted as such


def test_its_network_share_is_that_of_two_tiers(evaluation: Evaluation) -> None:
    assert evaluation.cost.complete
    assert 0.08 <= evaluation.cost.network_share <= 0.16


def test_its_speed_is_that_of_published_runs(evaluation: Evaluation) -> None:
    # Llama 3 paper, table 4: 38-43 % BF16 MFU on 8,192 and 16,384 H100; MegaScale: up to 55 %.
    assert 0.33 <= evaluation.step.mfu <= 0.58


def test_its_days_follow_from_six_flops_per_parameter(evaluation: Evaluation) -> None:
    # 6 P per token (Kaplan 2020) is a floor: attention comes on top.
    flops = 6 * 70.55e9 * 15e12
    floor = flops / (evaluation.step.mfu * 989.4e12 * 1024) / 86_400
    assert floor <= evaluation.cost.training_days <= 1.25 * floor
