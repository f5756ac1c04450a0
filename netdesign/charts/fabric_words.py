"""What are the devices, ports and links of a built fabric called in a picture?"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from netdesign.topology.built import Fabric
from netdesign.wording import plural

KIND_WORDS = MappingProxyType(
    {
        "host": "to servers",
        "leaf_spine": "leaf to spine",
        "spine_core": "spine to core",
        "local": "inside a group",
        "global": "between groups",
    }
)


def kind_words(name: str) -> str:
    """A kind of link in words."""
    if name.startswith("dim") and name[3:].isdigit():
        return f"dimension {name[3:]}"
    return KIND_WORDS.get(name, name.replace("_", " "))


def rate_words(gbps: float) -> str:
    """The rate of a link; nothing where it is not known."""
    return f" of {gbps:g} Gb/s" if gbps else ""


def link_words(fabric: Fabric) -> str:
    """All links by kind in words: 64 links of 400 Gb/s (to servers), ..."""
    return ", ".join(
        f"{plural(count, 'link')}{rate_words(kind.gbps)} ({kind_words(kind.name)})"
        for kind in fabric.kinds
        if (count := fabric.links_of(kind.name))
    )


def tier_words(fabric: Fabric, number: int, count: int) -> str:
    """Devices of a level (0: hosts) in words: 32 leaves."""
    if number == 0:
        return plural(count, "server" if fabric.switches else "node")
    name = fabric.tier_names[number - 1]
    return plural(count, name, "leaves" if name == "leaf" else f"{name}s")


def port_words(fabric: Fabric, number: int) -> str:
    """Ports of one device of a level in words: 64 ports each."""
    if number == 0:
        return plural(fabric.host_ports, "port") + " each"
    ports = np.asarray(fabric.ports)[np.asarray(fabric.tier) == number - 1]
    low, high = int(ports.min()), int(ports.max())
    return f"{low} ports each" if low == high else f"{low} to {high} ports"
