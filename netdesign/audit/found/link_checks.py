"""Is each link of a found network what its ends, and the links beside it, say it should be?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from statistics import median_high
from typing import Any

from netdesign.audit.context import Context
from netdesign.audit.found.network import FoundLink
from netdesign.audit.found.rates import data_gbps_of
from netdesign.audit.found.servers import servers_of
from netdesign.audit.found.summary import speed_words
from netdesign.audit.found.tiers import NO_TIER, TIER_NAMES, Tiered, tier_name
from netdesign.audit.limits import limit
from netdesign.audit.report import Finding
from netdesign.units import bytes_per_second_to_gbps
from netdesign.wording import named, plural

MOST_NAMED = 20  # links or devices that the evidence of a finding lists
_TIERS = (*TIER_NAMES, *(tier_name(tier) for tier in range(len(TIER_NAMES), 100)))
_FEWEST_ALIKE = 3  # links of a group that can tell what is usual


def link_words(tiered: Tiered, link: FoundLink) -> str:
    """LEAF-01 port 3 to node07 HCA-1 port 1."""
    ends = [(link.a, link.a_port), (link.b, link.b_port)]
    return " to ".join(f"{tiered.called(key)} port {port}" for key, port in ends)


def evidence_of(tiered: Tiered, links: Sequence[FoundLink]) -> dict[str, Any]:
    """The first links of a finding, as numbers and texts."""
    return {
        "count": len(links),
        "links": [
            {
                "a": tiered.device(link.a).name,
                "a_port": link.a_port,
                "b": tiered.device(link.b).name,
                "b_port": link.b_port,
                "speed": speed_words(link),
                "gbps": link.gbps,
                "possible_gbps": link.possible_gbps,
                "line": link.line,
            }
            for link in links[:MOST_NAMED]
        ],
    }


def asymmetric_links(tiered: Tiered) -> list[Finding]:
    """Ends that disagree about speed or width."""
    odd = [
        link
        for link in tiered.links
        if link.speed and link.other_speed and link.speed != link.other_speed
    ]
    if not odd:
        return []
    first = odd[0]
    return [
        Finding(
            "asymmetric-link",
            "warning",
            link_words(tiered, first),
            f"{plural(len(odd), 'link')} with ends that disagree: "
            + named(f"{link_words(tiered, e)} ({e.speed} against {e.other_speed})" for e in odd)
            + ". The slower end is what counts; a bad lane, a cable that is not fully in, or a "
            "speed set by hand at one end. Reseat the cable, then reset the port.",
            evidence_of(tiered, odd),
        )
    ]


def one_sided_links(tiered: Tiered) -> list[Finding]:
    """Links that only one of two listed devices knows."""
    odd = [link for link in tiered.links if link.one_sided]
    if not odd:
        return []
    return [
        Finding(
            "one-sided-link",
            "warning",
            link_words(tiered, odd[0]),
            f"{plural(len(odd), 'link')} that only one end lists although both devices are in the "
            f"file: {named(link_words(tiered, link) for link in odd)}. The file was cut, or the "
            "port changed while it was made: take the dump again.",
            evidence_of(tiered, odd),
        )
    ]


def is_degraded(link: FoundLink) -> bool:
    """Whether the file says that both ends could run this link faster."""
    if link.possible_gbps is None or link.gbps is None:
        return False
    # QDR and FDR10 bear the same figure, and coding leaves QDR less
    return link.possible_gbps > link.gbps or link.possible not in ("", link.speed)


def loops(tiered: Tiered) -> list[Finding]:
    """Cables that lead back to the device that they come from."""
    back = [link for link in tiered.links if link.a == link.b]
    if not back:
        return []
    return [
        Finding(
            "loop",
            "warning",
            link_words(tiered, back[0]),
            f"{plural(len(back), 'cable')} from a device back to itself: "
            f"{named(link_words(tiered, link) for link in back)}. They take two ports each and "
            "carry nothing: left from a test, or put into the wrong port.",
            evidence_of(tiered, back),
        )
    ]


def degraded_links(tiered: Tiered) -> list[Finding]:
    """Links that both ends could run faster, where the tool says so."""
    slow = [link for link in tiered.links if is_degraded(link)]
    if not slow:
        return []
    lost = sum((link.possible_gbps or 0) - (link.gbps or 0) for link in slow)
    return [
        Finding(
            "degraded-link",
            "warning",
            link_words(tiered, slow[0]),
            f"{plural(len(slow), 'link')} slower than both ends can do: "
            + named(
                f"{link_words(tiered, e)} at {speed_words(e)}, could be "
                f"{e.possible or f'{e.possible_gbps:g}G'}"
                for e in slow
            )
            + (f"; {lost:g} Gb/s less in all" if lost else "")
            + ". A cable or transceiver of an older speed, or a speed set "
            "by hand: check the part number of the cable and the enabled speed of the port.",
            {**evidence_of(tiered, slow), "lost_gbps": lost},
        )
    ]


@lru_cache(maxsize=1)
def _groups(tiered: Tiered) -> dict[str, list[FoundLink]]:
    """Links that should be alike: between two tiers, and to servers that are named alike."""
    groups: dict[str, list[FoundLink]] = defaultdict(list)
    families = servers_of(tiered).family_of
    for link in tiered.host_links:
        host, other = link.a, link.b
        if tiered.role(host) != "host":
            host, other = other, host
        family = families[host] or "hosts without a name"
        groups[f"{_tier_word(tiered, other)} to {family}"].append(link)
    for link in tiered.switch_links:
        low, high = sorted(tiered.tier.get(key, NO_TIER) for key in (link.a, link.b))
        if high < NO_TIER and link.a != link.b:
            groups[f"{tier_name(low)} to {tier_name(high)}"].append(link)
    return groups


def _in_words(group: str) -> str:
    """leaf to spine; leaf to hosts named node*."""
    low, _, high = group.partition(" to ")
    if high in _TIERS or " " in high:
        return group
    return f"{low} to hosts named {high.replace('0', '*')}"


def _tier_word(tiered: Tiered, key: str) -> str:
    tier = tiered.tier.get(key)
    return "switch" if tier is None else tier_name(tier)


def _usual(links: Sequence[FoundLink]) -> float | None:
    """The rate that nearly all of these links have; None if there is none."""
    rates = Counter(link.gbps for link in links if link.gbps is not None)
    total = sum(rates.values())
    if total < _FEWEST_ALIKE:
        return None
    usual, count = rates.most_common(1)[0]
    return usual if count >= limit("mostly-alike") * total else None


def slow_links(tiered: Tiered) -> list[Finding]:
    """Links slower than most of their like, or far slower than all other hosts' links."""
    found: list[tuple[str, FoundLink, float]] = []
    rates = [link.gbps for link in tiered.host_links if link.gbps is not None]
    middle = median_high(rates) if len(rates) >= _FEWEST_ALIKE else 0.0
    for group, links in _groups(tiered).items():
        usual = _usual(links)
        least, to_hosts = usual, group.partition(" to ")[2] not in _TIERS
        if usual is None and to_hosts:
            usual, least = middle, limit("far-slower") * middle
        if usual is None or least is None:
            continue
        found += [
            (group, link, usual)
            for link in links
            if link.gbps is not None
            and link.gbps < least
            and link.possible_gbps is None
            and (not link.other_speed or link.speed == link.other_speed)
        ]
    if not found:
        return []
    links = [link for _, link, _ in found]
    return [
        Finding(
            "slow-link",
            "warning",
            link_words(tiered, links[0]),
            f"{plural(len(found), 'link')} slower than others of the kind: "
            + named(
                f"{link_words(tiered, link)} at {speed_words(link)} ({link.gbps:g} of {usual:g} "
                f"Gb/s, {_in_words(group)})"
                for group, link, usual in found
            )
            + ". A cable, a transceiver or a port that fell back: reseat or swap the cable.",
            evidence_of(tiered, links),
        )
    ]


