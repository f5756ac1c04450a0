"""Values as YAML writes them beyond plain words and quotes: tags, anchors, aliases, blocks."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from netdesign.audit.nccl_check.quoting import LONGEST_VALUE, quoted

_PROPERTIES = re.compile(r"(?:(?:![\w./:!-]{0,60}|&[\w.-]{1,60})[ \t]+){1,3}")
_ALIAS = re.compile(r"\*([\w.-]{1,60})[ \t]*(?=[\n,}\]]|\Z)")
_ANCHOR = re.compile(
    r"(?<![^\s\[{,:])&([\w.-]{1,60})[ \t]+(?:![\w./:!-]{0,60}[ \t]+)?(?=[^\s&*|>])"
)
_BLOCK = re.compile(r"([|>])([+-]?[1-9]?[+-]?)[ \t]*(?=\n|\Z)")
_FOLDED = re.compile(r"([\"'])([^\"'\n]{0,400})((?:\n[ \t]+[^\"'\n:]{0,400}){1,5})\1")
_INDENT = re.compile(r"[ \t]*")
_KEEPS_THE_END = "a YAML block keeps the end of its last line in the value: write it as |- or >-"


@dataclass(frozen=True)
class YamlValue:
    """A value, None where it is not in the file, and where it ends."""

    value: str | None
    end: int
    text: str
    doubt: str = ""


class Yaml:
    """The anchors of a text, found once when the first alias asks for one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._anchors: dict[str, tuple[list[int], list[str]]] | None = None

    def value(self, place: int, *, in_flow: bool = False) -> YamlValue | None:
        """The value at a place if it is a block, an alias, or has a tag or an anchor; else None."""
        text = self.text
        properties = _PROPERTIES.match(text, place)
        start = properties.end() if properties else place
        alias = _ALIAS.match(text, start)
        if alias:
            value = self._anchored(alias[1], start)
            shown = alias[0].strip() if value is None else value
            return YamlValue(value, alias.end(), shown)
        block = _BLOCK.match(text, start)
        if block and not in_flow:
            return self._block(block)
        folded = _FOLDED.match(text, start)
        if folded and not in_flow and _deeper(text, folded):
            value = " ".join(part.strip() for part in f"{folded[2]}{folded[3]}".split("\n"))
            return YamlValue(value, folded.end(), value)
        if properties is None:
            return None
        value, end = quoted(text, start, in_flow=in_flow)
        return YamlValue(value, end, value)

    def _block(self, found: re.Match[str]) -> YamlValue:
        """The lines below that are indented more than the line of the key."""
        text = self.text
        line = text.rfind("\n", 0, found.start()) + 1
        indent = _width(text, line)
        lines: list[str] = []
        place, size = found.end() + 1, 0
        while place <= len(text) and size < LONGEST_VALUE:
            close = text.find("\n", place)
            close = len(text) if close < 0 else close
            content = text[place : min(close, place + LONGEST_VALUE)]
            if content.strip() and _width(text, place) <= indent:
                break
            lines.append(content.strip())
            size += len(content) + 1
            place = close + 1
        value = (" " if found[1] == ">" else "\n").join(each for each in lines if each)
        doubt = "" if "-" in found[2] or not value else _KEEPS_THE_END
        return YamlValue(value, min(place, len(text)), value, doubt)

    def _anchored(self, name: str, place: int) -> str | None:
        """The plain value of the last anchor of this name before a place."""
        if self._anchors is None:
            self._anchors = {}
            for found in _ANCHOR.finditer(self.text):
                places, values = self._anchors.setdefault(found[1], ([], []))
                places.append(found.start())
                values.append(quoted(self.text, found.end(), in_flow=True)[0])
        places, values = self._anchors.get(name, ([], []))
        before = bisect.bisect_left(places, place)
        return values[before - 1] if before else None


def _deeper(text: str, folded: re.Match[str]) -> bool:
    """Whether the lines that go on stand deeper than the line of the key."""
    indent = _width(text, text.rfind("\n", 0, folded.start()) + 1)
    return all(_width(part, 0) > indent for part in folded[3].split("\n")[1:])


def _width(text: str, line: int) -> int:
    found = _INDENT.match(text, line)
    return found.end() - line if found else 0
