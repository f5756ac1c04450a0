"""Files of the chosen fabric, and what happens to its cables when it doubles; only when asked."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from netdesign.app.explorer_panels.pictures import MOST_LINKS, links_of
from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.app.layout import card
from netdesign.app.live_html import LiveHtml
from netdesign.app.toolbar import button, grouped
from netdesign.catalog import Switch, load_catalog
from netdesign.charts.family_reach import title
from netdesign.charts.format import count, dollars, size, unit_price
from netdesign.errors import DesignError
from netdesign.rivals import Contender, parts_list
from netdesign.topology.spec import FabricSpec
from netdesign.wording import plural

if TYPE_CHECKING:
    from netdesign.fabrics import BuiltFabric

MOST_ROWS_OF_A_SHEET = 100_000


class FileKind(NamedTuple):
    """A file that can be asked for; ``writer`` is one of ``export.fabric_files``."""

    label: str
    writer: str
    ending: str
    mime: str
    most_links: int = MOST_LINKS


KINDS: Mapping[str, FileKind] = MappingProxyType(
    {
        "csv": FileKind("Cable plan, CSV", "cables", ".csv", "text/csv;charset=utf-8"),
        "xlsx": FileKind(
            "Cable plan, XLSX",
            "cables",
            ".xlsx",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            MOST_ROWS_OF_A_SHEET,
        ),
        "netbox": FileKind("NetBox", "netbox", ".zip", "application/zip"),
        "slurm": FileKind("Slurm", "slurm", ".zip", "application/zip"),
        "dot": FileKind("Graphviz DOT", "dot", ".dot", "text/vnd.graphviz"),
        "graphml": FileKind("GraphML", "graphml", ".graphml", "application/xml"),
        "simulator": FileKind("Simulator (ns-3)", "simulator", ".txt", "text/plain;charset=utf-8"),
    }
)

Download = Callable[[str, bytes, str], None]


class FilesPanel:
    """Buttons, and a line that says what is being built or why it is not."""

    def __init__(self, download: Download) -> None:
        self._download = download
        self._one: Contender | None = None
        self._switch: Switch | None = None
        self.text = LiveHtml(
            acts={"file": self.make, "grow": lambda _: self.grow(), "parts": lambda _: self.parts()}
        )
        self.widget = card(self.text, classes="nd-panel-files")

    def show(self, one: Contender, switch: Switch) -> None:
        """Offer the files of a contender; what was said of another one is gone."""
        same = self._one is not None and one.spec == self._one.spec and switch == self._switch
        self._one, self._switch = one, switch
        if not same:
            self._say("")

    def make(self, kind: str) -> None:
        """Build the fabric with its cables and hand out one file of it."""
        one, chosen = self._one, KINDS.get(kind)
        if one is None or chosen is None or self._too_much(one, chosen.most_links, chosen.label):
            return
        self._say(f"Building {chosen.label}: {plural(links_of(one), 'cable')} …")
        try:
            name, content = fabric_file(one.spec, chosen, self._switch)
        except DesignError as error:
            self._say(str(error))
            return
        self._download(name, content, chosen.mime)
        self._say(f"{name}, {size(len(content))}, is in your downloads.")

    def grow(self) -> None:
        """Say what moves when the number of GPUs doubles."""
        one = self._one
        if one is None or self._too_much(one, MOST_LINKS // 2, "a fabric of twice the size"):
            return
        self._say("Building both fabrics …")
        try:
            self._say(growth_sentence(one.spec))
        except DesignError as error:
            self._say(f"Twice the GPUs: {error}.")

    def _too_much(self, one: Contender, most: int, what: str) -> bool:
        if not one.buildable:
            self._say("This fabric cannot be built, so it has no cables.")
            return True
        if links_of(one) <= most:
            return False
        self._say(too_many(links_of(one), what, most))
        return True

    def parts(self) -> None:
        """List and price what the fabric is made of, each link by its own length."""
        one = self._one
        if one is None or self._too_much(one, MOST_LINKS, "a list of parts"):
            return
        self._say(f"Cabling {plural(links_of(one), 'link')} …")
        try:
            self._say(*parts_told(one.spec, self._switch))
        except DesignError as error:
            self._say(str(error))

    def _say(self, sentence: str, more: Markup | str = "") -> None:
        name = "" if self._one is None else _named(self._one)
        head = tag(
            "header",
            tag("h2", "Take it along"),
            tag("p", name, class_="nd-inputs"),
            class_="nd-card-head",
        )
        files = [button_with("file", kind, found.label) for kind, found in KINDS.items()]
        growth = [
            button("Every module and cable, priced", "parts"),
            button("What moves at twice the GPUs?", "grow"),
        ]
        said = join((tag("p", sentence, class_="nd-said", role="status"), more))
        self.text.value = join(
            (head, tag("div", grouped([files, growth]), class_="nd-file-buttons"), said)
        )


def too_many(links: int, what: str, most: int) -> str:
    """Why a page does not make a file."""
    return (
        f"{plural(links, 'cable')} are too many for {what} from a page, which stops at "
        f"{count(most)}; the command netdesign fabric writes it."
    )


def button_with(act: str, value: str, label: str) -> Markup:
    """A button that sends a value."""
    return tag("button", label, type="button", class_="nd-button", data_act=act, data_value=value)


def fabric_file(
    spec: FabricSpec, kind: FileKind, switch: Switch | None = None
) -> tuple[str, bytes]:
    """Name and content of a file of a fabric; a folder of files becomes an archive.

    Raises
    ------
    DesignError     when the fabric cannot be built or the file cannot hold it
    """
    from netdesign.fabrics import Hardware, cabled

    built = cabled(spec, Hardware(switch))
    return built_file(built, kind, f"{spec.family}-{spec.endpoints or built.fabric.endpoints}")


def built_file(built: BuiltFabric, kind: FileKind, name: str) -> tuple[str, bytes]:
    """Name and content of a file of a fabric that is built; ``name`` begins its name."""
    from netdesign.export.fabric_files import WRITERS

    stem = f"{name}-{kind.writer}"
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder)
        if kind.writer == "slurm":
            WRITERS[kind.writer](built, into)
            return f"{stem}{kind.ending}", _archive(into)
        path = into / f"{stem}{kind.ending}"
        WRITERS[kind.writer](built, path)
        return path.name, path.read_bytes()


def _archive(folder: Path) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    return content.getvalue()


def parts_told(spec: FabricSpec, switch: Switch | None) -> tuple[str, Markup]:
    """A sentence with the sum, and the table of parts."""
    from netdesign.fabrics import Hardware, cabled

    built = cabled(spec, Hardware(switch))
    book, rows = parts_list(built, load_catalog().price_books)
    known = [row.total_usd for row in rows if row.total_usd is not None]
    missing = len(rows) - len(known)
    without = f"; {plural(missing, 'part')} without a price" if missing else ""
    heads = (
        Head("Part"),
        Head("Pieces", number=True),
        Head("Each", number=True),
        Head("Together", number=True),
    )
    cells = [
        (row.name, count(row.quantity), unit_price(row.price_usd), dollars(row.total_usd))
        for row in rows
    ]
    sentence = f"Priced parts cost {dollars(sum(known))} by {book}{without}."
    return sentence, table("Switches, modules and cables", heads, cells)


def growth_sentence(spec: FabricSpec) -> str:
    """What happens to the cables of a fabric when its GPUs double."""
    from netdesign.topology.families import build
    from netdesign.topology.growth import compare

    today = build(spec)
    gpus = spec.endpoints or today.endpoints
    growth = compare(today, build(replace(spec, endpoints=2 * gpus)))
    gone = sum(growth.gone.values())
    taken = f", {count(gone)} are taken out" if gone else ""
    return (
        f"From {count(gpus)} to {count(2 * gpus)} GPUs: "
        f"{count(growth.moved)} of {count(today.links)} cables move"
        f"{taken}, {count(sum(growth.new.values()))} are new."
    )


def _named(one: Contender) -> str:
    return f"{title(one.spec.family)}, {plural(links_of(one), 'cable')}"
