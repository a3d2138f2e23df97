"""A small stand-in for the renderer, so that the plugin is tested on its own; also `mkdocs` with it, when run.

Each YAML file in the content folder is a page: its keys are SitePage's, `nav` lists titles or pairs of title and key,
`body` is HTML, `issues` are what is wrong with it (raised in a site called "Raises", else returned), `fails` makes
its body impossible to produce, `forms` lists the links in its Markdown version, and `formerly` what it was called.
Prose is HTML already, with `<math>` for a formula and WRONG for one that cannot be displayed.
"""

from __future__ import annotations

import re
import sys
from functools import partial
from html import unescape
from typing import Any

import yaml

from atlas.exceptions import ContentError, NodeError
from atlas.issues import Issue
from atlas.kept import compressed
from atlas.links.redirects import Redirect
from atlas.plugin import events
from atlas.render.search_found import grouped
from atlas.render.site import (
    Alternate,
    Heading,
    NavSection,
    PageStore,
    Prose,
    ProseFile,
    SearchRecord,
    Settings,
    Site,
    SiteAsset,
    SitePage,
)


def build_site(settings: Settings) -> Site:
    store = PageStore(settings.workspace / "bodies")
    pages: list[SitePage] = []
    issues: list[Issue] = []
    assets, forms = [SiteAsset("assets/made.css", b"made {}")], []
    redirects: list[Redirect] = []
    for path in sorted(settings.content.rglob("*.yml")):
        name = path.relative_to(settings.content).as_posix()
        entry = yaml.safe_load(path.read_text(encoding="utf-8"))
        shown = path.relative_to(settings.root).as_posix()
        issues += [Issue(shown, line, 3, code, text) for line, code, text in entry.get("issues", ())]
        body = entry.get("body", "") + "".join(source.read_text() for source in sorted(settings.sources.glob("*.txt")))
        url = entry.get("url", name.removesuffix(".yml") + "/")
        lines = path.read_text(encoding="utf-8").splitlines()
        for old in entry.get("formerly", ()):
            number = next(number for number, line in enumerate(lines, 1) if line.strip() == f"- {old}")
            redirects.append(Redirect(old, url, shown, number, 3))
        alternates: tuple[Alternate, ...] = ()
        if "forms" in entry:
            alternates = (Alternate("text/markdown", "Markdown", f"{url}index.md"),)
            forms.append(SiteAsset(f"{url}index.md", b"# A form\n", frozenset(entry["forms"]), page=url))
        pages.append(
            SitePage(
                url=url,
                title=entry.get("title", name),
                kind="component",
                description=entry.get("description", "A page."),
                headings=partial(_headings, entry),
                edit_path=name,
                nav=None if entry.get("hidden") else tuple(map(section, entry.get("nav", ()))),
                body=fails if entry.get("fails") else store.keep_data(compressed(body.encode())),
                context={"badge": entry.get("badge", "")},
                alternates=alternates,
            )
        )
    if issues and settings.site_name == "Raises":
        raise ContentError(issues)
    found = grouped(SearchRecord("component", page.url, page.title, "", page.description) for page in pages)
    return Site(tuple(pages), tuple(assets), tuple(forms), tuple(issues), prose, tuple(redirects), tuple(found))


def _headings(entry: dict[str, Any]) -> tuple[Heading, ...]:
    return tuple(Heading(*heading) for heading in entry.get("headings", ()))


def section(given: str | list[str]) -> NavSection:
    return NavSection(given, given) if isinstance(given, str) else NavSection(*given)


def fails() -> str:
    raise NodeError("Node ended before it had rendered the formula")


def prose(file: ProseFile) -> Prose:
    if "WRONG" in file.markdown:
        line = file.first_line + file.markdown[: file.markdown.index("WRONG")].count("\n")
        raise ContentError([Issue(file.path, line, 0, "A906", "the formula is not closed")])
    found = re.findall(r'<h(\d) id="([^"]+)">(.*?)</h', file.markdown)
    headings = tuple(Heading(int(level), name, unescape(title)) for level, name, title in found)
    title = next((heading.title for heading in headings if heading.level == 1), None)
    return Prose(file.markdown, title, headings, re.sub(r"<math>.*?</math>", "formula", file.markdown))


if __name__ == "__main__":
    from mkdocs.__main__ import cli

    vars(events)["build_site"] = build_site
    sys.exit(cli(sys.argv[1:]))
