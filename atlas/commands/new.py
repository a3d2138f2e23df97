"""`atlas new`: files with marked blanks, which pass every check once these are filled in."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import click

from atlas.commands.completion import collection_ids, operator_names, source_ids
from atlas.commands.models import loaded_atlas
from atlas.commands.options import on_a_project
from atlas.commands.output import counted, say
from atlas.entries.atlas import Atlas, Collection
from atlas.entries.blanks import BLANK
from atlas.entries.collection import Model
from atlas.entries.folders import shown_path
from atlas.exceptions import UnknownOperatorError
from atlas.files import write_whole
from atlas.operators.catalogue import CATALOGUE, find
from atlas.operators.registry import Operator
from atlas.project import Project
from atlas.scaffold.collection import library_text, model_text, source_text
from atlas.scaffold.component import Place, component_text, neighbours_batch

WORD = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")
HTTPS = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~+/-]*)?")


@click.group(short_help="Write a file with marked blanks: a component, a model, a library or a source.")
def new() -> None:
    """Write a file with marked blanks, which passes every check once they are filled in.

    A blank is TODO(what belongs here). `atlas check` names each that is left, at its line, before anything else about
    the file. An existing file is never overwritten.
    """


@new.command(short_help="A component of a model, or a layer of a library.")
@click.argument("entry_id", metavar="ID", shell_complete=collection_ids)
@on_a_project
@click.option(
    "--operator",
    "operator_name",
    required=True,
    metavar="NAME",
    shell_complete=operator_names,
    help="The operator that the formula is checked against, such as rms_norm; its contract gives symbols and axes.",
)
@click.option("--batch", metavar="AXES", help="The batch axes, such as B,S.  [default: as its neighbours have them]")
@click.option(
    "--axis",
    "axes",
    multiple=True,
    metavar="NAME=SIZE",
    help="What a size of the operator's contract is called here, such as C=d; without it the size is a blank.",
)
@click.pass_context
def component(
    ctx: click.Context, entry_id: str, project: Project, operator_name: str, batch: str | None, axes: tuple[str, ...]
) -> None:
    """Write the entry of a component: content/ID.yml.

    ID is the collection, the stacks and the name with slashes between them, such as miniature/layers/rms-norm, or
    chainer/linear for a layer of a library. The file has what the operator's contract says: symbols, axes, parameters,
    what they bind, options and conventions. The formula is a blank, as it is written from the paper.

    \b
    Example:
      atlas new component miniature/layers/rms-norm --operator rms_norm --axis C=d
    """  # noqa: D301 - \b is click's mark of a paragraph whose lines stay
    operator = _operator(ctx, operator_name)
    atlas, _ = loaded_atlas(project)
    collection = _collection(ctx, project, atlas, entry_id)
    called = dict(_axis(ctx, operator, one) for one in axes)
    stated = tuple(one.strip() for one in batch.split(",") if one.strip()) if batch is not None else None
    place = Place(
        entry_id,
        collection,
        tuple(atlas.sources),
        neighbours_batch(collection, entry_id) if stated is None else stated,
        called,
    )
    name = entry_id.rpartition("/")[2]
    where = shown_path(collection.file, project.root)
    if isinstance(collection.data, Model):
        path = "/".join(entry_id.split("/")[1:-1])
        is_listed = name in collection.data.paths[path].components
        listed = f"name {name} among the `components` of the stack {path} in {where}"
    else:
        is_listed = name in collection.data.layers
        listed = f"name {name} among the `layers` in {where}"
    listed = f"{where} names {name} already" if is_listed else listed
    _write(ctx, project, project.content / f"{entry_id}.yml", component_text(operator, place), listed)


@new.command(short_help="A model: its stacks, sizes and variants.")
@click.argument("name", metavar="NAME")
@on_a_project
@click.option("--stack", default="layers", show_default=True, metavar="NAME", help="The name of its first stack.")
@click.pass_context
def model(ctx: click.Context, name: str, project: Project, stack: str) -> None:
    """Write the file of a model: content/NAME/model.yml, with one stack of equal layers."""
    _word(ctx, name)
    _word(ctx, stack)
    _no_collection(ctx, project, name)
    then = f"write its first component: atlas new component {name}/{stack}/… --operator …"
    _write(ctx, project, project.content / name / "model.yml", model_text(stack), then)


@new.command(short_help="A library whose layers are documented.")
@click.argument("name", metavar="NAME")
@on_a_project
@click.option("--source", metavar="NAME", shell_complete=source_ids, help="The manifest that pins the library.")
@click.pass_context
def library(ctx: click.Context, name: str, project: Project, source: str | None) -> None:
    """Write the file of a library: content/NAME/library.yml."""
    _word(ctx, name)
    _no_collection(ctx, project, name)
    known = {file.stem for file in project.sources.glob("*.yml")}
    if source is not None and source not in known:
        near = difflib.get_close_matches(source, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"`atlas new source {source}` writes one"
        raise click.UsageError(f"there is no manifest {source}; {hint}", ctx)
    then = f"write its first layer: atlas new component {name}/… --operator …"
    _write(ctx, project, project.content / name / "library.yml", library_text(source), then)


@new.command(short_help="The manifest of a pinned project, by hand; `atlas pin` writes it whole.")
@click.argument("name", metavar="NAME")
@on_a_project
@click.option("--title", help="The project's name as people write it.")
@click.option("--repository", metavar="URL", help="The https address of its git repository.")
@click.pass_context
def source(ctx: click.Context, name: str, project: Project, title: str | None, repository: str | None) -> None:
    """Write the manifest of a pinned project by hand: sources/NAME.yml.

    Where the project has a release or a repository that can be reached, `atlas pin` writes the whole manifest, with
    hashes, licence and proof, and nothing is left to fill in:

    \b
      atlas pin PACKAGE==VERSION PATH…

    This command is for all others: its blanks ask for hashes, which `git hash-object FILE` and `sha256sum ARCHIVE`
    tell.
    """  # noqa: D301 - \b is click's mark of a paragraph whose lines stay
    _word(ctx, name)
    if repository is not None and not HTTPS.fullmatch(repository):
        raise click.UsageError(f"{repository} is not an https address such as https://github.com/me/project", ctx)
    then = (
        "put the text of its licence beside it, then prove the pins: atlas pin --prove; or delete it, and let "
        f"`atlas pin PACKAGE==VERSION PATH… --name {name}` write all of it"
    )
    _write(ctx, project, project.sources / f"{name}.yml", source_text(title, repository), then)


def _operator(ctx: click.Context, name: str) -> Operator:
    try:
        return find(name)
    except UnknownOperatorError as error:
        near = difflib.get_close_matches(name, CATALOGUE, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(CATALOGUE)}"
        raise click.UsageError(f"no operator is called {name}; {hint}", ctx) from error


def _collection(ctx: click.Context, project: Project, atlas: Atlas, entry_id: str) -> Collection:
    """The collection that a new entry goes into; its id must have the parts that this collection needs."""
    parts = entry_id.split("/")
    for part in parts:
        _word(ctx, part)
    found = atlas.collections.get(parts[0])
    if found is None:
        if (project.content / parts[0]).is_dir():
            raise click.UsageError(f"{parts[0]} cannot be read yet; `atlas check` says what is wrong with it", ctx)
        near = difflib.get_close_matches(parts[0], atlas.collections, n=1)
        hint = f"did you mean {near[0]}?" if near else f"`atlas new model {parts[0]}` or `… library …` begins one"
        raise click.UsageError(f"there is no collection {parts[0]}; {hint}", ctx)
    if not isinstance(found.data, Model):
        if len(parts) != 2:
            raise click.UsageError(f"a layer of a library is called {parts[0]}/NAME", ctx)
        return found
    stack = "/".join(parts[1:-1])
    if stack not in found.data.paths:
        near = difflib.get_close_matches(stack, found.data.paths, n=1)
        hint = f"did you mean {parts[0]}/{near[0]}/{parts[-1]}?" if near else f"it has {', '.join(found.data.paths)}"
        told = f"{parts[0]} has no stack {stack}" if stack else f"a component of {parts[0]} stands in a stack"
        raise click.UsageError(f"{told}; {hint}", ctx)
    return found


def _axis(ctx: click.Context, operator: Operator, text: str) -> tuple[str, str]:
    name, equals, size = (part.strip() for part in text.partition("="))
    if not equals or not name or not size or not size.isprintable() or set(size) & set("[],:#&*!|>%@`\"'"):
        raise click.UsageError(
            f"--axis takes a size of the contract and what it is called here, such as C=d, not {text}", ctx
        )
    sizes = operator.contract.sizes
    if name not in sizes:
        known = f"has the sizes {', '.join(sizes)}" if sizes else "has no named sizes"
        raise click.UsageError(f"{operator.name} has no size {name}; its contract {operator.contract} {known}", ctx)
    return name, size


def _word(ctx: click.Context, name: str) -> None:
    if not WORD.fullmatch(name):
        message = f"`{name}` is no name of a file here: lower-case letters and digits, with hyphens between words"
        raise click.UsageError(message, ctx)


def _no_collection(ctx: click.Context, project: Project, name: str) -> None:
    for kind in ("model", "library"):
        if (project.content / name / f"{kind}.yml").exists():
            raise click.UsageError(f"{name} is a {kind} already: {shown_path(project.content / name, Path.cwd())}", ctx)


def _write(ctx: click.Context, project: Project, file: Path, text: str, then: str) -> None:
    shown = shown_path(file, Path.cwd())
    if file.exists():
        raise click.UsageError(f"{shown} is there already; delete it first, or choose another name", ctx)
    write_whole(file, text)
    blanks = len(BLANK.findall("\n".join(line for line in text.splitlines() if not line.startswith("#"))))
    click.echo(f"{shown} written with {counted(blanks, 'blank')}")
    say(f"next: fill in the blanks; {then}; `atlas check` says what is left")
