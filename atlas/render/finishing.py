"""What was made of pages, with what is known only of all of them, as the pages and files that a host writes.

They are made when they are asked for: ten thousand pages with their other forms would take a hundred megabytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from atlas.render import addresses
from atlas.render.alternates import CITED, alternates
from atlas.render.citation import Citations
from atlas.render.made import MadeFile, MadePage
from atlas.render.relatives import RelativesRenderer
from atlas.render.site import Heading, Produced, SiteAsset, SitePage
from atlas.render.texts import Reader
from atlas.render.uses import Related, Relatives


@dataclass(frozen=True, slots=True)
class PageBatch:
    """A few neighbouring pages of one collection, or those of a piece."""

    pages: Callable[[], Sequence[MadePage]]
    """Reads the pages."""
    read: Reader
    """Reads their texts."""
    leads: str
    """The addresses that any of what was made with them leads to, a line each."""


class Titles:
    """Titles and descriptions that tell pages apart: in a list of results nothing else is seen."""

    def __init__(self) -> None:
        self._titles: set[str] = set()
        self._repeated_titles: set[str] = set()
        self._texts: set[str] = set()
        self._repeated_texts: set[str] = set()

    def note(self, pages: Iterable[MadePage]) -> None:
        """Take note of pages; once all were seen, those are known that several of them have."""
        for page in pages:
            for one, seen, repeated in (
                (page.document_title, self._titles, self._repeated_titles),
                (page.description, self._texts, self._repeated_texts),
            ):
                (repeated if one in seen else seen).add(one)

    def settle(self) -> None:
        """Let go of what only one page has."""
        self._titles, self._texts = set(), set()

    def distinct(self, page: MadePage) -> MadePage:
        """A page with a title and a description that no other has."""
        title, text = page.document_title, page.description
        if title in self._repeated_titles:
            title = f"{title} ({page.url.rstrip('/')})"
        if text in self._repeated_texts:
            text = f"{title}: {text}"
        same = title is page.document_title and text is page.description
        return page if same else replace(page, document_title=title, description=text)


class Finishing:
    """Finishes the pages of one site."""

    def __init__(self, related: Related, relatives: RelativesRenderer, titles: Titles, citations: Citations) -> None:
        self._related = related
        self._relatives = relatives
        self._titles = titles
        self._citations = citations

    def pages(self, batch: PageBatch) -> list[SitePage]:
        """The pages of a batch, with their relatives in all collections."""
        return [self._page(self._titles.distinct(page), batch.read, batch.leads) for page in batch.pages()]

    def forms(self, batch: PageBatch) -> list[SiteAsset]:
        """Their Markdown and their citations."""
        pages = batch.pages()
        cited = (self._titles.distinct(page) for page in pages if page.kind in CITED)
        return [
            *(self._markdown(page, batch.read, batch.leads) for page in pages),
            *map(self._citations.of_page, cited),
        ]

    def _page(self, page: MadePage, read: Reader, leads: str) -> SitePage:
        body, headings, digest = partial(read.text, page.body), partial(read.headings, page.headings), page.digest
        links = partial(self._links, page, read, None)
        led: tuple[str, ...] = (leads,)
        if page.entry:
            relatives = self._related.of(page.entry, page.operator, page.family)
            body = partial(self._body, page, read, relatives)
            links = partial(self._links, page, read, relatives)
            headings = partial(_with_relatives, headings, page.also_in) if relatives.links else headings
            digest = digest_of(page.digest, relatives.digest)
            led = (leads, relatives.leads)
        return SitePage(
            url=page.url,
            title=page.title,
            kind=page.kind,
            description=page.description,
            headings=headings,
            edit_path=page.edit_path,
            nav=page.nav,
            body=body,
            context={
                "document_title": page.document_title,
                "structure": partial(read.text, page.column) if page.column is not None else None,
            },
            alternates=alternates(page.kind, page.url),
            digest=digest,
            leads=led,
            links=links,
            ids=partial(read.words, page.ids),
            fonts=page.fonts,
        )

    def _body(self, page: MadePage, read: Reader, relatives: Relatives) -> str:
        return self._relatives.body(read.text(page.body), page.url, relatives)

    def _links(self, page: MadePage, read: Reader, relatives: Relatives | None) -> frozenset[str]:
        """The links of a page, with those to its relatives."""
        links = read.links(page.body)
        return links if relatives is None else links.union(self._relatives.page_links(page.url, relatives))

    def _markdown(self, page: MadePage, read: Reader, leads: str) -> SiteAsset:
        """The Markdown of a page."""
        url, text = addresses.markdown_file(page.url), page.markdown
        if not page.entry:
            content = Produced(partial(read.text, text), text.digest)
            return SiteAsset(url, content, more_links=partial(read.links, text), page=page.url, leads=(leads,))
        relatives = self._related.of(page.entry, page.operator, page.family)
        content = Produced(
            partial(self._markdown_text, page, read, relatives), digest_of(text.digest, relatives.digest)
        )
        more = partial(self._markdown_links, page, read, relatives)
        return SiteAsset(url, content, more_links=more, leads=(leads, relatives.leads), page=page.url)

    def _markdown_text(self, page: MadePage, read: Reader, relatives: Relatives) -> str:
        return self._relatives.markdown(read.text(page.markdown), page.url, relatives)

    def _markdown_links(self, page: MadePage, read: Reader, relatives: Relatives) -> frozenset[str]:
        return read.links(page.markdown) | self._relatives.links(page.url, relatives)


def count_forms(pages: Iterable[MadePage]) -> int:
    """How many files `Finishing.forms` makes of pages."""
    return sum(2 if page.kind in CITED else 1 for page in pages)


def made_files(files: Callable[[], Iterable[MadeFile]], read: Reader, leads: str) -> list[SiteAsset]:
    """Files as they were made."""
    return [
        SiteAsset(
            file.url,
            Produced(partial(read.text, file.text), file.text.digest),
            more_links=partial(read.links, file.text),
            page=file.page,
            leads=(leads,),
        )
        for file in files()
    ]


def digest_of(*parts: bytes) -> bytes:
    """One digest of several."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.digest()


def _with_relatives(read: Callable[[], tuple[Heading, ...]], more: tuple[Heading, ...]) -> tuple[Heading, ...]:
    return (*read(), *more)
