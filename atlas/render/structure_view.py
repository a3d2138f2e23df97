"""The structure of a model or library, as the column beside each of its pages shows it: stacks, and what is in them.

It names places, not entries, so a component that stands in three places is there three times, as in the diagram.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    unmarked: tuple[PlaceItem, ...]
    """All places in their order, none of them marked: the same object for every page that shows the same ones."""


class Structures:
    """What the pages of one collection show; what they show alike is made once."""

    def __init__(self, checked: CheckedCollection) -> None:
        data = checked.collection.data
        self._checked = checked
        self._title = data.title
        self._url = collection_page(checked.collection.id)
        self._parts: tuple[PlaceItem | StackItem, ...]
        self._positions: dict[str, int] = {}
        if isinstance(data, Model) and checked.graph is not None:
            self._shown = 0  # a model is shown as a whole
            maker = _Maker(self._url, next(iter(data.variants.values())).numbers)
            self._parts = tuple(map(maker.stack, checked.graph.blocks))
        else:
            self._shown = len(window(len(checked.entries), 0))
            self._positions = {entry_page(entry.entry): index for index, entry in enumerate(checked.entries)}
            self._parts = tuple(_listed(checked, range(self._shown)))
        self._places = tuple(_places(self._parts))

    def of(self, page: str) -> StructureView:
        """What the page at an address shows; of a large library only a part."""
        count = len(self._checked.entries)
        parts, places, more = self._parts, self._places, 0
        if 0 < self._shown < count:
            parts = tuple(_listed(self._checked, window(count, self._positions.get(page, 0))))
            places, more = tuple(_places(parts)), count
        here = places_here(places, page)
        return StructureView(self._title, self._url, self._url == page, _marked(parts, page, iter(here)), more, places)


def places_here(places: Iterable[PlaceItem], page: str) -> list[PlaceItem]:
    """Those of the places that the page at an address documents, as they are marked on it: the first is current."""
    found = [one for one in places if one.url == page]
    return [PlaceItem(one.title, one.url, one.kind, index == 0, True) for index, one in enumerate(found)]


def _marked(
    parts: tuple[PlaceItem | StackItem, ...], page: str, here: Iterator[PlaceItem]
) -> tuple[PlaceItem | StackItem, ...]:
    """The same parts with those on a page in place of the unmarked ones."""
    return tuple(
        StackItem(one.title, one.url, one.times, _marked(one.parts, page, here))
        if isinstance(one, StackItem)
        else (next(here) if one.url == page else one)
        for one in parts
    )


def _places(parts: Iterable[PlaceItem | StackItem]) -> Iterator[PlaceItem]:
    for one in parts:
        if isinstance(one, StackItem):
            yield from _places(one.parts)
        else:
            yield one


def _listed(checked: CheckedCollection, shown: range) -> Iterator[PlaceItem]:
    for index in shown:
        entry = checked.entries[index]
        url, kind = entry_page(entry.entry), picture_kind(entry.operator.name)
        yield PlaceItem(entry.entry.data.title, url, kind, is_current=False, is_here=False)


class _Maker:
    def __init__(self, url: str, sizes: Mapping[str, int]) -> None:
        self._url = url
        self._sizes = sizes

    def stack(self, block: Block) -> StackItem:
        parts = tuple(self.place(child) if isinstance(child, Node) else self.stack(child) for child in block.children)
        layers = block.stack.layers
        times = "" if layers is None else f"× {bound(size(layers), self._sizes)}"
        return StackItem(block.stack.title, stack_anchor(self._url, block.id), times, parts)

    def place(self, node: Node) -> PlaceItem:
        kind = picture_kind(node.entry.data.operator)
        return PlaceItem(node.title, entry_page(node.entry), kind, is_current=False, is_here=False)
