"""``netdesign compare``: two designs, or one design on two transports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from netdesign.errors import DesignError

LARGEST_PRICE_FILE = 10_000_000


def compare(
    designs: Annotated[
        list[str],
        typer.Argument(help="Two design files or names of shipped ones; one with --transports."),
    ],
    transports: Annotated[
        str | None,
        typer.Option(help="Two transports for one design: infiniband,roce-adaptive."),
    ] = None,
    discount: Annotated[
        float | None,
        typer.Option(help="Share by which the second fabric is cheaper than the first: 0.4."),
    ] = None,
    gpus: Annotated[int | None, typer.Option(help="GPUs, instead of those of the design.")] = None,
    switches: Annotated[
        str | None,
        typer.Option(help="Switches of the two transports, instead of the counterpart: ,sn5600."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Your figure: transport.roce-hashed.balance_efficiency=0.95; repeat."
        ),
    ] = None,
    prices: Annotated[Path | None, typer.Option(help="Your own price file, CSV or XLSX.")] = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print as Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every number as JSON.")] = False,
) -> None:
    """Which fabric wins, by how much, and how sure is that: InfiniBand or RoCE, one table."""
    from netdesign.comparison import read_overrides
    from netdesign.comparison.on_graph import built_step_s
    from netdesign.export.comparison import (
        built_line,
        comparison_markdown,
        comparison_record,
        comparison_text,
    )

    overrides = read_overrides(settings or [])
    book = _price_book(prices)
    if transports is None:
        for name, value in (("discount", discount), ("switches", switches), ("gpus", gpus)):
            if value is not None:
                raise DesignError(name, value, "goes with --transports", "give one design")
        found = _two_designs(designs, overrides, book)
    else:
        chosen = _resized(designs, gpus)
        found = _one_design(chosen, transports, discount, switches, overrides, book)
    built = (built_step_s(found.first), built_step_s(found.second))
    if as_json:
        record = comparison_record(found)
        record["first"]["built_step_s"], record["second"]["built_step_s"] = built
        typer.echo(json.dumps(record, indent=2, allow_nan=False))
    else:
        shown = comparison_markdown(found) if as_markdown else comparison_text(found)
        typer.echo("\n".join([shown, *built_line(found, *built)]))


def _two_designs(designs: list[str], overrides: Any, book: Any) -> Any:
    from netdesign.comparison import compare as run
    from netdesign.design import read_design

    if len(designs) != 2:
        hint = "give two, or one with --transports infiniband,roce-adaptive"
        raise DesignError("designs", " ".join(designs), "are not two designs", hint)
    first, second = (read_design(design) for design in designs)
    return run(first, second, overrides=overrides, price_book=book)


def _resized(designs: list[str], gpus: int | None) -> Any:
    from netdesign.design import read_design

    if len(designs) != 1:
        raise DesignError(
            "designs", " ".join(designs), "are more than one", "with --transports give one design"
        )
    chosen = read_design(designs[0])
    return chosen if gpus is None else chosen.with_values({"cluster.gpus": gpus})


def _one_design(
    design: Any,
    transports: str,
    discount: float | None,
    switches: str | None,
    overrides: Any,
    book: Any,
) -> Any:
    from netdesign.comparison import Pricing, compare_transports

    named = [name.strip() for name in (switches or "").split(",")]
    if len(named) > 2:
        raise DesignError("switches", switches, "are more than two", "give two: qm9700,sn5600")
    return compare_transports(
        design,
        [name.strip() for name in transports.split(",")],
        overrides=overrides,
        pricing=Pricing(discount),
        switches=named,
        price_book=book,
    )


def _price_book(prices: Path | None) -> Any:
    from netdesign.catalog import read_price_file

    if prices is None:
        return None
    try:
        with prices.open("rb") as stream:
            content = stream.read(LARGEST_PRICE_FILE + 1)
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise DesignError(
            str(prices), "file", f"cannot be read: {reason}", "check the path"
        ) from None
    return read_price_file(prices.name, content)
