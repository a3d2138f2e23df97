"""A static server for any site: compressed with gzip as hosts do, on this machine, and it counts what it sends.

Counting at the server catches what a browser's tools miss, such as what workers ask for.
"""

from __future__ import annotations

import gzip
import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

LEVEL = 6
"""Of gzip, as common hosts have it."""
COMPRESSED = ("text/", "application/javascript", "application/json", "application/xml", "image/svg")
"""The beginnings of types that are compressed; fonts and pictures are already."""


@dataclass(slots=True)
class Traffic:
    """What was sent since the last reset."""

    bytes: int = 0
    """Bytes of bodies and headers."""
    script_bytes: int = 0
    """Bytes of it that are programs."""
    requests: int = 0
    """How many answers there were, those for missing files included."""
    missing: list[str] = field(default_factory=list)
    """Paths that were asked for and are not there."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while the figures are changed: connections are served side by side."""

    def reset(self) -> None:
        """Begin to count anew."""
        with self.lock:
            self.bytes = self.script_bytes = self.requests = 0
            self.missing = []


@contextmanager
def serving(site: Path) -> Iterator[tuple[str, Traffic]]:
    """The address of a server for a folder, and what it sends."""
    traffic = Traffic()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, site.resolve(), traffic, {}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", traffic
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept, as hosts keep them

    def __init__(self, site: Path, traffic: Traffic, zipped: dict[Path, bytes], *arguments: object) -> None:
        self._site, self._traffic, self._zipped = site, traffic, zipped
        super().__init__(*arguments)  # type: ignore[arg-type]  # what the server passes to any handler

    def do_GET(self) -> None:
        asked = unquote(urlsplit(self.path).path).lstrip("/")
        file = (self._site / asked).resolve()
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file() or not file.is_relative_to(self._site):
            self._send(HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", b"not found", asked)
            return
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        kind = "text/javascript" if file.suffix in {".js", ".mjs"} else kind
        body = file.read_bytes()
        if kind.startswith(COMPRESSED) and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = self._zipped.setdefault(file, gzip.compress(body, LEVEL, mtime=0))
            self._send(HTTPStatus.OK, kind, body, encoding="gzip")
        else:
            self._send(HTTPStatus.OK, kind, body)

    def _send(self, status: HTTPStatus, kind: str, body: bytes, missing: str = "", encoding: str = "") -> None:
        head = {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "max-age=600"}
        if encoding:
            head["Content-Encoding"] = encoding
        size = len(body) + sum(len(name) + len(value) + 4 for name, value in head.items())
        with self._traffic.lock:
            self._traffic.requests += 1
            self._traffic.bytes += size
            self._traffic.script_bytes += size if "javascript" in kind else 0
            self._traffic.missing += [missing] if missing else []
        self.send_response(status)
        for name, value in head.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing."""
