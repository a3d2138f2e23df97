"""What is told of a link that leads nowhere: the fact, and the nearest that the author may have meant."""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from atlas.checks.base import listed
from atlas.issues import Issue, ordered
from atlas.links.authors import AuthorLink
from atlas.links.meant import page_of

FEW = 8
"""Of how many parts a page has at most, so that all of them are named."""

NEAR = 5
"""How many names are looked at that are near as a whole."""


@dataclass(frozen=True, slots=True)
class Names:
    """What an author may have meant."""

    files: Collection[str]
    """The files of entries, collections and prose, below the content folder."""
    pages: Collection[str]
    """The addresses of all pages."""


def outside(link: AuthorLink, root_path: str) -> Issue:
    """The issue of a link that leaves the site, whose root has this path, or an unknown one where it is empty."""
    if not root_path:
        return absolute(link)
    hint = "an address of another site begins with https://; one of this site is written relative to the file"
    return link.issue("A903", f"leads out of the site, whose root is {root_path!r}", hint)


def absolute(link: AuthorLink) -> Issue:
    """The issue of a link that begins at the root of whatever host the site has."""
    return link.issue(
        "A903", "is absolute, so it leads astray wherever the site lies", "write it relative to this file"
    )


def first_of(found: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Each file of the site that is made from two, with the later of these and the earlier."""
    makers: dict[str, str] = {}
    for built, file in found:
        if makers.setdefault(built, file) != file:
            yield built, file, makers[built]


def same_address(file: str, address: str, other: str) -> Issue:
    """The issue of a file whose page has an address that the page of another one, or of the atlas, has too."""
    message = f"the page has the address '/{address}', which the page of {other} has too"
    return Issue(file, 0, 0, "A902", message, "rename one of the two")


def nowhere(link: AuthorLink, names: Names) -> Issue:
    """The issue of a link to a page or file that is not there."""
    return link.issue("A904", "leads to no page or file of the site", _meant(_near(link, names)))


def excluded(link: AuthorLink) -> Issue:
    """The issue of a link to a file that is none of those that are published."""
    return link.issue("A904", "leads to what is excluded from the built site")


def no_part(link: AuthorLink, ids: Collection[str]) -> Issue:
    """The issue of a link to a part that its page does not have, which has those with these ids."""
    known = sorted(one for one in ids if not one.startswith("_"))  # which themes begin ids of their own with
    near = difflib.get_close_matches(link.fragment, known, n=1)
    hint = _meant(f"{link.target}#{near[0]}") if near else ""
    if not hint and 0 < len(known) <= FEW:
        hint = f"it has {listed(f'#{one}' for one in known)}"
    return link.issue("A905", f"leads to a page without an element with the id {link.fragment!r}", hint)


def each_once(issues: Iterable[tuple[AuthorLink, Issue]]) -> list[Issue]:
    """One issue for each place: of a text that others inherit, the one that is meant from the file that states it."""
    found: dict[tuple[str, int, int], Issue] = {}
    for _, issue in sorted(issues, key=lambda one: not one[0].path.endswith(one[0].file)):
        found.setdefault((issue.path, issue.line, issue.column), issue)
    return ordered(found.values())


def _meant(name: str) -> str:
    return f"did you mean `{name}`?" if name else ""


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _near(link: AuthorLink, names: Names) -> str:
    """What is nearest to where a link leads, written as the link is; an empty text where nothing is near."""
    written, rest = unquote(link.target), link.written[len(link.target) :]
    is_file = written.endswith((".yml", ".md"))
    base = posixpath.dirname(link.file) if is_file or link.file.endswith(".md") else page_of(link.file)
    reached = posixpath.normpath(posixpath.join(base, written)).removeprefix("../")
    known = sorted({*(names.files if is_file or link.file.endswith(".md") else names.pages)} - {link.file, base})
    same = [one for one in known if posixpath.basename(one) == posixpath.basename(reached)] if is_file else []
    found = difflib.get_close_matches(reached, same, n=1, cutoff=0.0)
    close = found or difflib.get_close_matches(reached, [one.rstrip("/") for one in known if one], n=NEAR)
    # Whatever lies in one folder begins alike; who means a file knows about how it is called.
    found = [one for one in close if difflib.get_close_matches(_stem(reached), [_stem(one)])]
    if not found:
        return ""
    made_of = {page_of(one): one for one in names.files} if link.file.endswith(".yml") else {}
    if (file := made_of.get(f"{found[0]}/")) is not None:  # in entries, files name what pages are made of
        return f"{posixpath.relpath(file, posixpath.dirname(link.file) or '.')}{rest}"
    near = posixpath.relpath(found[0], base or ".")
    return f"{near}{'' if found[0].endswith(('.yml', '.md')) else '/'}{rest}"
