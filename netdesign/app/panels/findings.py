"""What should the planner know? Findings, worst first, with a button that applies the remedy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from netdesign.app.choices import label, said
from netdesign.app.html import Markup, join, tag
from netdesign.app.layout import card
from netdesign.app.live_html import LiveHtml
from netdesign.wording import plural

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation
    from netdesign.findings import Finding

ICONS = {"error": "✕", "warning": "!", "note": "i"}
WORDS = {"error": "Error", "warning": "Warning", "note": "Note"}


class FindingsPanel:
    """A list of fixed height: it scrolls, so that nothing below it moves while dragging."""

    def __init__(self, apply: Callable[[str, Any], None]) -> None:
        self._apply = apply
        self._findings: tuple[Finding, ...] = ()
        self.list = LiveHtml(acts={"apply": self._act})
        self.widget = card(self.list, classes="nd-panel-findings")

    def show(self, evaluation: Evaluation) -> None:
        self._findings = evaluation.findings
        items = join(_item(number, finding) for number, finding in enumerate(self._findings))
        self.list.value = join(
            (
                tag(
                    "header",
                    tag("h2", "Findings"),
                    tag("p", _counts(self._findings), class_="nd-inputs"),
                    class_="nd-card-head",
                ),
                tag(
                    "ol",
                    items or tag("li", "Nothing to remark.", class_="nd-finding"),
                    class_="nd-findings",
                    tabindex="0",
                    aria_label="Findings, worst first",
                ),
            )
        )

    def _act(self, position: str) -> None:
        if position.isdigit() and int(position) < len(self._findings):
            finding = self._findings[int(position)]
            if finding.field and finding.suggestion is not None:
                self._apply(finding.field, finding.suggestion)


def _counts(findings: tuple[Finding, ...]) -> str:
    parts = []
    for severity, word in WORDS.items():
        number = sum(finding.severity == severity for finding in findings)
        if number:
            parts.append(plural(number, word.lower()))
    return ", ".join(parts) or "none"


def _item(number: int, finding: Finding) -> Markup:
    severity = finding.severity
    badge = tag(
        "span",
        tag("span", ICONS[severity], class_="nd-badge-icon", aria_hidden="true"),
        WORDS[severity],
        class_=f"nd-badge nd-{severity}",
    )
    button = ""
    if finding.field and finding.suggestion is not None:
        button = tag(
            "button",
            f"Set {label(finding.field).lower()} to {said(finding.field, finding.suggestion)}",
            type="button",
            class_="nd-button",
            data_act="apply",
            data_value=number,
        )
    words = tag(
        "div",
        tag("span", finding.sentence, class_="nd-finding-sentence"),
        " ",
        tag("span", finding.fix, class_="nd-quiet"),
    )
    return tag("li", badge, words, button, class_="nd-finding", data_code=finding.code)
