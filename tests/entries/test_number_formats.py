"""Formats of numbers by all their names."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import ConfigDict

from atlas.entries.base import Record
from atlas.entries.number_formats import number_format
from atlas.entries.tree import Document, parse
from atlas.entries.validate import validate


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("bf16", "bfloat16"),
        ("BF16", "bfloat16"),
        ("bfloat16", "bfloat16"),
        ("torch.bfloat16", "bfloat16"),
        ("fp16", "float16"),
        ("half", "float16"),
        ("f32", "float32"),
        ("fp32", "float32"),
        ("float-32", "float32"),
        ("float32", "float32"),
        ("double", "float64"),
        ("fp8", "fp8"),
        ("int8", ""),
        ("fp12", ""),
        ("", ""),
    ],
)
def test_every_name_of_a_format_is_known(name: str, meant: str) -> None:
    assert number_format(name) == meant


class Numbers(Record):
    """A record with a format."""

    model_config = ConfigDict(title="numbers")
    kept: Literal["float32", "bfloat16"]
    """The format."""


@pytest.mark.parametrize(("name", "meant"), [("bf16", "bfloat16"), ("fp32", "float32"), ("f32", "float32")])
def test_a_key_that_admits_formats_names_the_one_that_is_meant(name: str, meant: str) -> None:
    document, _ = parse(f"kept: {name}\n", "a.yml")
    assert isinstance(document, Document)
    _, (issue,) = validate(document, Numbers)
    assert (issue.code, issue.hint) == ("A104", f"did you mean `{meant}`?")
