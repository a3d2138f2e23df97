"""Prose pages for the host: parsed, typeset and ready, or the issues of their formulas where these are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from atlas.checks.prose import Page, prose_issues
from atlas.exceptions import ContentError
from atlas.node.process import Formula, Typeset
from atlas.render.site import Heading, Prose, ProseFile, ProseRenderer

Typesetting = Callable[[Sequence[Formula]], Sequence[Typeset]]
"""Typesets formulas in one batch and answers in their order."""


def prose_renderer(typesetting: Typesetting) -> ProseRenderer:
    """What renders one prose page after the other; a page without formulas asks for no typesetting."""

    def render(file: ProseFile) -> Prose:
        from atlas.markup.prose import parse  # most builds after an edit have no prose to parse

        parsed = parse(file.markdown)
        results = typesetting(parsed.formulas) if parsed.formulas else ()
        issues = prose_issues(Page(file.path, file.markdown, file.first_line), parsed, results)
        if any(issue.severity == "error" for issue in issues):
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
            warnings=tuple(issues),
        )

    return render
