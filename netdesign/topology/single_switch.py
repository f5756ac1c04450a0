"""One switch that all endpoints share."""

from __future__ import annotations

import numpy as np

from netdesign.arrays import Numeric
from netdesign.topology.clos import as_counts, finished
from netdesign.topology.fabric import FabricSize


def size_single_switch(
    endpoints: Numeric, radix: Numeric, *, gpus_per_port: Numeric = 1.0
) -> FabricSize:
    """Size of a fabric of one switch.

    Parameters
    ----------
    endpoints : int or array           NIC ports
    radix : int or array               ports of the switch at link speed
    gpus_per_port : float or array     GPUs over NIC ports

    Returns
    -------
    FabricSize                         not buildable beyond the radix
    """
    endpoints, radix = as_counts(endpoints, radix)
    none = 0 * endpoints
    fabric = FabricSize(
        family="single-switch",
        endpoints=endpoints,
        radix=radix,
        tiers=1,
        leaves=none + 1,
        spines=none,
        cores=none,
        access_links=endpoints,
        leaf_spine_links=none,
        spine_core_links=none,
        oversubscription=1.0,
        core_oversubscription=1.0,
        pod_gpus=np.floor(endpoints * gpus_per_port).astype(np.int64),
        stranded_ports=np.maximum(radix - endpoints, 0),
        largest=radix,
        buildable=np.less_equal(endpoints, radix)
        & np.greater_equal(radix, 2)
        & np.greater_equal(endpoints, 1),
    )
    return finished(fabric, "A single {radix}-port switch", "two tiers", lambda ports: ports)
