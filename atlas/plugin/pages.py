"""What MkDocs is given: a generated page for each entity, and the table of contents of all pages.

Entities become real pages, so that navigation, edit links, the sitemap and other plugins see them as any other page.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from functools import lru_cache
from pathlib import Path
from textwrap import shorten
from typing import Any

from markupsafe import Markup, escape
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents
from mkdocs.utils import weak_property

from atlas.entries.lines import with_lines
from atlas.issues import Issue, ordered
from atlas.links.told import first_of, same_address
from atlas.render.navigation import source_paths
from atlas.render.site import Heading, SitePage

MAKER = "atlas"
"""The plugin's name, by which MkDocs tells who made a file."""
DRAFTS = (InclusionLevel.DRAFT, InclusionLevel.EXCLUDED)
"""What MkDocs writes in a preview alone, with a mark that is not in the template, or not at all."""
_INDEX = "index.html"
"""The file in a page's folder."""
DESCRIPTION = 200
"""How many characters a description has at most; more is not shown anywhere."""


class NamedFile(File):
    """A file that is made, named by a path as MkDocs writes it, which therefore need not be taken apart again."""

    @property
    def src_path(self) -> str:
        """The path as the system writes it."""
        return os.path.normpath(self.src_uri)

    @src_path.setter
    def src_path(self, value: str) -> None:
        self.src_uri = value

    @weak_property
    def abs_dest_path(self) -> str:
        """Where the file is written; of ten thousand files it is not held."""
        return os.path.normpath(f"{self.dest_dir}{os.sep}{self.dest_uri}")


class EntityPage(Page):
    """A page made from entries: no Markdown, a title and a table of contents that are known, a body that comes late."""

    def __init__(self, pages: Sequence[SitePage], at: int, file: File, config: MkDocsConfig) -> None:
        """Stand for a page of the atlas.

        Args:
            pages: All pages of the atlas, each of which is made when it is asked for.
            at: The place of this one among them.
            file: What MkDocs knows as its file.
            config: The configuration of MkDocs.
        """
        super().__init__(escape(pages[at].title), file, config)
        self._pages = pages
        self._at = at

    @property
    def source(self) -> SitePage:
        """The page of the atlas."""
        return self._pages[self._at]

    @property
    def address(self) -> str:
        """Its address below the site's root as the atlas writes it, without asking for the page of the atlas."""
        return self.file.dest_uri.removesuffix(_INDEX)

    @property
    def summary(self) -> Markup:
        """What it shows, in one sentence; MkDocs' templates do not escape, so what other themes print is escaped."""
        return escape(self.source.description)

    def read_source(self, config: MkDocsConfig) -> None:
        """There is no Markdown; the metadata is what the entry says."""
        self.markdown = ""
        self._meta: MutableMapping[str, Any] | None = None

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Until the template is rendered the content is one sentence, which is also what search plugins index."""
        self.show_summary()

    def show_summary(self) -> None:
        """Let the content be that sentence, which is read where it is asked for."""
        self.content = None
        self._is_summary = True

    @property
    def meta(self) -> MutableMapping[str, Any]:
        """What the entry says: made when it is asked for, as nobody asks ten thousand pages."""
        if self._meta is None:
            self._meta = {"title": self.title, "description": self.summary}
        return self._meta

    @meta.setter
    def meta(self, meta: MutableMapping[str, Any]) -> None:
        self._meta = meta

    @property
    def content(self) -> str | None:
        """The content: of ten thousand pages the summaries are not held."""
        return self.summary if self._is_summary else self._content

    @content.setter
    def content(self, content: str | None) -> None:
        self._is_summary = content is not None and content == self.summary
        self._content = None if self._is_summary else content

    @property
    def toc(self) -> TableOfContents:
        """The table of contents: made when it is asked for, until the one with rendered maths is set.

        Ten thousand pages have a hundred thousand headings, and nobody asks for those of all of them.
        """
        return self._toc or table_of_contents(self.source.headings())

    @toc.setter
    def toc(self, toc: TableOfContents | None) -> None:
        self._toc = toc


class LinkTargets(Files):
    """The site's files, found also by the YAML file that an entity's page is made from."""

    def __init__(self, files: Files, by_yaml: dict[str, File]) -> None:
        super().__init__(files)
        self._by_yaml = by_yaml

    def get_file_from_path(self, path: str) -> File | None:
        """The file with this source path, or the page that is made from the YAML file with it."""
        found = super().get_file_from_path(path) or self._by_yaml.get(path)
        if found is None and path.endswith(".md"):
            # An author cannot know whether an entity's page counts as a.md or as a/index.md.
            is_index = posixpath.basename(path) == "index.md"
            twin = f"{posixpath.dirname(path)}.md" if is_index else posixpath.join(path.removesuffix(".md"), "index.md")
            file = super().get_file_from_path(twin)
            found = file if file is not None and isinstance(file.page, EntityPage) else None
        return found


def root(config: MkDocsConfig) -> Path:
    """The folder of mkdocs.yml, to which issues' paths are relative."""
    return Path(config.config_file_path).parent.absolute() if config.config_file_path else Path.cwd()


