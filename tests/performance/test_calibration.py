"""The fitted constants: complete, within reason, and refused with a sentence where missing."""

from __future__ import annotations

import pytest

from netdesign.catalog import load_catalog
from netdesign.errors import DesignError
from netdesign.performance.calibration import NAMES, calibration_for, calibration_from_rows

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


def test_an_unknown_generation_is_one_sentence() -> None:
    with pytest.raises(DesignError, match=r"matrix_efficiency: 'pascal' has no row.*hopper"):
        calibration_for("pascal")


def test_a_missing_constant_is_named() -> None:
    rows = {key: row for key, row in ROWS.items() if key != ("overlap_slowdown", "hopper")}
    with pytest.raises(DesignError, match="overlap_slowdown"):
        calibration_from_rows(rows, "hopper")
