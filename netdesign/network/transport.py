"""What of the line rate does a transport leave for data?"""

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
