"""A ZIP archive without the clock in it: the same content gives the same bytes."""

from __future__ import annotations

import datetime
import os
import zipfile
from pathlib import Path
from typing import Any, Final

# The first moment that a ZIP archive can name.
NO_TIME: Final = datetime.datetime(1980, 1, 1)


class TimelessZip(zipfile.ZipFile):
    """A ``ZipFile`` whose members all carry the same date."""

    def writestr(self, zinfo_or_arcname: Any, data: Any, *_: Any, **__: Any) -> None:
        """Store data under a name; the date is ``NO_TIME``."""
        name = getattr(zinfo_or_arcname, "filename", zinfo_or_arcname)
        member = zipfile.ZipInfo(name, NO_TIME.timetuple()[:6])
        member.compress_type = zipfile.ZIP_DEFLATED
        member.external_attr = 0o644 << 16
        super().writestr(member, data)

    def write(
        self, filename: str | os.PathLike[str], arcname: Any = None, *_: Any, **__: Any
    ) -> None:
        """Store a file under a name; the date is ``NO_TIME``."""
        self.writestr(arcname or Path(filename).name, Path(filename).read_bytes())
