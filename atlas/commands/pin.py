"""`atlas pin`: pins files of a release or a revision, or tells whether the pinned blobs belong to their revisions.

The two are told apart by their arguments: where files come from is written as no id of a source can be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from atlas.checks.base import listed
from atlas.commands.completion import source_ids
from atlas.commands.manifests import manifests
from atlas.commands.options import on_a_project
from atlas.commands.output import ISSUES_FOUND, counted, print_issues, say, summary
from atlas.commands.pin_files import is_origin, is_path, meant_release, named_by_source, pin_files
from atlas.entries.atlas import Source
from atlas.exceptions import HashMismatchError, MissingFileError, OfflineError, SourceError
from atlas.issues import Issue
from atlas.project import Project
from atlas.sources.pinning import Stated
from atlas.sources.pins import LOCK_NAME, PinLock, PinState, load_lock, pin_status, prove, save_lock


@click.command(short_help="Pin files of a release or revision, or tell what is known of the pins.")
@click.argument(
    "names",
    nargs=-1,
    metavar="[SOURCE... | SOURCE|PACKAGE==VERSION|URL@REVISION PATH...]",
    shell_complete=source_ids,
)
@on_a_project
@click.option("--name", metavar="SOURCE", help="The id of a new manifest.  [default: after the package or repository]")
@click.option("--title", help="The project's name as people write it.  [default: the package's]")
@click.option("--license", "licence", metavar="SPDX", help="The licence, where the project's files do not tell it.")
@click.option(
    "--license-text",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file with the licence's text, where the archive and the repository hold none.",
)
@click.option("--copyright", "holder", metavar="HOLDER", help="Who holds the copyright, where no licence text says it.")
@click.option("--file", metavar="ARCHIVE", help="Which archive of the release, where it has several.")
@click.option("--tag", help="The release's tag in the repository; pinned unproved where git cannot be asked.")
@click.option("--prove", "proving", is_flag=True, help=f"Ask git, and write the answers into sources/{LOCK_NAME}.")
@click.option(
    "--git-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Ask a copy of the repository on this machine, made by `git clone`, instead of its address.",
)
@click.pass_context
def pin(
    ctx: click.Context,
    names: tuple[str, ...],
    project: Project,
    name: str | None,
    title: str | None,
    licence: str | None,
    license_text: Path | None,
    holder: str | None,
    file: str | None,
    tag: str | None,
    proving: bool,
    git_dir: Path | None,
) -> None:
    """Pin files of a release or a revision, or tell what is known of the pins.

    \b
    atlas pin rotary==1.2.0 rotary/embedding.py
    atlas pin https://github.com/owner/name@v1.2.0 src/layer.py
    atlas pin rotary==1.2.0 https://github.com/owner/name@3f1c… src/rotary/embedding.py
    atlas pin rotary rotary/layers.py
    atlas pin --prove rotary

    With PACKAGE==VERSION, URL@REVISION or both, the PATHs in the repository are brought, hashed, and written into a
    manifest in sources, a new one or the one that the project has. Of a package the archive's SHA-256 and its licence
    are taken, and git is asked in its repository, at the release's tag, whether the archive's files are the commit's.

    With a SOURCE that there is and PATHs, files are added to it from where its others come from.

    With SOURCEs (names of manifests without .yml) or nothing it is told of each pin whether it was proved that its
    blob belongs to its revision. With --prove git is asked: the repository at its https address, or a copy of it in
    the folder that --git-dir names. A pin that was edited after its proof, or a commit that was never proved, is an
    issue. A release tag is none: pages say that it is not proved.
    """  # noqa: D301 - \b is click's mark of a paragraph whose lines stay
    written = {"--name": name, "--title": title, "--license": licence, "--license-text": license_text}
    written |= {"--copyright": holder, "--file": file, "--tag": tag}
    if slip := next(filter(None, map(meant_release, names)), None):
        raise click.UsageError(f"{slip[0]} names no release; write {slip[1]}", ctx)
    if not any(map(is_origin, names)) and any(map(is_path, names)):
        names, name = named_by_source(ctx, project, names)
    if any(map(is_origin, names)):
        if proving:
            raise click.UsageError(
                "--prove is for pins that are there; a new one is always proved where it can be", ctx
            )
        text = license_text.read_text(encoding="utf-8") if license_text is not None else None
        pin_files(ctx, project, names, name, Stated(title, licence, text, holder, file, tag, git_dir))
        return
    if unfit := [option for option, value in written.items() if value is not None]:
        raise click.UsageError(f"{unfit[0]} goes with PACKAGE==VERSION or URL@REVISION and the PATHs to pin", ctx)
    _tell_or_prove(ctx, project, names, proving, git_dir)


def _tell_or_prove(
    ctx: click.Context, project: Project, ids: Sequence[str], proving: bool, git_dir: Path | None
) -> None:
    if git_dir is not None and (not proving or len(ids) != 1):
        raise click.UsageError("--git-dir goes with --prove and exactly one SOURCE", ctx)
    sources, issues = manifests(ctx, project, ids)
    issues += _proved(project, sources, not ids, git_dir) if proving else _pin_states(project, sources)
    print_issues(project, issues, "text")
    if issues:
        say(summary(issues))
    ctx.exit(ISSUES_FOUND if issues else 0)


def _pin_states(project: Project, sources: Mapping[str, Source]) -> list[Issue]:
    """Print what the lock says of each pin that holds; the others are issues."""
    lock = load_lock(project.sources / LOCK_NAME)
    issues: list[Issue] = []
    for name, source in sources.items():
        for path in source.data.files:
            status = pin_status(name, source.data, path, lock)
            if status.state in (PinState.EDITED, PinState.NEVER_PROVED):
                issues.append(source.issue(status.field, "A502", status.message, status.advice))
            else:
                click.echo(f"{name}: {path}: {status.message}")
    return issues


def _proved(project: Project, sources: Mapping[str, Source], is_all: bool, git_dir: Path | None) -> list[Issue]:
    """Ask git about each source, keep the proofs, and tell what git does not confirm."""
    path = project.sources / LOCK_NAME
    try:
        lock = load_lock(path)
    except SourceError:
        if not is_all:  # the records of the other sources would be lost
            raise
        lock = PinLock()
    if is_all:
        present = {file.stem for file in project.sources.glob("*.yml")}
        lock = PinLock(tuple(record for record in lock.records if record.source in present))
    issues: list[Issue] = []
    unreached: list[str] = []
    for name, source in sources.items():
        say(f"{name}: asking git about {git_dir or source.data.repository}")
        try:
            records = prove(name, source.data, git_dir, lock=lock)
        except OfflineError as error:
            unreached.append(name)
            issues.append(source.issue(error.field, "A502", error.fact))
            continue
        except SourceError as error:
            issues.append(source.issue(error.field, "A502", str(error)))
            if isinstance(error, HashMismatchError | MissingFileError):  # disproved, unlike where git cannot be asked
                lock = lock.with_source(name, ())
            continue
        lock = lock.with_source(name, records)
        click.echo(f"{name}: {counted(len(records), 'file')} proved to belong to {source.data.revision}")
    save_lock(lock, path)
    if unreached:
        say(
            f"Git reached no repository of {listed(unreached)}: connect to the network and prove again. Or get a "
            "copy of the repository with `git clone` where there is a network, bring it here, and name its folder: "
            f"atlas pin --prove {unreached[0]} --git-dir FOLDER"
        )
    return issues
