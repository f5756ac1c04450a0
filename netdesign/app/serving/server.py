"""Voila with what a page needs and nothing else.

Of Voila's own addresses a visitor keeps: the pages, their static files, and the web socket of the
kernel that the page started, which takes widget messages only. Listing folders, reading files and
choosing a template are gone.
"""

from __future__ import annotations

import logging
import socket
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import zmq
from jupyter_server.utils import url_path_join
from nbformat import NotebookNode
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.log import gen_log
from tornado.web import HTTPError, RequestHandler, StaticFileHandler
from traitlets.config import Config
from voila.app import Voila
from voila.handler import BaseVoilaHandler
from voila.static_file_handler import TemplateStaticFileHandler

from netdesign.app.serving.chunks import startup_chunks
from netdesign.app.serving.kernels import KERNEL_NAME, ServingKernelSpecManager
from netdesign.app.serving.pages import PAGES, page_of

SERVING = Path(__file__).resolve().parent
STATIC_FOLDERS = (SERVING / "static", SERVING.parent / "transport" / "static")

WIDGET_MESSAGES = (
    "comm_open",
    "comm_close",
    "comm_msg",
    "comm_info_request",
    "kernel_info_request",
)

CLOSED_ADDRESSES = (
    "/voila/tree",
    "/voila/files/",
    "/voila/api/contents",
    "/voila/api/themes",
    "/voila/templates",
)

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        # vega compiles its expressions, anywidget imports modules from blobs
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' blob: data:",
        "object-src 'none'",
        "base-uri 'self'",
        "frame-ancestors 'self'",
    )
)


class StaticPageHandler(BaseVoilaHandler):
    """A page that needs no kernel."""

    def render_template(self, name: str, **names: Any) -> str:
        pages = self.voila_configuration.resources["netdesign"]["pages"]
        return str(super().render_template(name, pages=pages, **names))


class HomeHandler(StaticPageHandler):
    """The home page: a door to each page."""

    async def get(self) -> None:
        self.set_header("Cache-Control", "no-cache")
        self.write(self.render_template("tree.html", query=self.request.query))


class NotFoundHandler(StaticPageHandler):
    """Every address that is not ours."""

    def check_xsrf_cookie(self) -> None:
        return

    async def prepare(self) -> None:
        await super().prepare()
        raise HTTPError(404)


class AssetHandler(StaticFileHandler):
    """Stylesheet and scripts; the browser asks whether they changed."""

    def initialize(self, folders: Sequence[Path]) -> None:  # type: ignore[override]
        self.folders = folders
        super().initialize(path=str(folders[0]))

    def parse_url_path(self, url_path: str) -> str:
        for folder in self.folders:
            if url_path in {file.name for file in folder.iterdir()}:
                self.root = str(folder)
                return url_path
        raise HTTPError(404)

    def set_extra_headers(self, path: str) -> None:
        self.set_header("Cache-Control", "no-cache")
        self.set_header("X-Content-Type-Options", "nosniff")


class TemplateAssetHandler(TemplateStaticFileHandler):
    """Voila's own scripts: an address that is not one of theirs does not exist."""

    def parse_url_path(self, path: str) -> str:
        parts = path.split("/")
        if len(parts) < 3 or parts[1] != "static" or ".." in parts:
            raise HTTPError(404)
        return str(super().parse_url_path(path))


def is_news(record: logging.LogRecord) -> bool:
    """Whether a line belongs in the log.

    No notebook that we serve was ever signed. And a socket is given up after three pings without
    an answer; tornado would have it at most one, which loses every socket of a page that answers.
    """
    line = record.getMessage()
    return not (line.endswith("is not trusted") or line.startswith("The websocket_ping_timeout ("))


def prepare_page(handler: RequestHandler, notebook: NotebookNode, cwd: str) -> NotebookNode:
    """Before a page's kernel starts.

    Reading the token makes the server set its cookie. The page's farewell on closing is refused
    without it, and the kernel would stay (voila #1458).
    """
    del cwd
    _ = handler.xsrf_token
    notebook.metadata["kernelspec"] = {
        "name": KERNEL_NAME,
        "display_name": "Python",
        "language": "python",
    }
    page = page_of(handler.request.path)
    if page is not None:
        notebook.metadata["title"] = f"{page.title} · netdesign"
    return notebook


