"""What the words that describe a system say about its hardware.

Rows of ``data/hardware_words.csv`` map a description ("H100-SXM5-80GB", "TCP sockets over IPoIB
(HDR)") to the kinds for which constants are known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from netdesign.catalog import data_directory
from netdesign.catalog.nccl import hardware_words

GENERATIONS = ("volta", "turing", "ampere", "ada", "hopper", "blackwell", "cdna3", "cdna4")
LINKS = ("nvlink2", "nvlink3", "nvlink4", "nvlink5", "pcie-3", "pcie-4", "pcie-5", "xgmi")
FABRICS = (
    "infiniband",
    "roce",
    "efa",
    "efa-1",
    "gpudirect-tcpxo",
    "gpudirect-tcpx",
    "slingshot",
    "tcp",
)


@dataclass(frozen=True)
class Hardware:
    """Kinds of accelerator, link inside a domain and network; blank where no word is known.

    ``mesh`` says that the links join GPUs without a switch; ``domain`` is the number of GPUs that
    the links join where they reach beyond one server, 0 where they do not.
    """

    generation: str
    link: str
    mesh: bool
    domain: int
    fabric: str


@cache
def described(accelerator: str, link: str, fabric: str) -> Hardware:
    """Kinds that descriptions name; a blank link is that of the accelerator's usual server.

    Parameters
    ----------
    accelerator, link, fabric : str     as a person writes them
    """
    kind = kind_of("link", link) or kind_of("link", accelerator)
    name, mesh, domain = kind, False, 0
    if kind.startswith("nvlink"):
        name, _, shape = kind.partition("-")
        mesh, domain = shape == "mesh", int(shape) if shape.isdigit() else 0
    return Hardware(
        kind_of("accelerator", accelerator), name, mesh, domain, kind_of("fabric", fabric)
    )


@cache
def kind_of(column: str, text: str) -> str:
    """The kind that a text names, blank if none.

    Parameters
    ----------
    column : str    accelerator, link or fabric
    text : str
    """
    for word in hardware_words(data_directory()):
        if word.column == column and re.search(word.pattern, text, re.IGNORECASE):
            return word.kind
    return ""
