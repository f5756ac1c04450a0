"""Starting and stopping the server."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from served import FIXTURES, Served, wait_until
from typer.testing import CliRunner

from netdesign.app.serving.chunks import startup_chunks
from netdesign.app.serving.pages import PAGES, notebooks_folder, page_of
from netdesign.app.serving.serve import serve
from netdesign.cli import app


def test_a_taken_port_is_said_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("localhost", 0))
        other.listen()
        port = other.getsockname()[1]
        assert serve(port=port, open_browser=False, notebooks=FIXTURES) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"Port {port} is already taken")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("port", [-1, 65536])
def test_an_impossible_port(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve(port=port, open_browser=False) == 2
    assert f"Port {port} does not exist" in capsys.readouterr().err


def test_a_missing_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve(open_browser=False, notebooks=tmp_path / "nowhere") == 2
    assert "nowhere" in capsys.readouterr().err


def test_an_address_of_another_machine(capsys: pytest.CaptureFixture[str]) -> None:
    # 192.0.2.0/24 belongs to documentation: no machine has it
    assert serve(port=0, open_browser=False, notebooks=FIXTURES, host="192.0.2.1") == 2
    assert "cannot listen on 192.0.2.1" in capsys.readouterr().err


def test_stopping_ends_the_kernels() -> None:
    server = Served(FIXTURES)
    assert server.get("voila/render/formula.ipynb")[0] == 200
    kernels = server.kernels()
    assert len(kernels) == 1
    assert server.stop() == 0
    wait_until(lambda: not any(k.is_running() for k in kernels), 20, "the kernels have ended")


def test_every_door_has_a_page() -> None:
    assert len({page.notebook for page in PAGES}) == len(PAGES)
    assert page_of("/voila/render/studio.ipynb") is PAGES[0]
    assert page_of("/voila/render/other.ipynb") is None


def test_home_shows_the_doors_that_exist() -> None:
    server = Served(notebooks_folder())
    status, html = server.get("?design=x")
    kernels = server.kernels()
    server.stop()
    assert status == 200
    assert '<html lang="en">' in html
    assert kernels == []
    for page in PAGES:
        assert (f'href="/voila/render/{page.notebook}?design=x"' in html) == (
            notebooks_folder() / page.notebook
        ).is_file()


def test_under_a_path_of_a_proxy(tmp_path: Path) -> None:
    (tmp_path / PAGES[0].notebook).write_bytes((FIXTURES / "formula.ipynb").read_bytes())
    server = Served(tmp_path, base_url="/tools/netdesign")
    assert server.url.endswith("/tools/netdesign/")
    home = server.get("")[1]
    page = server.get(f"voila/render/{PAGES[0].notebook}")
    asset = server.get("netdesign/static/netdesign.css")
    server.stop()
    assert 'href="/tools/netdesign/voila/render/studio.ipynb"' in home
    assert page[0] == 200
    assert "<title>Design Studio · netdesign</title>" in page[1]
    assert asset[0] == 200


def test_transport_imports_nothing_heavy() -> None:
    code = (
        "import sys, netdesign.app.transport;"
        "print(sorted({'altair', 'pandas', 'vl_convert', 'scipy', 'voila'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_page_may_miss_pings() -> None:
    # a pong is looked for when the next ping is due: a bound of one interval loses live sockets
    code = f"""
from pathlib import Path
from jupyter_server.base.websocket import WebSocketMixin
from netdesign.app.serving.serve import serve
from netdesign.app.serving.server import WorkbookServer

def listen(self):
    socket = type("Socket", (WebSocketMixin,), {{"settings": self.app.settings}})()
    print(socket.ping_interval, socket.ping_timeout)

WorkbookServer.listen = listen
serve(port=0, open_browser=False, notebooks=Path({str(FIXTURES)!r}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    interval, timeout = (float(word) for word in done.stdout.split())
    assert interval > 0
    assert timeout >= 2 * interval


def test_the_log_keeps_what_is_news() -> None:
    code = """
import logging, sys
from tornado.log import gen_log
from netdesign.app.serving.server import WorkbookServer
WorkbookServer()
gen_log.addHandler(logging.StreamHandler(sys.stdout))
gen_log.warning("The websocket_ping_timeout (90000) cannot be longer than the interval (30000).")
gen_log.warning("Connect error")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Connect error\n"


def test_startup_chunks_are_those_that_the_entry_script_asks_for(tmp_path: Path) -> None:
    empty, voila, later = (tmp_path / name for name in ("empty", "voila", "later"))
    for folder in (empty, voila, later):
        folder.mkdir()
    script = "Promise.all([x.e(12),x.e(7),x.e(99)]).then(x.e(12))"
    (voila / "voila.js").write_text(script)
    (later / "voila.js").write_text("x.e(5)")
    for number in (5, 7, 12):
        (voila / f"{number}.voila.js").touch()
        (later / f"{number}.voila.js").touch()
    assert startup_chunks([empty, voila, later]) == ["12.voila.js", "7.voila.js"]
    assert startup_chunks([later]) == ["5.voila.js"]
    assert startup_chunks([empty]) == []


def test_a_page_names_its_chunks_and_its_kernel_sends_no_echo() -> None:
    server = Served(FIXTURES, base_url="/tools")
    html = server.get("voila/render/formula.ipynb")[1]
    head = html[: html.index("</head>")]
    named = re.findall(r'<script async src="/tools/(voila/static/\d+\.voila\.js)"', head)
    found = {server.get(address)[0] for address in named}
    (kernel,) = server.kernels()
    echo = kernel.environ()["JUPYTER_WIDGETS_ECHO"]
    server.stop()
    # if this fails with another Voila, its entry script names chunks in another way
    assert len(named) > 20
    assert found == {200}
    assert echo == "0"


def test_the_command_line_takes_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def serve(*, host: str, **_: object) -> int:
        seen.append(host)
        return 0

    monkeypatch.setattr("netdesign.app.serving.serve.serve", serve)
    for words in ([], ["--host", "0.0.0.0"]):
        assert CliRunner().invoke(app, ["serve", *words]).exit_code == 0
    assert seen == ["localhost", "0.0.0.0"]
