"""What a card shows, in words: its title, and of which load, fabric, routing, seed and break."""

from __future__ import annotations

from netdesign.app.congestion_panels.answer import Answer
from netdesign.app.congestion_panels.request import WORST
from netdesign.app.html import Markup, tag
from netdesign.charts.format import count, ratio
from netdesign.charts.words import FAMILIES
from netdesign.congestion.sweep import depends_on_seed
from netdesign.failures.scenario import Scenario
from netdesign.wording import plural

CABLES = ("cable", "optic", "uplink")  # an optic that fails stands as its cable
ROUTING = {
    "ecmp": "ECMP",
    "static": "static routing",
    "adaptive": "adaptive routing",
}


def titled(title: str, *said: str) -> Markup:
    """The head of a card: its title, and what it is of."""
    line = " · ".join(part for part in said if part)
    return tag(
        "header", tag("h2", title), tag("p", line, class_="nd-inputs"), class_="nd-card-head"
    )


def conditions(answer: Answer, *, seeded: bool = True) -> str:
    """Fabric, taper, routing, placement and the seed, unless it is of many."""
    request, fabric = answer.request, answer.fabric
    family = FAMILIES.get(fabric.family, fabric.family)
    parts = [
        f"{family}, {count(request.gpus)} GPUs, {plural(fabric.links, 'link')}",
        tapers(answer),
        routing(answer),
        str(request.value("placement")),
        f"seed {request.value('seed')}" if seeded and depends_on_seed(answer.found) else "",
    ]
    return " · ".join(part for part in parts if part)


def tapers(answer: Answer) -> str:
    """The tapers of the tiers that there are."""
    request = answer.request
    if not answer.tapers:
        return "no tier above the leaf, so no taper"
    said = f"{ratio(request.value('taper'))} at the leaf"
    if answer.three_tiers:
        said += f", {ratio(request.value('core_taper'))} at the spine"
    return said


def routing(answer: Answer) -> str:
    """How packets find their way, with the queue pairs where they are hashed."""
    scene = answer.found.scene
    pairs = f", {plural(scene.queue_pairs, 'queue pair')}" if answer.hashed else ""
    return f"{ROUTING[scene.policy]}{pairs}"


def load_of(answer: Answer) -> str:
    """Whose load the pictures show."""
    worst = answer.worst
    if worst is None or answer.request.value("shown") != WORST:
        return "highest load of all collectives"
    return f"load of {worst.name}"


def broken_now(answer: Answer) -> str:
    """What is broken, in words."""
    found = answer.outcome
    return f"broken: {break_name(found.scenario)}" if found else "nothing broken"


def break_name(scenario: Scenario) -> str:
    """What is broken, by name; an optic that fails takes its cable with it, so both are named."""
    more = ", cable or its optics" if scenario.part in CABLES else ""
    return scenario.name + more
