"""Controls are made from data/parameters.csv and stop at round values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.app.controls.column import GROUPS, MAIN, WITHOUT_CONTROL, ControlColumn
from netdesign.app.controls.ladder import gpu_ladder, ladder, nearest
from netdesign.catalog import load_catalog
from netdesign.design import choices, default_design

NUMBERS = [p.path for p in load_catalog().parameters.values() if p.lowest is not None]


def test_every_parameter_has_exactly_one_control() -> None:
    placed = [*MAIN, *(path for group in GROUPS.values() for path in group)]
    assert sorted([*placed, *WITHOUT_CONTROL]) == sorted(load_catalog().parameters)


@pytest.mark.parametrize("path", NUMBERS)
def test_a_ladder_rises_from_the_lowest_to_within_the_highest(path: str) -> None:
    parameter = load_catalog().parameters[path]
    stops = ladder(parameter)
    assert stops[0] == parameter.lowest
    assert stops[-1] <= parameter.highest
    assert all(low < high for low, high in zip(stops, stops[1:], strict=False))
    assert 2 <= len(stops) <= 1000


@given(server=st.sampled_from([4, 8, 16, 72]), highest=st.integers(100, 131_072))
def test_gpu_stops_are_whole_servers(server: int, highest: int) -> None:
    stops = gpu_ladder(server, highest)
    assert stops[0] == server
    assert all(stop % server == 0 and stop <= highest for stop in stops)
    assert list(stops) == sorted(set(stops))


@given(
    stops=st.lists(st.floats(0, 1e6), min_size=1, max_size=30, unique=True).map(sorted),
    value=st.floats(-10, 2e6),
)
def test_nearest_is_nearest(stops: list[float], value: float) -> None:
    chosen = stops[nearest(stops, value)]
    assert abs(chosen - value) == min(abs(stop - value) for stop in stops)


def test_showing_a_design_writes_nothing_back() -> None:
    written: list[object] = []
    column = ControlColumn(written.append)
    for group in column.groups.values():
        group.open()
    design = default_design()
    column.show(design, None)
    column.show(design.with_values({"cluster.gpus": 72, "cluster.server": "gb200-nvl72"}), None)
    column.show(design, None)
    assert written == []
    shown = len(load_catalog().parameters) - len(WITHOUT_CONTROL)
    assert len(list(column.fields())) == shown


def test_each_choice_is_offered_by_name() -> None:
    column = ControlColumn(lambda changes: None)
    for path, parameter in load_catalog().parameters.items():
        if parameter.kind == "choice":
            options = column.field(path).list.options
            assert {str(value) for _, value in options} == set(choices(path))
            assert all(name for name, _ in options)


def test_a_field_has_a_name_and_a_help() -> None:
    column = ControlColumn(lambda changes: None)
    for path, parameter in load_catalog().parameters.items():
        control = column.field(path).widget.children[0]
        assert parameter.label in control.description
        assert control.tooltip == parameter.help
