"""What somebody who names files, folders or entries asks about: those files, and all that the claims in them rest on.

An entry whose manifest, collection or inherited entry is wrong was not fully checked, so to call it sound because no
issue stands in its own file would be false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from atlas.checks.record_files import SUFFIX
from atlas.entries.atlas import texts_of_key
from atlas.entries.folders import shown_path, yaml_files
from atlas.entries.inherit import candidates
from atlas.entries.load import COLLECTION_FILES
from atlas.entries.tree import read
from atlas.exceptions import ProjectError
from atlas.project import Project
from atlas.sources.nearest import instead, nearest
from atlas.sources.pins import LOCK_NAME


@dataclass(frozen=True, slots=True)
class Selection:
    """Some of a project's files."""

    named: tuple[str, ...]
    """The files that were asked about, as issues name them."""
    rests_on: frozenset[str]
    """The paths at which an issue concerns them."""

    def concerns(self, path: str) -> bool:
        """Whether an issue at this path concerns what was asked about."""
        return path in self.rests_on


def select(project: Project, names: Iterable[str], here: Path) -> Selection:
    """The files that paths (from `here`, or from the project) and ids of entries or collections name.

    Raises:
        ProjectError: a name is none of the project's; the nearest that is one is told.
    """
    files = {file.resolve(): file for folder in (project.content, project.sources) for file in yaml_files(folder)}
    chosen: dict[str, Path] = {}
    for name in names:
        found = _named(project, name, here, files)
        if not found:
            raise ProjectError(_unknown(project, name, here, files.values()))
        chosen |= {shown_path(file, project.root): file for file in found}
    rests_on = {path for file in chosen.values() for path in _rests_on(project, file)}
    return Selection(tuple(chosen), frozenset(rests_on))


def _named(project: Project, name: str, here: Path, files: Mapping[Path, Path]) -> list[Path]:
    for base in (here, project.root, project.content):
        target = (base / name).resolve()
        found = [file for resolved, file in files.items() if resolved == target or target in resolved.parents]
        if found:
            return found
    by_id = (project.content / f"{name}.yml").resolve()
    return [files[by_id]] if by_id in files else []


def _unknown(project: Project, name: str, here: Path, files: Iterable[Path]) -> str:
    if (here / name).exists():
        return f"{name} holds no entry and no source manifest"
    contents = [file for file in files if file.is_relative_to(project.content)]
    ids = [file.relative_to(project.content).with_suffix("").as_posix() for file in contents]
    near = nearest(name, [*ids, *(shown_path(file, project.root) for file in files)])
    folders = list(dict.fromkeys(one.partition("/")[0] for one in ids))
    hint = f"did you mean {near}?" if near else instead(name, folders)
    return f"there is no file, folder or entry {name}; {hint}"


def _rests_on(project: Project, file: Path) -> Iterator[str]:
    """The file itself, its records, its collection, and what it inherits from or takes as a source, and so on."""
    seen, wanted = {file}, [file]
    while wanted:
        current = wanted.pop()
        yield shown_path(current, project.root)
        if not current.is_relative_to(project.content):
            yield shown_path(project.sources / LOCK_NAME, project.root)
            continue
        if current == file:
            yield shown_path(current.with_suffix(SUFFIX), project.root)
        collection = project.content / current.relative_to(project.content).parts[0]
        if collection != current:
            yield shown_path(collection, project.root)
        needed = [*(collection / f"{kind}.yml" for kind in COLLECTION_FILES), *_mentioned(project, current)]
        wanted += [one for one in needed if one not in seen]
        seen.update(needed)


def _mentioned(project: Project, file: Path) -> Iterator[Path]:
    """The files that an entry inherits from and the manifests that it names, as far as it can be read."""
    document, _ = read(file, file.name)
    if document is None:
        return
    parent = document.value.get("inherits")
    if isinstance(parent, str):
        name = file.relative_to(project.content).with_suffix("").as_posix()
        meant = (project.content / f"{candidate}.yml" for candidate in candidates(name, parent))
        yield from islice((one for one in meant if one.is_file()), 1)
    for source in texts_of_key("source", document):
        manifest = project.sources / f"{source}.yml"
        if manifest.is_file():
            yield manifest
