"""Is a value one that NCCL takes, what does it select, and which kind of value is it?

The forms are those of the column ``form`` of nccl_variables.csv. NCCL reads numbers as C does:
decimal, 0x hexadecimal or 0 octal, and it knows no suffix: 4M is 4.
"""

from __future__ import annotations

import difflib
import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from netdesign.catalog.nccl_variables import NcclVariable, Version, compare

FUNCTIONS = ("broadcast", "reduce", "allgather", "reducescatter", "allreduce", "sendrecv")
BY_FUNCTION = (2, 24)  # the release with lists for each function
RAILS = (2, 30)  # the release with rail and plane in a list of devices
MOST_DEVICES = 32
LONGEST_INTERFACE = 15
_NUMBER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})")
_SIZE = re.compile(r"([0-9]{1,20})\s*[kKmMgG](i?[bB])?")
_DEVICE = re.compile(r"[A-Za-z0-9_.-]+")
_INTERFACE = re.compile(r"[A-Za-z0-9_.@-]+(:[0-9]+)?")


@dataclass(frozen=True)
class Complaint:
    """Why a value is not taken, and what would be."""

    reason: str
    suggestion: str = ""


@dataclass(frozen=True)
class Selection:
    """What a list leaves, by function ("" is every other function), in lower case."""

    sets: Mapping[str, frozenset[str]]
    named: frozenset[str]

    def of(self, function: str) -> frozenset[str]:
        """What is left for a function."""
        return self.sets.get(function, self.sets.get("", frozenset()))


def number(value: str) -> int | None:
    """The number that C's strtoll(value, 0) reads, if the value is nothing but a number."""
    text = value.strip()
    if not _NUMBER.fullmatch(text):
        return None
    digits = text.lstrip("+-")
    if digits[:2].lower() == "0x":
        size = int(digits, 16)
    elif digits.startswith("0") and digits != "0":
        if set(digits) - set("01234567"):
            return None
        size = int(digits, 8)
    else:
        size = int(digits)
    return -size if text.startswith("-") else size


def words_of(cell: str) -> list[str]:
    """The words of an ``allowed`` cell."""
    return cell.split("|") if cell else []


