"""topology.conf and topology.yaml: what they say, and what is wrong with them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from no_hang import no_hang

from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.report import Finding
from netdesign.audit.slurm_topology import KIND
from netdesign.audit.slurm_topology.content import SlurmContent
from netdesign.audit.slurm_topology.network import network_of

LEAVES = "SwitchName=l1 Nodes=n[01-04]\nSwitchName=l2 Nodes=n[05-08]\n"
TREE = LEAVES + "SwitchName=top Switches=l[1-2]\n"


def read(text: str) -> SlurmContent:
    document = document_of("topology.conf", text)
    assert KIND.recognises(document)
    content = KIND.read(document)[0]
    assert isinstance(content, SlurmContent)
    return content


def summary(text: str) -> dict[str, Any]:
    return KIND.summarise(read(text))


def findings(text: str, context: Context | None = None) -> dict[str, Finding]:
    return {entry.rule: entry for entry in KIND.judge(read(text), context or Context())}


def test_a_tree_with_nothing_wrong() -> None:
    figures = summary(TREE)
    assert (figures["switches"], figures["hosts"]) == (3, 8)
    assert figures["tiers"] == [{"name": "leaf", "switches": 2}, {"name": "spine", "switches": 1}]
    assert (figures["links"], figures["host_links"], figures["switch_links"]) == (10, 8, 2)
    assert figures["roots"] == ["top"]
    assert [(leaf["name"], leaf["down"], leaf["up"]) for leaf in figures["leaves"]] == [
        ("l1", 4, 1),
        ("l2", 4, 1),
    ]
    assert not findings(TREE)


@pytest.mark.parametrize(
    "text",
    [
        TREE.replace("SwitchName", "switchname").replace("Nodes", "NODES"),
        TREE.replace("=", " = "),
        TREE.replace(" Nodes", " \\\n   Nodes"),
        "# head\n" + TREE.replace("\n", "   # tail\n"),
        "\n".join(reversed(TREE.splitlines())),
        TREE.replace("n[01-04]", '"n[01-02] n[03-04]"'),
        TREE.replace("SwitchName", "  0: SwitchName"),
        "<pre>" + TREE.replace("l[1-2]", "l[1-2]</pre>").replace("</pre>", ""),
        "SwitchName=l1 Level=0 LinkSpeed=1 Nodes=n[01-04]\n"
        "SwitchName=l2 Level=0 LinkSpeed=1 Nodes=n[05-08]\n"
        "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[01-08] Switches=l[1-2]\n",
    ],
)
def test_the_same_tree_however_it_is_written(text: str) -> None:
    figures = summary(text)
    assert (figures["switches"], figures["hosts"], figures["links"]) == (3, 8, 10)
    assert not findings(text)


@pytest.mark.parametrize(
    "line", ["BlockName Nodes=n1", "SwitchName =", "BlockSizes -=", "switchname x=1"]
)
def test_a_line_without_a_name_is_not_understood(line: str) -> None:
    content, used = KIND.read(document_of("a", line))
    assert KIND.is_empty(content)
    assert 1 not in used


def test_prose_that_quotes_a_line_defines_nothing() -> None:
    text = TREE + 'One may remove "SwitchName=l9 Nodes=x1" from it.\n'
    assert summary(text)["switches"] == 3
    document = document_of("a", text)
    used = KIND.read(document)[1]
    assert 3 in used
    assert 4 not in used


def test_a_node_on_two_leaves() -> None:
    found = findings(TREE.replace("n[05-08]", "n[04-08]"))["node-on-two-leaves"]
    assert (found.severity, found.where) == ("error", "n04")
    assert found.evidence["switches"] == ["l1", "l2"]


def test_a_hole_in_the_numbers_and_a_prefix_that_was_lost() -> None:
    text = "SwitchName=a Nodes=gpu-n[001-010],n[011-012]\nSwitchName=b Nodes=gpu-n[013-029,031]\n"
    rules = findings(text)
    assert rules["name-outside-prefix"].evidence["meant"] == ["gpu-n011", "gpu-n012"]
    assert rules["node-nowhere"].where == "gpu-n030"  # not those that have lost the prefix
    assert rules["no-spine"].severity == "warning"
    assert summary(text)["hosts"] == 30


def test_names_of_several_kinds_are_no_fault() -> None:
    text = "SwitchName=s Nodes=hpc[001-019],gpu[001-013],login[1-2],c[1-2],saturn4\n"
    assert not findings(text)


def test_sparse_numbers_are_no_holes() -> None:
    rules = findings("SwitchName=s Nodes=n[1-10,15-20]\n")
    assert rules["sequence-with-gaps"].severity == "note"
    assert "node-nowhere" not in rules


def test_racks_that_are_numbered_in_twenties_have_no_holes() -> None:
    lines = [
        f"SwitchName=r{rack} Nodes=n[{20 * rack + 1:03}-{20 * rack + 19:03}]" for rack in range(4)
    ]
    rules = findings("\n".join([*lines, "SwitchName=t Switches=r[0-3]"]))
    assert {entry.severity for entry in rules.values()} == {"note"}


def test_parts_without_a_common_root() -> None:
    text = (
        "SwitchName=top1 Switches=a,b\nSwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n"
        "SwitchName=c Nodes=n3\n"
    )
    found = findings(text)["disjoint-roots"]
    assert (found.severity, found.evidence["islands"]) == ("warning", 2)
    assert summary(text)["roots"] == ["top1", "c"]


def test_no_root_over_all_although_all_hang_together() -> None:
    text = (
        "SwitchName=t1 Switches=a,b\nSwitchName=t2 Switches=b,c\n"
        "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=c Nodes=n3\n"
    )
    assert set(findings(text)) == {"no-common-root", "mesh"}


def test_several_spines_are_a_mesh_and_no_duplication() -> None:
    text = LEAVES + "SwitchName=s1 Switches=l[1-2]\nSwitchName=s2 Switches=l[1-2]\n"
    rules = findings(text)
    assert {entry.severity for entry in rules.values()} == {"note"}
    assert "2 roots are each over all 2 leaves" in rules["mesh"].message
    assert summary(text)["switch_links"] == 4


def test_one_leaf_with_another_link_speed() -> None:
    text = "".join(
        f"SwitchName=l{number} Nodes=n{number} LinkSpeed={900 if number else 1800}\n"
        for number in range(4)
    )
    found = findings(text + "SwitchName=t Switches=l[0-3] LinkSpeed=1800\n")[
        "link-speed-asymmetric"
    ]
    assert (found.where, found.severity) == ("l0", "note")
    assert found.evidence["speeds"]["1800"] == ["l0"]


def test_unequal_leaves_and_unequal_depths_are_notes() -> None:
    text = LEAVES + "SwitchName=m Switches=l1\nSwitchName=t Switches=m,l2,l3\n"
    rules = findings(text + "SwitchName=l3 Nodes=n[09-10]\n")
    assert {rule: entry.severity for rule, entry in rules.items()} == {
        "leaf-sizes-uneven": "note",
        "depth-uneven": "note",
    }


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("SwitchName=t2 Switches=l[1-3]", "undefined-switch"),
        ("SwitchName=l1 Nodes=n[01-04]", "duplicate-switch"),
        ("SwitchName=x Switches=y\nSwitchName=y Switches=x", "switch-cycle"),
        ("SwitchName=x Nodes=n09 Switches=l1", "nodes-and-switches"),
        ("SwitchName=x Nodes=n[1-1000000000]", "range-too-large"),
        ("SwitchName=x Nodes=n[09-10", "invalid-hostlist"),
        ("SwitchName=x Nodes=n09, n10", "stray-text"),
        ("SwitchName=x Nodes=n09 Speed=3", "unknown-key"),
        ("SwitchName=x Nodes=n09 LinkSpeed=400G", "invalid-link-speed"),
        ("SwitchName=" + "x" * 65 + " Nodes=n09", "name-too-long"),
    ],
)
def test_what_slurm_stops_at(line: str, rule: str) -> None:
    assert findings(TREE + line + "\n")[rule].severity == "error"


def test_a_repeated_file_is_counted_once() -> None:
    figures = summary(TREE + TREE)
    assert (figures["switches"], figures["hosts"]) == (3, 8)
    assert "node-on-two-leaves" not in findings(TREE + TREE)


BLOCKS = "BlockName=b1 Nodes=n[01-04]\nBlockName=b2 Nodes=n[05-08]\n"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (BLOCKS + "BlockSizes=4,8", set()),
        (BLOCKS + "BlockSizes=4,12", {"invalid-block-sizes"}),
        (BLOCKS + "BlockSizes=4,10", {"invalid-block-sizes"}),
        (BLOCKS + "BlockSizes=4,x", {"invalid-block-sizes"}),
        (BLOCKS + "BlockSizes=8,4", {"invalid-block-sizes", "block-sizes-not-rising"}),
        (BLOCKS + "BlockSizes=3,6", {"block-beyond-base"}),
        (BLOCKS + "BlockName=b3 Nodes=n09\nBlockSizes=4", {"block-too-small"}),
        (BLOCKS + "BlockName=b3 Nodes=n[08-11]\nBlockSizes=4", {"node-in-two-blocks"}),
        (BLOCKS, {"no-block-sizes"}),
    ],
)
def test_blocks(text: str, rules: set[str]) -> None:
    found = findings(text)
    assert set(found) - {"block-too-small"} == rules - {"block-too-small"}
    assert ("block-too-small" in rules) <= ("block-too-small" in found)


YAML = """---
- topology: fabric   # comment
  cluster_default: true
  tree:
    switches:
      - switch: top
        children: l[1-2]
      - nodes: n[01-04]
        switch: l1
      - {switch: l2, nodes: "n[05-07,08]"}
