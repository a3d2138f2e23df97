"""What `atlas doctor` looks at, one function for each part of the surroundings; nothing is changed or brought."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement

from atlas.checks.base import listed
from atlas.commands.output import counted
from atlas.entries.folders import shown_path
from atlas.entries.load import load
from atlas.entries.settings import PLUGIN
from atlas.exceptions import NoProjectError, ProjectError
from atlas.kept import FILE, VARIABLE, cache_folder
from atlas.node.environment import brought_node, made_already
from atlas.node.runtime import OLDEST, PREBUILT, choose, dotted, system_runtime, wheel_runtime
from atlas.project import Project, find_project, project_in
from atlas.scaffold.starter import PACKAGE
from atlas.sources.cache import BlobCache
from atlas.sources.pip_settings import read_pip_settings
from atlas.sources.reach import Reach, git_version, reach

State = Literal["ok", "note", "warn", "bad"]

KEPT = {"sources": "pinned files", "node": "Node.js and KaTeX", FILE: "results of earlier builds"}
"""What the folders and files of the cache hold, in words."""
UNITS = ("bytes", "KB", "MB", "GB")


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    about: str
    """What was looked at."""
    state: State
    """`bad` keeps commands from working; `warn` will, in some situation; `note` is what only some need."""
    text: str
    """What was found."""
    advice: str = ""
    """What to do; empty where nothing is to be done."""


def python() -> Iterator[Finding]:
    """Python and the packages that matter by their version."""
    found = dotted((sys.version_info.major, sys.version_info.minor, sys.version_info.micro))
    yield Finding("Python", "ok", f"{found} ({sys.executable})")
    yield Finding("OpenModelAtlas", "ok", f"{version(PACKAGE)}, MkDocs {version('mkdocs')}")
    unfit = list(_unfit("verify"))
    if unfit:
        text = f"{listed(unfit)}; only `atlas verify` needs them, to run whole models"
        yield Finding("Upstream libraries", "note", text, f"pip install '{PACKAGE}[verify]'")
    else:
        yield Finding("Upstream libraries", "ok", "those that `atlas verify` runs whole models with are installed")


def node() -> Iterator[Finding]:
    """Node.js, npm, and the environment that formulas are typeset in."""
    choice = choose(system_runtime(), wheel_runtime())
    runtime = choice.runtime or brought_node()
    if runtime is None:
        text = f"{listed(choice.refused)}; nodeenv will bring {dotted(PREBUILT)} once"
        advice = f"install Node.js {dotted(OLDEST)} or newer with npm, or pip install '{PACKAGE}[node]'"
        yield Finding("Node.js", "warn", text, advice)
        yield Finding("KaTeX", "warn", "not installed yet, as there is no Node.js", "run `atlas fetch` with a network")
        return
    yield Finding("Node.js", "ok", f"{dotted(runtime.version)}: {runtime.origin}")
    if runtime.npm:
        yield Finding("npm", "ok", " ".join(runtime.npm))
    else:
        yield Finding("npm", "bad", f"{runtime.origin} has none", f"pip install '{PACKAGE}[node]'")
    katex = made_already(runtime)
    if katex is not None:
        yield Finding("KaTeX", "ok", f"{katex}, in the cache")
    else:
        yield Finding("KaTeX", "warn", "not in the cache yet, or damaged", "run `atlas fetch` once, with a network")


def cache() -> Iterator[Finding]:
    """The cache, its sizes, and whether it can be written."""
    folder = cache_folder()
    sizes = {what: _size(folder / name) for name, what in KEPT.items()}
    text = f"{folder}: {', '.join(f'{_shown(size)} of {what}' for what, size in sizes.items())}"
    problem = _unwritable(folder)
    if problem:
        advice = f"set {VARIABLE} to a folder that can be written"
        yield Finding("Cache", "bad", f"{text}; it cannot be written: {problem}", advice)
    else:
        yield Finding("Cache", "ok", text)


def network(*, offline: bool) -> Iterator[Finding]:
    """Git, and the places that pip is set to look in."""
    git = git_version()
    if git is None:
        text = "there is none; `atlas pin --prove` and sources without an archive need it"
        yield Finding("git", "warn", text, "install git")
    else:
        yield Finding("git", "ok", git)
    settings = read_pip_settings()
    places = list(reach(settings, offline=offline))
    if not places:
        yield Finding("Packages", "warn", "pip is set to use no index and no folder", "see `pip config list`")
    any_reached = any(one.asked and not one.problem for one in places)
    for one in places:
        yield _place(one, any_reached)


def project(folder: Path | None) -> Iterator[Finding]:
    """The project here, and whether its pinned files are at hand."""
    try:
        found = find_project(Path.cwd()) if folder is None else project_in(folder)
    except ProjectError as error:
        is_missing = isinstance(error, NoProjectError)
        advice = "go into a project, or make one: atlas init DIR" if is_missing else "mend mkdocs.yml"
        yield Finding("Project", "warn" if is_missing else "bad", str(error), advice)
        return
    if not found.has_plugin:
        advice = f"add `plugins: [{PLUGIN}]`"
        yield Finding("Project", "bad", f"{found.config} does not list the plugin {PLUGIN}", advice)
    else:
        yield Finding("Project", "ok", str(found.config))
    yield from _content(found)


def _content(found: Project) -> Iterator[Finding]:
    atlas, issues = load(found.root, found.content, found.sources)
    if issues:
        where = listed(list(dict.fromkeys(issue.path for issue in issues))[:3])
        yield Finding("Content", "bad", f"{counted(len(issues), 'issue')} in {where}", "run `atlas check`")
    else:
        counts = f"{counted(len(atlas.collections), 'collection')}, {counted(len(atlas.entries), 'component')}"
        yield Finding("Content", "ok", f"{shown_path(found.content, Path.cwd())}: {counts}")
    blobs = [pinned.blob for source in atlas.sources.values() for pinned in source.data.files.values()]
    store = BlobCache()
    here = sum(store.place(blob).is_file() for blob in blobs)
    text = f"{here} of {counted(len(blobs), 'file')} in the cache"
    if here < len(blobs):
        yield Finding("Pinned files", "warn", text, "run `atlas fetch` with a network; builds then need none")
    else:
        yield Finding("Pinned files", "ok", text)


def _place(one: Reach, any_reached: bool) -> Finding:
    kind = "index" if one.is_index else "archives"
    where = "a folder" if one.where == "folder" else one.where
    about = f"pip looks in {one.place} ({kind}{'' if where == 'network' else f', {where}'})"
    if not one.asked:
        return Finding("Packages", "ok", f"{about}: not asked, because of --offline")
    if not one.problem:
        return Finding("Packages", "ok", f"{about}: {'is there' if one.where == 'folder' else 'answers'}")
    advice = "connect to the network, or name a mirror: pip config set global.index-url …"
    if one.where == "folder":
        advice = "correct it: `pip config list` shows where it is set"
    # As long as files come from elsewhere or are in the cache, this keeps nothing from working.
    return Finding("Packages", "warn", f"{about}: {one.problem}", "" if any_reached and one.is_index else advice)


def _unfit(extra: str) -> Iterator[str]:
    """What an extra asks for and is not installed, or in another version."""
    for text in requires(PACKAGE) or ():
        requirement = Requirement(text)
        if requirement.marker is None or not requirement.marker.evaluate({"extra": extra}):
            continue
        if requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            found = version(requirement.name)
        except PackageNotFoundError:
            yield f"{requirement.name} is not installed"
            continue
        if not requirement.specifier.contains(found, prereleases=True):
            yield f"{requirement.name} is {found}, not {requirement.specifier}"


def _size(folder: Path) -> int:
    """The bytes of a file, or of all files below a folder; links are not followed."""
    if folder.is_file():
        return folder.stat().st_size
    return sum(one.lstat().st_size for one in folder.rglob("*") if one.is_file() and not one.is_symlink())


def _shown(size: int) -> str:
    """Bytes as people read them."""
    number, unit = float(size), 0
    while number >= 1000 and unit < len(UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.0f} {UNITS[unit]}" if unit == 0 or number >= 10 else f"{number:.1f} {UNITS[unit]}"


def _unwritable(folder: Path) -> str:
    """Why nothing can be written below a folder, which need not be there yet; an empty text where it can."""
    nearest = next(one for one in (folder, *folder.parents) if one.exists())
    if not nearest.is_dir():
        return f"{nearest} is a file"
    try:
        with tempfile.TemporaryFile(dir=nearest):
            return ""
    except OSError as error:
        return error.strerror or str(error)
