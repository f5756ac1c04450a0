"""Which commands write the files that the page reads."""

from __future__ import annotations

from types import MappingProxyType

from netdesign.app.html import Head, Markup, table, tag
from netdesign.audit.kinds import KINDS

COMMANDS = MappingProxyType(
    {
        "nccl-tests": (
            "mpirun -np 16 -N 8 all_reduce_perf -b 8 -e 8G -f 2 -g 1 > all-reduce.txt",
            "every server with all its GPUs; -c 1 checks the results",
        ),
        "perftest": (
            "ib_write_bw -d mlx5_0 -a --report_gbits server-01 > write-bw.txt",
            "between two servers, ib_write_bw -d mlx5_0 -a waiting on server-01; also ib_read_lat",
        ),
        "ibnetdiscover": (
            "ibnetdiscover > net.txt",
            "on any InfiniBand server, as root; with -p a line for each port",
        ),
        "iblinkinfo": ("iblinkinfo > links.txt", "on any InfiniBand server, as root"),
        "ibdiagnet": (
            "ibdiagnet -o diag",
            "then diag/ibdiagnet2.log and diag/ibdiagnet2.net_dump",
        ),
        "nvidia-smi-topo": ("nvidia-smi topo -m > server-01-topo.txt", "on each kind of server"),
        "slurm-topology": (
            "cp /etc/slurm/topology.conf .",
            "or topology.yaml, of the Slurm controller",
        ),
        "lldp": (
            "show lldp neighbors > leaf-01.txt",
            "on each switch, its prompt line kept; on Linux lldpctl -f json > leaf-01.json",
        ),
        "nccl-log": (
            "NCCL_DEBUG=INFO srun python train.py > job.log 2>&1",
            "the first minute of a job is enough",
        ),
    }
)


def commands() -> Markup:
    """A closed list: kind of file, command, where to run it."""
    rows = [
        (kind.title, tag("code", COMMANDS[kind.name][0]), COMMANDS[kind.name][1]) for kind in KINDS
    ]
    heads = (Head("File"), Head("Command"), Head("Where, and what else"))
    return tag(
        "details",
        tag("summary", "Which commands write these files?"),
        table("Commands that write the files", heads, rows, class_="nd-commands-table"),
        class_="nd-commands",
    )
