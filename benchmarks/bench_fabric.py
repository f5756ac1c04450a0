"""How long does it take to build every switch and cable, and to write the cable plan?

Targets: 65,536 GPUs in three tiers built in under 1 s and 1 GB, their cable plan as CSV in under
5 s, a dragonfly of 261,632 endpoints in under 10 s. Beside it the same graph in networkx, built
link by link from the same wiring rule and counted. Each case runs in a process of its own, so that
memory is that of the case.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from netdesign.export.cable_plan import write_csv
from netdesign.export.fabric_files import cable_plan
from netdesign.fabrics import cabled
from netdesign.topology.families import build, size
from netdesign.topology.spec import FabricSpec

FAT_TREE = FabricSpec("fat-tree", endpoints=65_536, radix=64, tiers=3)
DRAGONFLY = FabricSpec("dragonfly", endpoints=261_632, radix=64)


def built(spec: FabricSpec) -> int:
    return build(spec).links


def counted(spec: FabricSpec) -> int:
    """The closed form, as the sliders use it."""
    return sum(size(spec).links.values())


def with_lengths(spec: FabricSpec) -> int:
    """Racks, length and medium of each cable as well."""
    return cabled(spec).fabric.links


def plan_as_csv(spec: FabricSpec) -> int:
    """From nothing to the file on the disk."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cables.csv"
        write_csv(cable_plan(cabled(spec)), path)
        return path.read_text(encoding="utf-8").count("\n") - 1


def networkx_fat_tree(spec: FabricSpec) -> int:
    """The same three-tier tree, node by node and link by link, then counted by tier."""
    import networkx as nx

    half = (spec.radix or 0) // 2
    graph = nx.MultiGraph()
    pods = (spec.endpoints or 0) // half**2
    for pod in range(pods):
        for leaf in range(half):
            for host in range(half):
                graph.add_edge(("host", pod, leaf, host), ("leaf", pod, leaf), kind="host")
            for spine in range(half):
                graph.add_edge(("leaf", pod, leaf), ("spine", pod, spine), kind="leaf_spine")
        for spine in range(half):
            for core in range(half):
                graph.add_edge(("spine", pod, spine), ("core", spine, core), kind="spine_core")
    return sum(Counter(kind for _, _, kind in graph.edges(data="kind")).values())


def networkx_dragonfly(spec: FabricSpec) -> int:
    """The same dragonfly from the arrays' own ends, added in one call, then counted."""
    import networkx as nx

    fabric = build(spec)
    graph = nx.MultiGraph()
    graph.add_edges_from(
        zip(fabric.a.tolist(), fabric.b.tolist(), fabric.kind.tolist(), strict=True)
    )
    return graph.number_of_edges()


CASES: tuple[tuple[str, str, Callable[[FabricSpec], int], FabricSpec], ...] = (
    ("fat tree 65,536: counts by formula", "", counted, FAT_TREE),
    ("fat tree 65,536: every link", "1 s, 1 GB", built, FAT_TREE),
    ("fat tree 65,536: and racks, lengths, media", "", with_lengths, FAT_TREE),
    ("fat tree 65,536: and the cable plan as CSV", "5 s", plan_as_csv, FAT_TREE),
    ("fat tree 65,536: networkx, every link", "", networkx_fat_tree, FAT_TREE),
    ("dragonfly 261,632: every link", "10 s", built, DRAGONFLY),
    ("dragonfly 261,632: networkx, every link", "", networkx_dragonfly, DRAGONFLY),
)


def measure(number: int, results: multiprocessing.Queue[tuple[float, float, int]]) -> None:
    _, _, run, spec = CASES[number]
    began = time.perf_counter()
    links = run(spec)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    results.put((seconds, peak, links))


def main() -> None:
    spawn = multiprocessing.get_context("spawn")
    print(f"{'':46}{'target':>11}{'seconds':>9}{'peak MB':>9}{'links':>10}")
    found = {}
    for number, (name, target, _, _) in enumerate(CASES):
        results = spawn.Queue()
        process = spawn.Process(target=measure, args=(number, results))
        process.start()
        seconds, peak, links = results.get()
        process.join()
        found[name] = seconds
        print(f"{name:46}{target:>11}{seconds:>9.3f}{peak:>9.0f}{links:>10,}")
    for family in ("fat tree 65,536", "dragonfly 261,632"):
        ratio = found[f"{family}: networkx, every link"] / found[f"{family}: every link"]
        print(f"{family}: networkx takes {ratio:.1f} times as long")


if __name__ == "__main__":
    main()
