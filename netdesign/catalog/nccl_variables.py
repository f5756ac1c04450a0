"""What data/ says about NCCL's environment: variables, advice, fabrics, clouds and settings.

Versions are written 2.27 or 2.27.3 and compared as far as the shorter of the two goes: 2.27 stands
for each of its releases. A cell that changed in time is written ``14;2.14:18;2.23:20``: 14 at
first, 18 from 2.14 on, 20 from 2.23 on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from netdesign.catalog.library import data_directory, references
from netdesign.catalog.tables import Name, Row, Table, keyed_rows, read_rows, read_table
from netdesign.errors import DesignError

Version = tuple[int, ...]
VersionText = Annotated[str, Field(pattern=r"^(\d+\.\d+(\.\d+)?)?$")]
Grade = Literal["verified", "secondary", "recalled", "computed", "assumed"]
Verdict = Literal[
    "unknown", "deprecated", "invalid-value", "harmful", "redundant", "situational", "ok"
]
Form = Literal[
    "flag",
    "choice",
    "level",
    "list",
    "integer",
    "power-of-two",
    "algorithms",
    "protocols",
    "devices",
    "interfaces",
    "network",
    "pattern",
    "path",
    "text",
]
_VERSION = re.compile(r"[vV]?([0-9]{1,3})\.([0-9]{1,3})(?:\.([0-9]{1,3}))?(?:[-+][\w.+-]{0,40})?")
_LATER = re.compile(r";(\d+\.\d+(?:\.\d+)?):")


class NcclVariable(Row):
    """A variable: who reads it, in which releases, what it may be and what it is by default.

    ``default`` is one value, or blank where the default is none or depends on the machine;
    ``default_words`` then says it.
    """

    name: Name
    owner: Name
    status: Literal[
        "documented",
        "debugging",
        "experimental",
        "undocumented",
        "deprecated",
        "removed",
        "never",
    ]
    form: Form
    allowed: str = ""
    default: str = ""
    default_words: str = ""
    scope: Name
    since: VersionText = ""
    deprecated: VersionText = ""
    until: VersionText = ""
    replaced_by: str = ""
    meaning: str = ""
    grade: Grade

    def allowed_at(self, version: Version) -> str:
        """What the variable may be in a version, in the words of its form."""
        return in_version(self.allowed, version)

    def default_at(self, version: Version) -> str:
        """The one default of a version; "" where there is none."""
        return in_version(self.default, version)

    def default_text(self, version: Version) -> str:
        """The default of a version for people."""
        return self.default_at(version) or self.default_words or "unset"


class NcclAdvice(Row):
    """A verdict on a value; the first row that fits decides.

    ``subject`` is a variable, or ``scope:ib``, ``status:debugging``, ``owner:sharp`` for all of a
    kind. ``test`` and ``operand`` say which values are meant, ``fabrics`` (tags of
    nccl_fabrics.csv) on which networks.
    """

    subject: Name
    test: str = ""
    operand: str = ""
    since: VersionText = ""
    before: VersionText = ""
    fabrics: str = ""
    verdict: Verdict
    reason: Name
    suggestion: str = ""
    grade: Grade


class NcclCombination(Row):
    """A verdict on ``variable`` because of how ``other`` is set."""

    variable: Name
    test: str = ""
    operand: str = ""
    other: Name
    other_test: str = ""
    other_operand: str = ""
    since: VersionText = ""
    before: VersionText = ""
    verdict: Verdict
    reason: Name
    suggestion: str = ""
    grade: Grade


class NcclFabric(Row):
    """A network as NCCL sees it: the words in ``tags`` are what advice asks for."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    name: Name
    tags: Name
    aliases: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The tags as a set."""
        return frozenset(self.tags.split())


class NcclOwner(Row):
    """Who reads variables of a prefix, or one variable by its whole name."""

    prefix: Name
    owner: Name
    name: Name
    whole: bool = False
    verdict: Verdict
    replaced_by: str = ""
    reason: Name
    grade: Grade


class NcclSettingRow(Row):
    """A setting for a design; blank conditions hold for every design."""

    clouds: str = ""
    fabrics: str = ""
    families: str = ""
    accelerators: str = ""
    reduction: bool = False
    variable: Name
    value: Name
    since: VersionText = ""
    before: VersionText = ""
    reason: Name
    grade: Grade


class NcclCloud(Row):
    """The network of a cloud's machines and what its plug-in brings."""

    cloud: Name
    vendor: Name
    servers: str = ""
    fabric: Name
    command: str = ""
    reason: Name
    grade: Grade


