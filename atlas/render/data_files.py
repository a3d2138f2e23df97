"""The files that scripts of pages load: the program of a model, its side of a comparison, operators that run alone.

They hold promises of formulas as views do, so they become texts once these are typeset.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.operators.catalogue import CATALOGUE
from atlas.operators.standalone import standalone
from atlas.render import calculator_view, compare_view
from atlas.render.addresses import standalone_file
from atlas.render.deferred import Maths
from atlas.render.parts import Parts

_MARK = re.compile(r' data-symbol="\d+"')
"""What marks a symbol on the page of its component; an author's text never reads so, as its quotes are escaped.

A formula is not typeset again without marks, as its page has it with them.
"""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file before it is written."""

    url: str
    """Its address below the site's root."""
    content: object
    """What it holds: a text as it is, anything else as JSON."""


def collection_files(collection: CheckedCollection, parts: Parts) -> Iterator[DataFile]:
    """The files of a collection, before its formulas are typeset."""
    name, data = collection.collection.id, collection.collection.data
    if isinstance(data, Model) and collection.graph is not None and collection.accounts:
        yield DataFile(calculator_view.data_page(name), calculator_view.calculator_data(collection))
        yield DataFile(compare_view.data_page(name), compare_view.compare_data(collection, data, parts))


def operator_files() -> Iterator[DataFile]:
    """A file for each operator."""
    for operator in CATALOGUE.values():
        yield DataFile(standalone_file(operator), standalone(operator))


def settled(file: DataFile) -> DataFile:
    """The file as a text, once every formula in it is typeset: the share of a collection holds it so."""
    content = file.content
    text = content if isinstance(content, str) else json.dumps(content, separators=(",", ":"), default=_plain)
    return DataFile(file.url, text)


def _plain(value: object) -> object:
    """What JSON has no form for: a formula is its HTML without marks, and a mapping that cannot change is an object."""
    if isinstance(value, Maths):
        return _MARK.sub("", value.typesetting.shown(value.formula))
    return dict(value)  # type: ignore[call-overload]  # anything else that is no mapping fails here
