"""Makes pieces of the whole atlas from the shares of all collections, and from what concerns no collection.

Each kind of piece is a method that answers with the plans of its pages, its records and its other files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar, cast, overload

from jinja2 import TemplateError

from atlas.checks.checked import Checked
from atlas.checks.pinned import Pinned
from atlas.entries.atlas import Atlas, Source
from atlas.issues import Issue
from atlas.kept import Kept
from atlas.node.typesetter import Typesetter
from atlas.operators.catalogue import FAMILIES
from atlas.render import addresses
from atlas.render.compare_view import compare_view
from atlas.render.data_files import DataFile, operator_files
from atlas.render.data_view import data_view
from atlas.render.entries_view import entries_view
from atlas.render.fonts import shown_in
from atlas.render.glossary_view import glossary_view
from atlas.render.home_view import home_view
from atlas.render.index_names import IndexNames, names_of
from atlas.render.index_view import index_plans
from atlas.render.issue_codes_view import issue_codes_view
from atlas.render.json_files import (
    conflicts_file,
    family_file,
    general_files,
    schemas,
    source_file,
    symbols_file,
    verification_file,
)
from atlas.render.json_types import Document
from atlas.render.json_written import WrittenDocument, written_document
from atlas.render.made import Made, MadePiece, ShareData, ShareKind
from atlas.render.pages import PagePlan
from atlas.render.parts import Parts
from atlas.render.pieces import Piece
from atlas.render.reference_views import family_view, file_view, operators_view, source_view, sources_view
from atlas.render.search_found import grouped
from atlas.render.search_whole import page_records
from atlas.render.shares import Shares
from atlas.render.site import NavSection, Settings
from atlas.render.uses import Uses
from atlas.render.verification_view import verification_view
from atlas.render.writing import Press, Sheets

OPERATORS = NavSection("Operators", addresses.OPERATORS)
PINNED = NavSection("Pinned sources", addresses.SOURCES)
CONTRIBUTE = NavSection("Contribute", addresses.CONTRIBUTE)
"""The sections that pages of the whole stand in."""

COLLECTION_PAGES = ("component", "model", "library")
"""The kinds of pages that makers of collections make."""
PAGES = ("home", "compare", "operators", "family", "source", "file", "glossary", "verification", "index")
"""The kinds of pages of the whole that follow from collections."""

T = TypeVar("T")


class Loaded(Sequence[T]):
    """The shares of one kind of all collections, unpickled when they are first asked for."""

    def __init__(self, made: Iterable[Made], kind: ShareKind) -> None:
        self._given = [one.shares[kind] for one in made if kind in one.shares]
        self._shares: list[T] | None = None

    def __len__(self) -> int:
        return len(self._given)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        if self._shares is None:
            self._shares = [cast(T, one.share()) for one in self._given]
        return self._shares[at]


@dataclass(frozen=True, slots=True)
class Draft:
    """A piece before its formulas are typeset."""

    plans: Sequence[PagePlan] = ()
    """Its pages."""
    documents: Sequence[WrittenDocument] = ()
    """Its records."""
    files: Sequence[DataFile] = ()
    """Its other files."""


class WholeMaker:
    """Makes pieces of one atlas."""

    def __init__(
        self,
        settings: Settings,
        pinned: Pinned,
        kept: Kept,
        typesetter: Typesetter,
        made: Sequence[Made],
        uses: Uses,
        issues: tuple[Issue, ...],
    ) -> None:
        """Make ready.

        Args:
            settings: What the host knows.
            pinned: The sources.
            kept: What is kept.
            typesetter: What typesets formulas.
            made: What the collections give, in the order of their ids.
            uses: The entries of all of them, by what they use.
            issues: What pages must say of all content.
        """
        self._settings = settings
        self._typesetter = typesetter
        self._made = made
        self._press = Press(settings, kept)
        atlas = Atlas(settings.root, settings.content, {}, pinned.sources, pinned.unread)
        # No collection is at hand here: the pages of the whole are made of shares.
        checked = Checked(atlas, {}, pinned.files, pinned.pins, issues)
        self._parts = Parts(checked, self._press.typesetting, self._press.code)
        self._shares = Shares(
            homes=Loaded(made, "home"),
            names=Loaded(made, "names"),
            claims=Loaded(made, "claims"),
            comparisons=Loaded(made, "comparison"),
            conflicts=Loaded(made, "conflicts"),
            uses=uses,
        )

    def prepare(self) -> None:
        """Do what makes pieces of many collections quicker and needs none of them; what comes of it is kept."""
        self._compile(PAGES)
        for members in FAMILIES.values():
            for operator in members:
                self._parts.reference(operator)

    def prepare_collections(self) -> Iterator[None]:
        """Do what makes collections quicker and needs none of them, step by step, so that each can be kept at once."""
        self._compile(COLLECTION_PAGES)
        yield
        # The longest come last: whoever makes a collection that shows one may have kept it by then.
        for source, path in sorted(self._checked.files, key=lambda file: len(self._checked.files[file].text)):
            self._parts.highlighted(source, path)
            yield

    def _compile(self, kinds: Iterable[str]) -> None:
        """Compile the templates of kinds of pages, with what they take in."""
        for kind in kinds:
            with suppress(TemplateError):  # one that is wrong may be none that is used
                self._press.renderer.load(kind)
                self._press.markdown.load(kind)

    def make(self, pieces: Sequence[Piece], others: Sequence[MadePiece] = ()) -> Iterator[tuple[MadePiece, bytes]]:
        """What each piece gives, and its texts.

        Args:
            pieces: The pieces.
            others: What all other pieces give, which the index names.
        """
        typesetting = self._press.typesetting
        drafts = []
        for piece in pieces:
            typesetting.noted()
            draft = self._index(others) if piece.kind == "index" else _KINDS[piece.kind](self, piece.name)
            drafts.append((draft, typesetting.noted()))
        typesetting.take(self._typesetter.typeset(typesetting.waiting))
        for draft, formulas in drafts:
            sheets = Sheets(self._press)
            pages = tuple(map(sheets.page, draft.plans))
            sheets.documents(draft.documents)
            for file in draft.files:
                sheets.data(file)
            lines, found = sheets.lines(), tuple(grouped(page_records(draft.plans)))
            names = ShareData.of(IndexNames(tuple(names_of(found))))
            characters = shown_in(map(typesetting.shown, formulas))
            files = (*sheets.files, *sheets.forms, *sheets.passages.values())
            leads = "\n".join(sorted(sheets.leads))
            yield MadePiece(pages, files, lines, found, names, leads, characters), sheets.texts.data()

    def _home(self, _: str) -> Draft:
        view = home_view(self._shares.homes, self._press.typesetting)
        summary = "Neural-network architectures with formulas, shapes, parameters and sources checked."
        name = self._settings.site_name
        return Draft([PagePlan(addresses.HOME, "home", "Home", name, summary, None, (), view)])

    def _compare(self, _: str) -> Draft:
        view = compare_view(self._shares.comparisons, self._press.typesetting)
        if not view.choices:
            return Draft()
        summary = "Two models or variants side by side: configuration, structure, formulas, parameters and cache."
        return Draft([_plan(addresses.COMPARE, "compare", "Compare", summary, view)])

    def _operators(self, _: str) -> Draft:
        summary, view = (
            "Executable NumPy operators, their formulations side by side.",
            operators_view(self._shares.uses),
        )
        return Draft([_plan(addresses.OPERATORS, "operators", "Operators", summary, view, OPERATORS)])

    def _family(self, name: str) -> Draft:
        view, uses = family_view(name, self._shares.uses, self._parts), self._shares.uses
        url, title, summary = addresses.family_page(name), f"Operators · {view.title}", view.formulations[0].summary
        plan = PagePlan(url, "family", view.title, title, summary, None, (OPERATORS,), view)
        return Draft([plan], [self._written(*family_file(name, uses))])

    def _sources(self, _: str) -> Draft:
        summary, view = "Upstream projects at a fixed revision, proved by git object ids.", sources_view(self._checked)
        return Draft([_plan(addresses.SOURCES, "sources", PINNED.title, summary, view, PINNED)])

    def _source(self, name: str) -> Draft:
        source = self._checked.atlas.sources[name]
        title, url = source.data.title, addresses.source_page(name)
        summary = f"{title} at revision {source.data.revision}: pinned files, hashes and licence."
        view, nav = source_view(source, self._checked), (PINNED, NavSection(title, url))
        plan = PagePlan(url, "source", title, f"{PINNED.title} · {title}", summary, self._made_from(source), nav, view)
        return Draft([plan], [self._written(*source_file(source, self._shares.uses, self._parts))])

    def _file(self, name: str) -> Draft:
        source_id, _, path = name.partition(":")
        source = self._checked.atlas.sources[source_id]
        title, revision = source.data.title, source.data.revision
        summary = f"{path} of {title} at revision {revision}, with links to the passages documented here."
        view = file_view(source, path, self._shares.uses, self._parts)
        url, nav = addresses.file_page(source_id, path), (PINNED, NavSection(title, addresses.source_page(source_id)))
        last = path.rpartition("/")[2]
        made_from = self._made_from(source)
        return Draft([PagePlan(url, "file", last, f"{title} · {last}", summary, made_from, nav, view)])

    def _made_from(self, source: Source) -> str:
        """The manifest. It lies beside the content; hosts of repositories resolve the way there as browsers do."""
        return Path(os.path.relpath(source.file, self._settings.content)).as_posix()

    def _glossary(self, _: str) -> Draft:
        summary = (
            "Every size, symbol and term, with its names in formula, configuration and code, and where it is used."
        )
        view = glossary_view(self._shares.names, self._press.typesetting)
        plan = _plan(addresses.GLOSSARY, "glossary", "Glossary", summary, view)
        return Draft([plan], [self._written(*symbols_file(self._shares))])

    def _verification(self, _: str) -> Draft:
        summary, view = "Every claim of the atlas with its proof.", verification_view(self._shares.claims)
        plan = _plan(addresses.VERIFICATION, "verification", "Verification", summary, view)
        return Draft([plan], [self._written(*verification_file(self._shares))])

    def _data(self, _: str) -> Draft:
        summary, settings = (
            "Everything on this site as files: JSON with its schemas, Markdown and BibTeX.",
            self._settings,
        )
        view = data_view(self._parts, settings.site_name, settings.site_url, settings.data_license)
        return Draft([_plan(addresses.DATA, "data", "Data", summary, view)])

    def _entries(self, _: str) -> Draft:
        summary = "Every key of every file that contributors write: what it means, and what its value may be."
        title, nav, view = "Entries: every key", (CONTRIBUTE,), entries_view()
        return Draft([PagePlan(addresses.ENTRIES, "entries", "Entries", title, summary, None, nav, view)])

    def _issue_codes(self, _: str) -> Draft:
        summary, view = "What each code of an issue means, with a wrong and a right form.", issue_codes_view()
        return Draft([_plan(addresses.ISSUE_CODES, "issue-codes", "Issue codes", summary, view, CONTRIBUTE)])

    def _written(self, url: str, document: Document) -> WrittenDocument:
        return written_document(url, document, has_folders=self._press.typesetting.has_folders)

    def _conflicts(self, _: str) -> Draft:
        return Draft(documents=[self._written(*conflicts_file(self._shares))])

    def _lists(self, _: str) -> Draft:
        settings, sources = self._settings, self._checked.atlas.sources
        given = general_files(settings.site_name, settings.data_license, self._shares.uses, sources)
        return Draft(documents=[self._written(url, one) for url, one in given])

    def _fixed(self, _: str) -> Draft:
        written = [DataFile(url, f"{json.dumps(one, ensure_ascii=False, indent=2)}\n") for url, one in schemas()]
        return Draft(files=[*operator_files(), *written])

    def _index(self, others: Sequence[MadePiece]) -> Draft:
        found = [cast(IndexNames, one.shares["index"].share()) for one in self._made]
        # As search finds them: pages of models, of libraries, all others, sizes.
        order = sorted(zip(self._made, found, strict=True), key=lambda one: not one[0].is_model)
        names = [name for _, one in order for name in one.pages]
        names += [name for one in others for name in cast(IndexNames, one.names.share()).pages]
        names += [name for one in found for name in one.sizes]
        return Draft(list(index_plans(names)))

    @property
    def _checked(self) -> Checked:
        return self._parts.checked


def _plan(url: str, kind: str, title: str, summary: str, view: object, *nav: NavSection) -> PagePlan:
    return PagePlan(url, kind, title, title, summary, None, nav, view)


_KINDS: Mapping[str, Callable[[WholeMaker, str], Draft]] = MappingProxyType(
    {
        "home": WholeMaker._home,
        "comparison": WholeMaker._compare,
        "operators": WholeMaker._operators,
        "family": WholeMaker._family,
        "sources": WholeMaker._sources,
        "source": WholeMaker._source,
        "file": WholeMaker._file,
        "glossary": WholeMaker._glossary,
        "verification": WholeMaker._verification,
        "data": WholeMaker._data,
        "entries": WholeMaker._entries,
        "issue-codes": WholeMaker._issue_codes,
        "conflicts": WholeMaker._conflicts,
        "lists": WholeMaker._lists,
        "fixed": WholeMaker._fixed,
    }
)
"""How each kind of piece is made, besides the index."""
