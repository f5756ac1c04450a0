"""Clos fabrics: what the formulas count is what is built, and what is built can be cabled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from netdesign.errors import DesignError
from netdesign.topology.counting import count
from netdesign.topology.families import build, size
from netdesign.topology.metrics import oversubscription_by_leaf
from netdesign.topology.sizing import size_fabric
from netdesign.topology.spec import FabricSpec

FAMILY = st.sampled_from(["fat-tree", "rail-optimised", "rail-only", "multi-plane"])
RADIX = st.integers(2, 40).map(lambda half: 2 * half)
TAPER = st.sampled_from([1.0, 1.0, 0.5, 1.5, 2.0, 3.0, 7.0])
MACHINE = st.sampled_from([(8, 8, 8), (4, 4, 8), (4, 4, 72), (72, 4, 72), (8, 2, 8), (1, 1, 1)])
MOST_LINKS = 40_000


@st.composite
def specs(draw):
    gpus, rails, domain = draw(MACHINE)
    family = draw(FAMILY)
    machine = max(gpus, domain)
    taper = draw(TAPER)
    radix = draw(RADIX)
    assume(taper <= radix - 5)
    return FabricSpec(
        family=family,
        endpoints=draw(st.integers(1, 60)) * machine,
        radix=radix,
        port_gbps=800.0,
        endpoint_gbps=draw(st.sampled_from([None, None, 400.0, 200.0])),
        tiers=draw(st.sampled_from([None, None, 2, 3])),
        oversubscription=taper,
        core_oversubscription=draw(st.sampled_from([1.0, 1.0, 2.0, 0.5])),
        rails=None if family == "fat-tree" else rails,
        planes=draw(st.sampled_from([None, 2, 4])) if family == "multi-plane" else None,
        gpus_per_server=gpus,
        domain=domain,
        spread_evenly=draw(st.sampled_from([None, True, False])),
        unit_servers=draw(st.sampled_from([None, None, 8, 24])) if domain == gpus else None,
        dual_tor=draw(st.booleans()) and family in ("fat-tree", "rail-optimised"),
        spare_ports=draw(st.sampled_from([0, 0, 0, 2])),
    )


@settings(max_examples=500)
@given(specs())
def test_the_formulas_count_what_is_built(spec):
    counts = size(spec)
    if not counts.buildable:
        assert counts.reason.endswith(".")
        with pytest.raises(DesignError):
            build(spec)
        return
    assume(sum(counts.links.values()) < MOST_LINKS)
    fabric = build(spec)
    built = count(fabric)
    for field in ("switches", "links", "link_gbps"):
        expected = {
            name: n for name, n in getattr(counts, field).items() if counts_of(counts, name)
        }
        found = {name: n for name, n in getattr(built, field).items() if counts_of(counts, name)}
        assert found == expected
    for field in ("transceivers", "stranded_ports", "diameter"):
        assert getattr(built, field) == getattr(counts, field), field
    loads = oversubscription_by_leaf(fabric)
    fullest = np.max(
        loads.down_gbps[loads.up_gbps > 0] / loads.up_gbps[loads.up_gbps > 0], initial=0
    )
    assert fullest <= counts.oversubscription + 1e-9


def counts_of(counts, name):
    return {**counts.switches, **counts.links}.get(name, 0)


@settings(max_examples=300)
@given(specs())
def test_every_cable_has_ports_of_its_own(spec):
    counts = size(spec)
    assume(counts.buildable and sum(counts.links.values()) < MOST_LINKS)
    fabric = build(spec)
    device = np.concatenate([fabric.a, fabric.b]).astype(np.int64)
    slot = np.concatenate([fabric.a_slot, fabric.b_slot])
    width = np.array([kind.slots for kind in fabric.kinds])[np.tile(fabric.kind, 2)]
    taken = np.concatenate(
        [device[width > more] * 10_000_000 + slot[width > more] + more for more in range(4)]
    )
    switch = device >= fabric.hosts
    host_ends = ~switch
    assert len(np.unique(taken[taken // 10_000_000 >= fabric.hosts])) == np.sum(width[switch])
    ends = device[host_ends] * 10_000_000 + slot[host_ends]
    assert len(np.unique(ends)) == len(ends) == counts.host_links
    assert np.all(slot[host_ends] < fabric.host_ports)
    room = (fabric.ports - fabric.spare_ports) * fabric.breakout
    last = slot[switch] + width[switch]
    assert np.all(last <= room[device[switch] - fabric.hosts])


@settings(max_examples=200)
@given(specs())
def test_a_leaf_meets_the_spines_above_it_evenly(spec):
    counts = size(spec)
    assume(counts.buildable and counts.links["leaf_spine"])
    assume(sum(counts.links.values()) < MOST_LINKS)
    fabric = build(spec)
    up = fabric.kind == 1
    pairs, parallel = np.unique(
        fabric.a[up].astype(np.int64) * fabric.devices + fabric.b[up], return_counts=True
    )
    leaf = pairs // fabric.devices
    for one in np.unique(leaf)[:50]:
        of_leaf = parallel[leaf == one]
        assert of_leaf.max() - of_leaf.min() <= 1


@settings(max_examples=200)
@given(
    st.sampled_from(["single-switch", "fat-tree-2", "fat-tree-3", "rail-optimised", "rail-only"]),
    st.integers(1, 500),
    RADIX,
    TAPER,
    st.sampled_from([1.0, 2.0]),
    st.sampled_from([None, True, False]),
)
def test_sliders_and_built_fabrics_count_alike(family, servers, radix, taper, core, even):
    assume(taper <= radix - 1)
    broad = size_fabric(
        family,
        servers=servers,
        ports_per_server=8,
        gpus_per_server=8,
        radix=radix,
        oversubscription=taper,
        core_oversubscription=core,
        even_spread=even,
    )
    assume(broad.buildable)
    counts = size(
        FabricSpec(
            family={"fat-tree-2": "fat-tree", "fat-tree-3": "fat-tree"}.get(family, family),
            endpoints=8 * servers,
            radix=radix,
            tiers=int(broad.tiers),
            oversubscription=taper,
            core_oversubscription=core,
            gpus_per_server=8,
            spread_evenly=even,
        )
    )
    assert counts.buildable
    assert (counts.switches["leaf"], counts.switches["spine"], counts.switches["core"]) == (
        broad.leaves,
        broad.spines,
        broad.cores,
    )
    assert tuple(counts.links.values()) == (
        broad.access_links,
        broad.leaf_spine_links,
        broad.spine_core_links,
    )
    assert counts.stranded_ports == broad.stranded_ports
    assert counts.oversubscription == pytest.approx(float(broad.oversubscription))
