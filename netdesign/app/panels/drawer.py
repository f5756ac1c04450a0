"""A card that is closed until somebody opens it: closed it computes and sends nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import ipywidgets as widgets

from netdesign.app.html import Markup, join, tag
from netdesign.app.layout import card, inputs_line
from netdesign.app.live_html import LiveHtml

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


class Drawer:
    """A title, what is inside in one sentence, a button; ``build`` and ``draw`` are the panel's."""

    title = ""
    sentence = ""
    classes = ""

    def __init__(self) -> None:
        self.opened = False
        self._evaluation: Evaluation | None = None
        self.head = LiveHtml(acts={"drawer": lambda _: self.toggle()})
        self.body = widgets.VBox([], layout=widgets.Layout(display="none"))
        self.widget = card(self.head, self.body, classes=f"{self.classes} nd-card-wide")
        self._show_head()

    def build(self) -> Iterable[widgets.Widget]:
        """The widgets inside, made when the card is first opened."""
        raise NotImplementedError

    def draw(self, evaluation: Evaluation) -> None:
        """Fill them."""
        raise NotImplementedError

    def show(self, evaluation: Evaluation) -> None:
        """Remember an Evaluation, and draw it if the card is open."""
        self._evaluation = evaluation
        if self.opened:
            self._show_head()
            self.draw(evaluation)

    def toggle(self) -> None:
        """Open or close the card."""
        self.opened = not self.opened
        if self.opened and not self.body.children:
            self.body.children = list(self.build())
        if self.opened and self._evaluation is not None:
            self.draw(self._evaluation)
        self.body.layout.display = None if self.opened else "none"
        self._show_head()

    def _show_head(self) -> None:
        said = self.sentence
        if self.opened and self._evaluation is not None:
            said = inputs_line(self._evaluation)
        self.head.value = tag(
            "header",
            tag("h2", self.title),
            tag("p", said, class_="nd-inputs"),
            tag(
                "button",
                "Close" if self.opened else "Show",
                type="button",
                class_="nd-button",
                data_act="drawer",
                aria_expanded=str(self.opened).lower(),
                aria_label=f"{'Close' if self.opened else 'Show'} {self.title.lower()}",
            ),
            class_="nd-card-head",
        )


def choice(act: str, name: str, choices: dict[str, str], chosen: str) -> Markup:
    """A row of buttons of which one is pressed."""
    buttons = join(
        tag(
            "button",
            label,
            type="button",
            class_="nd-button nd-button-strong" if key == chosen else "nd-button",
            data_act=act,
            data_value=key,
            aria_pressed=str(key == chosen).lower(),
        )
        for key, label in choices.items()
    )
    return tag(
        "p", buttons, class_="nd-buttons", style="margin:12px 0", role="group", aria_label=name
    )
