"""``netdesign congestion``: the traffic of a design's plan over its built fabric."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from netdesign.errors import DesignError

if TYPE_CHECKING:
    from netdesign.congestion import Conditions
    from netdesign.evaluate import Evaluation

_WORDS = {
    "routing": ("ecmp", "static", "adaptive"),
    "placement": ("packed", "fragmented", "random", "side-by-side"),
    "algorithm": ("ring", "tree"),
    "ring_order": ("rank", "pod"),
    "rank_order": ("tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"),  # without the ``:K`` behind it
}
_RANGES = {
    "queue_pairs": (1, 128),
    "storage_servers": (0, 100_000),
    "seed": (0, 2**31),
    "seeds": (0, 10_000),
    "members": (0, 100_000),
}

_PLAN = ("tensor", "pipeline")  # settings of a preset that the design holds, as ``plan.tensor``


def _show_presets(wanted: bool) -> None:
    """Print every preset with the options and the values of a design that it stands for."""
    if not wanted:
        return
    from urllib.parse import parse_qsl

    from netdesign.app.congestion_panels.presets import presets
    from netdesign.app.congestion_panels.request import OF_DESIGN

    for key, row in presets().items():
        options, values = [], []
        for name, value in parse_qsl(row.query):
            path = f"plan.{name}" if name in _PLAN else OF_DESIGN.get(name)
            if path is None:
                options.append(f"--{name.replace('_', '-')} {value}")
            else:
                values.append(f"{path}={value}")
        if any(value.startswith("plan.") for value in values):
            values.append("plan.mode=manual")
        typer.echo(f"{key}: {row.name}")
        typer.echo(f"  design   {' '.join(values)}")
        typer.echo(f"  options  {' '.join(options)}")
    raise typer.Exit


_Design = Annotated[str, typer.Argument(help="A design file (YAML) or the name of a shipped one.")]
_Routing = Annotated[
    str | None, typer.Option(help="ecmp, static or adaptive; that of the transport if left out.")
]
_Pairs = Annotated[
    int | None,
    typer.Option(help="Queue pairs of a connection, 1 to 128; those of the transport."),
]
_Placement = Annotated[str, typer.Option(help="packed, fragmented, random or side-by-side.")]
_Algorithm = Annotated[str, typer.Option(help="Of an all-reduce: ring or tree.")]
_RingOrder = Annotated[str, typer.Option(help="Rings by rank or by pod.")]
_RankOrder = Annotated[
    str,
    typer.Option(
        help="Fastest first: tp-cp-ep-dp-pp or tp-cp-ep-pp-dp; ending in :24 it is --members 24."
    ),
]
_Members = Annotated[
    int,
    typer.Option(
        help="Members of a data-parallel ring in a pod (scale-up domains); 0: as ranks are packed."
    ),
]
_Pxn = Annotated[bool, typer.Option("--pxn/--no-pxn", help="Leave on the receiver's rail.")]
_Storage = Annotated[int, typer.Option(help="Storage servers on the compute fabric.")]
_Seed = Annotated[int, typer.Option(help="Of hashing and placement.")]
_Seeds = Annotated[int, typer.Option(help="Show the distribution over so many seeds.")]
_Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler for the seeds: tcp://...")
]
_Presets = Annotated[
    bool,
    typer.Option(
        "--presets",
        is_eager=True,
        callback=_show_presets,
        help="List settings worth a look, those of the page's buttons, and exit.",
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print every number as JSON.")]


def congestion(
    design: _Design,
    routing: _Routing = None,
    queue_pairs: _Pairs = None,
    placement: _Placement = "packed",
    algorithm: _Algorithm = "ring",
    ring_order: _RingOrder = "rank",
    rank_order: _RankOrder = "tp-cp-ep-dp-pp",
    members: _Members = 0,
    pxn: _Pxn = True,
    storage_servers: _Storage = 0,
    seed: _Seed = 0,
    seeds: _Seeds = 0,
    scheduler: _Scheduler = None,
    presets: _Presets = False,
    as_json: _Json = False,
) -> None:
    """Slow-down of every collective on the built fabric, fair rates, hot links, step time."""
    from netdesign.congestion import Conditions
    from netdesign.design import read_design
    from netdesign.evaluate import evaluate
    from netdesign.workload.patterns import Sending

    _check(
        routing=routing,
        placement=placement,
        algorithm=algorithm,
        ring_order=ring_order,
        rank_order=rank_order,
        queue_pairs=queue_pairs,
        storage_servers=storage_servers,
        seed=seed,
        seeds=seeds,
        members=members,
    )
    conditions = Conditions(
        routing=routing,  # type: ignore[arg-type]
        queue_pairs=queue_pairs,
        placement=placement,
        rank_order=_with_members(rank_order, members),
        sending=Sending(algorithm, ring_order, pxn),
        seed=seed,
        storage_servers=storage_servers,
    )
    chosen = read_design(design)
    try:
        record, text = _answer(evaluate(chosen), conditions, seeds, scheduler)
    except DesignError as error:
        raise error.within(Path(design).name) from None
    typer.echo(json.dumps(record, indent=2, allow_nan=False) if as_json else text)


def _answer(
    evaluation: Evaluation, conditions: Conditions, seeds: int, scheduler: str | None
) -> tuple[dict[str, Any], str]:
    from netdesign.congestion import congestion as run
    from netdesign.congestion import side_by_side, spread, storage_traffic
    from netdesign.export.congestion import (
        congestion_record,
        congestion_text,
        side_by_side_record,
        side_by_side_text,
    )

    if conditions.placement == "side-by-side":
        if seeds:
            raise DesignError(
                "seeds", seeds, "does not go with two jobs side by side", "choose one with --seed"
            )
        both = side_by_side(evaluation, conditions)
        return side_by_side_record(both), side_by_side_text(both)
    found = run(evaluation, conditions)
    many = spread(evaluation, conditions, seeds=seeds, scheduler=scheduler) if seeds else None
    storage = storage_traffic(found) if conditions.storage_servers else ()
    return congestion_record(found, many, storage), congestion_text(found, many, storage)


def _with_members(rank_order: str, members: int) -> str:
    """The rank order with the members asked for, by whichever of the two ways."""
    from netdesign.congestion.members import order_with

    if ":" in rank_order and members:
        hint = f"{rank_order} names a number of its own; give one of the two"
        raise DesignError("members", members, "is given twice", hint)
    return order_with(rank_order, members)


def _check(**given: Any) -> None:
    """Refuse options that are no word or number of their lists."""
    for field, known in _WORDS.items():
        word = given[field]
        if field == "rank_order":
            word = word.partition(":")[0]
        if word is not None and word not in known:
            raise DesignError(field, given[field], "is not known", f"one of {', '.join(known)}")
    for field, (lowest, highest) in _RANGES.items():
        if given[field] is not None and not lowest <= given[field] <= highest:
            hint = f"give {lowest} to {highest}"
            raise DesignError(field, given[field], "is out of range", hint)
