"""The fabric as Slurm sees it: topology.conf and topology.yaml for topology/tree and /block.

Slurm wants a tree, and a fabric with rails is none: a server hangs on as many leaves as it has
rails. The lowest switch of the tree is therefore what a job should stay inside:

- the leaf itself, where all ports of its servers go to that leaf;
- a pseudo-switch ``unit-1`` in place of the leaves, where servers spread over several (rails,
  planes, two top-of-rack switches). A server belongs to the unit of its first port.

Above it stands a pseudo-switch for each pod (``pod-1``; ``group-1`` of a dragonfly), where a pod
has several units, and ``fabric`` above all. Syntax as in topology.conf(5) and topology.yaml(5) of
Slurm 25.05; topology.yaml is read instead of topology.conf where both exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from netdesign.errors import DesignError
from netdesign.export.device_table import first_switches, host_links
from netdesign.topology.built import Fabric, Ints
from netdesign.topology.naming import device_names

if TYPE_CHECKING:
    from netdesign.topology.layout import Placement

_ROOT = "fabric"


@dataclass(frozen=True)
class TreeSwitch:
    """A switch of Slurm's tree: over nodes or over switches, never both."""

    name: str
    nodes: tuple[str, ...] = ()
    children: tuple[str, ...] = ()


def slurm_tree(fabric: Fabric) -> list[TreeSwitch]:
    """The tree of switches, the lowest first and the root last; every host is in it once."""
    names = device_names(fabric)
    hosts = names[: fabric.hosts]
    first = first_switches(fabric)
    if not fabric.switches or not np.any(first >= 0):
        return [TreeSwitch(_ROOT, nodes=tuple(hosts))] if hosts else []
    leaves, members = np.unique(first, return_inverse=True)
    alone = _only_leaf(fabric, leaves)
    spread = [int(leaf) for leaf in leaves if leaf >= 0 and leaf not in alone]
    units = dict(zip(spread, _numbered("unit", len(spread)), strict=True))
    lowest: list[TreeSwitch] = []
    pods: list[int] = []
    for index, leaf in enumerate(leaves.tolist()):
        inside = tuple(hosts[host] for host in np.flatnonzero(members == index))
        name = "uncabled" if leaf < 0 else units.get(leaf, names[leaf])
        lowest.append(TreeSwitch(name, nodes=inside))
        pods.append(-1 if leaf < 0 else int(fabric.pod[leaf - fabric.hosts]))
    if len(lowest) == 1:
        return lowest
    above = _pods(fabric, lowest, pods)
    covered = {child for switch in above for child in switch.children}
    top = [switch.name for switch in above]
    top += [switch.name for switch in lowest if switch.name not in covered]
    return [*lowest, *above, TreeSwitch(_ROOT, children=tuple(top))]


def topology_conf(fabric: Fabric, placement: Placement | None = None) -> str:
    """topology.conf for topology/tree: a line a switch."""
    lines = []
    for switch in slurm_tree(fabric):
        below = (
            f"Nodes={hostlist(switch.nodes)}"
            if switch.nodes
            else f"Switches={hostlist(switch.children)}"
        )
        lines.append(f"SwitchName={switch.name} {below}\n")
    return "".join(lines)


def block_conf(fabric: Fabric, placement: Placement | None = None, *, hosts_per_block: int) -> str:
    """topology.conf for topology/block: blocks of hosts that share a scale-up domain.

    Raises
    ------
    DesignError     if a block would hold no host
    """
    blocks = _blocks(fabric, hosts_per_block)
    lines = [f"BlockName={name} Nodes={hostlist(nodes)}\n" for name, nodes in blocks]
    sizes = ",".join(str(size) for size in _block_sizes(blocks))
    return "".join([*lines, f"BlockSizes={sizes}\n"])


def topology_yaml(
    fabric: Fabric, placement: Placement | None = None, *, hosts_per_block: int | None = None
) -> str:
    """topology.yaml: the tree, and beside it the blocks if a scale-up domain spans hosts.

    Parameters
    ----------
    hosts_per_block : int or None   hosts of one scale-up domain: 18 trays of an NVL72 rack
    """
    lines = ["---", "- topology: tree", "  cluster_default: true", "  tree:", "    switches:"]
    for switch in slurm_tree(fabric):
        lines.append(f"      - switch: {switch.name}")
        if switch.nodes:
            lines.append(f"        nodes: {hostlist(switch.nodes)}")
        else:
            lines.append(f"        children: {hostlist(switch.children)}")
    if hosts_per_block is not None:
        blocks = _blocks(fabric, hosts_per_block)
        lines += ["- topology: block", "  cluster_default: false", "  block:", "    block_sizes:"]
        lines += [f"      - {size}" for size in _block_sizes(blocks)]
        lines.append("    blocks:")
        for name, nodes in blocks:
            lines += [f"      - block: {name}", f"        nodes: {hostlist(nodes)}"]
    return "\n".join([*lines, ""])


