"""The medium of a link and the modules in its cages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.topology.media import link_medium, transceivers_needed

MEDIA = tuple(load_catalog().link_media.values())


@pytest.mark.parametrize(
    ("length", "use", "kind"),
    [
        (1.5, "fabric", "dac"),
        (4, "fabric", "active-copper"),
        (20, "fabric", "optics-multimode"),
        (80, "fabric", "optics-singlemode"),
        (400, "fabric", "optics-singlemode"),
        (2.5, "host", "dac"),
        (30, "host", "optics-multimode"),
    ],
)
def test_reach_decides_400g(length, use, kind):
    medium = link_medium(MEDIA, 400, length, use)
    assert medium is not None
    assert medium.kind == kind
    assert medium.reach_m >= length


def test_a_server_with_twin_port_cages_gets_twin_port_modules():
    twin = link_medium(MEDIA, 400, 30, "host", twin_port_cages=True)
    single = link_medium(MEDIA, 400, 30, "host", twin_port_cages=False)
    assert (twin.host_end_ports, single.host_end_ports) == (2, 1)


def test_what_nothing_reaches_is_none():
    assert link_medium(MEDIA, 400, 100_000, "fabric") is None
    assert link_medium(MEDIA, 123, 1, "fabric") is None
    assert link_medium((), 400, 1, "host") is None


def test_a_kind_can_be_asked_for():
    medium = link_medium(MEDIA, 400, 2, "fabric", kind="optics-singlemode")
    assert medium.kind == "optics-singlemode"
    assert link_medium(MEDIA, 400, 40, "fabric", kind="dac") is None


@settings(deadline=None)
@given(st.floats(0.5, 3000), st.floats(0.5, 3000))
def test_longer_links_never_get_a_shorter_reach(first, second):
    near, far = sorted((first, second))
    for use in ("host", "fabric"):
        long = link_medium(MEDIA, 400, far, use)
        if long is not None:
            assert link_medium(MEDIA, 400, near, use).reach_m <= long.reach_m


# SuperPOD H100, 127 servers: 508 modules in servers, 512 + 512 + 512 in 32 leaves and 16 spines.
@pytest.mark.parametrize(
    ("links", "devices", "modules"), [(1016, 127, 508), (1016, 32, 512), (1024, 32, 512)]
)
def test_twin_port_cages_of_a_superpod(links, devices, modules):
    assert transceivers_needed(links, 2, devices) == modules


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(1, 500))
def test_modules_cover_their_links(links, ports, devices):
    modules = transceivers_needed(links, ports, devices)
    assert modules * ports >= links
    assert modules <= -(-links // ports) + devices
    assert transceivers_needed(links, 1, devices) == links
    assert transceivers_needed(links, 0, devices) == 0


def test_modules_of_arrays_equal_loops():
    links = np.array([0, 7, 1016])
    together = transceivers_needed(links, 2, 32)
    assert together.tolist() == [transceivers_needed(int(count), 2, 32) for count in links]
