"""Names of ports: which are the same, which are for management, which are of a server."""

from __future__ import annotations

import re
from functools import lru_cache

_LONGEST = 128  # characters of a name that are looked at
_MOST_CACHED = 1 << 18  # names; as many as the rows of a file
_MAC_LENGTHS = (12, 14, 17)
_WITHOUT_MARKS = str.maketrans("", "", ":-.")
_MAC = re.compile(
    r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\Z|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}\Z|[0-9a-f]{12}\Z",
    re.IGNORECASE,
)
_MANAGEMENT = re.compile(
    r"(?:(?:mgmt|mgmteth|management)[-_ ]?|ma)\d{0,3}(?:/\d{1,3}){0,4}\Z"
    r"|(?:fxp|em|me|vme|bme)\d{0,2}(?:\.\d+)?\Z|re\d:mgmt-\d\Z|oob\d{0,2}\Z|bmc\d{0,2}\Z|idrac",
    re.IGNORECASE,
)
_LINUX_MANAGEMENT = re.compile(r"eth0\Z", re.IGNORECASE)
_OF_HOST = re.compile(
    r"(?:eth|ens|enp|eno|enx|em|ib|ibs|ibp|bond|team|mlx5_|p\dp|vmnic|nic|rail|gpu|roce|rocep|br"
    r"|hca|slot|pci|port|net)[-_ ]?\d",
    re.IGNORECASE,
)
_OF_SWITCH = re.compile(
    r"swp\d|ethernet ?\d|eth ?\d+/|et ?\d+/|et ?\d{1,3}\Z|(?:et|xe|ge|mge|fte)-\d+/\d"
    r"|(?:fa|gi|gig|te|ten|twe|fo|hu|fou|two|four|eight|hundred|forty|fifty|twentyfive)"
    r"[a-z]{0,20} ?\d+/|etp\d|\d{1,3}/\d{1,3}(?:/\d{1,3})?\Z",
    re.IGNORECASE,
)
_SPEED = re.compile(r"\s*(\d{1,5}(?:\.\d{1,3})?)\s?([GgMm])(?:b(?:it)?(?:ps|/s)?|bps)?\s*\Z")
_JUNOS = re.compile(r"[a-z]{2,4}-\d")
_PARTS = re.compile(r"([A-Za-z]{1,32})[ _]?(\d.*)\Z")
_SHORT = (  # spelled out, the abbreviations of a kind of port
    ("ethernet", ("e", "et", "eth", "ethernet")),
    ("fastethernet", ("fa", "fastethernet")),
    ("gigabitethernet", ("gi", "gig", "gigabitethernet", "gigabitether", "gigabite")),
    ("tengigabitethernet", ("te", "ten", "tengige", "tengigabitethernet")),
    ("twentyfivegige", ("twe", "twentyfivegige", "twentyfivegigabitethernet")),
    ("fortygige", ("fo", "fortygige", "fortygigabitethernet")),
    ("hundredgige", ("hu", "hundredgige", "hundredgigabitethernet")),
    ("fourhundredgige", ("fou", "fourhundredgige", "fourhundredgigabitethernet")),
    ("management", ("ma", "management", "mgmt")),
)
_SPELLED = {short: long for long, shorts in _SHORT for short in shorts}


def is_mac(text: str) -> bool:
    """Whether this is a MAC address, however it is grouped."""
    return len(text) in _MAC_LENGTHS and _MAC.match(text) is not None


def digits_of_mac(text: str) -> str:
    """The twelve digits of a MAC address in small letters; "" if it is none."""
    return text.translate(_WITHOUT_MARKS).lower() if is_mac(text) else ""


@lru_cache(maxsize=_MOST_CACHED)
def canonical(port: str) -> str:
    """A port's name as others spell it too: Eth1/1, Et1/1 and Ethernet1/1 are the same."""
    name = port[:_LONGEST].strip().strip("\"'").lower()
    if is_mac(name):
        return name.translate(_WITHOUT_MARKS)
    if "-" in name and _JUNOS.match(name):  # its unit 0 is the port itself
        return name.removesuffix(".0")
    found = _PARTS.match(name)
    if found is None:
        return name
    word, rest = found.group(1), found.group(2)
    return _SPELLED.get(word, word) + rest


def family(port: str) -> str:
    """The kind of a port's name: ports of two kinds cannot be compared by number."""
    return re.sub(r"\d+", "0", canonical(port))


@lru_cache(maxsize=_MOST_CACHED)
def is_management(port: str) -> bool:
    """Whether a port of a switch with this name is for management."""
    name = port[:_LONGEST].strip()
    return _MANAGEMENT.match(name) is not None or _LINUX_MANAGEMENT.match(name) is not None


@lru_cache(maxsize=_MOST_CACHED)
def is_surely_management(port: str) -> bool:
    """The same for a port of any device: a server's eth0 may be its only one."""
    return _MANAGEMENT.match(port[:_LONGEST].strip()) is not None


@lru_cache(maxsize=_MOST_CACHED)
def is_of_host(port: str) -> bool:
    """Whether ports of servers are named so."""
    name = port[:_LONGEST].strip()
    return is_mac(name) or (_OF_HOST.match(name) is not None and not is_of_switch(name))


@lru_cache(maxsize=_MOST_CACHED)
def is_of_switch(port: str) -> bool:
    """Whether ports of switches are named so."""
    return _OF_SWITCH.match(port[:_LONGEST].strip()) is not None


def port_name(port: str, description: str) -> str:
    """What a person calls a port: its id, or its description where the id is only a number."""
    is_number = is_mac(port) or port.isdigit()
    if is_number and (is_of_switch(description) or is_of_host(description)):
        return description
    return port


@lru_cache(maxsize=1024)
def gbps_of(speed: str) -> float | None:
    """Gb/s of 100G, 1G or 10M as tables write it; None if it is none of these."""
    found = _SPEED.match(speed[:_LONGEST])
    if found is None:
        return None
    return float(found.group(1)) * (1.0 if found.group(2) in "gG" else 1e-3)
