"""The three worst risks: what the rules found and, where that is less, what else to watch."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from netdesign.app.html import Markup, join, tag
from netdesign.app.summary_panels.plain import day_range, owning_known, usd
from netdesign.app.summary_panels.trust import price_dates, priced_rows
from netdesign.bands import bands
from netdesign.charts.format import between, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from netdesign.evaluate import Evaluation
    from netdesign.findings import Finding

MOST = 3
KINDS = MappingProxyType(
    {
        "error": ("✕", "Must be put right"),
        "warning": ("!", "Costs time or money"),
        "note": ("i", "Good to know"),
        "watch": ("◷", "Watch"),
    }
)
# What a rule means to someone who does not know its words; a rule that is not here speaks itself.
IN_PLAIN_WORDS = MappingProxyType(
    {
        "memory-does-not-fit": "The model does not fit into the memory of these GPUs: the run "
        "cannot start.",
        "fabric-too-large": "This kind of network cannot be built as large as this with this "
        "switch.",
        "wrong-technology": "Switch and protocol do not belong together: InfiniBand and Ethernet "
        "do not mix.",
        "single-switch-is-full": "One switch has too few ports for this many servers.",
        "one-switch-would-do": "Several switches are bought where a single one would do.",
        "tensor-leaves-domain": "Each layer is split over more GPUs than share the fast link "
        "inside a server (NVLink), so the heaviest traffic takes the slower network.",
        "idle-gpus": "Some GPUs are paid for and have nothing to do, because the work does not "
        "divide evenly.",
        "communication-over-budget": "GPUs wait for the network longer than was allowed for.",
        "sharded-over-taper": "In every step all GPUs fetch parts of the model from each other "
        "(FSDP), over a network with less bandwidth above its first switches.",
        "taper-slows-step": "The bandwidth saved above the first switches (oversubscription) makes "
        "the training longer.",
        "leaf-pairs-share-less": "The cables above the first switches are not dealt evenly, so "
        "some groups of servers get less bandwidth between them than others.",
        "pod-pairs-share-less": "The cables to the topmost switches are not dealt evenly, so some "
        "parts of the cluster get less bandwidth between them than others.",
        "hashed-paths": "Traffic is spread over the cables by chance, so some are full while "
        "others are empty.",
        "slow-links": "The switches are slower than the network cards of the servers: bandwidth "
        "that is paid for cannot be used.",
        "bubble-is-large": "GPUs form an assembly line (a pipeline) that takes long to fill and to "
        "empty; meanwhile they wait.",
        "memory-is-tight": "The memory of the GPUs is nearly full; a run may stop for lack of it.",
        "batch-does-not-divide": "The training data of a step does not divide evenly over the "
        "GPUs, and some places stay empty.",
        "uneven-stages": "The layers of the model do not divide evenly over the GPUs, and all wait "
        "for the fullest.",
        "longer-than-context": "The training texts are longer than the model was published for.",
        "reduction-has-no-effect": "The switches are asked to add up results (in-network "
        "reduction), and nothing in this design can use it.",
        "stranded-ports": "A good part of the switch ports is bought and stays empty.",
        "partly-filled-server": "The last server is bought whole and used in part.",
        "network-share-low": "Little is spent on the network beside what it has to feed.",
        "network-share-high": "More is spent on the network than published clusters do.",
        "prices-missing": "The bill is not complete: some parts have no price with a source.",
        "power-missing": "The power is not complete: some parts have no figure.",
    }
)


class Risk(NamedTuple):
    """What may go wrong, in plain words; what is behind it; what to do."""

    kind: str
    plain: str
    detail: str
    remedy: str


def risks(evaluation: Evaluation) -> tuple[Risk, ...]:
    """Three of them, worst first."""
    found = [_from_finding(finding) for finding in evaluation.findings[:MOST]]
    return tuple((found + list(_to_watch(evaluation)))[:MOST])


def _from_finding(finding: Finding) -> Risk:
    plain = IN_PLAIN_WORDS.get(finding.code, finding.sentence)
    detail = finding.sentence if plain != finding.sentence else ""
    return Risk(finding.severity, plain, detail, finding.fix)


def _to_watch(evaluation: Evaluation) -> Iterator[Risk]:
    """Real uncertainties of this design, the widest first."""
    cost, run = evaluation.cost, bands(evaluation).training_usd
    low, high = day_range(evaluation)
    known = owning_known(evaluation)
    yield Risk(
        "watch",
        f"The run may take longer: {between(low, high)} are within the range.",
        f"At the long end it costs {usd(run.overrun)} more than planned." if known else "",
        "Measure a step on a small cluster of the same kind before ordering.",
    )
    largest = max(priced_rows(evaluation), key=lambda row: row.total_usd or 0.0, default=None)
    if largest is not None and known:
        share = percent((largest.total_usd or 0.0) / cost.capex_usd)
        bill = "the purchase" if cost.complete else "what has a price"
        yield Risk(
            "watch",
            f"{share} of {bill} hang on one price: {largest.name}.",
            f"It is a quote of {largest.price_date or 'unknown date'}; prices of the bill are of "
            f"{price_dates(evaluation)}.",
            "Lay your own quotes over the price book in the Studio.",
        )
    waiting = evaluation.requirement.share_reached
    yield Risk(
        "watch",
        f"GPUs wait {percent(waiting)} of the time for the network, with every part in order.",
        f"That is {usd(cost.network_wait_usd_per_day)} a day; one slow cable makes it more.",
        "Watch the links in operation. Lesson 1 shows why one is enough.",
    )


def section(evaluation: Evaluation) -> Markup:
    """The risks as a list."""
    return tag(
        "section",
        tag("h2", "Three risks"),
        tag("ol", join(_item(risk) for risk in risks(evaluation)), class_="nd-risks"),
        class_="nd-part",
    )


def _item(risk: Risk) -> Markup:
    icon, word = KINDS[risk.kind]
    mark = tag("span", icon, class_="nd-risk-icon", aria_hidden="true")
    return tag(
        "li",
        tag("p", mark, word, class_="nd-risk-kind"),
        tag("p", risk.plain, class_="nd-risk-plain"),
        tag("p", f"{risk.detail} {risk.remedy}".strip(), class_="nd-risk-detail"),
        class_=f"nd-risk nd-risk-{risk.kind}",
    )
