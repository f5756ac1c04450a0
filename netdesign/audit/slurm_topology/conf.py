"""topology.conf, and what ``scontrol show topology`` prints of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from netdesign.audit.document import Document
from netdesign.audit.report import Understood
from netdesign.audit.slurm_topology.content import Plugin, Unit
from netdesign.audit.slurm_topology.draft import Draft, TopologyDraft, whole_names, whole_number

_STARTS: dict[str, Plugin] = {"switchname": "tree", "blockname": "block", "ringname": "ring"}
_KEYS = frozenset(("nodes", "switches", "linkspeed"))
_SHOWN_ONLY = frozenset(("level", "blockindex", "blocksize"))  # by scontrol show topology
_KNOWN = _KEYS | _SHOWN_ONLY
_FIRST = (*_STARTS, "blocksizes", "aggregatedblock")
# Slurm's own grammar of a line; the counts keep the search linear.
_PAIR = re.compile(
    r"(?<![\w.])([A-Za-z][A-Za-z0-9_.]{0,31})\s{0,8}[-+*/]?=\s{0,8}(?:\"([^\"]*)\"|(\S+))"
)
_LONGEST_KEY = 32
_PREFIX = re.compile(r"\s*(?:(?:\d{1,6}:|>|\||<pre>)\s*)?")
_PROMPT = re.compile(
    r"(?:\[[^\]]{0,80}\]|[^\s#$>%]{0,60})[#$>%]\s{0,4}(?:(?:sudo\s)?(?:cat|scontrol|less|more)\s|\Z)"
)
_COMMAND = re.compile("(?:cat|scontrol|less|more) ")
_FIRST_LETTERS = "sSbBrRaA0123456789 \t>|<#"  # of a definition and what may stand before it
_LONGEST_LOGICAL = 1 << 22  # characters of a line with its continuations


class _Logical(NamedTuple):
    """A line with its continuations, without its comment."""

    number: int
    last: int
    text: str
    is_cut: bool
    is_apart: bool  # prose, a fence of Markdown or a tag stands before it


def read_conf(document: Document, draft: Draft, used: Understood) -> None:
    """Every definition of the document, whatever stands around it."""
    drafts: dict[Plugin, TopologyDraft] = {}

    def of(plugin: Plugin, line: int) -> TopologyDraft:
        if plugin not in drafts:
            drafts[plugin] = TopologyDraft("", plugin, line)
            draft.topologies.append(drafts[plugin])
        return drafts[plugin]

    apart = 0  # the line from which on the definitions stand apart from those before
    outside = False
    for logical in _logical_lines(document, used):
        first = _first_key(logical.text)
        if first is None:
            outside = True
            continue
        if draft.full_line and first in _STARTS:
            draft.left_out += 1
            used.add_range(logical.number, logical.last)
            continue
        pairs, stray = _pairs(logical.text)
        keys = {key.lower(): value for key, value in pairs}
        if first not in keys:
            continue
        used.add_range(logical.number, logical.last)
        apart = logical.number if logical.is_apart or outside else apart
        outside = False
        if logical.is_cut:
            draft.cut_lines.append(logical.number)
        if first in _STARTS:
            plugin = _STARTS[first]
            if draft.begins_anew(of(plugin, logical.number), keys[first], apart, logical.number):
                drafts[plugin] = draft.split(drafts[plugin], apart)
            _unit(draft, of(_STARTS[first], logical.number), keys, first, logical.number)
            _complain(draft, keys, stray, first, logical.number)
        elif first == "blocksizes":
            topology = of("block", logical.number)
            topology.block_sizes = _sizes(draft, keys[first], logical.number)


def _logical_lines(document: Document, used: Understood) -> Iterator[_Logical]:
    parts: list[str] = []
    number = size = 0
    is_cut = False
    is_apart = False
    last = 0
    for line in document.lines():
        text = line.text
        if not parts and (not text or text[0] not in _FIRST_LETTERS or "=" not in text):
            if text and _says_nothing(text):
                used.add(line.number)
                is_apart = is_apart or not text.lstrip().startswith("#")
            elif text.strip():
                is_apart = True
            continue
        if "#" in text:
            text = _without_comment(text)
            if not text.strip():
                used.add(line.number)
        if not parts:
            number, size, is_cut = line.number, 0, False
        if line.cut:
            text, is_cut = whole_names(text), True
        last = line.number
        if text.endswith("\\"):
            text = text[:-1]
            if parts or _first_key(text) is not None:
                if size + len(text) <= _LONGEST_LOGICAL:
                    parts.append(text)
                    size += len(text)
                else:
                    is_cut = True
                continue
        parts.append(text)
        yield _Logical(number, last, "".join(parts), is_cut, is_apart)
        parts = []
        is_apart = False
    if parts:
        yield _Logical(number, last, "".join(parts), is_cut, is_apart)


def _says_nothing(text: str) -> bool:
    """A comment, a fence of Markdown, or the command that printed the file."""
    if text.lstrip()[:3].startswith(("#", "```", "~~~")):
        return True
    is_command = _COMMAND.search(text) is not None or text[-1:] in "#$"
    return is_command and _PROMPT.match(text.rstrip()) is not None


def _without_comment(text: str) -> str:
    place = text.find("#")
    while place > 0 and text[place - 1] == "\\":
        place = text.find("#", place + 1)
    return text if place < 0 else text[:place].rstrip()


def _first_key(text: str) -> str | None:
    """The definition that a line begins with, in small letters."""
    if "=" not in text[:200]:
        return None
    if text.startswith("SwitchName="):
        return "switchname"
    start = _PREFIX.match(text)
    rest = text[start.end() if start else 0 :][:32].lower()
    for key in _FIRST:
        if rest.startswith(key) and rest[len(key) : len(key) + 1] in ("=", " ", "\t"):
            return key
    return None


def _pairs(text: str) -> tuple[list[tuple[str, str]], str]:
    """Keys with their values, and the text that belongs to none."""
    words = _plain_pairs(text)
    if words:
        return words, ""
    pairs: list[tuple[str, str]] = []
    stray: list[str] = []
    end = 0
    start = _PREFIX.match(text)
    if start:
        end = start.end()
    for found in _PAIR.finditer(text, end):
        stray += text[end : found.start()].split()
        quoted, plain = found.group(2), found.group(3)
        pairs.append((found.group(1), plain if quoted is None else quoted))
        end = found.end()
    stray += text[end:].split()
    return pairs, " ".join(stray)


def _plain_pairs(text: str) -> list[tuple[str, str]]:
    """The same of a line of words as ``Key=value`` alone, as most are; none of another one."""
    pairs: list[tuple[str, str]] = []
    if '"' in text or not text.isascii() or not text[:1].isalpha():
        return pairs
    for word in text.split():
        key, _, value = word.partition("=")
        if not (key.isalnum() and key[0].isalpha() and len(key) <= _LONGEST_KEY and value):
            return []
        pairs.append((key, value))
    return pairs


def _unit(
    draft: Draft, topology: TopologyDraft, keys: dict[str, str], first: str, line: int
) -> None:
    name = keys[first]
    owner = f"{topology.plugin if topology.plugin != 'tree' else 'switch'} {name}"
    nodes = draft.names(keys["nodes"], line, owner) if "nodes" in keys else ()
    children = draft.names(keys["switches"], line, owner) if "switches" in keys else ()
    if nodes and children and "level" in keys:
        nodes = ()  # scontrol lists every node below a switch, not its own
    elif nodes and children:
        draft.fault(
            "nodes-and-switches",
            "error",
            f"switch {name}",
            f"Switch {name} has both nodes and child switches; Slurm refuses such a line. "
            "Give the nodes to a leaf switch of their own below it.",
            {"nodes": len(nodes), "switches": len(children)},
        )
    if "nodes" not in keys and first != "switchname":
        draft.fault(
            "no-members", "error", owner, f"The {owner} names no nodes; Slurm refuses such a line."
        )
    draft.add(topology, Unit(name, line, nodes, children, _speed(draft, keys, owner)))


def _speed(draft: Draft, keys: dict[str, str], owner: str) -> int | None:
    if "linkspeed" not in keys:
        return None
    speed = whole_number(keys["linkspeed"])
    if speed is None:
        draft.fault(
            "invalid-link-speed",
            "error",
            owner,
            f"LinkSpeed={keys['linkspeed'][:40]} of {owner} is no whole number; Slurm refuses it. "
            "Its unit is the file's own: write 400, not 400G.",
        )
    return speed


def _complain(draft: Draft, keys: dict[str, str], stray: str, first: str, line: int) -> None:
    """What Slurm does not know on the line of a unit."""
    unknown = [key for key in keys if key not in _KNOWN and key != first]
    if unknown:
        draft.fault(
            "unknown-key",
            "error",
            f"line {line}",
            f"{', '.join(unknown)[:80]} is no setting of {first}: Slurm stops at this line.",
            {"keys": unknown[:5]},
        )
    stray = stray.replace("</pre>", "").strip("`'\" ")
    if stray:
        draft.fault(
            "stray-text",
            "error",
            f"line {line}",
            f'"{stray[:60]}" belongs to no setting: Slurm ends a value at a blank and stops at '
            "what follows. Join the list without blanks, or put it in quotes.",
            {"text": stray[:60]},
        )


def _sizes(draft: Draft, text: str, line: int) -> tuple[int, ...]:
    sizes: list[int] = []
    for part in text.split(",")[:64]:
        size = whole_number(part)
        if size is None or size == 0:
            draft.fault(
                "invalid-block-sizes",
                "error",
                f"line {line}",
                f"BlockSizes holds {part[:20]!r}, which is no size; Slurm stops here.",
            )
            break
        sizes.append(size)
    return tuple(sizes)
