"""What stands around a table and tells of its job: launcher, Slurm variables, pod names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from netdesign.audit.nccl_tests.operations import operation_run

_VARIABLE = re.compile(
    r"\b(SLURM_NTASKS|SLURM_NPROCS|SLURM_NNODES|SLURM_JOB_NUM_NODES|SLURM_NTASKS_PER_NODE"
    r"|SLURM_TASKS_PER_NODE|OMPI_COMM_WORLD_SIZE|PMI_SIZE|WORLD_SIZE|NNODES|NUM_NODES|NP)"
    r"\s*[=:]\s*[\"']?(\d{1,7})(?!\d)"
)
_RANKS = ("SLURM_NTASKS", "SLURM_NPROCS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE", "NP")
_NODES = ("SLURM_NNODES", "SLURM_JOB_NUM_NODES", "NNODES", "NUM_NODES")
_LAUNCHER = re.compile(r"\b(mpirun|mpiexec|orterun|prterun|aprun|srun|salloc|sbatch)\b")
_TASKS = re.compile(r"(?<![\w-])(?:-np|-n|--np|--n|-c)[ =](\d{1,7})(?!\d)")
_SRUN_TASKS = re.compile(r"(?<![\w-])(?:-n|--ntasks)[ =]?(\d{1,7})(?!\d)")
_SRUN_NODES = re.compile(r"(?<![\w-])(?:-N|--nodes)[ =]?(\d{1,6})(?![\d-])")
_PER_NODE = re.compile(
    r"(?:(?<![\w-])(?:--ntasks-per-node|-npernode|--npernode|-ppn|--ppn|-perhost)[ =]|ppr:)"
    r"(\d{1,5})(?!\d)"
)
_MPI_PER_NODE = re.compile(r"(?<![\w-])-N[ =]?(\d{1,5})(?!\d)")
_HOSTS = re.compile(r"(?<![\w-])(?:-H|--host)[ =]([\w.,:-]{1,4000})")
_PER_TASK = re.compile(r"\s(?:-g|--ngpus)[ =]?(\d{1,3})(?!\d)")
_LONGEST = 8000  # characters of a line that are looked at
_MOST_PODS = 50
_MOST_RANKS = 10**7  # more is no job
_POD = re.compile(r"\b([a-z0-9][a-z0-9.-]{0,60}-worker)-(\d{1,5})(?![\w-])")
MARKS = ("SLURM_", "mpirun", "srun", "mpiexec", "aprun", "_perf", "worker-", "WORLD_SIZE", "NNODES")


@dataclass(slots=True)
class Claims:
    """What one source says; None: nothing."""

    ranks: int | None = None
    nodes: int | None = None
    per_node: int | None = None

    @property
    def tasks(self) -> int | None:
        """Ranks, also as nodes times ranks of a node."""
        if self.ranks is None and self.nodes is not None and self.per_node is not None:
            return self.nodes * self.per_node
        return self.ranks

    @property
    def hosts(self) -> int | None:
        """Nodes, also as ranks over ranks of a node."""
        if self.nodes is not None or self.ranks is None or not self.per_node:
            return self.nodes
        return -(-self.ranks // self.per_node)


@dataclass(slots=True)
class Surroundings:
    """Claims since the last command; the newest wins, and a command wins over variables."""

    variables: Claims = field(default_factory=Claims)
    command: Claims = field(default_factory=Claims)
    gpus_per_task: int = 1
    operation: str | None = None
    pods: dict[str, int] = field(default_factory=dict)  # by name: the highest number
    open_command: str = ""  # launcher of a command that goes on in the next line
    open_program: bool = False  # the same, behind the name of the program

    @property
    def continued(self) -> bool:
        """Whether the next line belongs to a command."""
        return self.open_program or bool(self.open_command)

    def see(self, text: str) -> bool:
        """Take what a line tells; whether it told something."""
        goes_on = text.endswith("\\")
        text = text[:_LONGEST]
        told = self._variables(text)
        if "worker-" in text:
            told = self._pods(text) or told
        launched = _LAUNCHER.search(text)
        launcher = self.open_command
        if launched is not None:
            launcher, self.command = launched[1], Claims()
        head, program, tail = text.partition("_perf")
        if launcher and not self.open_program:
            self._launch(head, launcher)
            told = True
        if program and (operation := operation_run(text)) is not None:
            if not launcher and tail.lstrip().startswith("-"):  # run by itself
                self.command = Claims()
            self.operation, self.gpus_per_task = operation, 1
            self.open_program, told = True, True
        if self.open_program:
            per_task = _PER_TASK.search(tail if program else f" {text}")
            self.gpus_per_task = self.gpus_per_task if per_task is None else int(per_task[1]) or 1
            told = True
        self.open_command = launcher if goes_on else ""
        self.open_program = self.open_program and goes_on
        return told

    def _variables(self, text: str) -> bool:
        told = False
        for name, value in _VARIABLE.findall(text):
            if name in _RANKS:
                self.variables.ranks = int(value)
            elif name in _NODES:
                self.variables.nodes = int(value)
            else:
                self.variables.per_node = int(value)
            told = True
        return told

    def _pods(self, text: str) -> bool:
        found = _POD.search(text)
        if found is None or (found[1] not in self.pods and len(self.pods) >= _MOST_PODS):
            return False
        self.pods[found[1]] = max(self.pods.get(found[1], 0), int(found[2]))
        return True

    def _launch(self, options: str, launcher: str) -> None:
        said = self.command
        slurm = launcher in ("srun", "salloc", "sbatch")
        if (tasks := (_SRUN_TASKS if slurm else _TASKS).search(options)) is not None:
            said.ranks = int(tasks[1])
        if slurm and (nodes := _SRUN_NODES.search(options)) is not None:
            said.nodes = int(nodes[1])
        if (per_node := _PER_NODE.search(options)) is not None:
            said.per_node = int(per_node[1])
        elif not slurm and (part := _MPI_PER_NODE.search(options)) is not None:
            said.per_node = int(part[1])
        if (hosts := _HOSTS.search(options)) is not None:
            names = [name.partition(":") for name in hosts[1].split(",") if name]
            said.nodes = len({name for name, _, _ in names}) or None
            slots = [int(count) for _, _, count in names if count.isascii() and count.isdigit()]
            if said.ranks is None and len(slots) == len(names):
                said.ranks = sum(slots)

    @property
    def claimed_tasks(self) -> int | None:
        """Processes that were asked for."""
        tasks = self.command.tasks
        tasks = self.variables.tasks if tasks is None else tasks
        return tasks if tasks is not None and 0 < tasks <= _MOST_RANKS else None

    @property
    def claimed_nodes(self) -> int | None:
        """Nodes that were asked for."""
        nodes = self.command.hosts
        return (self.variables.hosts if nodes is None else nodes) or None

    @property
    def job_names(self) -> tuple[str, ...]:
        """Names before "-worker-3"."""
        return tuple(name.removesuffix("-worker") for name in self.pods)

    @property
    def pods_reach(self) -> int | None:
        """Nodes that the highest pod number needs."""
        return max(self.pods.values()) + 1 if self.pods else None
