"""What all kinds of YAML objects have in common: they are frozen, know no unknown key, and describe every field.

The docstring below a field is its description in the JSON Schema that editors show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

from atlas.exceptions import SizeError
from atlas.sizes import size


def _a_size(expression: str | int) -> str | int:
    try:
        size(expression)
    except SizeError as error:
        raise ValueError(str(error)) from None
    return expression


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
"""A text that says something; Markdown of one line: code, emphasis, links and `$maths$`."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=80)]
"""The name of an operator, an argument or an option, as Python writes it."""

DottedName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$", max_length=200)
]
"""A name in source code, with dots between its parts."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([-_][a-z0-9]+)*$", max_length=80)]
"""Lower-case words joined by hyphens or underscores; becomes part of an address on the site."""

EntryPath = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+([-_/][a-z0-9]+)*$", max_length=200)]
"""The path of an entry below its collection or below `content`, without `.yml`."""

Latex = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
"""A symbol as LaTeX writes it."""

SizeText = Annotated[str | int, AfterValidator(_a_size)]
"""The length of an axis: a number or an expression of size symbols, such as `h d_v`."""

HttpsUrl = Annotated[str, StringConstraints(pattern=r"^https://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~+/#?=&%-]*)?$")]
"""An https address."""

Axes = tuple[SizeText, ...]


class Record(BaseModel):
    """Base of every schema class."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


Texts = Mapping[str, Text]
