"""The machine as the step-time model sees it: one GPU, its domain, its network."""

from __future__ import annotations

from dataclasses import dataclass

from netdesign.arrays import Numeric
from netdesign.catalog import Accelerator, Server, Transport
from netdesign.network.own_speeds import AS_SHIPPED, OwnSpeeds
from netdesign.performance.calibration import Calibration, calibration_for
from netdesign.topology.fabric import FabricSize


@dataclass(frozen=True)
class Training:
    """What is trained, apart from the architecture and the plan."""

    sequence_length: Numeric
    global_batch: Numeric  # sequences
    precision: str = "bf16"  # bf16 | fp8 of the matrix products
    causal: bool = True  # attention FLOPs counted causal (half) or full
    flash_attention: bool = True  # scores never reach memory
    overlap: bool = True  # tensor and gradient communication run beside computing
    document_length: Numeric | None = None  # of packed ones, which attention keeps to; None: one
    dispatch_bytes: Numeric | None = None  # of a value sent to an expert; None: as activations
    zero_bubble: bool = False  # gradients of weights wait for the pipeline's idle time
    expert_overlap: bool = False  # a forward pass beside a backward one hides their all-to-alls


@dataclass(frozen=True)
class Machine:
    """SI, per GPU, per direction."""

    accelerator: str
    generation: str
    peak_flops: Numeric
    memory_bytes: Numeric
    memory_bandwidth: Numeric
    domain_gpus: Numeric
    domain_bandwidth: Numeric
    domain_latency: Numeric
    network_bandwidth: Numeric  # line rate of the NIC ports of one GPU
    framing_efficiency: Numeric
    balance_efficiency: Numeric  # load balancing over parallel paths
    network_latency: Numeric  # end to end, one message
    pod_gpus: Numeric  # GPUs below one untapered part of the fabric
    oversubscription: Numeric  # of the tier above a pod
    in_network_reduction: bool = False
    peak_flops_16bit: Numeric | None = None  # of attention; None: the same as peak_flops
    power_w: Numeric | None = None  # the card may draw; None: as its generation's usual card
    exponential_rate: Numeric = 1.0  # exponentials a clock, over those of its generation's first
    own: OwnSpeeds = AS_SHIPPED  # of collectives, as measured by the planner

    @property
    def attention_peak_flops(self) -> Numeric:
        """Peak that attention and its softmax work against, FLOP/s."""
        return self.peak_flops if self.peak_flops_16bit is None else self.peak_flops_16bit


def machine_for(
    server: Server,
    accelerator: Accelerator,
    transport: Transport,
    fabric: FabricSize,
    precision: str,
    *,
    in_network_reduction: bool = False,
    calibration: Calibration | None = None,
    own: OwnSpeeds = AS_SHIPPED,
) -> Machine:
    """The machine that these parts make.

    Parameters
    ----------
    server, accelerator, transport      rows of the catalogue
    fabric : FabricSize                 gives tiers, pod size and oversubscription
    precision : str                     "bf16" or "fp8" of the matrix products
    in_network_reduction : bool         asked for; counts only where the transport has it
    calibration : Calibration           constants; those of the accelerator's generation if None
    own : OwnSpeeds                     of collectives, as the planner measured them

    Raises
    ------
    DesignError     when the accelerator has no peak for the precision
    """
    constants = calibration or calibration_for(accelerator.generation)
    return Machine(
        accelerator=accelerator.name,
        generation=accelerator.generation,
        peak_flops=accelerator.peak_flops(precision),
        peak_flops_16bit=accelerator.peak_flops("bf16"),
        exponential_rate=accelerator.exponential_rate,
        memory_bytes=accelerator.memory_bytes,
        memory_bandwidth=accelerator.memory_bandwidth,
        domain_gpus=server.scaleup_domain,
        domain_bandwidth=accelerator.scaleup_bandwidth,
        domain_latency=constants.domain_latency_s,
        network_bandwidth=server.network_bandwidth_per_gpu,
        framing_efficiency=transport.framing_efficiency,
        balance_efficiency=transport.balance_efficiency,
        network_latency=transport.latency(fabric.tiers),
        pod_gpus=fabric.pod_gpus,
        oversubscription=fabric.oversubscription * fabric.core_oversubscription,
        in_network_reduction=in_network_reduction and transport.in_network_reduction,
        own=own,
    )
