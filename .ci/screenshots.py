"""Pictures of every kind of page, wide and narrow, light and dark, into a folder that is never committed.

They are made to be looked at: a picture that is committed would be compared with, and not looked at.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
SITE = ROOT / "site"
TARGET = ROOT / "screenshots"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

PAGES = {
    "home": "",
    "model": "gpt-2/",
    "model-nested": "resnet/",
    "model-in-part": "transformer/",
    "component": "gpt-2/decoder/self-attention/",
    "component-norm": "transformer/encoder/ffn-layer-norm/",
    "library": "chainer/",
    "layer": "chainer/layer-normalization/",
    "operators": "operators/",
    "operator": "operators/layer-norm/",
    "sources": "sources/",
    "source": "sources/transformers/",
    "file": "sources/transformers/src/transformers/models/gpt2/modeling_gpt2.py/",
    "glossary": "glossary/",
    "data": "data/",
    "verification": "verification/",
    "claims-not-proved": "verification/?state=missing",
    "compare": "compare/?a=gpt-2&b=mixtral",
    "experts": "mixtral/",
    "prose": "formula-language/",
    "contribute": "contribute/",
    "not-found": "404.html",
}
WIDTHS = {"wide": 1440, "narrow": 390}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
TALLEST = 5000
"""Pixels of a page that a picture shows; the rest of a long table says nothing more about how it looks."""


class Quiet(SimpleHTTPRequestHandler):
    """A static host that says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing."""


def main() -> None:
    """Make the pictures whose names hold one of the words given, else all."""
    if not (SITE / "index.html").is_file():
        sys.exit("there is no built site: run `make site` first")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        sys.exit(f"there is no Chromium: none of {', '.join(CHROMIUMS)} is on the PATH")
    words = re.compile("|".join(map(re.escape, sys.argv[1:])))
    TARGET.mkdir(exist_ok=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        for name, path in PAGES.items():
            for screen, width in WIDTHS.items():
                for scheme in SCHEMES:
                    picture = f"{name}-{screen}-{scheme}.png"
                    if words.search(picture):
                        take(browser, f"http://127.0.0.1:{server.server_port}/{path}", TARGET / picture, width, scheme)
                        sys.stdout.write(f"{picture}\n")
        browser.close()
    server.shutdown()


def take(browser: Browser, address: str, picture: Path, width: int, scheme: Literal["light", "dark"]) -> None:
    """One picture of a page, from its top."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(address, wait_until="networkidle")
    page.evaluate("() => document.fonts.ready.then(() => null)")
    height = min(page.evaluate("() => document.documentElement.scrollHeight"), TALLEST)
    page.set_viewport_size({"width": width, "height": 900})
    page.screenshot(path=picture, clip={"x": 0, "y": 0, "width": width, "height": height}, full_page=True)
    page.close()


if __name__ == "__main__":
    main()