- topology: racks
  block:
    block_sizes:
      - 4
      - 8
    blocks:
    - block: b1
      nodes:
        - n[01-02]
        - n[03-04]
    - block: b2
      nodes: n[05-08]
- topology: all
  flat: true
"""


def test_yaml() -> None:
    figures = summary(YAML)
    assert (figures["name"], figures["switches"], figures["hosts"]) == ("fabric", 3, 8)
    tree, block, flat = figures["topologies"]
    assert tree["roots"] == ["top"]
    assert block["block_sizes"] == [4, 8]
    assert [entry["nodes"] for entry in block["blocks"]] == [4, 4]
    assert flat["plugin"] == "flat"
    assert not findings(YAML)


def test_yaml_behind_a_prompt_and_in_a_fence() -> None:
    text = "$ cat topology.yaml\n```yaml\n" + YAML + "```\n"
    document = document_of("a", text)
    content, used = KIND.read(document)
    assert KIND.summarise(content)["hosts"] == 8
    assert [line.text for line in document.lines() if line.text and line.number not in used] == [
        "---"
    ]


def test_a_torus_a_ring_and_two_plugins_at_once() -> None:
    text = """
- topology: t
  torus3d:
    toruses:
      - name: pod1
        nodes: n[1-16]
        dims:
          x: 4
          y: 2
          z: 3
        placements:
          - dims: {x: 9, y: 9, z: 9}
