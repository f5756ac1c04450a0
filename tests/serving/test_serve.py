"""Starting and stopping the server."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from served import FIXTURES, Served, wait_until

from netdesign.app.serving.pages import PAGES, notebooks_folder, page_of
from netdesign.app.serving.serve import serve


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
    assert len({page.notebook for page in PAGES}) == len(PAGES) == 3
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
