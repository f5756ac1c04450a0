"""What LLDP tables hold, in figures."""

from __future__ import annotations

from typing import Any

from netdesign.audit.found.summary import summary_of
from netdesign.audit.found.tiers import Tiered
from netdesign.audit.lldp.network import THIS_DEVICE, Joined, LldpFile


def summarise(file: LldpFile) -> dict[str, Any]:
    """Entries as they stand, and the network that they make; management ports are apart."""
    content, joined = file.tables, file.joined
    rows = [
        {
            "local_device": row.local_device or None,
            "local_port": row.local_port,
            "remote_device": row.remote_device or None,
            "remote_port": row.remote_port or None,
            "remote_port_description": row.port_description or None,
            "remote_role": joined.roles.get(remote, "unknown"),
            "management": joined.is_management(row, remote),
            "speed": row.speed or None,
            "line": row.line,
        }
        for row, _, remote in joined.rows
    ]
    heard = {(own, row.local_port) for row, own, _ in joined.rows}
    return {
        "forms": list(dict.fromkeys(dump.form for dump in content.dumps)),
        "local": _local(joined),
        "entries": len(rows),
        "neighbours": len(rows),
        "neighbour_devices": len({remote for _, _, remote in joined.rows}),
        "neighbours_without_local_port": len(content.only_unplaced),
        "interfaces": len(content.interfaces),
        "interfaces_with_neighbours": len(heard),
        "management": sum(bool(row["management"]) for row in rows),
        **_counts(joined.tiers),
        "rows": rows,
    }


def _local(joined: Joined) -> list[str | None]:
    """Names of the devices whose tables these are; null where the file does not say it."""
    names = dict.fromkeys(
        None if key == THIS_DEVICE or key.startswith("(device ") else name
        for key, name in joined.local_devices.items()
    )
    return list(names)


def _counts(tiered: Tiered) -> dict[str, Any]:
    fabric = tiered.network
    roles = [device.role for device in fabric.devices.values()]
    found = summary_of(tiered)
    kept = ("hosts", "links", "host_links", "switch_links", "speeds", "tiers", "leaves")
    return {
        "switches": roles.count("switch"),
        **{key: found[key] for key in kept},
        "unknown_devices": roles.count("unknown"),
        "one_sided": sum(link.one_sided for link in fabric.links),
    }
