"""The glossary: every size, symbol and operator with its names in formula, configuration and code, and its uses.

Everything but the meaning of our own words comes from the entries, so nothing here can differ from their pages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from atlas.operators.catalogue import FAMILIES
from atlas.operators.family import KINDS
from atlas.render.addresses import collection_page, component_page, family_page
from atlas.render.deferred import Maths, Typesetting
from atlas.render.glossary_share import GlossaryShare, Key
from atlas.render.kinds import picture_name
from atlas.render.parts import EVIDENCE_WORDS, STATUS_WORDS, Link

USES = 5
"""How many places of one symbol are named."""

WORDS = (
    (STATUS_WORDS["proved"], "The check ran while this site was built, and it held."),
    (
        STATUS_WORDS["recorded"],
        "Upstream’s own code or model was executed beside ours, and agreed. The record states versions, date and "
        "figure; it holds as long as nothing that it proved has changed.",
    ),
    (STATUS_WORDS["stale"], "A record exists, but what it proved has changed since."),
    (STATUS_WORDS["missing"], "The claim is stated and nothing here proves it; the line says why."),
    (EVIDENCE_WORDS["direct"], "The pinned lines themselves do what is claimed."),
    (EVIDENCE_WORDS["supporting"], "The pinned lines make the claim plausible, or hold in connection with others."),
    ("per instance", "What one component has, in one layer."),
    ("total parameters", "Every learned number; those that two components share count once."),
    ("active parameters", "The learned numbers that one token meets: of routed experts only those that it is sent to."),
    ("embedding parameters", "Those of look-up tables: token embeddings and learned positions."),
    ("buffer", "Numbers that are kept and not learned, such as running statistics; they are in no total."),
    ("cached numbers per token", "What a model keeps for each token while it generates, over all layers."),
    (
        "multiply–accumulates",
        "Those of matrix products and convolutions in one forward pass: half of the floating-point operations that "
        "profilers report for them.",
    ),
    (
        "pinned revision",
        "The commit of the upstream project whose files are shown, each proved by git’s own object id.",
    ),
    ("release", "A tag of the upstream project whose files could not yet be proved to belong to a commit."),
    ("documented in part", "Some components of the model have no entry yet, so its totals are not the model’s."),
)
"""Words that pages use in a meaning of their own."""


@dataclass(frozen=True, slots=True)
class Named:
    """One name in the glossary with one of its meanings."""

    symbol: Maths
    """The name in formulas."""
    id: str
    """The anchor of its row."""
    meaning: str
    """What it stands for."""
    keys: tuple[str, ...]
    """Its names in configurations, or the names under which upstream stores it."""
    argument: str
    """The operator's argument that it stands for; empty for a size."""
    uses: tuple[Link, ...]
    """Where it is used, the first ones."""
    more: int
    """In how many further places it is used."""


@dataclass(frozen=True, slots=True)
class Term:
    """An operator as a term."""

    link: Link
    """Its page."""
    kind: str
    """Its kind in pictures."""
    kind_title: str
    """Its kind in words."""
    summary: str
    """What it is."""
    uses: int
    """How many entries use it."""


@dataclass(frozen=True, slots=True)
class GlossaryView:
    """The glossary."""

    sizes: tuple[Named, ...]
    """Sizes of models."""
    symbols: tuple[Named, ...]
    """Symbols of formulas."""
    terms: tuple[Term, ...]
    """Operators by name."""
    words: tuple[tuple[str, str], ...]
    """Our own words."""


@dataclass(slots=True)
class Gathered:
    """What is known of one name with one meaning, while shares are gone through."""

    others: dict[str, None]
    """Its other names, in the order in which they are found."""
    users: list[tuple[GlossaryShare, tuple[int, ...]]]
    """The collections that use it, each with the numbers of its entries that do; none where the collection does."""


Names = dict[Key, Gathered]
"""What is known of each name."""


def gathered(shares: Iterable[GlossaryShare]) -> tuple[Names, Names]:
    """The sizes of all collections, and the symbols of all entries, both in alphabetical order."""
    sizes: Names = defaultdict(lambda: Gathered({}, []))
    symbols: Names = defaultdict(lambda: Gathered({}, []))
    for share in shares:
        for found, named in ((sizes, share.sizes), (symbols, share.symbols)):
            for one in named:
                known = found[one.key]
                known.others.update(dict.fromkeys(one.others))
                known.users.append((share, one.users))
    return _ordered(sizes), _ordered(symbols)


def glossary_view(shares: Sequence[GlossaryShare], typesetting: Typesetting) -> GlossaryView:
    """The glossary of the collections whose shares these are, in the order of their ids."""
    sizes, symbols = gathered(shares)
    return GlossaryView(
        tuple(_named(sizes, "size", typesetting)),
        tuple(_named(symbols, "symbol", typesetting)),
        tuple(_terms(shares)),
        WORDS,
    )


def _named(found: Names, prefix: str, typesetting: Typesetting) -> Iterable[Named]:
    for number, (key, one) in enumerate(found.items(), 1):
        symbol, meaning, argument = key
        uses = tuple(islice(_links(one), USES))
        count = sum(len(entries) or 1 for _, entries in one.users)
        yield Named(
            typesetting.maths(symbol),
            f"{prefix}-{number}",
            meaning,
            tuple(one.others),
            argument,
            uses,
            count - len(uses),
        )


def _links(one: Gathered) -> Iterator[Link]:
    """Where a name is used: collections, or entries with their collection and stack."""
    for share, entries in one.users:
        if not entries:
            yield Link(share.title, collection_page(share.id))
        for number in entries:
            entry = share.entries[number]
            names = (share.title, *([entry.stack] if entry.stack else []), entry.title)
            yield Link(" · ".join(names), component_page(entry.id))


def _ordered(found: Names) -> Names:
    return dict(sorted(found.items(), key=lambda item: _order(item[0])))


def _order(key: Key) -> tuple[str, ...]:
    """By letter, whatever its case and whether it is written as a command; then as it is written."""
    letters = "".join(char for char in key[0].lower() if char.isalnum())
    return letters, *key


def _terms(shares: Iterable[GlossaryShare]) -> Iterator[Term]:
    uses: Counter[str] = Counter()
    for share in shares:
        uses.update(dict(share.families))
    for name, members in sorted(FAMILIES.items(), key=lambda item: item[1][0].belongs_to.title.lower()):
        first = members[0]
        link = Link(first.belongs_to.title, family_page(name))
        kind = picture_name(first.kind)
        yield Term(link, kind, KINDS[first.kind], first.summary, uses[name])
