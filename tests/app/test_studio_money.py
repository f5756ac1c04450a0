"""Prices, the bill and the money on the tiles of the Studio."""

from __future__ import annotations

import re

import pytest

from netdesign.app.panels.price_file import bill_csv
from netdesign.app.studio import Studio
from netdesign.catalog import read_price_file

PRICES = b"part_id,price_usd\nqm9700,1\n"


def number(studio: Studio, key: str) -> str:
    tile = next(n for n in studio.headline._numbers if n.key == key)
    return str(tile.said)


def test_own_prices_change_the_bill_and_are_named(studio: Studio) -> None:
    before = studio.evaluation.bom.total_usd
    studio.bill.book.act("upload-prices", "quotes.csv", PRICES, len(PRICES))
    assert studio.evaluation.bom.total_usd < before
    assert "quotes.csv" in studio.bill.book.value
    assert studio.bill.picture.view.data["bars"]
    studio.bill.book.act("forget-prices", "")
    assert studio.evaluation.bom.total_usd == before
    assert "quotes.csv" not in studio.bill.book.value


def test_prices_of_unknown_parts_are_counted_with_the_nearest_id(studio: Studio) -> None:
    before = studio.evaluation.bom
    none = b"part_id,price_usd\nqm-9700,1\n"
    studio.bill.book.act("upload-prices", "quotes.csv", none, len(none))
    assert "0 of 1 rows match" in studio.bill.book.value
    assert "nearest id: qm9700" in studio.bill.book.value
    assert studio.evaluation.bom is before
    some = PRICES + b"<b>zzz</b>,2\n"
    studio.bill.book.act("upload-prices", "quotes.csv", some, len(some))
    assert "1 of 2 rows match" in studio.bill.book.value
    assert "<b>zzz" not in studio.bill.book.value
    assert studio.evaluation.bom.total_usd < before.total_usd


def test_the_bill_is_a_price_file_of_the_same_total(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: dict[str, str] = {}
    monkeypatch.setattr(
        studio.page, "download", lambda name, text, mime: saved.update({name: text})
    )
    studio.bill.book.act("download-bill", "")
    ((name, text),) = saved.items()
    assert name.endswith("-bill.csv")
    assert text.splitlines()[0] == "part_id,name,quantity,price_usd,source,date"
    book = read_price_file(name, text.encode())
    before = studio.evaluation.bom.total_usd
    studio.bill.book.act("upload-prices", name, text.encode(), len(text))
    assert studio.evaluation.bom.total_usd == pytest.approx(before)
    priced = [row for row in studio.evaluation.order.rows if row.unit_price_usd is not None]
    assert set(book.prices) == {row.part_id for row in priced}


def test_a_part_without_a_price_stays_empty_in_the_file(studio: Studio) -> None:
    studio.change({"cluster.server": "dgx-b300"})
    lines = bill_csv(studio.evaluation.bom.rows).splitlines()
    server = next(line for line in lines if line.startswith("dgx-b300,"))
    assert server.split(",")[3] == ""


def test_without_a_price_of_the_servers_no_sum_stands_for_the_cluster(studio: Studio) -> None:
    studio.change({"cluster.server": "dgx-b300"})
    tile = next(n for n in studio.headline._numbers if n.key == "capex")
    assert tile.label == "Cluster, at least"
    assert tile.note == "no server price"
    assert number(studio, "network_share") == "–"
    html = re.sub(r"</?button[^>]*>", "", studio.bill.facts.value)
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html))
    assert facts["Compute cluster"].startswith("at least $")
    for name in ("Owning, per GPU-hour", "Per million tokens", "Whole training"):
        assert facts[name] == "–"


def test_a_fabric_that_cannot_be_built_is_no_purchase(studio: Studio) -> None:
    studio.change({"network.family": "single-switch"})
    assert not studio.evaluation.fabric.buildable
    notes = {n.key: (n.note, n.verdict) for n in studio.headline._numbers}
    assert notes["capex"] == notes["bandwidth"] == ("cannot be built", "bad")


def test_one_line_says_step_cost_and_findings(studio: Studio) -> None:
    assert number(studio, "step_time") in studio.headline.brief.value
    assert number(studio, "capex") in studio.headline.brief.value
    studio.change({"network.oversubscription": 8.0})
    assert f">{len(studio.evaluation.findings)} finding" in studio.headline.brief.value


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("q.csv", b"part_id,cost\nqm9700,1\n", "column"),
        ("q.csv", b"part_id,price_usd\nqm9700,cheap\n", "is not a number"),
        ("q.exe", b"MZ", "csv"),
        ("q.xlsx", b"not a workbook", "cannot be read"),
        ("q.csv", None, "too large"),
    ],
)
def test_a_bad_price_file_is_told_beside_its_field(
    studio: Studio, name: str, content: bytes | None, sentence: str
) -> None:
    before = studio.evaluation.bom
    studio.bill.book.act("upload-prices", name, content, 5)
    assert sentence in studio.bill.book.value
    assert studio.evaluation.bom is before
