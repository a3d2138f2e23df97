"""What the shell proposes for an argument: the ids, variants and operators that there are.

Nothing is printed and no error is raised here, as the shell would show either in the middle of a line. Files are only
listed, never read, but for the one that variants stand in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from atlas.entries.folders import yaml_files
from atlas.entries.load import COLLECTION_FILES
from atlas.entries.tree import read
from atlas.exceptions import AtlasError
from atlas.issues import TITLES
from atlas.operators.catalogue import CATALOGUE
from atlas.project import Project, find_project, project_in

Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
Item = tuple[str, str]


def _project(ctx: click.Context) -> Project | None:
    """The project that the line so far is about."""
    named = ctx.params.get("project")
    if isinstance(named, Project):
        return named
    try:
        return find_project(Path.cwd()) if named is None else project_in(Path(str(named)))
    except (AtlasError, OSError):
        return None


def _completing(items: Callable[[click.Context, Project], Iterable[Item]]) -> Completion:
    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        project = _project(ctx)
        found = items(ctx, project) if project is not None else ()
        return [CompletionItem(name, help=text) for name, text in found if name.startswith(incomplete)]

    return complete


def _entries(project: Project) -> Iterator[Item]:
    if not project.content.is_dir():
        return
    for file in yaml_files(project.content):
        path = file.relative_to(project.content)
        if file.stem in COLLECTION_FILES and len(path.parts) == 2:
            yield path.parts[0], file.stem
        elif len(path.parts) > 1:
            yield path.with_suffix("").as_posix(), "component"


def _sources(project: Project) -> Iterator[Item]:
    if project.sources.is_dir():
        yield from ((file.stem, "source") for file in sorted(project.sources.glob("*.yml")))


def _variants(ctx: click.Context, project: Project) -> Iterator[Item]:
    # A line that ends with the option is not parsed to its end: what stands before it is left over.
    named = ctx.params.get("model") or ctx.params.get("name") or next(iter(ctx.args), None)
    folders = [project.content / str(named)] if named else sorted(project.content.glob("*/"))
    for folder in folders:
        file = folder / "model.yml"
        document, _ = read(file, file.name) if file.is_file() else (None, [])
        variants = document.value.get("variants") if document is not None else None
        if isinstance(variants, dict):
            yield from ((name, folder.name) for name in variants)


def _stacks(ctx: click.Context, project: Project) -> Iterator[Item]:
    """The folders that a new component can go into."""
    if project.content.is_dir():
        for folder in sorted(one for one in project.content.rglob("*") if one.is_dir()):
            yield folder.relative_to(project.content).as_posix() + "/", "folder"


entry_ids = _completing(lambda _, project: _entries(project))
"""Ids of collections and of entries."""
model_ids = _completing(lambda _, project: (one for one in _entries(project) if one[1] == "model"))
"""Ids of models."""
source_ids = _completing(lambda _, project: _sources(project))
"""Names of manifests."""
variant_names = _completing(_variants)
"""Variants of the model that is named, or of all."""
collection_ids = _completing(_stacks)
"""Folders of collections and stacks."""
everything = _completing(lambda _, project: [*_entries(project), *_sources(project), *_operators()])
"""Ids of collections, entries and manifests, and names of operators."""


def _operators() -> list[Item]:
    return [(name, one.title) for name, one in CATALOGUE.items()]


def operator_names(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of operators."""
    return [CompletionItem(name, help=title) for name, title in _operators() if name.startswith(incomplete)]


def issue_codes(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Codes of issues."""
    return [CompletionItem(code, help=title) for code, title in TITLES.items() if code.startswith(incomplete.upper())]
