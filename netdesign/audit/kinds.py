"""Every kind of file that is read, the most telling first: it names a file that holds several."""

from __future__ import annotations

from netdesign.audit.kind import Kind

KINDS: tuple[Kind, ...] = ()
