"""`atlas repin`: moves a source's pins to another revision, and the line ranges of the excerpts with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from atlas.checks.record_files import SUFFIX, records_path
from atlas.commands.completion import source_ids
from atlas.commands.excerpts import Outcome, Quotation, find_again, quotations
from atlas.commands.manifests import manifests
from atlas.commands.options import on_a_project
from atlas.commands.output import ISSUES_FOUND, counted, say
from atlas.commands.progress import ProgressDisplay
from atlas.entries.atlas import Source
from atlas.entries.folders import shown_path
from atlas.entries.load import load
from atlas.entries.manifest import Manifest
from atlas.entries.manifest_text import changed_manifest
from atlas.entries.rewrite import with_lines
from atlas.entries.tree import KeyPath
from atlas.exceptions import SourceError
from atlas.files import write_all_whole
from atlas.project import Project
from atlas.sources.cache import BlobCache
from atlas.sources.moved import Comparison, Span
from atlas.sources.pinning import Stated
from atlas.sources.pins import LOCK_NAME, load_lock, lock_text
from atlas.sources.repinning import Repinned
from atlas.sources.repinning import repin as at_another_revision
from atlas.sources.store import SourceStore, pinned_text


@click.command(short_help="Move a source's pins to another revision, and the excerpts' lines with them.")
@click.argument("source_id", metavar="SOURCE", shell_complete=source_ids)
@on_a_project
@click.option(
    "--to",
    metavar="REVISION|VERSION",
    help="A commit, a tag or a version of the package.  [default: the newest version, or the main branch's tip]",
)
@click.option(
    "--tag",
    help="The new version's tag, where it is not named as the old one's was; unproved where git cannot be asked.",
)
@click.option("--file", metavar="ARCHIVE", help="Which archive of the new version, where it has several.")
@click.option(
    "--git-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Ask a copy of the repository on this machine, made by `git clone`, instead of its address.",
)
@click.option("--write", "writing", is_flag=True, help="Write the manifest and the lines; without it nothing changes.")
@click.pass_context
def repin(
    ctx: click.Context,
    source_id: str,
    project: Project,
    to: str | None,
    tag: str | None,
    file: str | None,
    git_dir: Path | None,
    writing: bool,
) -> None:
    """Move a source's pins to another revision, and the excerpts' lines with them.

    Every passage that content quotes from the SOURCE is looked for in the new files: a whole definition by its name,
    anything else by its lines. It is listed what moved, what changed (with how many lines), and what vanished; the
    code itself is not shown.

    With --write the manifest, the record of its proof and the digits of the `lines:` are written, all or nothing. While
    a passage has vanished nothing is written: change or remove that claim first. A passage that changed is to be read
    again, and recorded proofs that rest on it are stale.
    """
    sources, issues = manifests(ctx, project, [source_id])
    if source_id not in sources:
        told = f": {issues[0].message} (line {issues[0].line})" if issues else ""
        raise SourceError(f"{source_id}.yml is not sound, so its pins stay{told}; see `atlas check`")
    source = sources[source_id]
    quoted = list(quotations(project, source_id))
    stated = Stated(file=file, tag=tag, git_dir=git_dir)
    with ProgressDisplay() as progress:
        store = SourceStore({source_id: source.data}, progress=progress)
        moved = at_another_revision(source_id, source.data, to, stated, progress=progress)
        outcomes = _outcomes(store, source, moved, quoted)
    _tell(source, moved, outcomes)
    vanished = [one for one in outcomes if one.again is None]
    if moved.missing or vanished:
        what = counted(len(vanished), "passage") if vanished else counted(len(moved.missing), "file")
        say(f"{what} vanished: nothing is written; change or remove what needs them, and repin again")
        ctx.exit(ISSUES_FOUND)
    if moved.manifest == source.data:
        say(f"{source_id} is pinned so already")
        return
    if not writing:
        say("nothing is written; with --write it is")
        return
    if source.data.is_commit and not moved.records and tag is None:
        raise SourceError(
            f"{source_id} is pinned to a commit, and {moved.manifest.revision} would not be proved: name a clone of "
            "the repository with --git-dir, or the release's tag with --tag, which pins it unproved"
        )
    texts = _texts(project, source, moved, outcomes)
    cache = BlobCache()
    for content in moved.contents.values():
        cache.put(content)
    write_all_whole(texts)
    say(f"wrote {', '.join(sorted(shown_path(file, project.root) for file in texts))}")
    _tell_stale(project, source, moved, quoted)


def _outcomes(store: SourceStore, source: Source, moved: Repinned, quoted: Iterable[Quotation]) -> list[Outcome]:
    """What has become of each passage."""
    comparisons: dict[str, Comparison] = {}
    for path, content in moved.contents.items():
        old = store.file(source.id, path)
        comparisons[path] = Comparison(old, pinned_text(source.id, moved.manifest, path, content))
    reasons = {path: str(error) for path, error in moved.missing.items()}
    return [
        find_again(one, comparisons.get(path := one.claim.path), reasons.get(path, f"{source.path} pins no such file"))
        for one in quoted
    ]


def _tell(source: Source, moved: Repinned, outcomes: Sequence[Outcome]) -> None:
    old, new = source.data, moved.manifest
    click.echo(f"{source.id}: {_version(old)} → {_version(new)}")
    for note in moved.notes:
        say(note)
    for path, file in old.files.items():
        state = "vanished" if path in moved.missing else "unchanged" if file == new.files[path] else "changed"
        reason = f": {moved.missing[path]}" if path in moved.missing else ""
        click.echo(f"{source.id}: {path}: {state}{reason}")
    for one in outcomes:
        click.echo(_line(one))
    kinds = [_kind(one) for one in outcomes]
    counts = [f"{kinds.count(kind)} {kind}" for kind in ("unchanged", "moved", "changed", "vanished") if kind in kinds]
    say(f"{counted(len(outcomes), 'passage')}{': ' if counts else ''}{', '.join(counts)}")
    if moved.licence not in ("", old.license):
        say(f"the licence there is {moved.licence}, and {source.path} states {old.license}")


def _version(manifest: Manifest) -> str:
    revision = manifest.revision[:12] if manifest.is_commit else manifest.revision
    shown = f"{revision} ({manifest.release})" if manifest.release not in (None, manifest.revision) else revision
    return f"{manifest.artifact.pypi}, {shown}" if manifest.artifact is not None else shown


def _kind(one: Outcome) -> str:
    if one.again is None:
        return "vanished"
    if not one.again.is_unchanged:
        return "changed"
    return "unchanged" if one.again.span == one.quotation.claim.span else "moved"


def _line(one: Outcome) -> str:
    claim, kind = one.quotation.claim, _kind(one)
    text = f"{one.quotation.place}: {claim.id}: lines {_shown(claim.span)}"
    if one.again is None:
        return f"{text} vanished: {one.reason}"
    if one.again.span != claim.span:
        text += f" → {_shown(one.again.span)}"
    return f"{text} {kind}" + (f" (+{one.again.added} −{one.again.removed})" if kind == "changed" else "")


def _shown(span: Span) -> str:
    return str(span[0]) if span[0] == span[1] else f"{span[0]}-{span[1]}"


def _texts(project: Project, source: Source, moved: Repinned, outcomes: Iterable[Outcome]) -> dict[Path, str]:
    """Every file that changes, with its text."""
    lock = load_lock(project.sources / LOCK_NAME).with_source(source.id, moved.records)
    texts = {
        source.file.resolve(): changed_manifest(source.document, source.data, moved.manifest),
        project.sources / LOCK_NAME: lock_text(lock),
    }
    ranges: dict[Path, dict[KeyPath, Span]] = {}
    documents = {}
    for one in outcomes:
        quoted = one.quotation
        documents[quoted.file] = quoted.document
        if one.again is not None:
            ranges.setdefault(quoted.file, {})[*quoted.where, "lines"] = one.again.span
    for file, found in ranges.items():
        text = with_lines(documents[file], found)
        if text != documents[file].texts[documents[file].path]:
            texts[file.resolve()] = text
    return texts


def _tell_stale(project: Project, source: Source, moved: Repinned, quoted: Iterable[Quotation]) -> None:
    """Say which recorded proofs rest on files that are others now."""
    changed = {path for path, file in source.data.files.items() if file != moved.manifest.files[path]}
    files = {one.file.with_suffix(SUFFIX) for one in quoted if one.claim.path in changed}
    atlas, _ = load(project.root, project.content, project.sources)
    for entry in atlas.entries:  # one that inherits a claim does not write it
        if any(claim.source == source.id and claim.path in changed for claim in entry.data.sources):
            files.add(records_path(entry))
    stale = sorted(shown_path(file, project.root) for file in files if file.is_file())
    if stale:
        say(f"recorded proofs that rest on changed files are stale: {', '.join(stale)}; run `atlas verify --record`")
