"""LLDP: who is at the other end of each port, as the switches themselves hear it."""

from __future__ import annotations

from netdesign.audit.kind import Kind
from netdesign.audit.lldp.judge import judge
from netdesign.audit.lldp.reader import NEEDLES, SIGNATURE, is_empty, read_lldp
from netdesign.audit.lldp.summary import summarise

KIND = Kind(
    name="lldp",
    title="LLDP neighbours",
    needles=NEEDLES,
    signature=SIGNATURE,
    read=read_lldp,
    summarise=summarise,
    judge=judge,
    is_empty=is_empty,
)
