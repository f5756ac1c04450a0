"""Small InfiniBand dumps, written line by line as the tools write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Link = tuple[str, int, str, int, str]  # device, port, device, port, speed


@dataclass
class Dump:
    """Devices and links that ``text`` prints as ibnetdiscover does."""

    switches: dict[str, str] = field(default_factory=dict)  # name: GUID
    adapters: dict[str, str] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    ports: int = 65

    def switch(self, name: str) -> None:
        self.switches[name] = f"2c5eab03{len(self.switches):08x}"

    def adapter(self, name: str) -> None:
        self.adapters[name] = f"e09d7303{len(self.adapters):08x}"

    def link(self, a: str, a_port: int, b: str, b_port: int, speed: str = "4xNDR") -> None:
        self.links.append((a, a_port, b, b_port, speed))

    def _id(self, name: str) -> str:
        return f"S-{self.switches[name]}" if name in self.switches else f"H-{self.adapters[name]}"

    def _said(self, name: str) -> str:
        return f"MF0;{name}:MQM9700/U1" if name in self.switches else name

    def text(self, without: Sequence[str] = ()) -> str:
        """The dump; sections of the devices in ``without`` are left out."""
        lines = ["#", "# Topology file: generated on Wed Aug  6 16:11:23 2025", "#", ""]
        ends = [(a, ap, b, bp, speed) for a, ap, b, bp, speed in self.links]
        ends += [(b, bp, a, ap, speed) for a, ap, b, bp, speed in self.links]
        for name, guid in self.switches.items():
            if name in without:
                continue
            lines += ["vendid=0x2c9", "devid=0xd2f2", f"switchguid=0x{guid}({guid})"]
            lines.append(
                f'Switch\t{self.ports} "S-{guid}"\t\t# "{self._said(name)}" enhanced port 0 '
                "lid 73 lmc 0"
            )
            lines += [self._port(end) for end in ends if end[0] == name]
            lines.append("")
        for name, guid in self.adapters.items():
            if name in without:
                continue
            lines += ["vendid=0x2c9", "devid=0x1021", f"caguid=0x{guid}"]
            lines.append(f'Ca\t1 "H-{guid}"\t\t# "{name}"')
            lines += [
                f'[{port}]({guid}) \t"{self._id(far)}"[{far_port}]\t\t# lid 16 lmc 0 '
                f'"{self._said(far)}" lid 3 {speed}'
                for near, port, far, far_port, speed in ends
                if near == name
            ]
            lines.append("")
        return "\n".join(lines)

    def _port(self, end: Link) -> str:
        _, port, far, far_port, speed = end
        guid = f"({self.adapters[far]}) " if far in self.adapters else ""
        return (
            f'[{port}]\t"{self._id(far)}"[{far_port}]{guid}\t\t# "{self._said(far)}" lid 4 {speed}'
        )


def two_tiers(
    leaves: int = 4,
    spines: int = 2,
    per_pair: int = 2,
    servers: int = 4,
    absent: Sequence[tuple[int, int, int]] = (),
) -> Dump:
    """A rail-optimised pod: adapter n of each server is on leaf n; aggregation nodes inside.

    ``absent`` are (leaf, spine, which of the parallel links), counted from 1.
    """
    dump = Dump()
    for leaf in range(1, leaves + 1):
        dump.switch(f"LEAF-{leaf:02d}")
    for spine in range(1, spines + 1):
        dump.switch(f"SPINE-{spine:02d}")
    for leaf in range(1, leaves + 1):
        for server in range(1, servers + 1):
            dump.adapter(f"node{server:02d} HCA-{leaf}")
            dump.link(f"LEAF-{leaf:02d}", server, f"node{server:02d} HCA-{leaf}", 1)
        for spine in range(1, spines + 1):
            for link in range(1, per_pair + 1):
                if (leaf, spine, link) not in absent:
                    port = (spine - 1) * per_pair + link
                    dump.link(
                        f"LEAF-{leaf:02d}",
                        32 + port,
                        f"SPINE-{spine:02d}",
                        (leaf - 1) * per_pair + link,
                    )
    return dump
