"""All checks over one atlas: what holds becomes `Checked`, what does not becomes issues; no check stops another.

A check whose ground another has already found missing is left out, so that one mistake gives one issue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from atlas.checks.alone import Alone, Counted, Task, formula_proof, judged
from atlas.checks.api import check_api
from atlas.checks.backing import unbacked_sizes
from atlas.checks.base import Collector, Proof
from atlas.checks.checked import Checked, CheckedClaim, CheckedCollection, CheckedEntry
from atlas.checks.configuration import check_upstream_names
from atlas.checks.display import Typesetter, check_display
from atlas.checks.graph import check_graph, count_variants
from atlas.checks.memory import Grounds, Memory, grounds_of
from atlas.checks.parameters import check_counts
from atlas.checks.program_block import check_program_block
from atlas.checks.published import check_published, differences_of
from atlas.checks.records import check_records
from atlas.checks.records_model import check_model_records, compared_with
from atlas.checks.references import check_collection, check_entry
from atlas.checks.sizes import check_sizes, check_variants, sizes_are_known
from atlas.checks.sources import MissingSources, SourceCheck
from atlas.checks.symbols import check_symbols
from atlas.checks.upstream_block import check_upstream_block
from atlas.entries.atlas import Atlas, Collection, Entry
from atlas.entries.collection import Model
from atlas.entries.load import load, shown_path
from atlas.exceptions import ContentError, SourceError
from atlas.formula.symbols import SymbolTable
from atlas.graph.accounting import ModelAccount
from atlas.graph.structure import Graph
from atlas.issues import Issue, ordered
from atlas.kept import Kept
from atlas.operators.catalogue import find
from atlas.operators.registry import Operator
from atlas.sources.pins import LOCK_NAME, PinLock, load_lock
from atlas.sources.store import SourceStore
from atlas.spread import Executor

StoreMaker = Callable[[Atlas], SourceStore]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run found."""

    checked: Checked | None
    """The atlas with its proofs; None where there is any error."""
    issues: tuple[Issue, ...]
    """Errors and warnings, sorted."""
    entries: int
    """How many entries were checked."""
    grounds: Mapping[str, Grounds]
    """What the checks of each collection read, by its id."""


def check_project(
    root: Path,
    content: Path,
    sources: Path,
    *,
    make_store: StoreMaker,
    typesetter: Typesetter,
    missing: MissingSources = "fail",
    concerns: Callable[[str], bool] | None = None,
    memory: Memory | None = None,
    kept: Kept | None = None,
    executor: Executor | None = None,
    counting: Counted | None = None,
) -> Outcome:
    """Load and check everything below the two folders; what was proved before and is kept is not proved again.

    With `concerns`, which answers for a file whether it is asked about, only the collections and sources of such files
    are checked. With a `memory` of earlier runs, a collection is checked again only if what it rests on has changed.
    Entries are judged by the executor, where one is given; else by this machine's cores, where these are many;
    `counting` is told how far they are.
    """
    atlas, issues = load(root, content, sources)
    if concerns is not None:
        atlas = replace(atlas, collections=dict(_concerned(atlas, concerns)))
    found = Collector()
    found.extend(issues)
    lock = _lock(sources, root, found)
    check = SourceCheck(atlas, make_store(atlas), lock, missing)
    run = _Run(
        atlas, found, check, memory or Memory(), partial(judged, kept=kept, executor=executor, counting=counting)
    )
    checked = run.everything(typesetter, concerns)
    issues = ordered([*found.issues, *run.sources.found.issues])
    errors = [issue for issue in issues if issue.severity == "error"]
    return Outcome(None if errors else checked(issues), tuple(issues), len(atlas.entries), run.grounds)


def _concerned(atlas: Atlas, concerns: Callable[[str], bool]) -> Iterator[tuple[str, Collection]]:
    """The collections with a file that is asked about, or whose entries inherit from one."""
    for name, collection in atlas.collections.items():
        owners = [collection, *collection.entries]
        if any(concerns(path) for owner in owners for path in owner.document.texts):
            yield name, collection


def require(outcome: Outcome) -> Checked:
    """The checked atlas.

    Raises:
        ContentError: there were errors.
    """
    if outcome.checked is None:
        raise ContentError(outcome.issues)
    return outcome.checked


