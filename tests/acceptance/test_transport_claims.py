"""What the two founding articles claim of InfiniBand and RoCE, recomputed.

The letters are those of the articles' claims, as in ``test_claims``.
"""

from __future__ import annotations

import math

import pytest

from netdesign.catalog import load_catalog
from netdesign.comparison import Comparison, Pricing, compare, compare_transports
from netdesign.comparison.verdict import verdict
from netdesign.design import default_design, read_design
from netdesign.evaluate import evaluate

PAIR = ("infiniband", "roce-hashed")


def at(
    gpus: int, transport: str, discount: float, overrides: dict[str, float] | None = None
) -> Comparison:
    return compare_transports(
        default_design().with_values({"cluster.gpus": gpus}),
        ("infiniband", transport),
        pricing=Pricing(discount),
        overrides={transport: overrides} if overrides else None,
    )


@pytest.mark.parametrize(
    ("transport", "share"),
    [("roce-adaptive", 0.986), ("roce-scheduled", 0.986), ("roce-hashed", 0.909)],
)
def test_a11_roce_reaches_95_percent_of_infiniband_where_it_is_balanced(
    transport: str, share: float
) -> None:
    transports = load_catalog().transports
    reached = transports[transport].efficiency / transports["infiniband"].efficiency
    assert reached == pytest.approx(share, abs=2e-3)
    assert (reached >= 0.95) == (transport != "roce-hashed")


def test_a12_seven_percent_less_is_hashing_and_not_the_end_to_end_loss() -> None:
    hashed = load_catalog().transports["roce-hashed"].balance_efficiency
    assert 1 - hashed == pytest.approx(0.078, abs=1e-3)  # of bus bandwidth at 64 GPUs
    found = at(64, "roce-hashed", 0.4)
    assert 0 <= found.loss < 0.01  # of a training step of the same size
    # Were the 7 % end to end, 40 % off a tenth of the purchase would not pay for it.
    assert found.affordable_loss < 0.07


def test_a12_forty_percent_cheaper_is_in_no_price_book() -> None:
    files = compare(default_design(), read_design("llama-3-70b-1024-h100-ethernet"))
    assert 0 < files.discount < 0.05
    without = compare_transports(default_design(), PAIR, switches=("", "sn5400"))
    assert math.isnan(without.discount)  # said, not assumed
    assert at(64, "roce-hashed", 0.4).discount == pytest.approx(0.4)


def test_a13_no_cross_over_lies_between_128_and_256_gpus() -> None:
    for transport in ("roce-hashed", "roce-adaptive"):
        for discount in (0.0, 0.05, 0.1, 0.4):
            winners = {verdict(at(gpus, transport, discount)).winner for gpus in (64, 128, 256)}
            assert len(winners) == 1, (transport, discount)


def test_a13_where_the_winner_changes_moves_with_routing_and_price() -> None:
    sizes = (512, 1024, 2048, 4096, 8192, 16384)

    def first_lost(discount: float, balance: float) -> float:
        own = {"balance_efficiency": balance}
        lost = (g for g in sizes if verdict(at(g, "roce-hashed", discount, own)).winner == "first")
        return next(lost, math.inf)

    assert first_lost(0.05, 0.5) < first_lost(0.05, 1.0)
    assert first_lost(0.05, 0.5) < first_lost(0.4, 0.5)
    assert first_lost(0.4, 1.0) == math.inf


def test_b07_roce_is_cheaper_by_the_book_but_not_to_be_told_apart_for_the_money() -> None:
    found = compare(default_design(), read_design("llama-3-70b-1024-h100-ethernet"))
    assert found.measure("capex_usd").better == "second"
    assert found.measure("tokens_per_usd").better == "same"
    # From a per cent or two of discount on the fabric it is cheaper for each token, too.
    assert 0 < found.breakeven_discount < 0.05
    assert evaluate(default_design()).cost.network_share == pytest.approx(0.10, abs=0.01)
