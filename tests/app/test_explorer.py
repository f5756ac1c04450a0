"""The Topology explorer without a browser: set values, read what the panels would show."""

from __future__ import annotations

import io
import logging
import re
import zipfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moved_clock import Clock

from netdesign.app import explorer as explorer_module
from netdesign.app.explorer import Explorer
from netdesign.app.explorer_panels.files import KINDS, fabric_file
from netdesign.app.explorer_panels.request import (
    CARRIED,
    Request,
    applies,
    default_request,
    from_query,
    names,
    settings,
    to_query,
)
from netdesign.app.transport import PageWidget
from netdesign.catalog import load_catalog
from netdesign.charts import family_reach
from netdesign.errors import DesignError
from netdesign.rivals import reaches
from netdesign.topology.families import FAMILIES, build
from netdesign.topology.growth import compare


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def explorer(clock: Clock) -> Explorer:
    return Explorer(clock=clock)


def opened(query: str) -> Explorer:
    return Explorer(page=PageWidget(initial_query=query))


def row(explorer: Explorer, name: str) -> list[str]:
    """The cells of a row of the table as text, the best with a star."""
    found = re.search(rf"<tr><td>{re.escape(name)}</td>(.*?)</tr>", explorer.table.text.value)
    assert found, name
    cells = re.findall(r"<td[^>]*>(.*?)</td>", found[1])
    starred = [cell.replace('<span class="nd-spoken"> best</span>', " *") for cell in cells]
    return [re.sub(r"<[^>]+>", "", cell) for cell in starred]


def drawn(explorer: Explorer) -> tuple[Any, ...]:
    views = (explorer.fabric.ports.view, explorer.fabric.tiers.view, explorer.heat.picture.view)
    return tuple(view.data for view in views)


def complaint(explorer: Explorer, path: str) -> str:
    field = explorer.controls.field(path)
    return field._complaint.value if field._complaint else ""


def test_every_setting_has_a_tip_a_source_and_a_default_it_may_have() -> None:
    for path, setting in settings().items():
        assert setting.help, path
        assert setting.source in load_catalog().references, path
        default_request().with_values({path: default_request().value(path)})


def test_counts_of_1024_gpus_in_rails_and_beside_it(explorer: Explorer) -> None:
    # superpod-h100: 32 GPUs a leaf and 32 leaves below 16 spines for 1,024
    assert row(explorer, "Switches")[0] == "48 *"
    assert row(explorer, "Leaf switches or routers")[:2] == ["32", "32"]
    assert row(explorer, "Spine switches")[:2] == ["16", "16"]
    assert row(explorer, "Transceivers")[0] == "4,096 *"
    assert len(row(explorer, "Can be built")) == 4


def test_the_best_of_a_row_is_marked_and_a_draw_of_all_is_not(explorer: Explorer) -> None:
    explorer.change({"gpus": 512})
    assert row(explorer, "Gb/s per GPU") == ["400"] * 4
    switches = row(explorer, "Switches")
    assert [cell.endswith("*") for cell in switches] == [False, False, True, False]
    # a rail that meets no other is no better for that
    assert row(explorer, "A GPU reaches")[2] == "its rail"
    assert not row(explorer, "Diameter, links between switches")[2].endswith("*")


def test_a_torus_does_not_win_what_it_does_not_have(explorer: Explorer) -> None:
    explorer.change({"family": "torus"})
    for name in ("Switches", "Ports left empty", "Power of the switches"):
        torus, tree = row(explorer, name)[:2]
        assert torus.startswith("– Not comparable: a torus has no switches"), name
        assert tree.endswith("*"), name
    links = row(explorer, "Links between switches (or nodes)")
    assert links[0].startswith("3,072 Not comparable")
    assert links[1] == "1,024 *"
    assert not row(explorer, "Cost per GPU")[0].endswith("*")
    assert row(explorer, "Largest of this shape")[0] == "no end"
    assert 'title="Not comparable' in explorer.table.text.value


