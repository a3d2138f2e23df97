"""What the tests of pinned sources share: manifests, archives, a git repository and a web server, all made here."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from atlas.entries.manifest import Manifest
from atlas.sources.blob import blob_id
from atlas.sources.store import PinnedText, lines_of

FILES = {
    "pkg/__init__.py": b"",
    "pkg/layers.py": b"def scale(x, factor=2.0):\n    return x * factor\n",
    "pkg/models/net.py": b"from pkg import layers\n\n\ndef net(x):\n    return layers.scale(x)\n",
}


@pytest.fixture
def files() -> dict[str, bytes]:
    return dict(FILES)


def _manifest(**changes: Any) -> Manifest:
    raw: dict[str, Any] = {
        "title": "Project",
        "repository": "https://git.example/owner/project",
        "revision": "0123456789abcdef0123456789abcdef01234567",
        "license": "MIT",
        "license_text": "licenses/MIT.txt",
        "copyright": "2020 The authors of the project",
        "files": {path: {"blob": blob_id(content)} for path, content in FILES.items()},
    }
    return Manifest.model_validate(raw | changes)


@pytest.fixture
def make_manifest() -> Callable[..., Manifest]:
    return _manifest


@pytest.fixture
def pinned() -> Callable[..., PinnedText]:
    def make(text: str, path: str = "pkg/layers.py") -> PinnedText:
        blob = blob_id(text.encode())
        manifest = _manifest(files={path: {"blob": blob}})
        return PinnedText("project", path, blob, text, lines_of(text), manifest)

    return make


def _wheel(files: Mapping[str, bytes]) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return raw.getvalue()


def _sdist(files: Mapping[str, bytes], top: str = "project-1.0/", mode: str = "w:gz") -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode=mode) as archive:  # type: ignore[call-overload]  # mode is any of the three
        for name, content in files.items():
            member = tarfile.TarInfo(top + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return raw.getvalue()


@pytest.fixture
def make_wheel() -> Callable[..., bytes]:
    return _wheel


@pytest.fixture
def make_sdist() -> Callable[..., bytes]:
    return _sdist


@pytest.fixture
def make_artifact() -> Callable[..., dict[str, str]]:
    def make(name: str, content: bytes, **changes: str) -> dict[str, str]:
        sha256 = hashlib.sha256(content).hexdigest()
        return {"pypi": "project==1.0", "file": name, "sha256": sha256} | changes

    return make


@pytest.fixture
def no_pip_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither pip's files nor the environment of whoever runs the tests decide where archives are looked for."""
    for name in [name for name in os.environ if name.startswith("PIP_") or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@dataclass
class Repository:
    """A git repository and the address under which the tests' git finds it."""

    folder: Path
    config: Path
    url: str = "https://git.example/owner/project"

    def git(self, *arguments: str) -> str:
        done = subprocess.run(  # noqa: S603  (the test's own arguments)
            ["git", "-C", str(self.folder), *arguments],  # noqa: S607  (git is found as users find it)
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def configure(self, name: str, value: str) -> None:
        subprocess.run(["git", "config", "--file", str(self.config), "--add", name, value], check=True)  # noqa: S603, S607  (as above)

    def commit(self, files: Mapping[str, bytes], message: str) -> str:
        for path, content in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_bytes(content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with two commits and a tag; git takes its https address for the folder it is in."""
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = Tester\n\temail = tester@example.org\n[init]\n\tdefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    made = Repository(tmp_path / "upstream", config)
    made.folder.mkdir()
    made.git("init", "--quiet")
    made.git("config", "uploadpack.allowAnySHA1InWant", "true")
    made.git("config", "uploadpack.allowFilter", "true")
    made.configure(f"url.{made.folder.as_uri()}.insteadOf", made.url)
    made.commit(FILES, "first")
    made.git("tag", "--annotate", "--message", "one", "v1.0")
    made.commit({"README": b"more\n"}, "second")
    return made


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
