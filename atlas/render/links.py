"""The links of finished HTML: found, rewritten, and checked against the site as it was built.

Everything read here was written by our own templates or by markdown-it-py, which quote attributes with `"` and escape
`"`, `<` and `>` inside them and in text, so a tag can be found without parsing the document (10 ms a page).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path
from sys import intern
from urllib.parse import unquote, urljoin, urlsplit

from atlas.issues import Issue, ordered
from atlas.links.meant import TOP

_TARGET = re.compile(
    r'(<(?=[aAiIlLsSvV](?![pP]))(?i:a|area|img|link|script|source|iframe|audio|video)\s(?:[^>]*?\s)?(?i:href|src)=")'
    r'([^"]*)(?=")'
)
"""A tag up to where it leads. It looks at two letters first, and past `<sp`: most tags of a page are spans."""
# The built page also holds the theme's own HTML, which may quote otherwise.
_ID = re.compile(r"""\sid=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_ID_IN_BODY = re.compile(r'id="(?<=\sid=")([^"]*)"')
"""An id of our own. It begins with what is looked for quickly, and only then looks back."""

_PLAIN = re.compile(r"(\./|(?:\.\./)*)((?:[\w~-][\w.~-]*/)*(?:[\w~-][\w.~-]*)?)(?:#([\w.~-]*))?", re.ASCII)
"""What nearly all links look like: steps up, names without any sign that is written in another way, a fragment."""
_PLAIN_ID = re.compile(r"[\w.~-]+", re.ASCII)

_BASE = "http://site.invalid"
_MOUNT = "/mount/"
"""Stands for any folder the site may be hosted under: a relative link that leaves it would leave the site."""


Find = Callable[[str], Path | None]
"""Where the file of the site lies that has this path in it; None where the site has none."""


def no_ids(address: str) -> Container[str]:
    """The ids in a page of which nothing is known before it is read."""
    return ()


def rewrite(html: str, resolve: Callable[[str], str]) -> str:
    """The HTML with the target of every link and image replaced by what `resolve` makes of it."""
    return _TARGET.sub(lambda match: match[1] + escape(resolve(unescape(match[2]))), html)


def is_internal(target: str) -> bool:
    """Whether a link stays on the site's own host."""
    if _PLAIN.fullmatch(target):
        return True
    parts = urlsplit(target)
    return not parts.scheme and not parts.netloc


def targets(html: str) -> list[str]:
    """The distinct targets of all links and images, in order."""
    return [unescape(target) for target in dict.fromkeys([target for _, target in _TARGET.findall(html)])]


def anchor_ids(html: str) -> set[str]:
    """The ids in a body of our own."""
    return {unescape(found) for found in _ID_IN_BODY.findall(html)}


def ids_in(page: str) -> set[str]:
    """The ids in a whole page."""
    return {unescape("".join(groups)) for groups in _ID.findall(page)}


def is_plain_id(name: str) -> bool:
    """Whether an id is written in a link as it is."""
    return _PLAIN_ID.fullmatch(name) is not None


def outward(url: str, body: str, root_path: str = "/", ids: Container[str] | None = None) -> list[str]:
    """The internal links of the page at `url`, but for those to an id that the body itself has, which are right.

    Args:
        url: The address of the page.
        body: Its HTML.
        root_path: The path of the site's root; empty where it is not known.
        ids: The ids in it, where they are known.
    """
    found: list[str] = []
    for written, target, fragment in _internal(url, targets(body), _root(root_path)):
        if target == url and fragment:
            ids = anchor_ids(body) if ids is None else ids
            if fragment in ids:
                continue
        found.append(written)
    return found


def leads(url: str, links: Iterable[str], root_path: str = "/") -> Iterator[str]:
    """The addresses that links in a page or file lead to; of one that is to another site, or leaves this one, none.

    Args:
        url: The address of what the links stand in.
        links: The links as they are written.
        root_path: The path of the site's root; empty where it is not known.
    """
    for _, target, _ in _internal(url, links, _root(root_path)):
        if target is not None:
            yield target


def addresses_of(file: str) -> tuple[str, ...]:
    """Every address that leads to a file of the site: a folder is served by its index page."""
    if file != "index.html" and not file.endswith("/index.html"):
        return (file,)
    folder = file.removesuffix("index.html")
    return file, folder, folder.removesuffix("/")


