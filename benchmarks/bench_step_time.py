"""A million step-time evaluations as arrays in chunks: seconds, memory, against a Python loop.

Target: about a second on one core, in memory that does not grow with the number of points.
Processor time is counted, so that other work on the machine does not.
"""

from __future__ import annotations

import dataclasses
import resource
import sys
import time

import numpy as np

from netdesign.arrays import Array
from netdesign.catalog import load_catalog
from netdesign.performance.calibration import calibration_for
from netdesign.performance.machine import Machine, Training
from netdesign.performance.step import step_time
from netdesign.workload.architecture import architecture_from_model
from netdesign.workload.plan import Plan

POINTS = 1_000_000
CHUNK = 4_000  # a few hundred arrays of this length stay in the processor's cache
LOOP = 500
GPUS = 1024
BATCH = 2048


def points(count: int, generator: np.random.Generator) -> tuple[Plan, Array, Array]:
    """Random plans, and the bandwidth and oversubscription of their networks."""
    tensor = 2.0 ** generator.integers(0, 4, count)
    pipeline = 2.0 ** generator.integers(0, 4, count)
    data = GPUS / (tensor * pipeline)
    micro_batch = 2.0 ** generator.integers(0, 2, count)
    plan = Plan(
        tensor=tensor,
        pipeline=pipeline,
        data=data,
        micro_batch=micro_batch,
        micro_batches=np.ceil(BATCH / (data * micro_batch)),
        sharding=generator.integers(0, 4, count),
        recompute=generator.integers(0, 3, count),
    )
    return plan, generator.uniform(5e9, 1e11, count), generator.uniform(1, 8, count)


def peak_megabytes() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / 1e6 if sys.platform == "darwin" else used / 1e3


def main() -> None:
    catalog = load_catalog()
    arch = architecture_from_model(catalog.models["llama-3-70b"])
    card = catalog.accelerators["h100-sxm"]
    transport = catalog.transports["infiniband"]
    calibration = calibration_for(card.generation)
    training = Training(sequence_length=8192, global_batch=BATCH)
    machine = Machine(
        accelerator=card.name,
        generation=card.generation,
        peak_flops=card.peak_flops(),
        memory_bytes=card.memory_bytes,
        memory_bandwidth=card.memory_bandwidth,
        domain_gpus=8,
        domain_bandwidth=card.scaleup_bandwidth,
        domain_latency=calibration.domain_latency_s,
        network_bandwidth=5e10,
        framing_efficiency=transport.framing_efficiency,
        balance_efficiency=transport.balance_efficiency,
        network_latency=transport.latency(2),
        pod_gpus=256,
        oversubscription=1.0,
    )

    def evaluate(plan: Plan, bandwidth: Array, taper: Array) -> Array:
        network = dataclasses.replace(machine, network_bandwidth=bandwidth, oversubscription=taper)
        return np.asarray(step_time(arch, plan, training, network, calibration).step_time_s)

    generator = np.random.default_rng(1)
    chunks = [points(CHUNK, generator) for _ in range(8)]
    evaluate(*chunks[0])
    before = peak_megabytes()
    start, checksum = time.process_time(), 0.0
    for index in range(POINTS // CHUNK):
        checksum += float(evaluate(*chunks[index % len(chunks)]).sum())
    arrays = time.process_time() - start
    grown = peak_megabytes() - before

    plan, bandwidth, taper = points(LOOP, generator)
    rows = [
        (
            dataclasses.replace(
                plan,
                **{
                    field.name: value[i].item()
                    for field in dataclasses.fields(plan)
                    if isinstance(value := getattr(plan, field.name), np.ndarray)
                },
            ),
            bandwidth[i].item(),
            taper[i].item(),
        )
        for i in range(LOOP)
    ]
    start = time.process_time()
    alone = [float(evaluate(*row)) for row in rows]
    one_by_one = time.process_time() - start
    together = evaluate(plan, bandwidth, taper)
    loop = one_by_one * POINTS / LOOP
    print(f"points as arrays, chunks of {CHUNK:,}      {POINTS:>12,}")
    print(f"seconds of one core                    {arrays:>12.2f}   target about 1 s")
    print(f"step times per second                  {POINTS / arrays:>12,.0f}")
    print(f"peak memory of the process             {peak_megabytes():>9.0f} MB")
    print(f"  grown while evaluating               {grown:>9.1f} MB")
    print(f"the same in a Python loop ({LOOP} timed)   {loop:>12.0f} s")
    print(f"arrays are faster by                   {loop / arrays:>12.0f} x")
    print(f"largest difference of the two          {np.max(np.abs(together / alone - 1)):>12.1e}")
    print(f"mean step time                         {checksum / POINTS:>12.3f} s")


if __name__ == "__main__":
    main()
