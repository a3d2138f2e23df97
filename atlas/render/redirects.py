"""Old addresses that lead to new ones: checked against the whole site, then written as small pages that need no script.

A redirect that cannot be kept is an issue where it is stated: one from an address that is taken, to one that does not
exist, or in a circle.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atlas.entries.atlas import Collection, Placed, Source
from atlas.issues import Issue
from atlas.render.addresses import collection_page, entry_page, source_page
from atlas.render.relative import relative_url
from atlas.render.site import Redirect, SiteAsset

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*/?")
"""What an address looks like that a page may have had."""


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
    sound, issues = _sound(redirects, taken)
    environment = Environment(
        loader=FileSystemLoader([*templates, Path(str(files("openmodelatlas_theme")))]),
        autoescape=True,
        undefined=StrictUndefined,
    )
    template = environment.get_template("redirect.html")
    made = []
    for file, redirect in sound.items():
        target, problem = _end(redirect, sound, taken)
        if problem is not None:
            issues.append(problem)
            continue
        link = relative_url(target, file)
        canonical = f"{site_url.rstrip('/')}/{target.partition('#')[0]}" if site_url else link
        page = template.render(link=link, canonical=canonical)
        made.append(SiteAsset(file, page.encode(), frozenset((link,))))
    return made, issues


def file_of(address: str) -> str:
    """The file in the site that is served at an address."""
    path = address.partition("#")[0]
    if path.endswith(".html"):
        return path
    return posixpath.join(path, "index.html") if path else "index.html"


def _formerly(placed: Placed, formerly: Iterable[str], page: str) -> Iterator[Redirect]:
    for index, old in enumerate(formerly):
        mark = placed.place("formerly", index)
        yield Redirect(old, page, mark.path, mark.line, mark.column)


def _sound(redirects: Iterable[Redirect], taken: Mapping[str, str]) -> tuple[dict[str, Redirect], list[Issue]]:
    """The redirects by the file that each would be, without those from an address that cannot be one."""
    by_case = {file.casefold(): maker for file, maker in taken.items()}
    folders = {folder.casefold() for file in taken for folder in _above(file)}
    sound: dict[str, Redirect] = {}
    seen: dict[str, Redirect] = {}
    issues = []
    for one in redirects:
        if not _PLAIN.fullmatch(one.old):
            hint = "write it below the site's root without a slash before it, such as transformer/encoder/layer-norm"
            issues.append(_issue(one, "A910", f"{one.old!r} is no address that a page may have had", hint))
            continue
        file = file_of(one.old)
        key = file.casefold()
        other = next((by_case[name.casefold()] for name in (file, *_above(file)) if name.casefold() in by_case), None)
        if other is None and key in folders:
            other = "a folder of the site"
        if other is not None:
            message = f"the address {one.old!r} is taken by {other}, so nothing can lead on from it"
            issues.append(_issue(one, "A908", message, "take the redirect away, or move what is there"))
        elif key in seen:
            first = seen[key]
            message = f"the address {one.old!r} leads to {_shown(first.target)} already ({first.path}:{first.line})"
            issues.append(_issue(one, "A908", message, "state one of the two"))
        else:
            sound[file] = seen[key] = one
    return sound, issues


def _end(one: Redirect, sound: Mapping[str, Redirect], taken: Mapping[str, str]) -> tuple[str, Issue | None]:
    """The address to which a redirect leads at last, and why it leads to none."""
    chain, target = [one.old], one.target
    while True:
        if target.startswith("/") or "://" in target or ".." in target.partition("#")[0].split("/"):
            hint = "write it below the site's root without a slash before it"
            return target, _issue(
                one, "A907", f"the redirect leads to {target!r}, which is no address of the site", hint
            )
        file = file_of(target)
        if file in taken:
            path, mark, fragment = target.partition("#")
            is_folder = bool(path) and not path.endswith(("/", ".html"))
            return f"{path}{'/' if is_folder else ''}{mark}{fragment}", None
        following = sound.get(file)
        if following is None:
            known = [posixpath.dirname(name) for name in taken if posixpath.basename(name) == "index.html"]
            near = difflib.get_close_matches(target.strip("/"), known, n=1)
            hint = f"did you mean {near[0]}/?" if near else ""
            return target, _issue(one, "A907", f"the redirect leads to {target!r}, where there is no page", hint)
        if following.old in chain:
            shown = " → ".join((*chain, following.old))
            return target, _issue(one, "A909", f"redirects lead in a circle: {shown}", "let one of them lead to a page")
        chain.append(following.old)
        target = following.target


def _above(file: str) -> Iterator[str]:
    """The folders that a file lies in."""
    while file := posixpath.dirname(file):
        yield file


def _shown(target: str) -> str:
    return repr(target) if target else "the home page"


def _issue(one: Redirect, code: str, message: str, hint: str) -> Issue:
    return Issue(one.path, one.line, one.column, code, message, hint)
