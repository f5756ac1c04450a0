"""What each section of a Design holds; units and meaning are those of ``data/parameters.csv``."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from netdesign.network.own_speeds import AS_SHIPPED, OwnSpeeds


class Section(BaseModel):
    """Values of one section: frozen, of the right kind, no others."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ModelChoice(Section):
    preset: str
    parameters_billion: float


class TrainingChoice(Section):
    sequence_length: int
    global_batch: int
    token_budget_trillion: float
    precision: str
    dispatch_precision: str
    gradient_bytes: int


class ClusterChoice(Section):
    server: str
    gpus: int


class PlanChoice(Section):
    mode: str
    tensor: int
    pipeline: int
    context: int
    expert: int
    micro_batch: int
    virtual_stages: int
    schedule: str
    sharding: str
    shard_group: int
    recompute: str
    sequence_parallel: bool


class NetworkChoice(Section):
    family: str
    switch: str
    transport: str
    oversubscription: float
    core_oversubscription: float
    spines: str
    in_network_reduction: bool
    access_length_m: float
    spine_length_m: float


class TargetChoice(Section):
    communication_share: float


class EconomicsChoice(Section):
    price_book: str
    rental_usd_per_gpu_hour: float
    pue: float
    usd_per_kwh: float
    amortisation_years: float
    interest_rate: float
    operations_share: float


class ReliabilityChoice(Section):
    fleet: str
    stops_per_1000_node_days: float
    link_failures_per_year: float
    switch_failures_per_year: float
    repair_hours: float
    restart_minutes: float
    storage_write_gbytes_per_s_per_gpu: float
    checkpoint_stall_s: float
    checkpoint_interval_minutes: float
    checkpoint_network: str
    jitter_us: float


class MeasuredChoice(Section):
    domain_speed: float
    network_speed: float
    domain_start_up: float
    network_start_up: float
    logs: int

    @property
    def speeds(self) -> OwnSpeeds:
        """What counts: the shipped constants unless own logs stand behind the factors."""
        if not self.logs:
            return AS_SHIPPED
        return OwnSpeeds(
            self.domain_speed, self.network_speed, self.domain_start_up, self.network_start_up
        )