@dataclass(slots=True)
class _Link:
    """A target and who links to it."""

    label: str
    """The file that a linking page is made from, or its address: of several the first by name."""
    written: str
    """The link as that page has it."""
    count: int = 1
    """How many pages link to it."""


@dataclass(frozen=True, slots=True)
class DeadLink:
    """A target that the built site lacks, and who links to it."""

    code: str
    """A903 for one outside of the site, A904 for a page or file, A905 for a part of a page."""
    target: str | None
    """The address that it leads to; None where it leaves the site."""
    fragment: str
    """The part of that page, or an empty text."""
    label: str
    """The file that a linking page is made from, or its address: of several the first by name."""
    written: str
    """The link as that page has it."""
    count: int
    """How many pages link to it."""

    def issue(self, root_path: str) -> Issue:
        """The issue, where nothing is known but the page; `root_path` is the path of the site's root."""
        problem = {
            "A903": f"leads out of the site, whose root is {root_path!r}"
            if root_path
            else "is absolute, so it leads astray wherever the site lies",
            "A904": "leads to no page or file of the site",
            "A905": f"leads to a page without an element with the id {self.fragment!r}",
        }[self.code]
        others = f" (and {self.count - 1} more pages)" if self.count > 1 else ""
        return Issue(self.label, 0, 0, self.code, f"the link {self.written!r} {problem}{others}")


class LinkCheck:
    """Gathers the internal links of bodies while they pass by, then checks them against the files of the built site.

    Links to files of which it is known that the site has them are right, and not gathered.
    """

    def __init__(self, root_path: str = "/", known: Container[str] = ()) -> None:
        self.root = _root(root_path)
        """The path of the site's root."""
        self._known = known
        self._links: dict[tuple[str | None, str], _Link] = {}

    def know(self, files: Container[str]) -> None:
        """Take note of files that the site has: links to them are not gathered from now on."""
        self._known = files

    def note_links(self, label: str, url: str, links: Iterable[str]) -> None:
        """Remember the links of a page or a file, as they are written in it."""
        for written, target, fragment in _internal(url, links, self.root):
            if target is None or fragment not in TOP or not self._is_known(target):
                self._keep(label, written, target, fragment)

    def note_address(self, label: str, written: str, address: str) -> None:
        """Remember a link of which it is known to which address of the site it leads."""
        if not self._is_known(address):
            self._keep(label, written, address, "")

    def add(self, other: LinkCheck) -> None:
        """Remember the links that another has gathered."""
        for key, link in other._links.items():
            # What comes from another process has a text of its own for each link of a page.
            link.label = intern(link.label)
            if (own := self._links.setdefault(key, link)) is not link:
                own.count += link.count
                own.label, own.written = min((own.label, own.written), (link.label, link.written))

    def _keep(self, label: str, written: str, target: str | None, fragment: str) -> None:
        # A target outside the site is told apart by how it is written, as it has no address in it.
        key = (target, fragment) if target is not None else (None, written)
        if (link := self._links.get(key)) is None:
            self._links[key] = _Link(label, written)
            return
        link.count += 1
        if (label, written) < (link.label, link.written):
            link.label, link.written = label, written

    def settle(self, ids_of: Callable[[str], Container[str]]) -> None:
        """Let go of links that are right: to elements that pages which the site is known to have are known to hold.

        Args:
            ids_of: The ids that the page at an address is known to have.
        """
        fragments: dict[str, list[str]] = {}
        for target, fragment in self._links:
            if target is not None and self._is_known(target):
                fragments.setdefault(target, []).append(fragment)
        for target, wanted in fragments.items():
            known = ids_of(target)
            for fragment in wanted:
                if fragment in known:
                    del self._links[target, fragment]

    def __len__(self) -> int:
        return len(self._links)

    def _is_known(self, address: str) -> bool:
        """Whether it is known that the site has a file at an address."""
        if address.endswith("/"):  # as those of nearly all links do
            return f"{address}index.html" in self._known
        return any(path in self._known for path in _paths_of(address))

    def alone(self) -> LinkCheck:
        """The links that were gathered, without what is known of files."""
        gathered = LinkCheck(self.root)
        gathered.add(self)
        return gathered

    def issues(self, find: Find, ids_of: Callable[[str], Container[str]] = no_ids) -> list[Issue]:
        """One issue for each target that the built site lacks.

        Args:
            find: Where each of its files lies.
            ids_of: The ids that the page at an address is known to have, besides any others.
        """
        return ordered(one.issue(self.root) for one in self.dead(find, ids_of))

    def dead(self, find: Find, ids_of: Callable[[str], Container[str]] = no_ids) -> list[DeadLink]:
        """Each target that the built site lacks.

        Args:
            find: Where each of its files lies.
            ids_of: The ids that the page at an address is known to have, besides any others.
        """
        fragments: dict[str, list[str]] = {}
        found: list[DeadLink] = []
        for (target, fragment), link in self._links.items():
            if target is None:
                found.append(_dead(link, "A903", None, ""))
            else:
                fragments.setdefault(target, []).append(fragment)
        for target, wanted in fragments.items():
            found += self._dead_of_target(find, target, wanted, ids_of)
        return found

    def _dead_of_target(
        self, find: Find, target: str, wanted: Iterable[str], ids_of: Callable[[str], Container[str]]
    ) -> Iterable[DeadLink]:
        file = file_of(find, target)
        anchors = [fragment for fragment in wanted if fragment not in TOP]
        if file is None:
            for fragment in wanted:
                yield _dead(self._links[target, fragment], "A904", target, fragment)
        elif anchors and file.suffix == ".html":
            known = ids_of(target)
            anchors = [one for one in anchors if one not in known]
            ids = ids_in(file.read_text(encoding="utf-8")) if anchors else frozenset()
            for fragment in anchors:
                if fragment not in ids:
                    yield _dead(self._links[target, fragment], "A905", target, fragment)


