"""Which entries use an operator, and which document a passage of a pinned file: of each collection, its share of it.

The pages and data files about operators, sources and lists need no more of a collection, so they load no entry.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from sys import intern
from typing import TYPE_CHECKING

from atlas.kept import key_of
from atlas.render.addresses import component_page, formulation, markdown_file
from atlas.render.link import Link
from atlas.render.packed import Packed
from atlas.render.rows import PackedRecords

if TYPE_CHECKING:
    from atlas.checks.checked import CheckedCollection, CheckedEntry

MOST_NAMED = 8
"""How many entries with an operator of the same family a page names; the family's page names all."""


@dataclass(frozen=True, slots=True)
class Documented(Packed):
    """A passage of a pinned file that an entry documents."""

    source: str
    """The id of the pinned project."""
    path: str
    """The file in the repository."""
    first: int
    """The 1-based first line."""
    last: int
    """The last line."""
    claim: str
    """The name of the claim that says so, unique within its entry."""


@dataclass(frozen=True, slots=True)
class Use(Packed):
    """An entry with what it uses."""

    id: str
    """The entry's id."""
    title: str
    """Its name."""
    within: str
    """Its collection and stack, as a link to it says them: `GPT-2 · Decoder`."""
    operator: str
    """The name of the operator that it was checked against."""
    family: str
    """The family of that operator."""
    passages: tuple[Documented, ...]
    """The passages of its claims, in order."""

    @property
    def link(self) -> Link:
        """A link to it that says where it stands."""
        return Link(f"{self.within} · {self.title}", component_page(self.id))


@dataclass(frozen=True, slots=True)
class UsesShare:
    """What pages of the whole atlas know of a collection as a thing among others."""

    id: str
    """The collection's id."""
    title: str
    """Its name."""
    is_model: bool
    """Whether it is a model; else it is a library."""
    variants: int
    """How many variants were counted."""
    entries: Sequence[Use]
    """Its entries in the order of the data flow."""
    formulas: tuple[tuple[str, str], ...]
    """For each operator that is used, the formula of the first entry that uses it, in LaTeX."""


def uses_share(collection: CheckedCollection) -> UsesShare:
    """The share of one collection."""
    from atlas.entries.collection import Model  # which reads entries; those who only have shares need it not

    owner = collection.collection
    formulas: dict[str, str] = {}
    for entry in collection.entries:
        formulas.setdefault(entry.operator.name, entry.entry.data.formula)
    return UsesShare(
        id=owner.id,
        title=owner.data.title,
        is_model=isinstance(owner.data, Model),
        variants=len(collection.accounts),
        entries=PackedRecords.of(_use(entry, collection) for entry in collection.entries),
        formulas=tuple(formulas.items()),
    )


def items_digest(share: UsesShare) -> bytes:
    """A digest of what lists of all collections and entries say of one collection."""
    entries = [(one.id, one.title) for one in share.entries]
    return key_of("items", repr((share.id, share.title, share.is_model, share.variants, entries)))


class Uses:
    """All shares, looked up by operator, family and file; entries keep the order of their collections."""

    def __init__(self, shares: Iterable[UsesShare]) -> None:
        self.shares = tuple(shares)
        self._known: _Index | None = None

    def forget(self) -> None:
        """Let go of what was looked up, which of many entries takes much memory; asked again, it is looked up again."""
        self._known = None

    def families(self) -> Iterator[str]:
        """The families of which an operator is used."""
        return iter(self._index.by_family)

    def users(self, operator: str) -> Sequence[Use]:
        """The entries that were checked against an operator."""
        return self._index.by_operator.get(operator, ())

    def relatives(self, family: str) -> Sequence[Use]:
        """The entries that were checked against an operator of a family."""
        return self._index.by_family.get(family, ())

    def passages(self, source_id: str, path: str) -> Sequence[tuple[Use, Documented]]:
        """The documented passages of a pinned file, in the order of the entries."""
        return self._index.by_file.get((source_id, path), ())

    def formula(self, operator: str) -> str | None:
        """The formula of the first entry that uses an operator; None where none does."""
        return self._index.formulas.get(operator)

    @property
    def _index(self) -> _Index:
        if self._known is None:
            self._known = _Index(self.shares)
        return self._known


class _Index:
    """The entries of all shares, by what they use."""

    def __init__(self, shares: Iterable[UsesShare]) -> None:
        self.by_operator: dict[str, list[Use]] = defaultdict(list)
        self.by_family: dict[str, list[Use]] = defaultdict(list)
        self.by_file: dict[tuple[str, str], list[tuple[Use, Documented]]] = defaultdict(list)
        self.formulas: dict[str, str] = {}
        for share in shares:
            for operator, formula in share.formulas:
                self.formulas.setdefault(operator, formula)
            for one in share.entries:
                self.by_operator[one.operator].append(one)
                self.by_family[one.family].append(one)
                for passage in one.passages:
                    self.by_file[passage.source, passage.path].append((one, passage))


@dataclass(frozen=True, slots=True)
class Relatives:
    """Other entries with an operator of the same family."""

    links: tuple[Link, ...]
    """Those that a page names; one with another operator says which."""
    more: Link | None
    """Where all are listed, if there are too many to name."""
    leads: str
    """The addresses that a page and its Markdown lead to by naming them, a line each."""
    digest: bytes
    """What tells them from all others."""


class Related:
    """The relatives of each entry; nearly all of a large family have the same.

    Of each family it holds no more than what a page may name.
    """

    def __init__(self, uses: Uses) -> None:
        found = {family: uses.relatives(family) for family in uses.families()}
        self._first = {family: tuple(every[: MOST_NAMED + 1]) for family, every in found.items()}
        self._count = {family: len(every) for family, every in found.items()}
        self._known: dict[tuple[str, str], Relatives] = {}

    def of(self, entry_id: str, operator: str, family: str) -> Relatives:
        """The relatives of an entry that was checked against an operator of a family."""
        if any(one.id == entry_id for one in self._first[family]):
            return self._made(entry_id, operator, family)
        if (operator, family) not in self._known:
            self._known[operator, family] = self._made(entry_id, operator, family)
        return self._known[operator, family]

    def _made(self, entry_id: str, operator: str, family: str) -> Relatives:
        others = [other for other in self._first[family] if other.id != entry_id][:MOST_NAMED]
        links = []
        for other in others:
            link, same = other.link, other.operator == operator
            links.append(Link(link.title, link.url, "" if same else f"another formulation: {other.operator}"))
        left = self._count[family] - 1 - len(others)
        more = Link(f"{left:,} more, with the operator", formulation(family, operator)) if left else None
        named = [link.url.partition("#")[0] for link in (*links, *([more] if more else []))]
        leads = "\n".join([*named, *map(markdown_file, named)])
        return Relatives(tuple(links), more, leads, key_of("relatives", repr((links, more))))


def _use(entry: CheckedEntry, collection: CheckedCollection) -> Use:
    owner = entry.entry
    stack = collection.collection.stack_of(owner)
    # A text that many entries have is one object, which a share holds and a pickle writes once.
    return Use(
        id=owner.id,
        title=owner.data.title,
        within=intern(" · ".join([collection.collection.data.title, *([stack.title] if stack else [])])),
        operator=entry.operator.name,
        family=entry.operator.family,
        passages=tuple(
            Documented(intern(claim.source), intern(claim.path), *claim.span, intern(claim.id))
            for claim in (one.claim for one in entry.claims)
        ),
    )
