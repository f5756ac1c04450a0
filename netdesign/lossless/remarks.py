"""What a planner should know about a lossless plan, with the number that would mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from netdesign import units
from netdesign.lossless.choice import number
from netdesign.network.lossless.ecn import disagreement
from netdesign.network.lossless.headroom import FORMULA, ROWS
from netdesign.network.lossless.remark import Remark, worst_first
from netdesign.order import parts_of

if TYPE_CHECKING:
    from netdesign.lossless.plan import LosslessPlan


def remarks_of(plan: LosslessPlan) -> tuple[Remark, ...]:
    """Every remark, worst first."""
    return worst_first([remark for rule in RULES for remark in rule(plan)])


def size_words(size: float) -> str:
    """Bytes as a person writes them: 86.9 kB, 22.0 MB."""
    for unit, step in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(size) >= step:
            return f"{size / step:,.4g} {unit}"
    return f"{size:,.0f} B"


def _does_not_fit(plan: LosslessPlan) -> Iterator[Remark]:
    for switch in plan.switches:
        if switch.fit is not None and not switch.fit.fits:
            least = switch.fit.needed / max(switch.fit.buffer - switch.fit.kept, 1.0)
            yield Remark(
                "headroom-does-not-fit",
                "error",
                f"a {switch.role} needs {size_words(switch.fit.needed)} of headroom and has "
                f"{size_words(switch.fit.buffer)} of buffer: nothing is left for traffic",
                f"share the headroom more than {least:.1f} times, shorten the cables or make "
                "fewer priorities lossless",
                "fabric-economics",
                switch.role,
                plan.chip.grade,
            )


def _oversubscribed(plan: LosslessPlan) -> Iterator[Remark]:
    for switch in plan.switches:
        if switch.fit is None or not switch.fit.fits or switch.fit.oversubscription <= 1:
            continue
        times = switch.fit.oversubscription
        yield Remark(
            "headroom-oversubscribed",
            "note",
            f"the {switch.fit.groups} lossless groups of a {switch.role} may ask for "
            f"{size_words(switch.fit.needed)} of headroom and share {size_words(switch.fit.pool)}: "
            f"{times:.2f} times as much. This is normal practice, because not every group pauses "
            f"at once; when more than {1 / times:.0%} of them do, packets are lost",
            "keep it in mind when drops show on a lossless class; fewer lossless priorities or "
            "shorter cables lower it",
            "sonic-buildimage",
            switch.role,
            plan.chip.grade,
        )


def _buffer_unknown(plan: LosslessPlan) -> Iterator[Remark]:
    if plan.chip.buffer_mb is None:
        yield Remark(
            "buffer-unknown",
            "warning",
            f"the buffer of {plan.chip.name} is not published: whether the headroom fits and "
            "whether marking comes before pausing is not checked",
            "ask the vendor for the buffer that software may give out",
            "netdesign-judgement",
            "",
            "assumed",
        )


def _chip_is_another(plan: LosslessPlan) -> Iterator[Remark]:
    switch = parts_of(plan.design).switch
    if plan.choice.chip and switch.asic != plan.chip.name:
        yield Remark(
            "ports-of-another-switch",
            "note",
            f"the ports are those of the {switch.name} of the design, and the chip is "
            f"{plan.chip.name}, by choice",
            "choose a switch with this chip in the design",
            "netdesign-judgement",
            "",
            "assumed",
        )


def _marks_late(plan: LosslessPlan) -> Iterator[Remark]:
    begins, bound = plan.marking.begins, plan.mark_bound
    if bound is None or begins < bound:
        return
    alone = min(entry.pause_alone or 0.0 for entry in plan.switches)
    certain = begins >= alone
    yield Remark(
        "marks-after-pause",
        "error" if certain else "warning",
        f"{plan.marking.name} begins to mark at {size_words(begins)}, and a port pauses from "
        f"{size_words(max(bound, 0.0))} when all groups fill at once"
        + (
            f", from {size_words(alone)} even alone"
            if certain
            else f"; alone it has {size_words(alone)}"
        ),
        f"begin to mark below {size_words(max(bound, 0.0))}",
        "dcqcn-2015",
        plan.marking.id,
        "recalled",
    )


def _recommendations_disagree(plan: LosslessPlan) -> Iterator[Remark]:
    low, high = disagreement(plan.markings)
    yield Remark(
        "recommendations-disagree",
        "note",
        f"named recommendations begin to mark between {size_words(low)} and {size_words(high)} at "
        f"{plan.gbps:g} Gb/s, {high / low:,.0f} times apart; {size_words(plan.bandwidth_delay)} "
        f"are under way in {units.seconds_to_microseconds(plan.settings.round_trip):g} us",
        f"taken here: {plan.marking.name}; measure with your own collectives before you trust one",
        plan.marking.source,
        "",
        plan.marking.grade,
    )


def _timers_matter(plan: LosslessPlan) -> Iterator[Remark]:
    timers = [units.seconds_to_microseconds(entry.alpha_timer) for entry in plan.senders]
    names = " and ".join(
        f"{entry.name} {units.seconds_to_microseconds(entry.alpha_timer):g}/"
        f"{units.seconds_to_microseconds(entry.decrease_timer):g}/"
        f"{units.seconds_to_microseconds(entry.increase_timer):g} us"
        for entry in plan.senders
    )
    yield Remark(
        "timers-belong-to-thresholds",
        "note",
        f"DCQCN of the adapters differs as much: {names}, {max(timers) / min(timers):.0f} times in "
        "the first timer; thresholds without timers are half a configuration",
        "write down both, and keep them the same on every host",
        "hpcc-artefact",
    )


def _without_dcqcn(plan: LosslessPlan) -> Iterator[Remark]:
    yield Remark(
        "pause-alone-can-do",
        "note",
        "one operator ran 400G for over a year with PFC and without DCQCN: a fabric of one job, "
        "deep buffers in the spine and admission by the receiver in the library",
        "do not take it over to a fabric that storage shares",
        "meta-sigcomm-2024",
        "",
        "secondary",
    )


def _headroom_is_uncertain(plan: LosslessPlan) -> Iterator[Remark]:
    for tier in plan.tiers:
        taken = tier.headroom
        if taken.method == ROWS and taken.grade == "computed":
            yield Remark(
                "headroom-interpolated",
                "note",
                f"{tier.name}, {tier.length:g} m: {taken.how}; {plan.chip.name} has no published "
                "formula",
                "let the vendor confirm the figure for this length",
                taken.source,
                tier.name,
                taken.grade,
            )
        if taken.method == FORMULA and not plan.chip.rows_profile:
            yield Remark(
                "headroom-unchecked",
                "note",
                f"{tier.name}: the formula of {plan.chip.name} could not be compared with "
                "published rows",
                "compare with the headroom that the switch itself computes",
                taken.source,
                tier.name,
                taken.grade,
            )


def _methods_disagree(plan: LosslessPlan) -> Iterator[Remark]:
    for tier in plan.tiers:
        sizes = [tier.headroom.xoff, *(other.xoff for other in tier.others)]
        if len(sizes) > 1 and max(sizes) > 1.2 * min(sizes):
            said = ", ".join(f"{other.method} {size_words(other.xoff)}" for other in tier.others)
            yield Remark(
                "methods-disagree",
                "note",
                f"{tier.name}: {size_words(tier.headroom.xoff)} by {tier.headroom.method}; {said}",
                "the packet mix and the peer's reaction decide: take the larger if you do not know",
                tier.headroom.source or "netdesign-judgement",
                tier.name,
                tier.headroom.grade,
            )


def _frames_are_larger(plan: LosslessPlan) -> Iterator[Remark]:
    mix, largest = plan.settings.mix, number("lossless_mtu")
    if mix.lossless_mtu < largest:
        yield Remark(
            "lossless-mtu-small",
            "warning",
            f"headroom is made for lossless frames of {mix.lossless_mtu:g} B, and RoCE sends up to "
            f"{largest:g} B where the hosts allow it",
            f"take a lossless MTU of {largest:g} B, or limit the hosts",
            "sonic-buildimage",
        )
    if mix.port_mtu < mix.lossless_mtu + plan.settings.roce_headers:
        yield Remark(
            "port-mtu-small",
            "error",
            f"a port MTU of {mix.port_mtu:g} B does not carry RoCE frames of "
            f"{mix.lossless_mtu:g} B and their headers",
            f"give a port MTU of at least {mix.lossless_mtu + plan.settings.roce_headers:g} B",
            "netdesign-judgement",
            "",
            "assumed",
        )


def _class_of_the_hosts(plan: LosslessPlan) -> Iterator[Remark]:
    chosen = plan.traffic_class
    if chosen.ecn:
        yield Remark(
            "class-carries-ecn-bits",
            "note",
            f"NCCL_IB_TC={chosen.byte} is DSCP {chosen.dscp} with the ECN bits at {chosen.ecn}",
            f"{chosen.byte - chosen.ecn} is the same class without them",
            "nccl-tuning",
        )
    if chosen.ordinary_priority not in plan.priorities:
        yield Remark(
            "adapter-maps-elsewhere",
            "warning",
            f"an adapter sends DSCP {chosen.dscp} with priority {chosen.ordinary_priority} unless "
            f"told otherwise, and only {_words(plan.priorities)} lossless here: a pause would not "
            "stop it",
            f"map DSCP {chosen.dscp} to priority {plan.priorities[0]} on every host, or choose "
            f"NCCL_IB_TC={4 * 8 * plan.priorities[0]}",
            "nvidia-ofed-qos",
        )


def _words(priorities: tuple[int, ...]) -> str:
    named = " and ".join(map(str, priorities))
    return f"priority {named} is" if len(priorities) == 1 else f"priorities {named} are"


def _many_priorities(plan: LosslessPlan) -> Iterator[Remark]:
    usual = int(number("ordinary_pfc_classes"))
    if len(plan.priorities) > usual:
        yield Remark(
            "many-lossless-priorities",
            "warning",
            f"{len(plan.priorities)} lossless priorities each take headroom on every port",
            f"SONiC ships {usual}; training needs one",
            "sonic-buildimage",
        )


def _own_transport(plan: LosslessPlan) -> Iterator[Remark]:
    if plan.design.network.transport == "srd":
        yield Remark(
            "transport-needs-no-pause",
            "warning",
            "SRD recovers lost packets itself and is not run over a lossless class",
            "choose a RoCE transport, or leave PFC off",
            "aws-ofi-nccl",
        )


RULES: tuple[Callable[[LosslessPlan], Iterator[Remark]], ...] = (
    _does_not_fit,
    _marks_late,
    _frames_are_larger,
    _buffer_unknown,
    _chip_is_another,
    _class_of_the_hosts,
    _many_priorities,
    _own_transport,
    _oversubscribed,
    _headroom_is_uncertain,
    _methods_disagree,
    _recommendations_disagree,
    _timers_matter,
    _without_dcqcn,
)
