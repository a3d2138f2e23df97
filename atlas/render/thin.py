"""KaTeX's HTML with less of it where less looks and sounds the same: a letter's scripts need no table to stand in.

Scripts, spaces and the sign of a root are the greater part of what typeset symbols weigh, and a page has hundreds.
"""

from __future__ import annotations

import re
from functools import lru_cache

from atlas.render.outline_paths import straightened
from atlas.render.thin_mathml import thin_mathml
from atlas.render.thin_spans import TAGS, thin_spans

SIZE = 0.7
"""How large a script of running text is; KaTeX's `size3` within `size6`."""
SPACES = {"0.1667": "thin", "0.2222": "medium", "0.2778": "thick"}
"""TeX's three spaces, in em, and the classes that our style sheet gives them."""
_BEGIN = re.compile(
    r'<span class="msupsub"><span class="vlist-t(?P<two> vlist-t2)?"><span class="vlist-r">'
    r'<span class="vlist" style="height:[\d.]+em;">'
)
_SCRIPT = re.compile(
    r'<span style="top:(?P<top>-[\d.]+)em;(?:margin-left:(?P<left>-?[\d.]+)em;)?margin-right:0\.05em;">'
    r'<span class="pstrut" style="height:(?P<strut>[\d.]+)em;"></span>'
    r'<span class="katex-sizing reset-size6 size3 mtight"(?P<rest>[^>]*)>'
)
_END_OF_SCRIPT = "</span></span>"
_END_OF_ONE = re.compile("</span>" * 4)
_END_OF_TWO = re.compile(
    '</span><span class="vlist-s">\u200b</span></span><span class="vlist-r">'
    r'<span class="vlist" style="height:[\d.]+em;"><span></span></span></span></span></span>'
)
_SPACE = re.compile(rf'<span class="mspace" style="margin-right:({"|".join(map(re.escape, SPACES))})em;?"></span>')
_ROOT = re.compile(r'<path d="([^"]*)"(?=/></svg></span></span></span><span class="vlist-s">)')
"""The outline of a root's sign; that of a stretched accent or brace is not so simple a shape."""
_NAMESPACE = re.compile(r'<svg xmlns="http://www\.w3\.org/2000/svg"(?= width="400em")')
"""What SVG needs outside of HTML."""
_STRUT = re.compile(
    r'<span class="katex-strut" style="height:(?P<height>[\d.]+)em(?:;vertical-align:-(?P<depth>[\d.]+)em)?;?"></span>'
)
LINE = (0.85, 0.26)
"""How far up and down, in em, a line of KaTeX's height reaches by itself, so that it needs no strut."""
_LETTER = re.compile(r'<span class="katex-base">(<span class="mord\b[^>]*>[^<]*</span>)</span></span>')
"""A formula of one letter or number, in the frame that keeps longer ones from being broken."""
_LENGTH = re.compile(r"\d*\.\d{4,}(?=em)")
"""A length of more than thousandths of a letter's size, of which sixty make a dot."""
_STYLED = re.compile(r'<span\b[^>]*? style="[^"]*"')
_DRAWING = "<svg"
"""How the sign of a root, a stretched accent or a brace begins."""
_SPAN = re.compile(r"<(/?)span\b")


def thin(html: str) -> str:
    """The HTML with scripts that their style moves up or down, lean spaces, roots and MathML, and nothing idle."""
    pieces: list[str] = []
    done = 0
    for found in _BEGIN.finditer(html):
        scripts, end = _scripts(html, found)
        if end <= done:
            continue
        pieces += [html[done : found.start()], *scripts]
        done = end
    leaner = _SPACE.sub(_space, "".join(pieces) + html[done:])
    if _DRAWING in leaner:
        leaner = _ROOT.sub(lambda root: f'<path d="{straightened(root[1])}"', leaner)
        leaner = _NAMESPACE.sub(_DRAWING, leaner)
    leaner = _LETTER.sub(r"\1</span>", _STRUT.sub(_strut, leaner))
    return thin_mathml(thin_spans(_STYLED.sub(lambda style: _styled(style[0]), leaner)))


@lru_cache(maxsize=TAGS)
def _styled(tag: str) -> str:
    """The beginning of a tag up to the end of its style, with short lengths and without the last semicolon."""
    return _LENGTH.sub(lambda one: _short(float(one[0])), tag[:-1]).removesuffix(";") + tag[-1]


def _scripts(html: str, table: re.Match[str]) -> tuple[list[str], int]:
    """The scripts of a table without it, and where it ends; 0 where it holds more than one or two plain scripts."""
    made: list[str] = []
    at = table.end()
    while script := _SCRIPT.match(html, at):
        close = _closing(html, script.end())
        inside = html[script.end() : close]
        if "vlist" in inside or not html.startswith(_END_OF_SCRIPT, close):
            return [], 0
        made.append(f'<span class="script" style="{_place(script)}"{script["rest"]}>{inside}</span>')
        at = close + len(_END_OF_SCRIPT)
    end = (_END_OF_TWO if table["two"] else _END_OF_ONE).match(html, at)
    if end is None or not 1 <= len(made) <= 2:
        return [], 0
    return (made if len(made) == 1 else ['<span class="scripts">', *made, "</span>"]), end.end()


def _place(script: re.Match[str]) -> str:
    style = f"top:{_em(float(script['top']) + float(script['strut']))}"
    if float(script["left"] or 0):
        style += f";margin-left:{_em(float(script['left']))}"
    return style


def _space(found: re.Match[str]) -> str:
    return f'<span class="{SPACES[found[1]]}"></span>'


def _strut(found: re.Match[str]) -> str:
    depth = float(found["depth"] or 0)
    return "" if float(found["height"]) - depth <= LINE[0] and depth <= LINE[1] else found[0]


def _em(length: float) -> str:
    """A length in the script's own size, to a hundredth of a dot of any screen."""
    return f"{_short(length / SIZE)}em"


def _short(length: float) -> str:
    return f"{length:.3f}".rstrip("0").rstrip(".")


def _closing(html: str, at: int) -> int:
    """Where the element is closed that was opened before."""
    depth = 1
    for tag in _SPAN.finditer(html, at):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.start()
    return len(html)
