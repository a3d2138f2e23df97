"""Issues of prose stand where the author wrote what is wrong, with what may have been meant."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from markupsafe import Markup

from atlas.checks.prose import Page, prose_issues
from atlas.issues import Issue
from atlas.markup.prose import parse
from atlas.node.process import Formula, Typeset


def _typeset(formula: Formula) -> Typeset:
    """As KaTeX answers for the one command that there is not."""
    at = formula.tex.find(r"\frc")
    html = Markup("<math></math>") if at < 0 else None
    return Typeset(formula, html, "" if at < 0 else r"Undefined control sequence: \frc", None if at < 0 else at)


def issues(markdown: str, first_line: int = 1) -> Sequence[Issue]:
    parsed = parse(markdown)
    return prose_issues(Page("content/a.md", markdown, first_line), parsed, [*map(_typeset, parsed.formulas)])


@pytest.mark.parametrize(
    ("markdown", "line", "column", "source"),
    [
        (r"the x of $\frc{x}$", 1, 11, r"the x of $\frc{x}$"),
        ("one\ntwo $x$ $y+\\frc{x}$", 2, 12, r"two $x$ $y+\frc{x}$"),
        ("\\frc $\\frc{x}$", 1, 7, r"\frc $\frc{x}$"),
        ("$$\nx \\\\\n  y \\frc{x}\n$$", 3, 5, r"  y \frc{x}"),
        ("- a\n\n  $$\n  x + \\frc{x}\n  $$", 4, 7, r"  x + \frc{x}"),
        ("| a | b |\n| - | - |\n| $z$ | $\\frc z$ |", 3, 10, r"| $z$ | $\frc z$ |"),
    ],
)
def test_a_formula_is_told_where_it_goes_wrong(markdown: str, line: int, column: int, source: str) -> None:
    [one] = issues(markdown, first_line=5)
    assert (one.path, one.line, one.column, one.code) == ("content/a.md", 4 + line, column, "A906")
    assert one.message.endswith(r"cannot be displayed: Undefined control sequence: \frc")
    assert "\\\\frc" not in one.message
    assert one.hint == r"did you mean \frac?"
    shown, carets = one.excerpt.split("\n")
    assert shown == source.lstrip()
    assert shown[carets.index("^") :].startswith(r"\frc")


def test_the_same_formula_twice_is_told_at_both_places() -> None:
    assert [one.column for one in issues(r"$\frc{x}$ and $\frc{x}$")] == [2, 16]


def test_markup_that_is_not_understood_is_a_warning_with_its_place() -> None:
    [one] = issues("text\n\nH<sub>2</sub>O", first_line=3)
    assert (one.line, one.column, one.code, one.severity) == (5, 2, "A912", "warning")
    assert one.message == "`<sub>` is raw HTML, which is shown as it is written"
    assert one.excerpt == "H<sub>2</sub>O\n ^^^^^"
    assert one.hint.startswith("write Markdown")


def test_prose_that_holds_has_no_issue() -> None:
    assert issues("# A\n\n$x$ and `<b>` and\n\n$$\ny\n$$\n") == []
