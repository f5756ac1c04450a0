"""The strip on top: step time, the slowest collective, what is broken, and one sentence of why."""

from __future__ import annotations

import math

from netdesign.app.congestion_panels.answer import Answer
from netdesign.app.congestion_panels.said import CABLES, ROUTING, routing, tapers
from netdesign.app.html import Markup, join, tag
from netdesign.app.layout import card
from netdesign.app.live_html import LiveHtml
from netdesign.charts.format import count, digits, percent, ratio, seconds
from netdesign.failures.outcome import KEEP, OTHER_PORTS
from netdesign.reliability import optimism
from netdesign.units import seconds_to_hours
from netdesign.wording import plural

PACKED = "packed"
_NOTICED = 1.02  # slow-downs below are said to be none


class HeadlinePanel:
    """Figures that always keep their places, and the sentence."""

    def __init__(self) -> None:
        self.text = LiveHtml()
        self.widget = card(self.text, classes="nd-panel-strip nd-card-wide")

    def show(self, answer: Answer) -> None:
        figures = join(
            tag(
                "div",
                tag("dt", name),
                tag("dd", tag("strong", number), tag("span", note)),
            )
            for name, number, note in _figures(answer)
        )
        self.text.value = join(
            (
                tag("p", why(answer), class_="nd-why", role="status"),
                tag("dl", figures, class_="nd-strip"),
                tag("p", shown(answer), class_="nd-inputs"),
            )
        )


def _figures(answer: Answer) -> list[tuple[str, str, str]]:
    step, good = answer.found.step, answer.evaluation.goodput
    lost = (
        f"{digits(step.step_s)} s with congestion, {_more(step.slowdown)}"
        if math.isfinite(step.step_s)
        else "never ends: a message has no way"
    )
    return [
        ("Step", f"{digits(step.ideal_s)} s", f"without congestion; {lost}"),
        _worst(answer),
        _flows(answer),
        _broken(answer),
        (
            "Time kept (ETTR)",
            str(percent(good.ettr)),
            f"a stop every {digits(seconds_to_hours(good.mttf_s))} h"
            + ("; optimistic for so small a job" if optimism(good) else ""),
        ),
    ]


def _more(slowdown: float) -> str:
    return f"× {digits(slowdown, 4)}" if math.isfinite(slowdown) else "no end"


def _worst(answer: Answer) -> tuple[str, str, str]:
    worst = answer.worst
    if worst is None:
        return ("Slowest collective", "none", "nothing leaves the scale-up domain")
    note = f"{worst.name}; by formula × {digits(worst.closed_form)}"
    return ("Slowest collective", f"× {digits(worst.slowdown)}", note)


def _flows(answer: Answer) -> tuple[str, str, str]:
    worst = answer.worst
    if worst is None:
        return ("Its slowest flow", "–", "no flows")
    phase = worst.phase
    return (
        "Its slowest flow",
        str(percent(phase.slowest_share)),
        f"of what its ports allow; mean {percent(phase.mean_share)}",
    )


def _broken(answer: Answer) -> tuple[str, str, str]:
    if answer.problem is not None:
        return ("Broken", "nothing", "see the control: this fabric has no such part")
    found = answer.outcome
    if found is None or answer.broken_step_s is None:
        return ("Broken", "nothing", "choose a part, or click a device in the picture")
    scenario = found.scenario
    says = {
        KEEP: "the job runs on" if scenario.is_slow else "routing goes around it",
        OTHER_PORTS: "the job stops and restarts over the other ports",
    }.get(found.ways[0].name, "the job restarts without the hosts")
    if found.recovers and found.ways[0].name != KEEP:
        says = f"routing goes around it, but {says.removeprefix('the job ')} loses less"
    kind = "the cable or its optics; " if scenario.part in CABLES else ""
    if not math.isfinite(answer.broken_step_s):
        return ("Broken", scenario.name, f"{kind}{says}; no step until it is repaired")
    step = f"step {digits(answer.broken_step_s)} s, {_more(found.slowdown)}"
    cut_off = plural(found.gpus_stranded, "GPU") if found.gpus_stranded else "no GPU"
    return ("Broken", scenario.name, f"{kind}{says}; {step}; {cut_off} cut off")


