"""The data file of all sizes and symbols: the same shares as the glossary, with every use of every name.

Of each collection nothing else is needed, so an atlas of any size is listed without loading an entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from atlas.render.addresses import GLOSSARY, schema_file
from atlas.render.glossary_share import GlossaryShare
from atlas.render.glossary_view import Names, gathered
from atlas.render.json_named import named_collection, named_component
from atlas.render.json_reference_records import Name, SymbolsDocument
from atlas.render.json_types import Item


def symbols_document(shares: Sequence[GlossaryShare]) -> SymbolsDocument:
    """Every size and symbol; the shares are in the order of the collections' ids."""
    sizes, symbols = gathered(shares)
    # An entry is named by each of its symbols.
    entries = {one.id: tuple(named_component(entry.id, entry.title) for entry in one.entries) for one in shares}

    def names(found: Names) -> Iterator[Name]:
        for (symbol, meaning, argument), one in found.items():
            yield Name(
                symbol=symbol,
                meaning=meaning,
                argument=argument or None,
                names=tuple(one.others),
                used_by=tuple(_users(one.users, entries)),
            )

    return SymbolsDocument(
        schema_=schema_file("symbols"), page=GLOSSARY, sizes=tuple(names(sizes)), symbols=tuple(names(symbols))
    )


def _users(
    users: Iterable[tuple[GlossaryShare, tuple[int, ...]]], entries: Mapping[str, tuple[Item, ...]]
) -> Iterator[Item]:
    for share, numbers in users:
        if not numbers:
            yield named_collection(share.id, share.title, is_model=share.is_model)
        yield from (entries[share.id][number] for number in numbers)