def test_two_leaves_per_endpoint_and_a_scale_up_domain_reach_the_fabric(explorer: Explorer) -> None:
    explorer.change({"dual_tor": "yes"})
    assert explorer.contenders[0].spec.dual_tor
    # a second port of every endpoint: twice the leaves and the spines
    assert row(explorer, "Switches")[0] == "96"
    assert row(explorer, "Gb/s per GPU")[0] == "800 *"
    explorer.change({"dual_tor": "no", "domain": 64})
    assert explorer.contenders[0].spec.domain == 64
    explorer.change({"domain": 72})
    assert "1,008 or 1,080" in complaint(explorer, "gpus")
    for family, has in (("rail-only", True), ("fat-tree", False), ("torus", False)):
        assert applies("domain", family) == has
    for family, has in (("fat-tree", True), ("rail-only", False), ("dragonfly", False)):
        assert applies("dual_tor", family) == has


def test_a_device_is_named_in_words_as_long_as_it_exists(explorer: Explorer) -> None:
    def said() -> str:
        return re.sub(r"<[^>]+>", " ", explorer.fabric.device.text.value.partition("</label>")[2])

    assert said() == ""
    explorer.change({"gpus": 64})
    assert "Click a device in the picture" in said()
    explorer.fabric.device.text.act("device", "leaf-02")
    assert re.search(r"leaf-02: leaf switch, in rack \w+ from unit \d+", said())
    assert "64 ports: 64 used, 0 empty." in said()
    explorer.fabric.ports.view.selection = {"picked": {"device": ["spine-01"]}}
    assert "2 leaves by 32 links each of 400 Gb/s: leaf-01, leaf-02." in said()
    assert "<option selected>spine-01</option>" in explorer.fabric.device.text.value
    explorer.change({"gpus": 128})
    assert "spine-01: spine switch" in said()
    explorer.fabric.ports.view.selection = {"picked": {}}
    assert "Click a device in the picture" in said()
    explorer.fabric.device.text.act("device", "<b>nobody</b>")
    assert "nobody" not in explorer.fabric.device.text.value


def test_what_has_no_price_says_so(explorer: Explorer) -> None:
    explorer.change({"switch": "sn5600"})
    assert row(explorer, "Cost of switches and links") == ["no price"] * 4
    explorer.change({"switch": "q3400-ra"})
    assert row(explorer, "Power of the switches")[0] == "no figure"


def test_only_the_settings_of_a_family_are_shown(explorer: Explorer) -> None:
    for family in FAMILIES:
        explorer.change({"family": family})
        for path in settings().keys() - set(CARRIED):
            hidden = "nd-away" in explorer.controls.field(path).widget._dom_classes
            assert hidden != applies(path, family), (family, path)
    assert applies("q", "slim-fly")
    assert not applies("rails", "fat-tree")
    assert not applies("split", "torus")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_page_at_64_gpus(family: str) -> None:
    page = opened(f"family={family}&gpus=64")
    assert page.banner.widget.value == ""
    assert row(page, "Can be built")[0] == "yes"
    assert page.contenders[0].spec.family == family


def test_a_small_fabric_shows_ports_and_a_large_one_tiers(explorer: Explorer) -> None:
    def shown() -> list[bool]:
        views = (explorer.fabric.singly, explorer.fabric.bundled)
        return ["nd-away" not in view._dom_classes for view in views]

    assert shown() == [False, True]
    explorer.change({"gpus": 64})
    assert shown() == [True, False]
    assert len(explorer.fabric.ports.view.data["links"]["x"]) == 128


def test_a_very_large_fabric_is_counted_at_once_and_drawn_when_asked(explorer: Explorer) -> None:
    before = drawn(explorer)
    explorer.change({"family": "fat-tree", "gpus": 65_536})
    assert row(explorer, "Switches")[0] == "5,120"
    assert drawn(explorer) == before
    assert "drawn when you ask" in explorer.fabric.head.value
    assert "Rail-optimised of 1,024 GPUs" in explorer.fabric.head.value
    explorer.fabric.head.act("draw", "")
    assert drawn(explorer) != before
    assert "Fat tree of 65,536 GPUs" in explorer.fabric.head.value


def test_what_cannot_be_built_is_a_sentence_and_the_picture_stays(explorer: Explorer) -> None:
    before = drawn(explorer)
    explorer.change({"family": "slim-fly", "q": 28})
    assert drawn(explorer) == before
    assert "q = 27" in explorer.banner.widget.value
    assert "q = 29" in complaint(explorer, "q")
    assert row(explorer, "Can be built")[0] == "no"
    assert row(explorer, "Can be built")[1] == "yes"
    assert "Shown: Rail-optimised of 1,024 GPUs" in explorer.fabric.head.value
    explorer.change({"q": 0})
    assert explorer.banner.widget.value == ""
    assert complaint(explorer, "q") == ""


