"""How long does it take to read real logs of 10 MB, 100 MB and 1 GB, and how much memory?

python benchmarks/bench_audit.py            10 and 100 MB
python benchmarks/bench_audit.py 1000       the sizes that are named, in MB

Beside it a naive reader: the whole file as one text, and one regular expression for the rows of
its kind, without any verdict. Every measurement is a process of its own, its seconds are those of
the processor.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

SIZES = (10, 100)  # MB
LIMIT_S = 20.0  # for 100 MB, and in proportion
MOST_MEMORY_MB = 2000

SETTINGS = (
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 "
    "agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n"
)
COLUMNS = (
    "#\n#       size         count      type   redop    root     time   algbw   busbw #wrong"
    "     time   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)"
    "            (us)  (GB/s)  (GB/s)\n"
)
END = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 123.456\n#\n"
PERFTEST = (
    "                    RDMA_Write BW Test\n"
    " Dual-port       : OFF\t\tDevice         : mlx5_0\n"
    " Number of qps   : 1\t\tTransport type : IB\n"
    " Connection type : RC\t\tUsing SRQ      : OFF\n"
    " Mtu             : 4096[B]\n Link type       : IB\n"
    " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
)
NAIVE = {
    "nccl-tests in a log": r"^ +\d+ +\d+ +(?:float|half) .*$",
    "ibnetdiscover": r'^\[\d+\].*"[SH]-[0-9a-f]+"\[\d+\].*$',
    "NCCL_DEBUG log": r"^\S+:\d+:\d+ \[\d+\] NCCL (?:INFO|WARN) .*$",
    "perftest repeated": r"^ \d+ +\d+ +[\d.]+ +[\d.]+\s+[\d.]+$",
    "LLDP of lldpctl": r"^ +(?:SysName|PortID): +.*$",
    "Slurm topology": r"^SwitchName=\S+ (?:Nodes|Switches)=\S+.*$",
    "another log": r"NCCL (?:INFO|WARN)|busbw|BW average",
    "noise": r"NCCL (?:INFO|WARN)|busbw|BW average",
}


def log_lines(lots: random.Random) -> Iterator[str]:
    number = 0
    while True:
        gpu = number % 8
        start = f"node{number % 16:02d}:{4000 + gpu}:{4100 + gpu} [{gpu}] NCCL INFO "
        yield start + (
            f"Channel {number % 16:02d}/0 : {gpu}[{gpu}] -> {gpu + 1}[{gpu + 1}] [send] via "
            f"NET/IB/{gpu}/GDRDMA\n"
            if number % 3 == 0
            else f"Trees [0] {number % 128}/-1/-1->{gpu}->-1 [1] {lots.randrange(128)}/-1/-1\n"
            if number % 3 == 1
            else f"AllReduce: opCount {number:x} sendbuff 0x7f{lots.getrandbits(40):x} count "
            f"{lots.randrange(1 << 28)} datatype 7 op 0 root 0 [nranks=128] stream 0x55\n"
        )
        number += 1


def table_lines(lots: random.Random) -> Iterator[str]:
    between = log_lines(lots)
    while True:
        yield SETTINGS
        for rank in range(16):
            yield (
                f"#  Rank {rank:2d} Group  0 Pid {1000 + rank} on node{rank // 8:02d} device  "
                f"{rank % 8} [0x{rank % 8:02x}] NVIDIA H100 80GB HBM3\n"
            )
        yield COLUMNS
        for size in (1 << power for power in range(3, 34)):
            time_us = 20 + size / 4e5
            rate = size / time_us / 1e3
            half = f"{time_us:8.2f} {rate:7.2f} {rate * 1.875:7.2f}      0"
            yield f"{size:13d} {size // 4:13d}     float     sum      -1 {half} {half}\n"
            yield from islice(between, 10)
        yield END


def perftest_lines(lots: random.Random) -> Iterator[str]:
    while True:
        yield PERFTEST
        for size in (1 << power for power in range(1, 24)):
            rate = min(395.0, 0.01 * size) + lots.random()
            yield f" {size:<10d} 5000  {rate + 0.2:9.2f}  {rate:9.2f}\t{125 * rate / size:.6f}\n"
        yield "-" * 87 + "\n"


def lldp_lines(lots: random.Random) -> Iterator[str]:
    """Leaves of 32 hosts and 32 spines, each with its prompt."""
    leaf = 0
    while True:
        yield f"admin@leaf{leaf}:~$ sudo lldpctl\n{'-' * 79}\nLLDP neighbors:\n{'-' * 79}\n"
        for port in range(64):
            host = f"n{leaf * 32 + port:06d}"
            name, far = (host, "enp1s0np0") if port < 32 else (f"spine{port}", f"swp{leaf}")
            yield (
                f"Interface:    swp{port + 1}, via: LLDP, RID: {port}, Time: 0 day, 14:07:31\n"
                f"  Chassis:     \n    ChassisID:    mac 52:54:00:{lots.randrange(90) + 10}:2d:fa\n"
                f"    SysName:      {name}\n    Capability:   Bridge, on\n  Port:        \n"
                f"    PortID:       ifname {far}\n    TTL:          120\n{'-' * 79}\n"
            )
        leaf += 1


def slurm_lines(lots: random.Random) -> Iterator[str]:
    """Leaves of one node each, and a spine above every 64 of them."""
    leaf = 0
    while True:
        for _ in range(64):
            yield f"SwitchName=leaf{leaf:07d} Nodes=node{leaf:07d} LinkSpeed=400\n"
            leaf += 1
        yield f"SwitchName=spine{leaf // 64:05d} Switches=leaf[{leaf - 64:07d}-{leaf - 1:07d}]\n"


def other_lines(lots: random.Random) -> Iterator[str]:
    words = ["step", "loss", "grad", "norm", "float", "tensor", "worker", "rank", "saved", "INFO"]
    while True:
        said = " ".join(lots.choices(words, k=9))
        yield f"2026-11-30 10:00:00 [{lots.randrange(1 << 20)}] {said} {lots.random():.5f}\n"


def fabric_lines(size: int) -> Iterator[str]:
    """Two tiers in pods of 32 leaves, seen from both ends of every cable."""
    leaves = max(1, size // 10_400)
    for leaf in range(leaves):
        pod = leaf // 32 * 32
        yield f'Switch\t65 "S-{leaf + 1:016x}"\t\t# "leaf{leaf}" enhanced port 0 lid 1 lmc 0\n'
        for port in range(32):
            host = f"{0xA0000000 + leaf * 32 + port:016x}"
            spine = f"{0x90000000 + pod + port:016x}"
            yield f'[{port + 1}]\t"H-{host}"[1]({host}) \t# "n{leaf * 32 + port}" lid 9 4xHDR\n'
            yield f'[{port + 33}]\t"S-{spine}"[{leaf % 32 + 1}]\t# "spine" lid 9 4xHDR\n'
        for port in range(32):
            host = f"{0xA0000000 + leaf * 32 + port:016x}"
            yield f'Ca\t1 "H-{host}"\t\t# "n{leaf * 32 + port} mlx5_0"\n'
            there = f'"S-{leaf + 1:016x}"[{port + 1}]'
            yield f'[1]({host}) \t{there}\t# lid 9 lmc 0 "leaf" lid 1 4xHDR\n'
    for spine in range((leaves + 31) // 32 * 32):
        name = f"{0x90000000 + spine:016x}"
        yield f'Switch\t65 "S-{name}"\t\t# "spine{spine}" enhanced port 0 lid 1 lmc 0\n'
        for port in range(32):
            leaf = spine // 32 * 32 + port
            if leaf < leaves:
                there = f'"S-{leaf + 1:016x}"[{spine % 32 + 33}]'
                yield f'[{port + 1}]\t{there}\t# "leaf" lid 1 4xHDR\n'


def noise(lots: random.Random) -> Iterator[bytes]:
    while True:
        yield lots.randbytes(1 << 16)


KINDS: dict[str, Callable[[random.Random], Iterator[str | bytes]]] = {
    "nccl-tests in a log": table_lines,
    "NCCL_DEBUG log": log_lines,
    "perftest repeated": perftest_lines,
    "LLDP of lldpctl": lldp_lines,
    "Slurm topology": slurm_lines,
    "another log": other_lines,
    "noise": noise,
}


def write(path: Path, kind: str, size: int) -> int:
    """Write a file of about this many bytes; its size."""
    pieces = fabric_lines(size) if kind == "ibnetdiscover" else KINDS[kind](random.Random(1))
    written = 0
    with path.open("wb") as file:
        for piece in pieces:
            content = piece.encode() if isinstance(piece, str) else piece
            written += file.write(content)
            if written >= size and kind != "ibnetdiscover":
                break
    return written


def measure(how: str, path: str, kind: str) -> None:
    """Print the seconds and the peak memory of one reading; runs in a process of its own."""
    start = time.process_time()
    if how == "naive":
        import re

        text = Path(path).read_bytes().decode("utf-8", "replace")
        found = str(len(re.findall(NAIVE[kind], text, re.MULTILINE)))
    else:
        from netdesign.audit.document import open_document
        from netdesign.audit.whole import audit_all

        found = audit_all([open_document(Path(path))]).reports[0].kind
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([seconds, peak, found]))


def measured(how: str, path: Path, kind: str) -> tuple[float, float, str]:
    """Seconds, MB and what was found."""
    command = [sys.executable, __file__, f"--{how}", str(path), kind]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, peak, found = json.loads(done.stdout)
    return seconds, peak, found


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or list(SIZES)
    print(
        f"{'file':<22}{'MB':>6}{'s':>8}{'MB/s':>8}{'peak MB':>9}{'naive s':>9}{'naive MB':>10}"
        f"{'ratio':>7}"
    )
    slow = False
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.txt"
        for size in sizes:
            for kind in NAIVE:
                megabytes = write(path, kind, size * 10**6) / 1e6
                seconds, peak, found = measured("audit", path, kind)
                naive, naive_peak, _ = measured("naive", path, kind)
                over = seconds > LIMIT_S * megabytes / 100 + 1 or peak > MOST_MEMORY_MB
                slow |= over
                print(
                    f"{kind:<22}{megabytes:>6.0f}{seconds:>8.2f}{megabytes / seconds:>8.1f}"
                    f"{peak:>9.0f}{naive:>9.2f}{naive_peak:>10.0f}{seconds / naive:>7.1f}"
                    f"  {found}{'  over the target' if over else ''}",
                    flush=True,
                )
    if slow:
        raise SystemExit(1)


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] in ("--audit", "--naive"):
        measure(sys.argv[1].removeprefix("--"), sys.argv[2], sys.argv[3])
    else:
        main()
