"""What a model's published shape says beyond the columns of a table of runs.

A table says width, heads, vocabulary and experts; the width of a head, the ranks of latent
attention and the layers without experts are those of the known model of the same shape.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from netdesign.catalog import ModelRow, load_catalog
from netdesign.performance.measurements import MeasuredRun, measured_runs

Key = tuple[int, int, int, int, int, int]  # hidden, heads, kv_heads, vocab, experts, per token
FIELDS = (
    "head_dim", "ffn_hidden", "shared_experts", "dense_layers", "query_rank", "kv_rank",
    "nope_dim", "rope_dim", "value_dim",
)  # fmt: skip


@cache
def _known() -> dict[Key, dict[int, dict[str, Any]]]:
    """Fields by shape and number of layers, of measured models and of the catalogue's."""
    found: dict[Key, dict[int, dict[str, Any]]] = {}
    rows: list[MeasuredRun | ModelRow] = [*measured_runs().values()]
    rows += load_catalog().models.values()
    for row in rows:
        key = (
            row.hidden, row.heads, row.kv_heads, row.vocab, row.experts, row.experts_per_token,
        )  # fmt: skip
        fields = {name: getattr(row, name) for name in FIELDS}
        found.setdefault(key, {}).setdefault(row.layers, fields)
    return found


def shape_like(key: Key, layers: int) -> dict[str, Any] | None:
    """Fields of the known model of this shape, of the same depth if there is one."""
    by_depth = _known().get(key)
    if by_depth is None:
        return None
    return by_depth[layers] if layers in by_depth else next(iter(by_depth.values()))


def layers_of(
    shape: dict[str, Any] | None, hidden: int, heads: int, layers: int, experts: bool
) -> dict[str, Any]:
    """The fields of a run, from a known shape or the usual ones: equal heads, all layers alike."""
    if shape is None:
        return {**dict.fromkeys(FIELDS[2:], 0), "head_dim": max(1, hidden // heads)}
    if not experts:
        return {**dict.fromkeys(FIELDS[2:], 0), "head_dim": shape["head_dim"]}
    return {**shape, "dense_layers": min(shape["dense_layers"], layers - 1)}
