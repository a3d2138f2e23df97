"""The search index of a build: what is found of the atlas's pages and of prose, for a theme that has the palette."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import unescape

from mkdocs.structure.files import File, Files, InclusionLevel

from atlas.plugin.pages import EntityPage
from atlas.render.search_found import grouped, only
from atlas.render.search_index import search_files
from atlas.render.search_prose import prose_record
from atlas.render.site import FoundGroup, Prose, SearchRecord, Site, SiteAsset

PALETTE = "js/search.js"
"""The theme's file that asks for the index."""


def search_assets(
    files: Files, site: Site, prose: Mapping[str, tuple[str, Prose]], *, is_preview: bool
) -> list[SiteAsset]:
    """The files of the index of the pages that are written; none for a theme that has a search of its own.

    Args:
        files: All files of the build.
        site: The atlas's pages, with their records.
        prose: The Markdown of each prose page and its rendering, by source path.
        is_preview: Whether drafts are written too.
    """
    if files.get_file_from_path(PALETTE) is None:
        return []
    is_written = InclusionLevel.is_in_serve if is_preview else InclusionLevel.is_included
    pages = list(files.documentation_pages(inclusion=is_written))
    return list(search_files([*_of_entities(pages, site), *grouped(_of_prose(pages, prose))]))


def _of_entities(pages: list[File], site: Site) -> Iterator[FoundGroup]:
    written = {file.page.source.url for file in pages if isinstance(file.page, EntityPage)}
    for group in site.found:
        kept = only(group, written)
        if kept is not None:
            yield kept


def _of_prose(pages: list[File], prose: Mapping[str, tuple[str, Prose]]) -> Iterator[SearchRecord]:
    for file in pages:
        if file.page is not None and file.src_uri in prose:
            yield prose_record(file.url, unescape(str(file.page.title or file.name)), prose[file.src_uri][1])