- topology: r
  ring:
    rings:
      - ring: r1
        nodes: m[1-17]
- topology: both
  block:
    blocks:
      - block: b1
        nodes: k[1-4]
  flat: true
"""
    rules = findings(text)
    assert rules["torus-size"].evidence == {"places": 24, "nodes": 16}
    assert {"ring-too-long", "two-plugins"} <= set(rules)


def test_another_yaml_with_a_topology_is_none_of_slurms() -> None:
    for text in ("topology: leaf-spine\nleaves: 4\n", "- topology: x\n  name: y\n"):
        assert KIND.is_empty(KIND.read(document_of("a", text))[0])


def test_against_a_design() -> None:
    context = Context(evaluation=cast(Any, SimpleNamespace(servers=10)))
    found = findings(TREE, context)["node-count"]
    assert found.evidence == {"nodes": 8, "servers_of_design": 10}
    equal = Context(evaluation=cast(Any, SimpleNamespace(servers=8)))
    assert not findings(TREE, equal)


def test_the_network_that_was_found() -> None:
    network = network_of(read(TREE + "SwitchName=n1 Nodes=n1\n").main)
    roles = [device.role for device in network.devices.values()]
    assert (roles.count("switch"), roles.count("host")) == (4, 9)
    assert network.devices["top"].tier == 1
    assert len(network.links) == 11


PIECES = [*TREE.splitlines(), *BLOCKS.splitlines(), *YAML.splitlines(), "SwitchName=", "\\", "\0"]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=20), max_size=30), st.integers(0, 400))
def test_whatever_is_cut_and_spliced_is_read(pieces: list[str], cut: int) -> None:
    content = KIND.read(document_of("a", "\n".join(pieces)[cut:]))[0]
    if not KIND.is_empty(content):
        KIND.summarise(content)
        KIND.judge(content, Context())
        for topology in content.topologies:
            network_of(topology)


@pytest.mark.parametrize(
    "text",
    [
        "SwitchName=x " + "a" * 60_000,
        "SwitchName=x " + 'k="' * 20_000,
        "SwitchName=x Nodes=" + "[" * 30_000,
        "SwitchName=x Nodes=" + "n[0-65535]," * 5_000,
        "\n".join(f"SwitchName=s{number} Switches=s{number + 1}" for number in range(20_000)),
        "- topology: t\n  tree:\n" + "    - switch: s\n" * 30_000,
        "- topology: t\n" + "{" * 60_000,
        "SwitchName=a\\\n" * 60_000,
        "\n".join(f"SwitchName=s{number} Nodes=n{number}" for number in range(20_000)),
    ],
)
def test_no_text_takes_long(text: str) -> None:
    with no_hang():
        content = KIND.read(document_of("a", text))[0]
        if not KIND.is_empty(content):
            KIND.summarise(content)
            KIND.judge(content, Context())
