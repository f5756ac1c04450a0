"""Answers with one fact a line: lldpctl, EOS, NX-OS and IOS, and Junos in detail."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from netdesign.audit.lldp.draft import (
    Draft,
    Entry,
    capability_letters,
    capability_words,
    told,
)

_LLDPCTL = re.compile(r"\s*Interface:\s{1,20}([^\s,]{1,64})(?:,\s*via:\s*(\S{1,20}))?")
_EOS = re.compile(r"\s*Interface (\S{1,64}) detected (\d{1,6}) LLDP neighbor", re.IGNORECASE)
_EOS_NEIGHBOUR = re.compile(r"\s*Neighbor (\S{1,128}?),? age \d", re.IGNORECASE)
_KEY_VALUE = re.compile(
    r"\s*lldp\.(\S{1,64}?)\.(via|rid|age|chassis|port|vlan|lldp-med|unknown-tlvs)\b"
)
_TITLES = ("lldp neighbor information:", "lldp neighbors:", "local information:", "index: ")
_INDENTS = ("    ", "\t")  # of values that go on, such as the bytes of an unknown TLV
_RULE = re.compile(r"[\s-]*\Z")
_PLAIN = {  # facts as lldpctl writes them, and as _fact knows them; "" where nothing is kept
    "SysName": "sysname",
    "SysDescr": "sysdescr",
    "ChassisID": "chassisid",
    "PortID": "portid",
    "PortDescr": "portdescr",
    "MgmtIP": "mgmtip",
    "Capability": "capability",
    **dict.fromkeys(("Chassis", "Port", "MgmtIface", "TTL", "PVID", "MFS"), ""),
}
_MARKS = re.compile("[#>$%|]")
# Lines of these forms that say nothing that is kept.
_KNOWN = re.compile(
    r"\s*(?:-\s+)?(?:chassis|port|ttl|time|mgmtip|mgmtiface|rid|vlan|pvid|ppvid|pi|lldp-med"
    r"|device type|inventory|software revision|firmware revision|hardware revision|serial number"
    r"|manufacturer|model|asset id|mau|pmd|adv|mfs|unknown tlvs?|tlv|unknown|lldp neighbou?rs"
    r"|discovered"
    r"|chassis id type|port id type|time to live|management address(?:es)?|interface number"
    r"|oid string|ieee802|link aggregation|auto[- ]?neg(?:otiation)?|physical media"
    r"|media attachment|advertised"
    r"|operational mau|system description"
    r"|system capabilities|time remaining|vlan id|local information|index|parent interface"
    r"|local port id|ageout|neighbou?r information|chassis type|port type|supported|enabled"
    r"|management info|address|interface number|oid|organization|oui|subtype|info|max frame"
    r"|link agg|med|capability|power|primary|civic|location|policy|wide|custom|poe|cdp)\b",
    re.IGNORECASE,
)


@dataclass
class _Open:
    """The neighbour whose facts are coming, and what the lines around mean."""

    form: str
    entry: Entry
    in_port_id: bool = False  # EOS: the next "Port ID" is the neighbour's
    in_description: bool = False  # a text that goes on over lines
    has_enabled: bool = False


class BlockReader:
    """Reads facts line by line; a new interface or chassis closes the one before."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._open: _Open | None = None
        self._form = ""
        self._interface = ""  # EOS: whose neighbours are listed

    def command(self) -> None:
        """Another command or table starts."""
        self._finish()
        self._form, self._interface = "", ""

    def end(self) -> None:
        self._finish()

    def fact(self, number: int, text: str) -> bool:
        """Take in a line that can only be one more of lldpctl's open answer; whether it is.

        Most lines of a large file are: nobody else needs to look at them.
        """
        part = self._open
        if part is None or part.form != "lldpctl":
            return False
        key, colon, value = text.partition(":")
        if not colon:
            return not text.strip("-")
        key = key.strip()
        name = _PLAIN.get(key)
        if name is None:
            return (
                key == "Interface"
                and text[0] == "I"
                and _MARKS.search(text) is None
                and self._lldpctl(number, text)
            )
        if " ll" in text or "lldp" in text.lower():
            return False
        if name:
            return self._fact(part, name, value.strip(), text)
        part.in_description = False
        return True

    def line(self, number: int, text: str) -> bool:
        """Take a line in; whether it was understood."""
        if "nterface" in text:
            started = self._interface_line(number, text)
            if started:
                return True
        if text.lstrip().startswith("lldp."):
            return self._key_value(number, text)
        if text.lstrip()[:64].lower().startswith(_TITLES):
            return True
        key, colon, value = text.partition(":")
        if not colon:
            return self._without_colon(number, text)
        name = key.strip().lstrip("- ").strip().lower()
        value = value.strip()
        if self._starts_cisco(number, name, value):
            return True
        if self._open is None:
            return bool(self._form) and _KNOWN.match(text) is not None
        return self._fact(self._open, name, value, text)

    def _interface_line(self, number: int, text: str) -> bool:
        found = _EOS.match(text)
        if found:
            self._begin("EOS detail", number)
            self._interface = found.group(1)
            self._draft.interface(self._interface)
            return True
        if self._lldpctl(number, text):
            return True
        low = text.strip().lower()
        if low.startswith("local interface") and ":" in low:
            self._begin("Junos detail", number)
            port = text.partition(":")[2].strip()
            self._open = _Open("Junos detail", Entry(number, local_port=port))
            return True
        return False

    def _lldpctl(self, number: int, text: str) -> bool:
        found = _LLDPCTL.match(text)
        if found:
            self._begin("lldpctl", number)
            self._open = _Open("lldpctl", Entry(number, local_port=found.group(1)))
        return found is not None

    def _begin(self, form: str, number: int) -> None:
        self._finish()
        if self._form != form:
            self._form = form
            self._draft.start(form, number)

    def _starts_cisco(self, number: int, name: str, value: str) -> bool:
        if name not in ("chassis id", "local intf", "local port id", "port id") or (
            self._open is not None
            and self._open.form in ("EOS detail", "Junos detail")
            and name != "local intf"
        ):
            return False
        entry = self._open.entry if self._open else None
        slot = {"chassis id": "chassis", "port id": "port"}.get(name, "local_port")
        again = entry is None or bool(getattr(entry, slot)) or self._form != "NX-OS detail"
        if again:
            if name == "port id":
                return False
            self._begin("NX-OS detail", number)
            entry = Entry(number)
            self._open = _Open("NX-OS detail", entry)
        if entry is not None:
            setattr(entry, slot, value)
        return True

    def _without_colon(self, number: int, text: str) -> bool:
        found = _EOS_NEIGHBOUR.match(text)
        if found and self._form == "EOS detail":
            self._finish()
            entry = Entry(number, local_port=self._interface)
            entry.chassis, _, entry.port = found.group(1).partition("/")
            self._open = _Open("EOS detail", entry)
            return True
        if not self._form or not text.strip():
            return False
        if _RULE.match(text) or _KNOWN.match(text) or text.endswith("- not advertised"):
            return True
        if self._open is None:
            return False
        return self._open.in_description or text.startswith(_INDENTS)

    def _fact(self, part: _Open, name: str, value: str, text: str) -> bool:
        entry = part.entry
        was_in_description, part.in_description = part.in_description, False
        if name in ("sysname", "system name"):
            entry.name = value
        elif name in ("chassisid", "chassis id"):
            entry.chassis = _without_type(value) if name == "chassisid" else value
        elif name == "portid":
            entry.port = _without_type(value)
        elif name == "port id" and (part.form == "Junos detail" or part.in_port_id):
            entry.port, part.in_port_id = value, False
        elif name == "port id type":
            part.in_port_id = True
        elif name in ("portdescr", "port description"):
            entry.port_description = value
        elif name in ("sysdescr", "system description"):
            entry.system_description, part.in_description = value, True
        elif name in ("mgmtip", "management address", "ip"):
            entry.management_address = entry.management_address or value
        elif name == "capability":
            self._capability(entry, value)
        elif name in ("enabled capabilities", "enabled"):
            entry.capabilities, part.has_enabled = _capabilities(value), True
        elif name in ("system capabilities", "supported"):
            if not part.has_enabled and value:
                entry.capabilities = _capabilities(value)
        else:
            if _KNOWN.match(text):
                return True
            part.in_description = was_in_description
            return was_in_description or text.startswith(_INDENTS)
        return True

    @staticmethod
    def _capability(entry: Entry, value: str) -> None:
        """lldpctl: one capability a line, on or off; those of LLDP-MED say yes or no."""
        words = _switched_on(value)
        if words is not None:
            entry.capabilities = (*(entry.capabilities or ()), *words)

    def _key_value(self, number: int, text: str) -> bool:
        """``lldp.eth0.chassis.name=leaf01``"""
        found = _KEY_VALUE.match(text)
        if found is None or "=" not in text:
            return False
        port = found.group(1)
        fact, _, value = text[found.start(2) :].partition("=")
        if fact == "via" or self._open is None or self._open.entry.local_port != port:
            self._begin("lldpctl", number)
            self._open = _Open("lldpctl", Entry(number, local_port=port))
        entry = self._open.entry
        last = fact.rpartition(".")[2]
        if fact == "chassis.name":
            entry.name = value
        elif fact == "chassis.descr":
            entry.system_description = value
        elif fact == "chassis.mgmt-ip":
            entry.management_address = entry.management_address or value
        elif fact == "port.descr":
            entry.port_description = value
        elif fact.startswith("port.") and last in ("ifname", "mac", "local", "ifalias", "ip"):
            entry.port = entry.port if entry.port and last == "ifalias" else value
        elif fact.startswith("chassis.") and last in ("mac", "ifname", "local", "ip"):
            entry.chassis = entry.chassis or value
        elif fact.startswith("chassis.") and last == "enabled":
            self._capability(entry, f"{fact.split('.')[-2]}, {value}")
        return True

    def _finish(self) -> None:
        part, self._open = self._open, None
        if part is not None and self._draft.dumps:
            self._draft.add(part.entry)


def _without_type(value: str) -> str:
    """``ifname swp1`` and ``mac 52:54:00:2d:fa:de`` without their first word."""
    kind, _, rest = value.partition(" ")
    kinds = ("ifname", "mac", "ifalias", "local", "ip", "unhandled", "component")
    return rest.strip() if kind in kinds and rest else value


@lru_cache(maxsize=256)
def _switched_on(value: str) -> tuple[str, ...] | None:
    """The capability that is on; none where it is off, None where the value is something else."""
    word, _, state = value.partition(",")
    state = state.strip().lower()
    if state not in ("on", "off"):
        return None
    return capability_words([word]) if state == "on" else ()


@lru_cache(maxsize=256)
def _capabilities(value: str) -> tuple[str, ...]:
    plain = told(value)
    letters = plain.replace(",", " ").split()
    if letters and all(len(word) <= 2 and word.isupper() for word in letters):
        return capability_letters(plain)
    return capability_words(plain.replace(",", " ").split())