def write_slurm(
    fabric: Fabric,
    placement: Placement | None,
    path: str | Path,
    *,
    hosts_per_block: int | None = None,
) -> None:
    """Write topology.yaml for a path that ends in .yaml or .yml, topology.conf for one in .conf.

    Any other path is a folder, made if it is missing, and both files are written into it.
    """
    target = Path(path)
    if target.suffix.lower() in (".yaml", ".yml"):
        text = topology_yaml(fabric, placement, hosts_per_block=hosts_per_block)
        target.write_bytes(text.encode("utf-8"))
    elif target.suffix.lower() == ".conf":
        target.write_bytes(topology_conf(fabric, placement).encode("utf-8"))
    else:
        target.mkdir(parents=True, exist_ok=True)
        for name in ("topology.conf", "topology.yaml"):
            write_slurm(fabric, placement, target / name, hosts_per_block=hosts_per_block)


def hostlist(names: Iterable[str]) -> str:
    """Names as one Slurm hostlist: ``server-[0001-0032,0034],leaf-1``."""
    parts = []
    for (prefix, width), found in groupby(map(_split, names), key=lambda part: part[:2]):
        numbers = [number for _, _, number in found]
        if width == 0:
            parts += [prefix] * len(numbers)
        elif len(numbers) == 1:
            parts.append(f"{prefix}{numbers[0]:0{width}d}")
        else:
            parts.append(f"{prefix}[{_ranges(numbers, width)}]")
    return ",".join(parts)


def _split(name: str) -> tuple[str, int, int]:
    """A name as prefix, digits and number: ("server-", 4, 12); no digits give (name, 0, 0)."""
    prefix = name.rstrip("0123456789")
    digits = name[len(prefix) :]
    return prefix, len(digits), int(digits or 0)


def _ranges(numbers: Sequence[int], width: int) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(
        f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}"
        for low, high in runs
    )


def _only_leaf(fabric: Fabric, leaves: Ints) -> set[int]:
    """Leaves whose hosts, as far as they belong to the leaf, hang on no other switch."""
    links = host_links(fabric)
    first = first_switches(fabric)[fabric.a[links]]
    elsewhere = set(first[first != fabric.b[links]].tolist())
    return {int(leaf) for leaf in leaves if leaf >= 0} - elsewhere


def _pods(fabric: Fabric, lowest: list[TreeSwitch], pods: list[int]) -> list[TreeSwitch]:
    """A switch for every pod, if there are several and they hold more than one switch each."""
    numbers = sorted({pod for pod in pods if pod >= 0})
    if len(numbers) < 2 or len(numbers) == len(lowest):
        return []
    kind = "group" if fabric.family.startswith("dragonfly") else "pod"
    names = _numbered(kind, len(numbers))
    return [
        TreeSwitch(
            name,
            children=tuple(
                switch.name for switch, other in zip(lowest, pods, strict=True) if other == pod
            ),
        )
        for name, pod in zip(names, numbers, strict=True)
    ]


def _blocks(fabric: Fabric, hosts_per_block: int) -> list[tuple[str, list[str]]]:
    if hosts_per_block < 1:
        raise DesignError("hosts per block", hosts_per_block, "holds no host", "give at least 1")
    hosts = device_names(fabric)[: fabric.hosts]
    groups = [
        hosts[start : start + hosts_per_block] for start in range(0, len(hosts), hosts_per_block)
    ]
    return list(zip(_numbered("block", len(groups)), groups, strict=True))


def _block_sizes(blocks: list[tuple[str, list[str]]]) -> list[int]:
    """The size of a block, then its doublings up to all blocks together."""
    base = min((len(nodes) for _, nodes in blocks), default=1)
    return [base << power for power in range(max(len(blocks), 1).bit_length())]


def _numbered(kind: str, count: int) -> list[str]:
    width = len(str(count))
    return [f"{kind}-{number:0{width}d}" for number in range(1, count + 1)]
