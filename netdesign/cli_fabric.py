"""``netdesign fabric``: counts, cables and files of a fabric, from a family or from a Design."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netdesign.errors import DesignError

if TYPE_CHECKING:
    from netdesign.catalog import Switch
    from netdesign.economics.fabric_price import FabricPrice
    from netdesign.evaluate import Evaluation
    from netdesign.fabrics import BuiltFabric
    from netdesign.topology.built import Fabric
    from netdesign.topology.spec import FabricCounts, FabricSpec

_DEFAULT_BOOK = "rail-only-2024"
_DEFAULT_GBPS = 400.0
_MOST_DIMS = 8
_MOST_MEASURED = {"torus": 120_000, "": 2_000_000}  # links; far ends of a torus take longest
_ALIASES = {
    "clos": "fat-tree",
    "leaf-spine": "fat-tree",
    "spine-leaf": "fat-tree",
    "rail-optimized": "rail-optimised",
    "dragonfly+": "dragonfly-plus",
    "slimfly": "slim-fly",
    "hyper-x": "hyperx",
    "multiplane": "multi-plane",
}
_ANYTHING = {
    "family": (
        str,
        "single-switch, fat-tree, rail-optimised, rail-only, multi-plane, dragonfly, "
        "dragonfly-plus, slim-fly, hyperx, torus or hammingmesh (counts only). Left out with "
        "--design.",
    ),
    "design": (str, "Take the fabric of this design file or shipped design."),
    "network": (str, "Of a design: compute, storage, in-band or out-of-band; compute."),
    "endpoints": (int, "Ports of GPUs; in a multi-plane fabric each has one to every plane."),
    "radix": (int, "Ports of a switch; 64 if nothing says it."),
    "tiers": (int, "1 to 3; the fewest that hold all endpoints if left out."),
    "oversubscription": (float, "Bandwidth down over bandwidth up of a leaf, at most; 1."),
    "core_oversubscription": (float, "The same for a spine below cores; 1."),
    "port_gbps": (float, "Speed of a switch port; 400, or that of --switch."),
    "endpoint_gbps": (float, "Speed of an endpoint; one slower than a port splits the port."),
    "rails": (int, "Rails: ports of equal place in their server that share a leaf."),
    "planes": (int, "Planes that never meet."),
    "dual_tor": (bool, "Cable every endpoint to two leaves below shared spines."),
    "gpus_per_server": (int, "GPUs of a server; 8."),
    "ports_per_server": (int, "Ports of a server; one for each GPU."),
    "domain": (int, "GPUs of one scale-up domain; those of a server."),
    "spread_evenly": (bool, "Take a spine count that divides a leaf's uplinks."),
    "unit_servers": (int, "Servers (or scale-up domains) of a scalable unit."),
    "spare_ports": (int, "Ports to keep empty on every switch; 0."),
    "groups": (int, "Groups of a dragonfly or dragonfly+."),
    "p": (int, "Endpoints of a router."),
    "a": (int, "Routers of a dragonfly's group."),
    "h": (int, "Global links of a router."),
    "q": (int, "Size of a slim fly, a prime power."),
    "dims": (str, "Sides of a torus or HyperX: 16x16x16."),
    "twist": (bool, "Twist the wrap-around of a torus."),
    "cube": (int, "Side of the cubes of a torus that optical circuit switches join."),
    "switch": (str, "A switch of the catalogue: its ports, speed, power and price."),
    "prices": (str, f"Price book; {_DEFAULT_BOOK}."),
    "cables": (Path, "Write the cable plan: .csv or .xlsx."),
    "netbox": (Path, "Write import files for NetBox: .zip."),
    "slurm": (Path, "Write Slurm's topology: .conf, .yaml, or both into a folder."),
    "dot": (Path, "Write a Graphviz graph: .dot."),
    "graphml": (Path, "Write a GraphML graph."),
    "simulator": (Path, "Write a topology for a packet-level simulator (ns-3)."),
    "measure": (bool, "Build the graph and measure hops, paths, bisection, weak points."),
    "grow_to": (int, "Say which cables stay, move and are new at so many endpoints."),
    "moves": (Path, "With --grow-to: write a row for each cable that moves, .csv."),
    "json": (bool, "Print the counts as JSON."),
}
_FILES = ("cables", "netbox", "slurm", "dot", "graphml", "simulator")
_OTHER = (
    "family",
    "design",
    "switch",
    "prices",
    "json",
    "measure",
    "grow_to",
    "moves",
    "dims",
    "radix",
    "port_gbps",
)


def fabric(**given: Any) -> None:
    """Switches, links, ports and cost of a fabric; its cable plan and files for other tools."""
    from netdesign.export.fabric_record import fabric_record, fabric_text
    from netdesign.topology.families import build

    options = {name: value for name, value in given.items() if value is not None}
    files = {name: options[name] for name in _FILES if name in options}
    for name, path in files.items():
        into = name == "slurm" and path.suffix not in (".conf", ".yaml")
        _check_folder(path if into else path.parent, path)
    found = _of_design(options) if "design" in options else _of_family(options)
    counts, price = found.counts, found.price
    as_json = bool(options.get("json"))
    measure = bool(options.get("measure"))
    if not counts.buildable and (files or measure or not _is_sized(found.spec, as_json)):
        build(found.spec)  # says why it cannot be built
    _write(found, files)
    measured = _measured(found) if measure else None
    growth = _growth(found.spec, options)
    more = {"measured": measured, "growth": growth}
    if as_json:
        added = {name: value for name, value in more.items() if value}
        typer.echo(json.dumps(fabric_record(counts, price) | added, indent=2, allow_nan=False))
    else:
        typer.echo(fabric_text(counts, price) + _measured_text(measured) + _growth_text(growth))


def _annotated() -> Callable[..., None]:
    """The command with the options of the table as its signature, which Typer reads."""
    parameters = []
    for name, (kind, text) in _ANYTHING.items():
        flag = f"--{name.replace('_', '-')}"
        option = typer.Argument(help=text) if name == "family" else typer.Option(flag, help=text)
        default = False if kind is bool else None
        parameters.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[kind if kind is bool else kind | None, option],
            )
        )
    fabric.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    fabric.__annotations__ = {entry.name: entry.annotation for entry in parameters}
    return fabric


fabric_command = _annotated()


@dataclass(frozen=True)
class _Found:
    """What was asked for, counted and priced, and how to build it with its cables."""

    spec: FabricSpec
    counts: FabricCounts
    price: FabricPrice
    built: Callable[[], Fabric]  # what joins what
    cabled: Callable[[], BuiltFabric]  # with every cable


def _of_design(options: Mapping[str, Any]) -> _Found:
    from netdesign.design import read_design
    from netdesign.evaluate import evaluate

    allowed = {"design", "network", "json", "measure", "grow_to", "moves", *_FILES}
    extra = [name for name, value in options.items() if value and name not in allowed]
    if extra:
        raise DesignError(
            extra[0], options[extra[0]], "does not go with a design", "change the design instead"
        )
    try:
        evaluation = evaluate(read_design(options["design"]))
        network = options.get("network", "compute")
        return _compute(evaluation) if network == "compute" else _beside(evaluation, network)
    except DesignError as error:
        name = Path(options["design"]).name
        raise error if name in error.field else error.within(name) from None


def _compute(evaluation: Evaluation) -> _Found:
    from netdesign.fabrics import cabled, hardware_of, price_of, spec_of
    from netdesign.topology.families import build, size

    spec, hardware = spec_of(evaluation), hardware_of(evaluation.design)
    return _Found(
        spec,
        size(spec),
        price_of(evaluation),
        lambda: build(spec),
        lambda: cabled(spec, hardware),
    )


def _beside(evaluation: Evaluation, network: str) -> _Found:
    from netdesign.fabrics import build_beside, price_of
    from netdesign.topology.counting import count

    built = build_beside(evaluation, network)
    counts = replace(count(built.fabric), family=network)
    price = price_of(evaluation, network)
    return _Found(built.spec, counts, price, lambda: built.fabric, lambda: built)


def _of_family(options: Mapping[str, Any]) -> _Found:
    from netdesign.catalog import load_catalog
    from netdesign.economics.fabric_price import fabric_price, matching_switch
    from netdesign.fabrics import Hardware, cabled
    from netdesign.topology.families import build, size
    from netdesign.topology.spec import FabricSpec

    if "network" in options:
        raise DesignError("network", options["network"], "needs a design", "add --design FILE")
    if "family" not in options:
        raise DesignError("family", None, "is needed, or --design", "see netdesign fabric --help")
    catalog = load_catalog()
    book = catalog.price_books.get(options.get("prices", _DEFAULT_BOOK))
    if book is None:
        raise _unknown("prices", options["prices"], catalog.price_books)
    radix, gbps = _ports(options)
    rest = {
        name: value for name, value in options.items() if name not in _OTHER and name not in _FILES
    }
    family = str(options["family"]).lower().replace("_", "-").replace(" ", "-")
    spec = FabricSpec(
        family=_ALIASES.get(family, family),
        radix=radix,
        port_gbps=gbps,
        dims=_dims(options),
        **rest,
    )
    counts = size(spec)
    named = catalog.switches.get(options.get("switch", "").lower())
    switch = named or matching_switch(catalog.switches.values(), counts.radix, gbps)
    price = fabric_price(counts, port_gbps=gbps, switch=switch, book=book)
    return _Found(
        spec,
        counts,
        price,
        lambda: build(spec),
        lambda: cabled(spec, Hardware(switch)),
    )


def _ports(options: Mapping[str, Any]) -> tuple[int | None, float]:
    """Ports of a switch and their speed: as given, or those of the switch that is named."""
    from netdesign.catalog import load_catalog

    gbps = options.get("port_gbps")
    if "switch" not in options:
        return options.get("radix"), _DEFAULT_GBPS if gbps is None else gbps
    switches = load_catalog().switches
    name = options["switch"].lower()
    if name not in switches:
        raise _unknown("switch", options["switch"], switches)
    switch = switches[name]
    radix = switch.radix(gbps)
    _check_breakout(switch, gbps, options.get("endpoint_gbps"))
    if options.get("radix", radix) != radix:
        raise DesignError(
            "radix", options["radix"], f"is not that of the {switch.name}", f"it has {radix} ports"
        )
    return radix, switch.port_gbps if gbps is None else gbps


def _check_breakout(switch: Switch, gbps: float | None, endpoint_gbps: float | None) -> None:
    """Refuse to split a native port into more parts than the switch can."""
    if endpoint_gbps is None or not endpoint_gbps > 0:
        return
    parts = switch.port_gbps / endpoint_gbps
    if gbps in (None, switch.port_gbps) and parts > switch.breakout:
        least = switch.port_gbps / switch.breakout
        raise DesignError(
            "endpoint_gbps",
            endpoint_gbps,
            f"splits a port of the {switch.name} into too many",
            f"it goes down to {least:g}",
        )


def _unknown(field: str, value: str, known: Mapping[str, Any]) -> DesignError:
    import difflib

    near = difflib.get_close_matches(value, known, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(known)}"
    return DesignError(field, value, "is not known", hint)


def _dims(options: Mapping[str, Any]) -> tuple[int, ...] | None:
    text = options.get("dims")
    if text is None:
        return None
    sides = re.split(r"[x,*]", text.lower())
    if len(sides) > _MOST_DIMS or not all(re.fullmatch(r"\d{1,6}", side) for side in sides):
        raise DesignError("dims", text, "are no sides", "write them as 16x16x16")
    return tuple(int(side) for side in sides)


def _is_sized(spec: FabricSpec, as_json: bool) -> bool:
    """Whether counts of something that cannot be built still say something."""
    from netdesign.topology.families import COUNTED_ONLY

    return spec.family in COUNTED_ONLY or (as_json and spec.family == "slim-fly" and bool(spec.q))


def _check_folder(folder: Path, path: Path) -> None:
    if not folder.is_dir():
        raise DesignError(str(path), "file", "cannot be written: no such folder", "make it first")


def _measured(found: _Found) -> dict[str, Any]:
    from netdesign.export.fabric_measures import measures_record

    links = sum(found.counts.links.values())
    most = _MOST_MEASURED.get(found.counts.family, _MOST_MEASURED[""])
    if links > most:
        raise DesignError(
            "measure", f"{links:,} links", "are too many to measure", f"at most {most:,}"
        )
    return measures_record(found.built())


def _measured_text(record: dict[str, Any] | None) -> str:
    from netdesign.export.fabric_measures import measures_text

    return f"\n\n{measures_text(record)}" if record else ""


def _growth(spec: FabricSpec, options: Mapping[str, Any]) -> dict[str, Any] | None:
    from netdesign.export.growth_record import growth_record

    if "grow_to" not in options:
        if "moves" in options:
            raise DesignError("moves", str(options["moves"]), "needs a size", "add --grow-to")
        return None
    if options.get("network", "compute") != "compute":
        raise DesignError("grow_to", options["grow_to"], "is for the compute fabric", "leave it")
    moves = options.get("moves")
    if moves is not None:
        _check_folder(moves.parent, moves)
    return growth_record(spec, options["grow_to"], moves)


def _growth_text(record: dict[str, Any] | None) -> str:
    from netdesign.export.growth_record import growth_text

    return f"\n\n{growth_text(record)}" if record else ""


def _write(found: _Found, files: Mapping[str, Path]) -> None:
    """Build the fabric once and write the files that were asked for."""
    if not files:
        return
    from netdesign.export.fabric_files import WRITERS

    built = found.cabled()
    for kind, path in files.items():
        try:
            WRITERS[kind](built, path)
        except OSError as error:
            reason = (error.strerror or "no reason given").lower()
            raise DesignError(
                str(path), "file", f"cannot be written: {reason}", "choose another place"
            ) from None
        typer.echo(f"{path} written", err=True)
