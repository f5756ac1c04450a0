"""A document as topologies, whichever of the two files it is."""

from __future__ import annotations

import re

from netdesign.audit.document import Document
from netdesign.audit.report import Understood
from netdesign.audit.slurm_topology.conf import read_conf
from netdesign.audit.slurm_topology.content import SlurmContent
from netdesign.audit.slurm_topology.draft import Draft
from netdesign.audit.slurm_topology.yaml_lines import read_yaml

NEEDLES = (
    *(b"witchName", b"witchname", b"WITCHNAME", b"lockName", b"lockname", b"LOCKNAME"),
    *(b"ingName", b"ingname", b"RINGNAME", b"topology:", b'topology":'),
    *(b"Nodes=", b"nodes=", b"NODES="),  # for keys in any other mix of letters
)
SIGNATURE = re.compile(
    r"(?:^|[\s>|`])(?:Switch|Block|Ring)Name\s{0,8}="
    r"|^\s{0,40}(?:-\s{1,20})?\{?\s{0,20}[\"']?topology[\"']?\s{0,4}:",
    re.IGNORECASE,
)
_YAML_NEEDLES = (b"topology:", b'topology":', b"topology :")


def read_slurm(document: Document) -> tuple[SlurmContent, Understood]:
    """Every topology in a document, and the lines that were used."""
    draft, used = Draft(), Understood()
    read_conf(document, draft, used)
    if any(document.has(needle) >= 0 for needle in _YAML_NEEDLES):
        read_yaml(document, draft, used)
    return draft.finished(), used


def is_empty(content: SlurmContent) -> bool:
    """Whether nothing of it is a topology of Slurm after all."""
    return not any(
        entry.plugin == "flat" or (entry.plugin != "unknown" and entry.units)
        for entry in content.topologies
    )
