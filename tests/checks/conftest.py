"""Entries written in a test, without the pinned sources that only other checks read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from atlas.entries.atlas import Entry
from atlas.entries.component import Component
from atlas.entries.tree import Document, parse
from atlas.entries.validate import validate
from atlas.issues import show


@pytest.fixture
def entry_of() -> Callable[[str], Entry]:
    """An entry of its YAML text."""

    def read(text: str) -> Entry:
        document, issues = parse(text, "a.yml")
        assert issues == []
        assert isinstance(document, Document)
        data, issues = validate(document, Component)
        assert show(issues) == ""
        assert data is not None
        return Entry("a", Path("a.yml"), document, data, "none", None)

    return read
