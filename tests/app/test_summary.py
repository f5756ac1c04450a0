"""The executive summary without a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import netdesign.findings
from netdesign.app.summary import SummaryPage
from netdesign.app.summary_panels import beside, figures, plain, risks, trust
from netdesign.app.summary_panels.risks import IN_PLAIN_WORDS
from netdesign.app.transport import PageWidget
from netdesign.catalog import load_catalog
from netdesign.charts import spec, summary_money
from netdesign.charts.format import digits
from netdesign.charts.freeze import SPECS, frozen
from netdesign.design import (
    Design,
    default_design,
    design_to_query,
    design_to_yaml,
    renamed,
)
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.explore import alternatives
from netdesign.findings import Finding


def words(html: str) -> str:
    return re.sub(r"<[^>]+>", " ", html)


def made(**changes: object) -> Evaluation:
    paths = {path.replace("__", "."): value for path, value in changes.items()}
    return evaluate(default_design().with_values(paths))


def opened(query: str = "", **changes: object) -> SummaryPage:
    return SummaryPage(page=PageWidget(initial_query=query), **changes)


@pytest.fixture(scope="module")
def default() -> Evaluation:
    return evaluate(default_design())


def text_of(page: SummaryPage) -> str:
    return words(page.head.value + page.risks.value + page.rest.value)


def test_the_page_opens_with_the_shipped_design() -> None:
    page = opened()
    assert page.evaluation is not None
    assert page.evaluation.design == default_design()
    assert default_design().name in page.head.value
    assert page.banner.value == ""


def test_the_page_opens_with_the_design_of_a_permalink() -> None:
    design = default_design().with_values({"cluster.gpus": 256, "name": "A small one"})
    page = opened(design_to_query(design))
    assert page.evaluation.design == design
    assert "A small one" in page.head.value
    assert "256" in words(page.head.value)
    assert page.page.query == design_to_query(design)
    assert f"studio.ipynb?{design_to_query(design)}".replace("&", "&amp;") in page.head.value


def test_what_a_link_gets_wrong_is_told_and_the_rest_is_taken() -> None:
    page = opened("cluster.gpus=512&cluster.server=none-such&bogus.key=1")
    assert page.evaluation.design.cluster.gpus == 512
    assert "none-such" in page.banner.value
    assert "bogus.key" in page.banner.value


def test_a_plan_that_cannot_run_is_told_and_the_last_good_page_stays() -> None:
    page = opened()
    before = page.head.value
    page.show(default_design().with_values({"plan.mode": "manual", "plan.tensor": 7}))
    assert "plan.tensor" in page.banner.value
    assert page.head.value == before


def test_a_link_to_a_plan_that_cannot_run_opens_the_shipped_design() -> None:
    page = opened("plan.mode=manual&plan.tensor=7")
    assert "plan.tensor" in page.banner.value
    assert page.evaluation.design == default_design()
    assert default_design().name in page.head.value


def test_an_upload_replaces_the_design() -> None:
    page = opened()
    design = default_design().with_values({"cluster.gpus": 128, "name": "From a file"})
    content = design_to_yaml(design).encode()
    page.upload("mine.yaml", content, len(content))
    assert page.evaluation.design == design
    assert "From a file" in page.head.value
    assert page.banner.value == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"cluster: {gpus: 0}", "mine.yaml: cluster.gpus: 0 is out of range"),
        (b"cluster: {gpu: 8}", "cluster.gpu"),
        (b"a: [1", "is not YAML"),
        (b"\x80\x81", "is not YAML"),
        (None, "are too many"),
    ],
)
def test_a_wrong_upload_is_told_in_one_sentence(content: bytes | None, said: str) -> None:
    page = opened()
    before = page.head.value
    page.upload("mine.yaml", content, 70_000)
    assert said in words(page.banner.value)
    assert page.head.value == before


def test_what_comes_from_outside_is_escaped() -> None:
    evil = "<script>alert(1)</script>"
    page = opened(design_to_query(default_design().with_values({"name": evil})))
    page.upload(f"{evil}.yaml", b"cluster: {gpus: 0}")
    for html in (page.head.value, page.risks.value, page.rest.value, page.banner.value):
        assert "<script" not in html
    assert "&lt;script&gt;" in page.head.value
    assert "&lt;script&gt;" in page.banner.value


def test_an_unexpected_failure_is_told_without_its_inner_workings() -> None:
    def broken(design: Design) -> Evaluation:
        raise RuntimeError("the inner workings")

    page = opened(evaluate=broken)
    assert "could not be computed" in page.banner.value
    assert "inner workings" not in page.banner.value


def test_a_design_without_alternatives_says_so() -> None:
    def none(design: Design) -> tuple[()]:
        raise DesignError("plan.tensor", 8, "does not divide", "use 4")

    assert "No alternative could be computed" in opened(alternatives=none).rest.value


def test_headline_numbers_are_those_of_the_evaluation(default: Evaluation) -> None:
    found = {figure.key: figure for figure in figures.figures(default)}
    assert set(found) == {
        "capex",
        "network_share",
        "power",
        "network_wait",
        "training_days",
        "training_usd",
        "usd_per_million_tokens",
        "step_time",
    }
    assert str(found["capex"].said) == str(plain.usd(default.cost.capex_usd))
    low, high = default.step.step_time_low_s, default.step.step_time_high_s
    assert f"{digits(low)} to {digits(high)}" in found["step_time"].trust
    assert f"{default.cost.training_days:.0f}" == found["training_days"].said.number
    assert default.bom.price_book in found["capex"].trust
    assert all(figure.means and figure.trust for figure in found.values())


def test_the_range_of_the_run_is_that_of_the_step(default: Evaluation) -> None:
    low, high = plain.day_range(default)
    ratio = default.step.step_time_high_s / default.step.step_time_low_s
    assert float(high.number) / float(low.number) == pytest.approx(ratio, rel=0.01)


def test_a_bill_with_gaps_is_a_lower_bound() -> None:
    row = load_catalog().price_books["street-2026"]
    partly = made(cluster__server="dgx-h100", network__switch="qm9700")
    gaps = replace(
        partly,
        bom=replace(partly.bom, unpriced=("A part", "Another")),
        cost=replace(partly.cost, complete=False),
    )
    labels = {figure.key: figure.label for figure in figures.figures(gaps)}
    assert labels["capex"] == "To buy, at least"
    assert labels["training_usd"] == "The run costs, at least"
    assert "A part, Another" in words(trust.sources(gaps))
    assert "at least" in plain.outcome(gaps)
    assert row.prices


def test_a_design_without_any_price_shows_none() -> None:
    bare = made(economics__price_book="rail-only-2024", cluster__server="gb300-nvl72")
    unpriced = replace(bare, cost=replace(bare.cost, capex_usd=0.0, complete=False))
    said = {figure.key: str(figure.said) for figure in figures.figures(unpriced)}
    assert {said[key] for key in figures.NEEDS_PRICES} == {"no price", "–"}
    assert said["capex"] == "no price"
    assert "$0" not in plain.outcome(unpriced)
    assert "no prices: the costs cannot be compared" in beside.sentence(unpriced, unpriced)


def test_servers_without_a_price_leave_no_derived_money() -> None:
    # No book has a DGX B300: the bill holds the network alone.
    design = default_design().with_values(
        {"cluster.server": "dgx-b300", "network.switch": "q3400-ra"}
    )
    page = opened(design_to_query(design))
    evaluation = page.evaluation
    assert evaluation.bom.unpriced
    found = {figure.key: figure for figure in figures.figures(evaluation)}
    assert found["capex"].label == "To buy, at least"
    assert "servers have no price" in found["capex"].means
    for key in ("network_share", "training_usd", "usd_per_million_tokens"):
        assert str(found[key].said) == "–"
    assert "no price for its servers" in plain.outcome(evaluation)
    assert page.picture.children == (page.no_money,)
    rows = re.findall(r"<tr>(.*?)</tr>", page.rest.value)
    buy = next(row for row in rows if ">To buy<" in row)
    assert "at least" in buy
    assert "%" not in words(buy)
    assert "costs cannot be compared" in page.rest.value
    assert "of the purchase hang on" not in page.risks.value


def test_a_network_that_cannot_be_built_is_not_bought() -> None:
    page = opened("network.family=single-switch")
    evaluation = page.evaluation
    found = {figure.key: figure for figure in figures.figures(evaluation)}
    assert str(found["capex"].said) == "cannot be built"
    assert str(found["training_usd"].said) == "–"
    assert found["power"].label == "Power, at least"
    assert "several tiers" not in text_of(page)
    assert "as described it cannot" in plain.outcome(evaluation)
    assert "$" not in plain.outcome(evaluation)
    assert page.picture.children == (page.no_money,)


def test_a_design_that_does_not_work_gets_its_cure_instead_of_alternatives() -> None:
    def never(design: Design) -> tuple[()]:
        raise AssertionError("alternatives of a design that does not work")

    page = opened("network.family=single-switch", alternatives=never)
    html = page.rest.value
    assert "What would put it right" in html
    assert "Two alternatives" not in html
    finding = page.evaluation.findings[0]
    assert finding.fix in words(html)
    cured = renamed(page.evaluation.design.with_values({finding.field: finding.suggestion}))
    assert f'href="executive_summary.ipynb?{design_to_query(cured)}"'.replace("&", "&amp;") in html
    assert not [f for f in evaluate(cured).findings if f.severity == "error"]


def test_the_picture_of_the_money_comes_back() -> None:
    page = opened("network.family=single-switch")
    page.show(default_design())
    assert page.picture.children == (page.money.view,)
    assert page.print_line.data_age == f"Prices of {trust.price_dates(page.evaluation)}"


def test_a_rule_without_plain_words_speaks_itself(default: Evaluation) -> None:
    finding = Finding("a-new-rule", "warning", "Something is <odd>.", "Mend it.")
    told = replace(default, findings=(finding,))
    first = risks.risks(told)[0]
    assert first == ("warning", "Something is <odd>.", "", "Mend it.")
    assert "&lt;odd&gt;" in risks.section(told)


def test_shares_differ_by_points_and_not_by_per_cent(default: Evaluation) -> None:
    html = beside.section(default, alternatives(default.design))
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    share = next(row for row in rows if ">Network share<" in row)
    assert "points" in share
    assert not re.search(r"[+−][\d.]+\u00a0%", share)


@pytest.mark.parametrize(
    "evaluation",
    [
        default_design(),
        default_design().with_values({"cluster.gpus": 8, "model.preset": "llama-3.1-405b"}),
        default_design().with_values(
            {
                "network.oversubscription": 4,
                "network.switch": "sn5600",
                "network.transport": "roce-hashed",
            }
        ),
    ],
    ids=["shipped", "too small", "hashed"],
)
def test_there_are_always_three_risks(evaluation: Design) -> None:
    result = evaluate(evaluation)
    found = risks.risks(result)
    assert len(found) == 3
    kinds = [risk.kind for risk in found]
    assert kinds == sorted(kinds, key=list(risks.KINDS).index)
    said = [finding.fix for finding in result.findings[:3]]
    assert [risk.remedy for risk in found][: len(said)] == said
    assert all(risk.plain and risk.remedy for risk in found)


def test_plain_words_belong_to_rules_that_exist() -> None:
    folder = Path(netdesign.findings.__file__).parent
    source = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    codes = set(re.findall(r'Finding\(\s*"([a-z-]+)"', source))
    assert len(codes) > 15
    assert set(IN_PLAIN_WORDS) - codes == set(), "these rules are gone"


def test_what_stands_against_a_design_is_said_first() -> None:
    bad = made(cluster__gpus=8, model__preset="llama-3.1-405b")
    kind, sentence = plain.standing(bad)
    assert kind == "bad"
    assert "does not work yet" in sentence
    quiet = replace(bad, findings=())
    assert plain.standing(quiet) == ("good", "This design works, and no rule has an objection.")
    note = replace(quiet, findings=(Finding("n", "note", "A note.", ""),))
    assert plain.standing(note) == ("good", "This design works. 1 note below is good to know.")
    warning = replace(quiet, findings=(Finding("w", "warning", "A warning.", ""),))
    assert "1 point below costs time or money and wants a decision" in plain.standing(warning)[1]


def test_alternatives_stand_beside_with_their_differences(default: Evaluation) -> None:
    others = alternatives(default.design)
    html = beside.section(default, others)
    assert html.count('<th scope="col"') == 4
    for other in others:
        assert other.title in words(html)
        assert design_to_query(other.design).replace("&", "&amp;") in html
        change = (other.evaluation.cost.capex_usd - default.cost.capex_usd) / (
            default.cost.capex_usd
        )
        sign = "+" if change > 0 else "−"
        assert f"{sign}{abs(change):.1%}".removesuffix("%") in words(html)


@pytest.mark.parametrize(
    ("capex", "days", "said"),
    [
        (0.9, 1.0, "less to buy and takes the same time"),
        (0.9, 1.1, "less to buy but takes"),
        (1.1, 0.9, "more to buy but takes"),
        (1.1, 1.1, "more to buy and takes"),
        (1.0, 1.0, "the same to buy and takes the same time"),
    ],
)
def test_the_sentence_weighs_money_against_time(
    default: Evaluation, capex: float, days: float, said: str
) -> None:
    cost = replace(
        default.cost,
        capex_usd=capex * default.cost.capex_usd,
        training_days=days * default.cost.training_days,
    )
    assert said in beside.sentence(default, replace(default, cost=cost, findings=()))


def test_an_alternative_that_does_not_work_says_so(default: Evaluation) -> None:
    bad = made(cluster__gpus=8, model__preset="llama-3.1-405b")
    assert beside.sentence(default, bad).startswith("It does not work:")


def test_the_words_of_the_page_are_explained(default: Evaluation) -> None:
    text = text_of(opened())
    for word in ("GPU", "Token", "Step", "Network share", "Oversubscription", "Price book"):
        assert word in text
    for jargon in ("MFU", "FSDP", "busbw", "all-reduce", "ZeRO"):
        assert jargon not in text


def test_prices_come_with_book_sources_and_dates(default: Evaluation) -> None:
    text = words(trust.sources(default))
    assert default.bom.price_book in text
    references = load_catalog().references
    for row in trust.priced_rows(default):
        assert references[row.price_source].title in text
        assert row.price_date
    dates = [row.price_date for row in trust.priced_rows(default)]
    assert min(dates) in text
    assert max(dates) in text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (42_667_520, "$42.7\u00a0million"),
        (15e6, "$15\u00a0million"),
        (1.2e9, "$1.20\u00a0billion"),
        (114_888, "$115,000"),
        (2002.1, "$2,000"),
        (0.4534, "$0.453"),
        (float("nan"), "–"),
    ],
)
def test_dollars_as_a_manager_reads_them(value: float, said: str) -> None:
    assert str(plain.usd(value)) == said


def test_a_design_that_kept_the_first_name_gets_a_true_one() -> None:
    assert plain.title(made(cluster__gpus=64)) == "Llama 3 70B on 64 H100 SXM"
    assert plain.title(made()) == default_design().name
    assert plain.title(made(cluster__gpus=64, name="Mine")) == "Mine"


def test_the_money_chart_adds_up_and_names_what_it_is(default: Evaluation) -> None:
    rows = summary_money.data(default)
    assert sum(row["x"] for row in rows["bars"]) == pytest.approx(default.bom.total_usd)
    network = sum(row["x"] for row in rows["bars"] if row["which"] == "network")
    assert network == pytest.approx(default.bom.network_usd)
    assert rows["frame"][0]["limit"] >= max(row["x"] for row in rows["bars"])
    named = set(re.findall(r"'name': '(\w+)'", str(spec("summary_money")["layer"])))
    assert set(rows) <= named
    assert "Servers" in summary_money.label(default)


def test_the_frozen_chart_is_that_of_its_builder() -> None:
    text = (SPECS / "summary_money.json").read_text(encoding="utf-8")
    assert text == frozen("summary_money")


def test_gpus_of_a_number_are_one_switch_apart_only_where_each_rail_has_one_leaf() -> None:
    small = made(cluster__gpus=256, network__family="rail-optimised")
    large = made(cluster__gpus=1024, network__family="rail-optimised")
    assert (small.fabric.leaves, large.fabric.leaves) == (8, 32)
    assert "within a group" not in plain.description(small)
    assert "within a group" in plain.description(large)
