"""What do the names of adapters and switches say: whose they are, and which of them?"""

from __future__ import annotations

import re
from typing import NamedTuple

_ADAPTER = re.compile(
    r"(?:hca|mlx\d|mlx5_bond|mthca|ibp|ib|qib|hfi1|bnxt_re|irdma|efa|roce|rocep|cx\d)"
    r"[-_]?[a-z0-9_.]{0,24}\Z",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:(HCA)-|mlx\d_|mthca|qib|hfi1_)(\d{1,3})\Z", re.IGNORECASE)
_FACTORY = re.compile(
    r"MT\d{4,6}\b|Quantum|SwitchX|Switch-IB|Infini[Ss]cale|ConnectX|InfiniHost|MT_|BlueField"
    r"|\(?none\)?\Z|Voltaire HCA",
    re.IGNORECASE,
)
_MAKERS = ("Mellanox Technologies", "Nvidia Technologies", "NVIDIA Technologies")
_SWITCH = re.compile(
    r"\AMF0;|\AQuantum|\ASwitchX|\ASwitch-IB|\AInfini[Ss]cale|\AMT4739\d|\AMT48436|\AMT5[0-9]{4}"
    r"|\AISR\d|\ASFB|\ASFA|\AIS5\d{3}|\ASW-|switch|\AInfinIO|\AQLogic 12|\ASilverStorm",
    re.IGNORECASE,
)
_REMARK = re.compile(r" \([^()]*\)\Z")  # "node07 HCA-1 (Mellanox HCA)"
_DIGITS = re.compile(r"\d+")
_LABEL = re.compile(r"([A-Za-z]{2,20})[-_]?(\d{1,4})(?:[-_](\d{1,4}))?\Z")
_LONGEST = 256  # characters of a name that are looked at


class Adapter(NamedTuple):
    """What the name of a channel adapter says."""

    server: str  # "" where the name is that of the factory
    adapter: str  # HCA-1, mlx5_0; "" where it is not said
    number: int | None  # 1 and up: HCA-1 and mlx5_0 are both the first


def adapter_of(name: str) -> Adapter:
    """Server and adapter of a name: "node07 HCA-1", "node07 mlx5_0", "node07"."""
    name = name[:_LONGEST].strip()
    if name.endswith(")"):
        name = _REMARK.sub("", name).strip()
    if not name or is_factory_name(name):
        return Adapter("", "", None)
    server, _, last = name.rpartition(" ")
    if not server or _ADAPTER.match(last) is None:
        return Adapter(name, "", None)
    match = _NUMBERED.match(last)
    if match is None:
        return Adapter(server.strip(), last, None)
    return Adapter(server.strip(), last, int(match[2]) + (match[1] is None))


def is_factory_name(name: str) -> bool:
    """Whether this is what a chip calls itself before anybody has named it."""
    if _FACTORY.match(name) is not None:
        return True
    return "Technologies" in name and any(maker in name for maker in _MAKERS)


def is_aggregation_name(name: str) -> bool:
    """Whether this is the node inside a switch that reduces data on the way."""
    return "aggregation node" in name.lower()


def is_switch_name(name: str) -> bool:
    """Whether a device of this name is likely a switch."""
    return _SWITCH.search(name[:_LONGEST]) is not None


def family_of(name: str) -> str:
    """A name without its numbers: devices that are named alike are taken to be alike."""
    return _DIGITS.sub("0", name[:_LONGEST])


class Label(NamedTuple):
    """The end of a switch's name: a word and one number or two."""

    word: str
    numbers: tuple[str, ...]

    def spelled(self, numbers: tuple[int, ...]) -> str:
        """The same with other numbers, as wide as these."""
        widths = [len(number) for number in self.numbers]
        parts = [f"{n:0{w}d}" for n, w in zip(numbers, widths, strict=True)]
        return "-".join([self.word, *parts])


def label_of(name: str) -> Label | None:
    """LEAF and (04, 08) of "B09-P1-IBLEAF-04-08"; None where no number stands at the end."""
    match = _LABEL.search(name[-64:])
    if match is None:
        return None
    return Label(match[1], tuple(number for number in match.groups()[1:] if number))
