"""What is broken in a built fabric: a word becomes switches and links."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.forwarding import host_links
from netdesign.topology.naming import device_names, port_names
from netdesign.topology.routing import Lost

Bools = npt.NDArray[np.bool_]
Links = npt.NDArray[np.int64]

PARTS = ("cable", "optic", "uplink", "nic", "server", "plane", "rail")
_LONGEST = 120
_HINT = "for example cable, nic:3, leaf:0, spine-02, cable:server-0001:nic1, nic@0.5"


@dataclass(frozen=True, eq=False)
class Scenario:
    """One thing that is broken, or slow, in a fabric."""

    word: str  # as it was asked for
    part: str  # cable | optic | uplink | nic | server | plane | rail, or the tier of a switch
    name: str  # of the very one, as the fabric's names have it
    rate: float  # that is left of its links; 0: they are gone
    lost: Lost
    slowed: Bools  # links that run at ``rate``; none where they are gone
    count: int  # parts of this kind in the fabric
    of_what: str  # "link" | "switch" | "nic" | "": whose failure rate counts

    @property
    def is_slow(self) -> bool:
        return self.rate > 0

    @property
    def links(self) -> Bools:
        """The links that are broken or slow, without those of broken switches."""
        return self.lost.links | self.slowed

    def slow_fabric(self, fabric: Fabric) -> Fabric:
        """The fabric with its slow links at the speed that is left."""
        if not np.any(self.slowed):
            return fabric
        kinds, kind = list(fabric.kinds), fabric.kind.copy()
        for index in np.unique(fabric.kind[self.slowed]):
            healthy = fabric.kinds[index]
            kind[self.slowed & (fabric.kind == index)] = len(kinds)
            kinds.append(LinkKind(healthy.name, healthy.gbps * self.rate, healthy.slots))
        return replace(fabric, kinds=tuple(kinds), kind=kind)


def broken(fabric: Fabric, word: str, *, nic_ports: int = 1) -> Scenario:
    """What a word says is broken.

    ``cable``, ``optic`` (of a server), ``uplink`` (between switches), ``nic``, ``server``,
    ``plane``, ``rail`` or a tier such as ``leaf`` or ``spine``, with ``:N`` for the N-th from 0; or
    the name of a device, or ``cable:DEVICE:PORT``. With ``@0.5`` its links keep half their rate.

    Parameters
    ----------
    fabric : Fabric
    word : str
    nic_ports : int, >= 1       ports of a network card, neighbours among the slots of a host

    Raises
    ------
    DesignError     when the fabric has no such part
    """
    text, rate = _rate(word.strip()[:_LONGEST])
    part, _, rest = text.partition(":")
    if part in ("cable", "optic", "uplink"):
        scenario = _cable(fabric, part, rest)
    elif part == "nic":
        scenario = _nic(fabric, rest, nic_ports)
    elif part in ("plane", "rail"):
        scenario = _apart(fabric, part, rest)
    else:
        scenario = _device(fabric, text, part, rest)
    scenario = replace(scenario, word=word.strip()[:_LONGEST], rate=rate)
    if not rate:
        return scenario
    if np.any(scenario.lost.switches):
        raise DesignError("break", word, "cannot be slow", "a rate is for cables and NICs")
    return replace(scenario, lost=Lost.nothing(fabric), slowed=scenario.lost.links)


def usual(fabric: Fabric) -> tuple[str, ...]:
    """One of each part that the fabric has, and a slow NIC."""
    tiers = [name for index, name in enumerate(fabric.tier_names) if np.any(fabric.tier == index)]
    between = bool(np.any(~host_links(fabric)))
    planes = fabric.switches > 0 and len(np.unique(fabric.plane)) > 1
    return (
        *("cable", "nic", "nic@0.5"),
        *(("uplink",) if between else ()),
        *tiers,
        *(("plane",) if planes else ()),
        "server",
    )


def _rate(word: str) -> tuple[str, float]:
    text, at, share = word.partition("@")
    if not at:
        return text, 0.0
    try:
        rate = float(share)
    except ValueError:
        rate = -1.0
    if not 0 < rate < 1:
        raise DesignError("break", word, "has no such rate", "give a share, as in nic@0.5")
    return text, rate


def _scenario(
    fabric: Fabric, part: str, name: str, lost: Lost, count: int, of_what: str
) -> Scenario:
    nothing = np.zeros(fabric.links, dtype=bool)
    return Scenario(part, part, name, 0.0, lost, nothing, count, of_what)


def _number(word: str, text: str, count: int) -> int:
    """The number after the colon, 0 where there is none."""
    if not text:
        return 0
    if not text.isascii() or not text.isdigit() or int(text[:9]) >= count:
        raise DesignError(
            "break", f"{word}:{text}", "is not there", f"there are {count:,}, counted from 0"
        )
    return int(text)


def _cable(fabric: Fabric, part: str, rest: str) -> Scenario:
    at_host = host_links(fabric)
    if ":" in rest:
        link = _link_at(fabric, rest)
        chosen = at_host if at_host[link] else ~at_host
    else:
        chosen = ~at_host if part == "uplink" else at_host
        if not np.any(chosen):
            raise DesignError("break", part, "is not there", "this fabric has no such cable")
        links = _in_order(fabric, chosen)
        link = int(links[_number(part, rest, len(links))])
    count = int(np.count_nonzero(chosen))
    name = _link_name(fabric, link)
    return _scenario(fabric, part, name, Lost.of(fabric, links=[link]), count, "link")


def _in_order(fabric: Fabric, chosen: Bools) -> Links:
    """Links by the device and the slot of their lower end."""
    links = np.flatnonzero(chosen)
    return links[np.lexsort((fabric.a_slot[links], fabric.a[links]))]


def _link_name(fabric: Fabric, link: int) -> str:
    names = _names(fabric)
    one = slice(link, link + 1)
    near = port_names(fabric, fabric.a_slot[one], fabric.a[one])[0]
    far = port_names(fabric, fabric.b_slot[one], fabric.b[one])[0]
    return f"{names[fabric.a[link]]} {near} to {names[fabric.b[link]]} {far}"


def _link_at(fabric: Fabric, rest: str) -> int:
    """The link in a port, DEVICE:PORT."""
    device_name, _, port = rest.partition(":")
    device = _number_of(fabric, device_name)
    for end, slot in ((fabric.a, fabric.a_slot), (fabric.b, fabric.b_slot)):
        links = np.flatnonzero(end == device)
        if len(links):
            ports = port_names(fabric, slot[links], end[links])
            found = links[ports == port]
            if len(found):
                return int(found[0])
    raise DesignError("break", f"cable:{rest}", "has no cable in this port", _HINT)


def _nic(fabric: Fabric, rest: str, nic_ports: int) -> Scenario:
    links = _in_order(fabric, host_links(fabric))
    if not len(links):
        raise DesignError("break", "nic", "is not there", "hosts of this fabric have no NIC")
    card = fabric.a[links].astype(np.int64) * fabric.host_ports + fabric.a_slot[links] // nic_ports
    cards = np.unique(card)
    if ":" in rest:
        which = card[np.flatnonzero(links == _link_at(fabric, rest))][0]
    else:
        which = cards[_number("nic", rest, len(cards))]
    host, place = divmod(int(which), fabric.host_ports)
    name = f"{_names(fabric)[host]} NIC {place + 1}"
    lost = Lost.of(fabric, links=links[card == which])
    return _scenario(fabric, "nic", name, lost, len(cards), "nic")


def _apart(fabric: Fabric, part: str, rest: str) -> Scenario:
    """All switches of one plane, or of one rail."""
    of_switch = fabric.plane if part == "plane" else fabric.rail
    known = np.unique(of_switch[of_switch >= 0])
    if len(known) < 2:
        raise DesignError(
            "break", part, "is not there", f"this fabric is not made of several {part}s"
        )
    one = int(known[_number(part, rest, len(known))])
    lost = Lost.of(fabric, switches=np.flatnonzero(of_switch == one))
    return _scenario(fabric, part, f"{part} {one + 1}", lost, len(known), "")


def _device(fabric: Fabric, text: str, part: str, rest: str) -> Scenario:
    tiers = [index for index, name in enumerate(fabric.tier_names) if name == part]
    if tiers or part in ("server", "host"):
        first = fabric.hosts if tiers else 0
        places = np.flatnonzero(fabric.tier == tiers[0]) if tiers else np.arange(fabric.hosts)
        if not len(places):
            raise DesignError("break", text, "is not there", f"this fabric has no {part}")
        device = first + int(places[_number(part, rest, len(places))])
    else:
        device = _number_of(fabric, text)
    name = _names(fabric)[device]
    if device < fabric.hosts:
        links = np.flatnonzero((fabric.a == device) | (fabric.b == device))
        lost = Lost.of(fabric, links=links)
        return _scenario(fabric, "server", name, lost, fabric.hosts, "")
    tier = fabric.tier[device - fabric.hosts]
    lost = Lost.of(fabric, switches=[device - fabric.hosts])
    count = int(np.count_nonzero(fabric.tier == tier))
    return _scenario(fabric, fabric.tier_names[tier], name, lost, count, "switch")


def _number_of(fabric: Fabric, name: str) -> int:
    names = _names(fabric)
    number = _numbers(fabric).get(name)
    if number is None:
        words = [*PARTS, *(tier for i, tier in enumerate(fabric.tier_names) if i in fabric.tier)]
        near = difflib.get_close_matches(name, words, n=1, cutoff=0.5)
        near = difflib.get_close_matches(name, names[:2000], n=1, cutoff=0.8) or near
        hint = f"did you mean {near[0]}?" if near else _HINT
        raise DesignError("break", name, "is no part of this fabric", hint)
    return number


@lru_cache(maxsize=4)
def _names(fabric: Fabric) -> tuple[str, ...]:
    return tuple(device_names(fabric))


@lru_cache(maxsize=4)
def _numbers(fabric: Fabric) -> dict[str, int]:
    return {name: number for number, name in enumerate(_names(fabric))}
