"""How sure each figure of a transport is, what its frames are made of, and what to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from netdesign.catalog.library import data_directory
from netdesign.catalog.tables import (
    Count,
    Fraction,
    Name,
    NonNegative,
    Positive,
    Row,
    keyed_rows,
)

Grade = Literal["verified", "secondary", "recalled", "computed", "assumed"]
Topic = Literal[
    "load-balancing",
    "congestion-control",
    "in-network-reduction",
    "operations",
    "tail",
    "risk",
    "configure",
]
FIGURES = ("framing", "balance_efficiency", "base_latency_us", "extra_latency_us")


class FigureRow(Row):
    """Grade of one figure of a transport, and between what it has been seen or may lie."""

    transport: Name
    figure: Literal["framing", "balance_efficiency", "base_latency_us", "extra_latency_us"]
    low: NonNegative | None = None
    high: NonNegative | None = None
    grade: Grade


class HeaderRow(Row):
    """Bytes that stand around the data of a full frame."""

    framing: Literal["infiniband", "ethernet"]
    part: Name
    bytes: Count
    grade: Grade


class ReductionRow(Row):
    """A generation of in-network reduction and its limits."""

    id: Name
    name: Name
    network_generation: Name
    operations: Name
    efficiency: Fraction
    largest_gain: Positive
    jobs: Name
    grade: Grade


class TransportFact(Row):
    """One sentence about a transport."""

    id: Name
    transport: Name
    topic: Topic
    says: Name
    grade: Grade


@cache
def figure_rows() -> Mapping[str, FigureRow]:
    """Rows of transport_figures.csv by transport and figure, joined by a space."""
    path = data_directory() / "transport_figures.csv"
    return keyed_rows(path, FigureRow, ("transport", "figure"))


@cache
def header_rows() -> tuple[HeaderRow, ...]:
    """Rows of frame_headers.csv."""
    path = data_directory() / "frame_headers.csv"
    return tuple(keyed_rows(path, HeaderRow, ("framing", "part")).values())


@cache
def reduction_rows() -> Mapping[str, ReductionRow]:
    """Rows of in_network_reduction.csv by the generation of the network."""
    path = data_directory() / "in_network_reduction.csv"
    return keyed_rows(path, ReductionRow, ("network_generation",))


@cache
def transport_facts() -> tuple[TransportFact, ...]:
    """Rows of transport_facts.csv in the order of the file."""
    path = data_directory() / "transport_facts.csv"
    return tuple(keyed_rows(path, TransportFact, ("id",)).values())


def facts_of(transport: str, topic: Topic) -> tuple[TransportFact, ...]:
    """What is known of a transport under one topic."""
    return tuple(
        fact for fact in transport_facts() if (fact.transport, fact.topic) == (transport, topic)
    )
