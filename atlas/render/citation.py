"""How to cite a page, or the whole atlas, in BibTeX; nothing in it depends on the day of the build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.render.addresses import BIBTEX, bibtex_file, collection_page
from atlas.render.alternates import CITED
from atlas.render.collection_view import bibtex, bibtex_text
from atlas.render.pages import PagePlan
from atlas.render.site import SiteAsset

PACKAGE = "openmodelatlas"
ATLAS_KEY = "atlas"
"""The key of the atlas itself; a page's is this with the page's address after a colon."""


@dataclass(frozen=True, slots=True)
class CitationShare:
    """What a bibliography has of one collection."""

    page: str
    """The collection's page."""
    paper: str
    """The entry of the publication that it documents, finished; empty for a library, which documents none."""


def citation_share(collection: CheckedCollection) -> CitationShare:
    """The share of one collection."""
    name, data = collection.collection.id, collection.collection.data
    return CitationShare(collection_page(name), bibtex(name, data.paper) if isinstance(data, Model) else "")


def citation_files(
    shares: Iterable[CitationShare], plans: Iterable[PagePlan], site_name: str, site_url: str
) -> Iterator[SiteAsset]:
    """A file for each page that is cited alone, and one for the atlas with every publication that it documents.

    A page's own entry is made anew each time: it is a few lines, and its title depends on those of all other pages.
    """
    papers = {one.page: one.paper for one in shares if one.paper}
    for plan in plans:
        if plan.kind in CITED:
            entries = [page_bibtex(plan.url, plan.document_title, site_name, site_url)]
            if plan.url in papers:
                entries.append(papers[plan.url])
            yield _file(bibtex_file(plan.url), entries, plan.url)
    yield _file(BIBTEX, [page_bibtex("", site_name, site_name, site_url), *papers.values()])


def page_bibtex(url: str, title: str, site_name: str, site_url: str) -> str:
    """The entry of one page; of the home page, that of the atlas. An atlas without an address is cited without one."""
    path = url.strip("/").replace("/", ":")
    # Who wrote it is a group, which a second pair of braces keeps from being read as a first and a last name.
    fields = [("title", bibtex_text(title)), ("author", f"{{The contributors of {bibtex_text(site_name)}}}")]
    if url:
        fields.append(("howpublished", bibtex_text(site_name)))
    if site_url:
        fields.append(("url", f"{site_url.rstrip('/')}/{url}"))
    fields.append(("note", _made_by()))
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
    return f"@misc{{{ATLAS_KEY}{':' + path if path else ''},\n{lines}\n}}"


@lru_cache(maxsize=1)
def _made_by() -> str:
    """The generator, whose version is looked up once and not for each page."""
    return f"OpenModelAtlas {version(PACKAGE)}"


def _file(url: str, entries: Iterable[str], page: str | None = None) -> SiteAsset:
    return SiteAsset(url, ("\n\n".join(entries) + "\n").encode(), page=page)
