"""The Topology explorer prices a fabric as the Studio does that sent a planner there."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from netdesign.app.explorer import Explorer
from netdesign.app.explorer_panels.request import default_request, from_query
from netdesign.app.panels.network import _as_request
from netdesign.app.transport import PageWidget
from netdesign.catalog import load_catalog
from netdesign.design import Design, default_design, read_design, shipped_designs
from netdesign.economics.counted_parts import Cabling, counted_parts
from netdesign.evaluate import Evaluation, evaluate
from netdesign.rivals import contend

BOOKS = tuple(load_catalog().price_books)


def fabric_usd(evaluation: Evaluation) -> float | None:
    """Switches, modules and cables of the Studio's bill; None where a price is missing."""
    rows = [row for row in evaluation.bom.rows if row.network and row.kind != "nic"]
    totals = [row.total_usd for row in rows]
    return None if None in totals else sum(usd or 0.0 for usd in totals)


def explorer_usd(evaluation: Evaluation) -> float | None:
    request, ignored = from_query(urlencode(_as_request(evaluation)))
    assert ignored == ()
    found = contend(request.spec(), request.switch, request.book, request.cabling)
    assert found.price is not None
    return found.price.cost_usd


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("name", list(shipped_designs()))
def test_the_link_of_the_studio_brings_its_price(name: str, book: str) -> None:
    evaluation = evaluate(read_design(name).with_values({"economics.price_book": book}))
    assert explorer_usd(evaluation) == pytest.approx(fabric_usd(evaluation))


@pytest.mark.parametrize(
    "changes",
    [
        {"network.access_length_m": 2.0},
        {"network.spine_length_m": 200.0},
        {"network.oversubscription": 2.0},
        {"cluster.gpus": 4096},
        {"cluster.gpus": 4096, "network.family": "fat-tree-3"},
    ],
)
def test_other_lengths_tapers_and_sizes_too(changes: dict[str, object]) -> None:
    design: Design = default_design().with_values(changes)
    evaluation = evaluate(design)
    assert fabric_usd(evaluation) is not None
    assert explorer_usd(evaluation) == pytest.approx(fabric_usd(evaluation))


def test_a_newcomer_reads_the_same_sum_on_both_pages() -> None:
    request = default_request()
    assert request.book.name == default_design().economics.price_book
    found = contend(request.spec(), request.switch, request.book, request.cabling)
    assert found.price is not None
    assert found.price.cost_usd == pytest.approx(4_267_520)
    assert found.price.notes[-1] == (
        "prices of street-2026, links by their modules and cables of 10 m to servers and 30 m "
        "between switches"
    )


def test_the_page_names_its_price_book_and_what_it_counts() -> None:
    page = Explorer(page=PageWidget(initial_query="price_book=rail-only-2024"))
    assert "prices of rail-only-2024" in page.table.text.value
    assert "by the transceivers at their ends, cables not counted" in page.notes.text.value


def test_direct_families_have_parts_for_every_link() -> None:
    cabling = Cabling(128, 10.0, 30.0, twin_port_cages=True)
    for family in ("dragonfly", "slim-fly", "hyperx", "torus", "dragonfly-plus"):
        request = default_request().with_values({"family": family})
        counts = contend(request.spec(), request.switch, request.book).counts
        assert counts is not None
        found = counted_parts(counts, cabling)
        assert sum(one.links for one in found) == sum(counts.links.values())
        for one in found:
            modules = sum(part.quantity for part in one.parts if part.kind == "transceiver")
            # one twin-port module serves two link ends
            assert one.links - 1 <= modules <= 1.2 * one.links + counts.total_switches, family
