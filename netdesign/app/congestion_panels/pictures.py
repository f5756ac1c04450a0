"""The fabric with its load, the heat map, tapers, seeds, sizes of jobs, headroom and marking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from netdesign.app.congestion_panels.answer import Answer, headroom, pinned, seeds_of, with_seed
from netdesign.app.congestion_panels.request import NONE
from netdesign.app.congestion_panels.said import break_name, broken_now, conditions, load_of, titled
from netdesign.app.html import Markup, join, swatch, tag
from netdesign.app.layout import box, card, seen
from netdesign.app.live_html import LiveHtml
from netdesign.app.pictures import Picture
from netdesign.app.toolbar import button
from netdesign.charts.fabric_boxes import device_in
from netdesign.charts.fabric_ports import drawn_singly
from netdesign.charts.format import digits, seconds
from netdesign.charts.slowdown_by_taper import keys
from netdesign.congestion import Spread
from netdesign.congestion.settings import setting
from netdesign.congestion.sweep import built_at, depends_on_seed, joined, one_of_each
from netdesign.errors import DesignError
from netdesign.failures.by_size import by_size
from netdesign.reliability import optimism
from netdesign.topology.naming import device_names
from netdesign.wording import plural

PICKED = "picked"
LOAD_TITLE = "How loaded is each link?"
BUILT_TAPERS = (1.0, 2.0, 4.0, 8.0, 16.0)
MOST_LINKS_IDLE = 8_000  # above them seeds are computed only when asked
SIZES = np.exp2(np.arange(3, 17.1, 0.5))
Break = Callable[[str], None]


class FabricPanel:
    """The load of every link (or of every bundle of links); a click on a device breaks it."""

    def __init__(self, break_it: Break) -> None:
        self._break = break_it
        self._answer: Answer | None = None
        self.head = LiveHtml(acts={"break": break_it, "mend": lambda _: break_it(NONE)})
        # thousands of marks: as elements of the page they would take longer than a key press
        self.ports = Picture("fabric_ports", selection=[PICKED], renderer="canvas")
        self.tiers = Picture("fabric_tiers", selection=[PICKED])
        for picture in (self.ports, self.tiers):
            picture.view.spec = _momentary(_of_load(picture.view.spec))
            picture.view.observe(self._clicked, "selection")
        self.singly, self.bundled = box([self.ports.view]), box([self.tiers.view])
        parts = (self.head, self.singly, self.bundled)
        self.widget = card(*parts, classes="nd-panel-fabric nd-card-wide")

    def show(self, answer: Answer) -> None:
        self._answer = answer
        fabric = answer.fabric
        singly = drawn_singly(fabric)
        picture = self.ports if singly else self.tiers
        before = (None, None) if singly else (None,)
        picture.show(fabric, *before, answer.load, answer.broken_links)
        seen(self.singly, singly)
        seen(self.bundled, not singly)
        self.head.value = self._written(answer)

    def _written(self, answer: Answer) -> Markup:
        chosen = answer.request.value("broken")
        names = device_names(answer.fabric)[answer.fabric.hosts :]
        options = [tag("option", "a switch…", value="", selected=chosen not in names)]
        options += [tag("option", name, value=name, selected=name == chosen) for name in names]
        choose = tag("label", "Break ", tag("select", *options, data_act="break"))
        what = break_name(answer.outcome.scenario) if answer.outcome else "nothing is broken"
        mend = button("Mend all", "mend", enabled=answer.outcome is not None)
        return join(
            (
                titled(
                    "Where it waits: red carries all it can",
                    load_of(answer),
                    conditions(answer),
                    broken_now(answer),
                ),
                tag(
                    "div",
                    choose,
                    tag("span", f"or click a device. Now: {what}.", role="status"),
                    mend,
                    class_="nd-breaking",
                ),
            )
        )

    def _clicked(self, news: Any) -> None:
        """Act on a click, and forget it, so that the next on the same device is one too."""
        if news.new.get(PICKED):
            news.owner.selection = {}
            self._picked(news.new)

    def _picked(self, selection: Mapping[str, Any]) -> None:
        """Break the device that was clicked; one that is broken is mended."""
        device = str(((selection.get(PICKED) or {}).get("device") or [""])[0] or "")
        if self._answer is None or not device:
            return
        fabric = self._answer.fabric
        name = device if drawn_singly(fabric) else device_in(fabric, device)
        if name:
            self._break(NONE if name == self._answer.request.value("broken") else name)


def _of_load(spec: dict[str, Any]) -> dict[str, Any]:
    """A specification with the title of what this page shows."""
    return {**spec, "title": {**spec["title"], "text": LOAD_TITLE}}


def _momentary(part: Any) -> Any:
    """A specification whose pick ends when the mouse leaves: the load of all stays in view."""
    if isinstance(part, list):
        return [_momentary(one) for one in part]
    if not isinstance(part, dict):
        return part
    kept = {name: _momentary(one) for name, one in part.items()}
    if kept.get("name") == PICKED and isinstance(kept.get("select"), dict):
        kept["select"] = {**kept["select"], "clear": "mouseout"}
    return kept


class HeatPanel:
    """The hottest link of each pair of switches."""

    def __init__(self) -> None:
        self.head, self.caption = LiveHtml(), LiveHtml()
        self.picture = Picture("fabric_heat", renderer="canvas")
        self.picture.view.spec = _of_load(self.picture.view.spec)
        parts = (self.head, self.picture.view, self.caption)
        self.widget = card(*parts, classes="nd-panel-heat nd-half")

    def show(self, answer: Answer) -> None:
        self.picture.show(answer.fabric, 1, answer.load, answer.broken_links)
        self.head.value = titled(
            "Which pair of switches is hottest?",
            load_of(answer),
            conditions(answer),
            broken_now(answer),
        )
        said = "The bar in a cell is the load of its hottest link; a dashed frame is broken. "
        self.caption.value = tag("p", said, self.picture.view.label, class_="nd-quiet")


class TaperPanel:
    """Slow-down against the taper, with the point as set."""

    def __init__(self) -> None:
        self.picture = Picture("slowdown_by_taper")
        self.head, self.key = LiveHtml(), LiveHtml()
        parts = (self.head, self.picture.view, self.key)
        self.widget = card(*parts, classes="nd-panel-taper nd-half")
        self._built: list[tuple[float, int, float]] = []
        self._of: tuple[Any, ...] = ()

    def show(self, answer: Answer) -> None:
        of = _but_taper(answer)
        if of != self._of:
            self._built, self._of = [], of
        self._draw(answer)
        items = join(
            tag("li", swatch(colour), tag("span", name)) for name, colour in keys(answer.curves)
        )
        self.key.value = tag("ul", items, class_="nd-taper-key")
        self.head.value = titled(
            "Does the taper hurt?",
            conditions(answer),
            "nothing broken",
        )

    def later(self, answer: Answer) -> Iterator[None]:
        """Build the graph at other tapers, with the plan that is shown."""
        if self._built or answer.fabric.links > MOST_LINKS_IDLE:
            return
        place = {curve.name: number for number, curve in enumerate(answer.curves)}
        design, found = pinned(answer), []
        for taper in BUILT_TAPERS:
            try:
                slowed = built_at(answer.found, design, taper)
            except DesignError:
                continue
            found += [(taper, place[name], slow) for name, slow in slowed if name in place]
            yield
        self._built = found
        self._draw(answer)

    def _draw(self, answer: Answer) -> None:
        self.picture.show(answer.curves, float(answer.request.value("taper")), self._built)


def _but_taper(answer: Answer) -> tuple[Any, ...]:
    values = answer.request.values
    apart = ("taper", "broken", "shown", "chip", "cable_length", "lossless_mtu", "small_share")
    plan = answer.evaluation.plan_label
    return (plan, *(value for path, value in values.items() if path not in apart))


class SeedsPanel:
    """The distribution over seeds, computed when the page is still or when asked."""

    def __init__(self, ask: Callable[[], None]) -> None:
        self.head = LiveHtml(acts={"seeds": lambda _: ask()})
        self.picture = Picture("seed_spread")
        self.widget = card(self.head, self.picture.view, classes="nd-panel-seeds nd-card-wide")
        self._of: tuple[Any, ...] = ()
        self._shown = "nothing yet"
        self.count = round(setting("seeds"))

    def show(self, answer: Answer) -> bool:
        """Say what the picture shows; whether there is anything to compute for it."""
        if not depends_on_seed(answer.found):
            self._write("Nothing is left to chance here: packed ranks, and no hash.", offer=False)
            return False
        if _seeded(answer) == self._of:
            self._write("", offer=False)
            return False
        self._write(f"{self.count} seeds follow when the controls are still.", offer=True)
        return True

    def later(self, answer: Answer, *, asked: bool = False) -> Iterator[None]:
        """One seed at a time."""
        if answer.fabric.links > MOST_LINKS_IDLE and not asked:
            self._write(f"{self.count} seeds of so large a fabric only when asked.", offer=True)
            return
        parts: list[Spread] = []
        for seed in range(self.count):
            parts.append(seeds_of(answer, seed))
            yield
        entries = one_of_each(answer.found)
        all_of = joined(parts)
        places = tuple(all_of.names.index(entry.name) for entry in entries)
        forms = tuple(float(entry.closed_form) for entry in entries)
        self.picture.show(all_of, places, forms, int(answer.request.value("seed")))
        self._of = _seeded(answer)
        steps = all_of.quantiles(all_of.step_s).tolist()
        self._shown = (
            f"{plural(len(all_of.seeds), 'seed')} · {conditions(answer, seeded=False)} · "
            f"{broken_now(answer)}: step {digits(steps[0])} to {digits(steps[2])} s, "
            f"median {digits(steps[1])} s"
        )
        self._write("", offer=False)

    def _write(self, why: str, *, offer: bool) -> None:
        act = button("Compute now", "seeds", enabled=offer)
        note = tag("span", why or "Up to date.", role="status")
        self.head.value = join(
            (
                titled("One seed is an anecdote", f"Shown: {self._shown}"),
                tag("div", act, note, class_="nd-breaking"),
            )
        )


def _seeded(answer: Answer) -> tuple[Any, ...]:
    broken = answer.request.broken if answer.outcome is not None else ""
    return (answer.design, with_seed(answer.request.conditions, 0), broken)


class GoodputPanel:
    """MTTF and ETTR against the size of the job."""

    def __init__(self) -> None:
        self.mttf, self.ettr = Picture("mttf_curve"), Picture("ettr_curve")
        self.said = LiveHtml()
        self.widgets = (
            card(self.mttf.view, classes="nd-panel-mttf nd-half"),
            card(self.ettr.view, self.said, classes="nd-panel-ettr nd-half"),
        )

    def show(self, answer: Answer) -> None:
        curve, found = by_size(answer.evaluation, SIZES), answer.evaluation.goodput
        gpus = answer.design.cluster.gpus
        self.mttf.show(curve, gpus, found.mttf_s)
        self.ettr.show(curve, gpus, found.ettr)
        chosen = "best" if found.interval_is_best else "set"
        line = (
            f"A checkpoint takes {seconds(found.write_s)} every {seconds(found.interval_s)} "
            f"({chosen} interval), a restart {seconds(found.restart_s)}."
        )
        more = optimism(found)
        self.said.value = tag(
            "p",
            line,
            f" {more[:1].upper()}{more[1:]}." if more else "",
            class_="nd-quiet nd-goodput-said",
        )


class LosslessPanel:
    """Headroom against the length of the cable, and where to mark."""

    def __init__(self) -> None:
        self.headroom, self.ecn = Picture("headroom_curve"), Picture("ecn_thresholds")
        self.note = LiveHtml()
        self.widgets = (
            card(self.headroom.view, self.note, classes="nd-panel-headroom nd-half"),
            card(self.ecn.view, classes="nd-panel-ecn nd-half"),
        )
        self._drawn: Any = None

    def show(self, answer: Answer) -> DesignError | None:
        """Draw; what cannot be planned is said here, and the last picture stays."""
        plan = headroom(answer.design, answer.request.lossless)
        if isinstance(plan, DesignError):
            said = f"Not for this design: {plan.reason}; {plan.hint}."
            self.note.value = tag("p", said, class_="nd-not-drawn", role="status")
            return None if plan.field == "network.switch" else plan
        if plan is not self._drawn:
            self.headroom.show(plan)
            self.ecn.show(plan)
            self._drawn = plan
        said = (
            f"{plan.chip.name}, {digits(plan.gbps)} Gb/s; taken for marking: {plan.marking.name}."
        )
        self.note.value = tag("p", said, class_="nd-quiet")
        return None
