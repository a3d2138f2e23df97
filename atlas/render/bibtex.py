"""Entries of a bibliography in BibTeX: texts that end where their field ends, names that stay whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atlas.entries.collection import Paper


def bibtex(key: str, paper: Paper) -> str:
    """A BibTeX entry; backslashes, and braces that match, stay what they are, as BibTeX reads them too."""
    authors = " and ".join(_bibtex_name(author) for author in paper.authors)
    fields = [("title", bibtex_text(paper.title)), ("author", authors), ("year", str(paper.year))]
    if paper.arxiv:
        fields += [("eprint", paper.arxiv), ("archivePrefix", "arXiv")]
    if paper.url:
        fields.append(("url", paper.url))
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
    return f"@misc{{{key},\n{lines}\n}}"


def _bibtex_name(author: str) -> str:
    """An author; one whose name holds the word that parts authors, as a committee's may, is one name in braces."""
    text = bibtex_text(author)
    return f"{{{text}}}" if re.search(r" and ", text, re.IGNORECASE) else text


def bibtex_text(text: str) -> str:
    """A text that ends where its field ends, and whose ampersands and percent signs LaTeX prints."""
    depth, least = 0, 0
    for char in text:
        depth += (char == "{") - (char == "}")
        least = min(least, depth)
    if depth or least:  # BibTeX counts an escaped brace too
        named = {"{": r"{\textbraceleft}", "}": r"{\textbraceright}"}
        text = re.sub(r"\\?([{}])", lambda found: named[found[1]], text)
    text = re.sub(r"(?<!\\)([&%])", r"\\\1", " ".join(text.split()))
    # A backslash at the very end would take the brace that ends the field.
    return re.sub(r"(?<!\\)((?:\\\\)*)\\$", r"\1{\\textbackslash}", text)
