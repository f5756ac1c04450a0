"""A document as LLDP tables, whatever their forms are."""

from __future__ import annotations

import re
from bisect import bisect_right

from netdesign.audit.document import LARGEST_TEXT, Document
from netdesign.audit.lldp.blocks import BlockReader
from netdesign.audit.lldp.draft import Draft
from netdesign.audit.lldp.json_shapes import read_json
from netdesign.audit.lldp.network import LldpFile, join
from netdesign.audit.lldp.prompts import heading_of, prompt_of
from netdesign.audit.lldp.tables import TableReader
from netdesign.audit.lldp.xml_lines import XmlReader
from netdesign.audit.report import Understood

NEEDLES = (
    *(b"RemoteDevice", b"RemoteHost", b"Remote Port", b"Device ID", b"Port info"),
    *(b"Peer Interface", b"LLDP neighbor", b"Interface: ", b".via=", b"Local Port id"),
    *(b"Local Intf", b"Local Interface", b"lldp-neighbor", b"lldpNeighbor", b'"lldp"'),
    *(b"TABLE_nbor", b"eerHostname", b"peer_hostname", b"remote_system_name", b'via="'),
    *(b'"neighbor"', b'"neighborDevice"', b'"compounded_links"', b"CHASSIS-ID", b"CHASSIS ID"),
    *(b"Neighbor Dev", b"Rem Host Name", b"Chassis id:"),
)
SIGNATURE = re.compile(
    r"LocalPort\s+Remote|LocalPort\s+Speed|Remote Host\s+Remote Port|Neighbor\s+Remote IP"
    r"|Neighbor Device ID|Device ID\s+Local Intf|Chassis Id\s+Port info|Peer Interface"
    r"|LLDP [Nn]eighbo|via: |lldp\.\S{1,64}\.(?:via|rid|chassis)|Local Port id|Local Intf"
    r"|Local Interface\s{0,20}:|lldp-neighbor|lldpNeighbor|\"lldp\"|TABLE_nbor|eerHostname"
    r"|peer_hostname|remote_system_name|via=\"|\"neighbor\"|\"neighborDevice\"|Interface:\s+\S+\s*(?:,|\Z)"
    r"|\"compounded_links\"|CHASSIS[- ]ID\s|Local Interface\s+(?:Chassis|Device) ID"
    r"|(?:Local Intf|Neighbor Interface)\s+Neighbor Dev|Rem Host Name|\AChassis id:\s"
)
_JSON = (
    *(b'"lldpNeighbor', b'"lldp"', b'"lldp-neighbor', b'"TABLE_nbor', b'eerHostname"'),
    *(b'"peer_hostname"', b'"remote_system_name"', b'"neighbor"', b'"neighborDevice"'),
    b'"compounded_links"',
)
_NOTHING = re.compile(r"\{(?:master|backup|linecard|primary|secondary)[^{}]{0,40}\}\Z|```|<\?xml")
_XML = (b"<lldp-neighbor", b'via="')


def read_lldp(document: Document) -> tuple[LldpFile, Understood]:
    """Every table in a document, and the lines that were used."""
    draft, used = Draft(), Understood()
    has_json = any(document.has(needle) >= 0 for needle in _JSON)
    if has_json:
        _read_json(document, draft, used)
    reader = _Reader(draft, used, any(document.has(needle) >= 0 for needle in _XML))
    done = 0  # the number of the last line that was used: its other parts are passed over
    for number, text, is_cut in document.lines():
        if not text or number == done or (has_json and number in used):
            continue
        if text[0] == ">":  # quoted in Markdown or mail
            text = text[1:]
            if not text:
                continue
        if reader.blocks.fact(number, text) or reader.line(number, text):
            used.add(number)
            done = number
            if is_cut:
                draft.cut_lines.append(number)
    reader.end()
    tables_read = draft.finished()
    return LldpFile(tables_read, join([tables_read])), used


class _Reader:
    """Tables, answers with one fact a line, and XML, whichever a line is of."""

    def __init__(self, draft: Draft, used: Understood, has_xml: bool) -> None:
        self._draft, self._used = draft, used
        self._tables, self.blocks = TableReader(draft), BlockReader(draft)
        self._xml = XmlReader(draft) if has_xml else None

    def line(self, number: int, text: str) -> bool:
        """Take a line in; whether it was understood."""
        draft, tables, blocks = self._draft, self._tables, self.blocks
        if text[0] in "{`<" and _NOTHING.match(text):
            return True
        prompt = prompt_of(text)
        if prompt is not None:
            draft.device = prompt.device if "netq" not in prompt.command else ""
            tables.command(prompt.command)
            blocks.command()
            return True
        name = heading_of(text)
        if name:
            draft.device = name
            tables.close()
            blocks.command()
            return True
        before = len(draft.dumps)
        if tables.line(number, text):
            if len(draft.dumps) > before:
                blocks.command()
            if tables.used_before:
                self._used.add(tables.used_before)
            return True
        if blocks.line(number, text):
            if len(draft.dumps) > before:
                tables.close()
            return True
        return self._xml is not None and self._xml.line(number, text)

    def end(self) -> None:
        self.blocks.end()
        if self._xml is not None:
            self._xml.end()


def _read_json(document: Document, draft: Draft, used: Understood) -> None:
    if len(document.content) > LARGEST_TEXT:
        return
    lines: list[str] = []
    numbers: list[int] = []
    cut: list[int] = []
    prompts: list[int] = [0]  # lines, 1 and up, from which on a device speaks
    devices: list[str] = [""]
    for number, text, is_cut in document.lines():
        prompt = prompt_of(text)
        name = prompt.device if prompt else heading_of(text)
        lines.append(text)
        numbers.append(number)
        if is_cut:
            cut.append(number)
        if prompt or name:
            prompts.append(len(lines))
            devices.append(name)
    if cut:  # all of an answer may stand in one line
        whole = document.text().split("\n")
        if numbers[-1] == len(numbers) and len(whole) - len(numbers) in (0, 1):
            lines, cut = whole[: len(numbers)], []
    spans = read_json(
        "\n".join(lines), draft, lambda line: devices[bisect_right(prompts, line) - 1]
    )
    for first, last in spans:
        used.add_range(numbers[first - 1], numbers[last - 1])
    draft.cut_lines += [number for number in cut if number in used]
    draft.device = ""


def is_empty(file: LldpFile) -> bool:
    """Whether no table of LLDP was there after all."""
    dumps = file.tables.dumps
    listed = any(dump.interfaces or dump.form.endswith("table") for dump in dumps)
    return not file.tables.neighbours and not file.tables.unplaced and not listed
