"""Is a neighbour a switch or a host? Its system, its capabilities, its port's name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from netdesign.audit.found.network import Role
from netdesign.audit.lldp.content import Neighbour
from netdesign.audit.lldp.ports import is_management, is_of_host, is_of_switch

# Words in system descriptions; those of switches first, for many of them run a Linux.
_SWITCH_SYSTEMS = (
    *("arista networks", "nx-os", "nexus", "cisco ios", "ios-xe", "ios xr", "cisco iosxe"),
    *("junos", "juniper networks", "cumulus linux", "sonic", "mlnx-os", "onyx", "nvos"),
    *("comware", "arubaos", "procurve", "dell emc networking", "force10", "os10"),
    *("extremexos", "routeros", "huawei versatile", "versatile routing platform", "sr linux"),
    *("timos", "ipinfusion", "ocnos", "enterprise sonic", "pica8", "brocade", "fastiron"),
    *("topology/pod-", "ethernet switch", "edgecore", "fboss"),
)
_HOST_SYSTEMS = (
    *("ubuntu", "debian", "red hat", "redhat", "rhel", "centos", "rocky", "almalinux", "suse"),
    *("fedora", "oracle linux", "amazon linux", "linux", "windows", "vmware", "esxi", "dgx os"),
    *("freebsd", "idrac", "ilo ", "nutanix", "bluefield", "netapp", "xenserver", "proxmox"),
)


def role_of(row: Neighbour) -> Role:
    """What one entry says of its neighbour; "unknown" where it says nothing."""
    role = _role_of_system(row.system_description) if row.system_description else "unknown"
    if role != "unknown":
        return role
    port, description = row.remote_port, row.port_description
    of_switch = is_of_switch(port) or is_of_switch(description)
    if not of_switch and (is_of_host(port) or is_of_host(description)):
        return "host"
    capabilities = row.capabilities
    if capabilities is None:
        return "switch" if of_switch else "unknown"
    if "bridge" in capabilities or "router" in capabilities:
        return "switch"
    return "host" if "station" in capabilities else "unknown"


@lru_cache(maxsize=4096)
def _role_of_system(description: str) -> Role:
    system = description.lower()
    if any(word in system for word in _SWITCH_SYSTEMS):
        return "switch"
    return "host" if any(word in system for word in _HOST_SYSTEMS) else "unknown"


def local_role(form: str, ports: Sequence[str]) -> Role:
    """What the device is that a table is of: by its program, else by its ports."""
    if form.split(" ")[0] in ("SONiC", "Cumulus", "NVUE", "NX-OS", "EOS", "Junos"):
        return "switch"
    fabric = [port for port in ports if not is_management(port)]
    if any(is_of_switch(port) or _is_front_panel(port) for port in fabric):
        return "switch"
    return "host" if any(is_of_host(port) for port in fabric) else "unknown"


def _is_front_panel(port: str) -> bool:
    """SONiC's Ethernet0 to Ethernet508."""
    return port.startswith("Ethernet") and port[8:9].isdigit()


def stronger(one: Role, other: Role) -> Role:
    """The role of a device of which two entries speak."""
    if one == other:
        return one
    order: tuple[Role, ...] = ("switch", "host", "unknown")
    return min((one, other), key=order.index)
