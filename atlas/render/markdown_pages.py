"""Views → the Markdown version of each page, by templates of their own; every value is escaped for Markdown.

Templates print maths as TeX, texts as their author wrote them, and links to the Markdown versions of other pages; a
link to a part of a page leads to the page itself, as Markdown has no anchors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from jinja2 import Undefined
from markupsafe import Markup

from atlas.kept import Kept
from atlas.links.meant import linked
from atlas.markup.code import CodeLine, CodeLines, plain_code
from atlas.markup.markdown import cell, code_block, code_span, destination, display_maths, escaped, inline_markdown
from atlas.markup.markdown import inline_maths as inline
from atlas.render.addresses import markdown_file
from atlas.render.alternates import json_of
from atlas.render.compiled import Compiled
from atlas.render.deferred import Inline, Maths
from atlas.render.link import Link
from atlas.render.pages import PagePlan
from atlas.render.printing import ALSO_IN, Templates
from atlas.render.relative import relative_url

ALSO = "markdown/also_in.md"
"""The template of what a component's Markdown says of its relatives."""
_FENCED = re.compile(r"(?m)^(`{3,})((?:[^\n]*+\n)+?)\1$")
"""A block of code, line by line up to the fence that closes it."""
_LANGUAGES = {"py": "python", "md": "markdown", "js": "javascript", "rs": "rust"}
"""What fences call languages whose files end otherwise."""


class MarkdownRenderer:
    """Renders planned pages; a folder that is given first may hold other templates than the theme's own."""

    def __init__(self, site_name: str, templates: Iterable[Path], kept: Kept | None = None) -> None:
        self._site_name = site_name
        self._file = ""
        self._links: set[str] = set()
        # What `_printed` has made is left as it is; anything else would show as HTML.
        compiled = Compiled(kept, "Markdown") if kept is not None else None
        self._environment = Templates(templates, self._printed, compiled)
        self._environment.keep_trailing_newline = True
        self._environment.filters.update(
            code=_code, cell=_cell, block=_block, display=_display, link=self._link, anyway=_anyway
        )
        self._environment.globals["to"] = self._to  # so that macros need no context, which they are made anew for

    def load(self, kind: str) -> None:
        """Compile and keep the template of a kind of pages, with all that it takes in."""
        for name in (f"markdown/{kind}.md", ALSO):
            self._environment.load(name)

    def made(self, plan: PagePlan) -> tuple[str, frozenset[str]]:
        """The text of a page's file, and the links in it."""
        url = markdown_file(plan.url)
        self._file, self._links = url, set()
        template = self._environment.get_template(f"markdown/{plan.kind}.md")
        html = relative_url(plan.url, url)
        self._links.add(html)
        text = template.render(
            view=plan.view,
            site_name=self._site_name,
            html=html,
            json=json_of(plan.kind, plan.url),
            also_in=ALSO_IN,
        )
        return folded(text), frozenset(self._links)

    def also_in(self, page: str, links: Sequence[Link], more: Link | None) -> tuple[str, frozenset[str]]:
        """What the Markdown of the page at an address says of its relatives, and the links in that."""
        self._file, self._links = markdown_file(page), set()
        template = self._environment.get_template(ALSO)
        return template.render(links=links, more=more), frozenset(self._links)

    def _printed(self, value: object) -> str:
        """What a template prints of a value."""
        kind = type(value)
        if kind is Markup:
            return value  # type: ignore[return-value]  # it is a str
        if kind is str:
            return escaped(value)
        if isinstance(value, Maths):
            return inline(value.tex)
        if isinstance(value, Inline):
            return inline_markdown(value.parsed.tokens, lambda target: self._meant(target, value))
        if value is None:
            raise TypeError("a template of a Markdown page prints nothing at all; say what it prints instead")
        return str(value) if isinstance(value, Markup | Undefined) else escaped(str(value))

    def _link(self, one: Link) -> Markup:
        """A link with its title."""
        title = escaped(one.title)
        return _anyway(f"[{title}]({destination(self._to(one.url))})" if one.url else title)

    def _to(self, target: str) -> Markup:
        """The link from the page at hand to an address of the site; one of another site stays as it is."""
        if target.startswith(("https://", "http://", "mailto:")):
            return _anyway(target)
        is_page = target == "" or target.endswith("/")
        written = relative_url(markdown_file(target) if is_page else target, self._file)
        self._links.add(written)
        return _anyway(written)

    def _meant(self, target: str, text: Inline) -> str:
        """Where a link in a text of an entry leads; what is no address of the site stays as it was written."""
        address = linked(target, text.file, has_folders=text.typesetting.has_folders)
        return target if address is None else self._to(address)


def _anyway(markdown: str) -> Markup:
    """Finished Markdown."""
    # It is never shown as HTML, and each part of it was escaped for Markdown. `Markup(…)` itself first looks for HTML.
    return str.__new__(Markup, markdown)


def _code(text: object) -> Markup:
    return _anyway(code_span(str(text)))


def _cell(value: object) -> Markup:
    """A finished value in the cell of a table."""
    return _anyway(cell(str(value)))


def _display(formula: Maths) -> Markup:
    return _anyway(display_maths(formula.tex))


def _block(lines: Iterable[CodeLine | str], name: str = "") -> Markup:
    """Lines of code; the language follows from the name of their file."""
    if isinstance(lines, CodeLines):
        text = lines.plain
    else:
        text = "\n".join(one if isinstance(one, str) else plain_code((one,)) for one in lines)
    ending = name.rpartition(".")[2] if "." in name else ""
    return _anyway(code_block(text, _LANGUAGES.get(ending, ending)))


def folded(text: str) -> str:
    """The text with one blank line where templates leave several, outside of code."""
    return f"{_folded(text).strip()}\n"


def joined(before: str, text: str, after: str) -> str:
    """Parts of a folded text with another text between them, folded: only where they meet is there anything to fold."""
    head, tail = before.rstrip("\n"), after.lstrip("\n")
    seam = f"{before[len(head) :]}{text}{after[: len(after) - len(tail)]}"
    return f"{head}{_folded(seam)}{tail}".strip() + "\n"


def _folded(text: str) -> str:
    pieces = _FENCED.split(text)
    kept = []
    for number in range(0, len(pieces), 3):
        kept.append(re.sub(r"\n{3,}", "\n\n", pieces[number]))
        if number + 2 < len(pieces):
            kept.append(f"{pieces[number + 1]}{pieces[number + 2]}{pieces[number + 1]}")
    return "".join(kept)
