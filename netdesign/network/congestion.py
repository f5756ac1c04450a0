"""How much slower is a collective because flows share links?

Two causes: a tapered tier that has fewer uplinks than downlinks, and hashing (ECMP) that puts
several flows on one of several equal links.
"""

from __future__ import annotations

import math

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.formulas import formula


@formula(
    latex=r"s = \begin{cases}\max(1, o/k) & \text{ring ordered by pod}\\"
    r"\max\left(1, o\,\frac{d-k}{d-1}\right) & \text{else}\end{cases}",
    source="fabric-economics",
)
def crossing_slowdown(
    oversubscription: Numeric,
    members_in_pod: Numeric,
    group_ranks: Numeric,
    *,
    ordered: bool | Array,
) -> Numeric:
    """Slow-down of a collective whose group reaches over an oversubscribed tier.

    A ring that visits the members of a pod one after the other leaves the pod once for all of
    them. An all-to-all, or a ring in no order, sends all that is not for its own pod over the
    tapered tier; its own block stays where it is, so that of d members it sends to d - 1. The
    source has 1 - k/d, the limit of large groups. All groups of the job are taken to run at once.

    Parameters
    ----------
    oversubscription : float or array       downlinks over uplinks of the tier above a pod
    members_in_pod : float or array, >= 1   members of one group below that tier
    group_ranks : float or array, >= 1      members of the group
    ordered : bool or array of bool         whether the ring follows the pods

    Returns
    -------
    float or array, 1                       at least 1; 1 if the group stays in one pod
    """
    away = np.maximum(group_ranks - members_in_pod, 0) / np.maximum(group_ranks - 1, 1)
    if ordered is True:
        crossing = oversubscription / members_in_pod * np.greater(away, 0)
    elif ordered is False:
        crossing = oversubscription * away
    else:
        in_order = oversubscription / members_in_pod * np.greater(away, 0)
        crossing = np.where(ordered, in_order, oversubscription * away)
    return np.maximum(1.0, crossing)


@formula(
    latex=r"\eta_c = \frac{1}{(1-x) + x/\eta}",
    source="fabric-economics",
)
def crossing_efficiency(balance: Numeric, crossing_share: Numeric) -> Numeric:
    """Rate of a collective of which a share crosses badly balanced links, the rest being local.

    Local and crossing parts run one after the other; if they overlap it is
    min(1, balance / crossing_share).

    Parameters
    ----------
    balance : float or array, 0 to 1          rate of a crossing flow, of its fair share
    crossing_share : float or array, 0 to 1   share of the bytes that cross

    Returns
    -------
    float or array, 1
    """
    return 1 / (1 - crossing_share + crossing_share / balance)


@formula(latex=r"s = 1 + c\left(\frac{1}{\eta} - 1\right)", source="fabric-economics")
def step_slowdown(exposed_share: Numeric, efficiency: Numeric) -> Numeric:
    """Step time over that with an ideal network.

    Parameters
    ----------
    exposed_share : float or array, 0 to 1   share of the ideal step that waits for communication
    efficiency : float or array, 0 to 1      rate of the communication, of the ideal

    Returns
    -------
    float or array, 1                        at least 1
    """
    return 1 + exposed_share * (1 / efficiency - 1)


@formula(
    latex=r"\eta_{mean} = 1 - \frac{\sqrt{1-1/L}}{\sqrt{2\pi q}\,"
    r"\left(1+\frac{1}{12q}+\frac{1}{288q^2}\right)}",
    source="fabric-economics",
)
def ecmp_mean_efficiency(uplinks: Numeric, flows_per_uplink: Numeric) -> Numeric:
    """Mean rate of hashed flows, of their fair share: what a traffic tester sees.

    E[min(load / q, 1)] for a whole number q of flows per link, with the factorial of the Poisson
    limit by Stirling's series and the variance of the binomial. Within 0.002 of the exact sum.

    Parameters
    ----------
    uplinks : int or array, >= 1             equal links that flows hash over
    flows_per_uplink : float or array, >= 1  mean; together they fill the links

    Returns
    -------
    float or array, 1                        1 - 1/e for one flow per link and many links
    """
    flows = flows_per_uplink
    stirling = 1 + 1 / (12 * flows) + 1 / (288 * flows * flows)
    return 1 - np.sqrt((1 - 1 / uplinks) / (2 * math.pi * flows)) / stirling


@formula(
    latex=r"\eta_{min} \approx \frac{q}{q + \sqrt{2 q \ln L}}",
    source="fabric-economics",
)
def ecmp_slowest_estimate(uplinks: Numeric, flows_per_uplink: Numeric) -> Numeric:
    """Rate of the slowest hashed flow, of its fair share, estimated; a pessimistic bound.

    Parameters
    ----------
    uplinks : int or array, >= 1             equal links that flows hash over
    flows_per_uplink : float or array, >= 1  mean; together they fill the links

    Returns
    -------
    float or array, 1                        up to 0.08 below ``ecmp_slowest_efficiency``
    """
    return flows_per_uplink / (flows_per_uplink + np.sqrt(2 * flows_per_uplink * np.log(uplinks)))


@formula(
    latex=r"\eta_{min} = \frac{q}{E[\max]},\quad E[\max] = \sum_{m\ge 0} 1 - P(m),\quad"
    r" P(m) \approx F_m^L \sqrt{\frac{q}{\sigma_m^2}}\,e^{-L(q-\mu_m)^2/2\sigma_m^2}",
    source="fabric-economics",
)
def ecmp_slowest_efficiency(uplinks: Numeric, flows_per_uplink: Numeric) -> Numeric:
    """Rate of the slowest hashed flow, of its fair share: what a barrier sees.

    P(m), the probability that no link has more than m flows, is that of independent Poisson loads
    (F, mean and variance of a load cut off at m) given that they add up to all flows. Within 0.01
    of throwing dice for 4 links or more, within 0.05 for 2. It sums as many terms as the fullest
    link can have flows, so for millions of points take ``ecmp_slowest_estimate``.

    Parameters
    ----------
    uplinks : int or array, >= 1             equal links that flows hash over
    flows_per_uplink : float or array, >= 1  mean; together they fill the links

    Returns
    -------
    float or array, 1
    """
    links = np.asarray(uplinks, dtype=float)
    flows = np.asarray(flows_per_uplink, dtype=float)
    mass = np.exp(-flows)
    below, first, second = mass, 0.0 * mass, 0.0 * mass
    fullest = np.ones(np.broadcast(links, flows).shape)
    for load in range(1, int(np.max(flows + 12 * np.sqrt(flows) + 12))):
        mass = mass * flows / load
        below, first, second = below + mass, first + load * mass, second + load * load * mass
        mean = first / below
        variance = second / below - mean**2
        given_total = np.sqrt(flows / variance) * np.exp(
            -links * (flows - mean) ** 2 / 2 / variance
        )
        fullest = fullest + 1 - np.minimum(np.minimum(below, 1.0) ** links * given_total, 1.0)
    return np.where(links > 1, flows / fullest, 1.0)[()]
