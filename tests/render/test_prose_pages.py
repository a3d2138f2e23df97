from __future__ import annotations

from collections.abc import Sequence

import pytest
from markupsafe import Markup

from atlas.exceptions import ContentError
from atlas.issues import Issue
from atlas.node.process import Formula, Typeset
from atlas.render.prose_pages import prose_renderer
from atlas.render.site import Prose, ProseFile

TEXT = r"""# The gain $\gamma$

Text with $\beta$ and `code`.

$$
\begin{aligned}
x &= 1
\end{aligned}
$$
"""


def typeset(formulas: Sequence[Formula]) -> list[Typeset]:
    """Stands for KaTeX, with MATHS around what it was given; `\\wrong` is refused where it stands."""
    return [
        Typeset(formula, None, "unknown command", formula.tex.index(r"\wrong"))
        if r"\wrong" in formula.tex
        else Typeset(formula, Markup("<math>MATHS {}</math>").format(formula.tex), "", None)
        for formula in formulas
    ]


def render(text: str, first_line: int = 1) -> Prose:
    return prose_renderer(typeset)(ProseFile("content/a.md", text, first_line))


def test_a_page_is_typeset_and_its_search_text_is_not() -> None:
    prose = render(TEXT)
    assert prose.html.count("<math>MATHS") == 3
    assert "MATHS" not in prose.search
    assert r"\beta" in prose.search
    assert prose.title == r"The gain \gamma"


def test_headings_have_their_text_and_their_finished_html() -> None:
    (heading,) = render(TEXT).headings
    assert (heading.level, heading.title) == (1, r"The gain \gamma")
    assert heading.html == r"The gain <math>MATHS \gamma</math>"
    assert f'id="{heading.id}"' in render(TEXT).html


def test_a_page_without_formulas_needs_no_typesetting() -> None:
    def never(formulas: Sequence[Formula]) -> list[Typeset]:
        raise AssertionError("nothing is to be typeset")

    assert "<p>text</p>" in prose_renderer(never)(ProseFile("content/a.md", "text", 1)).html


def test_refused_formulas_are_issues_on_the_lines_of_the_file() -> None:
    text = "one $\\wrong$\n\n$$\nx \\\\\n\\wrong\n$$\n\n$$ \\wrong $$\n"
    with pytest.raises(ContentError) as caught:
        render(text, first_line=5)
    message = "`\\wrong` cannot be displayed: unknown command"
    assert [(issue.path, issue.line, issue.code) for issue in caught.value.issues] == [
        ("content/a.md", 5, "A906"),
        ("content/a.md", 9, "A906"),
        ("content/a.md", 12, "A906"),
    ]
    assert caught.value.issues[0] == Issue("content/a.md", 5, 6, "A906", message, "", "one $\\wrong$\n     ^")
