"""Any damage to a dump leaves something that is true, and never an exception."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from infiniband_dumps import two_tiers
from no_hang import no_hang

from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.files import audit
from netdesign.audit.found.network import FoundNetwork
from netdesign.audit.found.to_fabric import fabric_of
from netdesign.audit.infiniband import KINDS
from netdesign.charts import fabric_heat, fabric_tiers

DUMP = two_tiers(absent=[(1, 1, 1)]).text()
LINKS = (
    "Switch: 0x0c42a103008982a4 Quantum Mellanox Technologies:\n"
    "           3    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      20    1[  ] "
    '"n1 HCA-1" ( Could be 106.25 Gbps)\n'
    '           3    2[  ] ==(                Down/ Polling)==>             [  ] "" ( )\n'
    "CA: n1 HCA-1:\n"
    "      0xb8cef60300025b8c     20    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       "
    '3    1[  ] "Quantum Mellanox Technologies" ( )\n'
)
TABLES = (
    "-I- Stage                               Warnings   Errors     Comment\n"
    "-I- Discovery                           17         0\n"
    "Links at 4x100          : 271\n"
    "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n"
    '"n1 HCA-1",1,1,0x1\n"leaf",65,2,0x2\nEND_NODES\n'
    "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x1,1,0x2,1\nEND_LINKS\n"
    '"leaf", Mellanox, 0x2, LID 24\n'
    "  # : IB# : Sta  : PhysSta : LWA : LSA : Neighbor Guid : N# : NLID : Neighbor Description\n"
    '  1 : 1   : ACT  : LINK UP : 4x  : 100 : 0x1 : 1 : 156 : "n1 HCA-1"\n'
)
PORTS = (
    "CA   134  1 0x7cfe9003003b4bde 4x EDR - SW  1719 10 0x7cfe9003009ce5b0 "
    "( 'o0001 HCA-1' - 'leaf' )\n"
    "SW  1719 37 0x7cfe9003009ce5b0 4x ???                                    'leaf'\n"
)
NODE = "SystemGUID:1 NodeGUID:{0} PortGUID:1 VenID:1 DevID:1 Rev:0 {{{1}}} LID:1 PN:{2}"
LIST = (
    f"{{ CA Ports:01 {NODE.format('a1', 'n1 HCA-1', '01')} }} "
    f"{{ SW Ports:41 {NODE.format('b1', 'leaf', '0c')} }} PHY=4x LOG=ACT SPD=100\n"
)
WHOLE = [DUMP, LINKS, TABLES, PORTS, LIST]
LINES = [line for text in WHOLE for line in text.splitlines()]


def survives(content: str | bytes) -> None:
    document = document_of("noise", content)
    assert audit(document).name == "noise"
    for kind in KINDS:
        read, _ = kind.read(document)
        assert json.dumps(kind.summarise(read), allow_nan=False)
        assert all(finding.message for finding in kind.judge(read, Context()))
        network: FoundNetwork = read.network
        fabric, names = fabric_of(network)
        assert len(names) == fabric.devices
        if fabric.links:
            assert fabric_tiers.data(fabric)
            assert fabric_heat.data(fabric)


@given(st.lists(st.sampled_from(LINES), max_size=40))
def test_lines_in_any_order(lines: list[str]) -> None:
    survives("\n".join(lines))


@given(
    st.sampled_from(WHOLE),
    st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 40), st.text(max_size=6))),
)
def test_cuts_and_splices(text: str, edits: list[tuple[int, int, str]]) -> None:
    for place, length, put in edits:
        start = place % (len(text) + 1)
        text = text[:start] + put + text[start + length :]
    survives(text)


@given(st.binary(max_size=300))
def test_bytes(content: bytes) -> None:
    survives(b'Switch\t65 "S-1"\t# "a" lid 1\n[1]\t"S-2"[1]' + content)


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
@pytest.mark.parametrize(
    "line",
    [
        "[1]" + "(" * 60_000,
        '[1] "' + "a" * 60_000,
        '[1]\t"S-1"[1]' + ' "' * 30_000,
        "           3    1[  ] ==(" + " " * 60_000 + "==>",
        "{ CA Ports:01 " * 4_000,
        " : " * 20_000,
        "CA " + "1 " * 30_000,
        "-I- " + "a  1 " * 12_000,
        "Switch: 0x1 " + "a:" * 30_000,
        "a@" + "b" * 60_000,
    ],
    ids=range(10),
)
def test_long_lines_take_no_longer_than_many_short_ones(kind: object, line: str) -> None:
    document = document_of("long", "\n".join([LINES[12], *[line] * 20]))
    with no_hang():
        kind.read(document)  # type: ignore[attr-defined]
