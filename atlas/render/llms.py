"""`llms.txt`: the list of all Markdown versions of a site, in the form that its readers expect at the root.

It is a heading, a sentence, and one section for each kind of page with a link on every line; what a reader may leave
out comes last, under the word that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from atlas.markup.markdown import destination, escaped

FILE = "llms.txt"
"""Its address."""
PROSE = "prose"
"""The kind of a page that its author wrote in Markdown."""
OPTIONAL = "Optional"
"""The section that may be left out, by the convention of such files."""
SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "model": "Models",
        "library": "Libraries",
        "component": "Components",
        "family": "Operators",
        "source": "Pinned sources",
        "file": OPTIONAL,
        "index": OPTIONAL,
    }
)
"""The section of each kind of page; all others stand in the first."""
FIRST = "Pages"
"""The section of the pages that concern the whole site."""


@dataclass(frozen=True, slots=True)
class LlmsLine:
    """One line."""

    kind: str
    """The kind of the page."""
    title: str
    """Its title as plain text."""
    url: str
    """Its Markdown version, below the site's root."""
    description: str
    """One plain sentence, or empty."""


def llms_text(site_name: str, description: str, lines: Iterable[LlmsLine]) -> str:
    """The whole file; sections without a line are left out."""
    found: dict[str, list[str]] = {name: [] for name in (FIRST, *dict.fromkeys(SECTIONS.values()))}
    for line in lines:
        about = f": {escaped(line.description)}" if line.description.strip() else ""
        section = SECTIONS.get(line.kind, FIRST)
        found[section].append(f"- [{escaped(line.title)}]({destination(line.url)}){about}")
    head = [f"# {escaped(site_name)}", *([f"> {escaped(description)}"] if description.strip() else [])]
    body = ["\n".join((f"## {name}\n", *items)) for name, items in found.items() if items]
    return "\n\n".join((*head, *body)) + "\n"
