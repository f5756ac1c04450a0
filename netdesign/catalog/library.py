"""The whole of data/ read once: ``load_catalog()``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from netdesign.catalog.floor import Floor, FloorRow, floor_of, read_floor
from netdesign.catalog.models import ModelRow
from netdesign.catalog.nccl import (
    CollectiveConstantRow,
    TuningRow,
    read_collective_constants,
    read_tuning,
)
from netdesign.catalog.parts import (
    Accelerator,
    Cable,
    LinkMedium,
    Nic,
    PricedItem,
    Server,
    Switch,
    Transceiver,
)
from netdesign.catalog.prices import PriceBook, read_price_book
from netdesign.catalog.references import Reference, read_references
from netdesign.catalog.settings import (
    CalibrationRow,
    Parameter,
    RentalRow,
    RuleRow,
    Transport,
)
from netdesign.catalog.side_networks import (
    SideEndpointRow,
    SideNetworkRow,
    read_side_endpoints,
    read_side_networks,
)
from netdesign.catalog.tables import Part, Row, Table, keyed_rows, read_rows, read_table
from netdesign.errors import DesignError


def data_directory() -> Path:
    """Return the folder of the data files: inside the package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "data"
    return inside if inside.is_dir() else package.parent / "data"


@dataclass(frozen=True)
class Catalog:
    """Every data file, checked; tables by id in the order of the file."""

    accelerators: Table[Accelerator]
    servers: Table[Server]
    nics: Table[Nic]
    switches: Table[Switch]
    transceivers: Table[Transceiver]
    cables: Table[Cable]
    priced_items: Table[PricedItem]
    link_media: Table[LinkMedium]
    transports: Table[Transport]
    models: Table[ModelRow]
    price_books: Mapping[str, PriceBook]
    rules: Table[RuleRow]
    rental: tuple[RentalRow, ...]
    floor_rows: tuple[FloorRow, ...]
    references: Mapping[str, Reference]
    parameters: Mapping[str, Parameter]
    calibrations: Mapping[tuple[str, str], CalibrationRow]
    nccl_tuning: tuple[TuningRow, ...]
    collective_constants: Mapping[tuple[str, str], CollectiveConstantRow]
    side_networks: Mapping[tuple[str, str], SideNetworkRow]  # by server and role
    side_endpoints: Table[SideEndpointRow]
    parts: Mapping[str, Part]

    @property
    def floor(self) -> Floor:
        """The machine room of floor.csv."""
        return floor_of(self.floor_rows)

    def accelerator_of(self, server: Server) -> Accelerator:
        """Return the accelerator of a server."""
        return self.accelerators[server.accelerator]

    def price_book(self, name: str) -> PriceBook:
        """Return a shipped price book.

        Raises
        ------
        DesignError     when there is none of this name
        """
        if name not in self.price_books:
            known = ", ".join(self.price_books)
            raise DesignError("price_book", name, "is not a known price book", f"use {known}")
        return self.price_books[name]

    def calibration(self, name: str, scope: str) -> CalibrationRow:
        """Return a fitted constant for a scope.

        Raises
        ------
        DesignError     when the constant is not fitted for this scope
        """
        row = self.calibrations.get((name, scope))
        if row is None:
            scopes = ", ".join(known for label, known in self.calibrations if label == name)
            raise DesignError(
                f"calibration {name}",
                scope,
                "is not a fitted scope",
                f"use {scopes}" if scopes else "add a row to calibration.csv",
            )
        return row


@functools.cache
def load_catalog() -> Catalog:
    """Return the shipped catalogue, read once."""
    return read_catalog(data_directory())


def references() -> Mapping[str, Reference]:
    """Return the sources by key."""
    return load_catalog().references


def read_catalog(folder: Path) -> Catalog:
    """Read and cross-check a data folder.

    Raises
    ------
    DesignError     naming file, row and column of the first thing that is wrong
    """
    parts = folder / "catalog"
    catalog = Catalog(
        accelerators=read_table(parts / "accelerators.csv", Accelerator, "accelerator"),
        servers=read_table(parts / "servers.csv", Server, "server"),
        nics=read_table(parts / "nics.csv", Nic, "nic"),
        switches=read_table(parts / "switches.csv", Switch, "switch"),
        transceivers=read_table(parts / "transceivers.csv", Transceiver, "transceiver"),
        cables=read_table(parts / "cables.csv", Cable, "cable"),
        priced_items=read_table(parts / "priced_items.csv", PricedItem, "priced item"),
        link_media=read_table(parts / "link_media.csv", LinkMedium, "link medium"),
        transports=read_table(folder / "transports.csv", Transport, "transport"),
        models=read_table(folder / "models.csv", ModelRow, "model"),
        price_books=_price_books(folder / "prices"),
        rules=read_table(folder / "rules.csv", RuleRow, "rule"),
        rental=read_rows(folder / "rental.csv", RentalRow),
        floor_rows=read_floor(folder / "floor.csv"),
        references=read_references(folder / "references.bib"),
        parameters=_parameters(folder / "parameters.csv"),
        calibrations=_calibrations(folder / "calibration.csv"),
        nccl_tuning=read_tuning(folder / "nccl_tuning.csv"),
        collective_constants=read_collective_constants(folder / "collective_constants.csv"),
        side_networks=read_side_networks(folder / "side_networks.csv"),
        side_endpoints=read_side_endpoints(folder / "side_endpoints.csv"),
        parts={},
    )
    catalog = _with_parts(catalog)
    _check_links(catalog)
    _check_side_networks(catalog)
    _check_sources(catalog)
    return catalog


