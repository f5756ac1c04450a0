"""The top of the Audit page: where files go, what they are held against, what one takes along."""

from __future__ import annotations

from collections.abc import Sequence

from netdesign.app.audit_panels.commands import commands
from netdesign.app.audit_panels.own_logs import can_calibrate
from netdesign.app.html import Markup, join, tag
from netdesign.app.toolbar import button
from netdesign.audit.kinds import KINDS
from netdesign.audit.whole import Audit
from netdesign.catalog import load_catalog
from netdesign.design import Design, read_design, shipped_designs
from netdesign.wording import plural

LARGEST_UPLOAD = 8 * 2**20  # bytes; a shell takes any size
NONE = ""  # no design
FROM_LINK = "link"
MOST_NICS = 32


def head(
    found: Audit | None, *, design: str, linked: Design | None, rate: str, nics: str
) -> Markup:
    """Title, where to drop files, what they are held against, and buttons."""
    return tag(
        "header",
        tag("p", "Audit", class_="nd-kicker"),
        tag("h1", "Does what was built perform as designed?"),
        tag("p", _outcome(found), class_="nd-outcome", role="status"),
        _drop(),
        commands(),
        tag("div", *_against(design, linked, rate, nics), class_="nd-actions nd-against"),
        tag("div", *_actions(found, has_design=design != NONE), class_="nd-actions"),
        class_="nd-sheet-head",
    )


def _outcome(found: Audit | None) -> str:
    if found is None or not found.reports:
        return (
            "Drop the logs and dumps of a cluster here. Each is known by its content, read line by "
            "line, and judged; what is not understood is listed. Nothing leaves this machine."
        )
    files = len(found.reports)
    bad = sum(not report.is_healthy for report in found.reports)
    parts = [f"{plural(files, 'file')}, {bad or 'none'} with a fault."]
    failed = sum(answer.is_bad for answer in found.answers)
    if found.answers:
        passed = sum(answer.verdict == "passed" for answer in found.answers)
        parts.append(f"Acceptance: {plural(passed, 'check')} passed, {failed} not.")
    if found.plan is not None:
        parts.append("Cabled as planned." if found.plan.is_as_planned else "Not cabled as planned.")
    return " ".join(parts)


def _drop() -> Markup:
    field = Markup(
        '<input type="file" multiple data-upload="upload" '
        f'data-limit="{LARGEST_UPLOAD}" aria-label="Add logs and dumps">'
    )
    kinds = ", ".join(kind.title for kind in KINDS)
    return tag(
        "label",
        tag("strong", "Drop files here, or click to choose"),
        tag("span", kinds, class_="nd-quiet"),
        field,
        class_="nd-upload nd-drop",
    )


def _against(design: str, linked: Design | None, rate: str, nics: str) -> tuple[Markup, ...]:
    designs = [(NONE, "no design")]
    if linked is not None:
        designs.append((FROM_LINK, f"{linked.name} (from the link)"))
    designs += [(name, read_design(name).name) for name in shipped_designs()]
    own = design == NONE
    rates = [("", "not given" if own else "of the design")]
    rates += [(f"{gbps:g}", f"{gbps:g} Gb/s") for gbps in _line_rates()]
    counts = [("", "not given" if own else "of the design")]
    counts += [(str(number), str(number)) for number in range(1, MOST_NICS + 1)]
    return (
        _choice("Held against", "design", designs, design),
        _choice("Line rate of a NIC port", "rate", rates, rate),
        _choice("NIC ports of a node", "nics", counts, nics),
    )


def _line_rates() -> list[float]:
    """Gb/s of the ports that the catalogue knows."""
    catalog = load_catalog()
    servers = {server.port_gbps for server in catalog.servers.values()}
    return sorted(servers | {switch.port_gbps for switch in catalog.switches.values()})


def _choice(label: str, act: str, options: Sequence[tuple[str, str]], chosen: str) -> Markup:
    made = join(
        tag("option", words, value=value, selected=value == chosen) for value, words in options
    )
    return tag("label", f"{label} ", tag("select", made, class_="nd-button", data_act=act))


def _actions(found: Audit | None, *, has_design: bool) -> tuple[Markup, ...]:
    any_file = found is not None and bool(found.reports)
    return (
        button("A sample to try", "example"),
        button("Report, HTML", "report", enabled=any_file),
        button("Everything, JSON", "record", enabled=any_file),
        button("Remove all", "forget", enabled=any_file),
        button("Pre-flight plan", "plan", enabled=has_design, title=_PLAN),
        button("Pre-flight script", "script", enabled=has_design, title=_SCRIPT),
        button(
            "Calibrate on these logs",
            "calibrate",
            enabled=has_design and can_calibrate(found),
            title=_CALIBRATE,
        ),
    )


_PLAN = "Benchmarks, failure tests and soak of this design, each with the number it must reach."
_CALIBRATE = "Fit the model to nccl-tests logs of the machines of this design."
_SCRIPT = "A shell script that runs the benchmarks; drop its logs here afterwards."
