"""The generators that are compared: how each is installed, given its pages, run, and made to forget what it knows."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from bench.tools import PEERS, install, stated_versions, versions
from bench.workload import FLAVOURS, Page, write_atlas, write_markdown

ROOT = Path(__file__).resolve().parent.parent
OURS, REFERENCE, START = "openmodelatlas", "eleventy", "mkdocs"
"""Our own generator, the one to which ratios are given, and MkDocs with nothing to do."""
_PAGE = re.compile(r"(?:^|/)(c\d{5})(?:/index)?\.html$")
"""The file of a component's page below a site's folder."""


@dataclass(frozen=True, slots=True)
class Work:
    """What every generator is given."""

    pages: Sequence[Page]
    """The pages."""
    code: Sequence[str]
    """The pinned file by lines."""
    katex: Path
    """KaTeX's built files, for themes that load it in the browser."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A generator that is at hand."""

    folder: Path
    """Where it is installed."""
    versions: Mapping[str, str]
    """Its packages and their versions."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One generator."""

    key: str
    """Its name on the command line; a peer's is that of its folder in `peers/`."""
    title: str
    """Its name in tables."""
    maths: str
    """Where formulas are typeset."""
    flavour: str | None
    """The Markdown that it reads; None for entries."""
    command: Callable[[Path, Path], Sequence[str | Path]]
    """The command that builds, from the folder of the tool and the folder of the project."""
    forgets: tuple[str, ...]
    """Folders of a project that a cold build must not find."""
    page: str = ""
    """A pattern that a finished page must hold: what shows that its maths and its code came out as they should."""
    needs_katex: bool = False
    """Whether its pages load KaTeX's program in the browser."""
    env: Mapping[str, str] | None = None
    """Variables of the environment besides the user's."""

    def install(self, tools: Path) -> Tool:
        """Have the generator at hand; raises ToolError where it cannot be installed."""
        if self.flavour is None or self.key == START:
            names = ("mkdocs",) if self.key == START else ("openmodelatlas", "mkdocs", "markdown-it-py", "pygments")
            node = {} if self.key == START else stated_versions(ROOT / "atlas" / "node" / "package.json")
            return Tool(ROOT, {name: version(name) for name in names} | node)
        folder = install(self.key, tools)
        return Tool(folder, versions(self.key, folder))

    def write(self, project: Path, tool: Tool, work: Work) -> None:
        """Write the project."""
        if self.flavour is None:
            write_atlas(project, work.pages, ROOT / "sources")
            return
        docs = project / "docs"
        if self.key == START:
            docs.mkdir(parents=True)
            (docs / "index.md").write_text("# Empty\n", encoding="utf-8")
            (project / "mkdocs.yml").write_text("site_name: Empty\n", encoding="utf-8")
            return
        ignored = shutil.ignore_patterns("package.json", "requirements.txt")
        shutil.copytree(PEERS / self.key, project, ignore=ignored)
        if (tool.folder / "node_modules").is_dir():
            (project / "node_modules").symlink_to(tool.folder / "node_modules")
        write_markdown(docs, work.pages, work.code, FLAVOURS[self.flavour])
        if self.key == "sphinx":
            listed = "\n".join(f"{page.folder}/{page.name}" for page in work.pages)
            (docs / "index.md").write_text(f"# Benchmark\n\n```{{toctree}}\n{listed}\n```\n", encoding="utf-8")
            (project / "conf.py").rename(docs / "conf.py")
        if self.needs_katex:
            shutil.copytree(work.katex, docs / "katex")
            shutil.copyfile(PEERS / "katex-start.js", docs / "katex" / "start.js")

    def source(self, project: Path, page: Page) -> Path:
        """The file that a page is written in."""
        if self.flavour is None:
            return project / "content" / page.folder / "chain" / f"{page.name}.yml"
        return project / "docs" / page.folder / f"{page.name}.md"

    def prepare(self, project: Path, tools: Path) -> None:
        """Remove what earlier builds left, and put what was brought from the network where the generator looks.

        That is no result of a build, as the peers' installed packages are none.
        """
        for name in ("site", *self.forgets):
            shutil.rmtree(project / name, ignore_errors=True)
        if self.key == OURS:
            shutil.copytree(tools / "atlas", project / "cache", symlinks=True)

    def environment(self, project: Path) -> dict[str, str]:
        """The variables with which the command runs."""
        own = {name: value.format(project=project, root=ROOT) for name, value in (self.env or {}).items()}
        return {**os.environ, **own}


