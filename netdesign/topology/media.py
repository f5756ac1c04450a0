"""How is a link of this speed and length made, and how many modules sit in its cages?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from netdesign.arrays import Numeric
from netdesign.catalog import LinkMedium
from netdesign.formulas import formula

Use = Literal["host", "fabric"]


def link_medium(
    media: Iterable[LinkMedium],
    port_gbps: float,
    length_m: float,
    use: Use,
    *,
    twin_port_cages: bool = False,
    kind: str | None = None,
) -> LinkMedium | None:
    """The medium of the shortest reach that is long enough; the first in the list of equals.

    Parameters
    ----------
    media : iterable of LinkMedium   rows of the catalogue
    port_gbps : float                speed of the link
    length_m : float                 length of the cable
    use : str                        "host": server to leaf; "fabric": between switches
    twin_port_cages : bool           the server takes two links in one cage
    kind : str                       only this kind, "dac" or "optics-singlemode" for example

    Returns
    -------
    LinkMedium or None               None if no medium of this speed reaches so far
    """
    suitable = [
        medium
        for medium in media
        if medium.port_gbps == port_gbps
        and medium.reach_m >= length_m
        and medium.serves(use)
        and (use != "host" or medium.suits_host(twin_port_cages))
        and (kind is None or medium.kind == kind)
    ]
    return min(suitable, key=lambda medium: medium.reach_m, default=None)


@formula(
    latex=r"c = r\left\lceil\frac{q+1}{p}\right\rceil + (D-r)\left\lceil\frac{q}{p}\right\rceil,"
    r"\quad \ell = qD + r",
    source="superpod-h100",
)
def transceivers_needed(links: Numeric, ports_per_module: Numeric, devices: Numeric = 1) -> Numeric:
    """Modules for the ends of links that devices share as evenly as they can.

    Parameters
    ----------
    links : int or array, >= 0              link ends to serve
    ports_per_module : int or array, >= 0   2 for a twin-port module; 0: the cable brings its ends
    devices : int or array, >= 1            switches or servers among which the ends are shared

    Returns
    -------
    int or array                            a cage with one of two ports used needs its module too
    """
    each, more = links // devices, links % devices
    ports = np.maximum(ports_per_module, 1)
    modules = more * -(-(each + 1) // ports) + (devices - more) * -(-each // ports)
    return np.where(np.greater(ports_per_module, 0), modules, 0)[()]
