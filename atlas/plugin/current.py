"""What is known of the build at hand, between the events of MkDocs, and thrown away when it ends."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain
from pathlib import Path

from filelock import FileLock
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from atlas.issues import Issue
from atlas.links.told import Names
from atlas.plugin.assets import FormFiles, add_assets
from atlas.plugin.dead_links import Authors, told_where_written
from atlas.plugin.navigation import Menus
from atlas.plugin.pages import DRAFTS, EntityPage, LinkTargets, root, shown_path
from atlas.plugin.prose_links import ProseLinks
from atlas.plugin.reuse import Reuse, SiteFiles, hold
from atlas.plugin.telling import Told
from atlas.render.links import DeadLink, LinkCheck, file_of, ids_in, outward
from atlas.render.navigation import Menu
from atlas.render.relative import relative_url
from atlas.render.site import Prose, Site, SiteAsset, SitePage
from atlas.render.staging import Staging

_WAIT = 600.0
"""Seconds for which another build of the same site is waited for, before the site is swapped all the same."""
_FEW = 5
"""How many files are the same for each that was written, where files are exchanged instead of whole sites."""


@dataclass(slots=True)
class Build:
    """One build from `on_config` to its end."""

    config: MkDocsConfig
    site_dir: str
    """The `site_dir` of mkdocs.yml, to which the finished site goes."""
    staging: Staging
    links: LinkCheck
    site: Site | None = None
    by_yaml: dict[str, File] = field(default_factory=dict)
    """The page's file by the YAML it is made from, relative to docs_dir."""
    targets: LinkTargets | None = None
    prose: dict[str, tuple[str, Prose]] = field(default_factory=dict)
    """The Markdown of a prose page and its rendering, by source path, until its template is rendered."""
    prose_links: list[ProseLinks] = field(default_factory=list)
    """The links of pages of prose, of those that have any to be judged."""
    held: str | None = None
    """The content of the prose page at hand while search plugins are shown another."""
    reuse: Reuse | None = None
    """The present site as a source of files; None where plugins may change them, or another build holds it."""
    lock: FileLock | None = None
    """Keeps other builds from changing the site while it is a source of files, or is exchanged."""
    assets: list[SiteAsset] = field(default_factory=list)
    """The files beside the pages."""
    forms: FormFiles | None = None
    """The other forms of pages that are written; None before they are known, and where `assets` has them."""
    is_own: bool = False
    """Whether pages are written by our own theme's templates, which show a body as it is."""
    noted: set[str] = field(default_factory=set)
    """The addresses of those files beside the pages whose links were noted when they were written."""
    finished: list[EntityPage] = field(default_factory=list)
    """The pages that the present site has."""
    entities: dict[str, EntityPage] = field(default_factory=dict)
    """The pages that are made from entries and written, by their addresses."""
    nav: list[object] | None = None
    """The `nav` setting as the user gave it."""
    menus: Menus | None = None
    """The menu of each page, once there is a navigation."""
    found: list[Issue | str] = field(default_factory=list)
    """What is wrong and not reported yet: issues, and problems that concern no place in a file."""
    shown: list[Issue | str] = field(default_factory=list)
    """What is wrong and was reported; a build with any of it is not a site."""

    def add_assets(self, files: Files, assets: Iterable[SiteAsset]) -> None:
        """Add files beside the pages."""
        assets = list(assets)
        self.found += add_assets(files, assets, self.config, self.reuse)
        self.assets += assets

    def add_forms(self, files: Files, site: Site, written: Container[str]) -> None:
        """Add the other forms of the pages at the addresses that are written."""
        if self.reuse is None or not isinstance(files, SiteFiles):
            self.add_assets(files, (form for form in site.forms if form.page in written))
            return
        files.forms = self.forms = FormFiles(files, site.forms, written, self.config, self.reuse)
        self.found += self.forms.issues

    def all_assets(self) -> Iterator[SiteAsset]:
        """The files beside the pages, with the other forms of pages."""
        yield from self.assets
        if self.forms is not None:
            yield from self.forms.assets()

    def addresses(self) -> Iterator[str]:
        """Their addresses."""
        yield from (asset.url for asset in self.assets)
        if self.forms is not None:
            yield from self.forms.urls

    def is_linked(self, path: str) -> bool:
        """Whether a file of the site is the present site's."""
        return self.reuse is not None and self.reuse.is_linked(path)

    def find(self, written: Container[str], path: str) -> Path | None:
        """Where a file of the finished site lies before it is put in place; None where it has none of this path."""
        if path in written:
            return self.staging.new / path
        return self.staging.site / path if self.is_linked(path) else None

    def commit(self, written: int) -> None:
        """Put the new site, of which so many files were written, in place.

        Raises:
            OSError: it could not be.
        """
        if self.lock is None:
            self.lock = hold(self.staging.site, _WAIT)  # another build may take files from the site
        if self.reuse is not None:
            if written * _FEW < len(self.reuse.linked):
                with suppress(OSError):  # else it is swapped as a whole
                    self.staging.commit_changes(self.reuse.linked)
                    return
            self.reuse.link(self.staging.new)
        self.staging.commit()

    def close(self) -> None:
        """Let go of everything, and leave no trace in the configuration and beside the site."""
        self.config.site_dir = self.site_dir
        try:
            if self.site is not None:
                self.site.close()
        finally:
            self.staging.close()
            if self.lock is not None:
                self.lock.release()

    def label(self, page: SitePage) -> str:
        """The file that a page is made from, or its address."""
        return shown_path(self.config, page.edit_path) if page.edit_path else f"/{page.url}"

    def note_links(self, page: SitePage, body: str | None = None, links: LinkCheck | None = None) -> None:
        """Take note of the links of a page, to be checked; its body is read where it is needed and not given."""
        label, links = self.label(page), self.links if links is None else links
        if page.links is not None:
            written = page.links()
        else:
            written = outward(page.url, page.body() if body is None else body, links.root)
        links.note_links(label, page.url, written)
        for one in page.alternates:
            links.note_address(label, relative_url(one.url, page.url), one.url)

    @staticmethod
    def note_asset(asset: SiteAsset, links: LinkCheck) -> None:
        """Take note of the links of a file beside the pages."""
        links.note_links(f"/{asset.url}", asset.url, chain(asset.links, asset.more_links()))

    def finish(self, pages: Iterable[EntityPage]) -> frozenset[str]:
        """Find the pages that the present site has; their source paths."""
        if self.reuse is None or self.menus is None:
            return frozenset()
        for page in pages:
            key = self.reuse.key_of_page(page, self.menus) if page.file.inclusion not in DRAFTS else None
            if key is not None and self.reuse.is_same(page.file.dest_uri, key):
                self.finished.append(page)
        return frozenset(page.file.src_uri for page in self.finished)

    def dead_links(self, written: Collection[str]) -> list[DeadLink]:
        """Each target of links that the finished site lacks; `written` are the files that are new."""
        if self.reuse is not None:
            self.reuse.leave(written)
        self.links.know(_Files(written, self.is_linked))
        self._note_links_left(written)
        find = partial(self.find, written)
        dead = self.links.dead(find, self.ids_of)
        repeating = [asset for asset in self._unnoted() if asset.repeats] if dead else []
        for asset in repeating:  # an issue says how many files have the link
            self.note_asset(asset, self.links)
        return self.links.dead(find, self.ids_of) if repeating else dead

    def told_of(self, dead: Sequence[DeadLink], written: Container[str], sources: Path) -> list[Told]:
        """What is told of links that lead nowhere: those of entries and those of prose, each where it is written.

        Args:
            dead: What is dead on pages that are made from entries.
            written: The files that are new.
            sources: The folder of manifests.
        """
        folder, names = root(self.config), cache(self._names)
        authors = Authors(folder, Path(self.config.docs_dir), sources, self.by_yaml)
        ids = cache(partial(self._all_ids, written))
        has_folders = self.config.use_directory_urls
        issues = told_where_written(dead, authors, self.links.root, names, ids, has_folders=has_folders) if dead else []
        told = [(logging.WARNING, one) for one in issues]
        for page in self.prose_links:
            told += page.told(names, partial(self._ids_without, ids))
        return told

    def _names(self) -> Names:
        """What authors may mean who name a page or a file."""
        pages = () if self.targets is None else self.targets.documentation_pages()
        prose = [file for file in pages if not isinstance(file.page, EntityPage)]
        return Names([*self.by_yaml, *(file.src_uri for file in prose)], [*self.entities, *(one.url for one in prose)])

    def _all_ids(self, written: Container[str], address: str) -> Collection[str] | None:
        """The ids in the page at an address, which is read; None where there is none."""
        file = file_of(partial(self.find, written), address)
        return ids_in(file.read_text(encoding="utf-8")) if file is not None and file.suffix == ".html" else None

    def _ids_without(
        self, ids: Callable[[str], Collection[str] | None], file: File, fragment: str
    ) -> Collection[str] | None:
        """The ids of the page of a file, if it is written and none of them is as given; else None."""
        page = file.page
        if page is None:
            return None
        of_entry = self.ids_of(page.address) if isinstance(page, EntityPage) else ()
        if fragment in (page.present_anchor_ids or ()) or fragment in of_entry:
            return None
        found = ids(file.dest_uri)
        return None if found is None or fragment in found else found

    def ids_of(self, url: str) -> Container[str]:
        """The ids in the page at an address; none where it is not known what it has."""
        if self.site is None or not self.is_own:
            return ()
        page = self.entities.get(url)
        ids = None if page is None else page.source.ids
        return () if ids is None else ids()

    def _unnoted(self) -> Iterator[SiteAsset]:
        """The new files beside the pages whose links were not noted when they were written."""
        new = (asset for asset in self.assets if asset.url not in self.noted)
        every = new if self.forms is None else chain(new, self.forms.not_noted())
        return (asset for asset in every if not self.is_linked(asset.url))

    def _note_links_left(self, files: Collection[str]) -> None:
        """Take note of the links not looked at yet: all of written files, and of others those that may be dead.

        What the present site has was right when it was built; it is wrong today only where it leads to something that
        was there then.
        """
        for asset in self._unnoted():
            if not asset.repeats:
                self.note_asset(asset, self.links)
        lost = None if self.reuse is None else self.reuse.lost(files, self.staging.new, len(self.finished))
        if lost is not None and lost.is_nothing():
            return
        for asset in self.all_assets():
            if self.is_linked(asset.url) and (lost is None or lost.ids or lost.is_led_to(asset.leads)):
                self.note_asset(asset, self.links)
        for page in self.finished:
            if lost is None or lost.is_led_to(page.source.leads):
                self.note_links(page.source)
            elif lost.ids and lost.may_be_in(body := page.source.body()):
                self.note_links(page.source, body)

    def menus_of(self, nav: Navigation) -> Menus:
        """The menus of all pages."""
        if self.menus is None or self.menus.nav is not nav:
            self.menus = Menus(nav)
        return self.menus

    def menu(self, nav: Navigation, page: Page | None) -> Menu:
        """The menu of a page; None stands for one that is outside of the navigation."""
        return self.menus_of(nav).menu(page)


class _Files(Container[str]):
    """The paths of all files of the finished site."""

    def __init__(self, written: Container[str], is_linked: Callable[[str], bool]) -> None:
        self._written = written
        self._is_linked = is_linked

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and (path in self._written or self._is_linked(path))
