"""The Transformer of the atlas beside its pinned code: as it is, and in a copy of the project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from atlas.checks.graph import check_graph, count_variants
from atlas.checks.program_block import check_program_block
from atlas.checks.upstream_program import verify_program
from atlas.entries.atlas import Atlas, Collection, Source
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.entries.program import Program
from atlas.graph.structure import Graph
from atlas.issues import Issue, show
from atlas.sources.store import PinnedText

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = "content/transformer"
MODEL = f"{FOLDER}/model.yml"


EMBEDDING, PADDING, SIGNAL = (
    f"{FOLDER}/encoder-input/{name}.yml" for name in ("embedding", "padding-bias", "timing-signal")
)


NORM, LAST_NORM, RESIDUAL, ATTENTION, FEED_FORWARD = (
    f"{FOLDER}/encoder/{name}.yml"
    for name in ("attention-layer-norm", "ffn-layer-norm", "attention-residual", "self-attention", "feed-forward")
)


CAUSAL, CROSS = (f"{FOLDER}/decoder/{name}.yml" for name in ("self-attention", "encoder-decoder-attention"))
SHIFT, HEAD = f"{FOLDER}/decoder-input/shift.yml", f"{FOLDER}/output/unembedding.yml"
Files = dict[str, PinnedText]


@dataclass(frozen=True, slots=True)
class Subject:
    """The Transformer of an atlas with what its proof needs."""

    atlas: Atlas
    collection: Collection
    graph: Graph
    model: Model
    program: Program
    source: Source


def subject(root: Path) -> Subject:
    atlas, issues = load(root, root / "content", root / "sources")
    assert show(issues) == ""
    collection = atlas.collections["transformer"]
    graph, issues = check_graph(collection)
    assert show(issues) == ""
    assert graph is not None
    assert isinstance(collection.data, Model)
    assert collection.data.program is not None
    source = atlas.sources[collection.data.program.source]
    return Subject(atlas, collection, graph, collection.data, collection.data.program, source)


def found(root: Path, files: Files) -> list[Issue]:
    """What the checks of the graph find, else what the comparison finds."""
    atlas, issues = load(root, root / "content", root / "sources")
    if issues:
        return issues
    collection = atlas.collections["transformer"]
    graph, issues = check_graph(collection)
    if graph is not None:
        issues += count_variants(collection, graph)[1]
    issues += check_program_block(collection, graph if not issues else None, atlas)
    if issues or graph is None:
        return issues
    one = subject(root)
    return [issue for each in verify_program(collection, graph, one.source, files) for issue in each.issues]
