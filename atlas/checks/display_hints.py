r"""What KaTeX refuses, told so that it can be mended: the place of the slip itself, and what to write there.

KaTeX says where it gave up, which for a brace that is not closed is the end of the formula, and never what to do.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from atlas.formula import letters

_PIECE = re.compile(r"\\[A-Za-z]+|\\.|%[^\n]*|.", re.DOTALL)
_NAMED = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")
_KNOWN = sorted(
    letters.GREEK | letters.STRUCTURE | letters.FUNCTIONS | letters.UPRIGHT | letters.ACCENTS | letters.STYLES
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is wrong with a formula that cannot be displayed."""

    message: str
    """What stands there."""
    hint: str
    """What to write, or an empty string."""
    position: int | None
    """The 0-based offset in the formula, where known."""


def refusal(tex: str, error: str, position: int | None) -> Refusal:
    """KaTeX's or our own refusal of a formula, with the place and the hint."""
    if raw := re.fullmatch(r"write (.+) instead of (.+)", error, re.DOTALL):
        return Refusal(f"{raw[2]} itself stands in a formula", f"write {raw[1]}", position)
    if unknown := re.fullmatch(r"Undefined control sequence: \\(.+)", error, re.DOTALL):
        return Refusal(error, _instead_of(unknown[1]), position)
    return _unbalanced(tex, error, position) or Refusal(error, _hint(error), position)


def _instead_of(command: str) -> str:
    """What to write for a command that does not exist."""
    if not command.isalpha():
        return "a formula is maths already: leave it out" if command in "[]()" else ""
    near = difflib.get_close_matches(command, _KNOWN, n=1, cutoff=0.75)
    if instead := letters.spelling_for(command):
        return f"write {instead}"
    return f"did you mean \\{near[0]}?" if near else f"write \\operatorname{{{command}}} if it is a name"


def _unbalanced(tex: str, error: str, position: int | None) -> Refusal | None:
    """What is opened and not closed, or closed and not opened, where that is the reason."""
    here = "" if position is None else tex[position : position + 1]
    if here == "}" and error.startswith("Expected"):
        return Refusal("`}` closes a brace that is not open", "delete it", position)
    # KaTeX stops at the end of the formula, or where a group cannot go on, such as at the end of a row.
    until = position if error.startswith("Expected '}'") else None
    if "xpected '}'" in error and (opened := _open_braces(tex[:until])):
        return Refusal("`{` is never closed", "write } where its group ends", opened[-1])
    if error.startswith("Expected '\\right'") and (lefts := _open_lefts(tex[:position])):
        return Refusal("`\\left` without its `\\right` in the same row", "write \\right and a bracket", lefts[-1])
    if mismatch := re.fullmatch(r"Mismatch: \\begin\{(.*)\} matched by \\end\{(.*)\}", error):
        hint = f"write the same name after both, as in \\begin{{aligned}} ... \\end{{aligned}}, not {mismatch[1]}"
        return Refusal(f"`\\end{{{mismatch[2]}}}` ends what began as `\\begin{{{mismatch[1]}}}`", hint, position)
    if error.startswith("Expected & or") and here == "" and (begun := _open_environment(tex)):
        message = f"`\\begin{{{begun[2]}}}` is never closed"
        return Refusal(message, f"write \\end{{{begun[2]}}} at the end of the formula", begun.start())
    return None


def _open_braces(tex: str) -> list[int]:
    opened: list[int] = []
    for piece in _PIECE.finditer(tex):
        if piece[0] == "{":
            opened.append(piece.start())
        elif piece[0] == "}":
            del opened[-1:]
    return opened


def _open_lefts(tex: str) -> list[int]:
    opened: list[int] = []
    for piece in _PIECE.finditer(tex):
        if piece[0] == "\\left":
            opened.append(piece.start())
        elif piece[0] == "\\right":
            del opened[-1:]
    return opened


def _open_environment(tex: str) -> re.Match[str] | None:
    """The innermost environment that does not end."""
    opened: list[re.Match[str]] = []
    for match in _NAMED.finditer(tex):
        if match[1] == "begin":
            opened.append(match)
        else:
            del opened[-1:]
    return opened[-1] if opened else None


_HINTS = (
    (r"Can't use function '\$'", "a formula is maths already: leave the $ out"),
    (r"Expected 'EOF', got '&'", r"& aligns rows inside of \begin{aligned} ... \end{aligned}"),
    (r"Expected 'EOF', got '\\end'", r"write the \begin that belongs to it, or delete it"),
    (r"Too many tab characters", r"rows that are aligned stand in \begin{aligned} ... \end{aligned}"),
    (r"Double superscript", "put braces around what the second belongs to, as in {x^2}^2"),
    (r"Double subscript", "put both into one pair of braces, as in x_{i,j}"),
    (r"Unexpected end of input", "something that is opened here is not closed"),
    (r"\\(href|url|html\w+) is not allowed", "links belong into texts such as `note`"),
    (r"Unicode text character", r"write it as a command, or inside of \text{...}"),
    (r"No such environment", "there are `aligned` and `cases`"),
    (r"Expected group", "write what the sign before it belongs to, in braces"),
    (r"Expected '\}'|Expected '\{'", "check the braces of this row"),
)


def _hint(error: str) -> str:
    return next((hint for pattern, hint in _HINTS if re.match(pattern, error)), "")
