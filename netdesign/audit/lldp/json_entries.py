"""One neighbour in JSON, in the words of each program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from netdesign.audit.lldp.draft import Entry, capability_letters, capability_words, told

DEVICE_KEYS = ("hostname", "host", "host_name", "device", "switch", "local_device")
_LOCAL = ("ifname", "interface", "local_interface", "local_port", "l_port_id", "localPort", "port")
_NAME = (
    *("peerHostname", "peer_hostname", "peerName", "sys_name", "remote_system_name"),
    *("neighborDevice", "neighbor_name", "remote_device", "remoteDevice", "neighbor"),
)
_PORT = (
    *("peerIfname", "peer_ifname", "peerInterface", "peer_interface", "port_id", "remote_port"),
    *("neighborPort", "neighbor_interface", "remotePort"),
)
_DESCRIPTION = ("port_desc", "remote_port_description", "neighbor_port_description")
_SYSTEM = ("sys_desc", "remote_system_description", "description")


def listed(value: Any) -> list[Any]:
    """A list as it is, anything else as a list of one, nothing as none."""
    return value if isinstance(value, list) else [] if value is None else [value]


def value_of(value: Any) -> str:
    """A scalar, whatever it is wrapped in: [{"data": x}], [{"value": x}], {"value": x}."""
    for _ in range(4):
        if isinstance(value, list):
            value = value[0] if value else ""
        elif isinstance(value, dict):
            value = value.get("value", value.get("data", ""))
    return told(value)


def first_of(row: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """The first of these keys that has a value."""
    return next((text for key in keys if (text := value_of(row.get(key)))), "")


def letters_of(value: Any) -> tuple[str, ...] | None:
    """Capabilities of NX-OS: B, R, or words."""
    if value is None:
        return None
    if isinstance(value, list):
        value = " ".join(str(entry) for entry in value)
    text = told(value)
    return capability_letters(text) if text.upper() == text else capability_words(text.split())


def _enabled(capabilities: Any) -> tuple[str, ...] | None:
    """{"bridge": true} or [{"type": "Bridge", "enabled": true}] as words."""
    if isinstance(capabilities, Mapping) and "type" not in capabilities:
        return capability_words(str(key) for key, on in capabilities.items() if on is True)
    entries = [entry for entry in listed(capabilities) if isinstance(entry, Mapping)]
    if not entries:
        return None
    return capability_words(value_of(entry.get("type")) for entry in entries if _is_on(entry))


def _is_on(entry: Mapping[str, Any]) -> bool:
    return str(entry.get("enabled")).lower() in ("true", "on", "yes")


def eos_entry(line: int, port: str, row: Mapping[str, Any]) -> Entry:
    """One of EOS's lldpNeighborInfo."""
    inside = row.get("neighborInterfaceInfo")
    info: Mapping[str, Any] = inside if isinstance(inside, dict) else {}
    enabled = row.get("systemCapabilities")
    return Entry(
        line,
        local_port=port,
        name=told(row.get("systemName")),
        chassis=told(row.get("chassisId")),
        port=told(info.get("interfaceId_v2")) or told(info.get("interfaceId")),
        port_description=told(info.get("interfaceDescription")),
        system_description=told(row.get("systemDescription")),
        management_address=_address_of(row.get("managementAddresses")),
        capabilities=_enabled(enabled) if isinstance(enabled, dict) else None,
    )


def _address_of(value: Any) -> str:
    entries = [entry for entry in listed(value) if isinstance(entry, dict)]
    return next((told(entry.get("address")) for entry in entries), "")


