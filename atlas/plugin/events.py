"""The events of a MkDocs build, from its configuration to the finished site that replaces the previous one.

Bodies are read while their template is rendered, prose is rendered by our own Markdown, and a build that fails at
any point leaves the previous site as it was.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast
from urllib.parse import urlsplit

from markupsafe import escape
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel, set_exclusions
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page, _RelativePathTreeprocessor
from mkdocs.utils import CountHandler

from atlas.entries.folders import below
from atlas.exceptions import AtlasError, ContentError
from atlas.issues import Issue, ordered, show
from atlas.plugin.current import Build
from atlas.plugin.dates import refuse_wrong_epoch, undated
from atlas.plugin.forms import form_assets, prose_alternates, redirect_assets
from atlas.plugin.navigation import default_nav, entity_path, escape_titles
from atlas.plugin.pages import (
    EntityPage,
    LinkTargets,
    add_pages,
    first_words,
    shown_path,
    table_of_contents,
)
from atlas.plugin.search import search_assets
from atlas.plugin.settings import AtlasConfig, foreign_assets, settings
from atlas.render.build import build_site
from atlas.render.fonts import fonts_of
from atlas.render.issue_page import write_issue_page
from atlas.render.links import LinkCheck, anchor_ids, rewrite
from atlas.render.navigation import replaced
from atlas.render.policy import POLICY
from atlas.render.site import Prose, ProseFile, Site, relative_url
from atlas.render.staging import Staging

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.utils.templates import TemplateContext

_log = logging.getLogger("mkdocs.plugins.atlas")

_FIRST, _LAST = 100, -100
_AFTER_ALL = -1000  # also after plugins that ask to be last, as nothing may fail once the new site is in place

_LONGEST_PROSE = 2_000_000  # bytes of one Markdown file

_NOT_COPIED = (".yml", ".yaml", ".proofs.json")
"""What lies beside entries and is no part of the site."""


class AtlasPlugin(BasePlugin[AtlasConfig]):  # type: ignore[no-untyped-call]  # the same
    """Builds the atlas's pages inside MkDocs."""

    def __init__(self) -> None:
        self._command: str | None = None
        self._previewed = False
        self._build: Build | None = None

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remember the command; the plugin lives on over the rebuilds of one `mkdocs serve`."""
        self._command = command
        self._previewed = False

    def on_shutdown(self) -> None:
        """Clean up after a build that was interrupted; one that ended has nothing left."""
        self._end()
        self._command = None

    def on_build_error(self, *, error: Exception) -> None:
        """Throw away what was built; the previous site was never touched."""
        self._end()

    @event_priority(_FIRST)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Let MkDocs, which empties `site_dir` before it builds, work in a folder beside it."""
        self._end()
        refuse_wrong_epoch()
        self._refuse_links(config)
        self._refuse_to_overwrite(config)
        try:
            staging = Staging(Path(config.site_dir))
        except OSError as error:
            raise PluginError(f"no folder to build in could be made beside {config.site_dir}: {error}") from error
        links = LinkCheck(urlsplit(config.site_url or "/").path or "/")
        self._build = Build(config, config.site_dir, staging, links)
        config.site_dir = str(staging.new)
        return config

    @staticmethod
    def _refuse_links(config: MkDocsConfig) -> None:
        """Refuse what MkDocs would publish, wait for or hardly end with: links that lead out, pipes, huge files."""
        found = []
        for one in below(Path(config.docs_dir)):
            problem = one.problem
            if not problem and one.path.suffix == ".md" and (size := one.path.stat().st_size) > _LONGEST_PROSE:
                problem = f"the file has {size:,} bytes; at most {_LONGEST_PROSE:,} are read"
            if problem:
                found.append(f"{shown_path(config, str(one.path))}: {problem}")
        if found:
            more = f" (and {len(found) - 5} more)" if len(found) > 5 else ""
            raise PluginError("; ".join(found[:5]) + more)

    def _refuse_to_overwrite(self, config: MkDocsConfig) -> None:
        """Refuse a `site_dir` whose content a build would destroy."""
        site, kept = Path(config.site_dir).resolve(), Path(self.config.sources).resolve()
        if site.exists() and not site.is_dir():
            raise PluginError(f"site_dir is the file {config.site_dir}, which a build would destroy; name a folder")
        if site == kept or site in kept.parents or kept in site.parents:
            raise PluginError(
                f"site_dir {config.site_dir} holds the sources {kept} or lies in them; name another folder"
            )

    @event_priority(_FIRST)
    def _on_files_add(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        build = self._current()
        try:
            build.site = build_site(settings(config, self.config, build.staging.work))
        except ContentError as error:
            build.found += error.issues
        except AtlasError as error:
            build.found.append(str(error))
        except OSError as error:
            build.found.append(f"the pages could not be kept while they are made: {error}")
        else:
            build.found += [issue for issue in build.site.issues if issue.severity == "error"]
            for issue in ordered(issue for issue in build.site.issues if issue.severity == "warning"):
                _log.warning("%s", show([issue]))
            yaml = {file.src_uri: file for file in files if file.src_uri.endswith(_NOT_COPIED)}
            for file in yaml.values():
                files.remove(file)
            # Other forms of pages come later, when it is known which pages are written.
            own = [asset for asset in build.site.assets if asset.page is None]
            build.add_assets(files, own)
            build.found += add_pages(files, build.site.pages, config, yaml, build.by_yaml)
        if not self._accepted():
            # A first preview of broken content: no page is built, not even the theme's own.
            config.theme.static_templates.clear()
            config.extra_templates.clear()
            config.nav = []
            return Files([])
        return files

    @event_priority(_LAST)
    def _on_files_navigate(self, files: Files, /, *, config: MkDocsConfig) -> None:
        """Decide the navigation once every plugin has added its pages."""
        build = self._current()
        build.nav = cast("list[object] | None", config.nav)
        build.targets = LinkTargets(files, build.by_yaml)
        set_exclusions(files, config)
        if config.nav is None:
            config.nav = default_nav(files)
        else:
            config.nav = replaced(config.nav, partial(entity_path, build.targets))

    on_files = CombinedEvent(_on_files_add, _on_files_navigate)

    def on_nav(self, nav: Navigation, /, *, config: MkDocsConfig, files: Files) -> None:
        """Give the configuration its own `nav` back, and make text of the titles that it gave."""
        config.nav = self._current().nav
        escape_titles(nav.items)

    @event_priority(_FIRST)
    def on_pre_page(self, page: Page, /, *, config: MkDocsConfig, files: Files) -> Page:
        """Take the day of the build from a page, which says nothing of it and would make every build another."""
        return undated(page)

    @event_priority(_LAST)
    def on_page_markdown(self, markdown: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str | None:
        """Render prose with the atlas's Markdown, after other plugins had their say, and leave none to MkDocs."""
        build = self._current()
        if isinstance(page, EntityPage) or build.site is None:
            return None
        path = shown_path(config, page.file.src_uri)
        source = page.file.content_string
        first_line = 1 + source[: source.find(markdown)].count("\n") if markdown and markdown in source else 1
        prose = Prose("", None, (), "")
        try:
            prose = build.site.prose(ProseFile(path, markdown, first_line))
        except ContentError as error:
            build.found += error.issues
        except AtlasError as error:
            build.found.append(f"{path}: {error}")
        build.prose[page.file.src_uri] = markdown, prose
        return ""

    @event_priority(_FIRST)
    def on_page_content(self, html: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str | None:
        """Set what MkDocs would have found in the Markdown: content, title, table of contents, anchors, links."""
        build = self._current()
        if page.file.src_uri not in build.prose or build.targets is None:
            return None
        page.markdown, prose = build.prose[page.file.src_uri]
        # MkDocs' own resolver, so that every link is judged and worded as users of MkDocs know it.
        resolver = _RelativePathTreeprocessor(page.file, build.targets, config)
        content = rewrite(prose.html, resolver.path_to_url)
        title = page.meta.get("title", prose.title)
        if "title" not in vars(page) and title is not None:
            page.title = escape(title)
        page.toc = table_of_contents(prose.headings)
        page.meta.setdefault("description", first_words(prose.search))
        page.present_anchor_ids = anchor_ids(content)
        page.links_to_anchors = resolver.links_to_anchors
        return content

    @event_priority(_FIRST)
    def on_env(self, env: Environment, /, *, config: MkDocsConfig, files: Files) -> None:
        """Stop if any prose page was wrong; finish the assets, the search index, and what is known of anchors."""
        self._accepted()
        build = self._current()
        if build.site is not None:
            build.site.settle()
        env.filters["katex_fonts"] = fonts_of
        for issue in foreign_assets(config):
            _log.warning("%s", show([issue]))
        # MkDocs' live reload is an inline script, which the theme's content security policy would refuse.
        env.globals.update(atlas=None, policy=POLICY, preview=self._command == "serve")
        wanted: set[File] = set()
        entities: list[EntityPage] = []
        for file in files.documentation_pages(inclusion=InclusionLevel.is_in_serve):
            if isinstance(file.page, EntityPage):
                entities.append(file.page)
            elif file.page is not None:
                wanted.update(file.page.links_to_anchors or ())
        for page in entities:
            page.is_linked_by_anchor = page.file in wanted
        if build.site is not None and not build.shown:
            self._add_forms(build, build.site, files)
            self._accepted()

    def _add_forms(self, build: Build, site: Site, files: Files) -> None:
        """Add what is made of all pages: the search index, their other forms, and redirects to them."""
        is_preview = self._command == "serve"
        build.add_assets(files, search_assets(files, site, build.prose, is_preview=is_preview))
        if build.targets is not None:
            forms = form_assets(files, site, build.prose, build.targets, build.config, is_preview=is_preview)
            build.add_assets(files, forms)
        redirects, issues = redirect_assets(files, site, self.config.redirects, build.config)
        build.found += issues
        build.add_assets(files, redirects)

    @event_priority(_FIRST)
    def _on_page_context_for_search(
        self, context: TemplateContext, /, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """Show the plugins between the two handlers a page without rendered maths and code."""
        build = self._current()
        if page.file.src_uri in build.prose:
            build.held, page.content = page.content, build.prose[page.file.src_uri][1].search

    @event_priority(_LAST)
    def _on_page_context_for_template(
        self, context: TemplateContext, /, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> None:
        """Give the template its content: a body from the store, or the prose that search plugins were not shown."""
        build = self._current()
        shown = cast("dict[str, object]", context)
        shown["menu"] = build.menu(nav, page)
        if page.file.src_uri in build.prose:
            page.content = build.held
            shown["alternates"] = prose_alternates(page.file)
            page.toc = table_of_contents(build.prose.pop(page.file.src_uri)[1].headings, finished=True)
        if not isinstance(page, EntityPage):
            return
        source = page.source
        label = shown_path(config, source.edit_path) if source.edit_path else f"/{source.url}"
        try:
            body = source.body()
        except AtlasError as error:
            if not self._may_be_broken():
                raise PluginError(f"{label}: {error}") from error
            build.found.append(f"{label}: {error}")
            body = ""
        build.links.note(label, source.url, body)
        build.links.note_links(label, source.url, (relative_url(one.url, source.url) for one in source.alternates))
        shown["alternates"] = source.alternates
        if page.is_linked_by_anchor:
            page.present_anchor_ids = anchor_ids(body)
        page.content = body
        page.toc = table_of_contents(source.headings, finished=True)
        shown["atlas"] = source

    on_page_context = CombinedEvent(_on_page_context_for_search, _on_page_context_for_template)

    def on_template_context(
        self, context: TemplateContext, /, *, template_name: str, config: MkDocsConfig
    ) -> TemplateContext:
        """Give the theme's own pages, such as the one for a missing page, their menu."""
        cast("dict[str, object]", context)["menu"] = self._current().menu(context["nav"], None)
        return context

    @event_priority(_FIRST)
    def on_post_page(self, output: str, /, *, page: Page, config: MkDocsConfig) -> None:
        """Let go of the body, so that one page's is in memory at a time."""
        if isinstance(page, EntityPage):
            page.content = page.summary

    @event_priority(_AFTER_ALL)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Check the links of all bodies, then put the new site in place unless `--strict` is about to refuse it."""
        build = self._current()
        new = build.staging.new
        if config.site_dir != str(new):
            raise PluginError(f"another plugin changed site_dir to {config.site_dir} after the atlas had chosen {new}")
        accepted = self._accepted()
        if not accepted:
            write_issue_page(new, build.shown)
        else:
            for issue in build.links.issues(new):
                _log.warning("%s", show([issue]))
            if config.strict and _warnings_counted():
                return  # MkDocs aborts next, and on_build_error cleans up
        try:
            build.staging.keep_times(build.made)
            build.staging.commit()
        except OSError as error:
            raise PluginError(f"the finished site could not be put into {build.site_dir}: {error}") from error
        self._previewed = accepted
        self._end()

    @event_priority(_LAST)
    def on_serve(self, server: LiveReloadServer, /, *, config: MkDocsConfig, builder: Callable[..., None]) -> None:
        """Watch what entries depend on besides docs_dir, and let no failing rebuild stop the preview."""
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
            except Exception:  # another plugin, a template: the preview outlives anything that an edit can break
                _log.exception("The build failed.")
            else:
                return
            self._end()
            _log.error("The last good site is still served; it is rebuilt when a file changes.")

        server.builder = rebuild_or_keep

    def _current(self) -> Build:
        if self._build is None:
            raise RuntimeError("MkDocs ran a build's event before on_config, which begins every build")
        return self._build

    def _end(self) -> None:
        """End the build, if there is one, and leave no trace of it in the configuration and beside the site."""
        build, self._build = self._build, None
        if build is None:
            return
        build.config.site_dir = build.site_dir
        try:
            if build.site is not None:
                build.site.close()
        finally:
            build.staging.close()

    def _may_be_broken(self) -> bool:
        """Whether this is a preview that has no good site yet, which then shows what is wrong instead of ending."""
        return self._command == "serve" and not self._previewed

    def _accepted(self) -> bool:
        """Whether nothing is wrong so far; else report it once and stop, except where a first preview will show it."""
        build = self._current()
        issues = ordered(found for found in build.found if isinstance(found, Issue))
        problems = list(dict.fromkeys(found for found in build.found if isinstance(found, str)))
        for text in (*(show([issue]) for issue in issues), *problems):
            _log.error("%s", text)
        build.shown += [*issues, *problems]
        build.found.clear()
        if build.shown and not self._may_be_broken():
            count = f"{len(issues)} {'issue' if len(issues) == 1 else 'issues'} in content"
            raise Abort(f"Aborted: {count if issues else 'nothing built'}; the previous site is left as it was")
        return not build.shown


def _warnings_counted() -> bool:
    """Whether MkDocs, which counts warnings under `--strict`, has any and will abort."""
    handlers = logging.getLogger("mkdocs").handlers
    return any(handler.get_counts() for handler in handlers if isinstance(handler, CountHandler))
