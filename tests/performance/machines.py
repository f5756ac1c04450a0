"""Machines and strategies that the tests of this folder share."""

from __future__ import annotations

from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.performance.calibration import calibration_for
from netdesign.performance.machine import Machine
from netdesign.workload.architecture import architecture_from_model
from netdesign.workload.plan import Plan

HOPPER = calibration_for("hopper")
MODELS = {key: architecture_from_model(row) for key, row in load_catalog().models.items()}
models = st.sampled_from(["llama-3-8b", "llama-3-70b", "mixtral-8x7b", "deepseek-v3"]).map(
    MODELS.__getitem__
)


def h100(**changes: object) -> Machine:
    """An H100 server with 400G InfiniBand, in pods of 256 GPUs."""
    card = load_catalog().accelerators["h100-sxm"]
    settings: dict[str, object] = {
        "accelerator": card.name,
        "generation": card.generation,
        "peak_flops": card.peak_flops(),
        "memory_bytes": card.memory_bytes,
        "memory_bandwidth": card.memory_bandwidth,
        "domain_gpus": 8,
        "domain_bandwidth": card.scaleup_bandwidth,
        "domain_latency": HOPPER.domain_latency_s,
        "network_bandwidth": 50e9,
        "framing_efficiency": 0.994,
        "balance_efficiency": 1.0,
        "network_latency": 3.7e-6,
        "pod_gpus": 256,
        "oversubscription": 1.0,
    }
    return Machine(**(settings | changes))  # type: ignore[arg-type]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans that divide every architecture above."""
    tensor, pipeline = draw(st.sampled_from([1, 2, 4, 8])), draw(st.sampled_from([1, 2, 4, 8]))
    data = draw(st.sampled_from([8, 16, 64, 256]))
    return Plan(
        tensor=tensor,
        pipeline=pipeline,
        context=draw(st.sampled_from([1, 2])),
        expert=draw(st.sampled_from([1, 8])),
        data=data,
        micro_batch=draw(st.integers(1, 4)),
        micro_batches=draw(st.integers(1, 64)),
        virtual_stages=draw(st.sampled_from([1, 2, 4])) if pipeline > 1 else 1,
        sharding=draw(st.integers(0, 3)),
        recompute=draw(st.integers(0, 2)),
        sequence_parallel=draw(st.booleans()),
    )
