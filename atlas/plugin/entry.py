"""The plugin as MkDocs knows it: it tells builds that have nothing to do from those that have, and begins the latter.

Naming a plugin imports it, and most builds of a day change little or nothing; so this module imports next to nothing,
and what makes pages is imported when pages are to be made.
"""

from __future__ import annotations

import atexit
import errno
import gc
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from atlas.cycles import WHILE_READING, look, look_again
from atlas.plugin.dates import refuse_wrong_epoch, undated
from atlas.plugin.fingerprint import Grounds, OpaqueError, grounds
from atlas.plugin.options import AtlasConfig
from atlas.plugin.present import Present, read_present
from atlas.plugin.steps import NothingToDo, Steps
from atlas.render.staging_names import has_leftovers

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.utils.templates import TemplateContext

_log = logging.getLogger("mkdocs.plugins.atlas")

_OF_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""Errors of a system call that lie in the disk, whoever wrote."""
_FIRST, _LAST = 100, -100
_AFTER_ALL = -1000  # also after plugins that ask to be last, as nothing may fail once the new site is in place


class AtlasPlugin(BasePlugin[AtlasConfig]):  # type: ignore[no-untyped-call]  # MkDocs leaves the class hook untyped
    """Begins each build, and hands MkDocs' events on to its steps."""

    def __init__(self) -> None:
        self._command: str | None = None
        self._previewed = False
        self._build: Steps | None = None
        self._present: Present | None = None
        self._is_dirty = False
        self._collected = gc.get_threshold()

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remember the command; the plugin lives on over the rebuilds of one `mkdocs serve`."""
        self._command = command
        self._previewed = False
        self._present = None
        self._is_dirty = dirty
        # Python ends by looking twice through all objects that are left, which takes as long as to make a collection.
        atexit.unregister(gc.freeze)
        atexit.register(gc.freeze)

    def on_shutdown(self) -> None:
        """Clean up after a build that was interrupted; one that ended has nothing left."""
        self._end()
        self._command = None

    @event_priority(_LAST)
    def on_build_error(self, *, error: Exception) -> None:
        """Throw away what was built; the previous site was never touched.

        Raises:
            Abort: the disk failed while MkDocs wrote something of its own, which would else be told by a traceback.
        """
        self._end()
        if isinstance(error, OSError) and error.errno in _OF_DISK:
            raise Abort(f"the site could not be written: {error}") from error

    @event_priority(_FIRST)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Begin a build, which has nothing to do where the site is already what would be built."""
        self._end()
        refuse_wrong_epoch()
        found = self._grounds(config)
        site = Path(config.site_dir).resolve()
        present = self._present or read_present(site)
        if found is not None and found.whole and found.whole == present.whole and _is_left(site, present):
            _log.info("Nothing has changed; the site is left as it is")
            for told in present.warnings:
                # As in a build that has something to do, `--quiet` hides no issue that `--strict` ends with.
                is_fatal = config.strict and told.logger == _log.name
                logging.getLogger(told.logger).log(logging.ERROR if is_fatal else told.level, "%s", told.text)
            self._build = NothingToDo(config, present)
        else:
            look(WHILE_READING)
            from atlas.later import load_later

            load_later("numpy")
            from atlas.plugin.events import RealBuild  # and with it all that makes pages

            is_preview = self._command == "serve"
            may_be_broken = is_preview and not self._previewed
            self._build = RealBuild(
                config, self.config, found, present, is_preview=is_preview, may_be_broken=may_be_broken
            )
        return config

    def _grounds(self, config: MkDocsConfig) -> Grounds | None:
        """What the site follows from; None where that cannot be known."""
        handlers = (method for methods in config.plugins.events.values() for method in methods)
        if len(config.plugins) > 1 or any(getattr(method, "__self__", None) is not self for method in handlers):
            return None  # other plugins and hooks may do anything
        # MkDocs warns of a dirty build, whatever comes of it; and what the network lacked, it may have today.
        is_all = not self._is_dirty and self.config.missing_sources != "link"
        is_preview = self._command == "serve"
        try:
            return grounds(config, self.config.sources, is_preview=is_preview, is_all=is_all)
        except (OpaqueError, OSError):
            return None

    @event_priority(_FIRST)
    def _on_files_add(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        return self._current().add_files(files)

    @event_priority(_LAST)
    def _on_files_navigate(self, files: Files, /, *, config: MkDocsConfig) -> None:
        self._current().navigate(files)

    on_files = CombinedEvent(_on_files_add, _on_files_navigate)

    def on_nav(self, nav: Navigation, /, *, config: MkDocsConfig, files: Files) -> None:
        """Look over the navigation."""
        self._current().on_nav(nav)

    @event_priority(_FIRST)
    def on_pre_page(self, page: Page, /, *, config: MkDocsConfig, files: Files) -> Page:
        """Take the day of the build from a page, which says nothing of it and would make every build another."""
        return undated(page)

    @event_priority(_LAST)
    def on_page_markdown(self, markdown: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str | None:
        """Render prose with the atlas's Markdown, after other plugins had their say, and leave none to MkDocs."""
        return self._current().on_page_markdown(markdown, page)

    @event_priority(_FIRST)
    def on_page_content(self, html: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str | None:
        """Set what MkDocs would have found in the Markdown."""
        return self._current().on_page_content(page)

    @event_priority(_FIRST)
    def on_env(self, env: Environment, /, *, config: MkDocsConfig, files: Files) -> None:
        """Stop if any prose page was wrong; finish what depends on all pages."""
        self._current().on_env(env, files)

    @event_priority(_FIRST)
    def _on_page_context_for_search(
        self, context: TemplateContext, /, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> None:
        self._current().show_plugins(page)

    @event_priority(_LAST)
    def _on_page_context_for_template(
        self, context: TemplateContext, /, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> None:
        self._current().show_template(context, page, nav)

    on_page_context = CombinedEvent(_on_page_context_for_search, _on_page_context_for_template)

    def on_template_context(
        self, context: TemplateContext, /, *, template_name: str, config: MkDocsConfig
    ) -> TemplateContext:
        """Give the theme's own pages, such as the one for a missing page, their menu."""
        self._current().on_template_context(context)
        return context

    @event_priority(_FIRST)
    def on_post_page(self, output: str, /, *, page: Page, config: MkDocsConfig) -> None:
        """Let go of what the page was made of."""
        self._current().on_post_page(page)

    @event_priority(_AFTER_ALL)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Put the new site in place."""
        build = self._current()
        if build.on_post_build():
            self._previewed = build.is_shown
            if self._command == "serve":  # its site lies in a folder that goes with it
                self._present = build.present
            self._end()

    @event_priority(_LAST)
    def on_serve(self, server: LiveReloadServer, /, *, config: MkDocsConfig, builder: Callable[..., None]) -> None:
        """Watch what entries depend on besides docs_dir, and let no failing rebuild stop the preview.

        Where the address cannot be had, as another preview has it, that is said in a sentence.
        """
        folders = [Path(self.config.sources), *(Path(folder) for folder in config.theme.dirs)]
        for folder in folders:
            if folder.is_dir() and not {"site-packages", "dist-packages"} & set(folder.parts):
                server.watch(str(folder))
        rebuild = server.builder

        def rebuild_or_keep() -> None:
            try:
                rebuild()
            except Abort as error:
                _log.error("%s", error.format_message())
            except FileNotFoundError as error:  # by an edit, while it was read; that edit is built next
                _log.error("A file was deleted or renamed during the build: %s", error)
            except Exception:  # another plugin, a template: the preview outlives anything that an edit can break
                _log.exception("The build failed.")
            else:
                return
            self._end()
            _log.error("The last good site is still served; it is rebuilt when a file changes.")

        server.builder = rebuild_or_keep
        bind = server.server_bind

        def bind_or_abort() -> None:
            try:
                bind()
            except OSError as error:
                host, port = config.dev_addr
                why = "another program listens there" if error.errno == errno.EADDRINUSE else error.strerror
                hint = f"end it, or take another address: mkdocs serve --dev-addr {host}:{port + 1}"
                raise Abort(f"The preview cannot be served at {host}:{port}: {why}; {hint}") from error

        server.server_bind = bind_or_abort  # type: ignore[method-assign]  # MkDocs binds only after the first build

    def _current(self) -> Steps:
        if self._build is None:
            raise RuntimeError("MkDocs ran a build's event before on_config, which begins every build")
        return self._build

    def _end(self) -> None:
        """End the build, if there is one."""
        build, self._build = self._build, None
        look_again(self._collected)
        if build is not None:
            build.close()


def _is_left(site: Path, present: Present) -> bool:
    """Whether a site can be left as it is: nothing in it was touched, and no killed build left anything to mend."""
    logger = logging.getLogger("mkdocs")
    was_silent = not present.was_heard and logger.isEnabledFor(logging.WARNING)
    return not was_silent and present.is_whole(site) and not has_leftovers(site)
