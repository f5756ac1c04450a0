"""``netdesign predict`` and ``netdesign predict-collective``: your own rows against the models."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from netdesign.cli_files import check_place, write_file

_Json = Annotated[bool, typer.Option("--json", help="Print every row as JSON.")]
_Out = Annotated[
    Path | None, typer.Option("--out", help="Write the rows to this file: .csv or .json.")
]


def predict(
    rows: Annotated[
        Path,
        typer.Argument(
            metavar="ROWS.csv",
            help="Training runs, one a row: model, plan, machine and, if known, the step time.",
        ),
    ],
    as_json: _Json = False,
    out: _Out = None,
) -> None:
    """Step times of a table of training runs, with their band and how far off they are.

    Columns needed: layers, hidden, ffn, heads, vocab, seq_len, accelerator, gpus, micro_batch,
    global_batch_seqs.

    Used where given, else unknown: id, source, model, kv_heads, gated_ffn, moe_experts, moe_topk,
    mem_gb, gpus_per_node, nic_gbps_per_gpu, fabric, tp, pp, cp, ep, vpp, dp, zero_stage, precision,
    recompute, flash_attention, step_time_s, tokens_per_s_per_gpu, notes.
    """
    from netdesign.export.predict import predict_file, summary_lines, to_csv

    _answer(rows, predict_file, to_csv, summary_lines, as_json=as_json, out=out)


def predict_collective(
    rows: Annotated[
        Path,
        typer.Argument(
            metavar="ROWS.csv",
            help="Collectives, one a row: operation, size, GPUs, machine and, if known, the time.",
        ),
    ],
    as_json: _Json = False,
    out: _Out = None,
) -> None:
    """Times and bus bandwidths of a table of collectives, with their band and verdicts."""
    from netdesign.export.predict_collective import predict_collective_file, summary_lines, to_csv

    _answer(rows, predict_collective_file, to_csv, summary_lines, as_json=as_json, out=out)


def _answer(
    rows: Path,
    predict_rows: Callable[[Path], dict[str, Any]],
    to_csv: Callable[[Mapping[str, Any]], str],
    summary_lines: Callable[[Mapping[str, Any]], Sequence[str]],
    *,
    as_json: bool,
    out: Path | None,
) -> None:
    check_place(out, "out", ".csv", ".json")
    record = predict_rows(rows)
    if out is not None:
        is_csv = out.suffix.lower() == ".csv"
        write_file(out, to_csv(record) if is_csv else _json(record) + "\n")
    if as_json:
        typer.echo(_json(record))
    else:
        typer.echo("\n".join(summary_lines(record)))


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=1, allow_nan=False)
