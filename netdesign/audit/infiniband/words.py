"""Names, speeds and lists of devices, as the InfiniBand tools write them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from netdesign.audit.found.network import Role
from netdesign.audit.found.rates import generation_of, link_rates

_MANAGED = re.compile(r"MF0;([^:]*):([^/]*)(?:/(.*))?\Z")
_LIST = re.compile(
    r"(Switch|Ca|CA|Router|Rt)\s*: 0x([0-9a-fA-F]{1,16}) ports (\d{1,4})"
    r"(?: devid \S+ vendid \S+)? \"(.*)\"(?:.*? lid (\d+))?"
)
_LIST_ROLES: dict[str, Role] = {"Switch": "switch", "Ca": "host", "CA": "host"}
_UNREACHED = re.compile(r"umad \(([^)]*)\)? bad status (\d+)|ibwarn: \[\d+\] (.*)")
_GREETING = "sim_connect: attached as client"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PROMPT = re.compile(r"(?:\[?[\w.-]+@[^#$]{1,80})?[#$](?: *\Z| +(?:sudo +)?ib[a-z]{3,20}\b)")


class Switch(NamedTuple):
    """What the description of a switch says."""

    name: str
    model: str  # "" where it is not said


@lru_cache(maxsize=8192)
def switch_of(description: str) -> Switch:
    """Name and model of ``MF0;LEAF-01:MQM9700/U1``; boards of a director keep their place."""
    match = _MANAGED.match(description)
    if match is None:
        return Switch(description.strip(), "")
    place = [part for part in (match[3] or "").split("/") if part and part != "U1"]
    return Switch("/".join([match[1], *place]), match[2])


class Listed(NamedTuple):
    """A line of ibswitches, ibhosts or ``ibnetdiscover -l``."""

    role: Role
    guid: str  # 16 hex digits
    ports: int
    name: str
    lid: int | None


def listed_of(text: str) -> Listed | None:
    """The device of such a line; None for any other line."""
    match = _LIST.match(text)
    if match is None:
        return None
    role = _LIST_ROLES.get(match[1], "unknown")
    lid = None if match[5] is None else int(match[5])
    return Listed(role, guid_of(match[2]), int(match[3]), match[4], lid)


def guid_of(digits: str) -> str:
    """A GUID as 16 lower-case hex digits."""
    return digits.lower().removeprefix("0x").rjust(16, "0")


@lru_cache(maxsize=1024)
def speed_of(width: str, lane: str) -> str:
    """Width and speed in one word: "4X" and "25.78125" or "EDR" give "4xEDR"; "" if unknown."""
    lanes = width.strip().rstrip("xX")
    if not lanes.isdigit():
        return ""
    lane = lane.strip()
    if lane in link_rates():
        return f"{lanes}x{lane}"
    match = _NUMBER.match(lane)
    if match is None:
        return ""
    named = "FDR10" if "FDR10" in lane else ""
    generation = generation_of(float(match[0][:12]), named)
    return f"{lanes}x{generation}" if generation else ""


def is_prompt(text: str) -> bool:
    """Whether a line is a shell prompt, alone or with one of these tools, or ibsim's greeting."""
    if text[0] == "i" and _GREETING in text:
        return True
    return ("@" in text or text[0] in "#$") and _PROMPT.match(text) is not None


def unreached_of(text: str) -> str:
    """Where the tool could not get an answer, as it says it; "" for any other line."""
    if ("umad (" not in text and "ibwarn: [" not in text) or _GREETING in text:
        return ""
    match = _UNREACHED.search(text)
    return "" if match is None else (match[1] or match[3] or "")[:200]
