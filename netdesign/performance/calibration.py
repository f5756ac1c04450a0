"""Constants of an accelerator generation that are fitted on measurements or quoted from sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache

from netdesign.arrays import Numeric
from netdesign.catalog import CalibrationRow, load_catalog
from netdesign.errors import DesignError


@dataclass(frozen=True)
class Calibration:
    """How far below its data sheet a generation works; rows of ``data/calibration.csv``.

    ``error_low`` and ``error_high`` are the factors on a predicted step time between which 80 % of
    the runs of dense models by sources that were left out of the fit were measured;
    ``error_low_experts`` and ``error_high_experts`` are those of mixtures of experts.
    """

    generation: str
    matrix_efficiency: float  # ceiling of 16-bit matrix products over the dense peak
    matrix_efficiency_fp8: float  # the same for 8-bit, over the 8-bit peak
    matrix_traffic: float  # how often a product moves its operands and its result
    watts_per_flops: float  # power over 16-bit peak of the card that the efficiencies are of
    power_exponent: float  # how far products gain on a card with more power for its peak
    attention_efficiency: float  # fused attention over the 16-bit peak
    exponential_flops: float  # FLOPs of products in the time of an exponential of the softmax
    softmax_share: float  # of the exponentials that no product hides
    memory_efficiency: float  # of memory-bound kernels over the memory bandwidth
    layer_launch_s: float  # host time to issue one layer once
    layer_idle_s: float  # gaps between kernels and waits in one pass over a layer
    expert_launch_s: float  # more of it for a layer with routed experts
    expert_copies: float  # of every routed token in a pass, besides its way to and from experts
    step_overhead_s: float  # per step and doubling of GPUs: norm, data, logging, the last rank
    domain_efficiency: float  # collectives inside the scale-up domain over its line rate
    domain_latency_s: float  # per message between two GPUs of a domain
    domain_start_up_s: float  # per collective inside a domain
    network_efficiency: float  # large collectives over what framing and balance leave
    network_start_up_s: float  # per collective that leaves the domain
    network_hop_s: float  # the library's cost of a message between domains, besides the wire's
    tensor_hidden_share: float  # of tensor-parallel time that runs beside its matrix products
    expert_hidden_share: float  # of expert all-to-all time
    pipeline_hidden_share: float  # of the messages of an interleaved pipeline that is full
    gradient_hidden_share: float  # of the last backward pass that gradients may hide behind
    bucket_parameters: float  # whose gradients travel in one call, at least
    bucket_parameters_per_rank: float  # and at least this for each data-parallel rank
    broadcasts_per_rank: float  # of weights under ZeRO-1 and 2; 0: all-gathers, by bucket
    overlap_slowdown: float  # compute lost for each second of hidden communication
    workspace_bytes: float  # context, communication buffers, fragmentation
    usable_memory_share: float  # of the card's memory
    error_low: float
    error_high: float
    error_low_experts: float
    error_high_experts: float

    def error_band(self, experts: Numeric) -> tuple[Numeric, Numeric]:
        """Factors on a predicted step time: the lower and the upper end of its band.

        Parameters
        ----------
        experts : int or array      routed experts of a layer; 0: a dense model

        Returns
        -------
        two floats or arrays of the same shape
        """
        routed = experts > 0
        return (
            self.error_low + routed * (self.error_low_experts - self.error_low),
            self.error_high + routed * (self.error_high_experts - self.error_high),
        )


BAND_NAMES = ("error_low", "error_high", "error_low_experts", "error_high_experts")
NAMES = tuple(field.name for field in fields(Calibration) if field.name != "generation")


def calibration_from_rows(
    rows: Mapping[tuple[str, str], CalibrationRow], generation: str
) -> Calibration:
    """The constants of one generation.

    Raises
    ------
    DesignError
        when the generation, or one of its constants, has no row.
    """
    values = {name: rows[name, generation].value for name in NAMES if (name, generation) in rows}
    missing = [name for name in NAMES if name not in values]
    if missing:
        scopes = sorted({scope for _, scope in rows})
        raise DesignError(
            f"calibration.csv, {missing[0]}",
            generation,
            "has no row",
            f"fitted generations are {', '.join(scopes)}",
        )
    return Calibration(generation=generation, **values)


@cache
def calibration_for(generation: str) -> Calibration:
    """The shipped constants of a generation."""
    return calibration_from_rows(load_catalog().calibrations, generation)
