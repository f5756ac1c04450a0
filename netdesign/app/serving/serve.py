"""``netdesign serve``: check the port, then serve the workbook's pages until told to stop."""

from __future__ import annotations

import errno
import os
import socket
import sys
from contextlib import ExitStack
from pathlib import Path

from netdesign.app.serving.pages import notebooks_folder

SHARE = Path(__file__).resolve().parent / "share"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def _refused(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else 8866
        return (
            f"Port {port} is already taken on {host}. Choose another: "
            f"netdesign serve --port {other} (or PORT={other} make app)."
        )
    if error.errno == errno.EACCES:
        return f"Port {port} needs administrator rights. Choose one above 1023, such as 8866."
    return f"netdesign cannot listen on {host}, port {port}: {error.strerror or error}."


def listening_sockets(host: str, port: int) -> list[socket.socket]:
    """Sockets on every address of ``host``, all on one port.

    Raises OSError if the port is not to be had; nothing stays open then.
    """
    with ExitStack() as opened:
        sockets: list[socket.socket] = []
        missing: OSError | None = None
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        for family, address in sorted({(info[0], info[4][0]) for info in found}):
            try:
                chosen = sockets[0].getsockname()[1] if sockets else port
                listener = socket.create_server((str(address), chosen), family=family)
            except OSError as error:
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                    raise
                missing = error  # a name may stand for an address that this machine lacks
                continue
            listener.setblocking(False)
            sockets.append(opened.enter_context(listener))
        if not sockets:
            raise missing or OSError(errno.EADDRNOTAVAIL, f"{host} has no address")
        opened.pop_all()
        return sockets


def serve(
    port: int = 8866,
    open_browser: bool = True,
    notebooks: Path | None = None,
    host: str = "localhost",
    base_url: str = "/",
) -> int:
    """Serve the pages; returns the exit status (2: could not start, and one sentence said why).

    ``port`` 0 takes any free one. ``base_url`` is the path under which a proxy offers the pages.
    """
    folder = (notebooks or notebooks_folder()).resolve()
    if not folder.is_dir():
        print(f"There is no folder of notebooks at {folder}.", file=sys.stderr)
        return 2
    if not 0 <= port <= 65535:
        print(f"Port {port} does not exist: choose one from 1024 to 65535.", file=sys.stderr)
        return 2

    try:
        sockets = listening_sockets(host, port)
    except OSError as error:
        print(_refused(host, port, error), file=sys.stderr)
        return 2
    _run(sockets, open_browser, folder, host, base_url)
    return 0


def _run(
    sockets: list[socket.socket], open_browser: bool, folder: Path, host: str, base_url: str
) -> None:
    path = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = os.pathsep.join([str(SHARE), *([path] if path else [])])

    from netdesign.app.serving.server import WorkbookServer, configuration

    base_url = f"/{base_url.strip('/')}/".replace("//", "/")
    port = sockets[0].getsockname()[1]
    # as the application's one instance, so that Voila's parts find its log
    server = WorkbookServer.instance(
        sockets=sockets, config=configuration(folder, host, port, base_url)
    )
    server.open_browser = open_browser
    server.compress = host not in LOOPBACK
    server.initialize([])
    server.start()