def file_of(find: Find, target: str) -> Path | None:
    """The built file at an address; a folder is served by its index page."""
    return next((found for found in map(find, _paths_of(target)) if found is not None), None)


def _paths_of(target: str) -> tuple[str, ...]:
    """The paths of the files that may be served at an address, the first of them that there is."""
    if target in ("", ".") or target.endswith("/"):
        return (f"{target.removesuffix('.')}index.html",)
    return target, f"{target}/index.html"


def _dead(link: _Link, code: str, target: str | None, fragment: str) -> DeadLink:
    return DeadLink(code, target, fragment, link.label, link.written, link.count)


def _root(path: str) -> str:
    return path if path.endswith("/") or not path else f"{path}/"


def _internal(url: str, links: Iterable[str], root: str) -> Iterator[tuple[str, str | None, str]]:
    """Those of the links at an address that stay on the site's own host, with the address and fragment they lead to.

    Each is there as it is written; one that leaves the site has no address.
    """
    bases: dict[str, str | None] = {}
    for written in links:
        if (plain := _PLAIN.fullmatch(written)) is None:
            parts = urlsplit(written)
            if not parts.scheme and not parts.netloc:
                yield written, _path(url, parts.path, root), unquote(parts.fragment)
            continue
        up, path, fragment = plain.groups("")
        if not up and not path:
            yield written, url, fragment
            continue
        if up not in bases:
            bases[up] = _base(url, up)
        base = bases[up]
        yield written, None if base is None else base + path, fragment


def _base(url: str, up: str) -> str | None:
    """The folder that so many steps up from an address lead to, empty for the root; None where they leave the site."""
    folders = url.split("/")[:-1]
    steps = len(folders) - (len(up) // 3 if up != "./" else 0)
    return "".join([f"{folder}/" for folder in folders[:steps]]) if steps >= 0 else None


def _path(url: str, path: str, root: str) -> str | None:
    """The address below the site's root that a link on the page `url` leads to; None where it leaves the site."""
    if not path:
        return url
    if path.startswith("/") and not root:
        return None  # whoever does not say where the site lies cannot say where this leads
    base, mount = (_MOUNT + url, _MOUNT) if not path.startswith("/") else ("/", root)
    # urljoin swallows steps above the host's root; _MOUNT stands below it so that they are seen.
    reached = unquote(urlsplit(urljoin(_BASE + base, path)).path)
    return reached.removeprefix(mount) if reached.startswith(mount) else None
