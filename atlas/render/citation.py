"""How to cite a page, or the whole atlas, in BibTeX; nothing in it depends on the day of the build."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol

from atlas.kept import key_of
from atlas.render.addresses import BIBTEX, bibtex_file, collection_page
from atlas.render.bibtex import bibtex, bibtex_text
from atlas.render.citation_share import CitationShare
from atlas.render.site import Produced, SiteAsset

if TYPE_CHECKING:
    from atlas.checks.checked import CheckedCollection

PACKAGE = "openmodelatlas"
ATLAS_KEY = "atlas"
"""The key of the atlas itself; a page's is this with the page's address after a colon."""


class Cited(Protocol):
    """What a citation names of a page."""

    @property
    def url(self) -> str:
        """Its address."""

    @property
    def kind(self) -> str:
        """Its kind."""

    @property
    def document_title(self) -> str:
        """Its title."""


def citation_share(collection: CheckedCollection) -> CitationShare:
    """The share of one collection."""
    from atlas.entries.collection import Model  # which reads entries; those who only have shares need it not

    name, data = collection.collection.id, collection.collection.data
    return CitationShare(collection_page(name), bibtex(name, data.paper) if isinstance(data, Model) else "")


class Citations:
    """A file for each page that is cited alone, and one for the atlas with every publication that it documents.

    A page's title depends on those of all other pages, so its file is known last, and made only where it is written.
    """

    def __init__(self, shares: Iterable[CitationShare], site_name: str, site_url: str) -> None:
        self._papers = {one.page: one.paper for one in shares if one.paper}
        self._site_name = site_name
        self._site_url = site_url

    def of_page(self, page: Cited) -> SiteAsset:
        """The file of a page of a kind that is cited alone."""
        paper = self._papers.get(page.url, "")
        given = (page.url, page.document_title, self._site_name, self._site_url, paper)
        content = Produced(partial(_of_page, *given), key_of("cited", *given, _made_by()))
        return SiteAsset(bibtex_file(page.url), content, page=page.url)

    def of_atlas(self) -> SiteAsset:
        """The file of the atlas."""
        own = page_bibtex("", self._site_name, self._site_name, self._site_url)
        every = "\n\n".join([own, *self._papers.values()])
        return SiteAsset(BIBTEX, f"{every}\n".encode())


def _of_page(url: str, title: str, site_name: str, site_url: str, paper: str) -> str:
    """The file of a page; `paper` is the publication that it documents, or empty."""
    own = page_bibtex(url, title, site_name, site_url)
    return f"{own}\n\n{paper}\n" if paper else f"{own}\n"


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