def shown_path(config: MkDocsConfig, path: str) -> str:
    """A path below docs_dir as issues name it, relative to the project's folder."""
    if os.path.isabs(path):  # noqa: PTH117 - asked for each page
        return Path(os.path.relpath(path, root(config))).as_posix()
    return posixpath.normpath(f"{_shown_folder(config.docs_dir, str(root(config)))}/{path}")


def shown_issues(config: MkDocsConfig, issues: Iterable[Issue]) -> list[Issue]:
    """Issues in order, each once, with the lines that they are about, as `atlas check` shows them."""
    return list(with_lines(ordered(issues), root(config)))


@lru_cache(maxsize=8)
def _shown_folder(folder: str, root: str) -> str:
    """A folder relative to another."""
    return Path(os.path.relpath(folder, root)).as_posix()


def add_pages(
    files: Files, pages: Sequence[SitePage], config: MkDocsConfig, yaml: dict[str, File], by_yaml: dict[str, File]
) -> list[Issue]:
    """Add a generated page for each entity, and its file to `by_yaml`."""
    included = (file for file in files if file.inclusion is not InclusionLevel.EXCLUDED)
    taken = {file.dest_uri: shown_path(config, file.src_uri) for file in included}
    paths = source_paths((page.url for page in pages), (file.src_uri for file in files.documentation_pages()))
    folder, urls = config.site_dir, config.use_directory_urls
    issues = [*_lost(files, config), *_twice(files, config)]
    for at, page in enumerate(pages):
        target = f"{page.url}{_INDEX}"
        file = NamedFile(paths[page.url], None, folder, urls, dest_uri=target, inclusion=_inclusion(page, yaml))
        file.generated_by = MAKER
        file.content_string = ""
        # What is set takes less memory than what MkDocs would find out and keep.
        file.name, file.url = file._get_stem(), file._get_url()
        file.edit_uri = page.edit_path
        maker = shown_path(config, page.edit_path) if page.edit_path else "the atlas itself"
        if file.dest_uri in taken:
            issues.append(same_address(taken[file.dest_uri], page.url, maker))
            continue
        taken[file.dest_uri] = maker
        EntityPage(pages, at, file, config)
        files.append(file)
        if page.edit_path is not None:
            by_yaml.setdefault(page.edit_path, file)
    return issues


def _twice(files: Files, config: MkDocsConfig) -> Iterator[Issue]:
    """One issue for each file of the author's that MkDocs would replace by another of these, without a word."""
    own = [one for one in files if one.src_dir == config.docs_dir and one.inclusion not in DRAFTS]
    own.sort(key=lambda one: (not one.is_documentation_page(), one.src_uri.split("/")))
    for built, file, other in first_of((one.dest_uri, one.src_uri) for one in own):
        yield same_address(shown_path(config, file), built.removesuffix(_INDEX), shown_path(config, other))


def _lost(files: Files, config: MkDocsConfig) -> list[Issue]:
    """One issue for each file of the author's that MkDocs would replace by a page of the theme, without a word."""
    hint = "give the file another name, or put a template of this name into the theme's custom_dir"
    own = set(config.theme.static_templates)
    if "sitemap.xml" in own:
        own.add("sitemap.xml.gz")
    return [
        Issue(
            shown_path(config, file.src_uri),
            0,
            0,
            "A901",
            f"the file lies at the address {file.dest_uri!r}, where the theme has a page of its own",
            hint,
        )
        for file in files
        if file.src_dir == config.docs_dir and file.dest_uri in own
    ]


def written_entities(pages: Iterable[File]) -> frozenset[str]:
    """The addresses below the site's root of those pages that are made from entries."""
    return frozenset(file.page.address for file in pages if isinstance(file.page, EntityPage))


def first_words(html: str) -> Markup | None:
    """The text of the first paragraph, cut between words: what a page without a description of its own is about."""
    found = re.search(r"<p>(.*?)</p>", html, re.DOTALL)
    return escape(shorten(Markup(found[1]).striptags(), DESCRIPTION, placeholder=" …")) if found else None  # noqa: S704 - escaped after all


def table_of_contents(headings: Iterable[Heading], *, finished: bool = False) -> TableOfContents:
    """Headings nested below the nearest one of a higher rank, as HTML; only the finished one has rendered maths."""
    top: list[AnchorLink] = []
    above: list[AnchorLink] = []
    for heading in headings:
        title = heading.html if finished and heading.html else escape(heading.title)
        link = AnchorLink(title, heading.id, heading.level)
        while above and above[-1].level >= heading.level:
            above.pop()
        (above[-1].children if above else top).append(link)
        above.append(link)
    return TableOfContents(top)


def _inclusion(page: SitePage, yaml: dict[str, File]) -> InclusionLevel:
    """`exclude_docs`, `draft_docs` and `not_in_nav` may name the YAML file; what they don't name is still open."""
    source = yaml.get(page.edit_path or "")
    if source is not None and source.inclusion is not InclusionLevel.INCLUDED:
        return source.inclusion
    return InclusionLevel.NOT_IN_NAV if page.nav is None else InclusionLevel.UNDEFINED
