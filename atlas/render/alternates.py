"""The other forms in which a page's content is published: as data, as Markdown, as an entry for a bibliography."""

from __future__ import annotations

from atlas.render.addresses import bibtex_file, data_file, list_file, markdown_file
from atlas.render.site import Alternate

CITED = frozenset(("component", "model", "library", "family", "source"))
"""The kinds of pages that are cited alone."""
JSON, MARKDOWN, BIBTEX = "application/json", "text/markdown", "application/x-bibtex"
"""The types of the forms."""
_KINDS = {"component": "components", "model": "models", "library": "libraries"}
_LISTED = {
    "operators": "operators",
    "sources": "sources",
    "glossary": "symbols",
    "verification": "verification",
    "compare": "models",
}


def json_of(kind: str, url: str) -> str:
    """The data file with what a page of this kind shows; that of the whole atlas where no other has it."""
    if kind in _KINDS:
        return data_file(_KINDS[kind], url.removesuffix("/"))
    if kind == "family":
        return data_file("operators", url.split("/")[1])
    if kind in ("source", "file"):
        return data_file("sources", url.split("/")[1])
    return list_file(_LISTED.get(kind, "index"))


def alternates(kind: str, url: str) -> tuple[Alternate, ...]:
    """The other forms of a page that is made from entries."""
    found = [Alternate(JSON, "JSON", json_of(kind, url)), Alternate(MARKDOWN, "Markdown", markdown_file(url))]
    if kind in CITED:
        found.append(Alternate(BIBTEX, "BibTeX", bibtex_file(url)))
    return tuple(found)
