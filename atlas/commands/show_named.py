"""Finds what a name given to `atlas show` means when it is no model, and reports on it."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from atlas.checks.run import Outcome
from atlas.commands.checking import checked_project
from atlas.commands.output import ISSUES_FOUND, print_issues, say, summary
from atlas.commands.report import Report
from atlas.commands.show_entry import entry_report, library_report
from atlas.commands.show_other import operator_report, source_report
from atlas.entries.atlas import Atlas
from atlas.entries.collection import Library, Model
from atlas.exceptions import SourceError
from atlas.issues import Format
from atlas.operators.catalogue import CATALOGUE
from atlas.project import Project
from atlas.selection import select
from atlas.sources.pins import LOCK_NAME, PinLock, load_lock

PREFIXES = ("sources/", "operators/")
"""What says that a name is a manifest's, or an operator's, where a collection has the same."""
FEW = 4
"""So many names of each kind are told to somebody who gave none that there is."""


def named_report(
    ctx: click.Context, project: Project, atlas: Atlas, name: str, *, offline: bool, style: Format
) -> Report | None:
    """The report on what a name means; None where it is a model, or may be one that cannot be read."""
    bare = name.removesuffix(".yml").removeprefix("content/")
    collection = atlas.collections.get(bare)
    if collection is not None and isinstance(collection.data, Model):
        return None
    if (collection is not None and isinstance(collection.data, Library)) or _is_entry(project, bare):
        return _checked(ctx, project, bare, offline=offline, style=style)
    if (project.content / bare / "model.yml").is_file() or (project.content / bare / "library.yml").is_file():
        return None
    source, operator = (bare.removeprefix(prefix) for prefix in PREFIXES)
    if source in atlas.sources and not bare.startswith(PREFIXES[1]):
        return source_report(atlas.sources[source], _lock(project), atlas)
    if operator in CATALOGUE and not bare.startswith(PREFIXES[0]):
        return operator_report(CATALOGUE[operator], atlas)
    raise click.UsageError(_unknown(atlas, name), ctx)


def _is_entry(project: Project, name: str) -> bool:
    return "/" in name and ".." not in name.split("/") and (project.content / f"{name}.yml").is_file()


def _checked(ctx: click.Context, project: Project, name: str, *, offline: bool, style: Format) -> Report:
    """The report on a component or a library, whose checks must run first; where they fail, the command ends."""
    outcome = checked_project(project, offline, "link" if offline else project.missing_sources)
    if outcome.checked is None:
        _end(ctx, project, name, outcome, style)
    else:
        found = outcome.checked.collections.get(name)
        if found is not None:
            return library_report(found)
        for collection in outcome.checked.collections.values():
            for entry in collection.entries:
                if entry.entry.id == name:
                    return entry_report(entry, collection)
    raise click.UsageError(f"{name} is no component and no library", ctx)


def _end(ctx: click.Context, project: Project, name: str, outcome: Outcome, style: Format) -> None:
    """Print what is wrong with what was asked about, or say that something else is."""
    chosen = select(project, [name], Path.cwd())
    errors = [one for one in outcome.issues if one.severity == "error"]
    own = [one for one in errors if chosen.concerns(one.path)]
    print_issues(project, own, style)
    if own:
        say(f"{summary(own)}; its values are known once they are mended")
    else:
        say(f"nothing is wrong with {name}, but {summary(errors)} elsewhere end the checks: run `atlas check`")
    ctx.exit(ISSUES_FOUND)


def _lock(project: Project) -> PinLock:
    try:
        return load_lock(project.sources / LOCK_NAME)
    except SourceError as error:
        say(f"{error}; run `atlas pin --prove`")
        return PinLock()


def _unknown(atlas: Atlas, name: str) -> str:
    for key, one in atlas.collections.items():
        if isinstance(one.data, Model) and name in one.data.variants:
            return f"{name} is a variant of {key}: name {key} and --variant {name}"
    known = [*atlas.collections, *(entry.id for entry in atlas.entries), *atlas.sources, *CATALOGUE]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there is: {there_is(atlas)}"
    return f"there is no model, component, library, source or operator {name}; {hint}"


def there_is(atlas: Atlas) -> str:
    """What a command can be asked to show, kind by kind: a few of each, as an atlas may have thousands."""
    libraries = [key for key, one in atlas.collections.items() if isinstance(one.data, Library)]
    groups = {
        "models": [key for key in atlas.collections if key not in libraries],
        "libraries": libraries,
        "components": [entry.id for entry in atlas.entries],
        "sources": list(atlas.sources),
        "operators": list(CATALOGUE),
    }
    return "; ".join(f"{kind} {_few(names)}" for kind, names in groups.items() if names)


def _few(names: list[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW + 1 else ""
    return ", ".join(names[:FEW] if more else names) + more