def why(answer: Answer) -> str:
    """One sentence: what slows the slowest collective, or why nothing does."""
    worst, lies = answer.worst, answer.crossing
    if worst is None or lies is None:
        return "Nothing of this plan leaves the scale-up domain: the fabric does not matter to it."
    members, inside = digits(lies.members), digits(lies.in_pod)
    taper = ratio(lies.taper)
    name = worst.name.partition(",")[0]
    name = f"{name[:1].upper()}{name[1:]}"
    if not math.isfinite(worst.slowdown):
        return f"{name}: some messages have no way through this fabric."
    hashed = (worst.hashed_form or 1.0) > worst.taper_form
    packed = answer.request.value("placement") == PACKED
    if worst.slowdown < _NOTICED:
        if not packed:
            return f"Nothing waits, though the job is scattered: {taper} is met by even spreading."
        if not lies.leaves_pod:
            where = f"all {members} members of each group sit in one pod"
            if not answer.tapers:
                return f"Nothing waits: {where}, and no switch is above the leaf to wait for."
            return f"Nothing waits: {where}, so the {taper} taper is never met."
        if lies.taper > 1:
            return (
                f"k = {inside} members of each ring in a pod against a {taper} taper: the ring "
                "leaves the pod once for all of them, and no link carries more than a port."
            )
        return "Nothing waits: as much bandwidth leads up as down, and it is evenly used."
    full = f"{name} takes × {digits(worst.slowdown)}"
    alike = "pods were filled alike" if packed else "servers were packed"
    if hashed and answer.hashed:
        return (
            f"{full}: the hash puts several flows on one link and none on others; chance gives "
            f"× {digits(worst.hashed_form)}, the {taper} taper alone × {digits(worst.taper_form)} "
            f"if {alike}."
        )
    if not packed:
        return (
            f"{full}: the servers are scattered, so groups that would share a pod send through a "
            f"{taper} taper; packed, the taper alone would cost × {digits(worst.taper_form)}."
        )
    if not lies.leaves_pod:
        return (
            f"{full} although its groups fit into a pod: "
            f"{ROUTING[answer.found.scene.policy]} puts several flows on one link."
        )
    if lies.ordered:
        return (
            f"{full}: only k = {inside} of {members} members of each group are in a pod, so more "
            f"leaves it than a {taper} taper lets through."
        )
    return (
        f"{full}: {percent(lies.away)} of each member's partners are in other pods, and a "
        f"{taper} taper lets only a part of that out at once."
    )


def shown(answer: Answer) -> str:
    """The inputs that the strip shows."""
    design, request = answer.design, answer.request
    pods = f" · {_pods(answer)}" if answer.crossing else ""
    return (
        f"{design.name} · {count(request.gpus)} GPUs · {answer.evaluation.plan_label} · "
        f"{tapers(answer)} · {routing(answer)} · "
        f"{request.value('placement')} · seed {request.value('seed')}{pods}"
    )


def _pods(answer: Answer) -> str:
    """How the members of a group lie over the pods."""
    lies = answer.crossing
    if lies is None:
        return ""
    where = "in a pod" if answer.request.value("placement") == PACKED else "in a pod if packed"
    fullest = f", {lies.fullest} in the fullest" if lies.fullest > lies.in_pod + 0.5 else ""
    return f"k = {digits(lies.in_pod)} of {digits(lies.members)} {where}{fullest}"


def brief(answer: Answer) -> Markup:
    """The answer in one line, for a page whose strip is out of sight."""
    step = answer.found.step
    parts = [f"step {seconds(step.step_s)}", f"{_more(step.slowdown)} by congestion"]
    if answer.worst is not None:
        parts.append(f"slowest × {digits(answer.worst.slowdown)}")
    if answer.outcome is not None:
        parts.append(f"broken: {answer.outcome.scenario.name}")
    return tag("p", *(tag("span", part) for part in parts))
