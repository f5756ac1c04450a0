"""Parts: accelerators, servers, adapters, switches, transceivers, cables, and how a link uses them.

Rows hold the units of the file (``_gb``, ``_gbps``); properties give SI units, one direction.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from netdesign import units
from netdesign.catalog.tables import Count, CountOrZero, Name, NonNegative, Part, Positive
from netdesign.errors import DesignError

Technology = Literal["infiniband", "ethernet"]
Precision = Literal["bf16", "fp8"]


class Accelerator(Part):
    """A GPU: memory, arithmetic and the scale-up link, which is halved to one direction.

    ``exponential_rate`` is how many exponentials a multiprocessor does in a clock, over those of
    the first cards of its generation.
    """

    vendor: Name
    generation: Name
    memory_gb: Positive
    memory_bandwidth_tbs: Positive
    bf16_dense_tflops: Positive
    fp8_dense_tflops: Positive | None = None
    scaleup_gbs_per_direction: Positive
    streaming_multiprocessors: Count | None = None
    power_w: Positive
    exponential_rate: Positive = 1.0
    year: Count

    @property
    def memory_bytes(self) -> float:
        """Memory, bytes."""
        return units.gigabytes_to_bytes(self.memory_gb)

    @property
    def memory_bandwidth(self) -> float:
        """Memory bandwidth, bytes/s."""
        return units.terabytes_to_bytes(self.memory_bandwidth_tbs)

    @property
    def scaleup_bandwidth(self) -> float:
        """Scale-up (NVLink, xGMI) bandwidth of one GPU, bytes/s, one direction."""
        return units.gigabytes_to_bytes(self.scaleup_gbs_per_direction)

    def peak_flops(self, precision: str = "bf16") -> float:
        """Dense peak, FLOP/s, without sparsity.

        Raises
        ------
        DesignError     when the precision is unknown or has no figure for this accelerator
        """
        if precision == "bf16":
            return units.teraflops_to_flops(self.bf16_dense_tflops)
        if precision != "fp8":
            raise DesignError("training.precision", precision, "is not known", "use bf16 or fp8")
        if self.fp8_dense_tflops is None:
            raise DesignError(
                "training.precision", precision, f"has no peak on the {self.name}", "use bf16"
            )
        return units.teraflops_to_flops(self.fp8_dense_tflops)


class Server(Part):
    """A server or a rack-scale machine: its GPUs, its scale-up domain and its scale-out ports."""

    vendor: Name
    accelerator: Name
    gpus: Count
    scaleup_domain: Count
    network_ports: Count
    port_gbps: Positive
    nic: Name
    nics_included: bool
    twin_port_cages: bool
    power_w: Positive | None = None
    rack_units: Count | None = None
    servers_per_rack: Count | None = None

    @property
    def port_bandwidth(self) -> float:
        """Bandwidth of one scale-out port, bytes/s, one direction."""
        return units.gbps_to_bytes_per_second(self.port_gbps)

    @property
    def network_bandwidth(self) -> float:
        """Scale-out bandwidth of the server, bytes/s, one direction."""
        return self.network_ports * self.port_bandwidth

    @property
    def network_bandwidth_per_gpu(self) -> float:
        """Scale-out bandwidth for each GPU, bytes/s, one direction."""
        return self.network_bandwidth / self.gpus


class Nic(Part):
    """A network adapter."""

    vendor: Name
    technology: Literal["infiniband", "ethernet", "both", "srd"]
    generation: Name
    ports: Count
    port_gbps: Positive
    power_w: Positive | None = None

    @property
    def port_bandwidth(self) -> float:
        """Bandwidth of one port, bytes/s, one direction."""
        return units.gbps_to_bytes_per_second(self.port_gbps)


class Switch(Part):
    """A switch: ``ports`` at ``port_gbps``, each able to split into ``breakout`` slower ports."""

    vendor: Name
    technology: Technology
    generation: Name
    ports: Count
    port_gbps: Positive
    breakout: Count = 1
    cage_ports: Count = 1
    asic: str = ""
    buffer_mb: Positive | None = None
    latency_ns: Positive | None = None
    power_w: Positive | None = None
    power_max_w: Positive | None = None
    rack_units: Count | None = None

    @property
    def port_bandwidth(self) -> float:
        """Bandwidth of one native port, bytes/s, one direction."""
        return units.gbps_to_bytes_per_second(self.port_gbps)

    @property
    def bandwidth(self) -> float:
        """Sum of all ports, bytes/s, one direction."""
        return self.ports * self.port_bandwidth

    @property
    def latency(self) -> float | None:
        """Port-to-port latency, s."""
        return None if self.latency_ns is None else units.nanoseconds_to_seconds(self.latency_ns)

    def radix(self, port_gbps: float | None = None) -> int:
        """Logical ports at this speed: a 64 x 800G switch has 128 ports at 400G.

        A native port splits into at most ``breakout`` ports; one that is not split further runs
        at the lower speed.

        Raises
        ------
        DesignError     when the speed is not above zero or is more than the native port's
        """
        speed = self.port_gbps if port_gbps is None else port_gbps
        if not 0 < speed <= self.port_gbps:
            raise DesignError(
                "port_gbps",
                port_gbps,
                f"is not a speed of the {self.name}",
                f"give at most {self.port_gbps:g}",
            )
        return self.ports * min(self.breakout, int(self.port_gbps / speed + 1e-9))


class Transceiver(Part):
    """A pluggable optical module with one or two ports."""

    vendor: Name
    ports: Count
    port_gbps: Positive
    form: Name
    fibre: Literal["multimode", "singlemode"]
    power_w: Positive | None = None
    power_max_w: Positive | None = None
    reach_m: Positive | None = None


class Cable(Part):
    """A cable as it is bought: fibre, or copper and active optical cable with its ends."""

    vendor: Name
    kind: Literal["dac", "active-copper", "aoc", "fibre-multimode", "fibre-singlemode"]
    links: Count
    port_gbps: Positive | None = None
    power_per_end_w: NonNegative
    reach_m: Positive | None = None


class PricedItem(Part):
    """Something a published price model counts that is not a product of its own."""

    unit: Name


class LinkMedium(Part):
    """How one link is made: what sits at each end and the cable between.

    ``switch_end_ports`` = 2 means one twin-port transceiver serves two links of its switch. A link
    between two switches has the switch end at both ends. Copper and active optical cables bring
    their ends with them: their part columns are blank. ``cable_links`` = 2 means one cable
    assembly carries two links.
    """

    kind: Literal["dac", "active-copper", "aoc", "optics-multimode", "optics-singlemode"]
    use: Literal["any", "host", "fabric"]
    port_gbps: Positive
    reach_m: Positive
    switch_end_part: str = ""
    switch_end_ports: CountOrZero = 0
    host_end_part: str = ""
    host_end_ports: CountOrZero = 0
    cable_part: Name
    cable_links: Count

    @model_validator(mode="after")
    def _ends_have_ports(self) -> LinkMedium:
        for end in ("switch", "host"):
            part, ports = getattr(self, f"{end}_end_part"), getattr(self, f"{end}_end_ports")
            if bool(part) != bool(ports):
                raise ValueError(f"give {end}_end_part and {end}_end_ports together or neither")
        return self

    @property
    def port_bandwidth(self) -> float:
        """Bandwidth of one link, bytes/s, one direction."""
        return units.gbps_to_bytes_per_second(self.port_gbps)

    def serves(self, use: str) -> bool:
        """Whether the medium can make a link of this use: "host" or "fabric"."""
        return self.use in ("any", use)

    def suits_host(self, twin_port_cages: bool) -> bool:
        """Whether the medium reaches the adapters of a server with these cages.

        Behind a twin-port cage sit the adapters of two rails, whose links part at the module:
        only optics with a port for each can serve it.
        """
        return self.serves("host") and (self.host_end_ports == 2) == twin_port_cages
