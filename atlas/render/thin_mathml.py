"""KaTeX's MathML with less of it where less is the same to whoever reads it: what is drawn is the HTML beside it.

Only what MathML's own defaults say anyway goes, and what parts a word into letters.
"""

from __future__ import annotations

import re

_ALONE = re.compile(r"<mrow>(<(m[in]|mtext)\b[^>]*>[^<]*</\2>)</mrow>")
"""A group of one that is no operator."""
_WORD = re.compile(r'<mrow>((?:<mi mathvariant="normal">[A-Za-z]</mi>){2,})</mrow>')
"""A word, letter by letter, as `\\mathrm{head}` gives it; an identifier of several letters is upright by itself."""
_CELL = re.compile(
    r'<mtd><mstyle scriptlevel="0" displaystyle="true">((?:[^<]++|<(?!/?(?:mstyle|mtd)\b))*+)</mstyle></mtd>'
)
"""A cell of a table all of whose cells are set as displays."""
_TABLE = re.compile(r"<mtable\b(?P<given>[^>]*)>(?P<rows>(?:[^<]++|<(?!/?mtable\b))*+)</mtable>")
_GAPS = re.compile(r' (?:row|column)(?:spacing|align)="[^"]*"')
_SEPARATOR = re.compile(r'<mo separator="true">([,;])</mo>')
_FENCE = re.compile(r'<mo fence="true">([()\[\]{}])</mo>')
_WHOLE = re.compile(r"<semantics><mrow>(<(msub|msup|msubsup)>(?:(?!</?mrow\b|<\2>).)*?</\2>)</mrow><annotation")
"""A letter with scripts that is the whole formula."""
_LETTER = re.compile(r"<semantics>(<m[in]>([A-Za-z]|\d+)</m[in]>)<annotation[^>]*>\2</annotation></semantics>")
"""A letter or number whose TeX is what it looks like."""
_TAG = re.compile("<[^>]*>")


def thin_mathml(html: str) -> str:
    """HTML whose MathML says once what it says, and nothing that goes without saying."""
    html = _WORD.sub(lambda found: f"<mi>{_TAG.sub('', found[1])}</mi>", html)
    html = _ALONE.sub(r"\1", html)
    html = _WHOLE.sub(r"<semantics>\1<annotation", html)
    html = _LETTER.sub(r"\1", html)
    html = _SEPARATOR.sub(r"<mo>\1</mo>", html)
    html = _FENCE.sub(r"<mo>\1</mo>", html)
    return _TABLE.sub(_table, html)


def _table(found: re.Match[str]) -> str:
    """A table that says itself that its cells are displays, where each of them does; what is not drawn has no gaps."""
    rows, changed = _CELL.subn(r"<mtd>\1</mtd>", found["rows"])
    if not changed or changed != rows.count("<mtd>") or "displaystyle" in found["given"]:
        return found[0]
    return f'<mtable displaystyle="true"{_GAPS.sub("", found["given"])}>{rows}</mtable>'
