"""NCCL's environment for a design as files: a shell script, YAML for a pod, a Slurm script."""

from __future__ import annotations

import shlex
import textwrap
from dataclasses import dataclass
from typing import Any

from netdesign.catalog.nccl_variables import version_text
from netdesign.errors import DesignError
from netdesign.lossless.choice import number
from netdesign.nccl_settings import NO_CLOUD, NcclSettings
from netdesign.network.lossless.traffic_class import TrafficClass
from netdesign.wording import printable

FORMATS = ("env", "yaml", "slurm")
_WIDTH = 96
_DSCP_PER_PRIORITY = 8
_BYTE_PER_DSCP = 4


@dataclass(frozen=True)
class ClassOfSettings:
    """What NCCL's traffic class is on the wire, and what to mind about it."""

    traffic_class: TrafficClass
    priority: int  # that an adapter sends it with unless told otherwise
    lossless_priority: int | None  # of ``netdesign lossless``; None on the switches of a cloud
    sentence: str
    warning: str  # "" if the two priorities are one


def class_of_settings(settings: NcclSettings) -> ClassOfSettings | None:
    """The DSCP and priority of NCCL_IB_TC; None where the settings leave it at its default."""
    found = [entry.value for entry in settings.settings if entry.variable == "NCCL_IB_TC"]
    if not found:
        return None
    chosen = TrafficClass(int(found[-1]))
    own = settings.cloud == NO_CLOUD
    lossless = int(number("priority")) if own else None
    sentence = (
        f"NCCL_IB_TC={chosen.byte} is DSCP {chosen.dscp}, which an adapter sends with priority "
        f"{chosen.ordinary_priority} unless told otherwise."
    )
    if chosen.ecn:
        sentence += f" Its two lowest bits, {chosen.ecn}, are those of ECN."
    if not own:
        sentence += " Which class is lossless is decided on the switches of the cloud."
    warning = ""
    if lossless is not None and lossless != chosen.ordinary_priority:
        other = lossless * _DSCP_PER_PRIORITY
        warning = (
            f"netdesign lossless makes priority {lossless} lossless, and a pause for it does not "
            f"stop priority {chosen.ordinary_priority}. On every host map DSCP {chosen.dscp} to "
            f"priority {lossless} (mlnx_qos -i eth0 --dscp2prio set,{chosen.dscp},{lossless}), or "
            f"take DSCP {other} (the byte {other * _BYTE_PER_DSCP}) here and on the switches."
        )
    return ClassOfSettings(chosen, chosen.ordinary_priority, lossless, sentence, warning)


def settings_record(settings: NcclSettings) -> dict[str, Any]:
    """The settings as JSON, each with its reason and source."""
    return {
        "design": settings.design,
        "nccl": version_text(settings.version),
        "cloud": settings.cloud,
        "fabric": settings.fabric.id,
        "profile": {
            "command": settings.command,
            "reason": settings.command_reason,
            "source": settings.command_source,
        }
        if settings.command_reason
        else None,
        "settings": [
            {
                "variable": entry.variable,
                "value": entry.value,
                "reason": entry.reason,
                "source": entry.source,
            }
            for entry in settings.settings
        ],
        "left_out": [
            {"variable": entry.variable, "value": entry.value, "reason": entry.reason}
            for entry in settings.left_out
        ],
        "traffic_class": _class_record(class_of_settings(settings)),
        "notes": list(settings.notes),
    }


def _class_record(found: ClassOfSettings | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "byte": found.traffic_class.byte,
        "dscp": found.traffic_class.dscp,
        "ecn_bits": found.traffic_class.ecn,
        "adapter_priority": found.priority,
        "lossless_priority": found.lossless_priority,
        "sentence": found.sentence,
        "warning": found.warning,
    }


def settings_text(settings: NcclSettings, form: str = "env") -> str:
    """The settings as a file, with the reasons as comments.

    Parameters
    ----------
    form : str      env (a script to source), yaml (the env list of a container) or slurm

    Raises
    ------
    DesignError     for another form
    """
    if form not in FORMATS:
        raise DesignError("format", form, "is not known", "use " + ", ".join(FORMATS))
    if form == "yaml":
        return _yaml(settings)
    head = ["#!/bin/bash", "#SBATCH --export=ALL"] if form == "slurm" else []
    lines = [*head, *_head(settings)]
    if settings.command_reason:
        lines += ["", *_comment(f"{settings.command_reason} [{settings.command_source}]")]
        lines += [settings.command] if settings.command else []
    for entry in settings.settings:
        lines += ["", *_comment(f"{entry.reason} [{entry.source}]")]
        lines.append(f"export {entry.variable}={shlex.quote(entry.value)}")
    lines += _tail(settings)
    if form == "slurm":
        lines += ["", 'srun "$@"']
    return "\n".join([*lines, ""])


def _yaml(settings: NcclSettings) -> str:
    lines = _head(settings)
    if settings.command_reason:
        lines += _comment(f"{settings.command_reason} [{settings.command_source}]")
    if settings.command:
        lines += _comment(f"In the container's start script: {settings.command}")
    lines.append("env:")
    for entry in settings.settings:
        lines += _comment(f"{entry.reason} [{entry.source}]", "  ")
        lines += [f"  - name: {entry.variable}", f'    value: "{entry.value}"']
    return "\n".join([*lines, *_tail(settings), ""])


def _head(settings: NcclSettings) -> list[str]:
    cloud = "" if settings.cloud == "none" else f", {settings.cloud}"
    return _comment(
        f"NCCL {version_text(settings.version)} for {settings.design}: "
        f"{settings.fabric.name}{cloud}. Everything else is left at its default."
    )


def _tail(settings: NcclSettings) -> list[str]:
    lines = []
    found = class_of_settings(settings)
    if found is not None:
        lines += _comment(found.sentence)
    if found is not None and found.warning:
        lines += _comment(f"Warning: {found.warning}")
    for entry in settings.left_out:
        lines += _comment(f"Not set: {entry.variable}={entry.value}: {entry.reason}.")
    for note in settings.notes:
        lines += _comment(note)
    return ["", *lines] if lines else []


def _comment(text: str, indent: str = "") -> list[str]:
    safe = printable(text)
    start = f"{indent}# "
    return textwrap.wrap(
        safe, _WIDTH, initial_indent=start, subsequent_indent=start, break_on_hyphens=False
    )
