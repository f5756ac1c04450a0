"""How long does it take to route flows over a built fabric and to solve their max-min fair rates?

Targets: 65,536 flows over a three-tier fabric of 65,536 endpoints in under 2 s; 1,024 GPUs in under
60 ms; 1,000 ECMP seeds of them in under 5 s. Best of several rounds, wall time. With an address
(``--scheduler tcp://host:8786``) the seeds run on Dask.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable

import numpy as np

from netdesign.topology.built import Fabric
from netdesign.topology.ecmp_seeds import ecmp_seeds
from netdesign.topology.families import build
from netdesign.topology.flows import solved
from netdesign.topology.routing import POLICIES, Flows, Lost, Policy, endpoint_links, routes
from netdesign.topology.spec import FabricSpec

ROUNDS = 3
SEEDS = 1_000
SERVER = {"gpus_per_server": 8, "ports_per_server": 8}
CASES = (
    ("fat tree, 3 tiers", FabricSpec("fat-tree", 65_536, radix=64, tiers=3, **SERVER), 2.0),
    ("rail-optimised, 3 tiers", FabricSpec("rail-optimised", 65_536, radix=64, **SERVER), 2.0),
    ("rail-optimised", FabricSpec("rail-optimised", 1_024, radix=64, **SERVER), 0.06),
    ("fat tree, 2 tiers", FabricSpec("fat-tree", 1_024, radix=64, tiers=2, **SERVER), 0.06),
    ("dragonfly+", FabricSpec("dragonfly-plus", 1_024, radix=32, **SERVER), 0.06),
    ("slim fly", FabricSpec("slim-fly", 1_024, radix=32), 0.06),
    ("hyperx", FabricSpec("hyperx", 1_024, radix=32), 0.06),
    ("torus", FabricSpec("torus", 512), 0.06),
)


def permutation(fabric: Fabric) -> Flows:
    """Every endpoint sends a gigabyte to another, in a random order."""
    count = len(endpoint_links(fabric))
    return Flows.of(np.arange(count), np.random.default_rng(1).permutation(count), 1e9)


def fastest(act: Callable[[], object]) -> float:
    """Seconds of the fastest round."""
    seconds = []
    for _ in range(ROUNDS):
        gc.collect()
        start = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def row(fabric: Fabric, flows: Flows, policy: Policy, lost: Lost | None = None) -> str:
    """Milliseconds to route and to solve, and what came out."""
    found = routes(fabric, flows, policy, lost=lost)
    result = solved(fabric, flows, found)
    routing = fastest(lambda: routes(fabric, flows, policy, lost=lost))
    solving = fastest(lambda: solved(fabric, flows, found))
    return (
        f"{1e3 * routing:9.1f}{1e3 * solving:9.1f}{1e3 * (routing + solving):9.1f} ms"
        f"   mean {result.mean_share:.3f}, slowest {result.slowest_share:.3f} of the hosts' links"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scheduler", help="address of a Dask scheduler, tcp://host:8786")
    scheduler = parser.parse_args().scheduler
    print(
        f"{'a random permutation':26}{'flows':>8}  {'policy':10}{'route':>9}{'solve':>9}{'both':>9}"
    )
    for name, spec, target in CASES:
        fabric = build(spec)
        flows = permutation(fabric)
        for policy in POLICIES:
            print(f"{name:26}{len(flows):8,}  {policy:10}" + row(fabric, flows, policy), flush=True)
        dice = np.random.default_rng(2)
        lost = Lost.of(fabric, links=dice.choice(fabric.links, 8, replace=False))
        after = row(fabric, flows, "adaptive", lost)
        print(f"{'  8 links lost':26}{len(flows):8,}  {'adaptive':10}{after}")
        print(f"{'':36}target of both: {1e3 * target:.0f} ms")
    fabric = build(CASES[2][1])
    flows = permutation(fabric)
    where = f"on {scheduler}" if scheduler else "in one process"
    for queue_pairs in (1, 4):
        start = time.perf_counter()
        found = ecmp_seeds(fabric, flows, SEEDS, queue_pairs=queue_pairs, scheduler=scheduler)
        took = time.perf_counter() - start
        print(
            f"{SEEDS:,} ECMP seeds of 1,024 flows, {queue_pairs} queue pairs each, {where}: "
            f"{took:.2f} s (target 5 s); mean {found.mean_efficiency:.3f}, "
            f"slowest {found.slowest_efficiency:.3f}, 1 % of seeds below "
            f"{found.quantile('slowest', 0.01):.3f}"
        )


if __name__ == "__main__":
    main()
