"""Does the wiring of a found network follow the rule that most of it follows?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from netdesign.audit.found.link_checks import MOST_NAMED
from netdesign.audit.found.names import label_of
from netdesign.audit.found.tiers import Leaf, Tiered, joined_sets, tier_name
from netdesign.audit.limits import limit
from netdesign.audit.report import Finding
from netdesign.wording import named, plural

_BOARD = re.compile(r"([^/]+)/[LS]\d")  # line and spine boards; /U2 is a second chip
_FEWEST_PAIRS = 3  # of which most can tell what is usual
_MOST_PAIRS = 4_000_000  # of a tier that are looked at


@dataclass(frozen=True)
class _Pairs:
    """Links of each pair of a lower and an upper switch that belong together."""

    counts: dict[tuple[str, str], int]  # also pairs without a link where all others have one
    lower: int  # tier

    @property
    def usual(self) -> int | None:
        """Links of a pair, where most pairs agree; None where they do not."""
        with_links = Counter(count for count in self.counts.values() if count)
        if len(self.counts) < _FEWEST_PAIRS or not with_links:
            return None
        value, count = with_links.most_common(1)[0]
        return value if count >= limit("mostly-alike") * len(self.counts) else None


def _pairs(tiered: Tiered, lower: int) -> _Pairs:
    tier = tiered.tier
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for link in tiered.switch_links:
        low, high = link.a, link.b
        if tier.get(low, -1) > tier.get(high, -1):
            low, high = high, low
        if tier.get(low) == lower and tier.get(high) == lower + 1:
            counts[low, high] += 1
    wanted = {*tiered.by_tier[lower], *tiered.by_tier[lower + 1]}
    for part in joined_sets(tiered.at, wanted.__contains__):
        lows = [key for key in part if tier[key] == lower]
        highs = [key for key in part if tier[key] == lower + 1]
        possible = len(lows) * len(highs)
        linked = (
            sum((low, high) in counts for low in lows for high in highs)
            if (possible <= _MOST_PAIRS)
            else 0
        )
        if not possible or linked < limit("mostly-alike") * possible:
            continue
        for low in lows:
            low_is_listed = tiered.is_listed(tiered.device(low))
            for high in highs:
                if low_is_listed or tiered.is_listed(tiered.device(high)):
                    counts.setdefault((low, high), 0)
    return _Pairs(dict(counts), lower)


def missing_links(tiered: Tiered) -> list[Finding]:
    """Pairs of switches with fewer links than most pairs have."""
    findings = []
    for lower in range(len(tiered.by_tier) - 1):
        pairs = _pairs(tiered, lower)
        usual = pairs.usual
        if usual is None:
            findings += _uneven(pairs)
            continue
        short = {pair: usual - n for pair, n in pairs.counts.items() if n < usual}
        if short:
            findings.append(_missing(tiered, pairs, usual, short))
    return findings


def _uneven(pairs: _Pairs) -> list[Finding]:
    counted = Counter(count for count in pairs.counts.values() if count)
    if len(counted) < 2:
        return []
    low, high = min(counted), max(counted)
    where = f"{tier_name(pairs.lower)} to {tier_name(pairs.lower + 1)}"
    return [
        Finding(
            "uneven-links",
            "note",
            where,
            f"Pairs of switches ({where}) are joined by {low} to {high} links, and no number is "
            "the rule: whether some are missing cannot be told without the cable plan "
            "(give the design).",
            {"pairs_by_links": {str(links): pairs for links, pairs in sorted(counted.items())}},
        )
    ]


def _missing(
    tiered: Tiered, pairs: _Pairs, usual: int, short: dict[tuple[str, str], int]
) -> Finding:
    low_name, high_name = tier_name(pairs.lower), tier_name(pairs.lower + 1)
    total = sum(short.values())
    lost: Counter[str] = Counter()
    for (low, _), links in short.items():
        lost[low] += links
    partners = Counter(low for low, _ in pairs.counts)
    real: Counter[str] = Counter()
    for (low, _), links in pairs.counts.items():
        real[low] += links
    worst = [
        {
            "name": tiered.device(key).name,
            "up": real[key],
            "expected": usual * partners[key],
            "missing": links,
        }
        for key, links in lost.most_common(MOST_NAMED)
    ]
    between = named(
        f"{tiered.device(low).name} and {tiered.device(high).name} have {usual - links} of {usual}"
        for (low, high), links in short.items()
    )
    said = named(f"{entry['name']} has {entry['up']} of {entry['expected']} up" for entry in worst)
    word = "uplink" if total == 1 else "uplinks"
    return Finding(
        "missing-links",
        "warning",
        f"{low_name} to {high_name}",
        f"{total:,} {word} missing over {plural(len(short), 'pair')} of {low_name} and "
        f"{high_name}: {plural(usual, 'link')} join each of {len(pairs.counts):,} pairs elsewhere. "
        f"Worst first: {said}. Pairs: {between}. A link that is down does not stand in the file: "
        "check these cables and ports.",
        {
            "missing": total,
            "pairs": len(short),
            "all_pairs": len(pairs.counts),
            "links_per_pair": usual,
            "leaves": worst,
            "missing_pairs": [
                {
                    "lower": tiered.device(low).name,
                    "upper": tiered.device(high).name,
                    "links": usual - links,
                    "expected": usual,
                }
                for (low, high), links in list(short.items())[:200]
            ],
        },
    )


def missing_switches(tiered: Tiered) -> list[Finding]:
    """Numbers that the names of switches skip."""
    grids: dict[tuple[int, str, int], dict[tuple[int, ...], Any]] = defaultdict(dict)
    for tier, keys in enumerate(tiered.by_tier):
        for key in keys:
            name = tiered.device(key).name
            label = None if "/" in name else label_of(name)
            if label is not None:
                numbers = tuple(int(number) for number in label.numbers)
                stem = label.word if len(numbers) > 1 else name[: -len(label.numbers[0])]
                grids[tier, stem, len(numbers)][numbers] = label
    findings = []
    for (tier, _, _), cells in grids.items():
        gone = _gaps(set(cells))
        if not gone:
            continue
        label = next(iter(cells.values()))
        names = [label.spelled(numbers) for numbers in gone]
        findings.append(
            Finding(
                "missing-switch",
                "warning" if len(gone[0]) > 1 else "note",
                f"tier {tier_name(tier)}",
                f"{named(names)} {'is' if len(names) == 1 else 'are'} not in the file, although "
                f"the names of {plural(len(cells), 'other switch', 'other switches')} leave room "
                "for it: a switch that is down, not yet built, or named otherwise.",
                {"missing": names[:MOST_NAMED], "present": len(cells)},
            )
        )
    return findings


def _gaps(cells: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Cells that a nearly full grid, or a nearly full row, lacks."""
    sides = []
    for place in range(len(next(iter(cells)))):
        numbers = sorted({cell[place] for cell in cells})
        sides.append(numbers)
    if len(sides) == 1:
        low, high = sides[0][0], sides[0][-1]
        if high - low + 1 > 2 * len(cells):
            return []
        sides = [list(range(low, high + 1))]
    elif min(len(side) for side in sides) < 2:
        return []
    size = prod(len(side) for side in sides)
    if len(cells) < _FEWEST_PAIRS or len(cells) < limit("mostly-alike") * size:
        return []
    return [cell for cell in product(*sides) if cell not in cells]


