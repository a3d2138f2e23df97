"""The search index of a build: what is found of the atlas's pages and of prose, for a theme that has the palette."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape

from mkdocs.structure.files import File, Files

from atlas.plugin.pages import written_entities
from atlas.render.search_found import grouped, only
from atlas.render.search_index import search_files
from atlas.render.search_prose import prose_record
from atlas.render.site import FoundGroup, Prose, SearchRecord, Site, SiteAsset

PALETTE = "js/search.js"
"""The theme's file that asks for the index."""


def search_assets(
    files: Files, pages: Sequence[File], site: Site, prose: Mapping[str, tuple[str, Prose]]
) -> list[SiteAsset]:
    """The files of the index of the pages that are written; none for a theme that has a search of its own.

    Args:
        files: All files of the build.
        pages: Those of them that are pages and are written.
        site: The atlas's pages, with their records.
        prose: The Markdown of each prose page and its rendering, by source path.
    """
    if files.get_file_from_path(PALETTE) is None:
        return []
    return list(search_files([*_of_entities(pages, site), *grouped(_of_prose(pages, prose))]))


def _of_entities(pages: Iterable[File], site: Site) -> Iterator[FoundGroup]:
    written = written_entities(pages)
    for group in site.found:
        kept = only(group, written)
        if kept is not None:
            yield kept


def _of_prose(pages: Iterable[File], prose: Mapping[str, tuple[str, Prose]]) -> Iterator[SearchRecord]:
    for file in pages:
        if file.page is not None and file.src_uri in prose:
            yield prose_record(file.url, unescape(str(file.page.title or file.name)), prose[file.src_uri][1])
