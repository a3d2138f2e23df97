"""What readers see of a page of a site."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from atlas.render.site import Site, SitePage

ROOT = Path(__file__).parents[2]
FFN = "transformer/encoder/ffn-layer-norm/"
CHAINER = "chainer/layer-normalization/"


def page(site: Site, url: str) -> SitePage:
    return next(one for one in site.pages if one.url == url)


def text_of(site: Site, url: str) -> str:
    """The page as a reader without styles sees it: maths as TeX, white space folded."""
    return Text(page(site, url).body()).text


class Text(HTMLParser):
    """The visible text; of KaTeX's two copies of a formula, the TeX."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._parts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.text = re.sub(r"\s+", " ", "".join(self._parts))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        hidden = given.get("class") == "katex-html"
        self._open.append("hidden" if hidden else "math" if tag == "math" else tag)
        if tag in ("p", "li", "dt", "dd", "tr", "td", "th", "h1", "h2", "h3", "div", "section", "summary"):
            self._parts.append(" ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content adds no text."""

    def handle_endtag(self, tag: str) -> None:
        if self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        # A formula that is one letter has no annotation: its TeX is the letter.
        is_tex = "semantics" not in self._open or self._open[-1] == "annotation"
        if "hidden" not in self._open and is_tex:
            self._parts.append(data)


def in_order(text: str, *pieces: str) -> None:
    at = 0
    for piece in pieces:
        found = text.find(piece, at)
        assert found >= 0, f"{piece!r} does not follow in {text[at : at + 600]!r}"
        at = found + len(piece)
