"""A table of training runs, one a row, as runs that the step-time model can predict.

The layout is that of the published tables (``COLUMNS``). What a row does not say is taken from its
words (``data/run_words.csv``), from a known model of the same shape, or is the usual thing; a row
that lacks what nothing can stand for is skipped with the reason.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from netdesign.errors import DesignError
from netdesign.performance.compute import EIGHT_BIT
from netdesign.performance.measurements import MeasuredRun, measured_accelerators, measured_runs
from netdesign.validation.shapes import layers_of, shape_like
from netdesign.validation.words import said_by

NEEDED = (
    "layers", "hidden", "ffn", "heads", "vocab", "seq_len", "accelerator", "gpus", "micro_batch",
    "global_batch_seqs",
)  # fmt: skip
DEGREES = ("tp", "pp", "cp", "ep")
USED = (
    *NEEDED, "id", "source", "year", "model", "kv_heads", "gated_ffn", "moe_experts", "moe_topk",
    "mem_gb", "gpus_per_node", "nic_gbps_per_gpu", "fabric", *DEGREES, "vpp", "dp", "zero_stage",
    "precision", "recompute", "flash_attention", "step_time_s", "tokens_per_s_per_gpu", "notes",
)  # fmt: skip
WHOLE = (
    "layers", "hidden", "ffn", "heads", "vocab", "seq_len", "gpus", "micro_batch",
    "global_batch_seqs", "kv_heads", "moe_experts", "moe_topk", "gpus_per_node", *DEGREES, "vpp",
    "dp",
)  # fmt: skip
MEASURES = ("nic_gbps_per_gpu", "step_time_s", "tokens_per_s_per_gpu")
LARGEST_NUMBER = 10**9
LARGEST = {
    "layers": 10**5, "hidden": 10**6, "ffn": 10**7, "heads": 10**5, "kv_heads": 10**5,
    "vocab": 10**8, "moe_experts": 10**5, "moe_topk": 10**5,
}  # fmt: skip
_UNKNOWN_YEAR = 2026  # of a run that does not say; nothing is computed from it
MOST_ROWS = 50_000
LONGEST_TEXT = 4000
_TOO_LONG = "\0"  # stands beside the columns of a row with too many cells
_SHARDING = {"0": "ddp", "1": "zero-1", "2": "zero-2", "3": "fsdp"}
_RECOMPUTE = ("none", "selective", "half", "full", "custom")
_TRUTH = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_NOT_COVERED = {
    "states-offloaded-to-host": "its states are offloaded to the host, which is not modelled",
    "adapter-fine-tuning": "it trains adapters only, which is not modelled",
    "precision-not-modelled": "its precision is not modelled",
}
_TOLD_ALIKE = (
    "layers", "hidden", "heads", "vocab", "sequence_length", "gpus", "tensor",
    "pipeline", "context", "expert", "data", "micro_batch", "global_batch", "precision",
)  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """A run to predict; ``measured`` s, None if it was not measured.

    ``unknown`` names the columns that were blank and that something had to stand for.
    ``left_out`` names the rule that keeps the run out of scores. ``run.step_time_s`` is 1 s where
    nothing was measured.
    """

    run: MeasuredRun
    measured: float | None
    unknown: tuple[str, ...] = ()

    @property
    def left_out(self) -> str:
        return self.run.left_out


@dataclass(frozen=True)
class RunTable:
    """What a table holds: runs, rows that were skipped with the reason, columns it lacks."""

    candidates: tuple[Candidate, ...]
    skipped: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


class _Skipped(Exception):
    """Why a row cannot be predicted."""


def read_run_table(text: str, name: str = "rows") -> RunTable:
    """Read a CSV text.

    Parameters
    ----------
    text : str      with a first row of column names, in any order; further columns are ignored
    name : str      of the table, for messages

    Raises
    ------
    DesignError     when it is no CSV, has too many rows, or lacks a column that every row needs
    """
    candidates: list[Candidate] = []
    skipped: list[tuple[str, str]] = []
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        _check_header(header, name)
        for number, row in enumerate(_rows(reader, header, name), start=1):
            identity = row.get("id", "")[:80] or f"row {number}"
            try:
                candidates.append(_candidate(identity, row))
            except _Skipped as reason:
                skipped.append((identity, str(reason)))
    except csv.Error as error:
        raise DesignError(
            f"{name}, row {reader.line_num}", str(error), "is not CSV", "quote cells with commas"
        ) from error
    missing = tuple(column for column in USED if column not in header)
    return RunTable(tuple(candidates), tuple(skipped), missing)


def _check_header(header: list[str], name: str) -> None:
    lacking = [column for column in NEEDED if column not in header]
    if lacking:
        raise DesignError(
            f"{name}, row 1",
            None,
            f"has no column {', '.join(lacking)}",
            "netdesign predict --help lists the columns",
        )
    twice = [column for column in USED if header.count(column) > 1]
    if twice:
        raise DesignError(f"{name}, row 1", twice[0], "stands twice", "keep one of the columns")


def _rows(reader: Any, header: list[str], name: str) -> Iterator[dict[str, str]]:
    count = 0
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        count += 1
        if count > MOST_ROWS:
            raise DesignError(name, None, "has too many rows", f"give at most {MOST_ROWS:,}")
        texts = (cell.strip()[:LONGEST_TEXT] for cell in cells)
        row = dict(zip(header, texts, strict=False))
        yield row if len(cells) <= len(header) else {**row, _TOO_LONG: str(len(cells))}


def _candidate(identity: str, row: Mapping[str, str]) -> Candidate:
    if _TOO_LONG in row:
        raise _Skipped(f"it has {row[_TOO_LONG]} cells, more than the first row has columns")
    blank = [column for column in NEEDED if not row.get(column)]
    if blank:
        raise _Skipped(f"{', '.join(blank)} blank")
    numbers = {column: _whole(column, row.get(column, "")) for column in WHOLE}
    measures = {column: _measure(column, row.get(column, "")) for column in MEASURES}
    words = _words(row)
    if reason := _NOT_COVERED.get(words.get("left_out", "")):
        raise _Skipped(reason)
    measured = _measured(numbers, measures)
    values = {
        "id": identity,
        "step_time_s": measured or 1.0,
        **_plan(numbers, row),
        **_model(numbers, row),
        **_machine(numbers, measures, words, row),
        **_stack(words, row),
    }
    unknown = tuple(column for column in _STOOD_FOR if not row.get(column))
    try:
        run = MeasuredRun.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise _Skipped(f"{first['loc'][0]}: {first['msg'].lower()}") from None
    return Candidate(_as_published(run), measured, unknown)


_STOOD_FOR = (
    "kv_heads", "gpus_per_node", "nic_gbps_per_gpu", "fabric", "tp", "pp", "zero_stage",
    "precision", "recompute", "flash_attention",
)  # fmt: skip


def _whole(column: str, text: str) -> int | None:
    if not text:
        return None
    try:
        value = float(text.replace("_", "x"))
    except ValueError:
        raise _Skipped(f"{column} is not a number: {text[:40]!r}") from None
    least = 0 if column in ("moe_experts", "moe_topk", "vpp") else 1
    most = LARGEST.get(column, LARGEST_NUMBER)
    if not least <= value <= most or value % 1:
        raise _Skipped(f"{column} is not a whole number from {least} to {most:,}: {text[:40]}")
    return int(value)


def _measure(column: str, text: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text.replace("_", "x"))
    except ValueError:
        raise _Skipped(f"{column} is not a number: {text[:40]!r}") from None
    if not 0 < value <= LARGEST_NUMBER:
        raise _Skipped(f"{column} is not above 0 and finite: {text[:40]}")
    return value


def _measured(
    numbers: Mapping[str, int | None], measures: Mapping[str, float | None]
) -> float | None:
    """Seconds of a step; from the tokens per second where only those were printed."""
    if measures["step_time_s"]:
        return measures["step_time_s"]
    rate = measures["tokens_per_s_per_gpu"]
    batch, length, gpus = (numbers[name] or 0 for name in ("global_batch_seqs", "seq_len", "gpus"))
    return batch * length / (rate * gpus) if rate else None


def _words(row: Mapping[str, str]) -> dict[str, str]:
    memory = f" {row['mem_gb']} GB" if row.get("mem_gb") else ""
    return said_by(
        {
            "notes": row.get("notes", ""),
            "model": row.get("model", ""),
            "accelerator": row["accelerator"] + memory,
            "fabric": row.get("fabric", ""),
            "precision": row.get("precision", ""),
            "source": row.get("source", "") or "not stated",
        }
    )


def _plan(numbers: Mapping[str, int | None], row: Mapping[str, str]) -> dict[str, Any]:
    tensor, pipeline, context, expert = (numbers[column] or 1 for column in DEGREES)
    gpus, batch, micro = (numbers[name] or 1 for name in ("gpus", "global_batch_seqs",
                                                          "micro_batch"))  # fmt: skip
    data = numbers["dp"] or max(1, gpus // (tensor * pipeline * context))
    product = tensor * pipeline * context * data
    if product != gpus:
        raise _Skipped(f"tp x pp x cp x dp is {product:,}, but there are {gpus:,} gpus")
    if batch < data * micro:
        raise _Skipped(
            f"global_batch_seqs {batch:,} is less than dp x micro_batch, {data * micro:,}"
        )
    layers = numbers["layers"] or 1
    if pipeline > layers:
        raise _Skipped(f"pp {pipeline} is more than the {layers} layers")
    return {
        "tensor": tensor,
        "pipeline": pipeline,
        "context": context,
        "expert": expert,
        "data": data,
        "virtual_stages": numbers["vpp"] or None,
        "micro_batch": micro,
        "global_batch": batch,
        "sharding": _SHARDING.get(row.get("zero_stage", "")),
    }


def _model(numbers: Mapping[str, int | None], row: Mapping[str, str]) -> dict[str, Any]:
    hidden, heads = numbers["hidden"] or 1, numbers["heads"] or 1
    experts, width = numbers["moe_experts"] or 0, numbers["ffn"] or 0
    if experts and not numbers["moe_topk"]:
        raise _Skipped("moe_topk is blank, but moe_experts is not")
    kv_heads = numbers["kv_heads"] or heads
    if kv_heads > heads or (numbers["moe_topk"] or 0) > max(experts, 0):
        raise _Skipped("kv_heads is more than heads, or moe_topk more than moe_experts")
    gated = _TRUTH.get(row.get("gated_ffn", "").lower(), True)
    found: dict[str, Any] = {
        "model": row.get("model") or "not named",
        "layers": numbers["layers"],
        "hidden": hidden,
        "heads": heads,
        "kv_heads": kv_heads,
        "vocab": numbers["vocab"],
        "sequence_length": numbers["seq_len"],
        "gated_ffn": gated,
        "norm": "rms" if gated else "layer",
        "experts": experts,
        "experts_per_token": numbers["moe_topk"] or 0,
        "ffn_hidden": width,
        "expert_ffn_hidden": width if experts else 0,
    }
    shape = shape_like(
        (hidden, heads, kv_heads, int(found["vocab"]), experts, int(found["experts_per_token"])),
        int(found["layers"]),
    )
    return {**found, **layers_of(shape, hidden, heads, int(found["layers"]), bool(experts))}


def _machine(
    numbers: Mapping[str, int | None],
    measures: Mapping[str, float | None],
    words: Mapping[str, str],
    row: Mapping[str, str],
) -> dict[str, Any]:
    name = row["accelerator"]
    known = measured_accelerators()
    accelerator = name.lower() if name.lower() in known else words.get("accelerator")
    if accelerator is None:
        raise _Skipped(f"the accelerator {name[:40]!r} is of no known kind")
    precision = words.get("precision")
    if precision is None:
        raise _Skipped(f"the precision {row['precision'][:40]!r} is of no known kind")
    if precision in EIGHT_BIT and known[accelerator].fp8_dense_tflops is None:
        raise _Skipped(f"{known[accelerator].name} has no {precision} units")
    stated = measures["nic_gbps_per_gpu"]
    return {
        "accelerator": accelerator,
        "precision": precision,
        "gpus": numbers["gpus"],
        "domain_gpus": words.get("domain_gpus") or numbers["gpus_per_node"] or 8,
        "network_gbps_per_gpu": stated or words["network_gbps_per_gpu"],
        "network_stated": stated is not None,
        "transport": words["transport"],
    }


def _stack(words: Mapping[str, str], row: Mapping[str, str]) -> dict[str, Any]:
    recompute = row.get("recompute", "").lower()
    year = row.get("year", "")
    year = year if re.fullmatch("[12][0-9]{3}", year) else str(_UNKNOWN_YEAR)
    return {
        "source": row.get("source") or "not stated",
        "date": year,
        "year": year,
        "software": words["software"],
        "document_length": words.get("document_length"),
        "overlap": words.get("overlap", True),
        "sequence_parallel": words.get("sequence_parallel", True),
        "gradient_bytes": words["gradient_bytes"],
        "shard_group": words.get("shard_group", 0),
        "recompute": recompute if recompute in _RECOMPUTE else None,
        "flash_attention": _TRUTH.get(row.get("flash_attention", "").lower(), True),
        "left_out": words.get("left_out", ""),
    }


def _kind_of_card(accelerator: str) -> tuple[str, float]:
    card = measured_accelerators()[accelerator]
    return card.name.partition(" ")[0], card.memory_gb


def _as_published(run: MeasuredRun) -> MeasuredRun:
    """The run of the project's own table where this is the same one.

    It holds besides what the source says outside the columns of this layout: the software, the
    groups of sharding, sequence parallelism, the make of a card. The measured time is never taken
    from there.
    """
    known = measured_runs().get(run.id)
    if known is None or any(getattr(run, name) != getattr(known, name) for name in _TOLD_ALIKE):
        return run
    if _kind_of_card(run.accelerator) != _kind_of_card(known.accelerator):
        return run
    return known.model_copy(update={"step_time_s": run.step_time_s, "source": run.source})
