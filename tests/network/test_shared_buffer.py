"""Headroom against the buffer of a switch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.catalog import data_directory
from netdesign.catalog.switch_chips import switch_chips
from netdesign.network.lossless.headroom import Headroom
from netdesign.network.lossless.shared_buffer import (
    PortGroup,
    buffer_per_port,
    dynamic_threshold,
    fit,
    headroom_oversubscription,
    length_that_fills,
)


def headroom(xoff: float, xon: float = 0.0, size: float | None = None, *, shared: bool = False):
    kept = xoff + xon if size is None else size
    return Headroom("given", xoff, xon, kept, None, "given", "", "by hand", shares_pool=shared)


def test_tomahawk_5_as_128_ports_of_400g_is_oversubscribed_five_times():
    chip = switch_chips(data_directory())["tomahawk-5"]
    assert 128 * 2 * 445_770 == 114_117_120
    assert headroom_oversubscription(128, 2, 445_770, 22.0e6) == pytest.approx(5.19, abs=0.005)
    groups = [PortGroup("all", 128, headroom(445_770, size=18_796, shared=True))]
    found = fit(groups, 2, chip.buffer_bytes, pool=chip.headroom_pool_bytes)
    assert found.groups == 256
    assert found.needed == 114_117_120
    assert found.oversubscription == pytest.approx(5.19, abs=0.01)
    assert found.fits
    assert found.shared == pytest.approx(164_505_640 - 22_010_624 - 256 * 18_796)


def test_a_threshold_that_follows_what_is_left():
    assert dynamic_threshold(100e6, 1.0, 1) == 50e6
    assert dynamic_threshold(100e6, 8.0, 1) == pytest.approx(100e6 * 8 / 9)
    np.testing.assert_allclose(dynamic_threshold(100e6, 1.0, np.array([1, 3])), [50e6, 25e6])


def test_what_a_group_keeps_beside_its_headroom():
    dedicated = fit([PortGroup("all", 10, headroom(1e5, xon=2e4))], 2, 1e8)
    assert (dedicated.needed, dedicated.kept) == (20 * 1e5, 20 * 2e4)
    pooled = fit([PortGroup("all", 10, headroom(1e5, size=8e3, shared=True))], 2, 1e8, pool=1e6)
    assert (pooled.pool, pooled.kept, pooled.oversubscription) == (1e6, 20 * 8e3, 2.0)


def test_headroom_that_does_not_fit_is_not_hidden():
    found = fit([PortGroup("all", 64, headroom(1e6))], 1, 50e6)
    assert not found.fits
    assert found.shared < 0
    assert found.shared_share == 0
    shared = fit(
        [PortGroup("all", 64, headroom(1e6, size=0, shared=True))], 1, 50e6, oversubscribe=4
    )
    assert shared.fits
    assert shared.oversubscription == pytest.approx(4)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    ports=st.integers(1, 256),
    priorities=st.integers(1, 8),
    xoff=st.floats(1e3, 1e6),
    xon=st.floats(0, 1e5),
    buffer=st.floats(1e7, 1e9),
    over=st.floats(1, 20),
)
def test_nothing_of_the_buffer_is_lost_or_made(ports, priorities, xoff, xon, buffer, over):
    found = fit(
        [PortGroup("all", ports, headroom(xoff, xon))], priorities, buffer, oversubscribe=over
    )
    assert found.pool + found.kept + found.shared == pytest.approx(buffer)
    assert found.needed == pytest.approx(over * found.pool)
    assert found.fits == (found.shared > 0)


def test_buffer_of_a_port_and_the_cable_that_fills_it():
    assert buffer_per_port(164.5e6, 128) == pytest.approx(1.285e6, rel=1e-3)
    # 16 MB at 400 Gb/s: 320 us there and back, 32 km.
    assert length_that_fills(16e6, 50e9, 1.98e8) == pytest.approx(31_680)
