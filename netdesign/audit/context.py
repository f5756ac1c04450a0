"""What is known beside the file: the design, or the rate and the number of the NICs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from netdesign.acceptance.benchmarks import Benchmark, benchmarks
from netdesign.errors import DesignError
from netdesign.fabrics import cabled, hardware_of, spec_of
from netdesign.order import parts_of
from netdesign.topology.built import Fabric
from netdesign.units import gbps_to_bytes_per_second

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


@dataclass(frozen=True, eq=False)
class Context:
    """What a file is held against; everything may be unknown."""

    line_rate: float | None = None  # bytes/s per direction of one NIC port; given by the person
    nics: int | None = None  # NIC ports of a node; given by the person
    evaluation: Evaluation | None = None  # of the design

    @cached_property
    def port_rate(self) -> float | None:
        """Bytes/s per direction of one NIC port: as given, else the design's; None if unknown."""
        if self.line_rate is not None or self.evaluation is None:
            return self.line_rate
        return gbps_to_bytes_per_second(parts_of(self.evaluation.design).link_gbps)

    @cached_property
    def ports_per_node(self) -> int | None:
        """NIC ports of a node: as given, else the design's; None if unknown."""
        if self.nics is not None or self.evaluation is None:
            return self.nics
        return parts_of(self.evaluation.design).server.network_ports

    @cached_property
    def checks(self) -> tuple[Benchmark, ...]:
        """The plan of benchmarks of the design; none without one."""
        return () if self.evaluation is None else benchmarks(self.evaluation)

    @cached_property
    def planned(self) -> Fabric:
        """Every switch and cable of the design.

        Raises
        ------
        DesignError     without a design, or when it cannot be built
        """
        if self.evaluation is None:
            raise DesignError("design", None, "is not given", "give the one that was built")
        return cabled(spec_of(self.evaluation), hardware_of(self.evaluation.design)).fabric

    @property
    def node_rate(self) -> float | None:
        """Bytes/s per direction of all NIC ports of a node; None if unknown."""
        if self.port_rate is None or self.ports_per_node is None:
            return None
        return self.port_rate * self.ports_per_node


def line_rate_of(text: str) -> float:
    """Bytes/s of a line rate as a person writes it: 400G, 400, 400Gb/s, 2x200G is not one port.

    Raises
    ------
    DesignError     when it is no positive rate
    """
    plain = text.strip().lower().removesuffix("/s").removesuffix("ps")
    for unit in ("gbit", "gb", "g"):
        plain = plain.removesuffix(unit)
    try:
        gbps = float(plain)
    except ValueError:
        gbps = 0.0
    if not 0 < gbps < float("inf"):
        raise DesignError("line-rate", text, "is no rate of a port", "give it as 400G")
    return float(gbps_to_bytes_per_second(gbps))
