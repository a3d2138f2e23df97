"""Models of the atlas beside their upstream library: as they are, and edited in a copy of the project."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from atlas.checks.graph import check_graph, count_variants
from atlas.checks.upstream_block import check_upstream_block
from atlas.checks.upstream_model import verify_model
from atlas.entries.atlas import Atlas, Collection, Source
from atlas.entries.collection import Model, Upstream
from atlas.entries.load import load
from atlas.graph.accounting import ModelAccount, model_account
from atlas.graph.structure import Graph
from atlas.issues import Issue
from atlas.upstream.library import Library
from atlas.upstream.library_config import tiny_sizes

REPOSITORY = Path(__file__).resolve().parents[2]
MODEL = "content/gpt-2/model.yml"
NORM = "content/gpt-2/decoder/attention-layer-norm.yml"
HEAD = "content/gpt-2/output/unembedding.yml"


def with_upstream() -> list[str]:
    """The models of this repository that name an upstream one."""
    atlas, _ = load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")
    return [name for name, one in atlas.collections.items() if isinstance(one.data, Model) and one.data.upstream]


@dataclass(frozen=True, slots=True)
class Subject:
    """A model of an atlas with what its proof needs."""

    atlas: Atlas
    collection: Collection
    graph: Graph
    model: Model
    upstream: Upstream
    source: Source

    @property
    def account(self) -> ModelAccount:
        return model_account(self.graph, tiny_sizes(self.upstream))


def subject(root: Path, name: str = "gpt-2") -> Subject:
    atlas, issues = load(root, root / "content", root / "sources")
    assert issues == []
    collection = atlas.collections[name]
    graph, issues = check_graph(collection)
    assert issues == []
    assert graph is not None
    assert isinstance(collection.data, Model)
    assert collection.data.upstream is not None
    source = atlas.sources[collection.data.upstream.source]
    return Subject(atlas, collection, graph, collection.data, collection.data.upstream, source)


def edit(root: Path, edits: Iterable[tuple[str, str, str]]) -> None:
    for path, old, new in edits:
        file = root / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path} holds {old!r} {text.count(old)} times"
        file.write_text(text.replace(old, new), encoding="utf-8")


def found(root: Path, library: Library, name: str = "gpt-2") -> list[Issue]:
    """What the checks of the graph find, else what the comparison finds."""
    atlas, issues = load(root, root / "content", root / "sources")
    assert issues == []
    collection = atlas.collections[name]
    graph, issues = check_graph(collection)
    if graph is not None:
        issues += count_variants(collection, graph)[1]
    issues += check_upstream_block(collection, graph if not issues else None, atlas)
    if issues:
        return issues
    one = subject(root, name)
    # At real sizes the models of the atlas are compared; an edit is found at the tiny ones or at those of one variant.
    first = dict(list(one.model.variants.items())[:1])
    collection = replace(one.collection, data=one.model.model_copy(update={"variants": first}))
    return [issue for compared in verify_model(collection, one.graph, one.source, library) for issue in compared.issues]
