"""KaTeX's fonts, cut down to the characters that the site shows: a first visit brings a quarter of their bytes.

What is shown is known only once every page is typeset, prose included, so the fonts lie there whole until then.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Mapping
from html import unescape
from pathlib import Path

from atlas.kept import Kept, key_of, version_of
from atlas.node.process import Typeset
from atlas.render.size_fonts import FEATURES, silent_about_dates

ALWAYS = "0123456789+−=()[],."
"""Characters that are kept in any case, so that a site without a formula still has fonts that are valid."""
_TEXT = re.compile(">([^<]+)")
_SHOWN = 'class="katex-html"'
_SETTINGS = "woff2, no hinting, no mirrors, sizes by features"
"""What a subset depends on besides the font and the characters."""

_CLASSES: dict[str, frozenset[str]] = {
    "Main-Regular": frozenset(("katex",)),
    "Math-Italic": frozenset(("mathnormal",)),
    "Main-Bold": frozenset(("mathbf", "textbf")),
    "Main-Italic": frozenset(("mathit", "textit")),
    "Math-BoldItalic": frozenset(("boldsymbol",)),
    "AMS-Regular": frozenset(("amsrm", "mathbb", "textbb")),
    "Caligraphic-Regular": frozenset(("mathcal",)),
    "Sizes-Regular": frozenset(("small-op", "large-op", "delimsizing", "delim-size1", "delim-size4")),
}
"""The fonts that formulas use, each with the classes by which KaTeX's CSS chooses it; rarer ones come when needed."""
_CLASS = re.compile('class="([^"]*)"')


def has_formula(html: str) -> bool:
    """Whether a part of a page shows a formula."""
    return _SHOWN in html


def fonts_of(html: str) -> tuple[str, ...]:
    """The files of the fonts that the formulas of a page use, so that it can ask for them before it draws."""
    if not has_formula(html):
        return ()
    used: set[str] = set()
    for value in frozenset(_CLASS.findall(html)):
        used.update(value.split())
    return tuple(_file(name) for name, chosen in _CLASSES.items() if chosen & used)


def united(several: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The files of fonts that parts of a page use together, in the order of those of a whole page."""
    used = frozenset().union(*several)
    return tuple(file for file in map(_file, _CLASSES) if file in used)


def _file(font: str) -> str:
    return f"KaTeX_{font}.woff2"


def shown_in(formulas: Iterable[str]) -> str:
    """The characters of typeset formulas that are for the eye, each once and in order."""
    shown = {text for html in formulas for one in str(html).split(_SHOWN)[1:] for text in _TEXT.findall(one)}
    return "".join(sorted(set(unescape("\0".join(shown))) - {"\0"}))


class Glyphs:
    """The characters that typeset formulas and diagrams show."""

    def __init__(self) -> None:
        self._characters = set(ALWAYS)

    @property
    def characters(self) -> str:
        """All characters, in order."""
        return "".join(sorted(self._characters))

    def note(self, results: Iterable[Typeset]) -> None:
        """Note what formulas show; of KaTeX's two copies only the one for the eye uses its fonts."""
        for result in results:
            self.note_text(shown_in([result.html or ""]))

    def note_text(self, text: str) -> None:
        """Note a text that is shown in KaTeX's fonts."""
        self._characters.update(text)


def shrink(fonts: Mapping[Path, Path], characters: str, kept: Kept) -> None:
    """Replace fonts by subsets with these characters.

    Args:
        fonts: The file of each font, with the file that it is cut from.
        characters: The characters.
        kept: What is kept.
    """
    contents = {font: source.read_bytes() for font, source in fonts.items()}
    made = cut([*contents.values()], characters, kept)
    for font, content in contents.items():
        font.write_bytes(made[content])


def cut(fonts: Collection[bytes], characters: str, kept: Kept) -> dict[bytes, bytes]:
    """The subset of each font; one that was made before, of the same font, is not made again.

    What a font lacks is nothing to it, so that a character that is new concerns the fonts alone that have it.
    """
    known = _known(fonts, kept)
    made = {font: key_of("font", _SETTINGS, _shared(characters, own), *_ground(font)) for font, own in known.items()}
    found = kept.get(made.values())
    new: dict[bytes, bytes] = {}
    for font in fonts:
        if made.get(font) not in found:
            result, own = subset(font, characters)
            made[font] = key_of("font", _SETTINGS, _shared(characters, own), *_ground(font))
            new |= {made[font]: result, _characters_key(font): "".join(sorted(own)).encode()}
    kept.put(new)
    found |= new
    return {font: found[key] for font, key in made.items()}


def _known(fonts: Iterable[bytes], kept: Kept) -> dict[bytes, frozenset[str]]:
    """The characters of those fonts that were cut before."""
    keys = {font: _characters_key(font) for font in fonts}
    found = kept.get(keys.values())
    return {font: frozenset(found[key].decode()) for font, key in keys.items() if key in found}


def _characters_key(font: bytes) -> bytes:
    return key_of("characters of a font", *_ground(font))


def _ground(font: bytes) -> tuple[str, bytes]:
    return version_of("fonttools"), font


def _shared(characters: str, own: Collection[str]) -> str:
    """Those of the characters that a font has, in order."""
    return "".join(one for one in characters if one in own)


def subset(font: bytes, characters: str) -> tuple[bytes, frozenset[str]]:
    """The font as WOFF2 with only those of the characters that it has, and all characters that it has.

    The same input gives the same bytes.
    """
    # Their import takes longer than a build in which no font is cut.
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    options = Options()
    options.hinting = (
        False  # TeX's fonts are hinted for screens of long ago, and no system that reads WOFF2 asks for it
    )
    options.layout_features = [*options.layout_features, *FEATURES]
    options.bidi_closure = False  # formulas run from left to right, so `(` brings no `)`
    with TTFont(io.BytesIO(font), recalcTimestamp=False) as opened, silent_about_dates():
        own = frozenset(map(chr, opened.getBestCmap()))
        chosen = Subsetter(options)
        chosen.populate(text=_shared(characters, own))
        chosen.subset(opened)
        opened.flavor = "woff2"
        written = io.BytesIO()
        opened.save(written)
    return written.getvalue(), own
