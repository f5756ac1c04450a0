"""A torus of cubes as it is cabled, through optical circuit switches."""

from __future__ import annotations

import numpy as np
import pytest

from netdesign.errors import DesignError
from netdesign.topology.circuits import build_torus_cables
from netdesign.topology.spec import FabricSpec
from netdesign.topology.torus import build_torus


# TPU v4 (Jouppi 2023): 64 cubes of 4x4x4 with 96 optical links each, 48 circuit switches.
def test_a_pod_of_4096_chips():
    fabric = build_torus_cables(FabricSpec("torus", dims=(16, 16, 16), cube=4))
    assert fabric.switches == 48
    assert fabric.links_of("optical") == 64 * 96
    switch_ports = np.bincount(fabric.b[fabric.kind == 3] - fabric.hosts)
    assert switch_ports.tolist() == [128] * 48
    assert [fabric.links_of(f"dim{axis}") for axis in (1, 2, 3)] == [64 * 48] * 3


@pytest.mark.parametrize(
    ("dims", "twist"), [((4, 4, 8), False), ((4, 4, 8), True), ((8, 8), False)]
)
def test_circuits_join_what_the_torus_joins(dims, twist):
    spec = FabricSpec("torus", dims=dims, cube=4, twist=twist)
    torus, cabled = build_torus(spec), build_torus_cables(spec)
    optical = cabled.kind == len(dims)
    half = np.count_nonzero(optical) // 2
    ends = cabled.a[optical].reshape(2, half)
    switches = cabled.b[optical].reshape(2, half)
    assert np.array_equal(switches[0], switches[1])
    logical = {(int(a), int(b)) for a, b in zip(torus.a, torus.b, strict=True)}
    inside = {(int(a), int(b)) for a, b in zip(cabled.a[~optical], cabled.b[~optical], strict=True)}
    assert {(int(a), int(b)) for a, b in ends.T} | inside == logical
    port = cabled.a.astype(np.int64) * 100 + cabled.a_slot
    assert len(np.unique(port[optical])) == 2 * half


def test_without_whole_cubes_there_are_no_circuits():
    with pytest.raises(DesignError, match="whole cubes"):
        build_torus_cables(FabricSpec("torus", dims=(6, 4, 4), cube=4))
