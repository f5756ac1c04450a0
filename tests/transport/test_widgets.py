"""The widgets without a browser, and the bundle that they draw with."""

from __future__ import annotations

from typing import Any

import pytest
import vl_convert

from netdesign.app.courier import Courier
from netdesign.app.transport import ChartView, PageWidget
from netdesign.app.transport.build_runtime import RUNTIME, VEGALITE, build
from netdesign.app.transport.chart_view import STATIC

SPEC = {"data": {"name": "steps"}, "mark": "bar"}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The names in each state message of a chart, as it would leave for the browser."""
    messages: list[set[str]] = []
    monkeypatch.setattr(
        ChartView, "send_state", lambda self, key=None: messages.append(set(key or ()))
    )
    return messages


def test_show_replaces_what_it_names_and_keeps_the_rest() -> None:
    chart = ChartView(SPEC)
    chart.show({"steps": [{"x": 1}], "note": {"text": ["a"]}})
    chart.show({"steps": [{"x": 2}]})
    assert chart.data == {"steps": [{"x": 2}], "note": {"text": ["a"]}}
    assert chart.revision == 2
    chart.show({}, revision=40, label="Step time, 1.2 s")
    assert (chart.revision, chart.label) == (40, "Step time, 1.2 s")


def test_show_is_one_message(sent: list[set[str]]) -> None:
    chart = ChartView(SPEC)
    sent.clear()
    chart.show({"steps": [{"x": 1}]}, label="One")
    assert sent == [{"data", "label", "revision"}]


def test_a_chart_carries_its_view_and_not_the_bundle() -> None:
    chart = ChartView(SPEC)
    assert len(chart.get_state()["_esm"]) < 12_000
    assert chart.get_state()["spec"] == SPEC


def test_the_bundle_is_sent_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[tuple[dict[str, Any], list[bytes]]] = []
    monkeypatch.setattr(ChartView, "send", lambda self, m, b: answers.append((m, b)))
    chart = ChartView(SPEC)
    chart._handle_custom_msg({"type": "anything"}, [])
    assert answers == []
    chart._handle_custom_msg({"type": "runtime"}, [])
    assert answers == [({"type": "runtime"}, [RUNTIME.read_bytes()])]


def test_the_page_answers_the_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[dict[str, Any]] = []
    monkeypatch.setattr(PageWidget, "send", lambda self, message, b=None: answers.append(message))
    page = PageWidget(title="Studio")
    page._handle_custom_msg({"type": "ping", "n": 3}, [])
    page._handle_custom_msg({"type": "stylesheet"}, [])
    assert answers[0] == {"type": "pong", "n": 3}
    assert "--nd-text" in answers[1]["text"]


def test_the_page_offers_text_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[tuple[dict[str, Any], Any]] = []
    monkeypatch.setattr(PageWidget, "send", lambda self, m, b=None: answers.append((m, b)))
    page = PageWidget()
    page.download("design.yaml", "gpus: 8\n", "text/yaml")
    page.download("bom.xlsx", b"PK", "application/zip")
    text, binary = answers
    assert text[0]["text"] == "gpus: 8\n"
    assert binary[1] == [b"PK"]
    assert binary[0]["filename"] == "bom.xlsx"


def test_the_query_that_the_page_was_opened_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUERY_STRING", "gpus=64")
    assert PageWidget().initial_query == "gpus=64"
    monkeypatch.delenv("QUERY_STRING")
    assert PageWidget().initial_query == ""


def test_the_permalink_goes_with_the_other_news_of_an_update() -> None:
    page, courier = PageWidget(), Courier()
    messages: list[dict[str, Any]] = []
    courier.send = messages.append
    with courier.bundle():
        page.query = "gpus=64"
    assert messages == [{"states": {page.model_id: {"query": "gpus=64"}}}]


def test_the_bundle_is_what_its_build_makes() -> None:
    assert RUNTIME.read_text(encoding="utf-8") == build()
    assert vl_convert.get_vega_version() in RUNTIME.read_text(encoding="utf-8")[:200]


def test_the_bundle_draws_what_altair_writes() -> None:
    import altair

    assert altair.SCHEMA_VERSION.lstrip("v").startswith(VEGALITE)


def test_the_bundle_ships_its_notices() -> None:
    notices = (STATIC / "THIRD_PARTY_NOTICES.txt").read_text(encoding="utf-8")
    for name in ("vega-lite", "vega-embed", "vega-tooltip", "lodash.debounce", "d3-scale"):
        assert name in notices
