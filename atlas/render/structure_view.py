"""The structure of a model or library, as the column beside each of its pages shows it: stacks, and what is in them.

It names places, not entries, so a component that stands in three places is there three times, as in the diagram.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.graph.accounting import bound
from atlas.graph.structure import Block, Node
from atlas.render.addresses import collection_page, entry_page, stack_anchor
from atlas.render.model_sketch import picture_kind
from atlas.render.navigation import window
from atlas.sizes import size


@dataclass(frozen=True, slots=True)
class PlaceItem:
    """One component in one place."""

    title: str
    """Its name there."""
    url: str
    """The page of the component."""
    kind: str
    """Its kind in pictures."""
    is_current: bool
    """Whether this is the component's first place on its own page."""
    is_here: bool
    """Whether the page at hand documents it."""


@dataclass(frozen=True, slots=True)
class StackItem:
    """One stack."""

    title: str
    """Its name."""
    url: str
    """Its list of components on the model's page."""
    times: str
    """How often its layer is gone through, such as `× 12`; empty for a part without layers."""
    parts: tuple[PlaceItem | StackItem, ...]
    """What is in it, in the order of the data flow."""


@dataclass(frozen=True, slots=True)
class StructureView:
    """What the column shows on one page."""

    title: str
    """The name of the model or library."""
    url: str
    """Its page."""
    is_current: bool
    """Whether that is the page at hand."""
    parts: tuple[PlaceItem | StackItem, ...]
    """Stacks and components, in the order of the data flow."""
    more: int
    """How many there are in all, where a large library's are not all shown; else 0."""


def structure_view(checked: CheckedCollection, page: str) -> StructureView:
    """The structure of a collection as the page at the address `page` shows it; a large library's only in part."""
    data, url = checked.collection.data, collection_page(checked.collection.id)
    parts: tuple[PlaceItem | StackItem, ...]
    if isinstance(data, Model) and checked.graph is not None:
        maker = _Maker(url, next(iter(data.variants.values())).numbers, page)
        return StructureView(data.title, url, url == page, tuple(map(maker.stack, checked.graph.blocks)), 0)
    at = next((index for index, entry in enumerate(checked.entries) if entry_page(entry.entry) == page), 0)
    shown = window(len(checked.entries), at)
    parts = tuple(_listed(checked, shown, page))
    return StructureView(
        data.title, url, url == page, parts, len(checked.entries) if len(shown) < len(checked.entries) else 0
    )


def _listed(checked: CheckedCollection, shown: range, page: str) -> Iterator[PlaceItem]:
    for index in shown:
        entry = checked.entries[index]
        url = entry_page(entry.entry)
        yield PlaceItem(entry.entry.data.title, url, picture_kind(entry.operator.name), url == page, url == page)


class _Maker:
    def __init__(self, url: str, sizes: Mapping[str, int], page: str) -> None:
        self._url = url
        self._sizes = sizes
        self._page = page
        self._is_marked = False

    def stack(self, block: Block) -> StackItem:
        parts = tuple(self.place(child) if isinstance(child, Node) else self.stack(child) for child in block.children)
        layers = block.stack.layers
        times = "" if layers is None else f"× {bound(size(layers), self._sizes)}"
        return StackItem(block.stack.title, stack_anchor(self._url, block.id), times, parts)

    def place(self, node: Node) -> PlaceItem:
        url = entry_page(node.entry)
        is_here = url == self._page
        is_current, self._is_marked = is_here and not self._is_marked, self._is_marked or is_here
        return PlaceItem(node.title, url, picture_kind(node.entry.data.operator), is_current, is_here)
