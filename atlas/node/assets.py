"""Copies what a page with formulas needs into a site: KaTeX's CSS, its woff2 fonts and its licence.

Every browser that can show the site reads woff2, so the other two font formats are left out, of the CSS as well; one
of them is what fonts are cut from, as it needs no unpacking.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from atlas.exceptions import NodeError
from atlas.node.environment import Environment

CSS_NAME = "katex.min.css"
LICENCE_NAME = "katex-LICENSE.txt"
FONTS = "fonts"
"""The folder of the fonts, beside the CSS."""
SOURCES = re.compile(r"src:([^;}]*)")
URL = re.compile(r"""url\(\s*["']?([^"')]+)["']?\s*\)""")


def woff2_only(css: str) -> str:
    """The CSS with only the woff2 file in each `src` list; a list without one is an error."""

    def shorten(match: re.Match[str]) -> str:
        kept = [source for source in match[1].split(",") if "woff2" in source]
        if not kept:
            raise NodeError(f"KaTeX's CSS has a font without a woff2 file: {match[0]}")
        return "src:" + ",".join(kept)

    return SOURCES.sub(shorten, css)


def install_assets(environment: Environment, folder: Path) -> tuple[Path, ...]:
    """Write the CSS, the fonts it names and the licence below the folder; answers with the files, the CSS first."""
    css = woff2_only((environment.katex_dist / CSS_NAME).read_text(encoding="utf-8"))
    fonts = sorted(set(URL.findall(css)))
    for font in fonts:
        if not re.fullmatch(r"fonts/[A-Za-z0-9_-]+\.woff2", font):
            raise NodeError(f"KaTeX's CSS refers to {font}, which is not one of its fonts")
    copies = {folder / font: environment.katex_dist / font for font in fonts}
    copies[folder / LICENCE_NAME] = environment.katex_dist.parent / "LICENSE"
    for target, source in copies.items():
        if not source.is_file():
            raise NodeError(f"{source} is missing; remove {environment.modules.parent} to have it made anew")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    sheet = folder / CSS_NAME
    sheet.write_text(css, encoding="utf-8")
    return (sheet, *copies)


def unpacked(environment: Environment, font: Path) -> Path:
    """What an installed font is before it is packed as woff2, as KaTeX has it too; the font itself where it has not."""
    found = (environment.katex_dist / FONTS / font.name).with_suffix(".ttf")
    return found if found.is_file() else font
