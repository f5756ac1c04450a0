"""Does it fit on the card?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netdesign.app.html import join, tag
from netdesign.app.layout import card, heading, key
from netdesign.app.live_html import LiveHtml
from netdesign.app.pictures import Picture
from netdesign.charts.format import digits, percent, size
from netdesign.charts.memory_bar import parts

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


class MemoryPanel:
    """One bar of what the fullest GPU holds, against what a job can use."""

    def __init__(self) -> None:
        self.head, self.foot = LiveHtml(), LiveHtml()
        self.picture = Picture("memory_bar")
        self.widget = card(self.head, self.picture.view, self.foot, classes="nd-panel-memory")

    def show(self, evaluation: Evaluation) -> None:
        memory, limit = evaluation.memory, evaluation.memory_limit
        self.head.value = heading("Memory", evaluation)
        self.picture.show(evaluation)
        ratio = memory.total / limit
        share = percent(ratio) if ratio < 2 else f"{digits(ratio)} times as much"
        card = evaluation.machine.memory_bytes
        of_card = "" if size(card) == size(limit) else f"; the card has {size(card)}"
        verdict = "It fits" if memory.total <= limit else "It does not fit"
        sentence = f"{verdict}: {size(memory.total)} of {size(limit)} ({share}){of_card}."
        self.foot.value = join((key(parts(evaluation)), tag("p", sentence, class_="nd-quiet")))
