"""Where may a command write its file? Refused before anything is computed, named once written."""

from __future__ import annotations

from pathlib import Path

import typer

from netdesign.errors import DesignError


def check_place(path: Path | None, option: str, *endings: str) -> None:
    """Refuse a place for a file before there is one; None is no file.

    Raises
    ------
    DesignError     when its name has none of the endings, or its folder is not there
    """
    if path is None:
        return
    if path.suffix.lower() not in endings:
        wrong = f"does not end in {endings[0]}"
        if len(endings) > 1:
            wrong = f"is neither {' nor '.join(endings)}"
        raise DesignError(option, path.name, wrong, f"end it with {endings[0]}")
    if not path.parent.is_dir():
        raise DesignError(str(path), None, "cannot be written: no such folder", "make it first")


def write_file(path: Path, text: str) -> None:
    """Write a file as it is given, line ends included, and say so on the error channel.

    Raises
    ------
    DesignError     when it cannot be written
    """
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise DesignError(
            str(path), None, f"cannot be written: {reason}", "choose another place"
        ) from None
    typer.echo(f"{path} written", err=True)
