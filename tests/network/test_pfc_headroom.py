"""Headroom against the tables that ship with switches, and the laws that any headroom follows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.catalog import data_directory, load_catalog
from netdesign.catalog.switch_chips import (
    chip_named,
    dcqcn_rows,
    ecn_rows,
    headroom_rows,
    lossless_rows,
    pause_rows,
    switch_chips,
)
from netdesign.errors import DesignError
from netdesign.network.lossless.headroom import (
    Medium,
    PacketMix,
    WorstCaseFrames,
    bytes_on_cable,
    cell_expansion,
    formula_headroom,
    no_headroom,
    rows_headroom,
    sonic_xoff,
    worst_case,
    worst_case_headroom,
)

FOLDER = data_directory()
CHIPS, ROWS, PAUSES = switch_chips(FOLDER), headroom_rows(FOLDER), pause_rows(FOLDER)
LIGHT = 1.98e8
# The shipped tables are made for frames of 1,024 B and nothing but packets of 64 B.
SHIPPED_MIX = PacketMix(port_mtu=9100, lossless_mtu=1024, small_share=1.0)
SHIPPED = [row for row in ROWS if row.profile == "shipped" and CHIPS[row.chip].has_formula]


def shown(row):
    return f"{row.chip}-{row.gbps}g-{row.length_m:g}m"


def by_formula(row, **more):
    return formula_headroom(
        CHIPS[row.chip],
        PAUSES[row.gbps],
        row.gbps,
        Medium(row.length_m, LIGHT),
        SHIPPED_MIX,
        **more,
    )


@pytest.mark.parametrize("row", SHIPPED, ids=shown)
def test_the_formula_gives_every_shipped_row_to_one_kib(row):
    assert by_formula(row).xoff - row.xoff_bytes in (-1024, 0)


def test_there_are_78_shipped_rows_and_54_are_exact():
    exact = [by_formula(row).xoff == row.xoff_bytes for row in SHIPPED]
    assert (len(exact), sum(exact)) == (78, 54)
    counted = {
        chip: sum(by_formula(row).xoff == row.xoff_bytes for row in SHIPPED if row.chip == chip)
        for chip in ("spectrum", "spectrum-2", "spectrum-3", "spectrum-4")
    }
    assert counted == {"spectrum": 11, "spectrum-2": 13, "spectrum-3": 15, "spectrum-4": 15}


# Read in the vendors' files, the figures that the compilation prints.
@pytest.mark.parametrize(
    ("chip", "profile", "gbps", "length", "xoff"),
    [
        ("spectrum", "shipped", 100, 300, 104_448),
        ("spectrum-3", "shipped", 200, 40, 55_296),
        ("spectrum-3", "shipped", 400, 5, 38_912),
        ("spectrum-4", "shipped", 400, 300, 677_888),
        ("spectrum-4", "shipped", 800, 40, 362_496),
        ("spectrum-4", "large-packets", 400, 40, 104_448),
        ("spectrum-4", "large-packets", 800, 300, 411_648),
        ("tomahawk-5", "dell-z9864f", 400, 40, 446_024),
        ("tomahawk-5", "dell-z9864f", 800, 300, 1_621_536),
        ("tomahawk-5", "nokia-h5-64o", 800, 5, 572_516),
        ("tomahawk-5", "arista-7060x6-b-o128", 400, 40, 445_770),
        ("tomahawk-6", "nokia-h6", 800, 300, 1_239_840),
        ("teralynx-10", "marvell", 800, 40, 285_312),
        ("jericho-2c-plus", "arista-7280r3a", 400, 1000, 778_240),
        ("jericho-2c-plus", "arista-7280r3a", 400, 80_000, 53_305_344),
    ],
)
def test_a_published_row_comes_back_as_it_is(chip, profile, gbps, length, xoff):
    found = rows_headroom(CHIPS[chip], ROWS, gbps, length, profile)
    assert found.xoff == xoff
    assert found.grade == "verified"


def test_full_sizes_of_the_shipped_table():
    sizes = {
        (row.gbps, row.length_m): (row.size_bytes, row.xon_bytes)
        for row in SHIPPED
        if row.chip == "spectrum-4"
    }
    assert sizes[400, 5] == (250_880, 19_456)
    assert sizes[800, 5] == (304_128, 38_912)
    row = next(
        row for row in SHIPPED if (row.chip, row.gbps, row.length_m) == ("spectrum-4", 400, 5)
    )
    found = by_formula(row)
    assert (found.xon, found.size - found.xoff) == (19_456, 19_456)
    assert by_formula(row, lanes=8).xon == 38_912
    assert by_formula(row, lanes=8).size == found.xoff + 38_912 + 9216
    assert by_formula(row, shared_pool=True).size == 19_456


def test_wide_ports_keep_twice_as_the_shipped_rows_do():
    for row in SHIPPED:
        lanes = CHIPS[row.chip].lanes(row.gbps)
        found = by_formula(row, lanes=lanes)
        assert found.xon == pytest.approx(row.xon_bytes, abs=1024)
        assert found.size == pytest.approx(row.size_bytes, abs=3072)
    assert CHIPS["spectrum-3"].lanes(400) == CHIPS["spectrum-4"].lanes(800) == 8
    assert CHIPS["spectrum-4"].lanes(400) == 4


def test_the_headroom_says_what_it_is_made_of():
    row = next(
        row for row in SHIPPED if (row.chip, row.gbps, row.length_m) == ("spectrum-4", 400, 40)
    )
    said = by_formula(row).how
    for words in ("20,202 B on the cable", "57,920 B while the peer reacts", "all 3.00 times"):
        assert words in said


def test_one_port_and_cable_differ_many_times_between_chips():
    sizes = [row.xoff_bytes for row in ROWS if (row.gbps, row.length_m) == (400, 40)]
    assert max(sizes) / min(sizes) > 4


def test_the_worst_case_of_the_standard():
    # 100G, 100 m, 9,216 B: 73,888 x 2 + 672 + 2 x 122,880 + 100,000 + 201,728 bits.
    frames = WorstCaseFrames(mtu=9216, frame_overhead=160, pause_frame=672, cable_delay=5e-9)
    found = worst_case(PAUSES[100], 100, 100, frames)
    assert found.xoff == pytest.approx(86_992)
    assert worst_case_headroom(
        100,
        12.5e9,
        201_728,
        122_880,
        mtu=9216,
        frame_overhead=160,
        pause_frame=672,
        cable_delay=5e-9,
    ) == pytest.approx(86_992)


def test_the_worst_case_says_nothing_where_the_delays_are_unknown():
    frames = WorstCaseFrames(9216, 160, 672, 5e-9)
    assert worst_case(PAUSES[400], 400, 100, frames) is None
    assert worst_case(None, 30, 100, frames) is None


def test_quanta_of_the_standard():
    quanta = {10: 67, 25: 80, 40: 118, 50: 147, 100: 394, 200: 453, 400: 905, 800: 905}
    assert {gbps: row.quanta for gbps, row in PAUSES.items()} == quanta
    assert PAUSES[400].peer_bytes == 57_920
    # The response of the worst case is the quanta times 512, but at 10G.
    for gbps in (25, 40, 100, 400):
        assert PAUSES[gbps].response_bit_times == 512 * quanta[gbps]


def test_pieces_of_the_formula():
    assert bytes_on_cable(99, 50e9, LIGHT) == pytest.approx(50_000)
    assert cell_expansion(192) == 3
    assert cell_expansion(96) == pytest.approx(192 / 97)
    assert cell_expansion(128) == pytest.approx(256 / 129)
    np.testing.assert_allclose(cell_expansion(np.array([144, 256])), [2.25, 4.0])


def test_a_gearbox_is_passed_both_ways():
    plain = {"port_mtu": 9100, "lossless_mtu": 1024, "small_share": 0.0}
    without = sonic_xoff(0.0, 0.0, 0.0, 192, **plain)
    with_one = sonic_xoff(0.0, 0.0, 0.0, 192, gearbox=5 * 1024, **plain)
    assert with_one - without == 2 * 5 * 1024


def test_the_formula_broadcasts():
    lengths = np.array([5.0, 40.0, 300.0])
    found = sonic_xoff(
        bytes_on_cable(lengths, 100e9, LIGHT), 57_920, 0.8 * 1024, 192,
        port_mtu=9100, lossless_mtu=1024, small_share=1.0, line_rate_delay=12_000,
    )  # fmt: skip
    assert found.shape == (3,)
    np.testing.assert_allclose(found, [257_024, 362_496, 1_150_976], atol=1024)


@settings(deadline=None, derandomize=True, max_examples=80)
@given(
    row=st.sampled_from(SHIPPED),
    longer=st.floats(0, 500),
    share=st.floats(0, 1),
    more=st.floats(0, 0.5),
)
def test_longer_cables_and_smaller_packets_never_need_less(row, longer, share, more):
    chip, pause = CHIPS[row.chip], PAUSES[row.gbps]
    mix = PacketMix(9100, 4096, share)
    smaller = PacketMix(9100, 4096, min(1.0, share + more))
    base = formula_headroom(chip, pause, row.gbps, Medium(row.length_m, LIGHT), mix)
    far = formula_headroom(chip, pause, row.gbps, Medium(row.length_m + longer, LIGHT), mix)
    fine = formula_headroom(chip, pause, row.gbps, Medium(row.length_m, LIGHT), smaller)
    slow = formula_headroom(chip, pause, row.gbps, Medium(row.length_m, LIGHT), mix, slow_peer=True)
    assert base.xoff % 1024 == 0
    assert far.xoff >= base.xoff
    assert fine.xoff >= base.xoff
    if row.gbps >= 40:  # below, the fixed time is longer than the quanta
        assert slow.xoff >= base.xoff


@settings(deadline=None, derandomize=True, max_examples=80)
@given(row=st.sampled_from(ROWS), share=st.floats(0, 1))
def test_between_rows_headroom_is_between_theirs(row, share):
    chip = CHIPS[row.chip]
    others = [
        other
        for other in ROWS
        if (other.chip, other.profile, other.gbps) == (row.chip, row.profile, row.gbps)
    ]
    other = others[-1]
    length = row.length_m + share * (other.length_m - row.length_m)
    found = rows_headroom(chip, ROWS, row.gbps, length, row.profile)
    sizes = [each.xoff_bytes for each in others]
    assert min(sizes) <= found.xoff <= max(sizes)


def test_interpolation_says_so_and_stops_where_the_rows_stop():
    chip = CHIPS["tomahawk-5"]
    middle = rows_headroom(chip, ROWS, 400, 22.5)
    assert middle.xoff == pytest.approx((393_192 + 446_024) / 2)
    assert middle.grade == "computed"
    assert "between the published rows" in middle.how
    shortest = rows_headroom(chip, ROWS, 400, 1)
    assert shortest.xoff == 393_192
    assert "shortest" in shortest.how
    assert rows_headroom(chip, ROWS, 400, 301) is None
    assert rows_headroom(chip, ROWS, 200, 40) is None


def test_where_nothing_is_published_it_says_what_to_give():
    assert rows_headroom(CHIPS["silicon-one-g200"], ROWS, 400, 30) is None
    error = no_headroom(CHIPS["silicon-one-g200"], ROWS, 400, 30)
    assert "no published headroom at 400 Gb/s" in str(error)
    far = no_headroom(CHIPS["tomahawk-5"], ROWS, 400, 900)
    assert "at most 300 m" in str(far)
    speed = no_headroom(CHIPS["tomahawk-5"], ROWS, 200, 30)
    assert "there are rows at 400, 800 Gb/s" in str(speed)


def test_a_chip_is_found_by_id_and_by_name():
    assert chip_named(CHIPS, "Tomahawk 5") is CHIPS["tomahawk-5"]
    assert chip_named(CHIPS, "tomahawk-5") is CHIPS["tomahawk-5"]
    with pytest.raises(DesignError, match="is not a known switch chip; use one of"):
        chip_named(CHIPS, "Tomahawk 9")


def test_every_row_names_a_source_that_we_hold():
    tables = (
        CHIPS.values(),
        PAUSES.values(),
        ROWS,
        ecn_rows(FOLDER).values(),
        dcqcn_rows(FOLDER),
        lossless_rows(FOLDER).values(),
    )
    sources = {row.source for table in tables for row in table}
    assert sources <= set(load_catalog().references)


def test_chips_of_ethernet_switches_are_known_or_have_none_published():
    named = {chip.name for chip in CHIPS.values()}
    unknown = {
        switch.asic
        for switch in load_catalog().switches.values()
        if switch.technology == "ethernet" and switch.asic not in named
    }
    assert unknown == {""}
