"""Old addresses that lead to new ones, judged before any is written: one from an address that is taken, and the like.

A check knows of the addresses of pages without making them, a build of all files that it made; both judge alike.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from atlas.issues import Issue

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*/?")
"""What an address looks like that a page may have had."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """An address that leads to another, and where that is stated."""

    old: str
    """The address that was, below the site's root, as it is stated."""
    target: str
    """The address that it leads to."""
    path: str
    """The file that states it, as issues name it."""
    line: int
    """The 1-based line of that file; 0 where it is not known."""
    column: int
    """The 1-based column; 0 where it is not known."""


def file_of(address: str) -> str:
    """The file in the site that is served at an address."""
    path = address.partition("#")[0]
    if path.endswith(".html"):
        return path
    return posixpath.join(path, "index.html") if path else "index.html"


def judged(
    redirects: Iterable[Redirect], taken: Mapping[str, str], has: Callable[[str], bool] | None = None
) -> tuple[dict[str, tuple[Redirect, str]], list[Issue]]:
    """The redirects that can be kept, by the file that each would be, with where it leads at last; and the issues.

    Args:
        redirects: What is stated, by whomever.
        taken: Every file of the site that is known, by its path in it, with what it is made from.
        has: Whether the site may have a file that is not among these; without it, there is no other.
    """
    sound, issues = _sound(redirects, taken)
    kept: dict[str, tuple[Redirect, str]] = {}
    for file, redirect in sound.items():
        target, problem = _end(redirect, sound, taken, has)
        if problem is not None:
            issues.append(problem)
        else:
            kept[file] = (redirect, target)
    return kept, issues


def places_in(file: Path) -> dict[str, tuple[int, int]]:
    """The line and column of each redirect in mkdocs.yml; none of those that another file states.

    Raises:
        OSError: the file cannot be read.
        yaml.YAMLError: it is not YAML.
    """
    with file.open(encoding="utf-8-sig") as text:
        found = yaml.compose(text, yaml.SafeLoader)
    for name in ("plugins", "atlas", "redirects"):
        found = _value(found, name)
    if not isinstance(found, yaml.MappingNode):
        return {}
    marks = ((key.value, key.start_mark) for key, _ in found.value if isinstance(key, yaml.ScalarNode))
    return {name: (mark.line + 1, mark.column + 1) for name, mark in marks}


def _value(node: yaml.Node | None, name: str) -> yaml.Node | None:
    """What a mapping has under a name, or a list of mappings in the first that has it."""
    if isinstance(node, yaml.SequenceNode):
        return next((found for one in node.value if (found := _value(one, name)) is not None), None)
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == name), None)
    return None


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


def _end(
    one: Redirect, sound: Mapping[str, Redirect], taken: Mapping[str, str], has: Callable[[str], bool] | None
) -> tuple[str, Issue | None]:
    """The address to which a redirect leads at last, and why it leads to none."""
    chain, target = [one.old], one.target
    while True:
        if target.startswith("/") or "://" in target or ".." in target.partition("#")[0].split("/"):
            hint = "write it below the site's root without a slash before it"
            return target, _issue(
                one, "A907", f"the redirect leads to {target!r}, which is no address of the site", hint
            )
        file = file_of(target)
        if file in taken or (has is not None and file not in sound and has(file)):
            path, mark, fragment = target.partition("#")
            is_folder = bool(path) and not path.endswith(("/", ".html"))
            return f"{path}{'/' if is_folder else ''}{mark}{fragment}", None
        following = sound.get(file)
        if following is None:
            known = [posixpath.dirname(name) for name in taken if posixpath.basename(name) == "index.html"]
            near = difflib.get_close_matches(target.strip("/"), known, n=1)
            hint = f"did you mean {near[0]}/?" if near else "write the address of a page, or take the redirect away"
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
