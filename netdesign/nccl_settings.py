"""Which variables of NCCL should a design set, and why? As few as there are reasons for.

The rules are the rows of nccl_settings.csv. A row is taken if its cloud, network, fabric family
and accelerator are those of the design; what the chosen release does not have, or does by itself,
is left out and said.
"""

from __future__ import annotations

from dataclasses import dataclass

from netdesign.catalog import Server, Transport, data_directory, load_catalog
from netdesign.catalog.nccl_variables import (
    NcclCloud,
    NcclFabric,
    NcclSettingRow,
    NcclVariable,
    Version,
    compare,
    fabric_named,
    holds,
    nccl_tables,
    version_of,
    version_text,
)
from netdesign.catalog.switch_chips import lossless_rows
from netdesign.design import Design
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation

NO_CLOUD = "none"


@dataclass(frozen=True)
class NcclSetting:
    """A variable, its value and the reason; the source is a key of references.bib."""

    variable: str
    value: str
    reason: str
    source: str


@dataclass(frozen=True)
class LeftOut:
    """A variable that a rule asks for and this release does not need or have."""

    variable: str
    value: str
    reason: str


@dataclass(frozen=True)
class NcclSettings:
    """NCCL's environment for a design."""

    design: str
    version: Version
    cloud: str
    fabric: NcclFabric
    command: str  # the profile of the cloud's plug-in, a line for a shell; "" if there is none
    command_reason: str
    command_source: str
    settings: tuple[NcclSetting, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]


def nccl_settings(
    evaluation: Evaluation, version: Version | None = None, cloud: str | None = None
) -> NcclSettings:
    """The variables that a design should set.

    Parameters
    ----------
    version : Version       release of NCCL; the newest that the table knows if None
    cloud : str             aws, gcp, azure, oci or none; None takes it from the design's server

    Raises
    ------
    DesignError             for a cloud that is not known
    """
    design = evaluation.design
    release = nccl_tables().newest if version is None else version
    server = load_catalog().servers[design.cluster.server]
    profile = _profile(server, cloud)
    transport = load_catalog().transports[design.network.transport]
    fabric = fabric_of(transport) if profile is None else fabric_named(profile.fabric)
    name = profile.cloud if profile else NO_CLOUD
    settings: list[NcclSetting] = []
    left_out: list[LeftOut] = []
    for row in nccl_tables().settings:
        if not _fits(row, design, transport, server, fabric, name):
            continue
        value = _value(row)
        why_not = _not_needed(nccl_tables().variables[row.variable], row, value, release)
        if why_not:
            left_out.append(LeftOut(row.variable, value, why_not))
        else:
            settings.append(NcclSetting(row.variable, value, row.reason, row.source))
    return NcclSettings(
        design=design.name,
        version=release,
        cloud=name,
        fabric=fabric,
        command=profile.command if profile else "",
        command_reason=profile.reason if profile else "",
        command_source=profile.source if profile else "",
        settings=tuple(settings),
        left_out=tuple(left_out),
        notes=tuple(_notes(release, profile, fabric, fabric_of(transport))),
    )


def clouds() -> tuple[str, ...]:
    """The clouds that there is a profile for, and none."""
    return (*dict.fromkeys(row.cloud for row in nccl_tables().clouds), NO_CLOUD)


def fabric_of(transport: Transport) -> NcclFabric:
    """A transport as NCCL sees it: the fabric of its name, else that of its technology."""
    try:
        return fabric_named(transport.id)
    except DesignError:
        return fabric_named(transport.technology)


def _profile(server: Server, cloud: str | None) -> NcclCloud | None:
    rows = nccl_tables().clouds
    if cloud is None:
        rows = tuple(row for row in rows if row.vendor == server.vendor)
    elif cloud not in clouds():
        raise DesignError("cloud", cloud, "is not known", "use " + ", ".join(clouds()))
    else:
        rows = tuple(row for row in rows if row.cloud == cloud)
    own = [row for row in rows if server.id in row.servers.split()]
    return next(iter([*own, *(row for row in rows if not row.servers)]), None)


def _fits(
    row: NcclSettingRow,
    design: Design,
    transport: Transport,
    server: Server,
    fabric: NcclFabric,
    cloud: str,
) -> bool:
    reduces = design.network.in_network_reduction and transport.in_network_reduction
    return (
        _among(row.clouds, {cloud})
        and _among(row.fabrics, fabric.words | {fabric.id})
        and _among(row.families, {design.network.family})
        and _among(row.accelerators, {server.accelerator})
        and (reduces or not row.reduction)
    )


def _among(cell: str, words: set[str] | frozenset[str]) -> bool:
    return not cell or bool(words & set(cell.split()))


def _value(row: NcclSettingRow) -> str:
    """The value of a row; @name is a number of lossless.csv, which the switches share."""
    if not row.value.startswith("@"):
        return row.value
    return f"{lossless_rows(data_directory()).require(row.value[1:]).value:g}"


def _not_needed(variable: NcclVariable, row: NcclSettingRow, value: str, release: Version) -> str:
    """Why a release does without a setting; "" if it needs it."""
    shown = version_text(release)
    if variable.since and compare(release, version_of(variable.since)) < 0:
        return f"NCCL {shown} does not have it; it came with {variable.since}"
    if variable.until and compare(release, version_of(variable.until)) > 0:
        return f"NCCL {shown} no longer has it"
    if not holds(row.since, "", release):
        return f"this value needs NCCL {row.since}"
    if not holds("", row.before, release):
        return f"not needed since NCCL {row.before}"
    if value == variable.default_at(release):
        return f"it is the default of NCCL {shown}"
    return ""


def _notes(
    release: Version, profile: NcclCloud | None, fabric: NcclFabric, designed: NcclFabric
) -> list[str]:
    notes = []
    newest = nccl_tables().newest
    if compare(release, newest) > 0:
        notes.append(f"The table of variables ends with NCCL {version_text(newest)}.")
    if profile is not None and not fabric.words & designed.words - {"balanced"}:
        notes.append(
            f"The design is for {designed.name}; {profile.vendor} carries traffic over "
            f"{fabric.name}, and these settings are for that."
        )
    if profile is None and "plug-in" in fabric.words:
        notes.append(
            f"{fabric.name} needs its plug-in, which brings its own settings; name the cloud "
            "for its profile."
        )
    return notes