def built_pages(project: Path) -> Iterator[tuple[str, Path]]:
    """Each component's page that is in the built site, by its name."""
    site = project / "site"
    for file in site.rglob("*.html"):
        if (match := _PAGE.search(file.relative_to(site).as_posix())) is not None:
            yield match[1], file


def _python(*words: str) -> Callable[[Path, Path], Sequence[str | Path]]:
    return lambda tool, _: [tool / "bin" / "python", "-m", *words]


def _hugo(tool: Path, _: Path) -> Sequence[str | Path]:
    """The binary itself: the package's command starts Python first, which is not Hugo's fault."""
    return [next(tool.glob("lib/python*/site-packages/hugo/binaries/hugo*")), "--quiet"]


_AT_BUILD, _IN_BROWSER = "at build", "in the browser"
_KATEX = r'class="katex"'
_TEX = r'class="arithmatex"'

CONTENDERS = (
    Contender(
        OURS,
        "OpenModelAtlas",
        _AT_BUILD,
        None,
        lambda _, __: [sys.executable, "-m", "bench.phases", "phases.json", "build", "--quiet", "--strict"],
        ("cache",),
        _KATEX,
        env={"OPENMODELATLAS_CACHE": "{project}/cache", "PYTHONPATH": "{root}"},
    ),
    Contender(
        REFERENCE,
        "Eleventy, KaTeX, Prism",
        _AT_BUILD,
        "dollars",
        lambda _, project: [project / "node_modules" / ".bin" / "eleventy", "--quiet"],
        (),
        rf"{_KATEX}[\s\S]*class=\"token",
    ),
    Contender(
        "hugo",
        "Hugo, transform.ToMath",
        _AT_BUILD,
        "hugo",
        _hugo,
        ("cache", "resources"),
        rf"{_KATEX}[\s\S]*class=\"?chroma",
        env={"HUGO_CACHEDIR": "{project}/cache"},
    ),
    Contender(
        "zensical",
        "Zensical",
        _IN_BROWSER,
        "dollars",
        _python("zensical", "build"),
        (".cache",),
        _TEX,
        needs_katex=True,
    ),
    Contender(
        "material",
        "MkDocs, Material",
        _IN_BROWSER,
        "dollars",
        _python("mkdocs", "build", "--quiet"),
        (".cache",),
        _TEX,
        needs_katex=True,
    ),
    # One process: with more, those that write do not reach the server that typesets.
    Contender(
        "sphinx",
        "Sphinx, sphinxcontrib-katex",
        _AT_BUILD,
        "myst",
        _python("sphinx", "-q", "-b", "html", "-d", "doctrees", "docs", "site"),
        ("doctrees",),
        _KATEX,
    ),
    Contender(
        START,
        "MkDocs, an empty site",
        "none",
        "dollars",
        lambda _, __: [sys.executable, "-m", "mkdocs", "build", "--quiet"],
        (),
    ),
)
"""All that are compared as builders, our own first."""

DOCUSAURUS = Contender(
    "docusaurus",
    "Docusaurus, rehype-katex",
    _AT_BUILD,
    "dollars",
    lambda _, project: [project / "node_modules" / ".bin" / "docusaurus", "build", "--out-dir", "site"],
    (".docusaurus",),
    _KATEX,
)
"""Compared by its pages alone."""
