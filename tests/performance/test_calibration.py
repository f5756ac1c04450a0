"""The fitted constants: complete, within reason, and refused with a sentence where missing."""

from __future__ import annotations

import numpy as np
import pytest

from netdesign.catalog import load_catalog
from netdesign.errors import DesignError
from netdesign.performance.calibration import NAMES, calibration_for, calibration_from_rows
from netdesign.performance.measurements import measured_runs, scope_of
from netdesign.validation.unseen import unseen_runs

ROWS = load_catalog().calibrations
SCOPES = sorted({scope for _, scope in ROWS})


def test_every_card_of_the_catalogue_has_constants() -> None:
    for card in load_catalog().accelerators.values():
        assert calibration_for(card.generation).generation == card.generation


@pytest.mark.parametrize("scope", SCOPES)
def test_constants_are_physical(scope: str) -> None:
    found = calibration_for(scope)
    for name in NAMES:
        value = getattr(found, name)
        assert value >= 0, name
        if name.endswith(("_efficiency", "_efficiency_fp8", "_share", "_slowdown")):
            assert value <= 1, name
    assert found.error_low <= 1 <= found.error_high
    assert 1e-6 < found.network_start_up_s < 1e-2


def test_no_constant_stands_without_use() -> None:
    assert {name for name, _ in ROWS} == set(NAMES)


def test_every_fitted_constant_says_that_it_is() -> None:
    fitted = [row for row in ROWS.values() if row.source == "netdesign-calibration"]
    assert {"matrix_efficiency", "error_low", "error_high"} <= {row.name for row in fitted}
    assert all(row.date >= "2026" for row in fitted)


@pytest.mark.parametrize("scope", SCOPES)
def test_mixtures_of_experts_have_a_wider_band(scope: str) -> None:
    found = calibration_for(scope)
    dense, experts = found.error_band(0), found.error_band(64)
    assert dense == (found.error_low, found.error_high)
    assert experts == pytest.approx((found.error_low_experts, found.error_high_experts))
    assert experts[0] < dense[0] < 1 < dense[1] < experts[1]
    low, high = found.error_band(np.array([0, 8]))
    assert (low[0], high[1]) == pytest.approx((found.error_low, found.error_high_experts))


def test_four_of_five_unseen_runs_of_each_style_lie_inside_the_band() -> None:
    runs, inside = measured_runs(), {False: [], True: []}
    for row in unseen_runs().values():
        run = runs[row.id]
        low, high = calibration_for(scope_of(run)).error_band(run.experts)
        inside[run.experts > 0].append(low <= 1 / row.predicted_over_measured <= high)
    for style in inside.values():
        assert 0.78 < np.mean(style) < 0.9


def test_an_unknown_generation_is_one_sentence() -> None:
    with pytest.raises(DesignError, match=r"matrix_efficiency: 'pascal' has no row.*hopper"):
        calibration_for("pascal")


def test_a_missing_constant_is_named() -> None:
    rows = {key: row for key, row in ROWS.items() if key != ("overlap_slowdown", "hopper")}
    with pytest.raises(DesignError, match="overlap_slowdown"):
        calibration_from_rows(rows, "hopper")
