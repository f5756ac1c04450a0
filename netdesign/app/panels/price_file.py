"""A bill as a price file that can be filled in, and how well a planner's price file fits."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from netdesign.catalog import PriceBook, load_catalog
from netdesign.errors import DesignError

if TYPE_CHECKING:
    from netdesign.economics.bom import BomRow

COLUMNS = ("part_id", "name", "quantity", "price_usd", "source", "date")
MOST_NAMED = 3


def bill_csv(rows: Iterable[BomRow]) -> str:
    """The bill as CSV, one line for each part; without a price the field is empty."""
    quantities: dict[str, int] = {}
    parts: dict[str, BomRow] = {}
    for row in rows:
        quantities[row.part_id] = quantities.get(row.part_id, 0) + row.quantity
        parts.setdefault(row.part_id, row)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for part_id, row in parts.items():
        price = "" if row.unit_price_usd is None else f"{row.unit_price_usd:.10g}"
        source = f"included in {row.included_in}" if row.included_in else row.price_source
        cells = (part_id, row.name, quantities[part_id], price, source, row.price_date)
        writer.writerow([_harmless(cell) for cell in cells])
    return text.getvalue()


def _harmless(cell: object) -> object:
    """A text that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@" and cell else cell


def priceable() -> frozenset[str]:
    """Every id that a price can be given for."""
    catalog = load_catalog()
    books = (book.prices for book in catalog.price_books.values())
    return frozenset(catalog.parts).union(*books)


def checked_prices(book: PriceBook, known: Collection[str]) -> str:
    """How many rows match a part, when some do not; empty when all do.

    Raises
    ------
    DesignError     when no row matches
    """
    strange = [part_id for part_id in book.prices if part_id not in known]
    if not strange:
        return ""
    matching = len(book.prices) - len(strange)
    found = f"{matching:,} of {len(book.prices):,} rows match"
    named = "; ".join(_nearest(part_id, known) for part_id in strange[:MOST_NAMED])
    more = len(strange) - MOST_NAMED
    rest = f"; and {more:,} more" if more > 0 else ""
    if not matching:
        hint = "the ids of this bill stand in the file that “Download this bill” saves"
        raise DesignError(book.name, None, f"was not taken: {found}; {named}{rest}", hint)
    return f"{book.name}: {found}; {named}{rest}."


def _nearest(part_id: str, known: Collection[str]) -> str:
    near = get_close_matches(part_id.lower(), known, 1, 0.4)
    said = f"“{part_id[:60]}” is no part"
    return f"{said}, nearest id: {near[0]}" if near else said
