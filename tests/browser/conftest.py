"""Serves the built site from loopback as its host will, and opens its pages in a real Chromium.

Nothing here is ever skipped: without a site or without Chromium the tests fail and say what to do.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from atlas.kept import cache_folder
from atlas.node.environment import NPM_CI, made_once, run_command
from atlas.node.runtime import choose, system_runtime, wheel_runtime

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

GZIP_LEVEL = 9
"""What the host compresses with; a host that compresses while it answers may choose 6, which is 3 % larger."""
AXE, VALIDATE = Path(__file__).with_name("axe"), Path(__file__).with_name("validate")
"""The locks of the accessibility checker, and of the HTML validator beside the script that runs it."""
LOCKED = ("package.json", "package-lock.json")

SCREEN: ViewportSize = {"width": 1440, "height": 900}

NOTE_FOLDS = "() => { window.unfolded = new Set(document.querySelectorAll('details[open]')); }"
FOLD_AS_BEFORE = "() => { for (const e of document.querySelectorAll('details')) e.open = window.unfolded.has(e); }"


class Host(SimpleHTTPRequestHandler):
    """A static host that keeps the site below its base path and answers an unknown address with the site's 404 page."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: object, base: str, **rest: object) -> None:
        self.base = base
        super().__init__(*args, **rest)  # type: ignore[arg-type]  # handed through as they come

    def translate_path(self, path: str) -> str:
        """The file for an address; what lies outside the base path is no part of the site."""
        if not path.startswith(self.base):
            return str(SITE / "outside-of-the-site")
        return super().translate_path(path.removeprefix(self.base.rstrip("/")))

    def do_GET(self) -> None:
        """Answer as static hosts do: text compressed, and everything kept by the browser for a while."""
        file = Path(self.translate_path(self.path.partition("?")[0]))
        file = file / "index.html" if file.is_dir() and self.path.partition("?")[0].endswith("/") else file
        if not file.is_file() or "gzip" not in self.headers.get("Accept-Encoding", ""):
            super().do_GET()
            return
        body, kind = file.read_bytes(), self.guess_type(str(file))
        self.send_response(HTTPStatus.OK)
        if kind.startswith("text/") or kind.endswith(("javascript", "json", "xml")):
            body = gzip.compress(body, GZIP_LEVEL)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with the site's own page where nothing was found."""
        body = (SITE / "404.html").read_bytes() if code == HTTPStatus.NOT_FOUND else b""
        self.send_response(code, message)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing."""


@dataclass(slots=True)
class Visit:
    """A page that was opened, and everything that happened while it loaded."""

    page: Page
    """The page in its own context."""
    status: int
    """The HTTP status of the document."""
    complaints: list[str] = field(default_factory=list)
    """Console errors and warnings, uncaught exceptions, and answers other than success."""
    foreign: list[str] = field(default_factory=list)
    """Requests to any other origin."""


@pytest.fixture(scope="session")
def base_url() -> Iterator[str]:
    """The address under which the built site is served, with the base path that `site_url` gives it."""
    if not (SITE / "index.html").is_file():
        pytest.fail("there is no built site: run `make site` first", pytrace=False)
    configured = re.search(r"^site_url:\s*(\S+)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    base = urlsplit(configured[1]).path if configured else "/"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, base=base, directory=str(SITE)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}{base.rstrip('/')}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium of this machine, or the one that the variable CHROMIUM names."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        pytest.fail(f"there is no Chromium: none of {', '.join(CHROMIUMS)} is on the PATH", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        yield browser
        browser.close()


def opener(browser: Browser, base_url: str, contexts: ExitStack) -> Callable[..., Visit]:
    """Opens pages of the site, each in a fresh context that lasts as long as `contexts`."""

    def open_page(path: str, *, scripts: bool = True, idle: bool = False) -> Visit:
        context = browser.new_context(java_script_enabled=scripts, reduced_motion="reduce", viewport=SCREEN)
        contexts.callback(context.close)
        page = context.new_page()
        made = Visit(page, 0)
        origin = urlsplit(base_url)[:2]

        def note_request(url: str) -> None:
            if not url.startswith("data:") and urlsplit(url)[:2] != origin:
                made.foreign.append(url)

        page.on("console", lambda said: note_console(made, said.type, said.text))
        page.on("pageerror", lambda error: made.complaints.append(f"uncaught: {error}"))
        page.on("request", lambda request: note_request(request.url))
        page.on("requestfailed", lambda request: made.complaints.append(f"{request.url}: {request.failure}"))
        page.on("response", lambda answer: note_answer(made, answer.status, answer.url))
        answer = page.goto(base_url + path, wait_until="networkidle" if idle else "load")
        assert answer is not None
        made.status = answer.status
        page.evaluate("() => document.fonts.ready.then(() => null)")
        return made

    return open_page


@pytest.fixture
def visit(browser: Browser, base_url: str) -> Iterator[Callable[..., Visit]]:
    """Open a page of the site in a fresh context and wait until it is whole, fonts included."""
    with ExitStack() as contexts:
        yield opener(browser, base_url, contexts)


@pytest.fixture(scope="module")
def kept_visit(browser: Browser, base_url: str) -> Iterator[Callable[[str], Visit]]:
    """The same for tests that only look at a page: it stays open for all of them, and each gets it as it came.

    Only the page that was asked for last is kept, as pytest runs the tests of one page together.
    """
    kept: dict[str, Visit] = {}
    with ExitStack() as last:

        def open_page(path: str) -> Visit:
            if path not in kept:
                last.close()
                kept.clear()
                kept[path] = opener(browser, base_url, last)(path, idle=True)
                kept[path].page.evaluate(NOTE_FOLDS)
            page = kept[path].page
            page.set_viewport_size(SCREEN)
            page.emulate_media(media="null", color_scheme="null", reduced_motion="reduce")
            page.evaluate(FOLD_AS_BEFORE)
            return kept[path]

        yield open_page


@pytest.fixture(scope="session")
def axe() -> str:
    """The accessibility checker's script."""
    made, _ = brought(AXE, LOCKED, Path("node_modules", "axe-core", "axe.min.js"))
    return (made / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def validated() -> dict[str, Any]:
    """What the HTML validator finds in the built site: `pages`, and `found` with the page, rule and line of each."""
    if not (SITE / "index.html").is_file():
        pytest.fail("there is no built site: run `make site` first", pytrace=False)
    made, node = brought(VALIDATE, (*LOCKED, "check.mjs"), Path("node_modules", "html-validate", "package.json"))
    command = [str(node), str(made / "check.mjs"), str(SITE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own script
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def brought(folder: Path, names: tuple[str, ...], needed: Path) -> tuple[Path, Path]:
    """Where npm installed what a folder's lock names, once for this user, and Node.js; `needed` tells a whole one."""
    key = hashlib.sha256(b"".join((folder / name).read_bytes() for name in names)).hexdigest()[:16]
    runtime = choose(system_runtime(), wheel_runtime()).runtime
    if runtime is None:
        pytest.fail(f"there is no Node.js with npm to bring what tests/browser/{folder.name} names", pytrace=False)

    def install(target: Path) -> None:
        for name in names:
            shutil.copyfile(folder / name, target / name)
        run_command([*runtime.npm, *NPM_CI], "npm ci", target)

    made = made_once(
        cache_folder() / f"{folder.name}-{key}", install, lambda target: (target / needed).is_file(), print
    )
    return made, runtime.node


def note_console(visit: Visit, kind: str, text: str) -> None:
    """Keep what a reader of the console would worry about; a failed answer is noted with its address instead."""
    if kind in {"error", "warning"} and not text.startswith("Failed to load resource"):
        visit.complaints.append(f"{kind}: {text}")


def note_answer(visit: Visit, status: int, url: str) -> None:
    """Keep every answer that is not a success."""
    if status >= HTTPStatus.BAD_REQUEST:
        visit.complaints.append(f"{status}: {url}")
