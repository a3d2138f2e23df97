"""KaTeX's HTML with less of it where less looks the same: a letter's one script needs no table to stand in.

Scripts are the greater part of what typeset symbols weigh, and most symbols have one; those that stand above each other
keep KaTeX's tables.
"""

from __future__ import annotations

import re

SIZE = 0.7
"""How large a script of running text is; KaTeX's `size3` within `size6`."""
_BEGIN = re.compile(
    r'<span class="msupsub"><span class="vlist-t(?P<two> vlist-t2)?"><span class="vlist-r">'
    r'<span class="vlist" style="height:[\d.]+em;">'
    r'<span style="top:(?P<top>-[\d.]+)em;(?:margin-left:(?P<left>-?[\d.]+)em;)?margin-right:0\.05em;">'
    r'<span class="pstrut" style="height:(?P<strut>[\d.]+)em;"></span>'
    r'<span class="katex-sizing reset-size6 size3 mtight"(?P<rest>[^>]*)>'
)
_END_OF_ONE = re.compile("</span>" * 5)
_END_OF_TWO = re.compile(
    '</span></span><span class="vlist-s">\u200b</span></span><span class="vlist-r">'
    r'<span class="vlist" style="height:[\d.]+em;"><span></span></span></span></span></span>'
)
_LAST = re.compile(r'(<span\b[^>]*? style="[^"]*);(?=")')
"""The semicolon after the last declaration of a style, which parts it from nothing."""
_SPAN = re.compile(r"<(/?)span\b")


def thin(html: str) -> str:
    """The HTML with every script that stands alone in one element, moved up or down by its style, and no idle sign."""
    pieces: list[str] = []
    done = 0
    for found in _BEGIN.finditer(html):
        close = _closing(html, found.end())
        end = (_END_OF_TWO if found["two"] else _END_OF_ONE).match(html, close + len("</span>"))
        inside = html[found.end() : close]
        if end is None or "vlist" in inside or found.start() < done:
            continue
        style = f"top:{_em(float(found['top']) + float(found['strut']))}"
        if float(found["left"] or 0):
            style += f";margin-left:{_em(float(found['left']))}"
        pieces += [html[done : found.start()], f'<span class="script" style="{style}"{found["rest"]}>{inside}</span>']
        done = end.end()
    return _LAST.sub(r"\1", "".join(pieces) + html[done:])


def _em(length: float) -> str:
    """A length in the script's own size."""
    return f"{length / SIZE:.4f}".rstrip("0").rstrip(".") + "em"


def _closing(html: str, at: int) -> int:
    """Where the element is closed that was opened before."""
    depth = 1
    for tag in _SPAN.finditer(html, at):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.start()
    return len(html)