def _lock(sources: Path, root: Path, found: Collector) -> PinLock | None:
    """The proofs of pins; None where they cannot be read."""
    try:
        return load_lock(sources / LOCK_NAME)
    except SourceError as error:
        shown = shown_path(sources / LOCK_NAME, root)
        found.add(Issue(shown, 0, 0, "A502", str(error), "write it anew: atlas pin --prove"))
        return None


@dataclass(frozen=True, slots=True)
class _Sound:
    """An entry that holds by itself; what is left is to count its parameters in every variant."""

    entry: Entry
    """The entry."""
    operator: Operator
    """Its operator."""
    table: SymbolTable
    """Its symbols, as the formula engine takes them."""
    claims: tuple[CheckedClaim, ...]
    """Its source claims."""
    shapes: str
    """What was found about its shapes."""
    formula: Proof
    """What was found about its formula."""


class _Run:
    def __init__(
        self,
        atlas: Atlas,
        found: Collector,
        sources: SourceCheck,
        memory: Memory,
        judge: Callable[[list[Task]], list[Alone]],
    ) -> None:
        self.atlas = atlas
        self.judged = judge
        self.alone: Mapping[str, Alone] = {}
        self.references: dict[str, list[Issue]] = {}
        self.found = found
        self.sources = sources
        self.memory = memory
        self.unreadable: frozenset[str] = frozenset()
        self.grounds: Mapping[str, Grounds] = {}

    def everything(
        self, typesetter: Typesetter, concerns: Callable[[str], bool] | None
    ) -> Callable[[Iterable[Issue]], Checked]:
        """Run every check; what comes back makes the result once it is known that nothing failed."""
        self.sources.check_sources(concerns)
        issues, self.unreadable = check_display(self.atlas, typesetter)
        self.found.extend(issues)
        self.memory.begin()
        self.grounds = grounds = {
            name: grounds_of(one, self.unreadable, self.sources) for name, one in self.atlas.collections.items()
        }
        changed = [self.atlas.collections[name] for name, one in grounds.items() if not self.memory.holds(name, one)]
        self.judge([entry for one in changed for entry in one.entries])
        collections = {name: self._remembered(one, grounds[name]) for name, one in self.atlas.collections.items()}
        files, pins = dict(self.sources.files), dict(self.sources.pins)
        return lambda issues: Checked(self.atlas, collections, files, pins, tuple(issues))

    def _remembered(self, collection: Collection, grounds: Grounds) -> CheckedCollection:
        return self.memory.recall(collection, grounds, self.found, self.sources, self.collection)

    def collection(self, collection: Collection) -> CheckedCollection:
        data = collection.data
        self.found.extend(check_collection(collection, self.atlas))
        self.found.extend(differences_of(collection))
        self.found.extend(check_upstream_names(collection))
        sizes = list(check_sizes(collection))
        claims: tuple[CheckedClaim, ...] = ()
        variant_claims: dict[str, tuple[CheckedClaim, ...]] = {}
        if isinstance(data, Model):
            claims = self.sources.claims(collection, data.sources, ("sources",))
            for name, variant in data.variants.items():
                variant_claims[name] = self.sources.claims(collection, variant.sources, ("variants", name, "sources"))
                self.sources.settings(collection, name, variant)
        sound = [each for entry in collection.entries if (each := self.entry(entry)) is not None]
        sizes += check_variants(collection, [each.entry for each in sound])
        graph: Graph | None = None
        counts: dict[str, ModelAccount] = {}
        if collection.whole and len(sound) == len(collection.entries) and not sizes:
            # A component that does not hold by itself may be what is wrong with its edges.
            graph, issues = check_graph(collection)
            if graph is not None:
                counts, found = count_variants(collection, graph)
                issues += found
            sound_graph = graph if not issues else None
            issues += check_upstream_block(collection, sound_graph, self.atlas)
            issues += check_program_block(collection, sound_graph, self.atlas)
            sizes += issues
        self.found.extend(sizes)
        # Where a size has no value or an edge does not hold, no count has a value either.
        accounts = counts if not sizes else {}
        counted = bool(accounts) or not isinstance(data, Model)
        entries = tuple(self.checked(each, collection, accounts) for each in sound) if counted else ()
        proofs = self.proofs(collection, graph) if accounts else ()
        published, issues = check_published(collection, accounts)
        self.found.extend(issues)
        return CheckedCollection(collection, entries, claims, variant_claims, graph, accounts, proofs, published)

    def proofs(self, collection: Collection, graph: Graph | None) -> tuple[Proof, ...]:
        """What is known of a model as a whole."""
        upstream = compared_with(collection.data) if isinstance(collection.data, Model) else None
        proofs: list[Proof] = []
        if graph is not None and upstream is not None and upstream.source in self.atlas.sources:
            proofs, warnings = check_model_records(collection, graph, self.atlas.sources[upstream.source])
            self.found.extend(warnings)
        return (*proofs, *unbacked_sizes(collection, {one.claim for one in proofs if one.status == "recorded"}))

    def judge(self, entries: Iterable[Entry]) -> None:
        """Judge entries by themselves, all in one go, as this is most of the work and may be shared."""
        tasks: list[Task] = []
        for entry in entries:
            collection = self.atlas.collections[entry.collection]
            self.references[entry.id] = list(check_entry(entry, collection, self.atlas))
            readable = entry.id not in self.unreadable
            light = readable and entry.data.formula_not_executed is not None
            symbols = tuple(check_symbols(entry, collection)) if light else ()
            placed = not self.references[entry.id] and sizes_are_known(entry, collection)
            tasks.append(Task(entry, readable, placed, symbols))
        results = self.judged(tasks)
        self.alone = {task.entry.id: alone for task, alone in zip(tasks, results, strict=True)}

    def entry(self, entry: Entry) -> _Sound | None:
        alone = self.alone[entry.id]
        self.found.extend([*self.references[entry.id], *alone.issues])
        claims = self.sources.claims(entry, entry.data.sources, ("sources",))
        self._api(entry)
        if alone.table is None:
            return None
        return _Sound(entry, find(entry.data.operator), alone.table, claims, alone.shapes, formula_proof(entry, alone))

    def checked(self, sound: _Sound, collection: Collection, accounts: Mapping[str, ModelAccount]) -> CheckedEntry:
        entry, claims = sound.entry, sound.claims
        counts, issues = check_counts(entry, collection, sound.operator, sound.table, accounts)
        self.found.extend(issues)
        blobs = {one.claim.id: one.source.data.files[one.claim.path].blob for one in claims}
        recorded, warnings = check_records(entry, sound.operator, blobs)
        self.found.extend(warnings)
        command = f"atlas check {entry.path}"
        proofs = (
            sound.formula,
            Proof("shapes", "proved", sound.shapes, command),
            Proof("parameters", "proved", counts, command),
            *_excerpt_proof(claims, command),
            *(recorded or [_not_executed(entry)]),
        )
        return CheckedEntry(entry, sound.operator, claims, proofs)

    def _api(self, entry: Entry) -> None:
        api = entry.data.api
        claim = entry.claim(api.excerpt) if api is not None else None
        pinned = self.sources.files.get((claim.source, claim.path)) if claim is not None else None
        if api is not None and pinned is not None:
            self.found.extend(check_api(entry, api, pinned))


