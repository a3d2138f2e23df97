"""All checks of collections, given what was loaded and which pinned files are at hand; no check stops another.

A check whose ground another has already found missing is left out, so that one mistake gives one issue.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass

from atlas.checks.alone import formula_proof
from atlas.checks.api import check_api
from atlas.checks.backing import unbacked_sizes
from atlas.checks.base import Collector, Proof
from atlas.checks.checked import CheckedClaim, CheckedCollection, CheckedEntry
from atlas.checks.configuration import check_upstream_names
from atlas.checks.display import Typesetter, check_display
from atlas.checks.graph import check_graph, count_variants
from atlas.checks.judgement import Alone, Task
from atlas.checks.memory import Memory, grounds_of
from atlas.checks.parameters import check_counts
from atlas.checks.pinned import Pinned
from atlas.checks.program_block import check_program_block
from atlas.checks.published import check_published, differences_of
from atlas.checks.records import check_records
from atlas.checks.records_model import check_model_records, compared_with
from atlas.checks.references import check_collection, check_entry
from atlas.checks.sizes import check_sizes, check_variants, sizes_are_known
from atlas.checks.sources import SourceCheck
from atlas.checks.symbols import check_symbols
from atlas.checks.upstream_block import check_upstream_block
from atlas.entries.atlas import Atlas, Collection, Entry
from atlas.entries.collection import Model
from atlas.formula.symbols import SymbolTable
from atlas.graph.accounting import ModelAccount
from atlas.graph.structure import Graph
from atlas.issues import Issue
from atlas.operators.catalogue import find
from atlas.operators.registry import Operator

Judge = Callable[[list[Task]], list[Alone]]
"""Judges entries by themselves, in their order."""


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


class CollectionChecks:
    """The checks of the collections of an atlas, which may be one of many.

    With a `memory`, what rests on the same as in an earlier run is taken from it. `recorded` names the entries with
    recorded proofs where these are known, as of no other entry a file of them is looked for then.
    """

    def __init__(
        self,
        atlas: Atlas,
        pinned: Pinned,
        judge: Judge,
        memory: Memory | None = None,
        recorded: Container[str] | None = None,
    ) -> None:
        self.atlas = atlas
        self.judged = judge
        self.alone: Mapping[str, Alone] = {}
        self.references: dict[str, list[Issue]] = {}
        self.found = Collector()
        self.sources = SourceCheck(pinned)
        self.memory = memory
        self.recorded = recorded
        self.unreadable: frozenset[str] = frozenset()

    @property
    def issues(self) -> list[Issue]:
        """Everything that was found."""
        return [*self.found.issues, *self.sources.found.issues]

    def everything(self, typesetter: Typesetter) -> dict[str, CheckedCollection]:
        """Run every check; what comes back holds as far as there are no issues."""
        issues, self.unreadable = check_display(self.atlas, typesetter)
        self.found.extend(issues)
        if self.memory is None:
            self._judge(self.atlas.entries)
            return {name: self._collection(one) for name, one in self.atlas.collections.items()}
        self.memory.begin()
        grounds = {
            name: grounds_of(one, self.unreadable, self.sources.pinned) for name, one in self.atlas.collections.items()
        }
        changed = [self.atlas.collections[name] for name, one in grounds.items() if not self.memory.holds(name, one)]
        self._judge([entry for one in changed for entry in one.entries])
        return {
            name: self.memory.recall(one, grounds[name], self.found, self.sources, self._collection)
            for name, one in self.atlas.collections.items()
        }

    def _collection(self, collection: Collection) -> CheckedCollection:
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
        sound = [each for entry in collection.entries if (each := self._entry(entry)) is not None]
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
        entries = tuple(self._checked(each, collection, accounts) for each in sound) if counted else ()
        proofs = self._proofs(collection, graph) if accounts else ()
        published, issues = check_published(collection, accounts)
        self.found.extend(issues)
        return CheckedCollection(collection, entries, claims, variant_claims, graph, accounts, proofs, published)

    def _proofs(self, collection: Collection, graph: Graph | None) -> tuple[Proof, ...]:
        """What is known of a model as a whole."""
        upstream = compared_with(collection.data) if isinstance(collection.data, Model) else None
        proofs: list[Proof] = []
        if graph is not None and upstream is not None and upstream.source in self.atlas.sources:
            proofs, warnings = check_model_records(collection, graph, self.atlas.sources[upstream.source])
            self.found.extend(warnings)
        return (*proofs, *unbacked_sizes(collection, {one.claim for one in proofs if one.status == "recorded"}))

    def _judge(self, entries: Iterable[Entry]) -> None:
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

    def _entry(self, entry: Entry) -> _Sound | None:
        alone = self.alone[entry.id]
        self.found.extend([*self.references[entry.id], *alone.issues])
        claims = self.sources.claims(entry, entry.data.sources, ("sources",))
        self._api(entry)
        if alone.table is None:
            return None
        return _Sound(entry, find(entry.data.operator), alone.table, claims, alone.shapes, formula_proof(entry, alone))

    def _checked(self, sound: _Sound, collection: Collection, accounts: Mapping[str, ModelAccount]) -> CheckedEntry:
        entry, claims = sound.entry, sound.claims
        counts, issues = check_counts(entry, collection, sound.operator, sound.table, accounts)
        self.found.extend(issues)
        blobs = {one.claim.id: one.source.data.files[one.claim.path].blob for one in claims}
        looked_for = self.recorded is None or entry.id in self.recorded
        recorded, warnings = check_records(entry, sound.operator, blobs, recorded=looked_for)
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
        pinned = self.sources.pinned.files.get((claim.source, claim.path)) if claim is not None else None
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
        dates = {claim.pin.record.proved for claim in claims if claim.pin.record is not None}
        shown = ", ".join(sorted(map(str, dates)))  # of most claims it is the same date
        figure += f", which was proved against git to belong to the revision ({shown})"
    else:
        figure += f"; for {len(claims) - proved} the revision is a release that was not proved against git"
    if parts := sum(bool(claim.part_of) for claim in claims):
        which = "it" if len(claims) == 1 else f"{parts} of them"
        figure += f"; {which} {'shows' if parts == 1 else 'show'} only a part of a function or class"
    return (Proof("excerpts", "proved", figure, command),)
