"""KaTeX's four fonts of large delimiters and operators as one: a page asks for one small file instead of up to four.

All four have the same characters, so the one font holds each character in up to four sizes, and the style sheet chooses
by an OpenType feature. Their line heights are centred alike, so nothing on a page is placed differently.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from atlas.exceptions import NodeError
from atlas.kept import Kept, code_digest, key_of, version_of

NAME = "KaTeX_Sizes-Regular.woff2"
"""The file of the one font."""
SIZES = tuple(f"KaTeX_Size{number}-Regular.woff2" for number in range(1, 5))
"""The files that it is made of, from small to large."""
FAMILY = "KaTeX_Sizes"
FEATURES = tuple(f"ss{number:02}" for number in range(1, len(SIZES) + 1))
"""The features by which it shows the characters of each."""
_FACE = re.compile(r"@font-face\s*\{[^}]*\}")
_OWN = re.compile(r"font-family:\s*KaTeX_Size([1-4])\b")


@contextmanager
def silent_about_dates() -> Iterator[None]:
    """Let fontTools mend the dates in KaTeX's unpacked fonts, which count from another day, and say nothing of it."""
    teller = logging.getLogger("fontTools.ttLib.tables._h_e_a_d")
    teller.addFilter(_tells_of_no_date)
    try:
        yield
    finally:
        teller.removeFilter(_tells_of_no_date)


def _tells_of_no_date(record: logging.LogRecord) -> bool:
    return "timestamp seems very low" not in record.msg


def with_one_font_of_sizes(
    installed: Sequence[Path], kept: Kept, unpacked: Callable[[Path], Path] = Path
) -> tuple[Path, ...]:
    """KaTeX's files as they were installed, the CSS first, with the one font written in place of the four.

    Args:
        installed: The files.
        kept: What is kept.
        unpacked: Where what an installed font is before it is packed lies; what is packed takes long to read.

    Raises:
        NodeError: the four are not among the files, or the CSS does not name each of them once.
    """
    sheet, *others = installed
    given = {file.name: file for file in others}
    if missing := [name for name in SIZES if name not in given]:
        raise NodeError(f"KaTeX has no {', '.join(missing)}, of which the font of sizes is made")
    sheet.write_text(one_family(sheet.read_text(encoding="utf-8")), encoding="utf-8")
    replaced = [given[name] for name in SIZES]
    one = replaced[0].with_name(NAME)
    fonts = [unpacked(file).read_bytes() for file in replaced]
    key = key_of("font of sizes", code_digest("render/size_fonts"), version_of("fonttools"), *fonts)
    found = kept.get([key])
    if key not in found:
        found[key] = merged(fonts)
        kept.put(found)
    one.write_bytes(found[key])
    for file in replaced:
        file.unlink()
    return (sheet, *(file for file in others if file not in replaced), one)


def one_family(css: str) -> str:
    """KaTeX's CSS with the one font in place of the four.

    Raises:
        NodeError: the CSS names other fonts of sizes than the four, each once.
    """
    faces = [face for face in _FACE.findall(css) if _OWN.search(face)]
    named = [_OWN.sub("", face).count(name) for face, name in zip(faces, SIZES, strict=False)]
    if named != [1] * len(SIZES) or len(faces) != len(SIZES):
        raise NodeError(f"KaTeX's CSS has {len(faces)} fonts of sizes, where {', '.join(SIZES)} belong")
    for face in faces[1:]:
        css = css.replace(face, "")
    face = faces[0].replace(SIZES[0], NAME)
    before, _, after = css.partition(faces[0])
    rules = [_OWN.sub(rf'font-family:{FAMILY};font-feature-settings:"ss0\1"', part) for part in (before, after)]
    return _OWN.sub(f"font-family:{FAMILY}", face).join(rules)


def merged(fonts: Sequence[bytes]) -> bytes:
    """One font of several that differ in nothing but their shapes and widths; it is not packed, as it will be cut.

    Without a feature a character is that of the first font that has it; with the feature `ss01`, `ss02` … it is that of
    the first, the second … The same input gives the same bytes.
    """
    # Their import takes longer than a build in which no font is made.
    from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen
    from fontTools.ttLib import TTFont

    glyphs, widths, first = {".notdef": TTGlyphPen(None).glyph()}, {".notdef": (0, 0)}, dict[int, str]()
    features: list[str] = []
    highest = lowest = gap = em = date = 0
    for number, font in enumerate(fonts, start=1):
        with TTFont(io.BytesIO(font)) as opened, silent_about_dates():
            shapes = opened.getGlyphSet()
            head, lines = opened["head"], opened["hhea"]
            em, date = head.unitsPerEm, max(date, head.created)
            highest, lowest, gap = max(highest, lines.ascent), min(lowest, lines.descent), max(gap, lines.lineGap)
            rules = []
            for code, name in sorted(opened.getBestCmap().items()):
                own = f"u{code:04X}.s{number}"
                pen = TTGlyphPen(shapes)
                shapes[name].draw(pen)
                glyphs[own], widths[own] = pen.glyph(), opened["hmtx"][name]
                if (base := first.setdefault(code, own)) != own:
                    rules.append(f"sub {base} by {own};")
        if rules:
            features.append(f"feature ss{number:02} {{ {' '.join(rules)} }} ss{number:02};")
    made = FontBuilder(em)
    made.setupHead(unitsPerEm=em, created=date, modified=date)
    made.setupGlyphOrder(list(glyphs))
    made.setupCharacterMap(first)
    made.setupGlyf(glyphs)
    made.setupHorizontalMetrics(widths)
    made.setupHorizontalHeader(ascent=highest, descent=lowest, lineGap=gap)
    made.setupNameTable({"familyName": FAMILY, "styleName": "Regular"})
    made.setupOS2(
        sTypoAscender=highest, sTypoDescender=lowest, sTypoLineGap=gap, usWinAscent=highest, usWinDescent=-lowest
    )
    made.setupPost(keepGlyphNames=False)
    addOpenTypeFeaturesFromString(made.font, "\n".join(features))
    made.font.recalcTimestamp = False
    written = io.BytesIO()
    made.font.save(written)
    return written.getvalue()
