"""Finished pages of components with their other forms, kept by everything that they follow from, code included.

An edit then renders again only what it can be seen in; a page that is not kept is made as on the first day.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from atlas.checks.checked import CheckedEntry
from atlas.checks.memory import Grounds
from atlas.kept import Kept, code_digest, key_of
from atlas.render.component_view import also_in
from atlas.render.parts import Parts
from atlas.render.site import Heading, PageStore, Settings, StoredBody

COMPONENT = "component"
"""The kind of pages that are kept: there are many of them, and each follows from little."""
TEMPLATES = (".html", ".md")
"""How the names of files end that shape a page and its other forms."""
FORMS = ("body", "structure", "markdown", "json", "line")
"""The texts of a finished page, in the order in which they are kept."""


@dataclass(frozen=True, slots=True)
class Form:
    """A text of a page, with the links that a file of it holds."""

    text: StoredBody
    """Where it lies."""
    links: frozenset[str] = frozenset()
    """The links in it to other addresses of the site, as they are written."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A component's page with all its forms; texts lie in the page store."""

    headings: tuple[Heading, ...]
    """The table of contents."""
    where: str
    """What it belongs to, as search says it."""
    texts: tuple[tuple[int, str], ...]
    """By what search finds it."""
    characters: str
    """What its formulas show, for which there must be fonts."""
    passages: Mapping[str, str]
    """Code for which the page has no room, by the address of its file."""
    forms: Mapping[str, Form]
    """Its texts: the HTML body, the column beside it, the Markdown, the data file, and its line among all data."""


class Shelf:
    """The finished pages of one build: those that were kept, and those that are made now."""

    def __init__(
        self, kept: Kept, settings: Settings, parts: Parts, grounds: Mapping[str, Grounds], store: PageStore
    ) -> None:
        self._kept = kept
        self._settings = settings
        self._parts = parts
        self._store = store
        self._grounds = {name: _digest(one) for name, one in grounds.items()}
        self._general = _general(settings)
        self._keys: dict[str, bytes] = {}

    def find(self, entries: Iterable[CheckedEntry]) -> dict[str, Finished]:
        """Those of the entries, by their id, whose pages are kept."""
        keys = {one.entry.id: self._key(one) for one in entries}
        self._keys.update(keys)
        found = self._kept.get(keys.values())
        return {name: self._restored(found[key]) for name, key in keys.items() if key in found}

    def keep(
        self,
        entry: str,
        headings: tuple[Heading, ...],
        found: tuple[str, tuple[tuple[int, str], ...]],
        characters: str,
        texts: Mapping[str, tuple[str, Iterable[str]]],
        passages: Mapping[str, str],
    ) -> Finished:
        """Keep a page that was made; of each of its forms the text, and the links that the file of it holds."""
        forms = {name: Form(self._store.keep(text), frozenset(links)) for name, (text, links) in texts.items()}
        written = tuple((forms[name].text.data(), sorted(forms[name].links)) for name in FORMS)
        record = (
            tuple((one.level, one.id, one.title, one.html) for one in headings),
            found,
            characters,
            dict(passages),
            written,
        )
        self._kept.put({self._keys[entry]: pickle.dumps(record)})
        return Finished(headings, *found, characters, passages, forms)

    def _restored(self, kept: bytes) -> Finished:
        # From the user's own cache, written by this very code, and whole by its digest.
        headings, (where, texts), characters, passages, forms = pickle.loads(kept)  # noqa: S301
        return Finished(
            tuple(Heading(*one) for one in headings),
            where,
            texts,
            characters,
            passages,
            {
                name: Form(self._store.keep_data(data), frozenset(links))
                for name, (data, links) in zip(FORMS, forms, strict=True)
            },
        )

    def _key(self, checked: CheckedEntry) -> bytes:
        """The key of everything that a page, its forms and its record of search follow from."""
        entry = checked.entry
        content, root = self._settings.content, self._settings.root
        own = [entry.file.relative_to(content).as_posix()]
        places = [root / path for path in entry.document.texts]
        own += [path.relative_to(content).as_posix() for path in places if path.is_relative_to(content)]
        # Of other collections a page shows which of them have the operator too, and nothing else.
        return key_of(
            "finished",
            self._general,
            self._grounds[entry.collection],
            entry.id,
            repr([(path, self._settings.edit_address(path)) for path in own]),
            repr(also_in(checked, self._parts)),
        )


def _general(settings: Settings) -> str:
    """What every page follows from: code, templates, libraries, settings."""
    digest = hashlib.sha256(code_digest(".").encode())
    for library in ("jinja2", "markupsafe", "mdit-py-plugins"):
        digest.update(f"{library} {version(library)}\0".encode())
    for name, content in _templates([*settings.templates, Path(str(files("openmodelatlas_theme")))]):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    said = (settings.site_name, settings.site_url, settings.data_license, settings.missing_sources)
    digest.update(repr((said, settings.content.relative_to(settings.root))).encode())
    return digest.hexdigest()


def _templates(folders: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    for number, folder in enumerate(folders):
        for file in sorted(folder.rglob("*")):
            if file.suffix in TEMPLATES and file.is_file():
                yield f"{number}/{file.relative_to(folder).as_posix()}", file.read_bytes()


def _digest(grounds: Grounds) -> str:
    """What is the same for grounds that are equal, in every process."""
    parts = (
        sorted(grounds.texts.items()),
        grounds.entries,
        grounds.whole,
        sorted(grounds.unreadable),
        sorted(grounds.sources.items()),
        sorted(grounds.known),
        sorted(grounds.records.items()),
        grounds.missing,
    )
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()
