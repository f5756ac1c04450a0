"""The tables about NCCL: what they hold, how versions are compared, and what they refuse."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.audit.nccl_check.values import complaint
from netdesign.catalog import data_directory
from netdesign.catalog.nccl_variables import (
    NcclTables,
    compare,
    fabric_named,
    holds,
    in_version,
    nccl_tables,
    version_of,
    version_text,
)
from netdesign.errors import DesignError

FILES = sorted(path.name for path in data_directory().glob("nccl_*.csv"))


def test_the_list_of_variables_is_whole() -> None:
    tables = nccl_tables()
    assert len(tables.variables) == 310
    assert version_text(tables.newest) == "2.30.7"
    assert tables.variables["NCCL_IB_HCA_COMPAT"].status == "never"


def test_defaults_by_release() -> None:
    timeout = nccl_tables().variables["NCCL_IB_TIMEOUT"]
    found = [timeout.default_at(version_of(text)) for text in ("2.13", "2.14", "2.22", "2.23")]
    assert found == ["14", "18", "18", "20"]


def test_every_default_is_a_value_that_the_form_takes() -> None:
    for variable in nccl_tables().variables.values():
        for release in ("2.4", "2.20", "2.30.7"):
            version = version_of(release)
            default = variable.default_at(version)
            assert complaint(variable, default, version) is None or not default


def test_what_replaces_a_variable_exists() -> None:
    variables = nccl_tables().variables
    for variable in variables.values():
        if variable.replaced_by:
            assert variables[variable.replaced_by].status not in ("removed", "never")
        if variable.deprecated and variable.since:
            assert compare(version_of(variable.since), version_of(variable.deprecated)) <= 0


@pytest.mark.parametrize("text", ["2.27", "v2.27", "2.27.3", "2.27.3-1", "2.27.3+cuda12.4"])
def test_forms_of_a_version(text: str) -> None:
    assert compare(version_of(text), (2, 27)) == 0


@pytest.mark.parametrize("text", ["", "2", "2.x", "latest", "2.27.3.1", "2.-1", "9" * 400, "٢.٢٧"])
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(DesignError, match="version of NCCL"):
        version_of(text)


def test_a_short_version_stands_for_its_releases() -> None:
    assert holds("2.27.3", "", (2, 27))
    assert not holds("2.27.3", "", (2, 27, 2))
    assert holds("", "2.22", (2, 21, 5))
    assert not holds("", "2.22", (2, 22, 3))


PARTS = st.lists(st.integers(0, 40), min_size=2, max_size=3).map(tuple)


@given(PARTS, PARTS)
def test_comparing_is_the_other_way_round_the_other_way_round(
    one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    assert compare(one, other) == -compare(other, one)


def test_a_cell_that_changed() -> None:
    cell = "14;2.14:18;2.23:20"
    assert [in_version(cell, (2, minor)) for minor in (4, 14, 22, 23)] == ["14", "18", "18", "20"]
    assert in_version("0;2.19:", (2, 20)) == ""
    assert in_version(r".+:[0-9]{1,5}", (2, 20)) == r".+:[0-9]{1,5}"


def test_networks_by_alias() -> None:
    assert fabric_named("SRD").id == fabric_named("efa").id == "efa"
    with pytest.raises(DesignError, match="use one of"):
        fabric_named("token-ring")


def _spoilt(folder: Path, file: str, old: str, new: str) -> NcclTables:
    for name in FILES:
        shutil.copy(data_directory() / name, folder / name)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return nccl_tables(folder)


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("nccl_variables.csv", "documented", "dokumented", "column status"),
        ("nccl_variables.csv", "nccl-user-guide", "hearsay", "'hearsay' is not known"),
        ("nccl_variables.csv", ",2.28.7,", ",soon,", "column since"),
        ("nccl_variables.csv", "NCCL_ALGO,", "NCCL_PROTO,", "stands twice"),
        ("nccl_advice.csv", "harmful", "evil", "column verdict"),
        ("nccl_advice.csv", "NCCL_NET,", "NCCL_NETT,", "'NCCL_NETT' is not known"),
        ("nccl_advice.csv", "plug-in", "plugin", "'plugin' is not known"),
        ("nccl_combinations.csv", "NCCL_NSOCKS_PERTHREAD", "NCCL_NSOCKS", "is not known"),
        ("nccl_settings.csv", "NCCL_DEBUG,", "NCCL_DEBUGG,", "column variable"),
        ("nccl_clouds.csv", ",efa,", ",efx,", "column fabric"),
        ("nccl_fabrics.csv", "id,name", "id,nam", "is missing"),
        ("nccl_owners.csv", "nccl-tests-performance", "someone", "'someone' is not known"),
    ],
)
def test_a_spoilt_table_is_refused(
    tmp_path: Path, file: str, old: str, new: str, words: str
) -> None:
    with pytest.raises(DesignError, match=words) as caught:
        _spoilt(tmp_path, file, old, new)
    assert file in str(caught.value)
