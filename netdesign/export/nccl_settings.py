"""NCCL's environment for a design as files: a shell script, YAML for a pod, a Slurm script."""

from __future__ import annotations

import shlex
import textwrap
from typing import Any

from netdesign.catalog.nccl_variables import version_text
from netdesign.errors import DesignError
from netdesign.nccl_settings import NcclSettings

FORMATS = ("env", "yaml", "slurm")
_WIDTH = 96


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
        "notes": list(settings.notes),
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
    for entry in settings.left_out:
        lines += _comment(f"Not set: {entry.variable}={entry.value}: {entry.reason}.")
    for note in settings.notes:
        lines += _comment(note)
    return ["", *lines] if lines else []


def _comment(text: str, indent: str = "") -> list[str]:
    safe = "".join(letter if letter.isprintable() else "?" for letter in text)
    start = f"{indent}# "
    return textwrap.wrap(
        safe, _WIDTH, initial_indent=start, subsequent_indent=start, break_on_hyphens=False
    )
