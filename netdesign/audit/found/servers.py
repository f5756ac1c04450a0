"""Adapters of a network by the server that they sit in, as far as names say."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from netdesign.audit.found.names import adapter_of, family_of
from netdesign.audit.found.network import FoundLink
from netdesign.audit.found.tiers import Tiered


@dataclass(slots=True)
class Port:
    """One cabled port of a server."""

    adapter: str  # HCA-1, mlx5_0; "" where it is not said
    number: int | None  # 1 and up
    link: FoundLink
    switch: str  # key of the device at the other end


@dataclass(slots=True)
class Server:
    """One server with the ports that lead out of it."""

    name: str
    family: str  # the name without its numbers
    adapters: set[str] = field(default_factory=set)  # keys of devices
    ports: list[Port] = field(default_factory=list)
    is_ambiguous: bool = False  # several machines of one name

    @property
    def switches(self) -> set[str]:
        return {port.switch for port in self.ports}


@dataclass(frozen=True)
class Servers:
    """All servers by name, and the adapters whose name is that of the factory."""

    by_name: dict[str, Server]
    unnamed: tuple[str, ...]  # keys of devices
    family_of: dict[str, str]  # of each adapter, by its key; "" where its name is the factory's

    def adapters_of_most(self) -> dict[int, int]:
        """How many servers have how many adapters, the commonest first."""
        counted = Counter(
            len(server.adapters) for server in self.by_name.values() if not server.is_ambiguous
        )
        return dict(counted.most_common())


@lru_cache(maxsize=2)  # the summary and the verdicts ask for the same
def servers_of(tiered: Tiered) -> Servers:
    """Group the hosts of a network."""
    found: dict[str, Server] = {}
    unnamed: list[str] = []
    families: dict[str, str] = {}
    for key, device in tiered.network.devices.items():
        if device.role != "host":
            continue
        said = adapter_of(device.name)
        if not said.server:
            unnamed.append(key)
            families[key] = ""
            continue
        server = found.get(said.server)
        if server is None:
            server = found[said.server] = Server(said.server, family_of(said.server))
        families[key] = server.family
        if server.adapters and (not said.adapter or _has(server, said.adapter)):
            server.is_ambiguous = True
        server.adapters.add(key)
        for link, far in tiered.at.get(key, ()):
            server.ports.append(Port(said.adapter, said.number, link, far))
    return Servers(found, tuple(unnamed), families)


def _has(server: Server, adapter: str) -> bool:
    return any(port.adapter == adapter for port in server.ports)
