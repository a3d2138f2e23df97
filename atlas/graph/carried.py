"""What layers hand on, followed back to where it is made: a layer that hands on what it took computes nothing.

Kept apart from what builds the graph, which only looks up names; here they are followed over several of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from atlas.entries.atlas import Collection
from atlas.entries.tree import KeyPath
from atlas.graph.structure import Block, Value
from atlas.graph.unfound import Places
from atlas.issues import Issue


def check_carries(
    collection: Collection, block: Block, values: Mapping[str, Value], places: Places, where: KeyPath
) -> Iterator[Issue]:
    """The carried values of a block that no component of it ever changes: a layer hands on what some layer took.

    What a layer takes may be handed on as another value, so that it is there two layers later; only a chain of such
    values that ends where it began goes round without a component. What a layer of a block within takes is what its
    first layer takes, where it has but one.

    Args:
        collection: The model.
        block: The block, with those within it.
        values: All values by id.
        places: Where each is stated.
        where: The block's place in the model's file.
    """
    handed = {carry.taken: carry.handed for carry in block.carries}
    first = {carry.taken: carry.first for inner in block.blocks if inner is not block for carry in inner.carries}
    for taken in handed:
        way = _round(taken, handed, first)
        if way is not None:
            name = values[taken].name
            message = f"the layers of {block.id} hand on {name} as they take it, so nothing that they compute goes on"
            # Any of the values on the way may be the one that is handed on by mistake.
            by = [f"{values[one].name} ({_stated(one, places)})" for one in way]
            message += f"; it goes round by way of {' and '.join(by)}" if by else ""
            hint = "hand on a value that a component in the layer gives"
            made = [one for one, value in values.items() if value.block == block.id and value.source]
            hint += f", such as `{values[made[-1]].name}` ({_stated(made[-1], places)})" if made else ""
            yield collection.issue((*where, "carries", name), "A601", message, hint)


def _round(taken: str, handed: Mapping[str, str], first: Mapping[str, str]) -> list[str] | None:
    """The values between a value and itself, as it is handed on from one to the next; None where it does not return."""
    value, way = handed[taken], list[str]()
    while value != taken and value not in way:
        way.append(value)
        value = first.get(value) or handed.get(value) or value
    return way if value == taken else None


def _stated(value_id: str, places: Places) -> str:
    owner, at = places[value_id]
    issue = owner.issue_at_key(at, "A601", "")
    return f"{issue.path}, line {issue.line}"
