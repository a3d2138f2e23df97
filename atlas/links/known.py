"""What addresses a site will have, as far as its content tells without a build: pages, and files that authors give.

Parts of pages that are made from entries are known only once these are made; those of prose are its headings.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path

from pathspec import GitIgnoreSpec

from atlas.entries.atlas import Atlas
from atlas.entries.folders import YAML_SUFFIXES, below, shown_path
from atlas.entries.survey import KINDS, RECORDS, RESERVED
from atlas.links.meant import PROSE, page_of, page_without_folder
from atlas.operators.catalogue import FAMILIES
from atlas.project import Project, SiteSettings

FIXED = ("a-z", "compare", "contribute/entries", "contribute/issue-codes", "data", "glossary", "operators", "sources")
"""The pages that each atlas has, with the page of verification and perhaps a home page."""
OF_THEME = ("404.html", "sitemap.xml", "sitemap.xml.gz")
"""The files of a site that every theme makes from templates."""
SEARCH = "search/index.html"
"""The file that only the atlas's own theme makes from one."""
LIST = "llms.txt"
"""The list of all pages, which the atlas writes itself."""
OWN_THEME_PACKAGE = "openmodelatlas_theme"
"""The package that the atlas's own theme is."""
OF_OWN_THEME = ("css", "img", "js", "katex")
"""The folders of a site that hold the files of that theme, and those that are made for it."""
STYLES = ("css/code.css", "css/first.css", "css/site.css")
"""The stylesheets that are made of others."""
_KATEX = re.compile(r"katex/(?:katex\.min\.css|katex-LICENSE\.txt|fonts/KaTeX_\w+-\w+\.woff2)")
"""What the typesetting of formulas brings."""
BESIDE = ("index.md", "cite.bib")
"""The files that lie beside pages."""
_NOT_PUBLISHED = (".*", "/templates/")
_FRONT_MATTER = re.compile(r"\A-{3}[ \t]*\n(?:.*?\n)?(?:\.{3}|-{3})[ \t]*(?:\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ProseText:
    """A page of prose as its file has it."""

    file: str
    """The file, below the content folder."""
    markdown: str
    """Its text without the front matter."""
    first_line: int
    """The 1-based line of the file that the text begins on."""

    def ids(self) -> frozenset[str]:
        """The ids of its headings."""
        from atlas.markup.prose import parse

        return frozenset(heading.id for heading in parse(self.markdown).toc)


class Known:
    """The addresses of a site."""

    def __init__(self, project: Project, settings: SiteSettings, atlas: Atlas) -> None:
        """Look at the names of all files of content.

        Args:
            project: Where they are.
            settings: What mkdocs.yml says of addresses.
            atlas: What entries and manifests state.
        """
        self._project = project
        self._settings = settings
        self._atlas = atlas
        hidden = GitIgnoreSpec.from_lines([*_NOT_PUBLISHED, *settings.hidden.splitlines()])
        found = [one.name for one in below(project.content) if not one.problem]
        self.files = tuple(one for one in found if not hidden.match_file(one))
        """The files of content that are published in some form, below its folder."""
        self.excluded = frozenset(found) - frozenset(self.files)
        """The other files of content."""

    @cached_property
    def entries(self) -> Mapping[str, str]:
        """The file of each page that is made from entries, by its address."""
        names = [one for one in self.files if one.endswith(YAML_SUFFIXES) and "/" in one]
        folders = {one.partition("/")[0] for one in names if one.partition("/")[2] in [f"{kind}.yml" for kind in KINDS]}
        return {page_of(one): one for one in names if one.partition("/")[0] in folders}

    @cached_property
    def prose(self) -> Mapping[str, str]:
        """The page of each file of prose; a README beside an index.md is none."""
        files = [one for one in self.files if one.endswith(PROSE)]
        indexes = {posixpath.dirname(one) for one in files if posixpath.basename(one) == "index.md"}
        is_lost = {one for one in files if _stem(one) == "README" and posixpath.dirname(one) in indexes}
        return {one: self._page_of_prose(one) for one in files if one not in is_lost}

    @cached_property
    def others(self) -> frozenset[str]:
        """The files of content that are copied as they are."""
        ends = (*YAML_SUFFIXES, *PROSE, RECORDS)
        return frozenset(one for one in self.files if not one.endswith(ends))

    @cached_property
    def own(self) -> frozenset[str]:
        """The addresses of pages that are made from no file of content."""
        sources = self._atlas.sources.values()
        pages = {f"{one}/" for one in (*FIXED, "verification")}
        pages.update(f"operators/{family}/" for family in FAMILIES)
        pages.update(f"sources/{one.id}/" for one in sources)
        pages.update(f"sources/{one.id}/{path}/" for one in sources for path in one.data.files)
        return frozenset(pages | ({""} if "" not in self.prose.values() else set()))

    @property
    def of_theme(self) -> tuple[str, ...]:
        """The files that the theme makes from templates."""
        return (*OF_THEME, SEARCH) if self._settings.has_own_theme else OF_THEME

    @cached_property
    def pages(self) -> frozenset[str]:
        """The addresses of all pages."""
        return frozenset((*self.own, *self.entries, *self.prose.values()))

    @cached_property
    def former(self) -> frozenset[str]:
        """The addresses that lead on to others."""
        stated = [old for one in self._atlas.collections.values() for old in one.data.formerly]
        stated += [old for one in self._atlas.entries for old in one.data.formerly]
        stated += [old for one in self._atlas.sources.values() for old in one.data.formerly]
        return frozenset(old.strip("/") for old in (*stated, *self._settings.redirects))

    def has(self, address: str) -> bool:
        """Whether a site has a page or a file at an address, or may have one that only a build knows of."""
        if address in self.pages or f"{address}/" in self.pages or address in self.others:
            return True
        if address in self.of_theme or posixpath.join(address, "index.html") in self.of_theme:
            return True
        folder, name = posixpath.split(address)
        if name in BESIDE or name == "index.html":
            return (f"{folder}/" if folder else "") in self.pages
        if address == LIST or address.strip("/") in self.former:
            return True
        if any((one / address).is_file() for one in self._settings.templates):
            return True
        if self._settings.has_own_theme and posixpath.normpath(address).split("/")[0] in OF_OWN_THEME:
            return _is_of_theme(address)
        # What is made beside pages has a name with a dot; the pages there are known.
        return _is_made(address) or any(address.startswith(f"sources/{one}/") for one in self._atlas.unread)

    def has_for_prose(self, file: str) -> bool:
        """Whether links of prose can lead to a file that is no page; MkDocs resolves them before the last are made."""
        name = posixpath.basename(file)
        is_last = name == "index.html" or file in (*OF_THEME, LIST, *self.former) or file.startswith("search/")
        return file in self.others or ("." in name and not is_last and self.has(file))

    def text(self, file: str) -> ProseText:
        """A page of prose; an empty one where it cannot be read."""
        try:
            text = (self._project.content / file).read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError):
            text = ""
        front = _FRONT_MATTER.match(text)
        start = front.end() if front else 0
        return ProseText(file, text[start:], 1 + text.count("\n", 0, start))

    def shown(self, file: str) -> str:
        """A file of content as issues name it."""
        return shown_path(self._project.content / file, self._project.root)

    def sources_of(self) -> Iterator[tuple[str, str]]:
        """Each file of the site that is made from one of content, with that one."""
        for address, file in self.entries.items():
            yield f"{address}index.html", file
        for file, address in self.prose.items():
            yield address if address.endswith(".html") else f"{address}index.html", file
        yield from ((one, one) for one in self.others)

    def _page_of_prose(self, file: str) -> str:
        return page_of(file) if self._settings.has_folders else page_without_folder(file)


def names_of(known: Known) -> tuple[Collection[str], Collection[str]]:
    """The files and the addresses of pages that an author may mean."""
    return [*known.entries.values(), *known.prose], known.pages


def _stem(file: str) -> str:
    return posixpath.splitext(posixpath.basename(file))[0]


def _is_of_theme(address: str) -> bool:
    """Whether the theme has a file at an address of its folders, or one is made there."""
    if address in STYLES or _KATEX.fullmatch(address):
        return True
    own = Path(str(resources.files(OWN_THEME_PACKAGE)))
    return ".." not in address and (own / address).is_file()


def _is_made(address: str) -> bool:
    """Whether an address lies where only a build knows what files there are."""
    folder, _, rest = address.partition("/")
    return folder in RESERVED and "." in posixpath.basename(rest)
