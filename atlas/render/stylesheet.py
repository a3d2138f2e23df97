"""Two minified stylesheets for the whole site, made of the theme's, the code's and KaTeX's, and minified scripts.

The small one is what the first screen of a page needs, so that it is drawn early; the next page finds both in the
browser's cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import rcssmin
import rjsmin

from atlas.render.site import SiteAsset

FIRST_URL, URL = "css/first.css", "css/site.css"
"""Where the stylesheet for the first screen is, and the one for everything else."""
FIRST = "atlas.css"
"""The theme's file with the tokens and with what the first screen of a page needs."""
TOGETHER = ("atlas.js", "symbols.js")
"""The scripts that most pages need, which are one file on the site and are asked for once."""
_FONT = re.compile(r"url\(\s*fonts/")
_CHARSET = re.compile(r'@charset "[^"]*";')


def site_stylesheets(themes: Sequence[Path], rules: str, code: str, katex: str) -> tuple[SiteAsset, SiteAsset]:
    """The stylesheet for the first screen, and the one for everything else.

    The first is the theme's `atlas.css`; the other is made of the other files of the theme's `css` folder, further
    rules, and the stylesheets of code and of KaTeX.
    A file that stands in several themes is taken from the first, as MkDocs does with `custom_dir`.
    """
    own = {file.name: file for theme in reversed(themes) for file in sorted((theme / "css").glob("*.css"))}
    texts = {name: own[name].read_text(encoding="utf-8") for name in sorted(own)}
    first = [texts.pop(FIRST)] if FIRST in texts else []
    others = [*texts.values(), rules, code, _FONT.sub("url(../katex/fonts/", katex)]
    return _minified(FIRST_URL, first), _minified(URL, others)


def _minified(url: str, texts: Iterable[str]) -> SiteAsset:
    joined = "\n".join(_CHARSET.sub("", text) for text in texts)
    return SiteAsset(url, f"{rcssmin.cssmin(joined)}\n".encode())


def diagram_rules(nodes: int) -> str:
    """The rules that show the facts of a diagram's node while it is pointed at or has the focus.

    A stylesheet cannot say that two numbers are equal, so there is a rule for each number up to that of the largest
    diagram; a script is not needed then.
    """
    if not nodes:
        return ""
    chosen = (f".diagram-figure:has(.node-{n}:is(:hover,:focus-visible)) .about-{n}" for n in range(1, nodes + 1))
    return f"{','.join(chosen)}{{display:block}}"


def site_scripts(themes: Sequence[Path]) -> Iterator[SiteAsset]:
    """The scripts of the theme's `js` folder, minified; they keep their names, but those that travel together."""
    own = {file.name: file for theme in reversed(themes) for file in sorted((theme / "js").glob("*.js"))}
    texts = {name: rjsmin.jsmin(file.read_text(encoding="utf-8")) for name, file in own.items()}
    together = [texts.pop(name) for name in TOGETHER if name in texts]
    if together:
        texts[TOGETHER[0]] = "\n".join(together)
    for name, text in texts.items():
        yield SiteAsset(f"js/{name}", f"{text}\n".encode())