def test_the_table_keeps_its_rows_whatever_is_asked(explorer: Explorer) -> None:
    rows = explorer.table.text.value.count("<tr>")
    for family in FAMILIES:
        explorer.change({"family": family})
        assert explorer.table.text.value.count("<tr>") == rows


def test_servers_that_are_not_whole_are_said_beside_the_gpus(explorer: Explorer) -> None:
    table = explorer.table.text.value
    explorer.controls.field("gpus").text.value = "1,001"
    assert "give 1,000 or 1,008" in complaint(explorer, "gpus")
    assert explorer.table.text.value == table
    explorer.controls.field("gpus").text.value = "many"
    assert "is not a whole number" in complaint(explorer, "gpus")
    explorer.controls.field("gpus").text.value = "1,008"
    assert complaint(explorer, "gpus") == ""
    assert explorer.contenders[0].spec.endpoints == 1008


def test_an_error_of_ours_is_logged_and_leaves_the_page(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("broken")

    table = explorer.table.text.value
    monkeypatch.setattr(explorer_module, "contend", fail)
    with caplog.at_level(logging.ERROR):
        explorer.change({"gpus": 2048})
    assert "inside netdesign" in explorer.banner.widget.value
    assert "broken" in caplog.text
    assert explorer.table.text.value == table


def test_auto_is_what_the_family_chooses(explorer: Explorer) -> None:
    rails = explorer.controls.field("rails")
    assert rails.text.value == "auto"
    rails.text.value = "4"
    assert explorer.contenders[0].spec.rails == 4
    rails.text.value = ""
    assert explorer.contenders[0].spec.rails is None
    assert rails.text.value == "auto"


def test_a_rival_that_is_chosen_changes_places(explorer: Explorer) -> None:
    explorer.change({"family": "dragonfly"})
    assert explorer.state.inputs.rivals == ("fat-tree", "rail-only", "rail-optimised")
    explorer.change({"rival_1": "none", "rival_3": "rail-only"})
    assert [one.spec.family for one in explorer.contenders] == ["dragonfly", "rail-only"]


def test_a_switch_that_does_not_split_gives_whole_ports(explorer: Explorer) -> None:
    explorer.change({"split": "2"})
    assert explorer.contenders[0].spec.endpoint_gbps == 200
    explorer.change({"switch": "modular-288x400"})
    assert explorer.state.inputs.value("split") == "1"
    split = explorer.controls.field("split").list
    assert [text for text, _ in split.options] == ["400 Gb/s"]
    explorer.change({"switch": "sn5600"})
    assert [parts for _, parts in split.options] == ["1", "2", "4"]


def test_undo_redo_and_reset(explorer: Explorer, clock: Clock) -> None:
    explorer.change({"gpus": 2048})
    clock.now += 5
    explorer.change({"family": "torus"})
    explorer.toolbar.act("undo", "")
    assert explorer.state.inputs.family == "rail-optimised"
    assert explorer.state.inputs.gpus == 2048
    explorer.toolbar.act("redo", "")
    assert explorer.state.inputs.family == "torus"
    explorer.toolbar.act("reset", "")
    assert explorer.state.inputs == default_request()
    assert explorer.page.query == "v=1"


def test_the_address_opens_what_it_says_and_says_what_it_ignored() -> None:
    page = opened("family=dragonfly&gpus=4096&rails=99&switch=nonsense&other=1")
    request = page.state.inputs
    assert (request.family, request.gpus) == ("dragonfly", 4096)
    assert not page.state.can_undo
    assert "rails: 99 is out of range" in page.toolbar.value
    assert "nonsense" in page.toolbar.value
    assert from_query(page.page.query)[0] == request


@st.composite
def requests(draw: st.DrawFn) -> Request:
    values: dict[str, Any] = {}
    for path, setting in settings().items():
        if setting.kind == "choice":
            values[path] = draw(st.sampled_from(sorted(names(path))))
        elif setting.kind == "integer":
            values[path] = draw(st.integers(int(setting.lowest or 0), int(setting.highest or 0)))
        else:
            values[path] = draw(st.sampled_from([1.0, 1.25, 2.0, 7.5]))
    return default_request().with_values(values)


@given(requests())
def test_any_request_is_answered_or_refused_in_a_sentence(request: Request) -> None:
    page = opened(to_query(request))
    assert "inside netdesign" not in page.banner.widget.value
    assert page.contenders
    again, ignored = from_query(page.page.query)
    assert ignored == ()
    assert again == page.state.inputs


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_built_when_asked(
    kind: str, explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[tuple[str, bytes]] = []
    monkeypatch.setattr(explorer.files, "_download", lambda *file: taken.append(file[:2]))
    explorer.change({"gpus": 64})
    explorer.files.text.act("file", kind)
    ((name, content),) = taken
    assert name.endswith(KINDS[kind].ending)
    assert content
    assert "is in your downloads" in explorer.files.text.value
    if kind == "csv":
        assert len(content.decode().strip().splitlines()) == 1 + 128
    if kind in ("netbox", "slurm"):
        assert zipfile.ZipFile(io.BytesIO(content)).namelist()
    explorer.change({"gpus": 128})
    assert "is in your downloads" not in explorer.files.text.value


def test_a_file_too_large_for_a_page_is_a_sentence(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer.files, "_download", lambda *_: pytest.fail("was built"))
    explorer.change({"family": "fat-tree", "gpus": 65_536})
    explorer.files.text.act("file", "xlsx")
    assert "196,608 cables are too many" in explorer.files.text.value
    explorer.change({"family": "single-switch", "gpus": 1024})
    explorer.files.text.act("file", "csv")
    assert "cannot be built" in explorer.files.text.value


def test_growth_says_what_the_comparison_counts(explorer: Explorer) -> None:
    explorer.change({"gpus": 512})
    explorer.files.text.act("grow", "")
    spec = explorer.contenders[0].spec
    twice = build(explorer.state.inputs.with_values({"gpus": 1024}).spec())
    moved = compare(build(spec), twice).moved
    assert f"From 512 to 1,024 GPUs: {moved:,} of " in explorer.files.text.value
    explorer.change({"family": "multi-plane", "planes": 2})
    assert "Multi-plane of 512 GPUs" in explorer.fabric.head.value
    explorer.files.text.act("grow", "")
    assert "From 512 to 1,024 GPUs" in explorer.files.text.value
    explorer.change({"family": "single-switch", "gpus": 64})
    explorer.files.text.act("grow", "")
    assert "cannot be built" in explorer.files.text.value


def test_a_file_of_what_cannot_be_built_is_an_error() -> None:
    spec = default_request().with_values({"family": "single-switch"}).spec()
    with pytest.raises(DesignError, match="cannot be built"):
        fabric_file(spec, KINDS["csv"])


def test_the_chart_of_ends_is_that_of_the_reaches(explorer: Explorer) -> None:
    spec = default_request().with_values({"family": "fat-tree"}).spec()
    data = explorer.reach.picture.view.data
    assert data == family_reach.data(reaches(spec), 1024, "rail-optimised", _rivals())
    bars = {bar["name"]: bar for bar in data["bars"]}
    assert bars["Fat tree"]["x"] == 65_536
    assert bars["Fat tree"]["which"] == "rival"
    assert bars["Rail-optimised"]["which"] == "chosen"
    assert {step["x"] for step in data["steps"] if step["name"] == "Fat tree"} == {64, 2048}
    assert data["size"][0]["x"] == 1024
    assert "Fat tree 65,536" in explorer.reach.picture.view.label


def _rivals() -> tuple[str, ...]:
    return default_request().rivals


def test_every_part_is_listed_with_its_price_or_without(explorer: Explorer) -> None:
    explorer.files.text.act("parts", "")
    said = explorer.files.text.value
    assert "by street-2026" in said
    # 48 switches of 36,000 USD in that book
    assert '<td>QM9700</td><td class="nd-number">48</td><td class="nd-number">$36,000</td>' in said
    explorer.change({"switch": "sn5400"})
    assert "Priced parts" not in explorer.files.text.value
    explorer.files.text.act("parts", "")
    assert "no price" in explorer.files.text.value


def test_a_phone_reads_the_numbers_in_one_line(explorer: Explorer) -> None:
    assert "48 switches" in explorer.brief.value
    explorer.change({"family": "single-switch"})
    assert "cannot be built" in explorer.brief.value
