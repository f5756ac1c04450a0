"""How long does a lossless plan take, its fragment for SONiC, and the check of a stranger's file?

A plan is fast enough for a slider; a file of a full switch with 512 ports is checked while one
waits. Best of several rounds, wall time, the design evaluated beforehand.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace

from netdesign.audit.sonic_check import check_sonic, sonic_from_bytes
from netdesign.design import read_design
from netdesign.evaluate import evaluate
from netdesign.export.sonic import sonic_config, sonic_json
from netdesign.lossless import LosslessPlan, lossless_plan

DESIGN = "llama-3-70b-1024-h100-ethernet"
ROUNDS = 9
WIDE = 4  # times the ports: 512


def best(act: Callable[[], object]) -> float:
    """Seconds of the fastest round."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def wide(plan: LosslessPlan) -> LosslessPlan:
    """The plan with a leaf of four times the ports."""
    leaf = plan.switch("leaf")
    groups = tuple(replace(group, ports=WIDE * group.ports) for group in leaf.groups)
    return replace(plan, switches=(replace(leaf, groups=groups), *plan.switches[1:]))


def main() -> None:
    evaluation = evaluate(read_design(DESIGN))
    plan = lossless_plan(evaluation)
    print(f"{'':<28}{'ms':>8}{'kB':>8}")
    print(f"{'plan':<28}{1e3 * best(lambda: lossless_plan(evaluation)):>8.2f}")
    for each in (plan, wide(plan)):
        ports = each.switch("leaf").ports
        content = sonic_json(sonic_config(each)).encode()
        size = len(content) / 1e3
        written = 1e3 * best(lambda each=each: sonic_json(sonic_config(each)))
        read = 1e3 * best(lambda content=content: sonic_from_bytes(content))
        checked = 1e3 * best(
            lambda each=each, content=content: check_sonic(sonic_from_bytes(content), plan=each)
        )
        print(f"{f'write, {ports} ports':<28}{written:>8.1f}{size:>8.0f}")
        print(f"{f'read, {ports} ports':<28}{read:>8.1f}")
        print(f"{f'read and check, {ports} ports':<28}{checked:>8.1f}")
    junk = json.dumps({"QUEUE": {f"Ethernet{index}|0-63": {} for index in range(7_000)}}).encode()
    told = 1e3 * best(lambda: check_sonic(sonic_from_bytes(junk)))
    print(f"{'check, 448,000 queues':<28}{told:>8.1f}{len(junk) / 1e3:>8.0f}")


if __name__ == "__main__":
    main()
