"""No switch of the picture has more links than ports, and what is drawn is what is sized."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product

import pytest

from netdesign.charts import network_links, network_picture
from netdesign.charts.network_shape import Shape, shape_of
from netdesign.design import default_design
from netdesign.evaluate import Evaluation, evaluate

FAMILIES = ("single-switch", "fat-tree", "fat-tree-2", "fat-tree-3", "rail-optimised", "rail-only")
SERVERS = ("dgx-h100", "gb200-nvl72", "mi300x-8gpu")
SIZES = (64, 248, 512, 1024, 4608, 16384)
TAPERS = ((1.0, 1.0), (1.5, 1.0), (4.0, 1.0), (16.0, 1.0), (1.0, 2.0), (4.0, 3.0))
ENDS = re.compile(r"(\w+) (\d+)(?:, port \d+)? to (\w+) (\d+)")


def sized(family: str, server: str, gpus: int, taper: float, core: float) -> Evaluation:
    """The default design on another fabric."""
    return evaluate(
        default_design().with_values(
            {
                "cluster.gpus": gpus,
                "cluster.server": server,
                "network.family": family,
                "network.oversubscription": taper,
                "network.core_oversubscription": core,
            }
        )
    )


def fabrics(family: str) -> list[Evaluation]:
    """Every buildable fabric of a family on the grid of servers, sizes and tapers."""
    found = []
    for server, gpus, (taper, core) in product(SERVERS, SIZES, TAPERS):
        if server.endswith("nvl72") and gpus % 72:
            gpus = gpus // 72 * 72 or 72
        evaluation = sized(family, server, gpus, taper, core)
        if evaluation.fabric.buildable:
            found.append(evaluation)
    return found


def ends_of(links: list[dict[str, object]]) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """Links at each drawn box, and links by the kind of their lower end."""
    at: Counter[tuple[str, str]] = Counter()
    kinds: Counter[str] = Counter()
    for link in links:
        lower, low, upper, up = ENDS.fullmatch(str(link["tip"])).groups()  # type: ignore[union-attr]
        at[lower.lower(), low] += 1
        at[upper.lower(), up] += 1
        kinds[lower.lower()] += 1
    return at, kinds


def assert_single_links_fit(evaluation: Evaluation, shape: Shape) -> None:
    fabric = evaluation.fabric
    at, kinds = ends_of(network_links.draw(shape)[1])
    assert kinds["server"] == fabric.access_links
    assert kinds["leaf"] == fabric.leaf_spine_links
    assert kinds["spine"] == fabric.spine_core_links
    switches = {box: links for box, links in at.items() if box[0] != "server"}
    assert len(switches) == fabric.switches
    assert max(switches.values()) <= fabric.radix
    assert {links for box, links in at.items() if box[0] == "server"} == {shape.cabling.ports}


def assert_columns_fit(evaluation: Evaluation, shape: Shape) -> None:
    fabric = evaluation.fabric
    columns = [shape.column(number) for number in range(shape.columns)]
    tiers = [row.kind for row in shape.rows]
    sums = {"leaf": fabric.leaves, "spine": fabric.spines, "core": fabric.cores}
    totals = (fabric.access_links, fabric.leaf_spine_links, fabric.spine_core_links)
    for tier in range(1, len(tiers)):
        if tiers[tier] not in shape.in_columns:
            assert sum(column.links_up[tier - 1] for column in columns) == totals[tier - 1]
            break
        counts = [column.counts[tier] for column in columns]
        assert sum(counts) == sums[tiers[tier]]
        assert sum(column.links_up[tier - 1] for column in columns) == totals[tier - 1]
        for column, count in zip(columns, counts, strict=True):
            above = column.links_up[tier] if tier < len(column.links_up) else 0
            assert count > 0
            assert 0 < column.links_up[tier - 1] + above <= count * fabric.radix


@pytest.mark.parametrize("family", FAMILIES)
def test_no_switch_has_more_links_than_ports_and_totals_are_those_of_the_sizing(
    family: str,
) -> None:
    drawn = fabrics(family)
    assert drawn
    for evaluation in drawn:
        shape = shape_of(evaluation)
        assert_columns_fit(evaluation, shape)
        if network_picture.drawn_singly(shape):
            assert_single_links_fit(evaluation, shape)


def test_a_leaf_has_the_links_it_was_sized_for() -> None:
    # 64 ports at 4 : 1 are 51 down and 13 up; 16,384 ports leave 13 for the 322nd leaf
    evaluation = sized("fat-tree-3", "dgx-h100", 16384, 4.0, 1.0)
    shape = shape_of(evaluation)
    written = Counter(row["text"] for row in network_picture.data(evaluation)["numbers"])
    assert written == {"51": 3, "13": 5, f"{evaluation.fabric.spine_core_links:,}": 1}
    first, last = shape.column(0), shape.column(shape.columns - 1)
    assert first.links_up == (51, 13)
    assert first.texts == ("51 server ports", "leaf 1")
    assert last.links_up == (16384 - 321 * 51, 13)
    assert last.texts == ("13 server ports", "leaf 322")


def test_units_of_a_rail_optimised_fabric_have_their_leaves() -> None:
    # 16 : 1 on 64 ports: 60 servers a unit on 8 leaves; the other 8 servers share 2 leaves
    shape = shape_of(sized("rail-optimised", "dgx-h100", 1024, 16.0, 1.0))
    columns = [shape.column(number) for number in range(shape.columns)]
    assert [column.counts[1] for column in columns] == [8, 8, 2]
    assert [column.counts[0] for column in columns] == [60, 60, 8]


def test_rails_that_never_meet_are_drawn_apart() -> None:
    evaluation = sized("rail-only", "dgx-h100", 4096, 1.0, 1.0)
    data = network_picture.data(evaluation)
    tops = [box for box in data["boxes"] if box["tip"].startswith("Rail")]
    assert {tip.split(":")[0] for tip in (box["tip"] for box in tops)} == {
        "Rail 1",
        "Rail 2",
        "Rail 3",
        "Rail 8",
    }
    assert not any("spine" in box["tip"] and "Rail" not in box["tip"] for box in data["boxes"])
    assert any("rails never meet" in note["text"] for note in data["notes"])