def oversubscription(tiered: Tiered) -> list[Finding]:
    """What leaves have below and above them; a note, since a design may want it so."""
    rated = [(leaf, ratio) for leaf in tiered.leaves if (ratio := leaf.oversubscription)]
    if not rated:
        return []
    worst, high = max(rated, key=lambda entry: entry[1])
    if high <= 1:
        return []
    counted = Counter(round(ratio, 2) for _, ratio in rated)
    usual, count = counted.most_common(1)[0]
    name = tiered.called(worst.key)
    return [
        Finding(
            "oversubscription",
            "note",
            name,
            f"Bandwidth down to up is {usual:g}:1 on {count:,} of "
            f"{plural(len(rated), 'leaf', 'leaves')}; the worst is {name} with "
            f"{_ratio_words(worst)} = {high:.3g}:1{_could_be(worst)}. When all send, traffic that "
            f"leaves this leaf gets {100 / high:.0f} % of the adapters' rate.",
            {
                "worst": name,
                "down": len(worst.down),
                "up": len(worst.up),
                "down_gbps": worst.down_gbps,
                "up_gbps": worst.up_gbps,
                "oversubscription": round(high, 4),
                "leaves_by_ratio": {f"{ratio:g}": n for ratio, n in counted.most_common(10)},
            },
        )
    ]


def _ratio_words(leaf: Leaf) -> str:
    down, up = leaf.down_gbps, leaf.up_gbps
    links = f"{len(leaf.down)} links down and {len(leaf.up)} up"
    return links if down is None or up is None else f"{links} ({down:g}:{up:g} Gb/s)"


def _could_be(leaf: Leaf) -> str:
    now, then = leaf.oversubscription, leaf.possible_oversubscription
    if now is None or then is None or abs(then - now) < 0.005:
        return ""
    return f" ({then:.3g}:1 once all its links run at the rate their ends can do)"


def single_points(tiered: Tiered) -> list[Finding]:
    """Leaves that hang on one switch where their like hang on several."""
    above = {leaf.key: _neighbours(leaf) for leaf in tiered.leaves if leaf.up}
    if len(above) < _FEWEST_PAIRS:
        return []
    alone = [key for key, switches in above.items() if len(switches) == 1]
    if not alone or len(alone) > (1 - limit("mostly-alike")) * len(above):
        return []
    names = [tiered.device(key).name for key in alone]
    return [
        Finding(
            "single-point",
            "warning",
            names[0],
            f"{plural(len(alone), 'leaf', 'leaves')} with uplinks to one switch only, where the "
            f"others have several: {named(names)}. The loss of that switch cuts everything below.",
            {"leaves": names[:MOST_NAMED], "count": len(alone)},
        )
    ]


def _neighbours(leaf: Leaf) -> set[str]:
    return {link.b if link.a == leaf.key else link.a for link in leaf.up}


def directors(tiered: Tiered) -> list[Finding]:
    """Switches that are boards of one chassis."""
    boards = Counter(
        match[1]
        for device in tiered.network.devices.values()
        if device.role == "switch" and (match := _BOARD.match(device.name)) is not None
    )
    if not boards:
        return []
    said = named(f"{name} with {plural(count, 'board')}" for name, count in boards.most_common())
    return [
        Finding(
            "director",
            "note",
            next(iter(boards)),
            f"{plural(len(boards), 'director')} in this network: {said}. Each board counts as a "
            "switch here, and the links inside the chassis count as links.",
            {"directors": dict(boards.most_common(MOST_NAMED))},
        )
    ]


WIRING_CHECKS = (missing_links, missing_switches, oversubscription, single_points, directors)
