"""The simulator's topology file read as its C++ reader does: token by token, by the counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest
from small_fabrics import rails, small_fabric, split_ports, three_tiers
from small_floor import measured, on_floor

from netdesign.errors import DesignError
from netdesign.export.simulator import SimulatorSettings, topology_file, write_simulator
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.wiring import Bundle


@dataclass(frozen=True)
class Read:
    """What SetupNetwork in common.h of SimAI (commit 120db6a) takes from the file."""

    nodes: int
    gpus: int
    nvswitches: list[int]
    switches: list[int]
    gpu_type: str
    links: list[tuple[int, int, str, str, float]]


def read_simai(text: str) -> Read:
    tokens = iter(text.split())
    nodes, gpus, nvswitches, switches, links = (int(next(tokens)) for _ in range(5))
    gpu_type = next(tokens)
    found = Read(
        nodes,
        gpus,
        [int(next(tokens)) for _ in range(nvswitches)],
        [int(next(tokens)) for _ in range(switches)],
        gpu_type,
        [
            (
                int(next(tokens)),
                int(next(tokens)),
                next(tokens),
                next(tokens),
                float(next(tokens)),
            )
            for _ in range(links)
        ],
    )
    assert list(tokens) == []
    return found


def rate(text: str) -> float:
    assert text.endswith("Gbps")
    return float(text.removesuffix("Gbps"))


def test_a_server_of_four_gpus_on_four_rails() -> None:
    found = read_simai(topology_file(rails(units=2, servers=3, rails=4, spines=2)))
    assert (found.nodes, found.gpus, found.gpu_type) == (24 + 6 + 8 + 2, 4, "H100")
    assert found.nvswitches == list(range(24, 30))
    assert found.switches == list(range(30, 40))
    nvlinks, rest = found.links[:24], found.links[24:]
    assert [link[:2] for link in nvlinks] == [(gpu, 24 + gpu // 4) for gpu in range(24)]
    # GPU g of a server hangs on rail g of its unit: leaves 30-33 of unit 0, 34-37 of unit 1.
    hosts = [link for link in rest if link[0] < 24]
    assert [link[:2] for link in hosts] == [(g, 30 + 4 * (g // 12) + g % 4) for g in range(24)]
    # Two parallel uplinks of 400G are one link of 800G to the simulator.
    uplinks = [link for link in rest if link[0] >= 24]
    assert len(uplinks) == 8 * 2
    assert {link[2] for link in uplinks} == {"800Gbps"}


@pytest.mark.parametrize(
    "fabric", [rails(), three_tiers(pods=3), split_ports()], ids=lambda f: f.family
)
def test_rates_between_devices_are_those_of_the_fabric(fabric: Fabric) -> None:
    found = read_simai(topology_file(fabric))
    gpus = max(fabric.gpus_per_host, 1)
    first_switch = found.switches[0]

    def device(node: int) -> int:
        if node < fabric.hosts * gpus:
            return node // gpus
        return node - first_switch + fabric.hosts

    between: Counter[tuple[int, int]] = Counter()
    for a, b, speed, _, _ in found.links:
        if b not in found.nvswitches:
            between[device(a), device(b)] += rate(speed)
    expected: Counter[tuple[int, int]] = Counter()
    for a, b, kind in zip(fabric.a.tolist(), fabric.b.tolist(), fabric.kind, strict=True):
        expected[a, b] += fabric.kinds[kind].gbps
    assert between == expected
    ends = [frozenset(link[:2]) for link in found.links]
    assert len(set(ends)) == len(ends)
    assert all(0 <= node < found.nodes for end in ends for node in end)
    assert len({*found.nvswitches, *found.switches}) == found.nodes - fabric.hosts * gpus


def test_two_ports_of_a_gpu_go_to_two_planes() -> None:
    # Two servers of two GPUs, four ports each: ports 0 and 1 are those of GPU 0.
    fabric = small_fabric(
        [Bundle(LinkKind("host", 200.0), np.repeat([0, 1], 4), 2 + np.tile([0, 1, 0, 1], 2))],
        {"leaf": 2},
        hosts=2,
        host_ports=4,
        gpus_per_host=2,
    )
    links = [link[:2] for link in read_simai(topology_file(fabric)).links[4:]]
    assert links == [(0, 6), (0, 7), (1, 6), (1, 7), (2, 6), (2, 7), (3, 6), (3, 7)]


def test_the_hpcc_dialect_has_three_counts_and_no_nvswitch() -> None:
    fabric = rails(units=1, servers=2, rails=2, spines=1)
    first, second, *links = topology_file(fabric, dialect="hpcc").splitlines()
    assert first == "7 3 6"
    assert second == "4 5 6"
    assert links == [
        "0 4 400Gbps 500ns 0",
        "1 5 400Gbps 500ns 0",
        "2 4 400Gbps 500ns 0",
        "3 5 400Gbps 500ns 0",
        "4 6 800Gbps 500ns 0",
        "5 6 800Gbps 500ns 0",
    ]


def test_settings_reach_the_file() -> None:
    settings = SimulatorSettings("A100", 1920.0, 10.0, 250.0, 0.001)
    found = read_simai(topology_file(rails(), settings=settings))
    assert found.gpu_type == "A100"
    assert found.links[0][2:] == ("1920Gbps", "10ns", 0.001)
    assert found.links[-1][3:] == ("250ns", 0.001)


def test_a_server_of_one_gpu_has_no_nvswitch(tree: Fabric) -> None:
    found = read_simai(topology_file(tree))
    assert (found.gpus, found.nvswitches) == (1, [])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gpus_per_host": 3}, "multiple of its 3 GPUs"),
        ({"gpus_per_host": 4, "hosts": 1 << 15, "tier": np.zeros(0, dtype=np.int32)}, "65,536"),
    ],
)
def test_what_the_simulator_cannot_tell_apart_is_refused(change: dict, words: str) -> None:
    none = np.zeros(0, dtype=np.int32)
    fabric = rails()
    if "hosts" in change:
        change = change | {"a": none, "b": none, "a_slot": none, "b_slot": none, "kind": none}
    with pytest.raises(DesignError, match=words):
        topology_file(replace(fabric, **change))


def test_servers_that_forward_are_refused(torus: Fabric) -> None:
    with pytest.raises(DesignError, match="forwards in switches alone"):
        topology_file(torus)


def test_an_unknown_dialect_is_refused(tree: Fabric) -> None:
    with pytest.raises(DesignError, match="simai or hpcc"):
        topology_file(tree, dialect="omnet")


def test_the_file_is_the_text_and_needs_no_floor(rail_fabric: Fabric, tmp_path) -> None:
    floor = on_floor(rail_fabric)
    write_simulator(measured(rail_fabric, floor, ("aoc",), [0, 0]), floor, tmp_path / "a.topo")
    assert (tmp_path / "a.topo").read_text(encoding="ascii") == topology_file(rail_fabric)
