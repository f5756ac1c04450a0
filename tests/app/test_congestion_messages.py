"""What a key press on the congestion page sends, and what makes its picture quick to draw."""

from __future__ import annotations

import json
from typing import Any

import pytest

from netdesign.app.congestion_failures import CongestionFailures
from netdesign.app.courier import Courier
from netdesign.app.pictures import CarriedChart
from netdesign.app.transport import ChartView
from netdesign.app.transport.chart_view import news
from netdesign.charts import spec

SPEC = {"data": {"name": "links"}, "mark": "rule"}
BASE = {"links": {"x": [1, 2], "load": [0.1, 0.2]}, "names": [{"text": "leaf"}]}


def heard(chart: ChartView) -> None:
    """What the page says when it lays news over what it has."""
    chart._handle_custom_msg({"type": "ready", "revision": chart.revision}, [])


def messages_of(courier: Courier, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(courier, "send", lambda message: sent.append(message["states"]))
    return sent


def test_news_are_unknown_sets_and_columns_that_differ() -> None:
    known: dict[str, Any] = {**BASE, "key": {"text": ["a"]}}
    fresh = {
        **known,
        "links": {"x": [1, 2], "load": [0.1, 0.9]},
        "key": {"text": ["a", "b"]},
        "titles": {"text": []},
    }
    assert news(known, fresh) == {
        "links": {"changed": {"load": [0.1, 0.9]}},
        "key": {"text": ["a", "b"]},
        "titles": {"text": []},
    }
    assert news(known, known) == {}
    assert news({}, known) == known


def test_rows_and_other_columns_are_sent_whole() -> None:
    fewer = {"links": {"x": [1, 2]}}
    assert news(BASE, fewer) == fewer
    rows = {"names": [{"text": "spine"}]}
    assert news(BASE, rows) == rows


def test_a_page_that_has_not_spoken_gets_everything() -> None:
    chart = ChartView(SPEC, data=BASE)
    chart.show({"links": {"x": [1, 2], "load": [0.1, 0.3]}})
    assert chart.get_state({"data"})["data"] == chart.data
    heard(chart)
    chart.show({"links": {"x": [1, 2], "load": [0.1, 0.4]}})
    # the message has gone out: nothing is new any more
    assert chart.get_state({"data"})["data"] == {}
    assert chart.get_state()["data"] == chart.data
    # a page that asks for the whole state is a new one, and has not spoken
    assert chart.get_state({"data"})["data"] == chart.data


def test_a_page_that_missed_something_gets_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    chart = ChartView(SPEC, data=BASE)
    sent: list[Any] = []
    monkeypatch.setattr(chart, "send_state", lambda key=None: sent.append(chart.get_state(key)))
    chart.revision = 7
    sent.clear()
    chart._handle_custom_msg({"type": "ready", "revision": 6}, [])
    assert [state["data"] for state in sent] == [BASE]
    chart._handle_custom_msg({"type": "ready", "revision": 7}, [])
    assert len(sent) == 1


def test_two_changes_in_one_bundle_are_one_piece_of_news(monkeypatch: pytest.MonkeyPatch) -> None:
    courier, chart = Courier(), CarriedChart(SPEC, data=BASE)
    sent = messages_of(courier, monkeypatch)
    heard(chart)
    with courier.bundle():
        chart.show({"links": {"x": [1, 3], "load": [0.1, 0.2]}})
        chart.show({"names": [{"text": "spine"}]})
    (states,) = sent
    assert states[chart.model_id]["data"] == {
        "links": {"changed": {"x": [1, 3]}},
        "names": [{"text": "spine"}],
    }


@pytest.mark.parametrize("change", [{"seed": 5}, {"queue_pairs": 2}])
def test_another_load_on_the_same_fabric_is_a_small_message(
    change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = CongestionFailures()
    for picture in (page.fabric.ports, page.heat.picture):
        heard(picture.view)
    sent = messages_of(page.courier, monkeypatch)
    page.change(change)
    (states,) = sent
    drawn = states[page.fabric.ports.view.model_id]["data"]
    assert set(drawn) == {"links", "ports"}
    assert set(drawn["links"]["changed"]) <= {"colour", "load"}
    assert set(drawn["ports"]["changed"]) == {"colour"}
    whole = len(json.dumps(page.fabric.ports.view.data))
    assert len(json.dumps(drawn)) < whole / 5


@pytest.mark.parametrize("name", ["fabric_ports", "fabric_tiers"])
def test_links_are_painted_without_dashes_and_layers(name: str) -> None:
    """Dashes of [1, 0] and an opacity of each mark look the same, and cost far more."""
    links = spec(name)["layer"][0]["encoding"]
    assert "opacity" not in links
    assert links["strokeDash"]["value"] == []


def test_colours_of_the_theme_are_parameters_where_a_canvas_is_drawn() -> None:
    page = CongestionFailures()
    drawn = page.fabric.ports.view
    assert drawn.options["renderer"] == "canvas"
    names = {param["name"] for param in drawn.spec["params"]}
    assert {"theme_box", "theme_box_line", "theme_muted"} <= names
