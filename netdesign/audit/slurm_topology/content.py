"""What a topology.conf or topology.yaml says: switches, blocks, rings and their nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from netdesign.audit.found.network import FoundNetwork
from netdesign.audit.report import Severity

if TYPE_CHECKING:
    from netdesign.audit.slurm_topology.shape import Shape

Plugin = Literal["tree", "block", "ring", "torus3d", "flat", "unknown"]
UNIT_NAMES: Mapping[str, tuple[str, str]] = {
    "tree": ("switch", "switches"),
    "block": ("block", "blocks"),
    "ring": ("ring", "rings"),
    "torus3d": ("torus", "toruses"),
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A switch, a block, a ring or a torus: one name with what is below it."""

    name: str
    line: int
    nodes: tuple[str, ...] = ()  # directly below
    children: tuple[str, ...] = ()  # switches below, as named
    link_speed: int | None = None  # in units of the file's own
    dimensions: tuple[int, int, int] | None = None  # of a torus


@dataclass(frozen=True)
class Topology:
    """One topology; a topology.conf holds one, or one for each plugin."""

    name: str  # "" in a topology.conf
    plugin: Plugin
    units: tuple[Unit, ...]  # each name once, in the order of the file
    block_sizes: tuple[int, ...] | None = None  # as written, base first
    is_default: bool = False
    line: int = 0

    @property
    def words(self) -> tuple[str, str]:
        """What its units are called: one of them, several of them."""
        return UNIT_NAMES.get(self.plugin, ("unit", "units"))

    @cached_property
    def shape(self) -> Shape:
        """How its switches stand to each other."""
        from netdesign.audit.slurm_topology.shape import shape_of

        return shape_of(self)


@dataclass(frozen=True)
class Fault:
    """Something that Slurm refuses, or that could not be read."""

    rule: str
    severity: Severity
    where: str
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SlurmContent:
    """All topologies of a file."""

    topologies: tuple[Topology, ...] = ()
    faults: tuple[Fault, ...] = ()
    more_faults: int = 0  # beyond those listed
    full_line: int = 0  # up to which it is read, where there are too many names in all; else 0
    left_out: int = 0  # units behind that line
    cut_lines: tuple[int, ...] = ()  # numbers of lines that were too long to be read whole

    @property
    def main(self) -> Topology:
        """The topology that stands for the file: the default one, else a tree, else the first."""
        named = [entry for entry in self.topologies if entry.is_default]
        trees = [entry for entry in self.topologies if entry.plugin == "tree"]
        return (named or trees or list(self.topologies))[0]

    @cached_property
    def network(self) -> FoundNetwork:
        """Devices and links of the main topology."""
        # here, since that module is made of the classes of this one
        from netdesign.audit.slurm_topology.network import network_of

        return network_of(self.main)
