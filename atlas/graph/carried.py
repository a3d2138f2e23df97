"""What layers hand on, followed back to where it is made: a layer that hands on what it took computes nothing.

Kept apart from what builds the graph, which only looks up names; here they are followed over several of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from atlas.entries.atlas import Collection
from atlas.entries.tree import KeyPath
from atlas.graph.structure import Block, Value
from atlas.issues import Issue


def check_carries(collection: Collection, block: Block, values: Mapping[str, Value], where: KeyPath) -> Iterator[Issue]:
    """The carried values of a block that no component of it ever changes: a layer hands on what some layer took.

    What a layer takes may be handed on as another value, so that it is there two layers later; only a chain of such
    values that ends where it began goes round without a component. What a layer of a block within takes is what its
    first layer takes, where it has but one.

    Args:
        collection: The model.
        block: The block, with those within it.
        values: All values by id.
        where: The block's place in the model's file.
    """
    handed = {carry.taken: carry.handed for carry in block.carries}
    first = {carry.taken: carry.first for inner in block.blocks if inner is not block for carry in inner.carries}
    for taken in handed:
        if _returns(taken, handed, first):
            name = values[taken].name
            message = f"the layers of {block.id} hand on {name} as they take it, so nothing that they compute goes on"
            hint = "hand on a value that a component in the layer gives"
            yield collection.issue((*where, "carries", name), "A601", message, hint)


def _returns(taken: str, handed: Mapping[str, str], first: Mapping[str, str]) -> bool:
    """Whether what is handed on, followed from value to value, is the value that was taken."""
    value, seen = handed[taken], set[str]()
    while value != taken and value not in seen:
        seen.add(value)
        value = first.get(value) or handed.get(value) or value
    return value == taken
