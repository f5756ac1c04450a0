"""Counts of a fabric as a record for programs and as text for people."""

from __future__ import annotations

from typing import Any

from netdesign.economics.fabric_price import FabricPrice
from netdesign.topology.families import COUNTED_ONLY, FAMILIES
from netdesign.topology.spec import FabricCounts


def fabric_record(counts: FabricCounts, price: FabricPrice) -> dict[str, Any]:
    """One flat record; names of tiers and links are those of the family."""
    return {
        "family": counts.family,
        "endpoints": counts.endpoints,
        "switches": {**counts.switches, "total": counts.total_switches},
        "links": {
            **counts.links,
            "host": counts.host_links,
            "inter_switch": counts.inter_switch_links,
        },
        "link_gbps": dict(counts.link_gbps),
        "oversubscription": counts.oversubscription,
        "diameter": counts.diameter,
        "bisection_links": counts.bisection_links,
        "transceivers": counts.transceivers,
        "stranded_ports": counts.stranded_ports,
        "circuit_switches": counts.circuit_switches,
        "largest": counts.largest,
        "cost_usd": _plain(price.cost_usd),
        "power_w": _plain(price.power_w),
        "buildable": counts.buildable,
        "reason": counts.reason,
        "notes": [*counts.notes, *price.notes],
    }


def fabric_text(counts: FabricCounts, price: FabricPrice) -> str:
    """The same for a terminal."""
    known = {**FAMILIES, **COUNTED_ONLY}
    title = known[counts.family].title if counts.family in known else counts.family
    rows = [(f"{title}, {counts.endpoints:,} endpoints", "")]
    rows += [(f"{name} switches", f"{n:,}") for name, n in counts.switches.items() if n]
    if counts.switches:
        rows.append(("switches in all", f"{counts.total_switches:,} of {counts.radix} ports"))
    if counts.circuit_switches:
        rows.append(("optical circuit switches", f"{counts.circuit_switches:,}"))
    rows += [
        (f"{name.replace('_', '-')} links", f"{n:,} of {counts.link_gbps[name]:g} Gb/s")
        for name, n in counts.links.items()
        if n
    ]
    rows += [
        ("oversubscription", f"{counts.oversubscription:.3g} : 1"),
        ("diameter", f"{counts.diameter} links"),
        ("bisection", _or_dash(counts.bisection_links, " links")),
        ("transceivers", f"{counts.transceivers:,}"),
        ("switches and links", _or_dash(price.cost_usd, " USD")),
    ]
    if counts.switches:
        rows += [
            ("ports left empty", f"{counts.stranded_ports:,}"),
            ("largest with this switch", _or_dash(counts.largest or None, " endpoints")),
            ("power of the switches", _or_dash(price.power_w, " W")),
        ]
    width = max(len(name) for name, value in rows if value) + 2
    lines = [f"{name:<{width}}{value}".rstrip() for name, value in rows]
    notes = (*counts.notes, *price.notes)
    lines += ["", *(f"- {_capital(note).rstrip('.')}" for note in notes)]
    return "\n".join(lines)


def _capital(note: str) -> str:
    """The note with a capital, unless it begins with the name of a quantity: q = 27."""
    return note if note[1:3] == " =" else note[:1].upper() + note[1:]


def _plain(value: float | None) -> float | int | None:
    return int(value) if value is not None and float(value).is_integer() else value


def _or_dash(value: float | None, unit: str) -> str:
    return "-" if value is None else f"{value:,.0f}{unit}"
