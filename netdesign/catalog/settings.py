"""Transports, thresholds of findings, rental prices, fitted constants, and what one can set."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from netdesign import units
from netdesign.arrays import Numeric
from netdesign.catalog.tables import Finite, Fraction, Name, NonNegative, Part, Positive, Row


class Transport(Part):
    """How packets travel: what framing and load balancing leave of the line rate, and latency."""

    technology: Literal["infiniband", "ethernet"]
    mtu_bytes: Positive
    overhead_bytes: NonNegative
    balance_efficiency: Fraction
    base_latency_us: Positive
    extra_latency_us: NonNegative
    in_network_reduction: bool
    own_switches: bool  # runs on no switch that is sold by itself
    grade: Literal["verified", "secondary", "recalled", "computed", "assumed"]

    @property
    def framing_efficiency(self) -> float:
        """Share of the line that carries data when every frame is full."""
        return self.mtu_bytes / (self.mtu_bytes + self.overhead_bytes)

    @property
    def efficiency(self) -> float:
        """Share of the line rate that is left for the payload of a large collective."""
        return self.framing_efficiency * self.balance_efficiency

    @property
    def base_latency(self) -> float:
        """End to end under one leaf, s."""
        return units.microseconds_to_seconds(self.base_latency_us)

    @property
    def extra_latency(self) -> float:
        """Added for each further tier the path climbs (two more hops), s."""
        return units.microseconds_to_seconds(self.extra_latency_us)

    def latency(self, tiers: Numeric = 1) -> Numeric:
        """End to end over a path that climbs this many tiers, s."""
        return self.base_latency + (tiers - 1) * self.extra_latency


class RuleRow(Row):
    """The threshold of a finding."""

    name: Name
    value: Finite
    unit: Name


class RentalRow(Row):
    """What a GPU-hour was rented for, at one place and date."""

    accelerator: Name
    provider: Name
    usd_per_gpu_hour: Positive


class CalibrationRow(Row):
    """A constant fitted on measurements, valid in its scope, with the spread of the residuals."""

    name: Name
    scope: Name
    value: Finite
    unit: Name
    low: Finite | None = None
    high: Finite | None = None


def _split_choices(text: object) -> object:
    return tuple(text.split("|")) if isinstance(text, str) and text else ()


class Parameter(BaseModel):
    """One thing a planner can set: what sliders, validation and help are made from."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    path: Name
    label: Name
    kind: Literal["choice", "integer", "number", "flag"]
    unit: str = ""
    default: str = ""
    lowest: Finite | None = None
    highest: Finite | None = None
    step: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    scale: Literal["", "linear", "log", "log2"] = ""
    choices: Annotated[tuple[str, ...], BeforeValidator(_split_choices)] = ()
    help: str = ""
    source: str = ""
