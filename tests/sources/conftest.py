"""What the tests of pinned sources share: manifests, archives, a git repository and a web server, all made here."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from atlas.entries.manifest import Manifest
from atlas.sources.blob import blob_id
from atlas.sources.store import PinnedText, lines_of


@pytest.fixture
def files(upstream: dict[str, bytes]) -> dict[str, bytes]:
    return upstream


@pytest.fixture
def make_manifest(upstream: dict[str, bytes]) -> Callable[..., Manifest]:
    raw: dict[str, Any] = {
        "title": "Project",
        "repository": "https://git.example/owner/project",
        "revision": "0123456789abcdef0123456789abcdef01234567",
        "license": "MIT",
        "license_text": "licenses/MIT.txt",
        "copyright": "2020 The authors of the project",
        "files": {path: {"blob": blob_id(content)} for path, content in upstream.items()},
    }
    return lambda **changes: Manifest.model_validate(raw | changes)


@pytest.fixture
def pinned(make_manifest: Callable[..., Manifest]) -> Callable[..., PinnedText]:
    def make(text: str, path: str = "pkg/layers.py") -> PinnedText:
        blob = blob_id(text.encode())
        manifest = make_manifest(files={path: {"blob": blob}})
        return PinnedText("project", path, blob, text, lines_of(text), manifest)

    return make


@pytest.fixture
def make_artifact() -> Callable[..., dict[str, str]]:
    def make(name: str, content: bytes, **changes: str) -> dict[str, str]:
        sha256 = hashlib.sha256(content).hexdigest()
        return {"pypi": "project==1.0", "file": name, "sha256": sha256} | changes

    return make


@dataclass
class Site:
    """A web server on this machine; `answers` maps a path to what is done with each request for it."""

    url: str
    answers: dict[str, list[Callable[[BaseHTTPRequestHandler], None]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def serve(self, path: str, *bodies: bytes, kind: str = "application/octet-stream", **about: int) -> None:
        """Answer with bodies, the last one again and again; `length` may lie, or be -1 for untold."""

        def answer(body: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
            def send(request: BaseHTTPRequestHandler) -> None:
                request.send_response(about.get("status", 200))
                request.send_header("Content-Type", kind)
                if (length := about.get("length", len(body))) >= 0:
                    request.send_header("Content-Length", str(length))
                request.end_headers()
                if request.command != "HEAD":
                    request.wfile.write(body)

            return send

        self.answers[path] = [answer(body) for body in bodies]


@pytest.fixture
def site(no_pip_settings: None) -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append(self.path)
            queue = made.answers.get(self.path)
            if queue is None:
                self.send_error(404)
            else:
                (queue.pop(0) if len(queue) > 1 else queue[0])(self)
            self.close_connection = True

        do_HEAD = do_GET  # noqa: N815  (the library's name)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Site(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join()
