"""Reading a CSV table into checked, frozen rows; every complaint names file, row and column."""

from __future__ import annotations

import csv
import difflib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from netdesign.errors import DesignError

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Fraction = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(gt=0)]
CountOrZero = Annotated[int, Field(ge=0)]
Name = Annotated[str, Field(min_length=1)]
Date = Annotated[str, Field(pattern=r"^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$")]


class Row(BaseModel):
    """One line of a data file: frozen, with the source and the date of what it says."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    source: Name
    date: Date
    note: str = ""


class Part(Row):
    """A row with an id and a name."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    name: Name


RowT = TypeVar("RowT", bound=BaseModel)


class Table(Mapping[str, RowT], Generic[RowT]):
    """Rows by id, in the order of the file, read-only."""

    def __init__(self, rows: Mapping[str, RowT], kind: str) -> None:
        self._rows = dict(rows)
        self.kind = kind

    def __getitem__(self, key: str) -> RowT:
        return self._rows[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def require(self, key: str, field: str | None = None) -> RowT:
        """Return the row with this id, or raise a DesignError that offers the nearest ids.

        Parameters
        ----------
        key : str       id of the row
        field : str     name of the setting that holds the id; the kind of the table if not given
        """
        row = self._rows.get(key)
        if row is None:
            close = difflib.get_close_matches(str(key), self._rows, n=3) or list(self._rows)[:8]
            raise DesignError(
                field or self.kind,
                key,
                f"is not a known {self.kind}",
                "use one of " + ", ".join(close),
            )
        return row


def read_rows(path: Path, row_type: type[RowT]) -> tuple[RowT, ...]:
    """Read the rows of a CSV file; see ``numbered_rows``."""
    return tuple(row for _, row in numbered_rows(path, row_type))


def numbered_rows(path: Path, row_type: type[RowT]) -> tuple[tuple[int, RowT], ...]:
    """Read the rows of a CSV file with the number of the line each ends on.

    Parameters
    ----------
    path : Path             the file
    row_type : type         pydantic model; its fields are the columns, in any order

    Raises
    ------
    DesignError             naming the file, and the row and column where there is one
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DesignError(path.name, str(path), "cannot be read", str(error)) from error
    return _rows_from_text(text, path.name, row_type)


def _rows_from_text(text: str, file: str, row_type: type[RowT]) -> tuple[tuple[int, RowT], ...]:
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        check_header(header, list(row_type.model_fields), file)
        return tuple(
            (reader.line_num, _checked_row(cells, header, file, reader.line_num, row_type))
            for cells in reader
            if any(cell.strip() for cell in cells)
        )
    except csv.Error as error:
        raise DesignError(
            f"{file}, row {reader.line_num}",
            str(error),
            "is not CSV",
            "give comma-separated text with quoted commas",
        ) from error


def check_header(
    header: list[str], wanted: list[str], file: str, optional: tuple[str, ...] = ()
) -> None:
    """Complain of a missing, unknown or repeated column."""
    for name in wanted:
        if name not in header and name not in optional:
            raise DesignError(
                f"{file}, row 1, column {name}",
                "",
                "is missing",
                "give the columns " + ", ".join(wanted),
            )
    for position, name in enumerate(header):
        if name not in wanted:
            raise DesignError(
                f"{file}, row 1",
                name,
                "is not a known column",
                "the columns are " + ", ".join(wanted),
            )
        if name in header[:position]:
            raise DesignError(
                f"{file}, row 1", name, "is a column that stands twice", "keep one of them"
            )


def _checked_row(
    cells: list[str], header: list[str], file: str, line: int, row_type: type[RowT]
) -> RowT:
    """Turn the cells of one line into a row; a blank cell means the column's default."""
    if len(cells) != len(header):
        raise DesignError(
            f"{file}, row {line}",
            len(cells),
            "is the wrong number of cells",
            f"give {len(header)}, one for each column of the first row",
        )
    values = {name: cell for name, cell in zip(header, cells, strict=True) if cell.strip()}
    try:
        return row_type.model_validate(values)
    except ValidationError as error:
        raise _row_error(error, values, file, line) from None


def _row_error(
    error: ValidationError, values: Mapping[str, Any], file: str, line: int
) -> DesignError:
    """Return the first complaint of pydantic as one sentence."""
    first = error.errors(include_url=False, include_context=True)[0]
    column = str(first["loc"][0]) if first["loc"] else ""
    where = f"{file}, row {line}" + (f", column {column}" if column else "")
    if first["type"] == "missing":
        return DesignError(where, "", "is blank", "fill the cell")
    message = first["msg"].removeprefix("Value error, ")
    reason, hint = _WORDS.get(first["type"], ("is not valid", message[:1].lower() + message[1:]))
    limits = {key: str(value) for key, value in (first.get("ctx") or {}).items()}
    return DesignError(where, values.get(column, ""), reason, hint.format_map(limits))


_WORDS = {
    "float_parsing": ("is not a number", "give a number with a point for decimals"),
    "int_parsing": ("is not a whole number", "give a whole number"),
    "int_from_float": ("is not a whole number", "give a whole number"),
    "bool_parsing": ("is neither true nor false", "write true or false"),
    "finite_number": ("is not a finite number", "give a finite number"),
    "greater_than": ("is too small", "give a number above {gt}"),
    "greater_than_equal": ("is too small", "give a number of at least {ge}"),
    "less_than_equal": ("is too large", "give a number of at most {le}"),
    "literal_error": ("is not one of the choices", "use {expected}"),
    "string_pattern_mismatch": ("has the wrong form", "match {pattern}"),
}


def read_table(path: Path, row_type: type[RowT], kind: str) -> Table[RowT]:
    """Read a file of rows that have an ``id``, or a ``name`` of their own."""
    column = "id" if "id" in row_type.model_fields else "name"
    return Table(keyed_rows(path, row_type, (column,)), kind)


def keyed_rows(path: Path, row_type: type[RowT], columns: tuple[str, ...]) -> dict[str, RowT]:
    """Read a file into rows by the text of some columns; a repeated key is an error."""
    table: dict[str, RowT] = {}
    for line, row in numbered_rows(path, row_type):
        key = " ".join(str(getattr(row, column)) for column in columns)
        if key in table:
            raise DesignError(
                f"{path.name}, row {line}, column {columns[-1]}",
                key,
                "stands twice in the file",
                "keep one row for each " + " and ".join(columns),
            )
        table[key] = row
    return table
