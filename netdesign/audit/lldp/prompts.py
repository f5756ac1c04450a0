"""Whose table is it? The prompt, the banner or the heading before it tells."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}\Z")
_HEADING = re.compile(
    r"(?:==> ?(?P<file>[^<>]{1,80}?) ?<==|[#=*-]{2,80} ?(?P<banner>[\w.-]{1,80}) ?[#=*-]{0,80}"
    r"|(?P<ansible>[\w.-]{1,80}) \| (?:CHANGED|SUCCESS|OK)\b.{0,40}"
    r"|(?:host ?name|switch ?name)[ :=]{1,4}(?P<said>[\w.-]{1,80}))\s*\Z",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\s{0,8}([\w.()@:~/-]{1,80})[#>] ?sh?o?w? ll(?:d|dp)? n\w{0,10}\b")  # sh ll n
_MARK = re.compile("[#>$%]")  # behind which a command stands
_RULES = "=#*-_. "  # a line of these alone names nothing
_STARTS = "=#*-hHsS"  # of a banner, a hostname, a switchname
_NAMING = ("host", "switch")
_ENDINGS = (".txt", ".log", ".json", ".xml", ".out", ".lldp", "_lldp", "-lldp")
_NO_NAMES = frozenset(
    ("lldp", "neighbors", "neighbours", "show", "table", "output", "detail", "details", "summary")
)
_TAGS = frozenset(("code", "pre", "tt", "p", "b", "li", "samp", "kbd"))  # of HTML, no prompts
FACTORY_NAMES = frozenset(("sonic", "switch", "cumulus", "localhost", "router", "nvue", "arista"))


class Prompt(NamedTuple):
    """A command and the device at whose prompt it stands."""

    device: str  # "" where the prompt names none
    command: str


def prompt_of(text: str) -> Prompt | None:
    """``leaf01# show lldp neighbors``; None if the line is no command about LLDP."""
    if "lldp" not in text and "lldp" not in text[:400].lower():
        short = _SHORT.match(text) if " ll" in text[:200] else None
        return Prompt(_device(short.group(1)), text[short.end(1) + 1 :].strip()) if short else None
    for found in _MARK.finditer(text, 0, 120):
        place = found.start()
        command = text[place + 1 :].strip()
        if "lldp" in command.lower() and _is_command(command):
            return Prompt(_device(text[:place]), command)
    stripped = text.strip()
    if stripped.lower().startswith(
        ("show lldp", "lldpctl", "lldpcli", "net show lldp", "netq ", "networkctl ")
    ):
        return Prompt("", stripped) if _is_command(stripped) else None
    return None


def _is_command(text: str) -> bool:
    low = text.lower().removeprefix("sudo ").removeprefix("run ").removeprefix("docker ")
    starts = (
        *("show ", "sh ", "lldpc", "net ", "nv ", "netq ", "lldpshow", "exec ", "ip netns"),
        *("display ", "networkctl "),
    )
    return low.startswith(starts) and len(text) <= 200


def _device(text: str) -> str:
    name = text.strip().strip("[]{}<>* ")
    if name.startswith("RP/"):
        name = name.rpartition(":")[2]
    name = name.rpartition("@")[2]
    for end in (":", " ", "(", "~", "/", "["):
        name = name.partition(end)[0]
    return name if _NAME.match(name) and name.lower() not in _TAGS else ""


def heading_of(text: str) -> str:
    """The device that a banner between two tables names; "" if it is none (or no text)."""
    text = text.strip()
    if not text:
        return ""
    if " | " not in text:
        if text[0] not in _STARTS or not text.strip(_RULES):
            return ""
        if text[0].isalpha() and not text[:6].lower().startswith(_NAMING):
            return ""
    if len(text) > 200:
        return ""
    found = _HEADING.match(text)
    if found is None:
        return ""
    name = next((entry for entry in found.groups() if entry), "").strip()
    name = name.rpartition("/")[2]
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    if name.lower() in _NO_NAMES or _NAME.match(name) is None or not name.strip("-=_.*"):
        return ""
    return name
