"""What does it cost, part by part?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from netdesign.app.html import Head, Markup, table, tag
from netdesign.app.layout import box, card, heading
from netdesign.app.live_html import Act, LiveHtml
from netdesign.app.panels.facts import Fact, FactList
from netdesign.app.panels.priced import (
    AT_LEAST,
    at_least,
    derived,
    metered,
    network_money,
    servers_priced,
)
from netdesign.app.pictures import Picture
from netdesign.bands import Band, bands
from netdesign.catalog import load_catalog
from netdesign.charts.format import (
    NOTHING,
    between,
    cents,
    count,
    digits,
    dollars,
    percent,
    power,
    unit_price,
)

if TYPE_CHECKING:
    from netdesign.economics.bom import BillOfMaterials, BomRow
    from netdesign.evaluate import Evaluation

LARGEST_PRICE_FILE_BYTES = 1_000_000
COMPUTE = "compute"

HEADS = (
    Head("Part"),
    Head("Where"),
    Head("Quantity", number=True),
    Head("Unit price", "USD", number=True),
    Head("Total", number=True),
    Head("Power", number=True),
    Head("Price from"),
)


class BillPanel:
    """The order by part, the money by kind, power, and what waiting for the network costs."""

    def __init__(
        self, upload: Act, forget: Callable[[str], None], download: Callable[[str], None]
    ) -> None:
        acts = {"upload-prices": upload, "forget-prices": forget, "download-bill": download}
        self.head, self.table = LiveHtml(), LiveHtml()
        self.explained = FactList()
        self.facts = self.explained.list
        self.book = LiveHtml(acts=acts)
        self.picture = Picture("bill_bars")
        self._book_name = self._own_book = self._complaint = ""
        side = box([self.picture.view, self.book], "nd-bill-side")
        self.widget = card(
            self.head,
            self.facts,
            box([side, self.table], "nd-bill-body"),
            classes="nd-panel-bill nd-card-wide",
        )

    def show(self, evaluation: Evaluation) -> None:
        self.head.value = heading("Bill", evaluation)
        self.explained.show(evaluation, _facts(evaluation))
        self.picture.show(evaluation)
        self.table.value = table(
            "Bill of materials",
            HEADS,
            _rows(evaluation),
            foot=_foot(evaluation),
            class_="nd-table-bill",
        )
        self._book_name = evaluation.bom.price_book
        self._draw_book()

    def complain(self, sentence: str) -> None:
        """Say what is wrong with a price file, beside its field."""
        self._complaint = sentence
        self._draw_book()

    def own_book(self, name: str) -> None:
        """Name the planner's own price file that lies over the book; empty for none."""
        self._own_book = name
        self.complain("")

    def _draw_book(self) -> None:
        self.book.value = _book(self._book_name, self._own_book, self._complaint)


def _facts(evaluation: Evaluation) -> list[Fact]:
    bom, cost = evaluation.bom, evaluation.cost
    found = bands(evaluation)
    million, training = found.usd_per_million_tokens, found.training_usd
    per_hour = f"${digits(cost.usd_per_gpu_hour)}"
    return [
        Fact("Compute cluster", at_least(evaluation, dollars(bom.total_usd)), "capex"),
        Fact("Its network", network_money(evaluation) + _share(evaluation), "network_share"),
        Fact("Whole order", _least(evaluation.order), "order"),
        Fact("Power", metered(bom.total_power_w, bool(bom.unmetered)), "power"),
        Fact("Power of its network", metered(bom.network_power_w, _network_unmetered(evaluation))),
        Fact("Owning, per GPU-hour", derived(evaluation, per_hour), "usd_per_gpu_hour"),
        Fact(
            "Per million tokens",
            derived(evaluation, cents(million.value)),
            "usd_per_million_tokens",
            _span(evaluation, million, cents),
        ),
        Fact(
            "Whole training",
            derived(evaluation, dollars(training.value)),
            "training_usd",
            _span(evaluation, training, dollars),
        ),
        Fact(
            "Network wait, per day",
            dollars(cost.network_wait_usd_per_day),
            "network_wait",
            _ends(found.network_wait_usd_per_day, dollars),
        ),
    ]


