"""How fast was a collective, as nccl-tests states it?

``algorithm_bandwidth`` is size over time; ``bus_bandwidth`` multiplies it by a factor that makes
a perfect implementation show the link rate, whatever the number of ranks.
"""

from __future__ import annotations

from netdesign.arrays import Numeric
from netdesign.errors import DesignError
from netdesign.formulas import formula

OPERATIONS = ("all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast", "send")


@formula(latex=r"\mathrm{algbw} = \frac{S}{t}", source="nccl-tests-performance")
def algorithm_bandwidth(size: Numeric, time: Numeric) -> Numeric:
    """Algorithm bandwidth of a collective.

    Parameters
    ----------
    size : float or array, bytes      message as nccl-tests counts it: the buffer of one rank for
                                      all-reduce, broadcast and send; the whole input of
                                      reduce-scatter, the whole output of all-gather, the send
                                      buffer of one rank of all-to-all
    time : float or array, s          > 0

    Returns
    -------
    float or array, bytes/s
    """
    return size / time


@formula(
    latex=r"f = \begin{cases}\frac{2(n-1)}{n} & \text{all-reduce}\\"
    r"\frac{n-1}{n} & \text{reduce-scatter, all-gather, all-to-all}\\"
    r"1 & \text{broadcast, send}\end{cases}",
    source="nccl-tests-performance",
)
def bus_bandwidth_factor(operation: str, ranks: Numeric) -> Numeric:
    """Bus bandwidth over algorithm bandwidth.

    Parameters
    ----------
    operation : str                   one of ``OPERATIONS``
    ranks : int or array, >= 1        1 gives 0 for every operation that then moves nothing

    Returns
    -------
    float or array, 1
    """
    if operation == "all-reduce":
        return 2 * (ranks - 1) / ranks
    if operation in ("reduce-scatter", "all-gather", "all-to-all"):
        return (ranks - 1) / ranks
    if operation in ("broadcast", "send"):
        return (ranks > 1) * 1.0
    raise DesignError(
        "operation", operation, "is not a collective", f"one of {', '.join(OPERATIONS)}"
    )


@formula(latex=r"\mathrm{busbw} = f\,\frac{S}{t}", source="nccl-tests-performance")
def bus_bandwidth(operation: str, size: Numeric, time: Numeric, ranks: Numeric) -> Numeric:
    """Bus bandwidth of a collective.

    It is the rate of the wire only for algorithms that send what a ring sends. In-network
    reduction sends less and shows more than the link rate; hierarchical algorithms send over two
    kinds of link.

    Parameters
    ----------
    operation : str                   one of ``OPERATIONS``
    size : float or array, bytes      as for ``algorithm_bandwidth``
    time : float or array, s          > 0
    ranks : int or array, >= 1

    Returns
    -------
    float or array, bytes/s
    """
    return bus_bandwidth_factor(operation, ranks) * size / time
