"""Which hosts does a scheduler give to a job, and on which GPU and port does each rank sit?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.forwarding import host_links, hosts_forward

Numbers = npt.NDArray[np.int64]

PLACEMENTS = ("packed", "fragmented", "random", "side-by-side")


@dataclass(frozen=True, eq=False)
class Seats:
    """Where the ranks of one job sit."""

    gpu: Numbers  # of each rank: host times GPUs of a host, plus the place in the host
    domain: Numbers  # scale-up domain of each rank
    local: Numbers  # place of each rank's GPU in its domain
    domain_gpus: int
    gpu_ports: Numbers  # [GPUs of the fabric, ports of a GPU]: endpoints

    @property
    def ranks(self) -> int:
        return len(self.gpu)

    @property
    def ports(self) -> Numbers:
        """Endpoints of each rank's GPU, [ranks, ports of a GPU]."""
        return self.gpu_ports[self.gpu]

    def on_rail_of(self, sender: Numbers, receiver: Numbers) -> Numbers:
        """The GPU in the sender's domain that stands where the receiver's stands in its own.

        A job has whole servers, so that GPU's port is the job's also where no rank sits on it. The
        sender's own GPU where the domain ends before that place.
        """
        gpu = self.domain[sender] * self.domain_gpus + self.local[receiver]
        return np.where(gpu < len(self.gpu_ports), gpu, self.gpu[sender])


def hosts_in_order(
    hosts: int, wanted: int, placement: str, *, seed: int = 0, piece_hosts: float = 1.0
) -> Numbers:
    """Hosts of one job, in the order in which its ranks fill them.

    Packed: the first hosts, in their order. Fragmented: earlier jobs have left free pieces of
    neighbouring hosts, of random length, and the scheduler hands them out as they came free.
    Random: any hosts in any order.

    Parameters
    ----------
    hosts : int             of the fabric
    wanted : int            of the job
    placement : str         packed, fragmented or random
    seed : int              of what is random
    piece_hosts : float     mean length of a free piece, at least 1

    Returns
    -------
    int array [wanted]

    Raises
    ------
    DesignError             when the job needs more hosts than there are, or for an unknown name
    """
    if wanted > hosts:
        raise DesignError(
            "placement", wanted, f"hosts are more than the {hosts} of the fabric", "use fewer GPUs"
        )
    every = np.arange(hosts, dtype=np.int64)
    dice = np.random.default_rng(seed)
    if placement == "random":
        return dice.permutation(every)[:wanted]
    if placement == "fragmented":
        lengths = dice.geometric(1.0 / max(piece_hosts, 1.0), size=hosts)
        piece = np.repeat(np.arange(hosts), lengths)[:hosts]
        turn = dice.permutation(hosts)
        return every[np.argsort(turn[piece], kind="stable")][:wanted]
    if placement != "packed":
        names = ", ".join(PLACEMENTS[:3])
        raise DesignError("placement", placement, "is no placement of one job", f"one of {names}")
    return every[:wanted]


def hosts_side_by_side(hosts: int, wanted: int, jobs: int = 2) -> tuple[Numbers, ...]:
    """Hosts of several jobs of one size that take them in turn, so that they share every leaf.

    Raises
    ------
    DesignError     when they need more hosts than there are
    """
    if jobs * wanted > hosts:
        raise DesignError(
            "placement",
            "side-by-side",
            f"needs {wanted} hosts for each of {jobs} jobs and the fabric has {hosts}",
            "use a number of GPUs that fills whole hosts twice",
        )
    every = np.arange(hosts, dtype=np.int64)[: jobs * wanted]
    return tuple(every[job::jobs] for job in range(jobs))


def ports_of_gpus(fabric: Fabric) -> Numbers:
    """Endpoints of every GPU of a fabric, [hosts times GPUs of a host, ports of a GPU].

    The ports of a host are shared out in order: with more ports than GPUs each GPU has the same
    number of them, with fewer neighbours share one. Where hosts forward, the host is the endpoint.
    """
    gpus = fabric.gpus_per_host
    host, place = np.divmod(np.arange(fabric.hosts * gpus, dtype=np.int64), gpus)
    if hosts_forward(fabric):
        return host[:, None]
    cabled = np.bincount(fabric.a[host_links(fabric)], minlength=fabric.hosts)
    if np.any(cabled == 0):
        raise DesignError("fabric", None, "has hosts without a port", "cable every host")
    first = np.cumsum(cabled) - cabled
    each = max(fabric.host_ports // gpus, 1)
    slot = (place * fabric.host_ports // gpus)[:, None] + np.arange(each)
    return np.asarray(first[host][:, None] + slot % cabled[host][:, None], dtype=np.int64)


def seats(
    fabric: Fabric, hosts: Numbers, ranks: int, *, domain_gpus: int, ports: Numbers | None = None
) -> Seats:
    """Seat the ranks of a job: rank r on GPU r of its hosts, host after host.

    Parameters
    ----------
    fabric : Fabric
    hosts : int array           of the job, in the order in which they are filled
    ranks : int                 of the job
    domain_gpus : int           GPUs of one scale-up domain, inside a host or over several hosts
    ports : int array           of ``ports_of_gpus``, where it is at hand

    Raises
    ------
    DesignError                 when the hosts have fewer GPUs than the job has ranks
    """
    gpus = fabric.gpus_per_host
    if ranks > len(hosts) * gpus:
        raise DesignError(
            "placement", ranks, f"ranks do not fit on {len(hosts) * gpus} GPUs", "give more hosts"
        )
    number = np.arange(ranks, dtype=np.int64)
    gpu = np.asarray(hosts, dtype=np.int64)[number // gpus] * gpus + number % gpus
    domain, local = np.divmod(gpu, domain_gpus)
    every = ports_of_gpus(fabric) if ports is None else ports
    return Seats(gpu, domain, local, domain_gpus, every)
