"""The verdict on one variable and its value, for a release of NCCL and a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from netdesign.audit.nccl_check import names
from netdesign.audit.nccl_check.values import complaint, number, same_value, selection
from netdesign.catalog.nccl_variables import (
    NcclAdvice,
    NcclFabric,
    NcclVariable,
    Verdict,
    Version,
    compare,
    holds,
    nccl_tables,
    version_of,
    version_text,
)

SEVERITY: tuple[Verdict, ...] = (
    "ok",
    "redundant",
    "situational",
    "deprecated",
    "harmful",
    "invalid-value",
    "unknown",
)
FAULTS: frozenset[Verdict] = frozenset({"deprecated", "harmful", "invalid-value", "unknown"})


@dataclass(frozen=True)
class Finding:
    """What is to be said about one variable and value; the source is a key of references.bib."""

    variable: str
    value: str
    verdict: Verdict
    reason: str
    suggestion: str
    source: str
    line: int


@dataclass(frozen=True)
class Context:
    """What a verdict depends on: the release, and the network if it is known."""

    version: Version
    fabric: NcclFabric | None = None

    @property
    def tags(self) -> frozenset[str]:
        """Words for the network that advice may ask for."""
        if self.fabric is None:
            return frozenset({"unstated"})
        return self.fabric.words | {self.fabric.id}


def judge(name: str, value: str | None, line: int, context: Context) -> Finding:
    """The verdict on a variable; ``value`` is None where it is known only at run time."""
    variable = nccl_tables().variables.get(name)
    blank = Finding(name, value or "", "ok", "", "", "nccl-user-guide", line)
    if variable is None:
        return _other(blank, context.version)
    known = replace(blank, source=variable.source)
    absent = _absent(variable, context.version)
    if absent:
        return replace(known, verdict="unknown", reason=absent, suggestion=_in_place(variable))
    if value is None:
        return _unread(variable, known, context)
    if not value.strip():
        reason = "empty: NCCL reads it as not set"
        return replace(known, verdict="redundant", reason=reason, suggestion="remove it")
    wrong = complaint(variable, value, context.version)
    if wrong is not None:
        return replace(
            known, verdict="invalid-value", reason=wrong.reason, suggestion=wrong.suggestion
        )
    if _deprecated(variable, context.version):
        return _old(variable, known)
    if same_value(variable, value, variable.default_at(context.version)):
        return _default(variable, known, context.version)
    return _advised(variable, known, value, context)


def fits(test: str, operand: str, variable: NcclVariable, value: str, version: Version) -> bool:
    """Whether a value passes a test of the advice tables."""
    return _TESTS[test](operand, variable, value, version)


def _other(blank: Finding, version: Version) -> Finding:
    owner = names.owner_of(blank.variable)
    if owner is not None:
        suggestion = f"use {owner.replaced_by}" if owner.replaced_by else ""
        return replace(
            blank,
            verdict=owner.verdict,
            reason=owner.reason,
            suggestion=suggestion,
            source=owner.source,
        )
    newest = version_text(nccl_tables().newest)
    meant = names.nearest(blank.variable)
    reason = f"no release up to {newest} has it: NCCL passes over it in silence"
    suggestion = f"{meant} was probably meant" if meant else "remove it"
    if meant and meant == blank.variable.upper():
        reason = "names are in capitals: NCCL passes over it in silence"
    elif compare(version, nccl_tables().newest) > 0 and blank.variable.startswith("NCCL_"):
        asked = version_text(version)
        reason = f"newer than this table ({newest})? No release up to that has it"
        check = f"look it up in the manual of NCCL {asked}"
        suggestion = f"{check}; {suggestion}" if meant else check
    return replace(
        blank, verdict="unknown", reason=reason, suggestion=suggestion, source="nccl-releases"
    )


def _absent(variable: NcclVariable, version: Version) -> str:
    """Why a release does not have the variable; "" if it has."""
    asked = version_text(version)
    if variable.status == "never":
        newest = version_text(nccl_tables().newest)
        return f"no release up to {newest} has it: NCCL passes over it in silence"
    if variable.since and compare(version, version_of(variable.since)) < 0:
        return f"unknown before {variable.since}: NCCL {asked} passes over it in silence"
    if variable.until and compare(version, version_of(variable.until)) > 0:
        return f"removed after {variable.until}: NCCL {asked} passes over it in silence"
    return ""


def _in_place(variable: NcclVariable) -> str:
    if variable.replaced_by:
        return f"use {variable.replaced_by}"
    if variable.status == "never":
        return "remove it"
    return "remove it" if variable.until else f"remove it, or use NCCL {variable.since} or later"


def _unread(variable: NcclVariable, known: Finding, context: Context) -> Finding:
    if _deprecated(variable, context.version):
        return _old(variable, known)
    reason = "the value is known only at run time, so it is not judged"
    return replace(known, verdict="situational", reason=reason, suggestion="check what it becomes")


def _deprecated(variable: NcclVariable, version: Version) -> bool:
    return bool(variable.deprecated) and holds(variable.deprecated, "", version)


def _old(variable: NcclVariable, known: Finding) -> Finding:
    reason = f"deprecated since {variable.deprecated}"
    reason += f": {variable.meaning}" if variable.meaning else ""
    suggestion = f"use {variable.replaced_by}" if variable.replaced_by else "remove it"
    return replace(known, verdict="deprecated", reason=reason, suggestion=suggestion)


def _default(variable: NcclVariable, known: Finding, version: Version) -> Finding:
    reason = f"this is the default of NCCL {version_text(version)}"
    if variable.note:
        reason += f" ({variable.note})"
    return replace(known, verdict="redundant", reason=reason, suggestion="remove it")


def _advised(variable: NcclVariable, known: Finding, value: str, context: Context) -> Finding:
    for row in _candidates(variable):
        if not holds(row.since, row.before, context.version):
            continue
        if row.fabrics and not context.tags & frozenset(row.fabrics.split()):
            continue
        if not fits(row.test, row.operand, variable, value, context.version):
            continue
        reason = row.reason
        if row.subject.startswith("status:") and variable.meaning:
            reason = f"{variable.meaning}; {reason}"
        default = variable.default_text(context.version)
        if default != "unset":
            reason += f" (default: {default})"
        return replace(
            known,
            verdict=row.verdict,
            reason=reason,
            suggestion=row.suggestion,
            source=row.source,
        )
    return replace(known, reason="known to this version and not its default")


def _candidates(variable: NcclVariable) -> Iterable[NcclAdvice]:
    """Advice from the closest to the widest: for this network, for its kind, for the variable."""
    advice = nccl_tables().advice
    own = [row for row in advice if row.subject == variable.name]
    scope = [row for row in advice if row.subject == f"scope:{variable.scope}"]
    kind = [
        row
        for row in advice
        if row.subject in (f"owner:{variable.owner}", f"status:{variable.status}")
    ]
    kind.sort(key=lambda row: not row.subject.startswith("owner:"))
    yield from (row for row in own if row.fabrics)
    yield from (row for row in scope if row.fabrics)
    yield from (row for row in own if not row.fabrics)
    yield from kind
    yield from (row for row in scope if not row.fabrics)


def _sets(variable: NcclVariable, value: str, version: Version) -> list[frozenset[str]]:
    return list(selection(variable, value, version).sets.values())


def _folded(operand: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in operand.split("|"))


def _at_least(operand: str, variable: NcclVariable, value: str, version: Version) -> bool:
    found = number(value)
    return found is not None and found >= int(operand)


def _above_default(operand: str, variable: NcclVariable, value: str, version: Version) -> bool:
    found, usual = number(value), number(variable.default_at(version))
    return found is not None and usual is not None and found > usual


def _inexact(operand: str, variable: NcclVariable, value: str, version: Version) -> bool:
    return not value.strip().removeprefix("^").startswith("=")


def _lacks_all(operand: str, variable: NcclVariable, value: str, version: Version) -> bool:
    return not selection(variable, value, version).of("allreduce") & _folded(operand)


_TESTS: dict[str, Callable[[str, NcclVariable, str, Version], bool]] = {
    "": lambda operand, variable, value, version: True,
    "is": lambda operand, variable, value, version: same_value(variable, value, operand),
    "is-not": lambda operand, variable, value, version: not same_value(variable, value, operand),
    "at-least": _at_least,
    "is-not-above": lambda *given: not _at_least(str(int(given[0]) + 1), *given[1:]),
    "above-default": _above_default,
    "inexact": _inexact,
    "starts": lambda operand, variable, value, version: value.strip().startswith(operand),
    "without": lambda operand, variable, value, version: operand not in value,
    "only": lambda operand, variable, value, version: any(
        found and found <= _folded(operand) for found in _sets(variable, value, version)
    ),
    "reduces-only": lambda operand, variable, value, version: (
        bool(found := selection(variable, value, version).of("allreduce"))
        and found <= _folded(operand)
    ),
    "has": lambda operand, variable, value, version: (
        operand.casefold() in selection(variable, value, version).named
    ),
    "lacks": lambda operand, variable, value, version: any(
        operand.casefold() not in found for found in _sets(variable, value, version)
    ),
    "lacks-all": _lacks_all,
}
