"""Adding up messages of NCCL; memory is bounded whatever the length of the log."""

from __future__ import annotations

import re

from netdesign.audit.nccl_log.content import NcclLog
from netdesign.audit.nccl_log.grouped import Grouped
from netdesign.audit.nccl_log.messages import Message
from netdesign.audit.nccl_log.starts import Starts
from netdesign.units import gbps_to_bytes_per_second, gigabytes_to_bytes

MOST_NAMES = 50_000  # distinct names of one sort that are kept
MOST_BANDWIDTHS = 200_000
MOST_SETTINGS = 500  # distinct ones
MOST_VALUES = 8  # of one setting
_RARE, _MOST_RARE, _OFTEN = 3, 100, 20  # lines of a torn name, such names, times more often
_MEGABITS = 1000  # of a gigabit; NCCL prints megabits per second
LONGEST = 300  # characters of a value
_NIC = re.compile(r"\[(\d{1,4})\]([\w.+-]{1,64}):(\d{1,3})(?:/(\w{1,12}))?")
_MERGED = re.compile(r"\[(\d{1,4})\]=\{([^{}]{1,1000})\}")
_MEMBER = re.compile(r"\[(\d{1,4})\] ([\w.+-]{1,64}):(\d{1,3})/(\w{1,12})")
_FOUND = re.compile(
    r"[Pp]rovider is ([\w;.-]{1,40})(?:, fabric is \S+)?(?:\s*\(found (\d{1,4}) nics\))?"
)
_GROUP = re.compile(r"NIC group (\d{1,4}) device")
_PLUGIN = re.compile(r"aws-ofi-nccl v?(\d[\w.-]{0,30})")
_LIBFABRIC = re.compile(r"Libfabric version (\d[\w.]{0,20})")
_LOADED = re.compile(r"Loaded net plugin ([\w .-]{1,40}?) \(v\d+\)|Plugin version : (.{1,60})")
_COMM = re.compile(
    r"rank (\d{1,7}) n[rR]anks (\d{1,7})(?: nNodes (\d{1,6}) localRanks (\d{1,4}))?"
    r"(?:.{0,60}? busId ([0-9a-f]{1,12}))?"
)
_COUNT = re.compile(r"(\d{1,4}) coll channels")
_RING = re.compile(r"Channel (\d{1,4})(?:/(\d{1,4}))? :")
_SETTING = re.compile(r"(NCCL_\w{1,60}|RCCL_\w{1,60}) set (?:by \w+ )?to ?(.{0,300})")
_NET = re.compile(r"((?:NET|COLLNET)/[A-Za-z][\w .-]{0,40})/(\d{1,4})")
_CHOSEN = re.compile(r"Using (?:internal )?[Nn]etwork (.{1,60})")
_SPEED = re.compile(
    r"\[\d{1,4}\] ([\w.+-]{1,64}):[\w.-]{0,40}:(\d{1,3})/(\w{1,12}) .{0,60}?speed=(\d{3,8})"
)
_VIRTUAL = re.compile(r"virtual device \[(\d{1,4})\] name=([\w.+:-]{1,256})")
_GDR_SAID = re.compile(r"GPU Direct RDMA (Enabled|Disabled)")
_RING_GDR = re.compile(r"\bGDR ([01])\b")
_PORT = re.compile(r"\bmtu (\d)\b.{0,80}?\bGID (\d{1,3})\b")
_VERSION = re.compile(r"([NR]CCL) version\s*:?\s*(\d[\w.+-]{0,40})")
_MTU = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}  # enum ibv_mtu


