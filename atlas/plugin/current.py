"""What is known of the build at hand, between the events of MkDocs, and thrown away when it ends."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from filelock import FileLock
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from atlas.issues import Issue
from atlas.plugin.assets import add_assets
from atlas.plugin.navigation import Menus
from atlas.plugin.pages import EntityPage, LinkTargets, shown_path
from atlas.plugin.reuse import Reuse, hold
from atlas.render.links import LinkCheck, outward
from atlas.render.navigation import Menu
from atlas.render.relative import relative_url
from atlas.render.site import Prose, Site, SiteAsset, SitePage
from atlas.render.staging import Staging

DRAFTS = (InclusionLevel.DRAFT, InclusionLevel.EXCLUDED)
"""What MkDocs writes in a preview alone, with a mark that is not in the template."""

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
    held: str | None = None
    """The content of the prose page at hand while search plugins are shown another."""
    reuse: Reuse | None = None
    """The present site as a source of files; None where plugins may change them, or another build holds it."""
    lock: FileLock | None = None
    """Keeps other builds from changing the site while it is a source of files, or is exchanged."""
    assets: list[SiteAsset] = field(default_factory=list)
    """The files beside the pages."""
    is_own: bool = False
    """Whether pages are written by our own theme's templates, which show a body as it is."""
    noted: set[str] = field(default_factory=set)
    """The addresses of those files beside the pages whose links were noted when they were written."""
    finished: list[EntityPage] = field(default_factory=list)
    """The pages that the present site has."""
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
        links.note_links(f"/{asset.url}", asset.url, asset.links | asset.more_links())

    def finish(self, pages: Iterable[EntityPage]) -> frozenset[str]:
        """Find the pages that the present site has; their source paths."""
        if self.reuse is None or self.menus is None:
            return frozenset()
        for page in pages:
            is_plain = not page.is_linked_by_anchor and page.file.inclusion not in DRAFTS
            key = self.reuse.key_of_page(page, self.menus) if is_plain else None
            if key is not None and self.reuse.is_same(page.file.dest_uri, key):
                self.finished.append(page)
        return frozenset(page.file.src_uri for page in self.finished)

    def dead_links(self, written: Collection[str]) -> list[Issue]:
        """One issue for each target of links that the finished site lacks; `written` are the files that are new."""
        if self.reuse is not None:
            self.reuse.leave(written)
        self._note_links_left(written)
        pages = self.site.pages if self.site is not None and self.is_own else ()
        ids = {page.url: page.ids for page in pages if page.ids is not None}
        return self.links.issues(partial(self.find, written), lambda url: ids[url]() if url in ids else ())

    def _note_links_left(self, files: Collection[str]) -> None:
        """Take note of the links not looked at yet: all of written files, and of others those that may be dead.

        What the present site has was right when it was built; it is wrong today only where it leads to something that
        was there then.
        """
        for asset in self.assets:
            if not self.is_linked(asset.url) and asset.url not in self.noted:
                self.note_asset(asset, self.links)
        lost = None if self.reuse is None else self.reuse.lost(files, self.staging.new, len(self.finished))
        if lost is not None and lost.is_nothing():
            return
        for asset in self.assets:
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
