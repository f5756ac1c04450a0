"""The Design: defaults, validation, YAML and query-string round trips, hostile files."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.design import (
    LARGEST_FILE_BYTES,
    automatic_name,
    choices,
    default_design,
    default_values,
    design_from_mapping,
    design_from_query,
    design_from_yaml,
    design_to_query,
    design_to_yaml,
    read_design,
    shipped_designs,
)
from netdesign.errors import DesignError


def refusal(text: str | bytes) -> DesignError:
    with pytest.raises(DesignError) as caught:
        design_from_yaml(text, "mine.yaml")
    return caught.value


def test_the_shipped_design_is_the_one_a_planner_sees_first():
    assert read_design("llama-3-70b-1024-h100") == default_design()


@pytest.mark.parametrize("name", list(shipped_designs()))
def test_every_shipped_design_reads(name):
    assert read_design(name).name


def test_every_parameter_is_a_field_and_every_field_a_parameter():
    tree = default_design().model_dump()
    fields = {f"{s}.{f}" for s, inner in tree.items() if isinstance(inner, dict) for f in inner}
    assert fields == set(load_catalog().parameters)


def test_every_default_lies_within_its_own_range():
    assert design_from_mapping({}).value("cluster.gpus") == default_values()["cluster.gpus"]


def test_yaml_round_trip():
    design = default_design().with_values({"cluster.gpus": 64, "name": "Größe: 'x'"})
    assert design_from_yaml(design_to_yaml(design)) == design


@given(
    gpus=st.integers(1, 131072),
    oversubscription=st.floats(1, 16),
    preset=st.sampled_from(["llama-3-70b", "by-size"]),
)
def test_query_round_trip_keeps_twelve_digits(gpus, oversubscription, preset):
    rounded = float(f"{oversubscription:.12g}")
    design = default_design().with_values(
        {"cluster.gpus": gpus, "network.oversubscription": rounded, "model.preset": preset}
    )
    assert design_from_query("?" + design_to_query(design)) == (design, ())


def test_query_leaves_defaults_out():
    assert design_to_query(default_design()) == "v=1"


def test_a_link_without_a_name_is_named_after_its_values():
    design, _ = design_from_query("?cluster.gpus=2048")
    assert design.name == automatic_name(design)
    assert "2,048" in design.name
    assert design_to_query(design) == "v=1&cluster.gpus=2048"


@given(
    name=st.text(max_size=40).map(str.strip).filter(lambda t: t and t.isprintable()),
    gpus=st.sampled_from([1024, 64]),
)
def test_a_given_name_survives_the_address(name, gpus):
    design = default_design().with_values({"cluster.gpus": gpus, "name": name})
    assert design_from_query(design_to_query(design))[0] == design


def test_query_reports_what_it_ignores():
    design, ignored = design_from_query("?cluster.gpus=0&plan.tensor=x&a.b=1&network.family=ring")
    assert design == default_design()
    assert [text.split(":")[0] for text in ignored] == [
        "cluster.gpus",
        "address",
        "a.b",
        "network.family",
    ]


@pytest.mark.parametrize(
    ("text", "field", "hint"),
    [
        ("clster: {gpus: 8}", "clster", "cluster"),
        ("cluster: {gpu: 8}", "cluster.gpu", "cluster.gpus"),
        ("cluster: {gpus: 0}", "cluster.gpus", "from 1 to 131,072"),
        ("cluster: {gpus: 8.5}", "cluster.gpus", "a whole number"),
        ("cluster: {gpus: many}", "cluster.gpus", "a whole number"),
        ("cluster: {server: dgx-h10}", "cluster.server", "dgx-h100"),
        ("network: {oversubscription: .nan}", "network.oversubscription", "from 1 to 16"),
        ("network: {oversubscription: .inf}", "network.oversubscription", "from 1 to 16"),
        ("plan: {sequence_parallel: 3}", "plan.sequence_parallel", "true or false"),
        ("training: {precision: [bf16]}", "training.precision", "bf16"),
        ("schema_version: 99", "schema_version", "1"),
        ("plan: 7", "plan", ""),
    ],
)
def test_a_wrong_value_names_file_field_value_and_what_would_be_right(text, field, hint):
    error = refusal(text)
    assert "mine.yaml" in error.field
    assert error.field.endswith(field)
    assert hint in error.hint
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1, 2", "is not YAML"),
        ("a: &x [1]\nb: *x", "aliases"),
        ("name: a\nname: b", "stands twice"),
        ("!!python/object/apply:os.system ['true']", "is not YAML"),
        (b"\xff\xfe\x00", "is not YAML"),
        ("- 1", "is not a design"),
        ("[" * 5000, "is not YAML"),
        ("x" * (LARGEST_FILE_BYTES + 1), "is too large"),
    ],
)
def test_a_hostile_file_is_one_sentence(text, reason):
    assert reason in refusal(text).reason


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(DesignError, match="cannot be read"):
        read_design(tmp_path / "none.yaml")


def test_choices_list_catalogue_keys():
    assert "qm9700" in choices("network.switch")
    assert choices("model.preset")[-1] == "by-size"


def test_a_design_cannot_be_changed_in_place():
    with pytest.raises(ValueError, match="frozen"):
        default_design().name = "other"


def test_nothing_out_of_range_passes():
    for path, parameter in load_catalog().parameters.items():
        if parameter.lowest is not None:
            for bad in (parameter.lowest - 1, parameter.highest + 1, -math.inf):
                if parameter.kind == "integer" and math.isinf(bad):
                    continue
                value = int(bad) if parameter.kind == "integer" else bad
                with pytest.raises(DesignError, match=path.replace(".", r"\.")):
                    default_design().with_values({path: value})


@pytest.mark.parametrize("name", ["a\x1b[2Jb", "a\x00b", "\ud800", "x" * 200])
def test_a_name_that_a_terminal_or_a_page_cannot_show_is_refused(name):
    with pytest.raises(DesignError, match="cannot be shown") as caught:
        default_design().with_values({"name": name})
    assert str(caught.value).isprintable()


def test_an_endless_file_is_not_read_to_its_end():
    with pytest.raises(DesignError, match="too large"):
        read_design("/dev/zero")