def mixed_speeds(tiered: Tiered) -> list[Finding]:
    """Several speeds in one network, said group by group."""
    groups: dict[str, Counter[str]] = {}
    for group, links in _groups(tiered).items():
        groups[group] = Counter(speed_words(link) for link in links)
    tiers: dict[str, Counter[str]] = defaultdict(Counter)
    for group, counted in groups.items():
        low, _, high = group.partition(" to ")
        tiers[group if high in _TIERS else f"{low} to hosts"].update(counted)
    every = {speed for counted in tiers.values() for speed in counted if speed != "unknown"}
    if len(every) < 2:
        return []
    if all(len(counted) == 1 for counted in tiers.values()):
        meaning = "Each tier is alike, so this is as it was built"
    elif all(len(counted) == 1 for counted in groups.values()):
        meaning = "Hosts that are named alike are alike, so this is likely as it was built"
    else:
        meaning = "Links of one tier differ: see whether that was meant"
    said = "; ".join(
        f"{tier}: " + ", ".join(f"{count:,} at {speed}" for speed, count in counted.most_common(4))
        for tier, counted in list(tiers.items())[:8]
    )
    data = {speed: rate for speed in sorted(every) if (rate := data_gbps_of(speed)) is not None}
    carried = ", ".join(f"{speed} {rate:.3g}" for speed, rate in data.items())
    return [
        Finding(
            "mixed-speeds",
            "note",
            "whole network",
            f"{len(every)} speeds in this network. {meaning}. {said}."
            + (f" Gb/s of data: {carried}." if carried else ""),
            {"tiers": {tier: dict(counted) for tier, counted in tiers.items()}, "data_gbps": data},
        )
    ]


def unknown_speeds(tiered: Tiered) -> list[Finding]:
    """Links of which no end says a speed."""
    silent = [link for link in tiered.links if link.gbps is None]
    if not silent:
        return []
    return [
        Finding(
            "speed-unknown",
            "note",
            "whole network",
            f"The file does not say the speed of {len(silent):,} of "
            f"{plural(len(tiered.links), 'link')}: bandwidth up and down is not known there. "
            "Give a file that says it: ibnetdiscover of a newer release, or iblinkinfo.",
            {"count": len(silent)},
        )
    ]


def below_the_rate_given(tiered: Tiered, context: Context) -> list[Finding]:
    """Links of hosts that are slower than the rate that was given, or than the design's."""
    rate = context.port_rate
    if rate is None:
        return []
    gbps = round(bytes_per_second_to_gbps(rate), 6)
    slow = [link for link in tiered.host_links if link.gbps is not None and link.gbps < gbps]
    if not slow:
        return []
    given = context.line_rate is not None
    return [
        Finding(
            "below-line-rate",
            "warning" if given else "note",  # beside a design's, there may be other networks
            link_words(tiered, slow[0]),
            f"{len(slow):,} of {plural(len(tiered.host_links), 'host link')} run below the "
            f"{gbps:g} Gb/s {'that were given' if given else 'of the design'}: "
            + named(f"{link_words(tiered, link)} at {speed_words(link)}" for link in slow)
            + ". A slower adapter or cable, a port that fell back, or another network.",
            {**evidence_of(tiered, slow), "line_rate_gbps": gbps},
        )
    ]


LINK_CHECKS = (
    asymmetric_links,
    one_sided_links,
    loops,
    degraded_links,
    slow_links,
    mixed_speeds,
    unknown_speeds,
)
