"""How long does it take to check the NCCL settings of a job script, and of a long log?

python benchmarks/bench_nccl_check.py
"""

from __future__ import annotations

import time

from netdesign.audit.nccl_check import check_settings
from netdesign.catalog.nccl_variables import nccl_tables

SCRIPT = """#!/bin/bash
#SBATCH --nodes=64
export NCCL_DEBUG=INFO
export NCCL_IB_HCA="=mlx5_0:1,mlx5_1:1"
export NCCL_IB_TIMEOUT=22 NCCL_IB_QPS_PER_CONNECTION=4
srun --export=ALL,NCCL_ALGO=Ring python train.py
"""
LINE = "node-1:17:99 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
LONGEST = 9_900_000
CASES = {
    "a job script": (SCRIPT, 0.05),
    "a log of 9.9 MB": ((SCRIPT + LINE * (LONGEST // len(LINE)))[:LONGEST], 15.0),
    "9.9 MB of settings": (("NCCL_DEBUG=INFO\n" * (LONGEST // 16))[:LONGEST], 40.0),
    "9.9 MB in one line": (("NCCL_ALGO=" + "a,b;" * (LONGEST // 4))[:LONGEST], 15.0),
}


def main() -> None:
    nccl_tables()
    slow = False
    for name, (text, limit) in CASES.items():
        started = time.perf_counter()
        report = check_settings(text)
        spent = time.perf_counter() - started
        slow |= spent > limit
        print(f"{name:20} {spent:7.3f} s (limit {limit:g} s), {len(report.findings)} findings")
    if slow:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
