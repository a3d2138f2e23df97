"""Pinned files, modules written in tests, and a model with the library that it is compared with."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from atlas.entries.manifest import Manifest
from atlas.entries.tree import read
from atlas.entries.validate import validate
from atlas.sources.blob import blob_id
from atlas.sources.store import PinnedText, SourceStore
from atlas.upstream.execute import load
from atlas.upstream.facade import Facade, State
from atlas.upstream.library import Library, open_library
from atlas.upstream.library_config import tiny_sizes
from atlas.upstream.library_model import LibraryModel, build
from tests.upstream.library_models import REPOSITORY, Subject, subject

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


@pytest.fixture(scope="session")
def tensor2tensor() -> Mapping[str, PinnedText]:
    """Path → pinned file of the real project, brought from its package or the cache."""
    sources = Path(__file__).resolve().parents[2] / "sources"
    document, _ = read(sources / "tensor2tensor.yml", "tensor2tensor.yml")
    assert document is not None
    manifest, issues = validate(document, Manifest)
    assert manifest is not None, issues
    store = SourceStore({"tensor2tensor": manifest})
    return {path: store.file("tensor2tensor", path) for path in manifest.files}


@pytest.fixture(scope="session")
def library() -> Library:
    return open_library(subject(REPOSITORY).source)


@pytest.fixture(scope="module")
def gpt2() -> Subject:
    return subject(REPOSITORY)


@pytest.fixture
def tiny(gpt2: Subject, library: Library) -> LibraryModel:
    return build(library, gpt2.upstream, tiny_sizes(gpt2.upstream))
