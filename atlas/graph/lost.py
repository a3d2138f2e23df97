"""What a complete model computes for nothing: values that nothing reads, and stacks whose layers read only each other.

Such a value is often one that is misspelt where it was meant to be read.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from atlas.entries.atlas import Collection, Entry
from atlas.entries.tree import KeyPath
from atlas.graph.structure import Block, Value
from atlas.issues import Issue


def lost_values(
    values: Mapping[str, Value], places: Mapping[str, tuple[Collection | Entry, KeyPath]], read: Container[str]
) -> Iterator[Issue]:
    """Every value that nothing reads, where it is stated."""
    for value_id, value in values.items():
        if value_id in read:
            continue
        owner, at = places[value_id]
        message = f"nothing reads {value.name}"
        if value.source:
            message += f", which {value.source} gives"
        hint = "read it, name it among the model's `outputs`, or remove it"
        yield owner.issue_at_key(at, "A605", message, hint)


def lost_stacks(collection: Collection, blocks: Iterable[Block], left: Container[str]) -> Iterator[Issue]:
    """Every stack with layers of which nothing outside reads a value; `left` are the others."""
    for block in (one for outermost in blocks for one in outermost.blocks):
        if block.carries and block.id not in left:
            taken, handed = next(iter(block.stack.carries.items()))
            at = tuple(part for name in block.id.split("/") for part in ("stacks", name))
            message = f"nothing outside of {block.id} reads {handed}, which its last layer hands on"
            hint = f"read `{block.id.rpartition('/')[2]}.{handed}`, or name it among the model's `outputs`"
            yield collection.issue((*at, "carries", taken), "A605", message, hint)
