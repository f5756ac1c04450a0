"""Which three bytes stand in a row somewhere in a file: what is not there need not be sought.

One pass takes 0.2 s for 100 MB; to look there for a hundred short texts one by one takes 10 s.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netdesign.audit.line_split import Bytes

_BLOCK = 1 << 20
_LENGTH = 3
_LOW = 0xFFFFFF  # three bytes of four
Triples = npt.NDArray[np.bool_]


def triples_of(content: Bytes) -> Triples:
    """For each three bytes, the first one the lowest, whether they stand in a row; (2**24,)."""
    seen = np.zeros(_LOW + 1, dtype=bool)
    for place in range(0, len(content), _BLOCK):
        block = bytes(content[place : place + _BLOCK + _LENGTH]) + bytes(_LENGTH + 1)
        for offset in range(4):
            words = np.frombuffer(block, "<u4", (len(block) - offset) // 4, offset)
            seen[words & _LOW] = True
    return seen


def may_hold(seen: Triples, needle: bytes) -> bool:
    """Whether every three bytes of a text stand in a file; of a shorter one it is not known."""
    return all(
        seen[int.from_bytes(needle[place : place + _LENGTH], "little")]
        for place in range(len(needle) - _LENGTH + 1)
    )
