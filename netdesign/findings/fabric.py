"""Findings about the fabric: does it exist, does it slow the job, does it waste ports."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from netdesign.catalog import load_catalog
from netdesign.findings.finding import Finding
from netdesign.findings.growth import fabric_today
from netdesign.findings.job import rule_value
from netdesign.topology.clos_request import resolve
from netdesign.topology.clos_shape import ClosShape, shape_of
from netdesign.topology.leaf_pairs import LeafPairs, leaf_pairs
from netdesign.topology.pod_pairs import PodPairs, pod_pairs
from netdesign.topology.sizing import FAMILIES
from netdesign.topology.spec import SPINE_RULES, FabricSpec
from netdesign.wording import plural
from netdesign.workload.plan import SHARDING

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

LARGER_FAMILY = {
    "single-switch": "rail-optimised",
    "fat-tree-2": "fat-tree-3",
    "rail-only": "rail-optimised",
}


def too_large_for_the_family(evaluation: Evaluation) -> Finding | None:
    """More ports than the family can join with this switch."""
    fabric = evaluation.fabric
    if fabric.buildable or fabric.family == "single-switch":
        return None
    family = LARGER_FAMILY.get(fabric.family, "")
    return Finding(
        "fabric-too-large",
        "error",
        f"{FAMILIES[fabric.family]}: with this switch it ends at {int(fabric.largest):,} ports; "
        f"the design needs {int(fabric.endpoints):,}.",
        f"Choose another structure: {FAMILIES[family].lower()}."
        if family
        else "Choose a switch with more ports or fewer GPUs.",
        "network.family" if family else "network.switch",
        family or None,
    )


def single_switch_is_full(evaluation: Evaluation) -> Finding | None:
    """One switch cannot hold all ports."""
    fabric = evaluation.fabric
    if fabric.buildable or fabric.family != "single-switch":
        return None
    return Finding(
        "single-switch-is-full",
        "error",
        f"One switch has {int(fabric.radix):,} ports; the design needs {int(fabric.endpoints):,}.",
        "Choose a fabric with two tiers.",
        "network.family",
        "rail-optimised",
    )


def one_switch_would_do(evaluation: Evaluation) -> Finding | None:
    """A fabric with tiers where a single switch has all the ports."""
    fabric = evaluation.fabric
    if fabric.tiers < 2 or fabric.endpoints > fabric.radix:
        return None
    return Finding(
        "one-switch-would-do",
        "note",
        f"One switch has {int(fabric.radix):,} ports and the design needs "
        f"{int(fabric.endpoints):,}: {int(fabric.switches)} switches do what one can.",
        "A single switch is cheaper and one hop shorter; more tiers only pay if the cluster grows.",
        "network.family",
        "single-switch",
    )


def sharded_over_a_taper(evaluation: Evaluation) -> Finding | None:
    """FSDP gathers weights in every layer: a taper under it hurts once computing cannot hide it."""
    if not (int(evaluation.plan.sharding) == SHARDING["fsdp"] and evaluation.crosses_taper):
        return None
    cost = evaluation.taper_slowdown - 1
    felt = cost > rule_value("taper-felt")
    return Finding(
        "sharded-over-taper",
        "warning" if felt else "note",
        f"FSDP gathers every layer's weights across a fabric tapered {_taper(evaluation):.3g}:1; "
        + (f"the step is {cost:.1%} longer." if felt else "computing hides it so far."),
        "Keep this fabric non-blocking, or shard inside groups only (HSDP).",
        _tapered_field(evaluation),
        1.0,
    )


def taper_slows_the_step(evaluation: Evaluation) -> Finding | None:
    """What the oversubscription costs in step time."""
    slowdown = evaluation.taper_slowdown
    if slowdown <= 1 + rule_value("taper-felt") or not evaluation.crosses_taper:
        return None
    return Finding(
        "taper-slows-step",
        "warning",
        f"Oversubscription of {_taper(evaluation):.3g}:1 makes the step {slowdown - 1:.1%} longer.",
        "A non-blocking fabric would win that back.",
        _tapered_field(evaluation),
        1.0,
    )


def leaf_pairs_share_less(evaluation: Evaluation) -> Finding | None:
    """Two leaves that cannot use all their uplinks, for the spines do not divide these."""
    fabric = evaluation.fabric
    if not fabric.buildable or fabric.tiers < 2:
        return None
    wiring = _wiring(fabric_today(evaluation))
    if wiring is None:
        return None
    pairs, spines, cure = wiring
    whole = min(1.0, 1 / float(fabric.oversubscription))
    worst = min(1.0, pairs.share / float(fabric.oversubscription))
    if worst >= whole * (1 - rule_value("leaf-pairs-felt")):
        return None
    asked = 1 / max(evaluation.design.network.oversubscription, 1.0)
    broken = worst < asked
    return Finding(
        "leaf-pairs-share-less",
        "warning" if broken else "note",
        f"{plural(pairs.spines, 'spine')} {'do' if pairs.spines > 1 else 'does'} not divide the "
        f"{pairs.uplinks} uplinks of a leaf: some leaves meet over {pairs.worst} of them only, and "
        f"get {worst:.1%} of peak between the two instead of {whole:.1%}"
        + (f", less than the {asked:.1%} asked for." if broken else "."),
        f"{plural(cure[1], 'spine')} in all instead of {spines:,} let any two leaves use all "
        "their uplinks."
        if cure
        else "A taper with another number of uplinks, or fewer leaves, would do better.",
        "network.spines" if cure else "",
        cure[0] if cure else None,
    )


def pod_pairs_share_less(evaluation: Evaluation) -> Finding | None:
    """Two pods that get less between them than the tapers say, for their core links are uneven."""
    fabric = evaluation.fabric
    if not fabric.buildable or fabric.tiers < 3:
        return None
    wiring = _core_wiring(fabric_today(evaluation), float(fabric.oversubscription))
    if wiring is None:
        return None
    pods, switches, cure = wiring
    network = evaluation.design.network
    asked = 1 / (max(network.oversubscription, 1.0) * max(network.core_oversubscription, 1.0))
    broken = pods.share < asked
    return Finding(
        "pod-pairs-share-less",
        "warning" if broken else "note",
        f"{_undivided(pods)}: some pods get {pods.share:.1%} of peak between the two instead of "
        f"{pods.whole:.1%}" + (f", less than the {asked:.1%} asked for." if broken else "."),
        f"{plural(cure[1], 'spine')} and {plural(cure[2], 'core')} instead of {switches[0]:,} "
        f"and {switches[1]:,} give every core as many links to a pod as the others."
        if cure
        else "Another taper, or a number of leaves that fills the last pod, would do better.",
        "network.spines" if cure else "",
        cure[0] if cure else None,
    )


def _undivided(pods: PodPairs) -> str:
    cores, links = plural(pods.cores, "core"), f"{pods.core_links:,}"
    if pods.core_links % pods.cores == 0:
        return f"The spines of a pod have not all as many of its {links} links to {cores}"
    return f"{cores} do not divide the {links} links that a pod has to them"


@lru_cache(maxsize=64)
def _shape(spec: FabricSpec) -> ClosShape:
    return resolve(spec).shape


@lru_cache(maxsize=64)
def _core_wiring(
    spec: FabricSpec, taper: float
) -> tuple[PodPairs, tuple[int, int], tuple[str, int, int] | None] | None:
    """What pods get where that is felt to be less, spines and cores, and the setting that cures."""
    shape = _shape(spec)
    pairs = pod_pairs(shape, taper)
    if pairs is None or not _felt(pairs):
        return None
    copies = shape.request.copies
    today = (copies * shape.spines, copies * shape.cores)
    for word in ("auto", "even"):
        other = shape_of(replace(shape.request, even=SPINE_RULES[word]))
        found = pod_pairs(other, taper)
        if other.buildable and found is not None and not _felt(found):
            return pairs, today, (word, copies * other.spines, copies * other.cores)
    return pairs, today, None


def _felt(pairs: PodPairs) -> bool:
    return pairs.share < pairs.whole * (1 - rule_value("leaf-pairs-felt"))


@lru_cache(maxsize=64)
def _wiring(spec: FabricSpec) -> tuple[LeafPairs, int, tuple[str, int] | None] | None:
    """What leaf pairs share where that is not all, all spines, and the setting that cures it."""
    shape = _shape(spec)
    pairs = leaf_pairs(shape)
    if pairs is None or pairs.worst >= pairs.uplinks:
        return None
    copies = shape.request.copies
    for word in ("auto", "even"):
        other = shape_of(replace(shape.request, even=SPINE_RULES[word]))
        found = leaf_pairs(other)
        if other.buildable and found is not None and found.worst >= found.uplinks:
            return pairs, copies * shape.spines, (word, copies * other.spines)
    return pairs, copies * shape.spines, None


def _taper(evaluation: Evaluation) -> float:
    fabric = evaluation.fabric
    return float(fabric.oversubscription * fabric.core_oversubscription)


def _tapered_field(evaluation: Evaluation) -> str:
    """The setting that removes the taper; none where leaf and core are both tapered."""
    fabric = evaluation.fabric
    if fabric.oversubscription > 1 and fabric.core_oversubscription > 1:
        return ""
    at_the_leaf = fabric.oversubscription > 1
    return "network.oversubscription" if at_the_leaf else "network.core_oversubscription"


def hashed_paths(evaluation: Evaluation) -> Finding | None:
    """Hash collisions on equal-cost paths."""
    balance = float(evaluation.machine.balance_efficiency)
    if balance >= 1 or evaluation.fabric.tiers < 2:
        return None
    better = next(
        (
            key
            for key, other in load_catalog().transports.items()
            if other.technology == "ethernet" and other.balance_efficiency >= 1
        ),
        None,
    )
    return Finding(
        "hashed-paths",
        "warning",
        f"Flows hashed onto equal paths collide: collectives keep {balance:.0%} of the bandwidth "
        "that balanced paths give.",
        "Turn on adaptive routing, or use more queue pairs per connection.",
        "network.transport",
        better,
    )


def reduction_has_no_effect(evaluation: Evaluation) -> Finding | None:
    """SHARP asked for where nothing can use it."""
    network = evaluation.design.network
    if not network.in_network_reduction:
        return None
    transport = load_catalog().transports[network.transport]
    if not transport.in_network_reduction:
        sentence = f"{transport.name} has no in-network reduction."
    elif not any(
        entry.operation == "all-reduce" and entry.network_bytes_per_gpu > 0
        for entry in evaluation.traffic
    ):
        sentence = (
            "In-network reduction helps all-reduce only; this plan moves its gradients by "
            "reduce-scatter and all-gather."
        )
    else:
        return None
    return Finding(
        "reduction-has-no-effect",
        "note",
        sentence,
        "Switch it off, or use plain data parallelism (ddp).",
        "network.in_network_reduction",
        False,
    )


def stranded_ports(evaluation: Evaluation) -> Finding | None:
    """Switch ports paid for and not used."""
    fabric = evaluation.fabric
    ports = float(fabric.switches * fabric.radix)
    if ports <= 0 or float(fabric.stranded_ports) / ports <= rule_value("stranded-share-high"):
        return None
    return Finding(
        "stranded-ports",
        "note",
        f"{int(fabric.stranded_ports):,} of {int(ports):,} switch ports stay empty.",
        "They are room to grow; if none is planned, choose a switch with fewer ports.",
    )


def partly_filled_server(evaluation: Evaluation) -> Finding | None:
    """A GPU count that leaves a server partly used."""
    server = load_catalog().servers[evaluation.design.cluster.server]
    gpus = evaluation.design.cluster.gpus
    if gpus % server.gpus == 0:
        return None
    full = evaluation.servers * server.gpus
    return Finding(
        "partly-filled-server",
        "note",
        f"{gpus:,} of the {full:,} GPUs in {plural(evaluation.servers, 'server')} are used.",
        f"{full:,} GPUs fill them.",
        "cluster.gpus",
        full,
    )
