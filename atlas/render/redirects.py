"""Old addresses that lead to new ones: checked against the whole site, then written as small pages that need no script.

A redirect that cannot be kept is an issue where it is stated: one from an address that is taken, to one that does not
exist, or in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atlas.entries.atlas import Collection, Placed, Source
from atlas.issues import Issue
from atlas.links.redirects import Redirect, judged
from atlas.render.addresses import collection_page, entry_page, source_page
from atlas.render.relative import relative_url
from atlas.render.site import SiteAsset


def redirects_of(collection: Collection) -> Iterator[Redirect]:
    """What a collection and its entries say they were called before."""
    yield from _formerly(collection, collection.data.formerly, collection_page(collection.id))
    for entry in collection.entries:
        yield from _formerly(entry, entry.data.formerly, entry_page(entry))


def source_redirects(source: Source) -> Iterator[Redirect]:
    """What a source says it was called before."""
    return _formerly(source, source.data.formerly, source_page(source.id))


def redirect_files(
    redirects: Iterable[Redirect], taken: Mapping[str, str], site_url: str, templates: Iterable[Path]
) -> tuple[list[SiteAsset], list[Issue]]:
    """The pages of all redirects that can be kept, and what is wrong with the others.

    Args:
        redirects: What is stated, by whomever.
        taken: Every file of the site, by its path in it, with what it is made from.
        site_url: The address that the site will have, or empty.
        templates: Folders in which `redirect.html` is looked for before our own theme.
    """
    sound, issues = judged(redirects, taken)
    environment = Environment(
        loader=FileSystemLoader([*templates, Path(str(files("openmodelatlas_theme")))]),
        autoescape=True,
        undefined=StrictUndefined,
    )
    template = environment.get_template("redirect.html")
    made = []
    for file, (_, target) in sound.items():
        link = relative_url(target, file)
        canonical = f"{site_url.rstrip('/')}/{target.partition('#')[0]}" if site_url else link
        page = template.render(link=link, canonical=canonical)
        made.append(SiteAsset(file, page.encode(), frozenset((link,))))
    return made, issues


def _formerly(placed: Placed, formerly: Iterable[str], page: str) -> Iterator[Redirect]:
    for index, old in enumerate(formerly):
        mark = placed.place("formerly", index)
        yield Redirect(old, page, mark.path, mark.line, mark.column)
