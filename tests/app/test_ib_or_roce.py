"""The page IB or RoCE without a browser: set values, read what the panels would show."""

from __future__ import annotations

import csv
import io
import logging
import re
import shlex
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from moved_clock import Clock
from typer.testing import CliRunner

from netdesign.app import ib_or_roce as module
from netdesign.app.ib_or_roce import IbOrRoce
from netdesign.app.ib_or_roce_panels.controls import BalanceField, SwitchField
from netdesign.app.ib_or_roce_panels.panels import command
from netdesign.app.ib_or_roce_panels.request import (
    default_request,
    from_query,
    names,
    to_query,
)
from netdesign.app.ib_or_roce_panels.request import (
    settings as page_settings,
)
from netdesign.app.transport import PageWidget
from netdesign.catalog import load_catalog
from netdesign.cli import app as cli
from netdesign.comparison import Pricing, compare_transports
from netdesign.comparison.verdict import verdict
from netdesign.design import read_design
from netdesign.export.comparison import comparison_record


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def page(clock: Clock) -> IbOrRoce:
    return IbOrRoce(clock=clock)


def opened(query: str) -> IbOrRoce:
    return IbOrRoce(page=PageWidget(initial_query=query))


def shown(page: IbOrRoce) -> str:
    panels = [page.headline, page.table, page.files]
    return "".join(panel.text.value for panel in panels)


def everything(page: IbOrRoce) -> tuple[Any, ...]:
    pictures = page.pictures
    views = (pictures.balance.view, pictures.message.view, pictures.discount.view)
    sides = tuple(text.value for text in page.sides.texts)
    return (shown(page), sides, *(view.data for view in views))


def test_every_setting_has_a_tip_a_source_and_a_default_it_may_have() -> None:
    for path, setting in page_settings().items():
        assert setting.help, path
        assert setting.source in load_catalog().references, path
    assert default_request().with_values(dict(default_request().values)) == default_request()


def test_the_first_view_is_the_comparison_of_floor_3(page: IbOrRoce) -> None:
    expected = compare_transports(
        read_design("llama-3-70b-1024-h100"), ("infiniband", "roce-hashed"), pricing=Pricing(0.0)
    )
    assert page.answer is not None
    assert comparison_record(page.answer.comparison) == comparison_record(expected)
    assert verdict(expected).sentence in page.headline.text.value
    assert page.banner.widget.value == ""


