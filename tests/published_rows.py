"""The published layout of a table of runs, written from the project's own table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from netdesign.performance.measurements import MeasuredRun, measured_accelerators
from netdesign.validation.rows import USED
from netdesign.workload.plan import SHARDING

FABRICS = {"infiniband": "InfiniBand", "roce-hashed": "RoCE"}
SOURCES = {
    "dgxc-benchmarking-2025": "NVIDIA dgxc-benchmarking (DGX Cloud Benchmarking recipes)",
    "llm-foundry-2024": "MosaicML llm-foundry training benchmarks",
    "megatron-bridge-2026": "NVIDIA NeMo / Megatron-Bridge performance summary",
    "bigscience-2022": "BigScience BLOOM-176B tuning chronicles",
    "bigscience-v100-2021": "BigScience V100 GPT-2 experiments",
    "internevo-2024": "InternEvo training performance",
    "nemo-2407": "NVIDIA NeMo performance summary (24.07)",
    "simumax-2025": "SimuMax B200 release v1.2 (measured column)",
    "megatron-lm-2020": "Megatron-LM README (2020 tables)",
    "narayanan-2021": "Megatron-LM SC'21 (Narayanan et al.) Table 1",
    "torchtitan-2024": "PyTorch torchtitan performance",
    "smith-2022": "Smith et al. 2022 (Megatron-Turing NLG 530B)",
    "korthikanti-2022": "Korthikanti et al. 2022 (Reducing Activation Recomputation)",
}


def published_row(run: MeasuredRun) -> dict[str, str]:
    """The cells of a run as the published table holds them."""
    sharding = "" if run.sharding is None else str(SHARDING[run.sharding])
    experts = run.experts > 0
    card = measured_accelerators()[run.accelerator]
    cells = {
        "id": run.id, "source": SOURCES.get(run.source, run.source), "year": run.year,
        "model": run.model, "layers": run.layers, "hidden": run.hidden,
        "ffn": run.expert_ffn_hidden if experts else run.ffn_hidden, "heads": run.heads,
        "kv_heads": run.kv_heads, "vocab": run.vocab, "seq_len": run.sequence_length,
        "gated_ffn": "yes" if run.gated_ffn else "no",
        "moe_experts": run.experts or "", "moe_topk": run.experts_per_token or "",
        "accelerator": card.name.partition(" ")[0], "mem_gb": f"{card.memory_gb:g}",
        "gpus": run.gpus, "gpus_per_node": run.domain_gpus,
        "nic_gbps_per_gpu": run.network_gbps_per_gpu if run.network_stated else "",
        "fabric": FABRICS.get(run.transport, ""), "tp": run.tensor, "pp": run.pipeline,
        "vpp": run.virtual_stages or "", "cp": run.context, "ep": run.expert, "dp": run.data,
        "zero_stage": sharding, "micro_batch": run.micro_batch,
        "global_batch_seqs": run.global_batch, "precision": run.precision.upper(),
        "recompute": run.recompute or "", "flash_attention": "yes" if run.flash_attention else "no",
        "step_time_s": run.step_time_s, "tokens_per_s_per_gpu": "",
        "notes": "NeMo container 26.06" if run.software == "megatron-bridge-26.06" else "",
    }  # fmt: skip
    return {name: str(value) for name, value in cells.items()}


def table_text(rows: Iterable[dict[str, str]], columns: Iterable[str] = USED) -> str:
    """Rows as CSV; a cell that a row does not have is blank."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
