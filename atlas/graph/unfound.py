"""Names of values that nothing produces → issues, each where the mistake is: a reader may be right and the giver wrong.

Kept apart from what builds the graph, as only the whole of it says what nothing reads and which name most others use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from atlas.entries.atlas import Collection, Entry
from atlas.entries.collection import Model, Use
from atlas.entries.component import entering
from atlas.entries.tree import KeyPath
from atlas.graph.scope import MAX_COMPARED, around, parted
from atlas.graph.structure import Value
from atlas.issues import Issue

Places = Mapping[str, tuple[Collection | Entry, KeyPath]]
"""Where each value is stated, by its id."""

MAX_NAMED = 3
"""How many readers of one name are listed."""

ALIKE = 0.4
"""How much alike two names are at least, from 0 to 1, that one may be the other misspelt."""


@dataclass(frozen=True, slots=True)
class Unfound:
    """A name that is read and leads nowhere."""

    name: str
    """The name in one spelling, with the blocks that it begins with."""
    blocks: tuple[str, ...]
    """The paths of the blocks that a value of that name would be in."""
    before: int
    """How many values there were when it was read."""
    issue: Issue
    """What is told where nothing says more."""
    made_elsewhere: bool = False
    """Whether there is such a value, only not where its reader needs it made."""

    @property
    def last(self) -> str:
        """The value's own name."""
        return parted(self.name)[1]


def blocks_of(name: str, block: str) -> tuple[str, ...]:
    """The blocks in which a name that is read in `block` is looked for."""
    path = parted(name)[0]
    return tuple("/".join([*([one] if one else []), *path]) for one in dict.fromkeys([*around(block)[::-1], ""]))


def tell(
    unfound: Sequence[Unfound],
    collection: Collection,
    values: Mapping[str, Value],
    places: Places,
    read: Container[str],
    spelled: Callable[[str], str],
) -> Iterator[Issue]:
    """An issue for each name that leads nowhere; those of one name that one component fails to give are told there.

    Where a component gives a value that nothing reads under a name like one that nothing gives, the two disagree. The
    name that is written once in the model stands alone against one that is written several times, and is what is
    wrong; where both are written once, the issue is at the reader and names both.

    Args:
        unfound: What leads nowhere, in the order in which it was read.
        collection: The model.
        values: All values by id, in the order in which they are made.
        places: Where each is stated.
        read: The ids of those that something reads.
        spelled: Brings a name into one spelling.
    """
    if not unfound:
        return
    lost = {value_id: value for value_id, value in values.items() if value.source and value_id not in read}
    meant = _meant(unfound, list(values), lost, spelled) if lost else {}
    written = Counter(spelled(parted(name)[1]) for name in _names(collection)) if meant else Counter[str]()
    told: set[str] = set()
    for one in unfound:
        value_id = meant.get((one.name, one.blocks))
        if value_id is None:
            yield one.issue
            continue
        value = lost[value_id]
        given = spelled(value.name)
        here = one.name.removesuffix(one.last) + given
        owner, at = places[value_id]
        there = owner.issue_at_key(at, "A601", "")
        if written[given] == 1 < written[one.last] and not one.made_elsewhere:
            if value_id not in told:
                told.add(value_id)
                readers = [other.issue for other in unfound if meant.get((other.name, other.blocks)) == value_id]
                message = (
                    f"nothing produces {one.last}, which {_listed(readers)}; nothing reads {given}, which "
                    f"{value.source} gives here"
                )
                yield owner.issue_at_key(at, "A601", message, f"name it `{one.last}` here, as its readers do")
            continue
        message = (
            f"{one.issue.message}; nothing reads {given}, which {value.source} gives in {there.path}, line {there.line}"
        )
        alone = written[one.last] == 1 < written[given]
        hint = f"did you mean `{here}`?" if alone else f"if one value is meant, name it `{here}` here"
        if not alone and not one.made_elsewhere:
            hint += f" or `{one.last}` there"
        yield Issue(one.issue.path, one.issue.line, one.issue.column, "A601", message, hint)


def _meant(
    unfound: Sequence[Unfound], made: Sequence[str], lost: Mapping[str, Value], spelled: Callable[[str], str]
) -> dict[tuple[str, tuple[str, ...]], str]:
    """The value that each name may mean: one that nothing reads, made before in a block where the name is looked for.

    Of several names that may mean one value, the one that is most like it does.
    """
    position = {value_id: index for index, value_id in enumerate(made)}
    best: dict[str, tuple[float, str]] = {}
    likely: dict[tuple[str, tuple[str, ...]], str] = {}
    for one in dict.fromkeys(unfound):
        near = [
            (_likeness(one.last, spelled(value.name)), value_id)
            for value_id, value in islice(lost.items(), MAX_COMPARED)
            if value.block in one.blocks and position[value_id] < one.before
        ]
        # The only value that may be meant is told, however little its name is like the one that is read.
        found = max(near, default=None) if len(near) == 1 else max((it for it in near if it[0] >= ALIKE), default=None)
        if found is None:
            continue
        like, value_id = found
        likely[one.name, one.blocks] = value_id
        if like > best.get(value_id, (-1.0, ""))[0]:
            best[value_id] = (like, one.last)
    return {key: value_id for key, value_id in likely.items() if best[value_id][1] == parted(key[0])[1]}


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def _listed(readers: Iterable[Issue]) -> str:
    """`model.yml, line 5, and parts/a.yml, line 7, read`, in the order of the data flow."""
    where = list(dict.fromkeys(f"{reader.path}, line {reader.line}" for reader in readers))
    more = len(where) - MAX_NAMED
    shown = where[:MAX_NAMED] + ([f"{more} more"] if more > 0 else [])
    return f"{shown[0]}, reads" if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]} read"


def _names(collection: Collection) -> Iterator[str]:
    """Every place of the model's files that names a value, as the name that stands there."""
    model = collection.data
    if not isinstance(model, Model):
        return
    yield from model.inputs
    yield from model.outputs
    for entry in collection.entries:
        yield from {value for value, _ in entry.data.takes}
        yield from entry.data.out
    for stack in model.paths.values():
        yield from stack.takes.values()
        for taken, handed in stack.carries.items():
            yield from (taken, handed)
        for use in (component for component in stack.components if isinstance(component, Use)):
            yield from {value for value, _ in entering(use.in_)}
            yield from use.out