@dataclass(frozen=True)
class NcclTables:
    """Every table about NCCL's environment."""

    variables: Mapping[str, NcclVariable]
    advice: tuple[NcclAdvice, ...]
    combinations: tuple[NcclCombination, ...]
    fabrics: Table[NcclFabric]
    owners: tuple[NcclOwner, ...]
    settings: tuple[NcclSettingRow, ...]
    clouds: tuple[NcclCloud, ...]

    @property
    def newest(self) -> Version:
        """The newest release that the table of variables knows."""
        marks = (mark for row in self.variables.values() for mark in (row.since, row.until))
        return max(version_of(mark) for mark in marks if mark)


@cache
def nccl_tables(folder: Path | None = None) -> NcclTables:
    """Read the tables of a data folder; those that ship if none is given.

    Raises
    ------
    DesignError     naming file and row of what is wrong
    """
    where = folder or data_directory()
    tables = NcclTables(
        variables=keyed_rows(where / "nccl_variables.csv", NcclVariable, ("name",)),
        advice=read_rows(where / "nccl_advice.csv", NcclAdvice),
        combinations=read_rows(where / "nccl_combinations.csv", NcclCombination),
        fabrics=read_table(where / "nccl_fabrics.csv", NcclFabric, "fabric"),
        owners=read_rows(where / "nccl_owners.csv", NcclOwner),
        settings=read_rows(where / "nccl_settings.csv", NcclSettingRow),
        clouds=read_rows(where / "nccl_clouds.csv", NcclCloud),
    )
    _check(tables)
    return tables


def version_of(text: str, field: str = "nccl") -> Version:
    """A version as numbers: "2.27.3" is (2, 27, 3); a leading v and a build are passed over.

    Raises
    ------
    DesignError     when it is not of the form 2.27 or 2.27.3
    """
    found = _VERSION.fullmatch(text.strip())
    if found is None:
        raise DesignError(field, text, "is not a version of NCCL", "write it as 2.27 or 2.27.3")
    return tuple(int(part) for part in found.groups() if part is not None)


def version_text(version: Version) -> str:
    """A version as it is written."""
    return ".".join(str(part) for part in version)


def compare(one: Version, other: Version) -> int:
    """Below 0, 0 or above 0, as far as the shorter version goes."""
    length = min(len(one), len(other))
    left, right = one[:length], other[:length]
    return (left > right) - (left < right)


def holds(since: str, before: str, version: Version) -> bool:
    """Whether a version is at or after ``since`` and earlier than ``before``; blank is no limit."""
    if since and compare(version, version_of(since)) < 0:
        return False
    return not before or compare(version, version_of(before)) < 0


def in_version(cell: str, version: Version) -> str:
    """The part of a versioned cell that holds in a version."""
    first, *rest = _LATER.split(cell)
    value = first
    for mark, later in zip(rest[::2], rest[1::2], strict=True):
        if compare(version, version_of(mark)) >= 0:
            value = later
    return value


def fabric_named(name: str) -> NcclFabric:
    """A fabric by id or alias.

    Raises
    ------
    DesignError     naming the known fabrics
    """
    fabrics = nccl_tables().fabrics
    wanted = name.strip().lower()
    for row in fabrics.values():
        if wanted == row.id or wanted in row.aliases.split():
            return row
    return fabrics.require(wanted, "fabric")


def _check(tables: NcclTables) -> None:
    """Sources must be references, and rows must name what there is."""
    known = references()
    tags = {word for fabric in tables.fabrics.values() for word in fabric.words} | {"unstated"}
    rows: dict[str, tuple[Row, ...]] = {
        "nccl_variables.csv": tuple(tables.variables.values()),
        "nccl_advice.csv": tables.advice,
        "nccl_combinations.csv": tables.combinations,
        "nccl_fabrics.csv": tuple(tables.fabrics.values()),
        "nccl_owners.csv": tables.owners,
        "nccl_settings.csv": tables.settings,
        "nccl_clouds.csv": tables.clouds,
    }
    for file, found in rows.items():
        for number, row in enumerate(found, start=1):
            _known(row.source, known, f"{file}, entry {number}, column source")
            for word in getattr(row, "fabrics", "").split():
                _known(word, tags, f"{file}, entry {number}, column fabrics")
    for number, advice in enumerate(tables.advice, start=1):
        if ":" not in advice.subject:
            _known(advice.subject, tables.variables, f"nccl_advice.csv, entry {number}")
    for number, pair in enumerate(tables.combinations, start=1):
        for name in (pair.variable, pair.other):
            if ":" not in name:
                _known(name, tables.variables, f"nccl_combinations.csv, entry {number}")
    for setting in tables.settings:
        _known(setting.variable, tables.variables, "nccl_settings.csv, column variable")
    for cloud in tables.clouds:
        _known(cloud.fabric, tables.fabrics, "nccl_clouds.csv, column fabric")


def _known(key: str, table: object, where: str) -> None:
    if key not in table:  # type: ignore[operator]
        raise DesignError(where, key, "is not known", "correct it, or add the row it names first")
