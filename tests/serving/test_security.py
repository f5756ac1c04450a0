"""What a visitor can reach: pages, their files, and widget messages to the page's own kernel."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import urllib.error
import urllib.request
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_server.services.kernels.connection.base import (
    deserialize_msg_from_ws_v1,
    serialize_msg_to_ws_v1,
)
from served import FIXTURES, Served
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

V1 = "v1.kernel.websocket.jupyter.org"
ALL_CHANNELS = ("shell", "control")


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    server = Served(FIXTURES)
    yield server
    assert server.stop() == 0


class Visitor:
    """Someone who opened a page and now speaks to its kernel without a browser."""

    def __init__(self, server: Served, protocol: str | None) -> None:
        status, html = server.get("voila/render/transport.ipynb")
        assert status == 200
        found = re.search(r'"kernelId": "([0-9a-f-]{36})"', html)
        assert found
        self.kernel_id = found.group(1)
        self.host = server.url.removeprefix("http://").rstrip("/")
        self.protocol = protocol
        self.session = uuid.uuid4().hex
        self.socket: WebSocketClientConnection

    def request(self, origin: str | None = None) -> HTTPRequest:
        headers = {"Origin": origin} if origin else {}
        return HTTPRequest(
            f"ws://{self.host}/api/kernels/{self.kernel_id}/channels?session_id={self.session}",
            headers=headers,
        )

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        protocols = [self.protocol] if self.protocol else None
        self.socket = await websocket_connect(self.request(), subprotocols=protocols)
        assert self.socket.selected_subprotocol == self.protocol
        try:
            yield
        finally:
            self.socket.close()
            while await self.socket.read_message() is not None:
                continue

    async def send(self, kind: str, content: dict[str, Any], channel: str = "shell") -> str:
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": kind,
            "session": self.session,
            "username": "visitor",
            "version": "5.3",
            "date": "2026-01-01T00:00:00Z",
        }
        parts: list[dict[str, Any]] = [header, {}, {}, content]
        if self.protocol:
            frames = [json.dumps(part).encode() for part in parts]
            await self.socket.write_message(serialize_msg_to_ws_v1(frames, channel), binary=True)
        else:
            names = ("header", "parent_header", "metadata", "content")
            body = dict(zip(names, parts, strict=True)) | {"channel": channel, "buffers": []}
            await self.socket.write_message(json.dumps(body))
        return str(header["msg_id"])

    async def receive(self) -> dict[str, Any]:
        raw = await asyncio.wait_for(self.socket.read_message(), 30)
        assert raw is not None, "the server closed the connection"
        if isinstance(raw, str):
            return dict(json.loads(raw))
        channel, frames = deserialize_msg_from_ws_v1(raw)
        names = ("header", "parent_header", "metadata", "content")
        parts = [json.loads(frame) for frame in frames[:4]]
        return dict(zip(names, parts, strict=True)) | {"channel": channel}

    async def until_reply(self, msg_id: str, kind: str) -> list[dict[str, Any]]:
        """Everything that arrives up to the reply to one message."""
        arrived: list[dict[str, Any]] = []
        while True:
            message = await self.receive()
            arrived.append(message)
            header, parent = message["header"], message["parent_header"]
            if header["msg_type"] == kind and parent.get("msg_id") == msg_id:
                return arrived

    async def widget_states(self) -> dict[str, dict[str, Any]]:
        """State of each widget of the page, by the identifier of its comm."""
        asked = await self.send("comm_info_request", {"target_name": "jupyter.widget"})
        info = (await self.until_reply(asked, "comm_info_reply"))[-1]["content"]["comms"]
        states: dict[str, dict[str, Any]] = {}
        for comm in info:
            data = {"comm_id": comm, "data": {"method": "request_state"}}
            await self.send("comm_msg", data)
        while len(states) < len(info):
            message = await self.receive()
            content = message["content"]
            if message["header"]["msg_type"] == "comm_msg" and "state" in content["data"]:
                states[content["comm_id"]] = content["data"]["state"]
        return states


FORBIDDEN: dict[str, dict[str, Any]] = {
    "execute_request": {"code": "", "silent": False, "store_history": False, "allow_stdin": False},
    "complete_request": {"code": "import o", "cursor_pos": 8},
    "inspect_request": {"code": "open", "cursor_pos": 4, "detail_level": 1},
    "history_request": {"hist_access_type": "tail", "n": 10, "output": True, "raw": True},
    "is_complete_request": {"code": "1"},
    "debug_request": {"type": "request", "seq": 1, "command": "debugInfo", "arguments": {}},
    "create_subshell_request": {},
    "usage_request": {},
    "interrupt_request": {},
    "shutdown_request": {"restart": False},
}


@pytest.mark.parametrize("protocol", [None, V1], ids=["json", "v1"])
def test_a_visitor_cannot_run_code(server: Served, tmp_path: Path, protocol: str | None) -> None:
    mark = tmp_path / "ran"
    code = f"open({str(mark)!r}, 'w').close()"

    async def attack() -> tuple[set[str], list[dict[str, Any]]]:
        visitor = Visitor(server, protocol)
        sent: set[str] = set()
        arrived: list[dict[str, Any]] = []
        async with visitor.connected():
            for channel in ALL_CHANNELS:
                for kind, content in FORBIDDEN.items():
                    body = content | {"code": code} if kind == "execute_request" else content
                    sent.add(await visitor.send(kind, body, channel))
            # each channel answers in order: had the kernel taken one of them, it would answer first
            for channel in ALL_CHANNELS:
                last = await visitor.send("kernel_info_request", {}, channel)
                arrived += await visitor.until_reply(last, "kernel_info_reply")
        return sent, arrived

    sent, arrived = asyncio.run(attack())
    assert len(sent) == len(FORBIDDEN) * len(ALL_CHANNELS)
    assert [m for m in arrived if m["parent_header"].get("msg_id") in sent] == []
    assert not mark.exists()
    for kind in FORBIDDEN:
        assert f'"{kind}", which is not allowed' in server.log


@pytest.mark.parametrize("protocol", [None, V1], ids=["json", "v1"])
def test_widget_messages_are_accepted(server: Served, protocol: str | None) -> None:
    async def drag() -> dict[str, Any]:
        visitor = Visitor(server, protocol)
        async with visitor.connected():
            states = await visitor.widget_states()
            slider = next(c for c, s in states.items() if s["_model_name"] == "IntSliderModel")
            data = {"method": "update", "state": {"value": 7}, "buffer_paths": []}
            await visitor.send("comm_msg", {"comm_id": slider, "data": data})
            while True:
                message = await visitor.receive()
                state = message["content"].get("data", {}).get("state", {})
                if state.get("revision") == 7:
                    return dict(state)

    assert asyncio.run(drag())["data"]["note"] == [{"text": "ranks 7"}]


def test_another_site_cannot_speak_to_a_kernel(server: Served) -> None:
    async def connect() -> None:
        visitor = Visitor(server, None)
        await websocket_connect(visitor.request(origin="http://elsewhere.example"))

    with pytest.raises(HTTPClientError, match="403"):
        asyncio.run(connect())


@pytest.mark.parametrize(
    "path",
    [
        "voila/tree",
        "voila/tree/",
        "voila/files/transport.ipynb",
        "voila/files/chart.png",
        "voila/api/contents",
        "voila/api/contents/transport.ipynb",
        "api/contents",
        "api/kernels",
        "api/kernelspecs",
        "api/sessions",
        "api/terminals",
        "api/config/x",
        "api/shutdown",
        "files/transport.ipynb",
        "tree",
        "lab",
        "terminals/1",
        "metrics",
        "netdesign/static/server.py",
    ],
)
def test_other_addresses_do_not_exist(server: Served, path: str) -> None:
    status, body = server.get(path)
    assert status == 404
    assert "transport.ipynb" not in body


@pytest.mark.parametrize("path", ["api/kernels", "api/sessions", "api/contents", "api/terminals"])
def test_nothing_can_be_started_by_post(server: Served, path: str) -> None:
    before = len(server.kernels())
    request = urllib.request.Request(server.url + path, data=b'{"name": "python3"}', method="POST")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    with refused.value as error:
        assert error.code == 404
    assert len(server.kernels()) == before


@pytest.mark.parametrize(
    "path",
    [
        "netdesign/static/..%2fserver.py",
        "netdesign/static/%2e%2e/server.py",
        "netdesign/static//etc/passwd",
        "voila/static/..%2f..%2fapp.py",
        "voila/templates/netdesign/static/..%2findex.html.j2",
        "voila/render/..%2f..%2fserved.py",
        "voila/render/%2fetc%2fpasswd",
        "voila/render/conftest.py",
    ],
)
def test_no_path_leads_out_of_the_folders(server: Served, path: str) -> None:
    status, body = server.get(path)
    assert status in (403, 404)
    assert "import" not in body
    assert "root:" not in body


def test_a_visitor_does_not_choose_the_template(server: Served) -> None:
    status, html = server.get("voila/render/formula.ipynb?template=reveal&theme=dark")
    assert status == 200
    assert "nd-nav" in html
    assert "reveal" not in html


def test_a_query_is_not_markup(server: Served) -> None:
    for path in ('?a="><script>alert(1)</script>', "?a=%22%3E%3Cscript%3E"):
        for page in ("", "voila/render/formula.ipynb", "nowhere"):
            _, html = server.get(page + path.replace("<", "%3C").replace('"', "%22"))
            assert "<script>alert" not in html


def test_sources_are_not_sent(server: Served) -> None:
    _, html = server.get("voila/render/transport.ipynb")
    assert "ipywidgets" not in html
    _, html = server.get("voila/render/failing.ipynb")
    assert "RuntimeError" not in html


def test_pages_name_no_other_host(server: Served) -> None:
    for path in ("", "nowhere", "voila/render/formula.ipynb"):
        _, html = server.get(path)
        hosts = set(re.findall(r"(?:href|src)=[\"']?((?:https?:)?//[^\"'> ]+)", html))
        assert hosts == set()
