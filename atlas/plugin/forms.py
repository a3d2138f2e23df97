"""The other forms of pages in a build: Markdown versions of prose, the list of all of them, and redirects.

They are made once all pages are known, so that what is not written has no other form either.
"""

from __future__ import annotations

import posixpath
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import unescape
from pathlib import Path
from urllib.parse import unquote

from markupsafe import Markup
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

from atlas.issues import Issue
from atlas.links.redirects import Redirect, places_in
from atlas.markup.markdown import relinked
from atlas.plugin.pages import DRAFTS, EntityPage, LinkTargets, shown_path
from atlas.render.alternates import MARKDOWN
from atlas.render.links import is_internal
from atlas.render.llms import FILE, PROSE, LlmsLine, llms_text
from atlas.render.redirects import redirect_files
from atlas.render.relative import relative_url
from atlas.render.site import Alternate, Prose, Site, SiteAsset


def markdown_of(file: File) -> str:
    """The address of a page's Markdown version."""
    return f"{file.dest_uri.removesuffix('.html')}.md"


def prose_alternates(file: File) -> tuple[Alternate, ...]:
    """The other forms of a page that its author wrote in Markdown."""
    return (Alternate(MARKDOWN, "Markdown", markdown_of(file)),)


def form_assets(
    pages: Sequence[File], prose: Mapping[str, tuple[str, Prose]], targets: LinkTargets, config: MkDocsConfig
) -> list[SiteAsset]:
    """The Markdown versions of prose, and the list of those of all pages.

    Args:
        pages: All pages that are written.
        prose: The Markdown of each prose page and its rendering, by source path.
        targets: All files, to resolve links of prose.
        config: The configuration of MkDocs.
    """
    made = []
    for file in pages:
        if file.src_uri in prose and file.page is not None:
            title = unescape(str(file.page.title or file.name))
            made.append(_prose_asset(file, title, *prose[file.src_uri], targets))
    lines = [(file, line) for file in pages if (line := _line(file, prose)) is not None]
    text = llms_text(config.site_name, config.site_description or "", (line for _, line in lines))
    made.append(SiteAsset(FILE, text.encode(), more_links=partial(_links, [file for file, _ in lines])))
    return made


def redirect_assets(
    files: Files, site: Site, forms: Iterable[SiteAsset], stated: Mapping[str, str], config: MkDocsConfig
) -> tuple[list[SiteAsset], list[Issue]]:
    """The pages of all redirects: those of entries, and those that mkdocs.yml states.

    Args:
        files: All files of the build but other forms of pages.
        site: The atlas's pages.
        forms: These forms.
        stated: The redirects of mkdocs.yml, each address with the one that it leads to.
        config: The configuration of MkDocs.
    """
    if not site.redirects and not stated:
        return [], []
    included = (file for file in files if file.inclusion is not InclusionLevel.EXCLUDED)
    taken = {file.dest_uri: _maker(file, config) for file in included}
    for form in forms:
        taken[form.url] = _own(form.url)
    for name in (*config.theme.static_templates, *config.extra_templates):
        taken.setdefault(name, f"the theme's {name}")
    places = places_in(Path(config.config_file_path)) if config.config_file_path and stated else {}
    shown = Path(config.config_file_path).name if config.config_file_path else "mkdocs.yml"
    of_config = (Redirect(old, new, shown, *places.get(old, (0, 0))) for old, new in stated.items())
    folders = tuple(Path(folder) for folder in config.theme.dirs)
    return redirect_files((*site.redirects, *of_config), taken, config.site_url or "", folders)


def _maker(file: File, config: MkDocsConfig) -> str:
    """What a file of the site is made from, in words."""
    if isinstance(file.page, EntityPage):
        source = file.page.source.edit_path
        return f"the page of {shown_path(config, source)}" if source else "a page of the atlas"
    if file.src_dir != config.docs_dir:
        return _own(file.dest_uri)
    return f"{'the page of ' if file.page is not None else ''}{shown_path(config, file.src_uri)}"


def _own(url: str) -> str:
    return f"the site's own {url}"


def _prose_asset(file: File, title: str, markdown: str, prose: Prose, targets: LinkTargets) -> SiteAsset:
    """The author's Markdown with its links relative to where it lies in the site."""
    url, links = markdown_of(file), set[str]()

    def resolve(target: str) -> str:
        path, mark, fragment = target.partition("#")
        if not path or not is_internal(target) or path.startswith("/"):
            return target
        reached = posixpath.normpath(posixpath.join(posixpath.dirname(file.src_uri), unquote(path)))
        other = targets.get_file_from_path(reached)
        if other is None:
            return target
        if other.page is None or mark:
            written = relative_url(other.dest_uri.removesuffix("index.html") if mark else other.dest_uri, url)
        else:
            written = relative_url(markdown_of(other), url)
        if other.inclusion not in DRAFTS:  # this, and whether the page has a part, is told where its author wrote it
            links.add(written)
        return f"{written}{mark}{fragment}"

    text = relinked(markdown, resolve).strip() + "\n"
    if prose.title is None:
        text = f"# {title}\n\n{text}"
    return SiteAsset(url, text.encode(), frozenset(links))


def _line(file: File, prose: Container[str]) -> LlmsLine | None:
    """A page's line of the list of all Markdown versions, where it has one."""
    page = file.page
    if isinstance(page, EntityPage):
        source = page.source
        if not any(one.type == MARKDOWN for one in source.alternates):
            return None
        title = str(source.context.get("document_title", source.title))
        return LlmsLine(source.kind, title, markdown_of(file), source.description)
    if page is None or file.src_uri not in prose:
        return None
    given = page.meta.get("description") or ""
    # What was taken from the page is HTML, what its author states is text.
    description = given.unescape() if isinstance(given, Markup) else str(given)
    return LlmsLine(PROSE, unescape(str(page.title or file.name)), markdown_of(file), description)


def _links(listed: Iterable[File]) -> Iterator[str]:
    """The links in the list of all Markdown versions."""
    return (relative_url(markdown_of(file), FILE) for file in listed)
