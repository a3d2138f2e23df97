"""What pages show of a formula, made from KaTeX's whole HTML by regular expressions: another way to the same.

Node writes it from KaTeX's trees at once; both must give the same characters for every formula.
"""

from __future__ import annotations

import re
from functools import lru_cache

from atlas.markup.symbol_marks import COLOUR, NONE
from atlas.node.outline_paths import with_straight_roots

NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
"""What MathML needs outside of HTML."""


def shown(plain: str, coloured: str = "") -> str:
    """What pages show, of the whole HTML and of that with a colour for each symbol."""
    return thin((marked_html(plain, coloured) if coloured else plain).replace(NAMESPACE, ""))


TAGS = 10_000
"""How many different tags are remembered; formulas have the same ones again and again."""
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
    r'<span class="katex-sizing reset-size6 size3 mtight"(?P<rest>(?: data-symbol="\d+")?)>'
)
_END_OF_SCRIPT = "</span></span>"
_END_OF_ONE = re.compile("</span>" * 4)
_END_OF_TWO = re.compile(
    '</span><span class="vlist-s">\u200b</span></span><span class="vlist-r">'
    r'<span class="vlist" style="height:[\d.]+em;"><span></span></span></span></span></span>'
)
_SPACE = re.compile(rf'<span class="mspace" style="margin-right:({"|".join(map(re.escape, SPACES))})em;?"></span>')
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
        leaner = with_straight_roots(leaner)
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
_ALONE_LETTER = re.compile(r"<semantics>(<m[in]>([A-Za-z]|\d+)</m[in]>)<annotation[^>]*>\2</annotation></semantics>")
"""A letter or number whose TeX is what it looks like."""
_ANY_TAG = re.compile("<[^>]*>")


def thin_mathml(html: str) -> str:
    """HTML whose MathML says once what it says, and nothing that goes without saying."""
    html = _WORD.sub(lambda found: f"<mi>{_ANY_TAG.sub('', found[1])}</mi>", html)
    html = _ALONE.sub(r"\1", html)
    html = _WHOLE.sub(r"<semantics>\1<annotation", html)
    html = _ALONE_LETTER.sub(r"\1", html)
    html = _SEPARATOR.sub(r"<mo>\1</mo>", html)
    html = _FENCE.sub(r"<mo>\1</mo>", html)
    return _TABLE.sub(_table, html)


def _table(found: re.Match[str]) -> str:
    """A table that says itself that its cells are displays, where each of them does; what is not drawn has no gaps."""
    rows, changed = _CELL.subn(r"<mtd>\1</mtd>", found["rows"])
    if not changed or changed != rows.count("<mtd>") or "displaystyle" in found["given"]:
        return found[0]
    return f'<mtable displaystyle="true"{_GAPS.sub("", found["given"])}>{rows}</mtable>'


IDLE = frozenset(("mord", "mbin", "mrel", "mopen", "mclose", "mpunct", "minner", "mtight"))
"""Classes for which neither KaTeX's style sheet nor ours has a rule."""
_VISIBLE = '<span class="katex-html" aria-hidden="true">'
_SPAN_TAG = re.compile(r"(</?span\b[^>]*>)")
_OPENING = re.compile(r'<span\b(?: class="(?P<classes>[^"]*)")?(?P<rest>[^>]*)>')
_ROW, _IN_ROW = '"vlist"', "pstrut"
"""In what a row stands, and after what its content: there the style sheet means whatever element there is."""


def thin_spans(html: str) -> str:
    """HTML in whose visible formulas no element is without a class, a style or a mark, save where its place matters."""
    first, *formulas = html.split(_VISIBLE)
    return "".join([first, *(_VISIBLE + _thin_one(one) for one in formulas)])


def _thin_one(html: str) -> str:
    """The inside of a visible formula, and whatever follows it."""
    first, *rest = _SPAN_TAG.split(html)
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
            written, does_something, begins_rows, has_strut = _read_tag(tag)
            is_kept = does_something or is_row or (not text and rest[at + 2 : at + 3] == [_END])
            kept.append(is_kept)
            if is_kept:
                pieces.append(written)
            is_row, is_strut = begins_rows and not text, has_strut and not text
        pieces.append(text)
    return html


@lru_cache(maxsize=TAGS)
def _read_tag(tag: str) -> tuple[str, bool, bool, bool]:
    """An opening tag without idle classes, whether it does anything, and whether rows or a row's content follow it."""
    found = _OPENING.fullmatch(tag)
    assert found is not None
    name = " ".join(one for one in (found["classes"] or "").split() if one not in IDLE)
    attribute = f' class="{name}"' if name else ""
    written = f"<span{attribute}{found['rest']}>"
    return written, bool(name or found["rest"]), _ROW in tag, _IN_ROW in tag


_BEFORE = '<span class="katex-html"'
_COLOURED = re.compile(rf' style="([^"]*?)(?<![-\w])color:{COLOUR}([0-9a-f]{{2}});([^"]*)"')
_TEXT = re.compile(">([^<]+)")
_EACH_TAG = re.compile("(<[^>]*>)")
_END = "</span>"
_MARK = re.compile(r' data-symbol="\d+"')


def marked_html(plain: str, coloured_html: str) -> str:
    """The HTML of a formula with marks for colours; the plain one where the two do not show the same."""
    before, visible, shown = plain.partition(_BEFORE)
    _, _, with_colours = coloured_html.partition(_BEFORE)
    if not visible or "".join(_TEXT.findall(with_colours)) != "".join(_TEXT.findall(shown)):
        return plain
    with_marks = _with_marks(with_colours)
    return plain if COLOUR in with_marks else before + visible + with_marks


def _with_marks(html: str) -> str:
    """With marks for colours, none within one of the same symbol: KaTeX repeats a colour at every level."""
    pieces = _EACH_TAG.split(html)
    open_marks = [""]
    for at in range(1, len(pieces), 2):
        tag = pieces[at]
        if tag == _END:
            if len(open_marks) > 1:  # what the formula's own frame opened is closed after the last of them
                open_marks.pop()
            continue
        with_mark, without, mark = _marked(tag)
        pieces[at] = without if mark and mark == open_marks[-1] else with_mark
        if tag.startswith("<span"):
            open_marks.append(mark or open_marks[-1])
    return "".join(pieces)


@lru_cache(maxsize=TAGS)
def _marked(tag: str) -> tuple[str, str, str]:
    """A tag with a mark for its colour, the same without, and the mark itself; empty where it has none."""
    with_mark = _COLOURED.sub(_mark, tag)
    found = _MARK.search(with_mark) if tag.startswith("<span") else None
    return (with_mark, with_mark.replace(found[0], "", 1), found[0]) if found else (with_mark, with_mark, "")


def _mark(found: re.Match[str]) -> str:
    rest, number = found[1] + found[3], int(found[2], 16)
    return (f' style="{rest}"' if rest else "") + (f' data-symbol="{number}"' if number < NONE else "")
