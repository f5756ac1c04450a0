"""What data/ says: parts, models, transports, prices, sources, settings; read once and checked.

``load_catalog()`` gives the shipped data; ``read_price_file`` reads a planner's own prices.
"""

from netdesign.catalog.floor import Floor, FloorRow
from netdesign.catalog.library import (
    Catalog,
    data_directory,
    load_catalog,
    read_catalog,
    references,
)
from netdesign.catalog.models import ModelRow
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
from netdesign.catalog.prices import Price, PriceBook, read_price_book, read_price_file
from netdesign.catalog.references import Reference, read_references
from netdesign.catalog.settings import (
    CalibrationRow,
    Parameter,
    RentalRow,
    RuleRow,
    Transport,
)
from netdesign.catalog.side_networks import (
    SIDE_ROLES,
    SideEndpointRow,
    SideNetworkRow,
    SideRole,
)
from netdesign.catalog.tables import Part, Row, Table

__all__ = [
    "SIDE_ROLES",
    "Accelerator",
    "Cable",
    "CalibrationRow",
    "Catalog",
    "Floor",
    "FloorRow",
    "LinkMedium",
    "ModelRow",
    "Nic",
    "Parameter",
    "Part",
    "Price",
    "PriceBook",
    "PricedItem",
    "Reference",
    "RentalRow",
    "Row",
    "RuleRow",
    "Server",
    "SideEndpointRow",
    "SideNetworkRow",
    "SideRole",
    "Switch",
    "Table",
    "Transceiver",
    "Transport",
    "data_directory",
    "load_catalog",
    "read_catalog",
    "read_price_book",
    "read_price_file",
    "read_references",
    "references",
]
