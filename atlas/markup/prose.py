"""Markdown → HTML that is safe whatever the text holds; formulas are collected first, to be typeset in batches.

Pages written in Markdown and the one-line texts of entries go through the same parser: one Markdown and one maths. It
loads that parser, so it is imported only where a text holds any markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, count, pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_inline_dollar

from atlas.markup.code import highlight, visible
from atlas.markup.pieces import MATHS, formula_of, plain
from atlas.node.process import Formula

Typesetter = Callable[[Formula], Markup]
"""Gives the finished HTML of a formula that was collected before."""

DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Controls that embed, isolate or override the direction of a text."""
SCHEMES = frozenset({"http", "https", "mailto"})
"""The schemes that a link may have, besides none."""


@dataclass(frozen=True, slots=True)
class Heading:
    """One line of a table of contents."""

    level: int
    """1 to 6."""
    id: str
    """The id of the heading on its page."""
    title_html: Markup
    """The heading's inline HTML without links and images."""
    title_text: str
    """The heading as plain text; a formula is its TeX."""


@dataclass(frozen=True, slots=True)
class ParsedProse:
    """A Markdown text of several blocks, whose formulas are not typeset yet."""

    tokens: tuple[Token, ...]
    """What markdown-it-py parsed, with the ids of headings and with links and images made harmless."""
    formulas: tuple[Formula, ...]
    """All formulas in reading order, also those that occur twice."""
    formula_lines: tuple[int, ...]
    """For each formula the 1-based line of the text that it begins on."""
    toc: tuple[Heading, ...]
    """All headings in reading order; `title_html` shows the TeX of formulas, `contents` has them typeset."""
    title: str | None
    """The plain text of the first heading of level 1, or None."""

    def render(self, typeset: Typesetter) -> Markup:
        """The HTML of the whole text."""
        return rendered(self.tokens, {"typeset": typeset})

    def render_plain(self) -> Markup:
        """The HTML with formulas as their TeX and code without colours, for a search index."""
        return rendered(self.tokens, {})

    def contents(self, typeset: Typesetter) -> tuple[Heading, ...]:
        """The table of contents with formulas typeset."""
        return _contents(self.tokens, {"typeset": typeset})


def parse(markdown: str) -> ParsedProse:
    """Parse a text of several blocks."""
    tokens = _markdown().parse(_revealed(markdown))
    for token in tokens:
        if token.children:
            token.children = list(_harmless(token.children))
    _name_alignments(tokens)
    _name_headings(tokens)
    found = list(_formulas(tokens))
    toc = _contents(tokens, {})
    return ParsedProse(
        tuple(tokens),
        tuple(formula for formula, _ in found),
        tuple(line for _, line in found),
        toc,
        next((heading.title_text for heading in toc if heading.level == 1), None),
    )


def parse_line(text: str) -> tuple[Token, ...]:
    """Parse a text of one line: line breaks are spaces, images are links, no formula gets a line of its own."""
    (line,) = _markdown().parseInline(re.sub(r"\s*[\r\n]\s*", " ", _revealed(text).strip()))
    tokens = tuple(_harmless(line.children or [], images=False))
    for token in tokens:
        if token.type == "math_inline_double":
            token.type = "math_inline"
    return tokens


def parse_with_html(markdown: str) -> tuple[Sequence[Token], Mapping[str, int]]:
    """What a text would be where HTML is understood, and the 0-based line of each label that it defines.

    It is never rendered: no page has HTML of an author.
    """
    env: dict[str, Any] = {}
    tokens = _markdown(with_html=True).parse(markdown, env)
    return tokens, {label: int(one["map"][0]) for label, one in env.get("references", {}).items()}


def _revealed(markdown: str) -> str:
    """The text with signs in place of the controls by which a text shows in another order than it is written."""
    return DIRECTION.sub(lambda found: visible(found[0]), markdown)


