"""How to cite a page, or the whole atlas, in BibTeX; nothing in it depends on the day of the build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.render.addresses import BIBTEX, bibtex_file, collection_page
from atlas.render.alternates import CITED
from atlas.render.collection_view import bibtex, bibtex_text
from atlas.render.pages import PagePlan
from atlas.render.site import SiteAsset

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
    fields = [("title", bibtex_text(title))]
    if url:
        fields.append(("howpublished", bibtex_text(site_name)))
    if site_url:
        fields.append(("url", f"{site_url.rstrip('/')}/{url}"))
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
    return f"@misc{{{ATLAS_KEY}{':' + path if path else ''},\n{lines}\n}}"


def _file(url: str, entries: Iterable[str], page: str | None = None) -> SiteAsset:
    return SiteAsset(url, ("\n\n".join(entries) + "\n").encode(), page=page)
