"""Which of Voila's script chunks a page is certain to load.

Voila's entry script asks for its chunks only when it runs itself: at the end of the page, after the
kernel has done its work. A page that names them in its head has them by then. The entry script
lists them, so the names are read from it, whichever version is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

ENTRY = "voila.js"
REQUEST = re.compile(r"\.e\((\d+)\)")


def startup_chunks(folders: Iterable[str | Path]) -> list[str]:
    """File names of the chunks that Voila's entry script requests, in its order.

    ``folders`` are searched in order for the entry script; an entry script that reads differently
    gives no names, and the page loads as Voila has it.
    """
    folder = next((Path(path) for path in folders if (Path(path) / ENTRY).is_file()), None)
    if folder is None:
        return []
    requested = dict.fromkeys(REQUEST.findall((folder / ENTRY).read_text(encoding="utf-8")))
    names = (f"{number}.{ENTRY}" for number in requested)
    # a number without a file stands for a module that several chunks share
    return [name for name in names if (folder / name).is_file()]
