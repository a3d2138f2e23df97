"""Prose pages for the host: parsed, typeset and ready, or the issues of their formulas with the lines they stand on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from atlas.exceptions import ContentError
from atlas.issues import Issue
from atlas.node.process import Formula, Typeset
from atlas.render.site import Heading, Prose, ProseFile, ProseRenderer

if TYPE_CHECKING:
    from atlas.markup.prose import ParsedProse

Typesetting = Callable[[Sequence[Formula]], Sequence[Typeset]]
"""Typesets formulas in one batch and answers in their order."""


def prose_renderer(typesetting: Typesetting) -> ProseRenderer:
    """What renders one prose page after the other; a page without formulas asks for no typesetting."""

    def render(file: ProseFile) -> Prose:
        from atlas.markup.prose import parse  # most builds after an edit have no prose to parse

        parsed = parse(file.markdown)
        results = typesetting(parsed.formulas) if parsed.formulas else ()
        if issues := _issues(file, parsed, results):
            raise ContentError(issues)
        finished = {result.formula: result.html or Markup() for result in results}
        headings = zip(parsed.toc, parsed.contents(finished.__getitem__), strict=True)
        return Prose(
            html=parsed.render(finished.__getitem__),
            title=parsed.title,
            headings=tuple(
                Heading(plain.level, plain.id, plain.title_text, html=finished_heading.title_html)
                for plain, finished_heading in headings
            ),
            search=parsed.render_plain(),
        )

    return render


def _issues(file: ProseFile, parsed: ParsedProse, results: Sequence[Typeset]) -> list[Issue]:
    return [
        Issue(
            file.path, _line(file, line, result), 0, "A906", f"KaTeX does not display {_short(result)}: {result.error}"
        )
        for line, result in zip(parsed.formula_lines, results, strict=True)
        if result.html is None
    ]


def _line(file: ProseFile, block: int, result: Typeset) -> int:
    """The line of the file that a refusal concerns, given the line of the text on which its block begins."""
    tex = result.formula.tex
    lines = file.markdown.splitlines()[block - 1 :]
    # The TeX begins on the line of its dollars or below it.
    begins = next((number for number, line in enumerate(lines) if tex.split("\n")[0] in line), 0)
    return file.first_line + block - 1 + begins + tex[: result.position or 0].count("\n")


def _short(result: Typeset) -> str:
    tex = result.formula.tex
    return repr(tex if len(tex) <= 60 else f"{tex[:60]}…")