@pytest.mark.parametrize(
    "change",
    [
        {"gpus": 4096},
        {"balance": 0.6},
        {"queue_pairs": 8},
        {"mtu": 1024},
        {"discount": 25.0},
        {"message": 1.0},
        {"exposed": 12.0},
        {"basis": "book"},
        {"first": "roce-adaptive"},
        {"second": "srd"},
        {"design": "llama-3.1-405b-16384-h100"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_control_changes_the_page_and_undo_brings_it_back(
    page: IbOrRoce, clock: Clock, change: dict[str, Any]
) -> None:
    page.change({"gpus": 2048})
    clock.now += 5
    before = everything(page)
    page.change(change)
    assert everything(page) != before
    page.toolbar.act("undo", "")
    assert everything(page) == before
    page.toolbar.act("redo", "")
    assert everything(page) != before


def test_a_figure_of_the_data_keeps_its_grade_and_a_planners_is_named(page: IbOrRoce) -> None:
    second = page.sides.texts[1]
    assert re.search(r"92\.2 % \(81\.4 % to 92\.2 %\)</td><td>secondary", second.value)
    page.change({"balance": 0.95})
    assert re.search(r"95\.0 %</td><td>yours", second.value)
    page.change({"balance": 0})
    assert "yours" not in second.value


def test_another_fabric_brings_its_balance_and_another_design_its_size(page: IbOrRoce) -> None:
    page.change({"queue_pairs": 16})
    page.change({"second": "roce-adaptive"})
    request = page.state.inputs
    assert (request.balance, request.own_balance, request.value("queue_pairs")) == (1.0, False, 1)
    page.change({"design": "llama-3.1-405b-16384-h100"})
    assert page.state.inputs.gpus == 16384


def test_what_cannot_be_computed_is_said_and_the_last_comparison_stays(page: IbOrRoce) -> None:
    page.change({"design": "llama-3.1-405b-16384-h100"})
    before = everything(page)
    page.change({"gpus": 64})
    assert everything(page) == before
    assert 'role="alert"' in page.banner.widget.value
    complaint = page.controls.field("gpus")._complaint
    assert complaint is not None
    assert "128 GPUs" in complaint.value
    page.toolbar.act("undo", "")
    assert page.banner.widget.value == ""


@pytest.mark.parametrize(
    ("path", "typed", "said"),
    [
        ("balance", "1.5", "out of range"),
        ("gpus", "many", "not a whole number"),
        ("discount", "nan", "not a number"),
        ("mtu", "1e99", "out of range"),
    ],
)
def test_a_wrong_number_is_said_beside_its_control(
    page: IbOrRoce, path: str, typed: str, said: str
) -> None:
    before = everything(page)
    field = page.controls.field(path)
    field.text.value = typed  # type: ignore[attr-defined]
    assert field._complaint is not None
    assert said in field._complaint.value
    assert everything(page) == before


def test_a_bug_of_ours_is_a_sentence_and_a_log_line(
    page: IbOrRoce, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError

    before = everything(page)
    monkeypatch.setattr(module, "answer", broken)
    with caplog.at_level(logging.ERROR):
        page.change({"balance": 0.5})
    assert page.unexpected in page.banner.widget.value
    assert "ZeroDivisionError" in caplog.text
    assert everything(page) == before


def test_the_balance_follows_the_queue_pairs_until_a_person_gives_a_number(page: IbOrRoce) -> None:
    field = page.controls.field("balance")
    assert isinstance(field, BalanceField)
    assert field.text.value == "auto"
    assert "automatic: 0.922 for 1 queue pair" in field.note.value
    page.change({"queue_pairs": 4})
    # 1 / (1 + (1 / 0.922 - 1) / 2): what hashing costs falls with the root of four
    assert "automatic: 0.959 for 4 queue pairs" in field.note.value
    (dot,) = page.pictures.balance.view.data["today"]
    assert page.answer is not None
    assert (
        dot["b"]
        == page.answer.comparison.second.figures.balance.value
        == pytest.approx(0.959, abs=1e-3)
    )
    field.text.value = "0.8"
    assert page.state.inputs.balance == 0.8
    assert page.answer.comparison.second.figures.balance.value == 0.8
    assert "yours; write auto for 0.959 for 4 queue pairs" in field.note.value
    assert page.controls.field("queue_pairs").slider.disabled  # type: ignore[attr-defined]
    field.text.value = "auto"
    assert page.answer.comparison.second.figures.queue_pairs == 4
    assert "automatic: 0.959" in field.note.value


def test_a_transport_with_queue_pairs_of_its_own_does_not_take_more(page: IbOrRoce) -> None:
    page.change({"second": "roce-queue-pairs"})
    page.change({"queue_pairs": 16})
    assert page.answer is not None
    balance = page.answer.comparison.second.figures.balance.value
    assert balance == load_catalog().transports["roce-queue-pairs"].balance_efficiency
    assert "for 4 queue pairs" in page.controls.field("balance").note.value  # type: ignore[attr-defined]
    assert page.controls.field("queue_pairs").slider.disabled  # type: ignore[attr-defined]


@pytest.mark.parametrize("typed", ["0.1", "-1", "two", "1.01"])
def test_a_balance_out_of_range_is_refused(page: IbOrRoce, typed: str) -> None:
    page.controls.field("balance").text.value = typed  # type: ignore[attr-defined]
    assert not page.state.inputs.own_balance
    assert page.controls.field("balance")._complaint is not None


def test_either_side_has_a_choice_of_switches_that_carry_its_transport(page: IbOrRoce) -> None:
    field = page.controls.field("switch_b")
    assert isinstance(field, SwitchField)
    technologies = {load_catalog().switches[key].technology for _, key in field.list.options[1:]}
    assert technologies == {"ethernet"}
    field.list.value = "sn5600"
    assert page.answer is not None
    assert page.answer.comparison.second.design.network.switch == "sn5600"
    assert "SN5600 was asked for" in page.table.text.value
    assert "--switches ,sn5600" in command(page.answer)
    page.change({"second": "infiniband"})
    assert page.state.inputs.switches == ("", "")
    assert field.list.value == "auto"
    page.change({"switch_a": "qm9790"})
    assert page.answer.comparison.first.design.network.switch == "qm9790"


def test_a_link_with_a_switch_that_cannot_be_says_so() -> None:
    page = opened("switch_b=qm9700&switch_a=qm9790")
    assert page.state.inputs.switches == ("qm9790", "")
    assert "does not carry the transport of its side" in page.toolbar.value


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"discount": 10.0}, ["B loses", "saves 1.0"]),
        ({"discount": -10.0}, ["B loses", "costs 1.0", "more"]),
        ({"first": "roce-hashed", "second": "infiniband", "discount": 5.0}, ["B gains", "saves"]),
        ({"second": "infiniband", "discount": 0.0}, ["A and B are the same"]),
        ({"switch_b": "sn5400", "basis": "book"}, ["B loses"]),
    ],
)
def test_the_line_in_brief_has_no_negative_saving(
    page: IbOrRoce, change: dict[str, Any], said: list[str]
) -> None:
    page.change(change)
    for words in said:
        assert words in page.brief.value.replace("\u00a0", " ")
    assert "nan" not in page.brief.value
    assert "-" not in re.sub("<[^>]*>", "", page.brief.value)


