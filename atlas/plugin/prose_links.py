"""The links of a page of prose: resolved as MkDocs does, judged by its settings, and told where they are written.

MkDocs tells of a dead link without its line, and knows the parts of pages that are made from entries only once it has
written them anew; so links are judged here, when all is written.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from urllib.parse import unquote, urlsplit, urlunsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.structure.pages import _AbsoluteLinksValidationValue, _RelativePathTreeprocessor
from mkdocs.utils import get_relative_url

from atlas.issues import Issue
from atlas.links.authors import AuthorLink, links_in_prose
from atlas.links.meant import TOP, names_file
from atlas.links.told import Names, absolute, excluded, no_part, nowhere
from atlas.plugin.pages import DRAFTS, EntityPage, LinkTargets
from atlas.plugin.telling import Told


class ProseLinks:
    """The links of one page, gathered while they are resolved."""

    def __init__(
        self,
        file: File,
        path: str,
        markdown: str,
        targets: LinkTargets,
        config: MkDocsConfig,
        *,
        is_preview: bool,
    ) -> None:
        """Begin a page.

        Args:
            file: Its file.
            path: The same, as issues name it.
            markdown: Its text, as it was rendered.
            targets: All files of the site.
            config: The configuration of MkDocs.
            is_preview: Whether drafts are written too.
        """
        self._file = file
        self._path = path
        self._markdown = markdown
        self._targets = targets
        self._config = config
        self._is_preview = is_preview
        self._wrong: dict[str, tuple[int, Callable[[AuthorLink, Names], Issue]]] = {}
        self._parts: dict[str, tuple[File, str]] = {}

    def __bool__(self) -> bool:
        return bool(self._wrong or self._parts)

    def resolve(self, url: str) -> str:
        """The address that a link has on the page; one that leads nowhere stays as it is, and is remembered."""
        scheme, host, path, query, fragment = urlsplit(url)
        if scheme or host:
            return url
        levels = self._config.validation.links
        if url.startswith("/") and levels.absolute_links is not _AbsoluteLinksValidationValue.RELATIVE_TO_DOCS:
            self._note(url, levels.absolute_links, _absolute)
            return url
        if not path:
            self._lead(url, self._file, fragment)
            return url
        guesses = _RelativePathTreeprocessor._possible_target_uris(
            self._file, unquote(path), self._config.use_directory_urls
        )
        target = self._targets.get_file_from_path(next(guesses))
        if target is None:
            found = (self._targets.get_file_from_path(one) for one in guesses)
            meant = next((_source(one) for one in found if one is not None), None)
            level = levels.not_found if names_file(path) or url.startswith("/") else levels.unrecognized_links
            self._note(url, level, nowhere if meant is None else _did_you_mean(self._written(meant, query, fragment)))
            return url
        self._lead(url, target, fragment)
        if target.inclusion in DRAFTS:
            is_there = self._is_preview and target.inclusion is InclusionLevel.DRAFT
            self._note(url, min(logging.INFO, levels.not_found) if is_there else levels.not_found, _excluded)
        return urlunsplit(("", "", get_relative_url(target.url, self._file.url), query, fragment))

    def told(self, names: Callable[[], Names], ids_of: Callable[[File, str], Collection[str] | None]) -> Iterator[Told]:
        """What is wrong with the links, each at every place where it is written.

        Args:
            names: What an author may have meant.
            ids_of: The ids of the page of a file, if it has none with the name given; else None.
        """
        level = self._config.validation.links.anchors
        lost = {}
        for url, (file, fragment) in self._parts.items() if level > logging.DEBUG else ():
            if (ids := ids_of(file, fragment)) is not None:
                lost[url] = ids
        if not lost and not self._wrong:
            return
        places = list(self._places())
        for url, (grave, make) in self._wrong.items():
            yield from ((grave, make(link, names())) for link in self._of(url, places))
        for url, ids in lost.items():
            # MkDocs only mentions it where the settings do not say more; but such a link leads astray.
            grave = min(logging.INFO, level) if self._file.inclusion in DRAFTS else max(logging.WARNING, level)
            yield from ((grave, no_part(link, ids)) for link in self._of(url, places))

    def _note(self, url: str, level: int, make: Callable[[AuthorLink, Names], Issue]) -> None:
        if self._file.inclusion in DRAFTS:
            level = min(logging.INFO, level)
        if level > logging.DEBUG:
            self._wrong[url] = level, make

    def _lead(self, url: str, file: File, fragment: str) -> None:
        if unquote(fragment) not in TOP:
            self._parts[url] = file, unquote(fragment)

    def _written(self, path: str, query: str, fragment: str) -> str:
        """A link from the page to another file."""
        is_own = path == self._file.src_uri and fragment
        return urlunsplit(("", "", "" if is_own else get_relative_url(path, self._file.src_uri), query, fragment))

    def _places(self) -> Iterator[AuthorLink]:
        """Where the links are written; in what a plugin made of the text, where the author's own text has them."""
        source = self._file.content_string
        at = source.find(self._markdown)
        text, first = (self._markdown, 1 + source.count("\n", 0, at)) if at >= 0 else (source, 1)
        return links_in_prose(text, self._file.src_uri, self._path, first)

    def _of(self, url: str, places: Collection[AuthorLink]) -> Iterator[AuthorLink]:
        """The places of a link, or what is known of it."""
        from atlas.markup.prose import normalized

        found = [one for one in places if url in (one.written, normalized(one.written))]
        source = self._file.content_string
        at = source.find(url)
        line = source.count("\n", 0, at) + 1 if at >= 0 else 0
        column = at - source.rfind("\n", 0, at) if at >= 0 else 0
        yield from found or [AuthorLink(url, self._file.src_uri, self._path, line, column)]


def _source(file: File) -> str:
    """The file that an author knows a page by."""
    return (file.page.source.edit_path if isinstance(file.page, EntityPage) else None) or file.src_uri


def _absolute(link: AuthorLink, names: Names) -> Issue:
    return absolute(link)


def _excluded(link: AuthorLink, names: Names) -> Issue:
    return excluded(link)


def _did_you_mean(written: str) -> Callable[[AuthorLink, Names], Issue]:
    return lambda link, names: replace(nowhere(link, names), hint=f"did you mean `{written}`?")