def _ends(band: Band, say: Callable[[float], Any]) -> str:
    return between(say(band.low), say(band.high))


def _span(evaluation: Evaluation, band: Band, say: Callable[[float], Any]) -> str:
    """The range of money that follows from the purchase: none where that is not known."""
    return _ends(band, say) if servers_priced(evaluation) else ""


def _share(evaluation: Evaluation) -> str:
    if not servers_priced(evaluation):
        return ""
    return f", {percent(evaluation.cost.network_share)}"


def _network_unmetered(evaluation: Evaluation) -> bool:
    return any(row.network and row.total_power_w is None for row in evaluation.bom.rows)


def _money(row: BomRow) -> list[Any]:
    """Unit price and total; a part that comes with another one says so."""
    if row.included_in:
        return [tag("span", "included", title=f"In the price of {row.included_in}"), NOTHING]
    if row.total_usd is None:
        return [NOTHING, tag("em", "no price")]
    return [unit_price(row.unit_price_usd), dollars(row.total_usd)]


def _least(bom: BillOfMaterials) -> str:
    """The sum of what has a price, and that it is a lower bound where a part has none."""
    total = dollars(bom.total_usd)
    return f"{AT_LEAST} {total}" if bom.unpriced else str(total)


def _rows(evaluation: Evaluation) -> list[list[Any]]:
    """Servers and compute fabric, their sum, then the networks beside them."""
    beside = [row for row in evaluation.order.rows if row.of_network != COMPUTE]
    sentences = [[text, *[""] * (len(HEADS) - 1)] for text in evaluation.beside.missing]
    return [
        *(_row(row) for row in evaluation.bom.rows),
        [tag("strong", cell) for cell in _sum("Compute cluster", evaluation.bom)],
        *(_row(row) for row in beside),
        *sentences,
    ]


def _row(row: BomRow) -> list[Any]:
    watts = row.total_power_w
    return [
        row.name,
        row.place,
        count(row.quantity),
        *_money(row),
        power(watts) if watts is not None else tag("em", "not known"),
        _source(row),
    ]


def _source(row: BomRow) -> Any:
    if row.unit_price_usd is None or row.included_in:
        return NOTHING
    reference = load_catalog().references.get(row.price_source)
    name = row.price_source + (f", {row.price_date}" if row.price_date else "")
    return tag("span", name, title=reference.title if reference else None)


def _foot(evaluation: Evaluation) -> list[Any]:
    return _sum("Whole order", evaluation.order)


def _sum(name: str, bom: BillOfMaterials) -> list[Any]:
    missing = len(bom.unpriced)
    note = f"{missing} without a price" if missing else ""
    watts = metered(bom.total_power_w, bool(bom.unmetered))
    return [name, "", "", "", _least(bom), watts, note]


def _book(book: str, own: str, complaint: str) -> Markup:
    field = tag(
        "label",
        "Lay your own prices over it (CSV or XLSX)",
        Markup(
            '<input type="file" accept=".csv,.xlsx" data-upload="upload-prices" '
            f'data-limit="{LARGEST_PRICE_FILE_BYTES}">'
        ),
        class_="nd-upload nd-button",
    )
    forget = (
        tag("button", f"Forget {own}", type="button", class_="nd-button", data_act="forget-prices")
        if own
        else ""
    )
    download = tag(
        "button", "Download this bill", type="button", class_="nd-button", data_act="download-bill"
    )
    note = (
        "Columns part_id and price_usd; source, date and note if you have them. The bill downloads "
        "as such a file: fill in the empty prices, or leave those rows out. "
        "Your prices stay on this page and are not in its link."
    )
    return tag(
        "div",
        tag("p", "Prices from ", tag("strong", book), "."),
        tag("p", field, download, forget, class_="nd-buttons"),
        tag("p", complaint, class_="nd-complaint", role="alert") if complaint else "",
        tag("p", note, class_="nd-quiet"),
        class_="nd-book",
    )
