"""Constants of the prediction of collectives: ``data/collective_constants.csv`` as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.catalog import load_catalog
from netdesign.errors import DesignError
from netdesign.network.nccl.hardware import FABRICS, GENERATIONS, LINKS

LINK_CLASSES = ("nvlink", "pcie", "xgmi")
SCOPES: dict[str, tuple[str, ...]] = {
    "launch_s": GENERATIONS,
    "copy_bandwidth": GENERATIONS,
    "ring_bandwidth": LINKS,
    "pair_gain": LINKS,
    "nvls_bandwidth": LINKS,
    "link_hop_s": LINKS,
    "link_ramp_s": LINKS,
    "nvls_ramp_s": LINKS,
    "link_peer_share": LINK_CLASSES,
    "link_start_s": LINK_CLASSES,
    "link_peer_s": LINK_CLASSES,
    "send_bandwidth": LINK_CLASSES,
    "send_stage_s": LINK_CLASSES,
    "network_share": FABRICS,
    "network_start_s": FABRICS,
    "network_hop_s": FABRICS,
    "network_word_s": FABRICS,
    "network_ramp_s": FABRICS,
    "switched_ramp_s": FABRICS,
    "network_peer_share": FABRICS,
    "network_peer_s": FABRICS,
    "network_contention": FABRICS,
    "network_send_share": FABRICS,
    "network_peer_contention": FABRICS,
    "reduction_share": FABRICS,
    "mesh_gpus": ("xgmi",),
    "far_below": ("all",),
}
UNITS = {
    name: "s" if name.endswith("_s") else "bytes/s" if name.endswith("_bandwidth") else "1"
    for name in SCOPES
}


@dataclass(frozen=True)
class Constants:
    """Each an array over the kinds of its scope (``SCOPES``); SI.

    launch_s            host and driver, on top of NCCL's own latency
    copy_bandwidth      a rank's copy of its own share, which bus bandwidth does not count
    ring_bandwidth      bus bandwidth of a large ring inside a domain
    pair_gain           the same between two GPUs alone, over that of more
    nvls_bandwidth      message bytes of an all-reduce that the switches add; 0 without them
    link_hop_s          of a chunk between two GPUs of a domain, Simple protocol
    link_ramp_s         fill of the pipeline of a ring inside a domain, for each hop
    nvls_ramp_s         the same of an all-reduce in the switches
    link_peer_share     all-to-all over ring, inside a domain
    link_start_s        of sends and receives inside a domain
    link_peer_s         for each peer of the domain
    send_bandwidth      of all channels, which the peers of a send share evenly
    send_stage_s        in which a large send takes as many channels as it needs
    network_share       bus bandwidth of a ring over the NICs' line rate
    network_start_s     of a call that leaves the domain
    network_hop_s       of a chunk between domains, Simple protocol
    network_word_s      of a word with its flag between domains, LL and LL128
    network_ramp_s      fill of the pipeline of a ring between domains
    switched_ramp_s     the same where switches add, in the domain (NVLSTree) or network (SHARP)
    network_peer_share  all-to-all over the NIC's line rate
    network_peer_s      for each peer outside the domain
    network_contention  loss of a ring's bandwidth for each doubling of the domains beyond two
    network_send_share  a send over the NIC's line rate
    network_peer_contention  the same loss of an all-to-all
    reduction_share     message bytes over the NICs' line rate while the switches reduce (SHARP)
    mesh_gpus           GPUs of a server whose links join each to each; fewer use fewer links
    far_below           times the prediction that a suspicious call takes at least
    domain_start_up     own machines' time before the first byte, over the model's; has no row
    network_start_up    the same of a call that leaves the domain
    """

    launch_s: Array
    copy_bandwidth: Array
    ring_bandwidth: Array
    pair_gain: Array
    nvls_bandwidth: Array
    link_hop_s: Array
    link_ramp_s: Array
    nvls_ramp_s: Array
    link_peer_share: Array
    link_start_s: Array
    link_peer_s: Array
    send_bandwidth: Array
    send_stage_s: Array
    network_share: Array
    network_start_s: Array
    network_hop_s: Array
    network_word_s: Array
    network_ramp_s: Array
    switched_ramp_s: Array
    network_peer_share: Array
    network_peer_s: Array
    network_contention: Array
    network_send_share: Array
    network_peer_contention: Array
    reduction_share: Array
    mesh_gpus: Array
    far_below: Array
    domain_start_up: Numeric = 1.0
    network_start_up: Numeric = 1.0


def constants_from(values: Mapping[tuple[str, str], float]) -> Constants:
    """Constants from values by name and scope.

    Raises
    ------
    DesignError     when one is missing
    """
    arrays = {}
    for name, scopes in SCOPES.items():
        missing = [scope for scope in scopes if (name, scope) not in values]
        if missing:
            raise DesignError(
                f"collective_constants.csv, {name}",
                missing[0],
                "has no row",
                "run benchmarks/calibrate_collectives.py",
            )
        arrays[name] = np.array([values[name, scope] for scope in scopes])
    return Constants(**arrays)


@cache
def shipped_constants() -> Constants:
    """The constants of ``data/collective_constants.csv``."""
    rows = load_catalog().collective_constants
    return constants_from({key: row.value for key, row in rows.items()})
