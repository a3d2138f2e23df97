"""What is known of the build at hand, between the events of MkDocs, and thrown away when it ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from atlas.issues import Issue
from atlas.plugin.navigation import Menus
from atlas.plugin.pages import LinkTargets, add_assets
from atlas.render.links import LinkCheck
from atlas.render.navigation import Menu
from atlas.render.site import Prose, Site, SiteAsset
from atlas.render.staging import Staging


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
    made: list[str] = field(default_factory=list)
    """The addresses of the files beside the pages."""
    nav: list[object] | None = None
    """The `nav` setting as the user gave it."""
    menus: Menus | None = None
    """The menu of each page, once there is a navigation."""
    found: list[Issue | str] = field(default_factory=list)
    """What is wrong and not reported yet: issues, and problems that concern no place in a file."""
    shown: list[Issue | str] = field(default_factory=list)
    """What is wrong and was reported; a build with any of it is not a site."""

    def add_assets(self, files: Files, assets: Iterable[SiteAsset]) -> None:
        """Add files beside the pages, with their links to be checked."""
        assets = list(assets)
        self.found += add_assets(files, assets, self.config)
        for asset in assets:
            self.links.note_links(f"/{asset.url}", asset.url, asset.links)
            self.made.append(asset.url)

    def menu(self, nav: Navigation, page: Page | None) -> Menu:
        """The menu of a page; None stands for one that is outside of the navigation."""
        if self.menus is None or self.menus.nav is not nav:
            self.menus = Menus(nav)
        return self.menus.menu(page)
