"""What `atlas verify` executes, as pieces of work: the passages that entries name, and whole models beside upstream's.

A piece holds all that its proof needs, so that it is done as well by another process or machine; what comes of it is
printed, counted and recorded where the command runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from atlas.checks.compared import Compared
from atlas.checks.upstream import Executed, verify_entry
from atlas.checks.upstream_model import verify_model
from atlas.checks.upstream_program import verify_program
from atlas.entries.atlas import Collection, Entry, Source
from atlas.entries.collection import Model, Upstream
from atlas.entries.program import Program
from atlas.exceptions import LibraryError
from atlas.graph.structure import Graph
from atlas.operators.catalogue import find
from atlas.sources.store import PinnedText
from atlas.spread import Executor, spread
from atlas.upstream.library import open_library

PART = 5
"""How many entries one piece of work has."""


@dataclass(frozen=True, slots=True)
class Passages:
    """An entry with what it names to be executed."""

    entry: Entry
    """The entry; the operator that it names exists."""
    pinned: Mapping[str, PinnedText]
    """The verified files by source claim, of those that are at hand."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A model that names an upstream one."""

    collection: Collection
    """The model."""
    graph: Graph
    """Its graph."""
    model: Model
    """What its file says."""
    upstream: Upstream | Program
    """What its file says of the upstream model."""
    source: Source
    """What pins the library or the files."""
    files: Mapping[str, PinnedText]
    """The pinned files that are at hand, by path."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of a model."""

    found: tuple[Compared, ...]
    """What came of each claim, in order."""
    undone: str
    """Why nothing was compared; empty where something was."""


def execute(passages: Sequence[Passages], executor: Executor) -> Iterator[tuple[Executed, ...]]:
    """What came of each execution of each entry, in order.

    Raises:
        ExecutorError: the executor did not do the work.
    """
    parts = [passages[first : first + PART] for first in range(0, len(passages), PART)]
    for part in spread(_executed, parts, executor):
        yield from part


def compare(models: Sequence[Whole], executor: Executor) -> Iterator[Comparison]:
    """What came of each model, in order.

    Raises:
        ExecutorError: the executor did not do the work.
    """
    return spread(_compared, models, executor)


def _executed(part: Sequence[Passages]) -> list[tuple[Executed, ...]]:
    return [tuple(verify_entry(one.entry, find(one.entry.data.operator), one.pinned)) for one in part]


def _compared(whole: Whole) -> Comparison:
    """Compare one model; that its library is not at hand is a finding, as that can differ from machine to machine."""
    try:
        if isinstance(whole.upstream, Upstream):
            library = open_library(whole.source)
            return Comparison(tuple(verify_model(whole.collection, whole.graph, whole.source, library)), "")
        return Comparison(tuple(verify_program(whole.collection, whole.graph, whole.source, whole.files)), "")
    except LibraryError as error:
        return Comparison((), str(error))
