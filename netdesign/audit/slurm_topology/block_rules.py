"""Rules on blocks, rings and toruses, as Slurm's plugins check them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from netdesign.audit.report import Finding
from netdesign.audit.slurm_topology.content import Topology, Unit
from netdesign.wording import named

_MOST_LISTED = 50
_MOST_LEVELS = 16  # MAX_BLOCK_LEVELS of the block plugin
_MOST_IN_RING = 16  # of the ring plugin, topology.conf(5)
_SOURCE = "slurm-topology"


def block_findings(topology: Topology) -> Iterator[Finding]:
    """Sizes against each other, and blocks against the base size."""
    yield from _sizes(topology)
    base = topology.block_sizes[0] if topology.block_sizes else None
    sizes = [len(set(unit.nodes)) for unit in topology.units]
    if base is None:
        least = min((size for size in sizes if size), default=None)
        if least is not None:
            yield Finding(
                "no-block-sizes",
                "note",
                "block sizes",
                f"No BlockSizes are given: Slurm takes the smallest block, {least} nodes, for the "
                "base and doubles it. Give them to say what jobs are planned in.",
                {"smallest_block_nodes": least},
                _SOURCE,
            )
        base = least
    if base is None:
        return
    small = [unit for unit, size in zip(topology.units, sizes, strict=True) if size < base]
    spare = [unit for unit, size in zip(topology.units, sizes, strict=True) if size > base]
    if small:
        yield Finding(
            "block-too-small",
            "error",
            ", ".join(unit.name for unit in small[:6]),
            f"{_with_sizes(small)} fewer than the base of {base} nodes; Slurm stops. Fill the "
            "block, or lower the first of BlockSizes.",
            _evidence(small, base),
            _SOURCE,
        )
    if spare:
        yield Finding(
            "block-beyond-base",
            "note",
            ", ".join(unit.name for unit in spare[:6]),
            f"{_with_sizes(spare)} more than the base of {base} nodes: Slurm plans with {base}, "
            "and the others are spares.",
            _evidence(spare, base),
            _SOURCE,
        )


def _sizes(topology: Topology) -> Iterator[Finding]:
    sizes = topology.block_sizes or ()
    for size in sizes[1:]:
        factor = size / sizes[0]
        whole = size % sizes[0] == 0 and (size // sizes[0]) & (size // sizes[0] - 1) == 0
        if whole and factor < 2**_MOST_LEVELS:
            continue
        down = sizes[0] * 2 ** int(math.log2(max(1.0, factor)))
        yield Finding(
            "invalid-block-sizes",
            "error",
            "block sizes",
            f"The block size {size} is {factor:.4g} times the base of {sizes[0]}; Slurm takes only "
            f"powers of two of it (at most 2^{_MOST_LEVELS - 1}) and stops. Near it are {down} and "
            f"{2 * down}.",
            {"size": size, "base": sizes[0], "factor": factor},
            _SOURCE,
        )
    if any(later <= before for before, later in zip(sizes, sizes[1:], strict=False)):
        yield Finding(
            "block-sizes-not-rising",
            "warning",
            "block sizes",
            f"The block sizes {', '.join(map(str, sizes))} do not rise: each must be larger than "
            "the one before, the base first.",
            {"sizes": list(sizes)},
            _SOURCE,
        )


def _with_sizes(units: list[Unit]) -> str:
    shown = named((f"{unit.name} ({len(set(unit.nodes))})" for unit in units), 6)
    return f"{shown} {'have' if len(units) > 1 else 'has'}"


def _evidence(units: list[Unit], base: int) -> dict[str, object]:
    return {
        "base": base,
        "blocks": {unit.name: len(set(unit.nodes)) for unit in units[:_MOST_LISTED]},
        "count": len(units),
    }


def ring_findings(topology: Topology) -> Iterator[Finding]:
    """Rings that are too long."""
    for unit in topology.units:
        if len(unit.nodes) > _MOST_IN_RING:
            yield Finding(
                "ring-too-long",
                "error",
                unit.name,
                f"The ring {unit.name} has {len(unit.nodes)} nodes; Slurm allows {_MOST_IN_RING}.",
                {"nodes": len(unit.nodes)},
                _SOURCE,
            )


def torus_findings(topology: Topology) -> Iterator[Finding]:
    """Nodes against the size of the torus."""
    for unit in topology.units:
        if unit.dimensions is None or not unit.nodes:
            continue
        places = math.prod(unit.dimensions)
        if places != len(unit.nodes):
            size = " x ".join(map(str, unit.dimensions))
            yield Finding(
                "torus-size",
                "error",
                unit.name,
                f"The torus {unit.name} of {size} has {places} places and {len(unit.nodes)} nodes; "
                "Slurm refuses it unless they are equal.",
                {"places": places, "nodes": len(unit.nodes)},
                _SOURCE,
            )
