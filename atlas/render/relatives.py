"""What the page of a component says of its relatives in all collections, put into the page when it is written.

A page is kept without it, as an edit of another collection may change it; nothing is rendered for pages that stay.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from atlas.kept import Kept
from atlas.render.printing import ALSO_IN
from atlas.render.site import Settings

if TYPE_CHECKING:
    from atlas.render.markdown_pages import MarkdownRenderer
    from atlas.render.pages import Renderer
    from atlas.render.uses import Relatives


class RelativesRenderer:
    """Puts relatives into pages; what renders them is imported and made when a page is written."""

    def __init__(self, settings: Settings, kept: Kept) -> None:
        self._settings = settings
        self._kept = kept

    def body(self, html: str, page: str, relatives: Relatives) -> str:
        """The HTML of the page at an address with its relatives."""
        if not relatives.links:
            return _put(html, "")
        return _put(html, self._renderer.also_in(page, relatives.links, relatives.more)[0])

    def markdown(self, text: str, page: str, relatives: Relatives) -> str:
        """The Markdown of that page with its relatives."""
        from atlas.render.markdown_pages import folded

        named = self._markdown.also_in(page, relatives.links, relatives.more)[0] if relatives.links else ""
        return folded(_put(text, named))

    def links(self, page: str, relatives: Relatives) -> frozenset[str]:
        """The links in what the Markdown says of relatives."""
        if not relatives.links:
            return frozenset()
        return self._markdown.also_in(page, relatives.links, relatives.more)[1]

    @cached_property
    def _renderer(self) -> Renderer:
        from atlas.render.deferred import Typesetting
        from atlas.render.pages import Renderer

        return Renderer(self._settings, Typesetting(), self._kept)

    @cached_property
    def _markdown(self) -> MarkdownRenderer:
        from atlas.render.markdown_pages import MarkdownRenderer

        return MarkdownRenderer(self._settings.site_name, self._settings.templates, self._kept)


def _put(text: str, relatives: str) -> str:
    """A text with what it says of relatives, if it has a place for it."""
    before, place, after = text.rpartition(ALSO_IN)
    return f"{before}{relatives}{after}" if place else text
