"""Pinning files: what `atlas pin` writes when it is given a release or a revision and paths.

The manifest, the licence's text and the record of the proof are written together or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click
from pydantic import TypeAdapter, ValidationError

from atlas.commands.manifests import manifests
from atlas.commands.output import counted, say
from atlas.commands.progress import ProgressDisplay
from atlas.entries.atlas import Source
from atlas.entries.base import Identifier
from atlas.entries.folders import shown_path
from atlas.entries.load import load
from atlas.entries.manifest_text import changed_manifest, new_manifest
from atlas.exceptions import SourceError
from atlas.files import write_all_whole
from atlas.project import Project
from atlas.sources.cache import BlobCache
from atlas.sources.pinning import Origin, Pinned, Stated, pin_more, pin_new, read_origins
from atlas.sources.pins import LOCK_NAME, load_lock, lock_text

LICENCES = "licenses"
_SLIP = re.compile(r"([A-Za-z0-9][\w.-]*?)(?:=|@|===)(\d[\w.+!-]*)")


def is_origin(name: str) -> bool:
    """Whether an argument names where files come from; neither the id of a source nor a path can look so."""
    return "==" in name or "://" in name


def is_path(name: str) -> bool:
    """Whether an argument that is no origin is the path of a file, which the id of a source cannot look like."""
    return "/" in name or "." in name


def named_by_source(ctx: click.Context, project: Project, names: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """The names with the origin that a source's manifest states for its id, which stands first, and that id."""
    source_id, *paths = names
    if is_path(source_id):
        known = sorted(file.stem for file in project.sources.glob("*.yml"))
        there = f"; there is {', '.join(known)}" if known else ""
        message = (
            f"{source_id} is a path, and nothing says of which source: write `atlas pin SOURCE {source_id}`{there}"
        )
        raise click.UsageError(f"{message}, or PACKAGE==VERSION or URL@REVISION for a new one", ctx)
    if strange := next((one for one in paths if not is_path(one)), None):
        raise click.UsageError(f"{strange} is no path of a file; name one SOURCE, and its PATHs after it", ctx)
    return (_existing(ctx, project, source_id).data.origin, *paths), source_id


def meant_release(name: str) -> tuple[str, str] | None:
    """An argument that is a release but for its signs, such as `name=1.0` and `name@1.0`, and how it is written."""
    found = _SLIP.fullmatch(name)
    return (name, f"{found[1]}=={found[2]}") if found is not None else None


def pin_files(ctx: click.Context, project: Project, names: Sequence[str], name: str | None, stated: Stated) -> None:
    """Pin the files that come after the origins among the names.

    Raises:
        SourceError: they cannot be had, or proved, or what a manifest states of them is not known.
    """
    origins = [one for one in names if is_origin(one)]
    paths = list(dict.fromkeys(one for one in names if not is_origin(one)))
    if not paths:
        raise click.UsageError(f"which files of {' and '.join(origins)}? Name their paths in the repository", ctx)
    try:
        origin = read_origins(origins)
    except SourceError as error:
        raise click.UsageError(str(error), ctx) from error
    source_id = _source_id(ctx, project, origin, name)
    manifest_file = project.sources / f"{source_id}.yml"
    source = _existing(ctx, project, source_id) if manifest_file.exists() else None
    with ProgressDisplay() as progress:
        if source is None:
            pinned = pin_new(source_id, origin, paths, stated, progress=progress)
        else:
            pinned = pin_more(source_id, source.data, origin, paths, stated, progress=progress)
    texts = _texts(project, source_id, source, pinned, stated)
    cache = BlobCache()
    for content in pinned.contents.values():
        cache.put(content)
    write_all_whole(texts)
    manifest = pinned.manifest
    for path in paths:
        click.echo(f"{source_id}: {path}: blob {manifest.files[path].blob}")
    for note in pinned.notes:
        say(note)
    what = "proved to belong to" if pinned.records else "pinned to the release"
    say(f"{shown_path(manifest_file, project.root)}: {counted(len(paths), 'file')} {what} {manifest.revision}")


def _source_id(ctx: click.Context, project: Project, origin: Origin, name: str | None) -> str:
    """What the source is called: as stated, as a manifest of the same project, or after its package or repository."""
    if name is None:
        atlas, _ = load(project.root, project.content, project.sources)
        package = origin.pypi and origin.pypi.partition("==")[0].lower()
        for other, source in atlas.sources.items():
            artifact = source.data.artifact
            same_package = artifact is not None and artifact.pypi.partition("==")[0].lower() == package
            if same_package or source.data.repository.removesuffix(".git") == origin.repository:
                return other
    source_id = origin.name if name is None else name
    try:
        return TypeAdapter[str](Identifier).validate_python(source_id)
    except ValidationError:
        raise click.UsageError(
            f"{source_id} cannot be a source's name: lower-case letters and digits with hyphens between; set --name",
            ctx,
        ) from None


def _existing(ctx: click.Context, project: Project, source_id: str) -> Source:
    sources, issues = manifests(ctx, project, [source_id])
    if source_id not in sources:
        told = f": {issues[0].message} (line {issues[0].line})" if issues else ""
        raise SourceError(f"{source_id}.yml is not sound, so nothing is added to it{told}; see `atlas check`")
    return sources[source_id]


def _texts(project: Project, source_id: str, source: Source | None, pinned: Pinned, stated: Stated) -> dict[Path, str]:
    """Every file to write, with its text."""
    manifest = pinned.manifest
    texts: dict[Path, str] = {}
    if source is None:
        place, is_new = _licence_place(project, manifest.license_text, pinned.licence_text)
        manifest = manifest.model_copy(update={"license_text": place})
        if is_new:
            texts[project.sources / place] = pinned.licence_text
        texts[project.sources / f"{source_id}.yml"] = new_manifest(manifest)
    else:
        texts[source.file.resolve()] = changed_manifest(source.document, source.data, manifest)
    if pinned.records:
        lock = load_lock(project.sources / LOCK_NAME).with_source(source_id, pinned.records)
        texts[project.sources / LOCK_NAME] = lock_text(lock)
    return texts


def _licence_place(project: Project, place: str, text: str) -> tuple[str, bool]:
    """Where the licence's text is, beside the manifest, and whether it is yet to be written there."""
    for file in sorted((project.sources / LICENCES).glob("*")):
        if file.is_file() and file.read_text(encoding="utf-8", errors="replace").strip() == text.strip():
            return f"{LICENCES}/{file.name}", False
    if (project.sources / place).exists():
        raise SourceError(f"sources/{place} holds another text than this licence; move it away, or set --name")
    return place, True
