"""The source manifests that a command is about, by name."""

from __future__ import annotations

from collections.abc import Sequence

import click

from atlas.entries.atlas import Source
from atlas.entries.folders import shown_path
from atlas.entries.load import load
from atlas.exceptions import ProjectError
from atlas.issues import Issue
from atlas.project import Project
from atlas.sources.nearest import instead


def manifests(ctx: click.Context, project: Project, ids: Sequence[str]) -> tuple[dict[str, Source], list[Issue]]:
    """The sources with these ids, or all of them, and what is wrong with their manifests."""
    if not project.sources.is_dir():
        raise ProjectError(f"there is no folder {shown_path(project.sources, project.root)} of source manifests")
    atlas, issues = load(project.root, project.content, project.sources)
    folder = shown_path(project.sources, project.root)
    known = {file.stem for file in project.sources.glob("*.yml")} | set(atlas.sources)
    for name in ids:
        if name not in known:
            raise click.UsageError(f"there is no source {name}; {instead(name, sorted(known))}", ctx)
    files = {f"{folder}/{name}.yml" for name in ids}
    found = [one for one in issues if one.path in files or (not ids and f"{one.path}/".startswith(f"{folder}/"))]
    return {name: source for name, source in atlas.sources.items() if not ids or name in ids}, found