def slug(title: str) -> str:
    """The id of a heading as GitHub makes it: lower case, hyphens for spaces, only letters, digits, `_` and `-`."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") or "section"


def is_allowed(url: str) -> bool:
    """Whether a link may lead there: to a web or mail address, or to a place on this site.

    A browser ignores control characters and takes a backslash for a slash, so an address with either is refused.
    """
    if re.search(r"[\x00-\x20\x7f\\]|%(?:0[0-9a-f]|1[0-9a-f]|7f|5c)", url, re.IGNORECASE):
        return False
    scheme = re.match(r"([^/?#]*?):", url)
    return scheme[1].lower() in SCHEMES if scheme else not url.startswith("//")


def normalized(url: str) -> str:
    """An address as the parser keeps it."""
    return _markdown().normalizeLink(url)


def destination_at(text: str, start: int) -> tuple[str, int]:
    """The address that begins at an offset, as the parser reads it, and the offset after it; empty where none does."""
    found = _markdown().helpers.parseLinkDestination(text, start, len(text))
    return (found.str, found.pos) if found.ok else ("", start)


def is_external(url: str) -> bool:
    """Whether an allowed address is one of another site."""
    return re.match(r"https?:", url, re.IGNORECASE) is not None


class _Markdown(MarkdownIt):
    """A parser that knows our rule for links; what it refuses stays on the page as the characters that were written."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the name is markdown-it-py's
        return is_allowed(url)


@cache
def _markdown(*, with_html: bool = False) -> MarkdownIt:
    """The parser, or one that tells HTML from text, which renders nothing; parsing does not change either."""
    markdown = _Markdown("commonmark", {"html": with_html, "xhtmlOut": False}).enable(["table", "strikethrough"])
    # Text that is joined does not tell any more which signs in it were escaped.
    markdown.disable(["text_join"] if with_html else ["html_block", "html_inline"])
    markdown.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_blank_lines=False)
    markdown.inline.ruler.at("math_inline", _math_inline)
    for name, rule in RULES.items():
        markdown.add_render_rule(name, rule)
    return markdown


_dollars = math_inline_dollar(allow_space=False, allow_digits=True, allow_double=True)


def _math_inline(state: StateInline, silent: bool) -> bool:
    """The plugin's rule, except that a dollar before a digit closes no formula: "$5-$10" are two prices.

    The plugin's option for that also looks at what stands before the opening dollar; at the start, the last character.
    """
    start, pending, known = state.pos, state.pending, len(state.tokens)
    if not _dollars(state, silent):
        return False
    if state.src[state.pos : state.pos + 1].isdigit():
        state.pos, state.pending = start, pending
        del state.tokens[known:]
        return False
    return True


def _harmless(tokens: Sequence[Token], *, images: bool = True) -> Iterator[Token]:
    """The tokens with links to other sites marked, and with links for images of other sites, which no page may load."""
    inside_link = 0
    for token in tokens:
        if token.type == "link_open" and is_external(str(token.attrs["href"])):
            token.attrSet("rel", "noopener")
        if token.type != "image" or (images and _is_local(str(token.attrs["src"]))):
            inside_link += token.nesting if token.type.startswith("link_") else 0
            yield token
            continue
        address = str(token.attrs["src"])
        text = Token("text", "", 0, content=plain(token.children or []) or address)
        if inside_link:
            yield text
        else:
            link = Token("link_open", "a", 1, attrs={"href": address})
            yield from _harmless([link, text, Token("link_close", "a", -1)])


def _is_local(url: str) -> bool:
    return re.match(r"[^/?#]*:", url) is None


def _name_alignments(tokens: Iterable[Token]) -> None:
    """Say by a class how cells of a table are aligned: the pages' policy has style attributes for formulas alone."""
    for token in tokens:
        style = str(token.attrs.get("style", ""))
        if token.type in ("th_open", "td_open") and style.startswith("text-align:"):
            del token.attrs["style"]
            token.attrJoin("class", style.removeprefix("text-align:"))


