"""What tests of several rooms share: a copy of a small atlas, to be edited and broken."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from atlas.entries.atlas import Atlas, Collection, Entry
from atlas.entries.collection import Library
from atlas.entries.load import load
from atlas.sizes import size
from atlas.sources.store import PinnedText, SourceStore

PROJECT = Path(__file__).resolve().parent / "project"
"""A small atlas whose every line stays as it is: two components of a model, and a layer of a library."""


@dataclass(frozen=True, slots=True)
class RealProject:
    root: Path

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace the only occurrence of a text in a file."""
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path} holds {old!r} {text.count(old)} times"
        file.write_text(text.replace(old, new), encoding="utf-8")

    def line(self, path: str, text: str, nth: int = 1) -> int:
        """The number of the nth line that holds a text."""
        lines = (self.root / path).read_text(encoding="utf-8").splitlines()
        return [number for number, line in enumerate(lines, 1) if text in line][nth - 1]

    def atlas(self) -> Atlas:
        atlas, issues = load(self.root, self.root / "content", self.root / "sources")
        assert issues == []
        return atlas

    def entry(self, entry_id: str) -> Entry:
        return next(entry for entry in self.atlas().entries if entry.id == entry_id)

    def pinned(self, entry: Entry) -> dict[str, PinnedText]:
        """The pinned file of each source claim, from the cache or brought."""
        store = SourceStore({name: source.data for name, source in self.atlas().sources.items()})
        return {claim.id: store.file(claim.source, claim.path) for claim in entry.data.sources}


@pytest.fixture
def real_project(tmp_path: Path) -> RealProject:
    """A copy of the small atlas."""
    root = tmp_path / "project"
    shutil.copytree(PROJECT, root)
    return RealProject(root)


@pytest.fixture
def library_of() -> Callable[[Entry], Collection]:
    """A library that documents one entry, with its sizes as dimensions."""

    def make(entry: Entry) -> Collection:
        axes = [size(axis) for symbol in entry.data.symbols.values() for axis in symbol.axes]
        names = sorted({name for axis in axes for name in axis.symbols}) or ["d"]
        dimensions = dict.fromkeys(names, "a size")
        data = Library(title="A", summary="A", kind="A", source="a", dimensions=dimensions, layers=("a",))
        return Collection("a", entry.file, entry.document, data, (entry,))

    return make


@pytest.fixture
def models(tmp_path: Path) -> RealProject:
    """Small models that mean nothing: `line`; `nested` has all that stacks can have; `pyramid` halves images."""
    return _models_in(tmp_path)


@pytest.fixture(scope="session")
def small_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Collection]:
    """The same models by id, to be looked at."""
    return dict(_models_in(tmp_path_factory.mktemp("looked-at")).atlas().collections)


def _models_in(folder: Path) -> RealProject:
    root = folder / "models"
    shutil.copytree(PROJECT.parent / "models", root)
    (root / "sources").mkdir(exist_ok=True)
    return RealProject(root)