class Collector:
    """Takes messages one by one."""

    def __init__(self) -> None:
        self.lines = self.spliced = 0
        self.bandwidths: list[float] = []
        self._versions: dict[str, int] = {}
        self._plugins: dict[str, None] = {}
        self._networks: dict[str, int] = {}
        self._provider: str | None = None
        self._libfabric: str | None = None
        self._nics: dict[str, str] = {}
        self._merged: dict[str, str] = {}
        self._links: dict[str, None] = {}
        self._found = 0
        self._groups: set[int] = set()
        self._no_ib = self._p2p_disabled = False
        self._used: dict[str, set[str]] = {}
        self._ways: dict[str, tuple[str, str] | None] = {}
        self._transports: dict[str, int] = {}
        self._gdr: bool | None = None
        self._channels = self._ranks = self._nodes = self._local = 0
        self._connected_channels = 0  # where NCCL does not count them itself
        self._seen_ranks: set[int] = set()
        self._hosts: dict[str, int] = {}
        self._gpus: set[tuple[str, str]] = set()
        self._algorithms: dict[str, None] = {}
        self._environment: dict[str, dict[str, None]] = {}
        self._speeds: dict[tuple[str, str], float] = {}
        self._gids: set[int] = set()
        self._mtus: set[int] = set()
        self._complaints = Grouped()
        self._starts = Starts()

    def take(self, message: Message, number: int) -> None:
        """Use one message."""
        self.lines += 1
        host = message.host
        if host:
            _count(self._hosts, host)
        text = message.text
        if message.level == "WARN":
            self.complain(text, number, host)
        reader = _READERS.get(text[:4])
        if reader is not None:
            reader(self, message)
        elif "P2P is disabled" in text:
            self._p2p_disabled = True
        elif "libibverbs" in text:
            self._no_ib = True
        elif text[:1].isdigit():
            found = _COUNT.match(text)
            if found is not None:
                self._channels = max(self._channels, int(found[1]))

    def version(self, product: str, version: str) -> None:
        """NCCL or RCCL 2.20.3+cuda12.2."""
        name = version if product == "NCCL" else f"{product} {version}"
        _count(self._versions, name)

    def bandwidth(self, value: float, bits: bool) -> None:
        """A line ``busbw: N Gbps`` (or GBps) of a benchmark of one's own."""
        if len(self.bandwidths) < MOST_BANDWIDTHS:
            convert = gbps_to_bytes_per_second if bits else gigabytes_to_bytes
            self.bandwidths.append(float(convert(value)))

    def complain(self, text: str, number: int, host: str, is_nccl: bool = True) -> None:
        """A warning, kept once for all that differ by numbers only."""
        self._complaints.add(text, number, host, is_nccl)

    def _channel(self, message: Message) -> None:
        text = message.text
        place = text.find(" via ")
        if place < 0:
            found = _RING.match(text)
            if found is not None:
                self._channels = max(self._channels, int(found[2] or 0), int(found[1]) + 1)
            return
        end = text.find(" comm ", place)  # RCCL adds an address
        via = text[place + 5 : end if end >= 0 else None]
        way = self._ways.get(via) if message.whole else way_of(via, False)
        if way is None and message.whole and via not in self._ways:
            way = way_of(via, True)
            if len(self._ways) < MOST_NAMES:
                self._ways[via] = way
        if way is None:
            return
        name, nic = way
        if " [receive] " not in text:
            _count(self._transports, name)
        else:
            self._transports.setdefault(name, 0)
        if nic:
            self._used.setdefault(message.host, set()).add(nic)
        number = text[8:10] if text.startswith("Channel ") else text[5:7]
        if number.isdecimal() and text[10:12] != "/1":  # which is for point to point
            self._connected_channels = max(self._connected_channels, int(number) + 1)

    def _communicator(self, message: Message) -> None:
        if "Init " in message.text:
            self._starts.take(message)
        found = _COMM.search(message.text)
        if found is None or not message.whole:
            return
        ranks = int(found[2])
        if ranks > self._ranks:
            self._ranks, self._seen_ranks = ranks, set()
        if ranks == self._ranks and len(self._seen_ranks) < MOST_NAMES:
            self._seen_ranks.add(int(found[1]))
        self._nodes = max(self._nodes, int(found[3] or 0))
        self._local = max(self._local, int(found[4] or 0))
        if found[5] and len(self._gpus) < MOST_NAMES:
            self._gpus.add((message.host, found[5]))

    def _setting(self, message: Message) -> None:
        version = _VERSION.match(message.text)
        if version is not None:
            self.version(version[1], version[2])
            return
        found = _SETTING.match(message.text)
        if found is None or not message.whole or len(self._environment) >= MOST_SETTINGS:
            return
        values = self._environment.setdefault(found[1], {})
        if len(values) < MOST_VALUES:
            values[found[2].strip().rstrip(".")[:LONGEST]] = None

    def _network(self, message: Message) -> None:
        text = message.text
        if text.startswith("NET/OFI"):
            self._libfabric_says(text)
        elif text.startswith(("NET/Plugin", "NET/gIB")):
            self._plugin_says(text)
        elif " Using [" in text and not text.startswith(("NET/Socket", "NET/Fast")):
            self._devices(text)
        elif "virtual device" in text:
            found = _VIRTUAL.search(text)
            if found is not None and len(self._merged) < MOST_NAMES:
                self._merged[found[1]] = found[2]
        elif "speed=" in text:
            found = _SPEED.search(text)
            if found is not None and len(self._speeds) < MOST_NAMES:
                port = f":{found[2]}" if found[2] != "1" else ""
                rate = float(gbps_to_bytes_per_second(float(found[4]) / _MEGABITS))
                self._speeds[message.host, found[1] + port] = rate
        elif "No device found" in text or "Failed to open libibverbs" in text:
            self._no_ib = True
        elif "GPU Direct" in text:
            self._direct(message)
        elif " mtu " in text:
            found = _PORT.search(text)
            if found is not None:
                self._mtus.add(_MTU.get(int(found[1]), 0))
                self._gids.add(int(found[2]))

    def _devices(self, text: str) -> None:
        if "={" in text:
            self._pairs(text)
            return
        for found in _NIC.finditer(text[:16_384]):
            if found[4] and len(self._nics) < MOST_NAMES:
                port = f":{found[3]}" if found[3] != "1" else ""
                self._nics.setdefault(found[1], found[2] + port)
                self._links[found[4]] = None
        self._found = max(self._found, text.count("]", 0, 16_384) - text.count("[RO]"))

    def _pairs(self, text: str) -> None:
        """Ports that NCCL merges: ``[0]={[0] mlx5_2:1/RoCE, [1] mlx5_3:1/RoCE}``."""
        for group in _MERGED.finditer(text[:16_384]):
            names = []
            for found in _MEMBER.finditer(group[2]):
                name = found[2] + (f":{found[3]}" if found[3] != "1" else "")
                names.append(name)
                if len(self._nics) < MOST_NAMES:
                    self._nics.setdefault(found[1], name)
                    self._links[found[4]] = None
            if len(self._merged) < MOST_NAMES:
                self._merged[group[1]] = "+".join(names)

    def _libfabric_says(self, text: str) -> None:
        found = _GROUP.search(text)
        if found is not None:
            self._groups.add(int(found[1]))
        elif "rovider is" in text:
            found = _FOUND.search(text)
            if found is not None:
                self._provider = found[1]
                self._found = max(self._found, int(found[2] or 0))
        elif "aws-ofi-nccl" in text:
            found = _PLUGIN.search(text)
            if found is not None:
                self._plugins[f"aws-ofi-nccl {found[1]}"] = None
        elif "Libfabric version" in text:
            found = _LIBFABRIC.search(text)
            self._libfabric = found[1] if found else self._libfabric

    def _plugin_says(self, text: str) -> None:
        found = _LOADED.search(text)
        if found is not None and len(self._plugins) < MOST_VALUES:
            self._plugins.setdefault((found[1] or found[2]).strip(), None)

    def _using(self, message: Message) -> None:
        text = message.text
        found = _CHOSEN.match(text) if message.whole else None
        if found is not None:
            _count(self._networks, found[1].strip())

    def _direct(self, message: Message) -> None:
        found = _GDR_SAID.search(message.text)
        if found is not None:
            self._gdr = bool(self._gdr) or found[1] == "Enabled"

    def _connected(self, message: Message) -> None:
        text = message.text
        if "NVLS" in text[:60]:
            self._algorithms["NVLS"] = None
        elif text[:60].lower().startswith("connected collnet"):
            self._algorithms["CollNet"] = None
        found = _RING_GDR.search(text, 0, 120)
        if found is not None:
            self._gdr = bool(self._gdr) or found[1] == "1"

    def _in_switch(self, message: Message) -> None:
        if message.text.startswith("NVLS comm"):
            self._algorithms["NVLS"] = None

    def log(self) -> NcclLog:
        """All that was found."""
        torn = torn_names(self._hosts)
        hosts = tuple(host for host in self._hosts if host not in torn)
        nodes: int | None = self._nodes or None
        whole = 0 < self._ranks == len(self._seen_ranks)
        if nodes is None and whole and hosts:
            nodes = len(hosts)
        if any(name.startswith("COLLNET") for name in self._transports):
            self._algorithms["CollNet"] = None
        names = tuple(self._nics[key] for key in sorted(self._nics, key=int))
        plugins = tuple(name for name in self._plugins if name.startswith("aws-ofi-nccl"))
        return NcclLog(
            lines=self.lines,
            spliced=self.spliced,
            versions=self._versions,
            plugin=(plugins or tuple(self._plugins) or (None,))[0],
            plugin_versions=plugins,
            networks=self._networks,
            provider=self._provider,
            libfabric=self._libfabric,
            nics=names,
            nic_links=tuple(self._links),
            nics_found=len(names) or len(self._groups) or self._found or None,
            no_ib_device=self._no_ib,
            used={host: self._named(nics) for host, nics in self._used.items() if host not in torn},
            transports=dict(sorted(self._transports.items())),
            gdr_said=self._gdr,
            channels=self._channels or (self._connected_channels if whole else 0) or None,
            ranks=self._ranks or None,
            nodes=nodes,
            local_ranks=self._local or (self._ranks // nodes if whole and nodes else None),
            hosts=hosts,
            complete=frozenset(hosts) if whole else self._complete(),
            gpus=sum(1 for host, _ in self._gpus if host not in torn),
            algorithms=tuple(self._algorithms),
            environment={name: tuple(values) for name, values in self._environment.items()},
            speeds=self._speeds,
            gid_indexes=tuple(sorted(self._gids)),
            mtus=tuple(sorted(self._mtus - {0})),
            p2p_disabled=self._p2p_disabled,
            complaints=self._complaints.all(),
            bandwidths=tuple(self.bandwidths),
            unfinished=self._starts.unfinished(),
            completed=self._starts.completed,
            merged=tuple(name for name in self._merged.values() if "+" in name),
        )

    def _complete(self) -> frozenset[str]:
        """Hosts of which every rank speaks."""
        speaking: dict[str, int] = {}
        for host, _ in self._gpus:
            speaking[host] = speaking.get(host, 0) + 1
        return frozenset(host for host, count in speaking.items() if count >= self._local > 0)

    def _named(self, nics: set[str]) -> frozenset[str]:
        """mlx5_0 for IB/0 where NCCL lists its devices."""
        named: set[str] = set()
        for nic in nics:
            network, _, place = nic.rpartition("/")
            merged = self._merged.get(place)
            known = merged or self._nics.get(place) if network.startswith("IB") else None
            named.update(known.split("+") if known else (nic,))
        return frozenset(named)


def torn_names(hosts: dict[str, int]) -> set[str]:
    """Names that a cut or spliced line made of a host's: its end, or its name after a remnant."""
    rare = [name for name, count in hosts.items() if count <= _RARE]
    torn = set()
    for name in rare[:_MOST_RARE]:
        longer = {name[place:] for place in range(1, len(name))}
        for other in longer & hosts.keys() or _ending(name, hosts, len(rare)):
            if hosts[other] >= _OFTEN * hosts[name]:
                torn.add(name)
    return torn


def _ending(name: str, hosts: dict[str, int], rare: int) -> set[str]:
    if rare > _MOST_RARE:
        return set()
    return {other for other in hosts if other.endswith(name) and other != name}


def way_of(via: str, whole: bool) -> tuple[str, str] | None:
    """The kind of a connection, and its NIC: (NET/IB/GDRDMA, IB/0); None where it is cut."""
    if via.startswith(("NET/", "COLLNET/")):
        found = _NET.match(via)
        if found is None:
            return None
        direct = "/GDRDMA" if "GDRDMA" in via else ""
        if not whole and not direct:
            return None
        network = found[1].partition("/")[2].strip()
        return f"{found[1].strip()}{direct}", f"{network}/{found[2]}"
    if via.startswith(("P2P/", "SHM", "NVLS", "MNNVL", "direct")):
        parts = via.split("/")
        kind = parts[0] if parts[0] != "direct shared memory" else "SHM"
        detail = re.split(r"[\[( ]", parts[1], maxsplit=1)[0] if len(parts) > 1 else ""
        if not whole and detail not in ("IPC", "CUMEM", "direct"):
            return None
        return (f"{kind}/{detail}" if kind == "P2P" and detail else kind[:40]), ""
    return None


def _count(counts: dict[str, int], name: str) -> None:
    if name in counts or len(counts) < MOST_NAMES:
        counts[name] = counts.get(name, 0) + 1


_READERS = {
    "Chan": Collector._channel,
    "Ring": Collector._channel,
    "comm": Collector._communicator,
    "nccl": Collector._communicator,
    "NCCL": Collector._setting,
    "RCCL": Collector._setting,
    "NET/": Collector._network,
    "Plug": lambda self, message: self._plugin_says(message.text),
    "Usin": Collector._using,
    "GPU ": Collector._direct,
    "Conn": Collector._connected,
    "NVLS": Collector._in_switch,
}
