"""Headings of the tables that programs print, and what each of their columns is."""

from __future__ import annotations

# Titles of a heading, in their order, with what each column is.
FORMS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "SONiC table",
        (
            ("localport", "local"),
            ("remotedevice", "name"),
            ("remoteportid", "port"),
            ("capability", "letters"),
            ("remoteportdescr", "description"),
        ),
    ),
    (
        "Cumulus table",
        (
            ("localport", "local"),
            ("speed", "speed"),
            ("mode", ""),
            ("remotehost", "name"),
            ("remoteport", "port"),
        ),
    ),
    (
        "NetQ table",
        (
            ("hostname", "device"),
            ("interface", "local"),
            ("peer hostname", "name"),
            ("peer interface", "port"),
        ),
    ),
    (
        "NVUE table",
        (
            ("interface", "local"),
            ("speed", "speed"),
            ("remote host", "name"),
            ("remote port", "port"),
        ),
    ),
    (
        "NVUE neighbours",
        (("neighbor", "name"), ("remote ip", ""), ("remote port", "port")),
    ),
    (
        "NX-OS table",
        (
            ("device id", "name"),
            ("local intf", "local"),
            ("hold-time", "hold"),
            ("capability", "letters"),
            ("port id", "port"),
        ),
    ),
    (
        "EOS table",
        (
            ("port", "local"),
            ("neighbor device id", "name"),
            ("neighbor port id", "port"),
            ("ttl", "hold"),
        ),
    ),
    (
        "Junos table",
        (
            ("local interface", "local"),
            ("chassis id", "chassis"),
            ("port info", "port"),
        ),
    ),
    *(
        (
            "Onyx table",
            (
                ("local interface", "local"),
                (f"{word} id", "chassis"),
                ("port id", "port"),
                ("system name", "name"),
            ),
        )
        for word in ("device", "chassis")
    ),
    *(
        (
            "networkctl table",
            (
                ("link", "local"),
                (f"chassis{mark}id", "chassis"),
                (f"system{mark}name", "name"),
                ("caps", ""),
                (f"port{mark}id", "port"),
                (f"port{mark}description", "description"),
            ),
        )
        for mark in "- "
    ),
    (
        "Comware table",
        (
            ("system name", "name"),
            ("local interface", "local"),
            ("chassis id", "chassis"),
            ("port id", "port"),
        ),
    ),
    (
        "Huawei table",
        (
            ("local intf", "local"),
            ("neighbor dev", "name"),
            ("neighbor intf", "port"),
            ("exptime", ""),
        ),
    ),
    (
        "Huawei table",
        (
            ("local interface", "local"),
            ("exptime(s)", ""),
            ("neighbor interface", "port"),
            ("neighbor device", "name"),
        ),
    ),
    (
        "Dell table",
        (
            ("loc portid", "local"),
            ("rem host name", "name"),
            ("rem port id", "port"),
            ("rem chassis id", "chassis"),
        ),
    ),
    (
        "AOS-CX table",
        (
            ("local-port", "local"),
            ("chassis-id", "chassis"),
            ("port-id", "port"),
            ("port-desc", "description"),
            ("ttl", ""),
            ("sys-name", "name"),
        ),
    ),
)
