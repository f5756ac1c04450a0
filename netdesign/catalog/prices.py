"""Price books: the shipped ones and a planner's own file, CSV or XLSX.

A planner's file comes from a stranger: bounded in size, read as text and numbers, never evaluated.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from netdesign.catalog.tables import Name, NonNegative, Row, keyed_rows
from netdesign.errors import DesignError

COLUMNS: Final = ("part_id", "price_usd", "source", "date", "note")
REQUIRED_COLUMNS: Final = ("part_id", "price_usd")
LARGEST_FILE_BYTES: Final = 1_000_000
LARGEST_UNPACKED_BYTES: Final = 5_000_000
MOST_ROWS: Final = 5_000
MOST_LINES: Final = 20_000
MOST_COLUMNS: Final = 64
LONGEST_TEXT: Final = 500
HIGHEST_PRICE_USD: Final = 1e9


class PriceRow(Row):
    """One line of a shipped price book."""

    part_id: Name
    price_usd: NonNegative


class BlankPrice(DesignError):
    """A row without a price: passed over in a list that is partly filled in."""


@dataclass(frozen=True)
class Price:
    """What one part costs, who says so and when."""

    part_id: str
    price_usd: float
    source: str
    date: str
    note: str
    book: str


@dataclass(frozen=True, eq=False)
class PriceBook:
    """Prices by part id under one name."""

    name: str
    prices: Mapping[str, Price] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prices", MappingProxyType(dict(self.prices)))

    def __reduce__(self) -> tuple[type[PriceBook], tuple[str, dict[str, Price]]]:
        return PriceBook, (self.name, dict(self.prices))

    def price(self, part_id: str) -> Price | None:
        """Return the price of a part, or None: a part without a sourced price has none."""
        return self.prices.get(part_id)

    def overlay(self, other: PriceBook) -> PriceBook:
        """Return this book with the prices of ``other`` laid over it; each keeps its own book."""
        return PriceBook(f"{self.name} + {other.name}", {**self.prices, **other.prices})


def read_price_book(path: Path) -> PriceBook:
    """Read a shipped price book, every row with source and date."""
    rows = keyed_rows(path, PriceRow, ("part_id",))
    return PriceBook(
        path.stem,
        {
            key: Price(key, row.price_usd, row.source, row.date, row.note, path.stem)
            for key, row in rows.items()
        },
    )


def read_price_file(name: str, content: bytes) -> PriceBook:
    """Read a planner's own price file.

    Parameters
    ----------
    name : str          file name; .csv or .xlsx
    content : bytes     at most 1 MB and 5,000 rows; columns part_id and price_usd, and if wanted
                        source, date and note, in the first row of the first sheet; rows with a
                        blank price are passed over where others have one

    Raises
    ------
    DesignError         naming file, row and column, the value and what would be right
    """
    file = name.replace("\\", "/").rsplit("/", 1)[-1][:120] or "price file"
    if len(content) > LARGEST_FILE_BYTES:
        raise DesignError(
            file,
            f"{len(content)} bytes",
            "is too large",
            f"give a file of at most {LARGEST_FILE_BYTES} bytes",
        )
    lines = _xlsx_lines(file, content) if _is_xlsx(file) else _csv_lines(file, content)
    header = [_text(cell).lower() for cell in next(lines, (1, []))[1]]
    _check_columns(header, file)
    prices: dict[str, Price] = {}
    blank: BlankPrice | None = None
    for line, cells in lines:
        if len(prices) == MOST_ROWS or line > MOST_LINES:
            raise DesignError(
                f"{file}, row {line}", "", "is a row too many", f"give at most {MOST_ROWS} prices"
            )
        if not any(_text(cell) for cell in cells):
            continue
        try:
            price = _price(cells, header, file, line)
        except BlankPrice as error:
            blank = blank or error
            continue
        if price.part_id in prices:
            raise DesignError(
                f"{file}, row {line}, column part_id",
                price.part_id,
                "stands twice in the file",
                "keep one price for each part",
            )
        prices[price.part_id] = price
    if not prices:
        missing = DesignError(f"{file}, row 2", "", "is missing", "give at least one price")
        raise blank or missing
    return PriceBook(file, prices)


def _check_columns(header: list[str], file: str) -> None:
    """Complain of a missing or repeated column; columns of no interest are left alone."""
    for name in REQUIRED_COLUMNS:
        if name not in header:
            raise DesignError(
                f"{file}, row 1, column {name}",
                "",
                "is missing",
                "name the columns of the first row part_id and price_usd"
                " (and source, date, note if you have them)",
            )
    for name in COLUMNS:
        if header.count(name) > 1:
            raise DesignError(
                f"{file}, row 1, column {name}", "", "stands twice", "keep one of them"
            )


def _price(cells: list[Any], header: list[str], file: str, line: int) -> Price:
    where = f"{file}, row {line}"
    beyond = [_text(cell) for cell in cells[len(header) :] if _text(cell)]
    if beyond:
        raise DesignError(
            where,
            beyond[0],
            "stands beyond the last column",
            "write a price without a thousands comma, and a text with commas in quotes",
        )
    row = {name: _text(cell) for name, cell in zip(header, cells, strict=False)}
    part_id = row.get("part_id", "")
    if not part_id:
        raise DesignError(f"{where}, column part_id", "", "is blank", "give the id of a part")
    return Price(
        part_id,
        _amount(row.get("price_usd", ""), f"{where}, column price_usd"),
        row.get("source", "") or file,
        row.get("date", ""),
        row.get("note", ""),
        file,
    )


def _amount(text: str, where: str) -> float:
    hint = "give US dollars, for example 36000 or 769.50"
    try:
        amount = float(text)
    except ValueError:
        if not text:
            raise BlankPrice(where, text, "is blank", hint) from None
        raise DesignError(where, text, "is not a number", hint) from None
    if not math.isfinite(amount):
        raise DesignError(where, text, "is not a finite number", hint)
    if amount < 0:
        raise DesignError(where, text, "is below zero", hint)
    if amount > HIGHEST_PRICE_USD:
        raise DesignError(where, text, "is more than a part can cost", hint)
    return amount


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()[:LONGEST_TEXT]


def _is_xlsx(file: str) -> bool:
    if file.lower().endswith(".csv"):
        return False
    if file.lower().endswith(".xlsx"):
        return True
    raise DesignError(file, file, "is not a price file", "give a file named .csv or .xlsx")


def _csv_lines(file: str, content: bytes) -> Iterator[tuple[int, list[Any]]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DesignError(
            file, file, "is not UTF-8 text", "save it as CSV in UTF-8, or as .xlsx"
        ) from None
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        for cells in reader:
            yield reader.line_num, list(cells)
    except csv.Error as error:
        raise DesignError(
            f"{file}, row {reader.line_num}", str(error), "is not CSV", "quote texts with commas"
        ) from None


def _xlsx_lines(file: str, content: bytes) -> Iterator[tuple[int, list[Any]]]:
    broken = DesignError(
        file, file, "cannot be read as a workbook", "save it again as .xlsx, or as CSV"
    )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, ValueError):
        raise broken from None
    if unpacked > LARGEST_UNPACKED_BYTES:
        raise DesignError(
            file, f"{unpacked} bytes unpacked", "is too large", "keep only the price sheet"
        )
    from openpyxl import load_workbook

    try:
        workbook = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        rows = workbook.worksheets[0].iter_rows(max_col=MOST_COLUMNS, values_only=True)
        for line, cells in enumerate(itertools.islice(rows, MOST_LINES + 1), start=1):
            yield line, list(cells)
        workbook.close()
    except Exception as error:
        raise broken from error
