"""What of the line rate does a transport leave for data?"""

from __future__ import annotations

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.network.congestion import crossing_efficiency


@formula(latex=r"\eta_f = \frac{M}{M + h}", source="fabric-economics")
def frame_efficiency(mtu: Numeric, overhead: Numeric) -> Numeric:
    """Share of a link that carries data when every frame is full.

    Parameters
    ----------
    mtu : float or array, bytes          data in a full frame
    overhead : float or array, bytes     headers, checksums and gaps around it

    Returns
    -------
    float or array, 1                    between 0 and 1
    """
    return mtu / (mtu + overhead)


@formula(
    latex=r"B = B_{line}\,\eta_f\,\frac{1}{(1-x) + x/\eta}",
    source="fabric-economics",
)
def effective_bandwidth(
    line_rate: Numeric,
    framing: Numeric,
    balance: Numeric = 1.0,
    crossing_share: Numeric = 1.0,
) -> Numeric:
    """Bandwidth that a collective sees of a link.

    Parameters
    ----------
    line_rate : float or array, bytes/s       one direction
    framing : float or array, 1               share of the line that carries data
    balance : float or array, 1               rate of a flow over parallel paths, of its fair share
    crossing_share : float or array, 0 to 1   share of the traffic that uses parallel paths

    Returns
    -------
    float or array, bytes/s
    """
    return line_rate * framing * crossing_efficiency(balance, crossing_share)


@formula(latex=r"\frac{1}{\eta_Q} = 1 + \frac{1/\eta_1 - 1}{\sqrt{Q}}", source="fabric-economics")
def balance_with_queue_pairs(balance: Numeric, queue_pairs: Numeric) -> Numeric:
    """Rate of hashed traffic when every connection is cut into more queue pairs.

    The load of the fullest link exceeds the mean by a root of the flows on it, so what hashing
    loses falls with the root of the queue pairs: the scaling of ``ecmp_slowest_estimate``, laid
    through a rate that was measured with one.

    Parameters
    ----------
    balance : float or array, 0 to 1         with one queue pair a connection, of the fair share
    queue_pairs : int or array, >= 1         a connection; each is hashed by itself

    Returns
    -------
    float or array, 1
    """
    return 1 / (1 + (1 / balance - 1) / np.sqrt(queue_pairs))


@formula(latex=r"g = \min\left(\frac{2(N-1)}{N}\,\epsilon,\ g_{max}\right)", source="nccl-tuning")
def reduction_gain(ranks: Numeric, efficiency: Numeric, largest: Numeric) -> Numeric:
    """Largest gain of an all-reduce that switches of the network add, over a ring.

    A ring sends 2(N-1)/N of the message, reduction in the switches sends it once. Only all-reduce
    gains; all-gather and reduce-scatter keep their time.

    Parameters
    ----------
    ranks : int or array, >= 1               servers of the group
    efficiency : float or array, 0 to 1      of the link while the switches add
    largest : float or array, >= 1           never more than this

    Returns
    -------
    float or array, 1                        at least 1: what does not gain is left to the ring
    """
    ideal = 2 * (ranks - 1) / ranks * efficiency
    return np.maximum(1.0, np.minimum(ideal, largest))
