"""The visible half of KaTeX's HTML without elements that do nothing: no style sheet knows their classes.

KaTeX names what each piece is to TeX, an operator or a bracket; once the spaces are there, nothing depends on it.
"""

from __future__ import annotations

import re
from functools import lru_cache

IDLE = frozenset(("mord", "mbin", "mrel", "mopen", "mclose", "mpunct", "minner", "mtight"))
"""Classes for which neither KaTeX's style sheet nor ours has a rule."""
_VISIBLE = '<span class="katex-html" aria-hidden="true">'
_TAG = re.compile(r"(</?span\b[^>]*>)")
_END = "</span>"
_OPENING = re.compile(r'<span\b(?: class="(?P<classes>[^"]*)")?(?P<rest>[^>]*)>')
_ROW, _STRUT = '"vlist"', "pstrut"
"""In what a row stands, and after what its content: there the style sheet means whatever element there is."""
TAGS = 10_000
"""How many different tags are remembered; formulas have the same ones again and again."""


def thin_spans(html: str) -> str:
    """HTML in whose visible formulas no element is without a class, a style or a mark, save where its place matters."""
    first, *formulas = html.split(_VISIBLE)
    return "".join([first, *(_VISIBLE + _thin(one) for one in formulas)])


def _thin(html: str) -> str:
    """The inside of a visible formula, and whatever follows it."""
    first, *rest = _TAG.split(html)
    pieces = [first]
    kept: list[bool] = []
    is_row = is_strut = False
    for at in range(0, len(rest), 2):
        tag, text = rest[at], rest[at + 1]
        if tag == _END:
            if not kept:  # the end of the formula
                return "".join(pieces) + "".join(rest[at:])
            if kept.pop():
                pieces.append(tag)
            # After the strut that begins a row stands its content.
            is_row, is_strut = is_strut and not text, False
        else:
            written, does_something, begins_rows, has_strut = _read(tag)
            is_kept = does_something or is_row or (not text and rest[at + 2 : at + 3] == [_END])
            kept.append(is_kept)
            if is_kept:
                pieces.append(written)
            is_row, is_strut = begins_rows and not text, has_strut and not text
        pieces.append(text)
    return html


@lru_cache(maxsize=TAGS)
def _read(tag: str) -> tuple[str, bool, bool, bool]:
    """An opening tag without idle classes, whether it does anything, and whether rows or a row's content follow it."""
    found = _OPENING.fullmatch(tag)
    assert found is not None  # noqa: S101 - the same characters are a tag here and there
    name = " ".join(one for one in (found["classes"] or "").split() if one not in IDLE)
    attribute = f' class="{name}"' if name else ""
    written = f"<span{attribute}{found['rest']}>"
    return written, bool(name or found["rest"]), _ROW in tag, _STRUT in tag