def _name_headings(tokens: Sequence[Token]) -> None:
    """Give each heading an id that no other heading of the text has."""
    taken: set[str] = set()
    for opening, inline in _headings(tokens):
        base = slug(plain(inline.children or []))
        numbered = (f"{base}-{number}" for number in count(1))
        name = next(name for name in chain([base], numbered) if name not in taken)
        taken.add(name)
        opening.attrSet("id", name)


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Each heading's opening and inline token."""
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            yield opening, inline


def _contents(tokens: Sequence[Token], env: Mapping[str, Any]) -> tuple[Heading, ...]:
    headings = []
    for opening, inline in _headings(tokens):
        children = [_without_image(token) for token in inline.children or [] if not token.type.startswith("link_")]
        title = rendered(children, env)
        headings.append(Heading(int(opening.tag[1:]), str(opening.attrs["id"]), title, plain(inline.children or [])))
    return tuple(headings)


def _without_image(token: Token) -> Token:
    return Token("text", "", 0, content=plain(token.children or [])) if token.type == "image" else token


def _formulas(tokens: Iterable[Token], first: int = 1) -> Iterator[tuple[Formula, int]]:
    """Each formula with the line that it begins on; inline tokens know only the line of the block around them."""
    for token in tokens:
        line = token.map[0] + 1 if token.map else first
        if token.type in MATHS:
            yield formula_of(token), line
        if token.type == "inline":
            yield from _formulas(token.children or [], line)
        elif not token.map:
            first += token.type in ("softbreak", "hardbreak") or token.content.count("\n")


# The rules below have the signature that markdown-it-py prescribes; `env` holds the typesetter, nothing for plain HTML.


def rendered(tokens: Sequence[Token], env: Mapping[str, Any]) -> Markup:
    """The HTML of parsed tokens; `env` holds the typesetter, or nothing for HTML without maths and colours."""
    markdown = _markdown()
    html = markdown.renderer.render(tokens, markdown.options, dict(env))
    return Markup(html)  # noqa: S704 - the renderer escapes all text, and no rule passes HTML through


def _render_maths(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    formula = formula_of(tokens[index])
    html = env["typeset"](formula) if "typeset" in env else Markup("<code>{}</code>").format(formula.tex)
    if tokens[index].type != "math_block":
        return str(escape(html))
    return Markup('<div class="math-display" tabindex="0">{}</div>\n').format(html)


def _render_code(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
    lines = highlight(token.content, language) if "typeset" in env else [escape(token.content)]
    name = Markup(' class="language-{}"').format(language) if re.fullmatch(r"[\w+#.-]+", language) else Markup()
    html = Markup('<div class="code"><pre tabindex="0"><code{}>{}</code></pre></div>\n')
    return html.format(name, Markup("\n").join(lines))


def _render_image(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    title = Markup(' title="{}"').format(token.attrs["title"]) if "title" in token.attrs else Markup()
    return Markup('<img src="{}" alt="{}"{}>').format(token.attrs["src"], plain(token.children or []), title)


def _render_heading_close(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    opening, inline = tokens[index - 2], tokens[index - 1]
    link = Markup('<a class="headerlink" href="#{}" aria-label="Permalink to “{}”">#</a>')
    title = plain(inline.children or [])
    anchor = link.format(opening.attrs["id"], title) if "typeset" in env else Markup()
    return anchor + Markup("</{}>\n").format(opening.tag)


def _render_table_open(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return '<div class="table" tabindex="0"><table>\n'


def _render_table_close(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return "</table></div>\n"


RULES: Mapping[str, Callable[..., str]] = {
    "math_inline": _render_maths,
    "math_inline_double": _render_maths,
    "math_block": _render_maths,
    "fence": _render_code,
    "code_block": _render_code,
    "image": _render_image,
    "heading_close": _render_heading_close,
    "table_open": _render_table_open,
    "table_close": _render_table_close,
}
"""How tokens are rendered that markdown-it-py would render otherwise."""
