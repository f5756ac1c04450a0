"""The NetBox files read back: columns NetBox accepts, keys that refer to rows before them."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import replace

import pytest
from small_floor import measured, on_floor

from netdesign.errors import DesignError
from netdesign.export.netbox import netbox_files, write_netbox
from netdesign.topology.built import Fabric
from netdesign.topology.layout import place
from netdesign.topology.naming import device_names

# Meta.fields of the import forms in netbox/dcim/forms/bulk_import.py, NetBox 4.7.1 (2026-09-15).
ACCEPTED = {
    "sites": {"name", "slug", "status", "facility", "description"},
    "manufacturers": {"name", "slug", "description"},
    "device-roles": {"name", "slug", "parent", "color", "vm_role", "description"},
    "device-types": {"manufacturer", "model", "slug", "part_number", "u_height", "is_full_depth"},
    "racks": {"site", "location", "name", "status", "role", "width", "u_height", "desc_units"},
    "devices": {
        "name", "role", "manufacturer", "device_type", "platform", "serial", "status", "site",
        "location", "rack", "position", "face", "description",
    },
    "interfaces": {"device", "name", "label", "type", "speed", "enabled", "description"},
    "cables": {
        "side_a_site", "side_a_device", "side_a_type", "side_a_name", "side_b_site",
        "side_b_device", "side_b_type", "side_b_name", "type", "status", "label", "color",
        "length", "length_unit", "description",
    },
}  # fmt: skip
# Fields without required=False in the same forms.
REQUIRED = {
    "sites": {"name", "slug", "status"},
    "manufacturers": {"name", "slug"},
    "device-roles": {"name", "slug", "color"},
    "device-types": {"manufacturer", "model", "slug", "u_height"},
    "racks": {"site", "name", "status", "width", "u_height"},
    "devices": {"name", "role", "manufacturer", "device_type", "status", "site"},
    "interfaces": {"device", "name", "type"},
    "cables": {
        "side_a_device", "side_a_type", "side_a_name",
        "side_b_device", "side_b_type", "side_b_name",
    },
}  # fmt: skip


def tables(files: dict[str, str]) -> dict[str, list[dict[str, str]]]:
    return {
        name.split("-", 1)[1].removesuffix(".csv"): list(
            csv.DictReader(io.StringIO(text, newline=""))
        )
        for name, text in files.items()
    }


@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("name", ["rail_fabric", "tree", "split", "torus"])
def test_every_key_refers_to_a_row_that_is_imported_before(
    name: str, placed: bool, request: pytest.FixtureRequest
) -> None:
    fabric = request.getfixturevalue(name)
    files = netbox_files(fabric, place(fabric) if placed else None)
    assert list(files) == sorted(files)
    found = tables(files)
    for table, rows in found.items():
        assert REQUIRED[table] <= set(rows[0]) <= ACCEPTED[table]
    sites = {row["name"] for row in found["sites"]}
    types = {(row["manufacturer"], row["model"]) for row in found["device-types"]}
    makers = {row["name"] for row in found["manufacturers"]}
    assert {row["manufacturer"] for row in found["device-types"]} <= makers
    roles = {row["name"] for row in found["device-roles"]}
    for row in found["devices"]:
        assert row["site"] in sites
        assert (row["manufacturer"], row["device_type"]) in types
        assert row["role"] in roles
    assert [row["name"] for row in found["devices"]] == device_names(fabric)
    ports = [(row["device"], row["name"]) for row in found["interfaces"]]
    assert len(ports) == len(set(ports)) == 2 * fabric.links
    ends = [(row["side_a_device"], row["side_a_name"]) for row in found["cables"]]
    ends += [(row["side_b_device"], row["side_b_name"]) for row in found["cables"]]
    assert sorted(ends) == sorted(ports)
    assert all("," not in name for end in ends for name in end)  # a comma would be several ends
    assert ("racks" in found) == placed


def test_no_two_devices_share_a_rack_unit_and_none_stands_above_the_rack(tree: Fabric) -> None:
    found = tables(netbox_files(tree, place(tree)))
    height = {row["model"]: int(row["u_height"]) for row in found["device-types"]}
    racks = {row["name"]: int(row["u_height"]) for row in found["racks"]}
    taken: set[tuple[str, int]] = set()
    for row in found["devices"]:
        for unit in range(int(row["position"]), int(row["position"]) + height[row["role"]]):
            assert 1 <= unit <= racks[row["rack"]]
            assert (row["rack"], unit) not in taken
            taken.add((row["rack"], unit))


def test_types_are_choices_of_netbox(tree: Fabric) -> None:
    floor = on_floor(tree)
    cabled = measured(tree, floor, ("400g-dac-host", "400g-sr4-twin", "800g-dr8"), [0, 1, 2])
    found = tables(netbox_files(cabled, floor))
    assert {row["type"] for row in found["interfaces"]} == {"400gbase-x-osfp"}
    assert {row["speed"] for row in found["interfaces"]} == {"400000000"}
    assert {row["type"] for row in found["cables"]} == {"dac-passive", "mmf", "smf"}
    assert {row["length_unit"] for row in found["cables"]} == {"m"}
    infiniband = tables(netbox_files(cabled, floor, technology="infiniband"))
    assert {row["type"] for row in infiniband["interfaces"]} == {"infiniband-ndr"}


def test_an_unknown_technology_is_refused(tree: Fabric) -> None:
    with pytest.raises(DesignError, match="ethernet or infiniband"):
        netbox_files(tree, technology="token-ring")


def test_names_of_strangers_stay_the_same_in_every_file(tree: Fabric) -> None:
    hostile = replace(tree, tier_names=("=1+1", 'le"af', "core"))
    found = tables(netbox_files(hostile, on_floor(tree), site="@home"))
    devices = {row["name"] for row in found["devices"]}
    assert {row["side_b_device"] for row in found["cables"]} <= devices
    assert {row["site"] for row in found["devices"]} == {found["sites"][0]["name"]} == {"'@home"}


def test_the_archive_holds_the_files_and_no_time_of_day(tree: Fabric, tmp_path) -> None:
    for name in ("one.zip", "two.zip"):
        write_netbox(tree, on_floor(tree), tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
        assert {member.date_time[0] for member in archive.infolist()} == {1980}
    assert texts == netbox_files(tree, on_floor(tree))
