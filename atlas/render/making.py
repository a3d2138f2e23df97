"""Makes what one collection gives to a site: its pages in all forms, its data files and its shares.

Pages are rendered and their formulas typeset a few at a time; the views of one collection stay until its words for
search are read. What is left is texts, compressed, and little else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from atlas.checks.checked import Checked, CheckedCollection, CheckedEntry
from atlas.entries.atlas import Collection, Entry
from atlas.entries.collection import Model
from atlas.issues import Issue
from atlas.kept import Kept
from atlas.node.typesetter import Typesetter
from atlas.render import addresses
from atlas.render.citation import citation_share
from atlas.render.collection_view import LibraryView, ModelView, library_view, model_view
from atlas.render.compare_view import compare_share
from atlas.render.component_view import component_view
from atlas.render.data_files import collection_files
from atlas.render.diagram import Placed, Sketch, layout
from atlas.render.fonts import shown_in
from atlas.render.glossary_share import glossary_share
from atlas.render.home_share import home_share
from atlas.render.index_names import IndexNames, names_of
from atlas.render.json_component import component_document
from atlas.render.json_conflicts import conflicts_share
from atlas.render.json_written import written_document, written_documents
from atlas.render.made import Made, MadePage, ShareData, ShareKind
from atlas.render.pages import PagePlan
from atlas.render.parts import Parts
from atlas.render.redirects import redirects_of
from atlas.render.rows import PackedRecords
from atlas.render.search_records import found_share
from atlas.render.search_share import FoundShare
from atlas.render.site import NavSection, Settings
from atlas.render.structure_view import Structures
from atlas.render.uses import items_digest, uses_share
from atlas.render.verification_view import verification_share
from atlas.render.writing import Press, Sheets

AT_ONCE = 50
"""How many components are in memory as pages; enough for the formulas of one round to keep Node busy."""
MODELS, LIBRARIES = NavSection("Models", "models"), NavSection("Libraries", "libraries")
"""The sections of the collections, which have no pages of their own: the home page lists what is in them."""


class Maker:
    """Makes collections, one after the other; what is the same for all is made once."""

    def __init__(self, settings: Settings, kept: Kept, typesetter: Typesetter) -> None:
        self.settings = settings
        self.kept = kept
        self.typesetter = typesetter
        self.press = Press(settings, kept)

    def make(self, checked: Checked, collection: CheckedCollection, warnings: Iterable[Issue]) -> tuple[Made, bytes]:
        """What a collection gives, and its texts; `checked` holds this collection and all sources.

        Raises:
            DisplayError: KaTeX refuses a formula.
            NodeError: Node hangs or dies.
        """
        return _Making(self, checked, collection, tuple(warnings)).made()


class _Making:
    """The making of one collection."""

    def __init__(
        self, maker: Maker, checked: Checked, collection: CheckedCollection, warnings: tuple[Issue, ...]
    ) -> None:
        self._maker = maker
        self._collection = collection
        self._warnings = warnings
        self._parts = Parts(checked, maker.press.typesetting, maker.press.code)
        self._sheets = Sheets(maker.press)
        self._structures = Structures(collection)
        self._characters: set[str] = set()
        self._nodes = 0
        data = collection.collection.data
        section = NavSection(data.title, addresses.collection_page(collection.collection.id))
        self._above = (MODELS if isinstance(data, Model) else LIBRARIES, section)

    def made(self) -> tuple[Made, bytes]:
        collection, owner = self._collection, self._collection.collection
        data = owner.data
        plans = []
        pages = []
        for group in self._groups():
            for plan, page in group:
                plans.append(plan)
                pages.append(page)
        lines, found, uses = self._sheets.lines(), found_share(collection, plans), uses_share(collection)
        made = Made(
            id=owner.id,
            is_model=isinstance(data, Model),
            pages=PackedRecords.of(pages),
            forms=PackedRecords.of(self._sheets.forms),
            files=tuple(self._sheets.files),
            lines=lines,
            passages=tuple(self._sheets.passages.values()),
            found=found,
            citation=citation_share(collection),
            uses=uses,
            items=items_digest(uses),
            shares={kind: ShareData.of(share) for kind, share in self._shares(found) if share is not None},
            redirects=tuple(redirects_of(owner)),
            leads="\n".join(sorted(self._sheets.leads)),
            characters="".join(sorted(self._characters)),
            nodes=self._nodes,
            warnings=self._warnings,
        )
        return made, self._sheets.texts.data()

    def _shares(self, found: FoundShare) -> Iterator[tuple[ShareKind, object]]:
        """What pages of the whole need of the collection."""
        collection = self._collection
        yield "home", home_share(collection, self._parts)
        yield "names", glossary_share(collection)
        yield "comparison", compare_share(collection)
        yield "conflicts", conflicts_share(collection, self._parts)
        yield "claims", verification_share(collection)
        yield "index", IndexNames(tuple(names_of(found.pages)), tuple(names_of(found.sizes)))

    def _groups(self) -> Iterator[list[tuple[PagePlan, MadePage]]]:
        """The pages with their plans, a few at a time."""
        entries = self._collection.entries
        yield self._group(True, ())
        for first in range(0, len(entries), AT_ONCE):
            yield self._group(False, entries[first : first + AT_ONCE])

    def _group(self, with_own: bool, entries: Sequence[CheckedEntry]) -> list[tuple[PagePlan, MadePage]]:
        typesetting = self._maker.press.typesetting
        typesetting.begin()
        typesetting.noted()
        plans = [self._own_plan()] if with_own else []
        plans += [self._entry_plan(entry) for entry in entries]
        files = list(collection_files(self._collection, self._parts)) if with_own else []
        documents = list(written_documents(self._collection, self._parts)) if with_own else []
        formulas = typesetting.noted()
        typesetting.take(self._maker.typesetter.typeset(typesetting.waiting))
        self._characters.update(shown_in(map(typesetting.shown, formulas)))
        made = [(plan, self._sheets.page(plan)) for plan in plans]
        for file in files:
            self._sheets.data(file)
        for entry in entries:
            url = addresses.data_file("components", entry.entry.id)
            document = component_document(entry, self._collection, self._parts)
            documents.append(written_document(url, document, has_folders=typesetting.has_folders))
        self._sheets.documents(documents)
        typesetting.forget()
        return made

    def _own_plan(self) -> PagePlan:
        collection, owner = self._collection, self._collection.collection
        data, section = owner.data, self._above[-1]
        view: ModelView | LibraryView
        if isinstance(data, Model):
            view = model_view(collection, self._parts, self._place)
        else:
            view = library_view(collection, self._parts)
        return PagePlan(
            section.key,
            "model" if isinstance(data, Model) else "library",
            data.title,
            data.title,
            self._parts.text(owner, data.summary).plain,
            self._below(owner),
            self._above,
            view,
            self._structures.of(section.key),
            owner,
        )

    def _entry_plan(self, checked: CheckedEntry) -> PagePlan:
        entry, section = checked.entry, self._above[-1]
        stack = self._collection.collection.stack_of(entry)
        inner = [NavSection(stack.title, f"{section.key}{entry.stack}/")] if stack else []
        url = addresses.entry_page(entry)
        return PagePlan(
            url,
            "component",
            entry.data.title,
            " · ".join((section.title, *(one.title for one in inner), entry.data.title)),
            self._parts.text(entry, entry.data.summary).plain,
            self._below(entry),
            (*self._above, *inner),
            component_view(checked, self._collection, self._parts),
            self._structures.of(url),
            entry,
        )

    def _place(self, sketch: Sketch) -> Placed:
        """Lay the diagram out."""
        placed = layout(sketch, self._maker.typesetter)
        self._nodes = max(self._nodes, len(placed.nodes))
        for label in placed.labels:
            self._characters.update(*(run.text for run in label.runs))
        return placed

    def _below(self, owner: Collection | Entry) -> str:
        return owner.file.relative_to(self._maker.settings.content).as_posix()
