"""Tables beside the pictures: what their rows say, and that they keep their height."""

from __future__ import annotations

import re

import pytest

from netdesign.app.panels.demand import DemandPanel
from netdesign.app.panels.network import NetworkPanel
from netdesign.design import default_design
from netdesign.evaluate import Evaluation, evaluate


def at(**changes: object) -> Evaluation:
    """The default design with values changed; ``cluster__gpus`` is ``cluster.gpus``."""
    values = {path.replace("__", "."): value for path, value in changes.items()}
    return evaluate(default_design().with_values(values))


def rows_of(html: str) -> list[list[str]]:
    """Text of the cells of a table's body."""
    body = re.search(r"<tbody>(.*)</tbody>", html, re.DOTALL)
    assert body
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", body[1])
    ]


@pytest.mark.parametrize(
    ("family", "gpus"), [("single-switch", 8), ("single-switch", 1024), ("fat-tree-3", 16384)]
)
def test_the_network_table_always_has_five_rows_of_numbers(family: str, gpus: int) -> None:
    panel = NetworkPanel(lambda kind: None)
    panel.show(at(network__family=family, cluster__gpus=gpus))
    rows = rows_of(panel.table.value)
    assert len(rows) == 5
    for _, *cells in rows:
        assert not [cell for cell in cells if re.search(r"[a-z]", cell)]


def test_the_network_table_says_servers_and_empty_ports_in_their_own_places() -> None:
    evaluation = at(network__oversubscription=4.0)
    panel = NetworkPanel(lambda kind: None)
    panel.show(evaluation)
    rows = {row[0]: row for row in rows_of(panel.table.value)}
    assert rows["Servers"][1] == "128"
    assert rows["Switches and links in all"][-1] == f"{evaluation.fabric.stranded_ports:,}"


def test_each_collective_is_named_by_what_it_moves() -> None:
    panel = DemandPanel()
    panel.show(at(model__preset="deepseek-v3"))
    collectives = [row[1] for row in rows_of(panel.table.value)]
    assert len(set(collectives)) == len(collectives)
    assert "all-to-all tokens to experts" in collectives


def test_one_server_needs_no_network() -> None:
    panel = DemandPanel()
    panel.show(at(cluster__gpus=8))
    numbers = " ".join(re.sub(r"<[^>]+>", " ", panel.numbers.value).split())
    assert "Needed per GPU none" in numbers
    assert "Latency tolerated any" in numbers
