"""One small fabric of each shape for the exporters."""

from __future__ import annotations

import pytest
from small_fabrics import rails, ring, split_ports, three_tiers

from netdesign.topology.built import Fabric


@pytest.fixture
def rail_fabric() -> Fabric:
    return rails()


@pytest.fixture
def tree() -> Fabric:
    return three_tiers(pods=3, ports=8)


@pytest.fixture
def split() -> Fabric:
    return split_ports()


@pytest.fixture
def torus() -> Fabric:
    return ring()
