"""The visible half of KaTeX's HTML without elements that do nothing: no style sheet knows their classes.

KaTeX names what each piece is to TeX, an operator or a bracket; once the spaces are there, nothing depends on it.
"""

from __future__ import annotations

import re

IDLE = frozenset(("mord", "mbin", "mrel", "mopen", "mclose", "mpunct", "minner", "mtight"))
"""Classes for which neither KaTeX's style sheet nor ours has a rule."""
_VISIBLE = '<span class="katex-html" aria-hidden="true">'
_SPAN = re.compile(r'<(?P<end>/)?span\b(?: class="(?P<classes>[^"]*)")?(?P<rest>[^>]*)>')
_STACKED = ('"vlist"', "pstrut")
"""In what a row stands, and after what its content: there the style sheet means whatever element there is."""


def thin_spans(html: str) -> str:
    """HTML in whose visible formulas no element is without a class, a style or a mark, save where its place matters."""
    first, *formulas = html.split(_VISIBLE)
    return "".join([first, *(_VISIBLE + _thin(one) for one in formulas)])


def _thin(html: str) -> str:
    """The inside of a visible formula, and whatever follows it."""
    pieces: list[str] = []
    kept: list[bool] = []
    before = last = 0
    opening = ""
    for tag in _SPAN.finditer(html):
        between = html[last : tag.start()]
        last = tag.end()
        if tag["end"]:
            if not kept:  # the end of the formula
                return "".join(pieces) + between + html[tag.start() :]
            pieces.append(between + (tag[0] if kept.pop() else ""))
            continue
        name = " ".join(one for one in (tag["classes"] or "").split() if one not in IDLE)
        stacked = any(one in opening for one in _STACKED) and before == tag.start()
        kept.append(bool(name or tag["rest"] or stacked or html.startswith("</span>", tag.end())))
        attribute = f' class="{name}"' if name else ""
        pieces.append(between + (f"<span{attribute}{tag['rest']}>" if kept[-1] else ""))
        opening = tag[0]
        # After the strut that begins a row stands its content; in a column the next row.
        before = tag.end() + (len("</span>") if "pstrut" in opening else 0)
    return html
