from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping

import pytest

from atlas.sources.blob import blob_id
from atlas.upstream.execute import load
from atlas.upstream.facade import Facade, State

Load = Callable[..., Mapping[str, object]]


@pytest.fixture
def load_text() -> Load:
    """Load a module written in the test: its blob id is the right one, names may be left out."""

    def loaded(text: str, *names: str, facade: Facade, state: State | None = None) -> Mapping[str, object]:
        content = textwrap.dedent(text)
        return load(
            content,
            blob_id(content.encode()),
            names=names,
            facade=facade,
            state=State() if state is None else state,
            filename="project/module.py",
        )

    return loaded