def lldpctl_ports(value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Ports with what is heard there, in the shapes of json and json0."""
    for entry in listed(value):
        if not isinstance(entry, dict):
            continue
        if "name" in entry and ("chassis" in entry or "via" in entry or "port" in entry):
            yield told(entry["name"]), entry
            continue
        for port, info in entry.items():
            for one in listed(info):
                if isinstance(one, dict) and ("chassis" in one or "via" in one or "port" in one):
                    yield port, one


def lldpctl_entry(
    line: int, port: str, info: Mapping[str, Any], chassis: Mapping[str, Any]
) -> Entry:
    """One of lldpctl; the name of a chassis may be its key."""
    name = value_of(chassis.get("name"))
    if not name and len(chassis) == 1:
        ((key, inner),) = chassis.items()
        if isinstance(inner, dict) and key != "id":
            name, chassis = told(key), inner
    ports = [entry for entry in listed(info.get("port")) if isinstance(entry, dict)]
    there: Mapping[str, Any] = ports[0] if ports else {}
    return Entry(
        line,
        local_port=port,
        name=name,
        chassis=value_of(chassis.get("id")),
        port=value_of(there.get("id")),
        port_description=value_of(there.get("descr")),
        system_description=value_of(chassis.get("descr")),
        management_address=value_of(chassis.get("mgmt-ip")),
        capabilities=_enabled(chassis.get("capability")),
    )


def junos_entry(line: int, row: Mapping[str, str]) -> Entry:
    """A neighbour of Junos by the names of its elements."""
    enabled = row.get("lldp-remote-system-capabilities-enabled")
    return Entry(
        line,
        local_port=row.get("lldp-local-interface") or row.get("lldp-local-port-id", ""),
        name=row.get("lldp-remote-system-name", ""),
        chassis=row.get("lldp-remote-chassis-id", ""),
        port=row.get("lldp-remote-port-id", ""),
        port_description=row.get("lldp-remote-port-description", ""),
        system_description=row.get("lldp-remote-system-description", ""),
        management_address=row.get("lldp-remote-management-address", ""),
        capabilities=capability_words(enabled.split()) if enabled else None,
    )


def nvue_entries(line: int, here: Mapping[str, Any]) -> Iterator[Entry]:
    """Ports of NVUE with their neighbours by name."""
    for port, info in here.items():
        lldp = info.get("lldp", info) if isinstance(info, dict) else None
        heard = lldp.get("neighbor") if isinstance(lldp, dict) else None
        for name, inside in heard.items() if isinstance(heard, dict) else ():
            inner: Mapping[str, Any] = inside if isinstance(inside, dict) else {}
            there = inner.get("port")
            device = inner.get("chassis")
            there = there if isinstance(there, dict) else {}
            device = device if isinstance(device, dict) else {}
            yield Entry(
                line,
                local_port=port,
                name=value_of(device.get("system-name")) or told(name),
                chassis=value_of(device.get("chassis-id")),
                port=value_of(there.get("name")) or value_of(there.get("id")),
                port_description=value_of(there.get("description")),
                system_description=value_of(device.get("system-description")),
                capabilities=_nvue_capabilities(device.get("capability")),
            )


def _nvue_capabilities(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, dict):
        return None
    return capability_words(
        str(key)
        for key, on in value.items()
        if on is True or str(on).lower() in ("on", "true", "yes")
    )


def napalm_entries(line: int, here: Mapping[str, Any]) -> Iterator[Entry]:
    """Ports of napalm with lists of neighbours, brief or detailed."""
    for port, rows in here.items():
        for row in rows if isinstance(rows, list) else ():
            if not isinstance(row, dict):
                continue
            if "remote_system_name" in row or "remote_chassis_id" in row:
                enabled = row.get("remote_system_enable_capab")
                words = [str(word) for word in enabled] if isinstance(enabled, list) else None
                yield Entry(
                    line,
                    local_port=port,
                    name=told(row.get("remote_system_name")),
                    chassis=told(row.get("remote_chassis_id")),
                    port=told(row.get("remote_port")),
                    port_description=told(row.get("remote_port_description")),
                    system_description=told(row.get("remote_system_description")),
                    capabilities=None if words is None else capability_words(words),
                )
            elif set(row) == {"hostname", "port"}:
                yield Entry(
                    line, local_port=port, name=told(row["hostname"]), port=told(row["port"])
                )


def record_entry(line: int, row: Mapping[str, Any]) -> Entry | None:
    """A record that names a port, its peer and the peer's port; None if it does not."""
    name, local = first_of(row, _NAME), first_of(row, _LOCAL)
    port = first_of(row, _PORT)
    if not local or not (name or port) or not any(key in row for key in (*_NAME, *_PORT)):
        return None
    return Entry(
        line,
        local_port=local,
        name=name,
        chassis=first_of(row, ("chassis_id", "remote_chassis_id")),
        port=port,
        port_description=first_of(row, _DESCRIPTION),
        system_description=first_of(row, _SYSTEM),
    )
