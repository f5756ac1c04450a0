"""How fast the planner's own machines run collectives, over what the models expect of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.network.nccl.constants import Constants


@dataclass(frozen=True)
class OwnSpeeds:
    """Measured over expected; 1 is as the shipped constants say."""

    domain: float = 1.0  # bandwidth of collectives inside a scale-up domain
    network: float = 1.0  # bandwidth of those that leave it
    domain_start_up: float = 1.0  # start-up time of collectives inside a domain
    network_start_up: float = 1.0


AS_SHIPPED = OwnSpeeds()


def share_of_line(share: Numeric, speed: float) -> Numeric:
    """A share of a line rate on own machines: never more than the line carries.

    Parameters
    ----------
    share : float or array, 1   as shipped
    speed : float, 1            measured over expected

    Returns
    -------
    float or array, 1           at most 1, or the shipped share where that is above
    """
    return np.minimum(share * speed, np.maximum(share, 1.0))


def own_constants(
    constants: Constants, speeds: OwnSpeeds, domain_line: float = float("inf")
) -> Constants:
    """The constants of the collective model on own machines.

    Shares of the NICs' line rate stay at 1 or below, and a ring inside a domain at the rate of its
    links. What the switches of a domain add is not capped: it moves each byte once, far below.

    Parameters
    ----------
    constants : Constants           as shipped
    speeds : OwnSpeeds
    domain_line : float, bytes/s    of a GPU's scale-up links in one direction
    """
    if speeds == AS_SHIPPED:
        return constants

    def shared(share: Array) -> Array:
        return np.asarray(share_of_line(share, speeds.network))

    ring = constants.ring_bandwidth
    most = np.maximum(ring, domain_line)
    return replace(
        constants,
        ring_bandwidth=np.minimum(ring * speeds.domain, most),
        nvls_bandwidth=constants.nvls_bandwidth * speeds.domain,
        send_bandwidth=constants.send_bandwidth * speeds.domain,
        network_share=shared(constants.network_share),
        network_peer_share=shared(constants.network_peer_share),
        network_send_share=shared(constants.network_send_share),
        reduction_share=shared(constants.reduction_share),
        domain_start_up=constants.domain_start_up * speeds.domain_start_up,
        network_start_up=constants.network_start_up * speeds.network_start_up,
    )