def _not_executed(entry: Entry) -> Proof:
    """What a page says where no passage of the source is executed, or its records cannot be read."""
    figure = "no passage of the source is executed on the operator's arrays for this entry"
    if entry.data.executions:
        figure = "its records cannot be read"
    return Proof("upstream", "missing", figure, f"atlas verify {entry.id}")


def _excerpt_proof(claims: tuple[CheckedClaim, ...], command: str) -> tuple[Proof, ...]:
    at_hand = [claim for claim in claims if claim.excerpt is not None]
    if len(at_hand) < len(claims):
        figure = f"{len(claims) - len(at_hand)} of {len(claims)} excerpts were not at hand"
        return (Proof("excerpts", "missing", figure, command),)
    proved = sum(claim.pin.state == "proved" for claim in claims)
    many = f"{len(claims)} excerpts equal the pinned files" if len(claims) > 1 else "the excerpt equals the pinned file"
    figure = f"{many} by git blob id"
    if proved == len(claims):
        dates = {str(claim.pin.record.proved) for claim in claims if claim.pin.record is not None}
        figure += f", which was proved against git to belong to the revision ({', '.join(sorted(dates))})"
    else:
        figure += f"; for {len(claims) - proved} the revision is a release that was not proved against git"
    return (Proof("excerpts", "proved", figure, command),)
