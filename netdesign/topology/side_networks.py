"""The storage, in-band and out-of-band networks of a cluster, beside its compute fabric."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from netdesign.arrays import as_float
from netdesign.catalog import (
    SIDE_ROLES,
    Catalog,
    Server,
    SideNetworkRow,
    SideRole,
    load_catalog,
)
from netdesign.errors import DesignError
from netdesign.topology.fabric import FabricSize
from netdesign.topology.side_sizing import (
    Attached,
    SideNetwork,
    SizedSideNetwork,
    size_side_network,
    with_attached,
)


@dataclass(frozen=True)
class SideNetworks:
    """The networks of a cluster beside its compute fabric."""

    networks: tuple[SizedSideNetwork, ...]
    missing: tuple[str, ...] = ()  # what has no published ports, one sentence each

    def of(self, role: str) -> SizedSideNetwork | None:
        return next((sized for sized in self.networks if sized.network.role == role), None)


def side_networks(
    server: Server,
    servers: int,
    compute: FabricSize | int,
    catalog: Catalog | None = None,
) -> SideNetworks:
    """The storage, in-band and out-of-band networks that belong to so many servers.

    Every switch has a port in the out-of-band network, and every out-of-band switch has uplinks
    to the in-band network; the two are sized in turns until neither grows.

    Parameters
    ----------
    server : Server
    servers : int, >= 1
    compute : FabricSize or int     the compute fabric, or how many switches it has
    catalog : Catalog               the shipped one if None

    Returns
    -------
    SideNetworks                    in the order storage, in-band, out-of-band; what no source
                                    gives the ports of is named in ``missing``
    """
    if servers < 1:
        raise DesignError("servers", servers, "is below 1", "give a whole number of at least 1")
    boxes = compute if isinstance(compute, int) else int(as_float(compute.switches))
    if catalog is None:
        return _shipped(server.id, servers, boxes)
    return _assembled(catalog, server.id, servers, boxes)


@functools.lru_cache(maxsize=256)
def _shipped(server: str, servers: int, compute_switches: int) -> SideNetworks:
    return _assembled(load_catalog(), server, servers, compute_switches)


def _assembled(facts: Catalog, server: str, servers: int, boxes: int) -> SideNetworks:
    rows = {
        role: row
        for role in SIDE_ROLES
        if (row := facts.side_networks.get((server, role))) is not None
    }
    carried = {role for row in rows.values() for role in (row.role, row.carries) if role}
    return SideNetworks(
        _sized({role: _network(facts, row, servers) for role, row in rows.items()}, servers, boxes),
        tuple(
            f"{role} network of this server: no published ports"
            for role in SIDE_ROLES
            if role not in carried
        ),
    )


def _network(facts: Catalog, row: SideNetworkRow, servers: int) -> SideNetwork:
    attached = tuple(
        Attached(
            entry.name,
            entry.devices(servers),
            entry.ports(row.role),
            row.equipment_oversubscription,
        )
        for entry in facts.side_endpoints.values()
        if entry.equipment == row.equipment and entry.ports(row.role)
    )
    return SideNetwork(
        role=row.role,
        name=row.name,
        switch=facts.switches[row.switch],
        ports_per_server=row.ports_per_server,
        server_gbps=row.port_gbps,
        oversubscription=row.oversubscription,
        cage=row.cage,
        kept_share=row.kept_share,
        leaf_multiple=row.leaf_multiple,
        top_groups=row.top_groups,
        uplinks=row.uplinks,
        unit_servers=row.unit_servers,
        peer_links=row.peer_links,
        switch_uplinks=row.switch_uplinks,
        uplink_gbps=row.uplink_gbps,
        attached=attached,
    )


def _sized(
    asked: dict[SideRole, SideNetwork], servers: int, compute_switches: int
) -> tuple[SizedSideNetwork, ...]:
    """All networks; management ports and uplinks of switches count where they are plugged in."""
    found = {
        role: size_side_network(network, servers)
        for role, network in asked.items()
        if role != "out-of-band"
    }
    managed, in_band = asked.get("out-of-band"), asked.get("in-band")
    while managed is not None:
        ports = (
            Attached("Compute switch", compute_switches, 1),
            *(Attached(f"{one.network.name}: switch", one.switches, 1) for one in found.values()),
        )
        sized = size_side_network(with_attached(managed, *ports), servers)
        if in_band is None or not sized.uplinks:
            return (*found.values(), sized)
        uplinks = Attached(
            "Out-of-band switch",
            sized.switches,
            managed.switch_uplinks,
            ends_ordered=True,
            gbps=managed.uplink_gbps,
        )
        grown = size_side_network(with_attached(in_band, uplinks), servers)
        settled = grown.switches == found["in-band"].switches
        found["in-band"] = grown
        if settled:
            return (*found.values(), sized)
    return tuple(found.values())
