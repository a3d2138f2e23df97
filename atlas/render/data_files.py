"""The files that scripts of pages load: the program of a model, its side of a comparison, operators that run alone.

They hold promises of formulas as views do, so they are written once everything is typeset; each is a file on disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from atlas.checks.checked import Checked
from atlas.operators.catalogue import CATALOGUE
from atlas.operators.standalone import standalone
from atlas.render import calculator_view, compare_view
from atlas.render.addresses import standalone_file
from atlas.render.deferred import Maths
from atlas.render.parts import Parts
from atlas.render.site import SiteAsset


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file before it is written."""

    url: str
    """Its address below the site's root."""
    content: object
    """What it holds: a text as it is, anything else as JSON."""


def data_files(checked: Checked, parts: Parts) -> tuple[DataFile, ...]:
    """All files of a site, before its formulas are typeset."""
    return tuple(_data_files(checked, parts))


def _data_files(checked: Checked, parts: Parts) -> Iterator[DataFile]:
    for collection, model in compare_view.comparable(checked):
        name = collection.collection.id
        yield DataFile(calculator_view.data_page(name), calculator_view.calculator_data(collection))
        yield DataFile(compare_view.data_page(name), compare_view.compare_data(collection, model, parts))
    for operator in CATALOGUE.values():
        yield DataFile(standalone_file(operator), standalone(operator))


def written(files: Iterable[DataFile], folder: Path) -> Iterator[SiteAsset]:
    """Write the files below a folder, once every formula in them is typeset."""
    for file in files:
        path = folder / file.url
        path.parent.mkdir(parents=True, exist_ok=True)
        content = file.content
        text = content if isinstance(content, str) else json.dumps(content, separators=(",", ":"), default=_plain)
        path.write_text(text, encoding="utf-8")
        yield SiteAsset(file.url, path)


def _plain(value: object) -> object:
    """What JSON has no form for: a formula is its HTML, and a mapping that cannot change is an object."""
    if isinstance(value, Maths):
        return str(value.__html__())
    return dict(value)  # type: ignore[call-overload]  # anything else that is no mapping fails here
