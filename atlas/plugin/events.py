"""The events of a MkDocs build, from its configuration to the finished site that replaces the previous one.

Bodies are read while their template is rendered, prose is rendered by our own Markdown, and a build that fails at
any point leaves the previous site as it was.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from markupsafe import escape
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.structure.files import Files, InclusionLevel, set_exclusions
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from atlas.cycles import WHILE_WRITING, look
from atlas.entries.folders import below
from atlas.exceptions import AtlasError, ContentError
from atlas.issues import Issue, issue_texts
from atlas.plugin.current import Build
from atlas.plugin.fingerprint import Grounds, theme_folder
from atlas.plugin.forms import form_assets, prose_alternates, redirect_assets
from atlas.plugin.navigation import Menus, default_nav, entity_path, escape_titles
from atlas.plugin.options import AtlasConfig
from atlas.plugin.page_writing import show_entity, write_in_copies
from atlas.plugin.pages import (
    EntityPage,
    LinkTargets,
    add_pages,
    first_words,
    shown_issues,
    shown_path,
    table_of_contents,
    written_entities,
)
from atlas.plugin.present import Present, Written, WrittenFiles, files_in, keep_present, read_present
from atlas.plugin.prose_links import ProseLinks
from atlas.plugin.reuse import Reuse, SiteFiles, hold, is_own
from atlas.plugin.search import search_assets
from atlas.plugin.settings import foreign_assets, settings
from atlas.plugin.steps import Steps
from atlas.plugin.telling import Telling
from atlas.plugin.told import FolderTold
from atlas.render.build import build_site
from atlas.render.first_screen import first_screen
from atlas.render.fonts import fonts_of
from atlas.render.issue_page import write_issue_page
from atlas.render.links import LinkCheck, anchor_ids, rewrite
from atlas.render.navigation import replaced
from atlas.render.policy import POLICY
from atlas.render.site import Prose, ProseFile, Site
from atlas.render.staging import Staging

if TYPE_CHECKING:
    from jinja2 import Environment
    from mkdocs.utils.templates import TemplateContext

_log = logging.getLogger("mkdocs.plugins.atlas")
_mkdocs_log = logging.getLogger("mkdocs")

_LONGEST_PROSE = 2_000_000  # bytes of one Markdown file

_FEW_PAGES = 200
"""How many pages may leave reference cycles until the build ends."""

_NOT_COPIED = (".yml", ".yaml", ".proofs.json")
"""What lies beside entries and is no part of the site."""


class RealBuild(Steps):
    """A build that has something to do: its pages are made, or taken from the present site."""

    def __init__(
        self,
        config: MkDocsConfig,
        options: AtlasConfig,
        grounds: Grounds | None,
        present: Present,
        *,
        is_preview: bool,
        may_be_broken: bool,
    ) -> None:
        """Let MkDocs, which empties `site_dir` before it builds, work in a folder beside it.

        Args:
            config: The configuration of MkDocs.
            options: The plugin's own.
            grounds: All that the site follows from; None where that is not known.
            present: What is known of the site that lies in its place.
            is_preview: Whether `mkdocs serve` asks.
            may_be_broken: Whether there is no good site yet, so that what is wrong is shown instead of ending.
        """
        self._options = options
        self._grounds = grounds
        self.present = present
        self._is_preview = is_preview
        self._may_be_broken = may_be_broken
        self._refuse_links(config)
        self._refuse_to_overwrite(config)
        try:
            staging = Staging(Path(config.site_dir))
        except OSError as error:
            raise PluginError(f"no folder to build in could be made beside {config.site_dir}: {error}") from error
        links = LinkCheck(urlsplit(config.site_url).path or "/" if config.site_url else "")
        self._build = Build(config, config.site_dir, staging, links)
        if grounds is not None and self._holds():
            self.present = present if is_preview else read_present(staging.site, present)
            self._build.reuse = Reuse(grounds.general, self.present, staging.site)
        config.site_dir = str(staging.new)
        self._told = FolderTold(self._build.site_dir)
        self._telling = Telling(config)

    def _holds(self) -> bool:
        """Whether no other build changes the site until this one has ended; that of a preview is its own."""
        self._build.lock = None if self._is_preview else hold(self._build.staging.site)
        return self._is_preview or self._build.lock is not None

    @staticmethod
    def _refuse_links(config: MkDocsConfig) -> None:
        """Refuse what MkDocs would publish, wait for or hardly end with: links that lead out, pipes, huge files."""
        found = []
        for one in below(Path(config.docs_dir)):
            problem = one.problem
            if not problem and one.suffix == ".md" and (size := one.path.stat().st_size) > _LONGEST_PROSE:
                problem = f"the file has {size:,} bytes; at most {_LONGEST_PROSE:,} are read"
            if problem:
                found.append(f"{shown_path(config, str(one.path))}: {problem}")
        if found:
            more = f" (and {len(found) - 5} more)" if len(found) > 5 else ""
            raise PluginError("; ".join(found[:5]) + more)

    def _refuse_to_overwrite(self, config: MkDocsConfig) -> None:
        """Refuse a `site_dir` whose content a build would destroy."""
        site, kept = Path(config.site_dir).resolve(), Path(self._options.sources).resolve()
        if site.exists() and not site.is_dir():
            raise PluginError(f"site_dir is the file {config.site_dir}, which a build would destroy; name a folder")
        if site == kept or site in kept.parents or kept in site.parents:
            raise PluginError(
                f"site_dir {config.site_dir} holds the sources {kept} or lies in them; name another folder"
            )

    def add_files(self, files: Files) -> Files:
        """Add the atlas's pages and the files beside them."""
        build = self._build
        config = build.config
        try:
            build.site = build_site(settings(config, self._options, build.staging.work))
        except ContentError as error:
            build.found += error.issues
        except AtlasError as error:
            build.found.append(str(error))
        except OSError as error:
            build.found.append(f"the pages could not be kept while they are made: {error}")
        else:
            build.found += [issue for issue in build.site.issues if issue.severity == "error"]
            warnings = (issue for issue in build.site.issues if issue.severity == "warning")
            self._telling.tell_all(warnings)
            yaml = {file.src_uri: file for file in files if file.src_uri.endswith(_NOT_COPIED)}
            for file in yaml.values():
                files.remove(file)
            build.add_assets(files, build.site.assets)
            build.found += add_pages(files, build.site.pages, config, yaml, build.by_yaml)
        if not self._accepted():
            # A first preview of broken content: no page is built, not even the theme's own.
            config.theme.static_templates.clear()
            config.extra_templates.clear()
            config.nav = []
            return Files([])
        return SiteFiles(files) if build.reuse is not None else files

    def navigate(self, files: Files) -> None:
        """Decide the navigation once every plugin has added its pages."""
        build = self._build
        config = build.config
        build.nav = cast("list[object] | None", config.nav)
        build.targets = LinkTargets(files, build.by_yaml)
        set_exclusions(files, config)
        if config.nav is None:
            config.nav = default_nav(files)
        else:
            config.nav = replaced(config.nav, partial(entity_path, build.targets))

    def on_nav(self, nav: Navigation) -> None:
        """Give the configuration its own `nav` back, and make text of the titles that it gave."""
        self._build.config.nav = self._build.nav
        escape_titles(nav.items)
        self._build.menus = Menus(nav)

    def on_page_markdown(self, markdown: str, page: Page) -> str | None:
        """Render prose with the atlas's Markdown, after other plugins had their say, and leave none to MkDocs."""
        build = self._build
        if isinstance(page, EntityPage) or build.site is None:
            return None
        path = shown_path(build.config, page.file.src_uri)
        source = page.file.content_string
        first_line = 1 + source[: source.find(markdown)].count("\n") if markdown and markdown in source else 1
        prose = Prose("", None, (), "")
        try:
            prose = build.site.prose(ProseFile(path, markdown, first_line))
        except ContentError as error:
            build.found += error.issues
        except AtlasError as error:
            build.found.append(f"{path}: {error}")
        self._telling.tell_all(prose.warnings)
        build.prose[page.file.src_uri] = markdown, prose
        return ""

    def on_page_content(self, page: Page) -> str | None:
        """Set what MkDocs would have found in the Markdown: content, title, contents, ids; gather the links."""
        build = self._build
        if page.file.src_uri not in build.prose or build.targets is None:
            return None
        page.markdown, prose = build.prose[page.file.src_uri]
        path = shown_path(build.config, page.file.src_uri)
        preview, targets = self._is_preview, build.targets
        links = ProseLinks(page.file, path, page.markdown, targets, build.config, is_preview=preview)
        content = rewrite(prose.html, links.resolve)
        if links:
            build.prose_links.append(links)
        title = page.meta.get("title", prose.title)
        if "title" not in vars(page) and title is not None:
            page.title = escape(title)
        page.toc = table_of_contents(prose.headings)
        page.meta.setdefault("description", first_words(prose.search))
        page.present_anchor_ids = anchor_ids(content)
        page.links_to_anchors = None  # MkDocs has nothing to judge
        return content

    def on_env(self, env: Environment, files: Files) -> None:
        """Stop if any prose page was wrong; finish the assets, the search index, and what is known of pages."""
        self._accepted()
        build = self._build
        if build.site is not None:
            build.site.settle()
            if build.reuse is not None:
                env.bytecode_cache = build.site.compiled
        env.filters.update(katex_fonts=fonts_of, first_screen=first_screen)
        self._telling.tell_all(foreign_assets(build.config))
        # MkDocs' live reload is an inline script, which the theme's content security policy would refuse.
        env.globals.update(atlas=None, policy=POLICY, preview=self._is_preview)
        pages = files.documentation_pages(inclusion=InclusionLevel.is_in_serve)
        entities = [file.page for file in pages if isinstance(file.page, EntityPage)]
        build.entities.update((page.address, page) for page in entities)
        if build.site is not None and not build.shown:
            self._add_forms(build, build.site, files)
            self._accepted()
        build.is_own = build.reuse is not None and is_own(env, theme_folder())
        if isinstance(files, SiteFiles) and build.is_own:
            files.finished = build.finish(entities)
            files.finished |= write_in_copies(build, env, files, entities)
        _look_for_cycles(len(entities) - len(build.finished))

    def _add_forms(self, build: Build, site: Site, files: Files) -> None:
        """Add what is made of all pages: the search index, their other forms, and redirects to them."""
        is_written = InclusionLevel.is_in_serve if self._is_preview else InclusionLevel.is_included
        pages = files.documentation_pages(inclusion=is_written)
        build.add_assets(files, search_assets(files, pages, site, build.prose))
        build.add_forms(files, site, written_entities(pages))
        if build.targets is not None:
            build.add_assets(files, form_assets(pages, build.prose, build.targets, build.config))
        forms = () if build.forms is None else build.forms.assets()
        redirects, issues = redirect_assets(files, site, forms, self._options.redirects, build.config)
        build.found += issues
        build.add_assets(files, redirects)

    def show_plugins(self, page: Page) -> None:
        """Show the plugins between the two handlers a page without rendered maths and code."""
        build = self._build
        if page.file.src_uri in build.prose:
            build.held, page.content = page.content, build.prose[page.file.src_uri][1].search

    def show_template(self, context: TemplateContext, page: Page, nav: Navigation) -> None:
        """Give the template its content: a body from the store, or the prose that search plugins were not shown."""
        build = self._build
        shown = cast("dict[str, object]", context)
        if page.file.src_uri in build.prose:
            page.content = build.held
            shown["alternates"] = prose_alternates(page.file)
            page.toc = table_of_contents(build.prose.pop(page.file.src_uri)[1].headings, finished=True)
        if not isinstance(page, EntityPage):
            shown["menu"] = build.menu(nav, page)
            return
        source = page.source
        label = build.label(source)
        try:
            body = source.body()
        except AtlasError as error:
            if not self._may_be_broken:
                raise PluginError(f"{label}: {error}") from error
            build.found.append(f"{label}: {error}")
            body = ""
        build.note_links(source, body)
        show_entity(shown, page, build.menu(nav, page), body)

    def on_template_context(self, context: TemplateContext) -> None:
        """Give the theme's own pages, such as the one for a missing page, their menu."""
        cast("dict[str, object]", context)["menu"] = self._build.menu(context["nav"], None)

    def on_post_page(self, page: Page) -> None:
        """Let go of the body, so that one page's is in memory at a time."""
        if isinstance(page, EntityPage):
            page.show_summary()
            page.toc = None

    def on_post_build(self) -> bool:
        """Check the links of all bodies, then put the new site in place unless `--strict` is about to refuse it."""
        build, config = self._build, self._build.config
        new = build.staging.new
        if config.site_dir != str(new):
            raise PluginError(f"another plugin changed site_dir to {config.site_dir} after the atlas had chosen {new}")
        accepted = self._accepted()
        if not accepted:
            write_issue_page(new, build.shown)
            build.reuse = None
        try:
            build.staging.keep_times(url for url in build.addresses() if not build.is_linked(url))
            written = WrittenFiles(files_in(new))
            dead = build.dead_links(written) if accepted else []
            if accepted:
                self._telling.tell(build.told_of(dead, written, Path(self._options.sources)))
            if accepted and self._telling.is_fatal():
                return False  # MkDocs aborts next, and on_build_error cleans up
            build.commit(len(written))
        except OSError as error:
            raise PluginError(f"the finished site could not be put into {build.site_dir}: {error}") from error
        self._keep_present(written, accepted=accepted, links_hold=not dead)
        self.is_shown = accepted
        return True

    def _keep_present(self, files: Mapping[str, Written], *, accepted: bool, links_hold: bool) -> None:
        """Keep what is known of the new site, so that the next build can tell whether it is what would be built."""
        grounds, site = self._grounds, self._build.staging.site
        holds = grounds is not None and grounds.still_hold()
        whole = grounds.whole if grounds is not None and holds and accepted else b""
        is_heard = _mkdocs_log.isEnabledFor(logging.WARNING)
        # What changed while pages were made may be in some of them, so of none it is known what it follows from.
        known = self._build.reuse.with_keys(files) if self._build.reuse is not None and holds else files
        self.present = Present(whole, is_heard, tuple(self._telling.told), links_hold, known)
        if not self._is_preview:
            keep_present(site, self.present)

    def close(self) -> None:
        """End the build, and leave no trace of it in the configuration and beside the site."""
        self._telling.close()
        self._told.close()
        self._build.close()

    def _accepted(self) -> bool:
        """Whether nothing is wrong so far; else report it once and stop, except where a first preview will show it."""
        build = self._build
        issues = shown_issues(build.config, (found for found in build.found if isinstance(found, Issue)))
        problems = list(dict.fromkeys(found for found in build.found if isinstance(found, str)))
        for text in (*issue_texts(issues), *problems):
            _log.error("%s", text)
        build.shown += [*issues, *problems]
        build.found.clear()
        if build.shown and not self._may_be_broken:
            count = f"{len(issues)} {'issue' if len(issues) == 1 else 'issues'} in content"
            raise Abort(f"Aborted: {count if issues else 'nothing built'}; the previous site is left as it was")
        return not build.shown


def _look_for_cycles(pages: int) -> None:
    """Let Python look for reference cycles again, where that many pages are written."""
    if pages > _FEW_PAGES:
        look(WHILE_WRITING)