def complaint(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    """Why NCCL of this version does not take a value; None if it does."""
    if same_value(variable, value, variable.default_at(version)):
        return None
    return _FORMS[variable.form](variable, value, version)


def same_value(variable: NcclVariable, value: str, other: str) -> bool:
    """Whether two values mean the same; a blank ``other`` is no value."""
    if not other:
        return False
    if variable.form == "path":
        return value == other
    left, right = number(value), number(other)
    if left is not None and right is not None:
        return left == right
    if variable.form == "list":
        return set(_tokens(value)) == set(_tokens(other))
    return value.strip().casefold() == other.casefold()


def selection(variable: NcclVariable, value: str, version: Version) -> Selection:
    """What a list of algorithms, protocols or subsystems leaves; unknown words are passed over."""
    allowed = frozenset(word.casefold() for word in words_of(variable.allowed_at(version)))
    sets: dict[str, frozenset[str]] = {}
    named: set[str] = set()
    parts = value.split(";") if compare(version, BY_FUNCTION) >= 0 else [value]
    for part in parts:
        function, colon, words = part.strip().rpartition(":")
        excludes = words.strip().startswith("^")
        tokens = frozenset(_tokens(words))
        known = tokens & allowed
        if "all" in tokens and variable.form == "list":
            known = allowed
        named |= set() if excludes else tokens
        sets[function.strip().casefold() if colon else ""] = allowed - known if excludes else known
    return Selection(sets, frozenset(named))


def _tokens(text: str) -> list[str]:
    return [word.strip().casefold() for word in text.strip().lstrip("^").split(",")]


def _flag(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    if number(value) in (0, 1):
        return None
    return Complaint("is neither 0 nor 1", "give 0 or 1")


def _choice(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    allowed = words_of(variable.allowed_at(version))
    if value.strip().casefold() in (word.casefold() for word in allowed):
        return None
    if number(value) is not None and str(number(value)) in allowed:
        return None
    return Complaint("is not one of the choices", _nearest(value, allowed))


def _list(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    allowed = words_of(variable.allowed_at(version))
    return _unknown_token(value, allowed, "has no part")


def _integer(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    size = _SIZE.fullmatch(value.strip())
    if size:
        return Complaint(
            f"has a unit, which NCCL does not know: it reads {size[1][:20]}",
            "give plain bytes" if variable.form == "power-of-two" else "give a plain number",
        )
    found = number(value)
    if found is None:
        return Complaint("is not a whole number", "give a whole number")
    low, _, high = variable.allowed_at(version).partition("..")
    if (low and found < int(low)) or (high and found > int(high)):
        limit = f"from {low} to {high}" if high else f"of at least {low}"
        return Complaint("is out of range", f"give a whole number {limit}")
    if variable.form == "power-of-two" and found & (found - 1):
        return Complaint("is not a power of two", "give a power of two")
    return None


def _by_function(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    allowed = words_of(variable.allowed_at(version))
    kind = "algorithm" if variable.form == "algorithms" else "protocol"
    if compare(version, BY_FUNCTION) < 0:
        if ":" in value or ";" in value:
            return Complaint(
                "lists by function, a form that NCCL has since 2.24", "give one list: Ring,Tree"
            )
        return _unknown_token(value, allowed, f"names no {kind}", silent=True)
    for place, part in enumerate(value.split(";")):
        function, colon, words = part.strip().rpartition(":")
        if not colon and place:
            return Complaint(
                "has a list without a function after the first", "write func:list;func:list"
            )
        if colon and function.strip().casefold() not in FUNCTIONS:
            return Complaint(
                f"names no function {function.strip()[:40]!r}", _nearest(function, FUNCTIONS)
            )
        wrong = _unknown_token(words, allowed, f"names no {kind}", version=version)
        if wrong:
            return wrong
    return None


def _unknown_token(
    value: str,
    allowed: list[str],
    what: str,
    *,
    silent: bool = False,
    version: Version | None = None,
) -> Complaint | None:
    known = {word.casefold() for word in allowed}
    tokens = _tokens(value)
    for token in tokens:
        if token in known:
            continue
        shown = token[:40]
        reason = f"{what} {shown!r}" if token else "has an empty place in its list"
        if silent:
            left = [word for word in allowed if word.casefold() in tokens]
            reason += "; before 2.24 NCCL passes over it in silence"
            reason += f" and takes {','.join(left)} alone" if left else ""
        elif version is not None:
            reason += "; since 2.24 NCCL stops at the start with ncclInvalidUsage"
        return Complaint(reason, _nearest(token, allowed))
    return None


def _devices(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    entries = _list_of_names(value)
    if len(entries) > MOST_DEVICES:
        return Complaint(f"names more than {MOST_DEVICES} devices", "name fewer devices")
    for entry in entries:
        name, *fields = entry.split(":")
        if not _DEVICE.fullmatch(name):
            return _no_name(name, "device", "mlx5_0")
        if len(fields) > 3 or not all(
            field.lstrip("-").isdecimal() or not field for field in fields
        ):
            return Complaint(
                f"has fields after {name[:40]!r} that are no numbers",
                "write device:port, since 2.30 device:port:rail:plane",
            )
        if len(fields) > 1 and compare(version, RAILS) < 0:
            return Complaint("gives a rail, which NCCL knows since 2.30", "give device:port")
    return None


def _interfaces(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    for name in _list_of_names(value):
        if not _INTERFACE.fullmatch(name):
            return _no_name(name, "interface", "eth0")
        if len(name.partition(":")[0]) > LONGEST_INTERFACE:
            return Complaint(
                f"has a name of more than {LONGEST_INTERFACE} letters, which no interface has",
                "shorten it to a prefix",
            )
    return None


def _list_of_names(value: str) -> list[str]:
    return value.strip().removeprefix("^").removeprefix("=").split(",")


def _no_name(name: str, kind: str, example: str) -> Complaint:
    if not name:
        return Complaint("has an empty place in its list", f"write {example},...")
    if "*" in name or "[" in name:
        return Complaint(
            f"has the pattern {name[:40]!r}: NCCL knows none", "a name is already a prefix"
        )
    return Complaint(f"has {name[:40]!r}, which names no {kind}", f"write {example},...")


def _network(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    try:
        ipaddress.ip_network(value.strip()[:80], strict=False)
    except ValueError:
        return Complaint("is not a network", "write address/length: 10.0.0.0/16")
    return None


def _pattern(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    if re.fullmatch(variable.allowed_at(version), value[:200], re.IGNORECASE):
        return None
    return Complaint("is not of the form that NCCL takes", f"the form is {variable.allowed}")


def _anything(variable: NcclVariable, value: str, version: Version) -> Complaint | None:
    return None


def _nearest(word: str, allowed: list[str] | tuple[str, ...]) -> str:
    folded = {known.casefold(): known for known in allowed}
    close = difflib.get_close_matches(word.strip().casefold()[:60], folded, n=1, cutoff=0.5)
    start = f"{folded[close[0]]}, or another of " if close else "one of "
    return f"use {start}{', '.join(allowed)}"


_FORMS: dict[str, Callable[[NcclVariable, str, Version], Complaint | None]] = {
    "flag": _flag,
    "choice": _choice,
    "level": _choice,
    "list": _list,
    "integer": _integer,
    "power-of-two": _integer,
    "algorithms": _by_function,
    "protocols": _by_function,
    "devices": _devices,
    "interfaces": _interfaces,
    "network": _network,
    "pattern": _pattern,
    "path": _anything,
    "text": _anything,
}