def test_a_control_that_moves_one_picture_stands_with_it(page: IbOrRoce) -> None:
    cards = page.pictures.widgets
    for path, card in (("message", cards[1]), ("exposed", cards[2])):
        widget = page.controls.field(path).widget
        assert widget in card.children
        assert all(widget not in group.children for group in page.controls.widget.children)


def test_the_map_says_what_is_held_fixed(page: IbOrRoce) -> None:
    page.change({"discount": 10.0, "switch_b": "sn5600"})
    said = page.pictures.fixed.value
    for words in ("Held fixed", "10 % cheaper", "QM9700 and SN5600", "MTU 4,096"):
        assert words in said


def test_values_of_the_table_have_their_bands(page: IbOrRoce) -> None:
    cell = re.search(r"<td>step time</td><td[^>]*>(.*?)</td>", page.table.text.value)
    assert cell is not None
    value, low, high = re.findall(r"\d+\.\d+", cell[1])
    assert {len(number.replace(".", "")) for number in (value, low, high)} == {3}
    assert float(low) < float(value) < float(high)


def test_the_exposed_share_of_a_planner_moves_the_picture_alone(page: IbOrRoce) -> None:
    page.change({"discount": 10.0})
    table = page.table.text.value
    page.change({"exposed": 40.0})
    assert page.table.text.value == table
    assert "40\u00a0% of the step is exposed" in page.pictures.said.value


def test_a_price_by_the_book_has_no_discount(page: IbOrRoce) -> None:
    page.change({"basis": "book", "switch_b": "sn5400"})
    assert "no price of SN5400" in page.table.text.value
    page.change({"switch_b": "auto"})
    assert "SN5600 stands in" in page.table.text.value
    assert page.controls.field("discount").slider.disabled  # type: ignore[attr-defined]


REQUESTS = st.fixed_dictionaries(
    {
        "first": st.sampled_from(sorted(names("first"))),
        "second": st.sampled_from(sorted(names("second"))),
        "balance": st.integers(200, 1000).map(lambda n: n / 1000),
        "discount": st.integers(-20, 80).map(float),
        "queue_pairs": st.integers(1, 128),
        "basis": st.sampled_from(sorted(names("basis"))),
    }
)


@given(values=REQUESTS)
@settings(max_examples=60)
def test_an_address_brings_a_request_back(values: dict[str, Any]) -> None:
    request = default_request().with_values(values)
    assert from_query(to_query(request)) == (request, ())


@given(text=st.text(max_size=80))
@settings(max_examples=60)
def test_any_address_opens(text: str) -> None:
    from_query(text)
    from_query(f"balance={text}&second={text}&gpus={text}")


def test_a_page_opens_at_its_address_and_says_what_it_ignored() -> None:
    page = opened("?v=1&gpus=4096&discount=10&balance=7&second=token-ring")
    assert page.state.inputs.gpus == 4096
    assert not page.state.inputs.own_balance
    assert page.state.inputs.balance == 0.922
    assert "Ignored in the link" in page.toolbar.value
    assert "&#x27;token-ring&#x27;" in page.toolbar.value
    assert not page.state.can_undo


def test_files_hold_the_comparison(page: IbOrRoce, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[tuple[str, str, str]] = []
    monkeypatch.setattr(page.files, "_download", lambda *file: saved.append(file))
    page.files.text.act("markdown", "")
    page.files.text.act("csv", "")
    assert [name for name, _, _ in saved] == ["ib-or-roce.md", "ib-or-roce.csv"]
    assert page.answer is not None
    assert page.answer.verdict.sentence in saved[0][1]
    rows = list(csv.DictReader(io.StringIO(saved[1][1])))
    assert {row["measure"] for row in rows} >= {"step_time_s", "tokens_per_usd", "power_w"}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"discount": -10.0, "gpus": 4096},
        {"balance": 0.7, "queue_pairs": 4, "mtu": 1024, "basis": "book"},
        {"second": "srd", "mtu": 2048},
        {"queue_pairs": 4, "switch_a": "qm9790"},
        {"basis": "book"},
    ],
)
def test_the_command_of_the_page_says_the_same(page: IbOrRoce, change: dict[str, Any]) -> None:
    page.change(change)
    assert page.answer is not None
    words = shlex.split(command(page.answer))
    assert words[0] == "netdesign"
    run = CliRunner().invoke(cli, words[1:])
    assert run.exit_code == 0, run.output
    assert page.answer.verdict.sentence in run.output
