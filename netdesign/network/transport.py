"""What of the line rate does a transport leave for data, and how long does a message take?"""

from __future__ import annotations

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


@formula(
    latex=r"\alpha = \alpha_0 + (s-1)\,\alpha_s + \ell\,\tau",
    source="zhao-2025-isca",
)
def message_latency(
    base: Numeric,
    switches: Numeric,
    per_switch: Numeric,
    length: Numeric = 0.0,
    seconds_per_metre: Numeric = 0.0,
) -> Numeric:
    """End-to-end latency of a short message.

    Parameters
    ----------
    base : float or array, s                  between two hosts on one switch
    switches : int or array, >= 1             switches on the path
    per_switch : float or array, s            of each further switch, its cable included
    length : float or array, m                of cable beyond what ``base`` includes
    seconds_per_metre : float or array, s/m   in the cable

    Returns
    -------
    float or array, s
    """
    return base + (switches - 1) * per_switch + length * seconds_per_metre
