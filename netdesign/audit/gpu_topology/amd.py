"""Reading ``rocm-smi --showtopo``: the table of link types and the NUMA nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from netdesign.audit.document import Line
from netdesign.audit.gpu_topology.content import Device, Matrix

_MOST, _MOST_COLUMNS = 500, 64
_TITLE = re.compile(
    r"=+ *(Weight between|Hops between|Link Type between|Numa Nodes|ROCm System|End of ROCm)"
)
_GPU = re.compile(r"GPU\d{1,3}\Z")
_NUMA = re.compile(r"\s*GPU\s?\[?(\d{1,3})\]?\s*: \(Topology\) Numa (Node|Affinity): (-?\d{1,4})")
_WAYS = {"XGMI": "XGMI", "PCIE": "SYS"}  # rocm-smi tells no kind of PCIe path


@dataclass
class _Open:
    line: int
    columns: list[str] = field(default_factory=list)
    links: dict[tuple[str, str], str] = field(default_factory=dict)
    numa: dict[str, int] = field(default_factory=dict)


class Reader:
    """Takes lines one by one, and only between the titles of rocm-smi."""

    def __init__(self) -> None:
        self._found: list[_Open] = []
        self._part = ""

    def take(self, line: Line) -> bool:
        """Whether the line belongs to rocm-smi's topology."""
        text = line.text
        title = _TITLE.search(text) if "=====" in text else None
        if title is not None:
            self._begin(title[1], line.number)
            return True
        if not self._part or "GPU" not in text:
            return False
        found = _NUMA.match(text)
        if found is not None:
            self._found[-1].numa.setdefault(f"GPU{found[1]}", int(found[3]))
            return True
        return self._table(text)

    def _begin(self, title: str, number: int) -> None:
        last = self._found[-1] if self._found else None
        if title == "ROCm System" or last is None or (title.startswith("Link") and last.links):
            if len(self._found) >= _MOST:
                self._part = ""
                return
            if last is None or last.links or last.numa:
                self._found.append(_Open(number))
        self._part = "" if title == "End of ROCm" else title

    def _table(self, text: str) -> bool:
        tokens = text.split()
        header = all(token.startswith("GPU") and token[3:].isdecimal() for token in tokens)
        if header and (len(tokens) > 1 or text.startswith("   ")):
            self._found[-1].columns = list(dict.fromkeys(tokens))[:_MOST_COLUMNS]
            return True
        if _GPU.match(tokens[0]) is None or not all(token.isalnum() for token in tokens):
            return False
        current = self._found[-1]
        if self._part.startswith("Link"):
            for column, cell in zip(current.columns, tokens[1:], strict=False):
                way = _WAYS.get(cell.upper())
                if way is not None:
                    current.links[tokens[0], column] = way
        return True

    def matrices(self) -> list[Matrix]:
        """One for each run that printed link types."""
        return [
            Matrix(
                line=entry.line,
                tool="rocm-smi",
                gpus=tuple(
                    Device(name, name, None, (entry.numa[name],) if name in entry.numa else ())
                    for name in entry.columns
                ),
                nics=(),
                links=entry.links,
                missing=max(0, len(entry.columns) * (len(entry.columns) - 1) - len(entry.links))
                // 2,
            )
            for entry in self._found
            if entry.columns and entry.links
        ]
