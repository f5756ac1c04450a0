"""Pictures of found networks: nothing lies over anything else, no number is made up."""

from __future__ import annotations

from typing import Any

from netdesign.audit.document import document_of
from netdesign.audit.fabric_view import view_of_report
from netdesign.audit.files import audit
from netdesign.charts import fabric_tiers
from netdesign.export.audit_drawings import fabric_chart

LEAVES, SPINES, OWN = 4, 2, 60
HEAD = "vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{0}\nswitchguid=0x{0}({0})\n"


def _guid(kind: int, number: int) -> str:
    return f"{0x2C5EAB0300000000 + kind * 0x10000 + number:016x}"


def _host(port: int, number: int, far: int) -> str:
    guid = _guid(9, number * 8 + far)
    return f'[{port}]\t"H-{guid}"[1]({guid}) \t\t# "node-{number:03} mlx5_{far}" lid 9 4xNDR'


def dump() -> str:
    """Four leaves of 60 servers of their own, two servers on all leaves, one server on a spine."""
    blocks = []
    for leaf in range(LEAVES):
        ports = [_host(n + 1, leaf * OWN + n, 0) for n in range(OWN)]
        ports += [_host(OWN + 1 + n, 900 + n, leaf) for n in range(2)]
        ports += [
            f'[{OWN + 3 + spine}]\t"S-{_guid(2, spine)}"[{leaf + 1}]\t\t# "SPINE-{spine}" lid 1'
            for spine in range(SPINES)
        ]
        name = f'Switch\t66 "S-{_guid(1, leaf)}"\t\t# "LEAF-{leaf}" enhanced port 0 lid 7 lmc 0'
        blocks.append("\n".join([HEAD.format(_guid(1, leaf)) + name, *ports]))
    for spine in range(SPINES):
        ports = [
            f'[{leaf + 1}]\t"S-{_guid(1, leaf)}"[{OWN + 3 + spine}]\t\t# "LEAF-{leaf}" lid 7 4xNDR'
            for leaf in range(LEAVES)
        ]
        name = f'Switch\t66 "S-{_guid(2, spine)}"\t\t# "SPINE-{spine}" enhanced port 0 lid 1 lmc 0'
        blocks.append("\n".join([HEAD.format(_guid(2, spine)) + name, *ports]))
    return "\n\n".join(blocks) + "\n"


def drawn(text: str) -> tuple[str, dict[str, Any], str]:
    view = view_of_report(audit(document_of("net.txt", text.encode())))
    assert view is not None
    name, subject, said = fabric_chart(view)
    return name, fabric_tiers.data(*subject) if name == "fabric_tiers" else {}, said


def test_servers_of_one_leaf_and_of_several_stand_apart() -> None:
    name, marks, _ = drawn(dump())
    assert name == "fabric_tiers"
    boxes = {(b["y"], b["y2"], b["x"], b["x2"]): b["tip"] for b in marks["boxes"]}
    front = {tip: place for place, tip in boxes.items()}
    shared = next(place for tip, place in front.items() if tip == "2 servers")
    own = [place for tip, place in front.items() if tip.endswith(": 60 servers")]
    assert len(own) == LEAVES
    assert all(place[0] > shared[1] for place in own)


def test_totals_are_of_the_tiers_they_stand_between() -> None:
    _, marks, _ = drawn(dump())
    notes = [note["text"] for note in marks["notes"]]
    assert f"{LEAVES * SPINES} links" in notes
    assert f"{LEAVES * (OWN + 2)} links" in notes


def test_no_rate_and_no_tier_is_made_up() -> None:
    text = (
        "capability codes: (R) Router, (B) Bridge\n"
        "leaf-a# show lldp neighbors\n"
        "Port          Neighbor Device ID        Neighbor Port ID           TTL\n"
        "Et1           leaf-b                    Ethernet1                  120\n"
        "Et2           leaf-c                    Ethernet1                  120\n"
    )
    _, _, said = drawn(text)
    assert "0 Gb/s" not in said
    assert "island" not in said
