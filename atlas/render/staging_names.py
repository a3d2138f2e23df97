"""What the folders of a build are called that lie beside a site and in it, apart from the code that works in them.

Whether a killed build left any is asked before it is known that there is anything to build.
"""

from __future__ import annotations

from pathlib import Path


def beside_prefix(site: Path) -> str:
    """How the names of folders begin in which a site is built, beside it."""
    return f".{site.name}-building-"


def inside_prefix(site: Path) -> str:
    """How the names of folders begin by which the content of a site is exchanged, inside of it."""
    return f".{site.name}-exchanging-"


def has_leftovers(site: Path) -> bool:
    """Whether builds are at work on a site, or killed ones left something to complete or to undo."""
    places = ((site.parent, beside_prefix(site)), (site, inside_prefix(site)))
    return any(entry.name.startswith(prefix) for folder, prefix in places for entry in folder.iterdir())
