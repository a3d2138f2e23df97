"""Makes the pages of components with all their forms, a few at a time: views and formulas live no longer than that.

Only what is kept nowhere is made; so an atlas of ten thousand components is never in memory as pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from atlas.checks.checked import CheckedCollection, CheckedEntry
from atlas.node.process import Formula, Typeset
from atlas.render.addresses import EVERYTHING, data_file, entry_page
from atlas.render.component_view import component_view
from atlas.render.finished import COMPONENT, Finished, Shelf
from atlas.render.fonts import shown_in
from atlas.render.json_component import component_document
from atlas.render.json_types import FilePlace
from atlas.render.markdown_pages import MarkdownRenderer
from atlas.render.pages import PagePlan, Renderer
from atlas.render.parts import Parts
from atlas.render.search_records import component_words
from atlas.render.structure_view import structure_view

AT_ONCE = 50
"""How many components are in memory as pages; enough for the formulas of one round to keep Node busy."""


class Finisher:
    """Finishes the pages of one site."""

    def __init__(
        self,
        shelf: Shelf,
        parts: Parts,
        renderer: Renderer,
        markdown: MarkdownRenderer,
        typeset: Callable[[Iterable[Formula]], list[Typeset]],
    ) -> None:
        self._shelf = shelf
        self._parts = parts
        self._renderer = renderer
        self._markdown = markdown
        self._typeset = typeset

    def finish(self, collection: CheckedCollection) -> dict[str, Finished]:
        """The finished pages of a collection's entries, by their ids.

        Raises:
            DisplayError: KaTeX refuses a formula.
            NodeError: Node hangs or dies.
        """
        finished = self._shelf.find(collection.entries)
        missing = [entry for entry in collection.entries if entry.entry.id not in finished]
        for first in range(0, len(missing), AT_ONCE):
            finished.update(self._made(missing[first : first + AT_ONCE], collection))
        return finished

    def _made(self, entries: Sequence[CheckedEntry], collection: CheckedCollection) -> dict[str, Finished]:
        typesetting = self._parts.typesetting
        typesetting.begin()
        planned = []
        for entry in entries:
            typesetting.noted()
            url = entry_page(entry.entry)
            view, structure = component_view(entry, collection, self._parts), structure_view(collection, url)
            # What a page is called elsewhere is not known yet, and is not in it.
            plan = PagePlan(url, COMPONENT, "", "", "", None, None, view, structure, entry.entry)
            planned.append((entry, plan, view, typesetting.noted()))
        typesetting.take(self._typeset(typesetting.waiting))
        finished = {}
        for entry, plan, view, formulas in planned:
            name = entry.entry.id
            made = self._renderer.made(plan)
            document = component_document(entry, collection, self._parts)
            own, of_all = FilePlace(data_file("components", name)), FilePlace(EVERYTHING)
            nodes = collection.graph.nodes if collection.graph is not None else ()
            finished[name] = self._shelf.keep(
                name,
                made.headings,
                component_words(view, [node for node in nodes if node.entry.id == name]),
                shown_in(map(typesetting.html, formulas)),
                {
                    "body": (made.body, ()),
                    "structure": (made.column, ()),
                    "markdown": self._markdown.made(plan),
                    "json": (document.written(own, indent=2), own.links),
                    "line": (document.written(of_all), of_all.links),
                },
                made.passages,
            )
        typesetting.forget()
        return finished
