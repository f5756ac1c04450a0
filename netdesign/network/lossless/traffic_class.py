"""The traffic class byte of NCCL, and the class that a switch and an adapter make of it."""

from __future__ import annotations

from dataclasses import dataclass

from netdesign.errors import DesignError

HIGHEST_CLASS = 255
_ECN_BITS = 2
_ECN_MASK = 0b11
_DSCP_PER_PRIORITY = 8


@dataclass(frozen=True)
class TrafficClass:
    """The byte that ``NCCL_IB_TC`` puts into every packet: six bits DSCP, two bits ECN."""

    byte: int

    @property
    def dscp(self) -> int:
        """The code point that a switch classifies by."""
        return self.byte >> _ECN_BITS

    @property
    def ecn(self) -> int:
        """The two lowest bits, which belong to ECN and not to the class."""
        return self.byte & _ECN_MASK

    @property
    def ordinary_priority(self) -> int:
        """The priority that an adapter sends it with unless told otherwise: eight DSCP each."""
        return self.dscp // _DSCP_PER_PRIORITY


def traffic_class(byte: int) -> TrafficClass:
    """The class of a byte.

    Raises
    ------
    DesignError     when it is not a byte
    """
    if not 0 <= byte <= HIGHEST_CLASS:
        raise DesignError(
            "traffic_class", byte, "is not a byte", f"give 0 to {HIGHEST_CLASS}: DSCP times four"
        )
    return TrafficClass(byte)
