"""What can be reached of the places that pinned files come from: pip's index and folders, and git.

`atlas doctor` asks; nothing is downloaded but the answer to whether one small page is there.
"""

from __future__ import annotations

import ipaddress
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import url2pathname

from unearth import Link, PackageFinder

from atlas.exceptions import SourceError
from atlas.sources.package import UNREACHABLE, open_session
from atlas.sources.pip_settings import PipSettings, locations

SECONDS = 8.0
"""How long an answer is waited for."""
PROBLEMS: tuple[type[Exception], ...] = (SourceError, ValueError, *UNREACHABLE)
PAGE = "pip/"
"""A page that every index has, and that is small; its whole list of names is not."""

Where = Literal["folder", "this machine", "network"]


@dataclass(frozen=True, slots=True)
class Reach:
    """One place and whether it can be reached."""

    place: str
    """Its address, without a password."""
    where: Where
    """Whether it is a folder, a server of this machine, or somewhere else."""
    is_index: bool
    """Whether it is an index; else it is a folder or page of archives."""
    problem: str
    """Why it cannot be reached; empty where it can, or was not asked."""
    asked: bool
    """Whether it was asked."""


def reach(settings: PipSettings, *, offline: bool = False) -> Iterator[Reach]:
    """Each place that pip is set to look in; offline those in the network are not asked."""
    default_index = PackageFinder().sources[0]["url"]
    for place, is_index in locations(settings, default_index):
        shown = Link(place).redacted if "://" in place else place
        folder = _folder(place)
        if folder is not None:
            problem = "" if folder.exists() else "there is no such file or folder"
            yield Reach(shown, "folder", is_index, problem, True)
            continue
        where: Where = "this machine" if _is_loopback(urlsplit(place).hostname) else "network"
        if offline and where == "network":
            yield Reach(shown, where, is_index, "", False)
            continue
        yield Reach(shown, where, is_index, _problem(settings, place, is_index), True)


def git_version() -> str | None:
    """What git says its version is; None where there is none that answers."""
    try:
        done = subprocess.run(["git", "--version"], capture_output=True, text=True, timeout=30, check=True)  # noqa: S607 - git is looked up on the PATH, as users have it
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip().removeprefix("git version ")


def _folder(place: str) -> Path | None:
    """The file or folder that a place is, where it is none of a network."""
    parts = urlsplit(place)
    if parts.scheme == "file":
        return Path(url2pathname(parts.path))
    return Path(place) if "://" not in place else None


def _is_loopback(host: str | None) -> bool:
    if host is None or host == "localhost":
        return host is not None
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.endswith(".localhost")


def _problem(settings: PipSettings, place: str, is_index: bool) -> str:
    """Why a place does not answer, in one line, or an empty text."""
    quick = replace(settings, timeout=min(settings.timeout, SECONDS))
    address = f"{place.rstrip('/')}/{PAGE}" if is_index else place
    try:
        with open_session(quick, [place] if is_index else []) as session:
            status = session.head(address).status_code
    except PROBLEMS as error:
        return " ".join((str(error) or type(error).__name__).split())
    if status in (401, 403, 407):
        return f"it answers with {status}: it wants a name and a password"
    return f"it answers with {status}" if status >= 500 else ""
