"""Maths and texts that views hold before they are typeset: the formulas of many pages go to Node in one run.

A view holds a promise of HTML; templates ask for it after the run, when every formula has been typeset.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from atlas.exceptions import DisplayError
from atlas.links.meant import linked
from atlas.markup.inline import ParsedInline, parse_inline
from atlas.node.process import Formula, Typeset
from atlas.render.fonts import fonts_of, united
from atlas.render.links import rewrite
from atlas.render.relative import relative_url


@dataclass(frozen=True, slots=True)
class _Ready:
    """A formula that is typeset."""

    html: Markup
    """Its HTML."""
    fonts: tuple[str, ...]
    """The files of the fonts that it uses, looked for once and not on each page that shows it."""


class Typesetting:
    """The formulas of one site: asked for while views are made, typeset in one run, then handed out."""

    def __init__(self, *, has_folders: bool = True) -> None:
        self.has_folders = has_folders
        """Whether each page of prose, to which texts may have links, is a folder."""
        self._asked: dict[Formula, _Ready | None] = {}
        self._fonts: set[tuple[str, ...]] = set()
        self._noted: set[Formula] = set()
        self._passing: set[Formula] = set()
        self.page = ""
        """The address of the page that is being rendered, to which the links of texts are made relative."""

    def maths(self, tex: str, *, display: bool = False) -> Maths:
        """A formula that will be typeset."""
        return self.of(Formula(tex, display))

    def of(self, formula: Formula) -> Maths:
        """A formula that will be typeset, which may have marks."""
        self._note(formula)
        return Maths(formula, self)

    def text(self, markdown: str, file: str) -> Inline:
        """A text of one line whose formulas will be typeset; `file` is where it stands, below the content folder."""
        parsed = parse_inline(markdown)
        for formula in parsed.formulas:
            self._note(formula)
        return Inline(parsed, self, file)

    def noted(self) -> frozenset[Formula]:
        """The formulas that were asked for since this was asked last."""
        noted, self._noted = frozenset(self._noted), set()
        return noted

    def begin(self) -> None:
        """Formulas that are first asked for from now on are shown by what will soon be finished."""
        self._passing.clear()

    def forget(self) -> None:
        """Let go of these formulas, as what shows them is finished; who asks for one again has it typeset again."""
        for formula in self._passing:
            del self._asked[formula]
        self._passing.clear()

    def _note(self, formula: Formula) -> None:
        self._noted.add(formula)
        if formula not in self._asked:
            self._passing.add(formula)
            self._asked[formula] = None

    @property
    def waiting(self) -> tuple[Formula, ...]:
        """The formulas that were asked for and are not typeset yet."""
        return tuple(formula for formula, html in self._asked.items() if html is None)

    def take(self, results: Iterable[Typeset]) -> None:
        """Keep what Node made of the formulas.

        Raises:
            DisplayError: KaTeX refused one; the checks let only those through that it accepts.
        """
        for typeset in results:
            if typeset.html is None:
                raise DisplayError(f"`{typeset.formula.tex}` cannot be displayed: {typeset.error}", typeset.position)
            self._asked[typeset.formula] = _Ready(typeset.html, fonts_of(typeset.html))

    def shown(self, formula: Formula) -> Markup:
        """The HTML of a formula that has been typeset."""
        ready = self._asked[formula]
        if ready is None:
            raise DisplayError(f"`{formula.tex}` was asked for and never typeset")
        self._fonts.add(ready.fonts)
        return ready.html

    def begin_page(self, page: str) -> None:
        """Have the page at an address be the one that is being rendered."""
        self.page = page
        self._fonts.clear()

    @property
    def fonts(self) -> tuple[str, ...]:
        """The files of the fonts that the formulas use that were shown since the page was begun."""
        return united(self._fonts)


@dataclass(frozen=True, slots=True)
class Maths:
    """One formula in a view; a template that prints it gets its HTML."""

    formula: Formula
    """The TeX."""
    typesetting: Typesetting
    """Where its HTML will be."""

    @property
    def tex(self) -> str:
        """The TeX, for copying."""
        return self.formula.tex

    def __html__(self) -> str:
        return self.typesetting.shown(self.formula)


@dataclass(frozen=True, slots=True)
class Inline:
    """One line of Markdown in a view; a template that prints it gets its HTML."""

    parsed: ParsedInline
    """What it holds."""
    typesetting: Typesetting
    """Where the HTML of its formulas will be."""
    file: str
    """The file that it stands in, below the content folder: its links mean the same on every page that shows it."""

    @property
    def plain(self) -> str:
        """The text without markup, for titles and descriptions."""
        return self.parsed.text

    def __html__(self) -> str:
        html = self.parsed.render(self.typesetting.shown)
        if not any(token.type == "link_open" for token in self.parsed.tokens):
            return html
        return Markup(rewrite(html, self._link))  # noqa: S704 - only addresses are replaced, and escaped again

    def _link(self, target: str) -> str:
        address = linked(target, self.file, has_folders=self.typesetting.has_folders)
        if address is None:
            return target
        path, query, rest = address.partition("?")
        return relative_url(path, self.typesetting.page) + query + rest
