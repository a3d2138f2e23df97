"""What all kinds of YAML objects have in common: they are frozen, know no unknown key, and describe every field.

The docstring below a field is its description in the JSON Schema that editors show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, StringConstraints

from atlas.entries.descriptions import Described
from atlas.exceptions import SizeError
from atlas.sizes import size


@dataclass(frozen=True, slots=True)
class Form:
    """What a text must look like, in words; stands beside the pattern that decides."""

    words: str
    """Goes on after "is not"."""


class MisfitError(ValueError):
    """A value that does not fit: `fact` says why, `advice` what to write. The text is both, as pydantic shows it."""

    def __init__(self, fact: str, advice: str) -> None:
        super().__init__(f"{fact}; {advice}")
        self.fact = fact
        self.advice = advice


def _a_size(expression: str | int) -> str | int:
    try:
        number = size(expression).number
    except SizeError as error:
        advice = error.advice or "write sizes and whole numbers, such as `2 d` or `d/h + 1`"
        raise MisfitError(error.fact, advice) from None
    if number is not None and number < 1:
        raise MisfitError(f"a size is at least 1, but `{expression}` is {number}", "write how long the axis really is")
    return expression


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000), Form("a text")]
"""A text that says something; Markdown of one line: code, emphasis, links and `$maths$`."""

Name = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=80), Form("a name as Python writes it")
]
"""The name of an operator, an argument or an option, as Python writes it."""

DottedName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$", max_length=200),
    Form("a name as Python writes it, or several with dots between them"),
]
"""A name in source code, with dots between its parts."""

Identifier = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9]+([-_][a-z0-9]+)*$", max_length=80),
    Form("made of lower-case letters and digits, with a hyphen or an underscore between words"),
]
"""Lower-case words joined by hyphens or underscores; becomes part of an address on the site."""

EntryPath = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9]+([-_/][a-z0-9]+)*$", max_length=200),
    Form("the path of an entry without `.yml`, such as encoder/layer-norm"),
]
"""The path of an entry below its collection or below `content`, without `.yml`."""

Latex = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    Form("a symbol as LaTeX writes it"),
]
"""A symbol as LaTeX writes it."""

SizeText = Annotated[str | int, AfterValidator(_a_size), Form("a size such as 512 or h d_v")]
"""The length of an axis: a number or an expression of size symbols, such as `h d_v`."""

HTTPS_HOST = r"https://[A-Za-z0-9.-]+(:[0-9]+)?"
"""The beginning of an https address, as a pattern."""

HttpsUrl = Annotated[
    str,
    StringConstraints(pattern=rf"^{HTTPS_HOST}(/[A-Za-z0-9._~+/#?=&%-]*)?$"),
    Form("an https address"),
]
"""An https address."""

OldAddress = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*/?$", max_length=300),
    Form("an address below the site's root, such as transformer/encoder/layer-norm"),
]
"""An address that a page had before."""

Axes = tuple[SizeText, ...]


class Record(Described):
    """Base of every schema class."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
