"""The light and the dark colours of source code; every one has a contrast of at least 4.5 to its background (WCAG AA).

They are our own because Pygments' styles that reach this contrast come with backgrounds that do not suit the pages.
"""

from __future__ import annotations

from typing import ClassVar

from pygments.style import Style
from pygments.token import (
    Comment,
    Error,
    Generic,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Token,
    _TokenType,
)

Styles = dict[_TokenType, str]


def _styles(
    *,
    text: str,
    quiet: str,
    keyword: str,
    name: str,
    type_: str,
    string: str,
    number: str,
    call: str,
    bad: str,
    good: str,
) -> Styles:
    """Which kind of token has which colour; the two styles differ in nothing else."""
    return {
        Token: text,
        Comment: f"italic {quiet}",
        Comment.Preproc: f"noitalic {keyword}",
        Keyword: keyword,
        Keyword.Constant: number,
        Keyword.Type: type_,
        Operator: text,
        Operator.Word: keyword,
        Punctuation: text,
        Name: text,
        Name.Attribute: name,
        Name.Builtin: type_,
        Name.Builtin.Pseudo: type_,
        Name.Class: f"bold {type_}",
        Name.Constant: number,
        Name.Decorator: call,
        Name.Entity: number,
        Name.Exception: type_,
        Name.Function: f"bold {call}",
        Name.Function.Magic: f"bold {call}",
        Name.Label: name,
        Name.Namespace: text,
        Name.Tag: keyword,
        Name.Variable: name,
        Literal: number,
        Number: number,
        String: string,
        String.Affix: keyword,
        String.Doc: f"italic {string}",
        String.Escape: number,
        String.Interpol: number,
        String.Regex: number,
        Generic.Deleted: bad,
        Generic.Emph: "italic",
        Generic.Error: bad,
        Generic.Heading: f"bold {call}",
        Generic.Inserted: good,
        Generic.Output: quiet,
        Generic.Prompt: quiet,
        Generic.Strong: "bold",
        Generic.Subheading: f"bold {call}",
        Generic.Traceback: bad,
        Error: bad,
    }


class LightStyle(Style):
    """Dark ink on a light ground."""

    background_color: ClassVar[str] = "#f8f7f3"
    highlight_color: ClassVar[str] = "#fff3c4"
    styles: ClassVar[Styles] = _styles(
        text="#1f2430",
        quiet="#59616e",
        keyword="#8b2f97",
        name="#7a4300",
        type_="#0b5f76",
        string="#1d6333",
        number="#a12b1f",
        call="#1f4fbf",
        bad="#b3121d",
        good="#1d6333",
    )


class DarkStyle(Style):
    """Light ink on a dark ground."""

    background_color: ClassVar[str] = "#1c201f"
    highlight_color: ClassVar[str] = "#3a3420"
    styles: ClassVar[Styles] = _styles(
        text="#e3e6ec",
        quiet="#a3abb8",
        keyword="#e0a3ea",
        name="#eabf83",
        type_="#7fd1e3",
        string="#9ad6a4",
        number="#f5a896",
        call="#a5c0ff",
        bad="#ff9d9d",
        good="#9ad6a4",
    )
