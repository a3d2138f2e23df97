"""What the page of a component says of its relatives in all collections, put into the page when it is written.

A page is kept without it, as an edit of another collection may change it; nothing is rendered for pages that stay.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from atlas.kept import Kept
from atlas.render.link import Link
from atlas.render.printing import ALSO_IN
from atlas.render.relative import relative_url
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
        self._folder = ""
        self._said: dict[tuple[str, bytes], tuple[str, frozenset[str]]] = {}

    def body(self, html: str, page: str, relatives: Relatives) -> str:
        """The HTML of the page at an address with its relatives."""

        def made() -> tuple[str, frozenset[str]]:
            return self._renderer.also_in(page, relatives.links, relatives.more)[0], frozenset()

        return _put(html, self._again("page", page, relatives, made)[0])

    def markdown(self, text: str, page: str, relatives: Relatives) -> str:
        """The Markdown of that page with its relatives."""
        from atlas.render.markdown_pages import joined

        before, place, after = text.rpartition(ALSO_IN)
        return joined(before, self._in_markdown(page, relatives)[0], after) if place else text

    def links(self, page: str, relatives: Relatives) -> frozenset[str]:
        """The links in what the Markdown says of relatives."""
        return self._in_markdown(page, relatives)[1]

    def page_links(self, page: str, relatives: Relatives) -> list[str]:
        """The links in what the page at an address says of relatives."""
        return [relative_url(link.url, page) for link in _all_links(relatives)]

    def _in_markdown(self, page: str, relatives: Relatives) -> tuple[str, frozenset[str]]:
        def made() -> tuple[str, frozenset[str]]:
            return self._markdown.also_in(page, relatives.links, relatives.more)

        return self._again("Markdown", page, relatives, made)

    def _again(
        self, kind: str, page: str, relatives: Relatives, make: Callable[[], tuple[str, frozenset[str]]]
    ) -> tuple[str, frozenset[str]]:
        """What is said of relatives: pages side by side say it alike, as their links to other pages are the same."""
        if not relatives.links:
            return "", frozenset()
        if any(link.url.startswith(page) for link in _all_links(relatives)):  # below the page, where links are shorter
            return make()
        folder = page.rstrip("/").rpartition("/")[0]
        if folder != self._folder:
            self._folder = folder
            self._said.clear()
        key = (kind, relatives.digest)
        if key not in self._said:
            self._said[key] = make()
        return self._said[key]

    @cached_property
    def _renderer(self) -> Renderer:
        from atlas.render.deferred import Typesetting
        from atlas.render.pages import Renderer

        return Renderer(self._settings, Typesetting(has_folders=self._settings.has_folders), self._kept)

    @cached_property
    def _markdown(self) -> MarkdownRenderer:
        from atlas.render.markdown_pages import MarkdownRenderer

        return MarkdownRenderer(self._settings.site_name, self._settings.templates, self._kept)


def _all_links(relatives: Relatives) -> tuple[Link, ...]:
    return relatives.links if relatives.more is None else (*relatives.links, relatives.more)


def _put(text: str, relatives: str) -> str:
    """A text with what it says of relatives, if it has a place for it."""
    before, place, after = text.rpartition(ALSO_IN)
    return f"{before}{relatives}{after}" if place else text