class WorkbookServer(Voila):
    """Voila on sockets that are already ours."""

    def __init__(self, sockets: Sequence[socket.socket] = (), **traits: Any) -> None:
        super().__init__(**traits)
        for log in (self.log, gen_log):
            log.addFilter(is_news)
        self.sockets = list(sockets)
        self.compress = False

    def setup_template_dirs(self) -> None:
        super().setup_template_dirs()
        resources = self.voila_configuration.config.VoilaConfiguration.resources
        resources["netdesign"]["chunks"] = startup_chunks(self.static_paths)

    def init_settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = super().init_settings()
        self.kernel_manager.allowed_message_types = list(WIDGET_MESSAGES)
        settings["headers"] = {
            "Content-Security-Policy": CONTENT_SECURITY_POLICY,
            "Referrer-Policy": "same-origin",
        }
        settings["compress_response"] = self.compress
        return settings

    def init_handlers(self) -> list[Any]:
        def ours(path: str) -> str:
            return str(url_path_join(self.server_url, path))

        closed = tuple(ours(path) for path in CLOSED_ADDRESSES)
        kept = [
            handler
            for handler in super().init_handlers()
            if handler[0] != self.server_url and not handler[0].startswith(closed)
        ]
        page = {"voila_configuration": self.voila_configuration}
        return [
            (self.server_url, HomeHandler, page),
            (ours("/netdesign/static/(.*)"), AssetHandler, {"folders": STATIC_FOLDERS}),
            (ours("/voila/templates/(.*)"), TemplateAssetHandler),
            *kept,
            (r".*", NotFoundHandler, page),
        ]

    def listen(self) -> None:
        HTTPServer(self.app).add_sockets(self.sockets)
        self.ioloop = IOLoop.current()
        print(f"netdesign is at {self.display_url}  (Ctrl-C stops it)", flush=True)
        if self.open_browser:
            self.launch_browser()
        try:
            self.ioloop.start()
        except KeyboardInterrupt:
            print("\nStopping.", flush=True)
        finally:
            self.stop()

    def launch_browser(self) -> None:
        try:
            browser = webbrowser.get()
        except webbrowser.Error:
            return
        threading.Thread(target=browser.open, args=(self.connection_url,), daemon=True).start()


def configuration(notebooks: Path, host: str, port: int, base_url: str) -> Config:
    """Voila's settings, all in one place; no file on the user's machine is read for them."""
    pages = [asdict(page) for page in PAGES if (notebooks / page.notebook).is_file()]
    config = Config()
    config.Voila.root_dir = str(notebooks)
    config.Voila.ip = host
    config.Voila.port = port
    config.Voila.base_url = base_url
    config.Voila.config_file_paths = []
    config.Voila.log_level = "WARN"
    page = config.VoilaConfiguration
    page.template = "netdesign"
    page.allow_template_override = "NO"
    page.allow_theme_override = "NO"
    page.show_tracebacks = False
    page.preheat_kernel = False
    page.prelaunch_hook = prepare_page
    page.kernel_spec_manager_class = ServingKernelSpecManager
    page.extension_allowlist = [
        "@voila-dashboards/widgets-manager8",
        "@jupyter-widgets/jupyterlab-manager",
        "anywidget",
    ]
    page.resources = {
        "netdesign": {"base_url": base_url, "pages": pages},
    }
    config.VoilaExecutor.cell_error_instruction = ""
    config.VoilaExecutor.cell_timeout_instruction = ""
    if zmq.has("curve"):
        config.KernelManager.transport_encryption = "auto"
    # cull_connected stays False: an open tab is not idle
    config.MappingKernelManager.cull_interval = 60
    config.MappingKernelManager.cull_idle_timeout = 1800
    return config
