"""What all kinds of YAML objects have in common: they are frozen, know no unknown key, and describe every field.

The docstring below a field is its description in the JSON Schema that editors show.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""A text that says something."""

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
"""Lower-case words joined by hyphens; becomes part of an address on the site."""


class Record(BaseModel):
    """Base of every schema class."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)
