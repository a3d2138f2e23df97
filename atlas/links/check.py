"""What can be known to be wrong with links and addresses before anything is built.

That is every link to a page or file that is not there, to a part of prose that is not there, and two files with one
address; which parts the pages of entries have, and what lies beside them, only a build knows.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import cache
from urllib.parse import unquote

from atlas.checks.display import Typesetter
from atlas.checks.prose import Page, prose_issues
from atlas.entries.atlas import Atlas, Collection, Entry, Placed
from atlas.issues import Issue, ordered
from atlas.links.authors import AuthorLink, links_in_entry, links_in_prose
from atlas.links.known import LIST, Known, names_of
from atlas.links.meant import TOP, names_file, page_of
from atlas.links.redirects import Redirect, file_of, judged, places_in
from atlas.links.told import Names, absolute, each_once, excluded, first_of, no_part, nowhere, outside, same_address
from atlas.project import Project, SiteSettings, site_settings


def check_links(project: Project, atlas: Atlas, typesetter: Typesetter | None = None) -> list[Issue]:
    """The issues of prose and of all links that authors write, and of addresses that two files would have.

    Args:
        project: Where its parts are.
        atlas: What entries and manifests state, as far as it is sound.
        typesetter: Typesets the formulas of prose; without it they are not looked at, nor is other markup.
    """
    settings = site_settings(project)
    known = Known(project, settings, atlas)
    found = [*_clashes(known), *_redirects(project, settings, known, atlas)]
    if not settings.is_open:  # else other plugins may add whatever a link leads to
        found += _Links(settings, known).issues(atlas)
        if typesetter is not None:
            found += _of_prose(known, typesetter)
    return ordered(found)


def _of_prose(known: Known, typesetter: Typesetter) -> Iterator[Issue]:
    """What is wrong with the formulas and the markup of prose, which other plugins might change before it is shown."""
    from atlas.markup.prose import parse

    for file in known.prose:
        text = known.text(file)
        parsed = parse(text.markdown)
        results = typesetter(parsed.formulas) if parsed.formulas else []
        found = {one.formula: one for one in results}
        page = Page(known.shown(file), text.markdown, text.first_line)
        yield from prose_issues(page, parsed, [found[formula] for formula in parsed.formulas])


class _Links:
    """The links of a project, judged."""

    def __init__(self, settings: SiteSettings, known: Known) -> None:
        self._settings = settings
        self._known = known
        self._names = Names(*names_of(known))
        self._files = {address: file for file, address in known.prose.items()}
        self._ids = cache(lambda file: known.text(file).ids())

    def issues(self, atlas: Atlas) -> list[Issue]:
        """What is wrong with them."""
        return each_once(self._found(atlas))

    def _found(self, atlas: Atlas) -> Iterator[tuple[AuthorLink, Issue]]:
        for collection in atlas.collections.values():
            for owner in (collection, *collection.entries):
                for link in links_in_entry(owner.document, owner.file.relative_to(atlas.content).as_posix()):
                    yield from ((link, issue) for issue in self._of_entry(link))
        for file in self._known.prose:
            text = self._known.text(file)
            for link in links_in_prose(text.markdown, file, self._known.shown(file), text.first_line):
                yield from ((link, issue) for issue in self._of_prose(link))

    def _of_entry(self, link: AuthorLink) -> Iterator[Issue]:
        address = link.address(self._settings.root_path, has_folders=self._settings.has_folders)
        if address is None:
            yield outside(link, self._settings.root_path)
        elif not self._known.has(address):
            yield nowhere(link, self._names)
        else:
            yield from self._part(link, address)

    def _of_prose(self, link: AuthorLink) -> Iterator[Issue]:
        levels = self._settings.levels
        is_absolute = link.written.startswith("/")
        if is_absolute and levels["absolute_links"] != "relative_to_docs":
            if levels["absolute_links"] == "warn":
                yield absolute(link)
            return
        path = unquote(link.target.partition("?")[0])
        if not path:
            yield from self._part(link, self._known.prose[link.file])
            return
        folder = "" if is_absolute else posixpath.dirname(link.file)
        file = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
        address = self._reached(file)
        is_file = is_absolute or names_file(path)
        if address is not None:
            yield from self._part(link, address)
        elif levels["not_found" if is_file else "unrecognized_links"] == "warn":
            yield excluded(link) if file in self._known.excluded else nowhere(link, self._names)

    def _reached(self, file: str) -> str | None:
        """The address of what a link of prose leads to, named as a file of content; None where there is none."""
        known = self._known
        if file in known.prose:
            return known.prose[file]
        if file.endswith((".yml", ".md")):
            page = page_of(file)
            return page if page in known.own or page in known.entries else None
        return file if known.has_for_prose(file) else None

    def _part(self, link: AuthorLink, address: str) -> Iterator[Issue]:
        """The issue of a link to a part of a page of prose that it does not have."""
        file = self._files.get(address) or self._files.get(f"{address}/")
        if file is None or link.fragment in TOP:
            return
        if link.file.endswith(".md") and self._settings.levels["anchors"] == "ignore":
            return
        if link.fragment not in self._ids(file):
            yield no_part(link, self._ids(file))


def _redirects(project: Project, settings: SiteSettings, known: Known, atlas: Atlas) -> list[Issue]:
    """What is wrong with the addresses that entries, sources and mkdocs.yml say were before."""
    stated = [*_formerly(atlas), *_of_config(project, settings)]
    if not stated:
        return []
    taken = {file_of(address): "a page of the atlas" for address in known.own}
    taken |= {built: known.shown(file) for built, file in known.sources_of()}
    # Whatever only a build knows of may be there.
    has = (lambda file: True) if settings.is_open else known.has
    return judged(stated, taken, has)[1]


def _formerly(atlas: Atlas) -> Iterator[Redirect]:
    owners: list[Collection | Entry] = [*atlas.collections.values(), *atlas.entries]
    placed: list[tuple[Placed, tuple[str, ...], str]] = [
        *((one, one.data.formerly, page_of(one.file.relative_to(atlas.content).as_posix())) for one in owners),
        *((one, one.data.formerly, f"sources/{one.id}/") for one in atlas.sources.values()),
    ]
    for owner, formerly, page in placed:
        for index, old in enumerate(formerly):
            mark = owner.place("formerly", index)
            yield Redirect(old, page, mark.path, mark.line, mark.column)


def _of_config(project: Project, settings: SiteSettings) -> Iterator[Redirect]:
    places = places_in(project.config) if settings.redirects else {}
    for old, new in settings.redirects.items():
        yield Redirect(old, new, project.config.name, *places.get(old, (0, 0)))


def _clashes(known: Known) -> Iterator[Issue]:
    """Files of content that would have one address with another, or with what the atlas makes."""
    for built, file, other in first_of(known.sources_of()):
        yield same_address(known.shown(file), built.removesuffix("index.html"), known.shown(other))
    for file, address in known.prose.items():
        if address in known.own:
            yield same_address(known.shown(file), address, "the atlas itself")
    own = {LIST, *(f"{address}cite.bib" for address in known.entries)}
    for built, file in known.sources_of():
        if built in known.of_theme or built in own:
            who = "the theme has a page of its own" if built in known.of_theme else "the atlas writes one itself"
            message = f"the file lies at the address {built!r}, where {who}"
            yield Issue(known.shown(file), 0, 0, "A901", message, "give the file another name")