def _price_books(folder: Path) -> Mapping[str, PriceBook]:
    books = (read_price_book(path) for path in sorted(folder.glob("*.csv")))
    return MappingProxyType({book.name: book for book in books})


def _parameters(path: Path) -> Mapping[str, Parameter]:
    if not path.exists():
        return MappingProxyType({})
    return MappingProxyType(keyed_rows(path, Parameter, ("path",)))


def _calibrations(path: Path) -> Mapping[tuple[str, str], CalibrationRow]:
    if not path.exists():
        return MappingProxyType({})
    rows = keyed_rows(path, CalibrationRow, ("name", "scope"))
    return MappingProxyType({(row.name, row.scope): row for row in rows.values()})


def _bought_tables(catalog: Catalog) -> dict[str, Mapping[str, Part]]:
    return {
        "accelerators.csv": catalog.accelerators,
        "servers.csv": catalog.servers,
        "nics.csv": catalog.nics,
        "switches.csv": catalog.switches,
        "transceivers.csv": catalog.transceivers,
        "cables.csv": catalog.cables,
        "priced_items.csv": catalog.priced_items,
    }


def _with_parts(catalog: Catalog) -> Catalog:
    parts: dict[str, Part] = {}
    for file, table in _bought_tables(catalog).items():
        for key, part in table.items():
            if key in parts:
                raise DesignError(
                    f"{file}, column id", key, "is the id of another part", "choose another id"
                )
            parts[key] = part
    return replace(catalog, parts=MappingProxyType(parts))


def _check_links(catalog: Catalog) -> None:
    for server in catalog.servers.values():
        _known(server.accelerator, catalog.accelerators, "servers.csv", server.id, "accelerator")
        _known(server.nic, catalog.nics, "servers.csv", server.id, "nic")
    for medium in catalog.link_media.values():
        _known(medium.cable_part, catalog.cables, "link_media.csv", medium.id, "cable_part")
        for end in ("switch_end", "host_end"):
            part_id, ports = getattr(medium, f"{end}_part"), getattr(medium, f"{end}_ports")
            if not part_id:
                continue
            _known(part_id, catalog.transceivers, "link_media.csv", medium.id, f"{end}_part")
            if catalog.transceivers[part_id].ports != ports:
                raise DesignError(
                    f"link_media.csv, row {medium.id}, column {end}_ports",
                    ports,
                    "is not the number of ports of the part",
                    f"give {catalog.transceivers[part_id].ports}",
                )
    for book in catalog.price_books.values():
        for price in book.prices.values():
            _known(price.part_id, catalog.parts, f"{book.name}.csv", price.part_id, "part_id")
    for rental in catalog.rental:
        _known(rental.accelerator, catalog.accelerators, "rental.csv", rental.date, "accelerator")


def _check_side_networks(catalog: Catalog) -> None:
    groups = {row.equipment: row for row in catalog.side_endpoints.values()}
    for row in catalog.side_networks.values():
        file, name = "side_networks.csv", f"{row.server} {row.role}"
        _known(row.server, catalog.servers, file, name, "server")
        _known(row.switch, catalog.switches, file, name, "switch")
        if row.equipment:
            _known(row.equipment, groups, file, name, "equipment")


def _known(key: str, table: Mapping[str, object], file: str, row: str, column: str) -> None:
    if key not in table:
        raise DesignError(
            f"{file}, row {row}, column {column}",
            key,
            "is not in the catalogue",
            "use an id of the catalogue, or add the part first",
        )


def _check_sources(catalog: Catalog) -> None:
    tables: dict[str, tuple[Row, ...]] = {
        file: tuple(table.values()) for file, table in _bought_tables(catalog).items()
    }
    tables["link_media.csv"] = tuple(catalog.link_media.values())
    tables["transports.csv"] = tuple(catalog.transports.values())
    tables["models.csv"] = tuple(catalog.models.values())
    tables["rules.csv"] = tuple(catalog.rules.values())
    tables["rental.csv"] = catalog.rental
    tables["floor.csv"] = catalog.floor_rows
    tables["calibration.csv"] = tuple(catalog.calibrations.values())
    tables["nccl_tuning.csv"] = catalog.nccl_tuning
    tables["collective_constants.csv"] = tuple(catalog.collective_constants.values())
    tables["side_networks.csv"] = tuple(catalog.side_networks.values())
    tables["side_endpoints.csv"] = tuple(catalog.side_endpoints.values())
    sources = [
        (file, getattr(row, "id", getattr(row, "name", "")), row.source)
        for file, rows in tables.items()
        for row in rows
    ]
    for book in catalog.price_books.values():
        sources += [
            (f"{book.name}.csv", price.part_id, price.source) for price in book.prices.values()
        ]
    sources += [
        ("parameters.csv", path, parameter.source)
        for path, parameter in catalog.parameters.items()
        if parameter.source
    ]
    for file, row_name, source in sources:
        if source not in catalog.references:
            raise DesignError(
                f"{file}, row {row_name}, column source",
                source,
                "is not a key of references.bib",
                "add the entry or correct the key",
            )
