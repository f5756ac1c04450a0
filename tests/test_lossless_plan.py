"""The lossless class of a whole design."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netdesign.catalog import data_directory, load_catalog
from netdesign.catalog.switch_chips import switch_chips
from netdesign.design import default_design, read_design
from netdesign.errors import DesignError
from netdesign.evaluate import evaluate
from netdesign.lossless import LosslessChoice, lossless_plan
from netdesign.network.lossless.headroom import FORMULA, GIVEN, ROWS, WORST_CASE
from netdesign.network.lossless.remark import SEVERITIES

ETHERNET = "llama-3-70b-1024-h100-ethernet"
EVALUATION = evaluate(read_design(ETHERNET))


def plan(**choice):
    return lossless_plan(EVALUATION, LosslessChoice(**choice))


def codes(found):
    return {remark.code for remark in found.remarks}


def test_a_design_and_its_evaluation_give_the_same_plan():
    assert lossless_plan(EVALUATION.design) == lossless_plan(EVALUATION)


def test_lengths_chip_and_speed_are_those_of_the_design():
    found = plan()
    network = EVALUATION.design.network
    assert [(tier.name, tier.length) for tier in found.tiers] == [
        ("server to leaf", network.access_length_m),
        ("leaf to spine", network.spine_length_m),
    ]
    assert (found.chip.name, found.gbps) == ("Spectrum-4", 400)
    assert [(entry.role, entry.ports) for entry in found.switches] == [
        ("leaf", 128),
        ("spine", 128),
    ]
    assert found.tiers[0].headroom.xoff < found.tiers[1].headroom.xoff
    assert found.bandwidth_delay == pytest.approx(400e3)


def test_the_shipped_table_comes_out_of_the_shipped_settings():
    found = plan(access_length=40, spine_length=300, small_packet_share=1.0, lossless_mtu=1024)
    xoff = [tier.headroom.xoff for tier in found.tiers]
    assert xoff == pytest.approx([283_648, 677_888], abs=1024)
    published = [
        other.xoff for tier in found.tiers for other in tier.others if other.method == ROWS
    ]
    assert published == [283_648, 677_888]


def test_every_setting_can_be_replaced():
    base = plan()
    assert plan(traffic_class=104).traffic_class.dscp == 26
    assert plan(priorities=(4, 3)).priorities == (3, 4)
    assert plan(priorities=(3, 4)).switch("leaf").fit.groups == 256
    assert plan(headroom=5e5).tiers[0].headroom.method == GIVEN
    assert plan(headroom=5e5).switch("leaf").fit.needed == 128 * 5e5
    assert plan(marking="dcqcn-paper").marking.kmin == 5e3
    assert plan(oversubscribe=4).switch("leaf").fit.oversubscription == pytest.approx(4)
    assert plan(round_trip=16e-6).bandwidth_delay == pytest.approx(2 * base.bandwidth_delay)
    assert plan(method=ROWS).tiers[0].headroom.method == ROWS
    assert plan(profile="large-packets").tiers[0].headroom.xoff < 1e5
    assert plan(method=WORST_CASE, gbps=100).tiers[0].headroom.method == WORST_CASE
    assert (
        plan(port_mtu=1500, lossless_mtu=1024).tiers[0].headroom.xoff < base.tiers[0].headroom.xoff
    )
    assert plan(chip="Spectrum-3").tiers[0].headroom.method == FORMULA


def test_the_fit_of_tomahawk_5_is_oversubscribed_and_said():
    found = plan(chip="tomahawk-5", priorities=(3, 4), access_length=40, spine_length=40)
    leaf = found.switch("leaf").fit
    assert leaf.needed == 256 * 446_024
    assert leaf.oversubscription == pytest.approx(5.19, abs=0.01)
    remark = next(each for each in found.remarks if each.code == "headroom-oversubscribed")
    assert remark.severity == "note"
    assert "normal practice" in remark.sentence
    assert "5.19 times" in remark.sentence


def test_what_is_taken_marks_before_a_port_pauses():
    for chip in ("spectrum-4", "tomahawk-5", "tomahawk-4", "trident-4"):
        found = plan(chip=chip)
        assert found.marking.begins < found.mark_bound
        assert "marks-after-pause" not in codes(found)
    late = plan(marking="hpcc-artefact")
    assert "marks-after-pause" in codes(late)
    assert late.remarks[0].code in ("marks-after-pause", "adapter-maps-elsewhere")


def test_the_disagreement_is_shown():
    remark = next(each for each in plan().remarks if each.code == "recommendations-disagree")
    assert "5 kB and 1.6 MB" in remark.sentence
    assert "320 times" in remark.sentence


def test_adapters_and_classes():
    assert "adapter-maps-elsewhere" in codes(plan(traffic_class=160))
    assert "adapter-maps-elsewhere" not in codes(plan(traffic_class=104))
    assert "class-carries-ecn-bits" in codes(plan(traffic_class=41))
    fix = next(
        each.fix
        for each in plan(traffic_class=160).remarks
        if each.code == "adapter-maps-elsewhere"
    )
    assert "NCCL_IB_TC=96" in fix
    assert "adapter-maps-elsewhere" not in codes(plan(traffic_class=96))


def test_headroom_that_does_not_fit_is_an_error():
    found = plan(access_length=2000, spine_length=2000, priorities=(0, 1, 2, 3))
    assert found.remarks[0].code == "headroom-does-not-fit"
    assert {"many-lossless-priorities"} <= codes(found)
    mended = plan(access_length=2000, spine_length=2000, priorities=(0, 1, 2, 3), oversubscribe=20)
    assert "headroom-does-not-fit" not in codes(mended)


def test_a_chip_that_is_not_the_switchs_is_said():
    assert "ports-of-another-switch" in codes(plan(chip="tomahawk-5"))
    assert "ports-of-another-switch" not in codes(plan(chip="Spectrum-4"))
    assert "ports-of-another-switch" not in codes(plan())


def test_frames_and_headroom():
    assert "lossless-mtu-small" in codes(plan(lossless_mtu=1024))
    assert "port-mtu-small" in codes(plan(port_mtu=4096))
    assert "buffer-unknown" in codes(plan(chip="spectrum-6"))
    assert "headroom-unchecked" in codes(plan(chip="spectrum-5"))
    assert "headroom-interpolated" in codes(plan(chip="tomahawk-6"))


@pytest.mark.parametrize("chip", sorted(switch_chips(data_directory())))
def test_every_remark_names_a_source_that_we_hold(chip):
    for priorities in ((3,), (1, 2, 3)):
        found = plan(chip=chip, headroom=3e5, priorities=priorities, lossless_mtu=1024)
        for remark in found.remarks:
            assert remark.source in load_catalog().references, remark
            assert remark.severity in SEVERITIES


def test_infiniband_is_refused_unless_a_chip_is_named():
    with pytest.raises(DesignError, match="lossless by credits"):
        lossless_plan(default_design())
    assert lossless_plan(default_design(), LosslessChoice(chip="spectrum-4")).gbps == 400


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"chip": "silicon-one-g200"}, "no published headroom at 400 Gb/s"),
        ({"chip": "tomahawk-5", "access_length": 2000}, "at most 300 m"),
        ({"chip": "tomahawk-5", "gbps": 200}, "there are rows at 400, 800 Gb/s"),
        ({"chip": "nonsense"}, "is not a known switch chip"),
        ({"method": WORST_CASE}, "says nothing of Spectrum-4 at 400 Gb/s"),
        ({"profile": "nobody"}, "use shipped, large-packets"),
        (
            {"chip": "tomahawk-5", "profile": "nokia-h5-64o"},
            "says nothing of Tomahawk 5 at 400 Gb/s",
        ),
        ({"method": "guess"}, "use one of sonic-formula"),
        ({"marking": "guess"}, "use one of dcqcn-paper"),
        ({"priorities": (8,)}, "give 0 to 7"),
        ({"traffic_class": 300}, "is not a byte"),
        ({"small_packet_share": 1.5}, "give 0 to 1"),
        ({"access_length": -1}, "is out of range"),
        ({"lossless_mtu": float("nan")}, "is out of range"),
        ({"oversubscribe": 0.5}, "give 1 to 1,000"),
    ],
)
def test_what_cannot_be_planned_says_what_to_give(choice, words):
    with pytest.raises(DesignError, match=".") as caught:
        plan(**choice)
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_vendors_figure_is_taken_where_none_is_published():
    found = plan(chip="silicon-one-g200", headroom=3e5)
    assert {tier.headroom.method for tier in found.tiers} == {GIVEN}


@settings(
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    chip=st.sampled_from(sorted(switch_chips(data_directory()))),
    length=st.floats(0.5, 280),
    share=st.floats(0, 1),
    priorities=st.sets(st.integers(0, 7), min_size=1),
    over=st.floats(1, 50),
)
def test_a_plan_adds_up_or_is_refused_in_words(chip, length, share, priorities, over):
    chosen = LosslessChoice(
        chip=chip,
        access_length=length,
        spine_length=length,
        small_packet_share=share,
        priorities=tuple(priorities),
        oversubscribe=over,
    )
    if chip == "silicon-one-g200":
        with pytest.raises(DesignError, match="no published headroom"):
            lossless_plan(EVALUATION, chosen)
        return
    found = lossless_plan(EVALUATION, chosen)
    for switch in found.switches:
        if switch.fit is None:
            continue
        assert switch.fit.pool + switch.fit.kept + switch.fit.shared == pytest.approx(
            switch.fit.buffer
        )
        assert ("headroom-does-not-fit" in codes(found)) >= (not switch.fit.fits)
        if switch.fit.fits:
            assert 0 < switch.mark_bound <= switch.pause_bound <= switch.fit.shared


# Families that a design can have, with the ports of one of its leaves counted on the built graph.
@pytest.mark.parametrize("family", ["single-switch", "fat-tree", "rail-optimised", "rail-only"])
@pytest.mark.parametrize("gpus", [64, 1024])
def test_ports_of_a_switch_are_those_of_the_built_fabric(family, gpus):
    import numpy as np

    from netdesign.fabrics import spec_of
    from netdesign.topology.families import build

    design = EVALUATION.design.with_values({"network.family": family, "cluster.gpus": gpus})
    evaluation = evaluate(design)
    if not evaluation.fabric.buildable:
        assert (family, gpus) == ("single-switch", 1024)
        return
    found = lossless_plan(evaluation)
    fabric = build(spec_of(evaluation))
    links = np.concatenate([fabric.a, fabric.b])
    degree = np.bincount(links, minlength=fabric.hosts + fabric.switches)[fabric.hosts :]
    assert found.switch("leaf").ports in degree.tolist()
    assert max(entry.ports for entry in found.switches) == degree.max()
