"""A real server on a free port, for tests that talk to it over HTTP or through a browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import psutil

FIXTURES = Path(__file__).parent / "browser" / "fixtures"
START = """
import sys
from pathlib import Path
from netdesign.app.serving.serve import serve
folder, base_url = sys.argv[1:]
sys.exit(serve(port=0, open_browser=False, notebooks=Path(folder), base_url=base_url))
"""


def wait_until(condition: Callable[[], object], seconds: float, what: str) -> None:
    """Poll: a bound against hanging, not a measurement."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"after {seconds} s still not: {what}")
        time.sleep(0.1)


class Served:
    """A running server. Its address is the one that this very process printed."""

    def __init__(self, notebooks: Path, base_url: str = "/") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, str(notebooks), base_url],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        wait_until(lambda: self._address() or self.process.poll() is not None, 60, "started")
        address = self._address()
        assert address, self.log
        self.url = address

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
        self.process.stdout.close()

    def _address(self) -> str | None:
        found = re.search(r"netdesign is at (http://\S+)", self.log)
        return found.group(1) if found else None

    @property
    def log(self) -> str:
        """What the server has printed."""
        return "".join(self.lines)

    def page(self, notebook: str, query: str = "") -> str:
        """Address of a notebook's page."""
        return f"{self.url}voila/render/{notebook}{'?' + query if query else ''}"

    def get(self, path: str) -> tuple[int, str]:
        """Status and body of an address of this server."""
        try:
            with urllib.request.urlopen(self.url + path) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def kernels(self) -> list[psutil.Process]:
        """The kernels that this server runs."""
        found = []
        for child in psutil.Process(self.process.pid).children(recursive=True):
            try:
                if "ipykernel_launcher" in child.cmdline():
                    found.append(child)
            except psutil.Error:
                continue
        return found

    def stop(self) -> int:
        """Ask the server to end, as a service manager does."""
        self.process.terminate()
        try:
            status = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait(20)
        self._reader.join(10)
        return status
