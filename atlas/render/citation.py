"""How to cite a page, or the whole atlas, in BibTeX; nothing in it depends on the day of the build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from atlas.checks.checked import Checked
from atlas.entries.collection import Model, Paper
from atlas.render.addresses import BIBTEX, bibtex_file, collection_page
from atlas.render.alternates import CITED
from atlas.render.collection_view import bibtex, bibtex_text
from atlas.render.pages import PagePlan
from atlas.render.site import SiteAsset

ATLAS_KEY = "atlas"
"""The key of the atlas itself; a page's is this with the page's address after a colon."""


def citation_files(
    checked: Checked, plans: Iterable[PagePlan], site_name: str, site_url: str, folder: Path
) -> Iterator[SiteAsset]:
    """A file for each page that is cited alone, and one for the atlas with every publication that it documents."""
    papers: Mapping[str, Paper] = {
        collection_page(name): one.collection.data.paper
        for name, one in checked.collections.items()
        if isinstance(one.collection.data, Model)
    }
    for plan in plans:
        if plan.kind in CITED:
            entries = [page_bibtex(plan.url, plan.document_title, site_name, site_url)]
            if plan.url in papers:
                entries.append(bibtex(plan.url.strip("/"), papers[plan.url]))
            yield _written(folder, bibtex_file(plan.url), entries, plan.url)
    cited = [page_bibtex("", site_name, site_name, site_url)]
    cited += [bibtex(page.strip("/"), paper) for page, paper in papers.items()]
    yield _written(folder, BIBTEX, cited)


def page_bibtex(url: str, title: str, site_name: str, site_url: str) -> str:
    """The entry of one page; of the home page, that of the atlas. An atlas without an address is cited without one."""
    path = url.strip("/").replace("/", ":")
    fields = [("title", bibtex_text(title))]
    if url:
        fields.append(("howpublished", bibtex_text(site_name)))
    if site_url:
        fields.append(("url", f"{site_url.rstrip('/')}/{url}"))
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
    return f"@misc{{{ATLAS_KEY}{':' + path if path else ''},\n{lines}\n}}"


def _written(folder: Path, url: str, entries: Iterable[str], page: str | None = None) -> SiteAsset:
    path = folder / url
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(entries) + "\n", encoding="utf-8", newline="\n")
    return SiteAsset(url, path, page=page)
