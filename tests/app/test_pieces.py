"""HTML is escaped, equations become MathML, widgets travel together."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

import netdesign.evaluate  # noqa: F401 - registers the formulas
from netdesign.app.courier import Carried, Courier
from netdesign.app.html import Head, Span, join, table, tag
from netdesign.app.live_html import LiveHtml
from netdesign.app.mathml import mathml
from netdesign.formulas import formulas


def test_text_and_attributes_are_escaped() -> None:
    html = tag("p", "<b>", title='"><script>', class_="x", data_act="go", hidden=True)
    assert html == (
        '<p title="&quot;&gt;&lt;script&gt;" class="x" data-act="go" hidden>&lt;b&gt;</p>'
    )
    assert join((tag("i", "&"), "<")) == "<i>&amp;</i>&lt;"


def test_a_table_aligns_numbers_and_spans_rows() -> None:
    html = table(
        "Caption",
        [Head("Part"), Head("Size", "GB", number=True)],
        [[Span("a", 2), 1], [None, "<2>"]],
        foot=["sum", 3],
    )
    root = ElementTree.fromstring(html)
    cells = root.findall(".//tbody/tr/td")
    assert [cell.text for cell in cells] == ["a", "1", "<2>"]
    assert cells[0].get("rowspan") == "2"
    assert cells[1].get("class") == "nd-number"
    assert root.find(".//caption").text == "Caption"


@pytest.mark.parametrize("name", sorted(formulas()))
def test_every_formula_is_drawn_as_mathml(name: str) -> None:
    html = mathml(formulas()[name].latex)
    assert html.startswith("<math"), formulas()[name].latex
    ElementTree.fromstring(html)


def test_fractions_and_scripts() -> None:
    html = mathml(r"t = \frac{2(n-1)}{n}\frac{S}{B_0^2}")
    root = ElementTree.fromstring(html)
    assert len(root.findall(".//mfrac")) == 2
    assert root.find(".//msubsup/mi").text == "B"


@pytest.mark.parametrize("latex", [r"\unknown{x}", r"\frac{1}{", r"a}", r"\text{x"])
def test_what_is_not_understood_is_shown_as_written(latex: str) -> None:
    assert mathml(latex) == tag("code", latex)


class Silent(LiveHtml):
    """Counts what it sends."""

    def __init__(self, value: str = "") -> None:
        self.sent: list[object] = []
        super().__init__(value)

    def send(self, content: object, buffers: object = None) -> None:
        self.sent.append(content)


def test_a_bundle_carries_the_last_state_of_each_widget_in_one_message() -> None:
    messages: list[dict[str, dict[str, object]]] = []
    courier = Courier()
    courier.send = messages.append
    first, second = LiveHtml("a"), LiveHtml("b")
    with courier.bundle():
        first.value = "1"
        first.value = "2"
        second.value = "3"
        with courier.bundle():
            second.value = "4"
        assert messages == []
    assert messages == [
        {"states": {first.model_id: {"value": "2"}, second.model_id: {"value": "4"}}}
    ]


def test_an_empty_bundle_sends_nothing() -> None:
    messages: list[object] = []
    courier = Courier()
    courier.send = messages.append
    with courier.bundle():
        pass
    assert messages == []
    assert issubclass(LiveHtml, Carried)


def test_only_known_acts_are_carried_out() -> None:
    done: list[str] = []
    html = LiveHtml(acts={"go": done.append})
    html._handle_custom_msg({"act": "go", "value": "x"}, [])
    html._handle_custom_msg({"act": "__init__", "value": "x"}, [])
    html._handle_custom_msg({"act": "go", "value": {"not": "text"}}, [])
    html._handle_custom_msg({}, [])
    assert done == ["x"]


def test_an_upload_arrives_as_bytes_or_as_too_large() -> None:
    got: list[tuple[str, bytes | None, int]] = []
    html = LiveHtml(acts={"up": lambda *arguments: got.append(arguments)})
    html._handle_custom_msg({"act": "up", "value": "a.csv", "size": 2}, [memoryview(b"hi")])
    html._handle_custom_msg({"act": "up", "value": "b.csv", "size": 9_000_000}, [])
    assert got == [("a.csv", b"hi", 2), ("b.csv", None, 9_000_000)]
