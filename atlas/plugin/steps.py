"""The steps of one build as MkDocs asks for them: what a build must be able to do, and one that has nothing to do.

The plugin hands each event on to the steps of the build at hand, so that those of a real build, and all that they
import, are there only where something is built.
"""

from __future__ import annotations

import shutil
import tempfile
from typing import TYPE_CHECKING

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from atlas.plugin.present import Present
from atlas.plugin.told import FolderTold

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.utils.templates import TemplateContext


class Steps:
    """One build, from `on_config` to `close`: each step is the event of its name, or one of two parts in an event."""

    is_shown = False
    """Whether the build left a site without faults in its place."""
    present: Present
    """What is known of the site that lies in its place: at first the one of before, at the end the one that is left."""

    def add_files(self, files: Files) -> Files:
        """Take part in `on_files` before all other plugins."""
        return files

    def navigate(self, files: Files) -> None:
        """Take part in `on_files` after all other plugins."""

    def on_nav(self, nav: Navigation) -> None:
        """The navigation is there."""

    def on_page_markdown(self, markdown: str, page: Page) -> str | None:
        """The Markdown of a page is there."""

    def on_page_content(self, page: Page) -> str | None:
        """The content of a page is there."""

    def on_env(self, env: Environment, files: Files) -> None:
        """All pages are there, and are written next."""

    def show_plugins(self, page: Page) -> None:
        """Take part in `on_page_context` before all other plugins."""

    def show_template(self, context: TemplateContext, page: Page, nav: Navigation) -> None:
        """Take part in `on_page_context` after all other plugins."""

    def on_template_context(self, context: TemplateContext) -> None:
        """What a template of the theme is given is there."""

    def on_post_page(self, page: Page) -> None:
        """The page is written next."""

    def on_post_build(self) -> bool:
        """All is written; whether the build has ended with that, so that it can be closed."""
        return True

    def close(self) -> None:
        """Leave no trace of the build in the configuration and beside the site."""


class NothingToDo(Steps):
    """A build in which nothing has changed: MkDocs works in an empty folder, and what it makes of it is nothing."""

    is_shown = True

    def __init__(self, config: MkDocsConfig, present: Present) -> None:
        self.present = present
        self._config = config
        self._given = {name: config[name] for name in ("docs_dir", "site_dir", "nav", "extra_templates")}
        self._templates = set(config.theme.static_templates)
        self._empty = tempfile.mkdtemp(prefix="openmodelatlas-")
        config.theme.static_templates.clear()
        config.update(docs_dir=self._empty, site_dir=self._empty, nav=[], extra_templates=[])
        self._told = FolderTold(None)

    def add_files(self, files: Files) -> Files:
        """Give MkDocs nothing, not even the theme's files."""
        return Files([])

    def close(self) -> None:
        """Give the configuration its own settings back."""
        self._told.close()
        self._config.update(self._given)
        self._config.theme.static_templates.update(self._templates)
        shutil.rmtree(self._empty, ignore_errors=True)
