"""Pictures of the cross-overs: what they draw is what was computed."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from test_specs import named_data

from netdesign.charts import crossover_balance, crossover_discount, crossover_message, spec
from netdesign.comparison import Pricing, compare_transports
from netdesign.comparison.crossover import (
    BALANCES,
    DISCOUNTS,
    GPU_COUNTS,
    MESSAGES,
    balance_map,
    exposure_case,
    exposure_lines,
    message_curves,
)
from netdesign.design import default_design, read_design

PAIR = ("infiniband", "roce-hashed")
NAMES = ("InfiniBand", "RoCE")


def mapped(discount=0.1, design=None, gpus=GPU_COUNTS):
    return balance_map(
        design or default_design(),
        PAIR,
        gpus=gpus,
        balance=np.array(BALANCES),
        pricing=None if discount is None else Pricing(discount),
    )


def compared(discount=0.1, transports=PAIR):
    pricing = None if discount is None else Pricing(discount)
    # by the book the switch of like ports, which has no price
    switches = ("", "sn5400") if discount is None else ()
    return compare_transports(default_design(), transports, pricing=pricing, switches=switches)


def discounts(found, exposed=None):
    lines = exposure_lines(found, np.array(DISCOUNTS))
    return lines, exposure_case(found, exposed), found.discount


def curves():
    found = compared()
    return message_curves(found.first, found.second, np.array(MESSAGES))


CASES = [
    (crossover_balance, "crossover_balance", lambda: (mapped(), 1024, 0.922, NAMES)),
    (crossover_balance, "crossover_balance", lambda: (mapped(None), 1024, 0.922, NAMES)),
    (crossover_message, "crossover_message", lambda: (curves(), 2.0**28)),
    (crossover_discount, "crossover_discount", lambda: discounts(compared())),
    (crossover_discount, "crossover_discount", lambda: discounts(compared(None))),
    (crossover_discount, "crossover_discount", lambda: discounts(compared(0.1, PAIR[::-1]))),
]


@pytest.mark.parametrize(("chart", "name", "subject"), CASES)
def test_data_fill_every_named_set_with_plain_values(chart, name, subject):
    data = chart.data(*subject())
    assert set(data) == named_data(spec(name))
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert chart.label(*subject()).endswith(".")


def test_the_cells_tile_the_map():
    found = mapped()
    data = crossover_balance.data(found, 1024, 0.922, NAMES)
    assert len(data["cells"]) == found.ratio.size
    column = [cell for cell in data["cells"] if cell["n"] < 1024 < cell["n2"]]
    assert (column[0]["b"], column[-1]["b2"]) == (BALANCES[0], BALANCES[-1])
    for low, high in zip(column, column[1:], strict=False):
        assert low["b2"] == high["b"]
    assert column[-1]["gain"] == pytest.approx(
        found.ratio[GPU_COUNTS.index(1024), -1] - 1, abs=1e-5
    )


def test_a_size_without_a_plan_is_said_and_not_drawn():
    found = mapped(design=read_design("llama-3.1-405b-16384-h100"))
    data = crossover_balance.data(found, 16384, 0.9, NAMES)
    said = {gap["n"] for gap in data["gaps"]}
    drawn = {gpus for gpus in GPU_COUNTS if any(c["n"] < gpus < c["n2"] for c in data["cells"])}
    assert said
    assert said | drawn == set(GPU_COUNTS)
    assert not said & drawn


def test_the_line_is_drawn_where_the_balance_is():
    found = mapped(0.05)
    treads = crossover_balance.data(found, 1024, 0.922, NAMES)["line"]
    for tread, at in zip(treads, found.line.tolist(), strict=True):
        if math.isnan(at):
            assert tread["b"] == BALANCES[-1]
            assert "no balance" in tread["tip"]
        else:
            assert tread["b"] == max(at, BALANCES[0])


def test_dots_stand_at_the_message_on_their_lines():
    data = crossover_message.data(curves(), 2.0**20)
    for dot in data["dots"]:
        assert dot["bytes"] == 2.0**20
        line = [row for row in data["lines"] if row["which"] == dot["which"]]
        assert {"which": dot["which"], "bytes": dot["bytes"], "ratio": dot["ratio"]} in line


def test_lines_end_inside_the_picture_and_todays_point_has_room():
    cases = [(0.0, PAIR), (0.02, PAIR), (0.1, PAIR), (0.4, PAIR), (-0.12, PAIR), (-0.2, PAIR)]
    cases += [(discount, PAIR[::-1]) for discount in (-0.2, -0.01, 0.0, 0.4)]
    cases += [(discount, ("infiniband", "infiniband")) for discount in (-0.2, 0.0, 0.4)]
    for discount, transports in cases:
        found = compared(discount, transports)
        data = crossover_discount.data(*discounts(found))
        start, end = data["frame"]
        for row in data["lines"]:
            assert start["d"] - 1e-12 <= row["d"] <= end["d"] + 1e-12
            assert row["c"] <= end["c"] + 1e-12
        (today,) = data["today"]
        assert today["c"] < end["c"]
        assert start["d"] <= today["d"] < end["d"]
        # a price that is higher stands left of zero, not on it
        assert today["d"] == pytest.approx(discount)


def test_todays_point_is_said_with_its_sign():
    tips = {
        discount: crossover_discount.data(*discounts(compared(discount)))["today"][0]["tip"]
        for discount in (-0.12, 0.0, 0.12)
    }
    assert tips[-0.12].startswith("B is 12")
    assert "dearer" in tips[-0.12]
    assert "must gain 1.2" in tips[-0.12]
    assert "cheaper" not in tips[-0.12]
    assert "costs the same" in tips[0.0]
    assert "cheaper" in tips[0.12]
    gains = crossover_discount.label(*discounts(compared(0.0, PAIR[::-1])))
    assert "it gains" in gains
    assert "-" not in gains


def test_the_sentence_names_the_winner():
    assert crossover_discount.label(*discounts(compared(0.4))).endswith("so B wins.")
    assert "too close" in crossover_discount.label(*discounts(compared(0.0)))
    dear = crossover_discount.label(*discounts(compared(-0.2)))
    assert "dearer" in dear
    assert dear.endswith("so A wins.")
    assert "No price" in crossover_discount.label(*discounts(compared(None)))
