"""Items of data files by id and title alone, which is all that documents of the whole atlas know of what they list.

The entries and collections themselves are nowhere at hand where these documents are made.
"""

from __future__ import annotations

from functools import lru_cache

from atlas.render.addresses import collection_page, component_page, data_file
from atlas.render.json_types import Item

ITEMS = 500
"""How many items are remembered: what stands beside each other names the same, and items cannot change."""


@lru_cache(maxsize=ITEMS)
def named_component(entry_id: str, title: str) -> Item:
    """A component."""
    return Item(id=entry_id, title=title, json_=data_file("components", entry_id), page=component_page(entry_id))


@lru_cache(maxsize=ITEMS)
def named_collection(collection_id: str, title: str, *, is_model: bool) -> Item:
    """A model or library."""
    kind = "models" if is_model else "libraries"
    return Item(
        id=collection_id, title=title, json_=data_file(kind, collection_id), page=collection_page(collection_id)
    )


@lru_cache(maxsize=ITEMS)
def named(kind: str, name: str, title: str, page: str) -> Item:
    """Anything else that has a page and a data file: `kind` is `operators` or `sources`."""
    return Item(id=name, title=title, json_=data_file(kind, name), page=page)
