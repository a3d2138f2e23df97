"""`atlas show`: what a model has and does, counted from its entries; and what is known of any other entry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from atlas.checks.base import listed
from atlas.checks.configuration import Configuration, read_configuration
from atlas.checks.configuration_file import ConfigurationFile, load_configuration
from atlas.checks.graph import misfit_of_shapes
from atlas.checks.json_values import shown
from atlas.checks.published import PublishedCheck, check_published
from atlas.commands.completion import everything, variant_names
from atlas.commands.figures import Figures
from atlas.commands.models import Loaded, chosen, loaded_atlas, model_named, setting_sizes
from atlas.commands.options import on_a_project, perhaps_offline
from atlas.commands.output import ISSUES_FOUND, print_issues, print_json, say, summary
from atlas.commands.report import report_data, report_text
from atlas.commands.show_json import figures_data
from atlas.commands.show_named import named_report, there_is
from atlas.commands.show_text import figures_text, terminal_width
from atlas.entries.collection import Model
from atlas.exceptions import SizeError
from atlas.graph.accounting import ModelAccount, model_account
from atlas.graph.choice import Choice, SizeValue, one_of_a_batch
from atlas.graph.naming import Values, values_of
from atlas.issues import Format, Issue, json_text, visible
from atlas.project import Project

PIPED = 100
"""How many characters a line of a report has where it is printed to a file or a program; programs take --json."""
LENGTH = 128
"""The length of a sequence, or the rows and columns of an image, where nobody states another."""


@click.command(short_help="Count a model; tell what is known of a component, library, source or operator.")
@click.argument("name", required=False, metavar="[NAME]", shell_complete=everything)
@on_a_project
@perhaps_offline
@click.option(
    "--variant",
    metavar="NAME",
    shell_complete=variant_names,
    help="The variant whose sizes are taken.  [default: the first]",
)
@click.option(
    "--config",
    "config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.json",
    help="Take the sizes from this configuration of Hugging Face's library instead.",
)
@setting_sizes
@click.option("--tokens", type=click.IntRange(min=1), metavar="N", help="Tell what is kept for so many tokens, too.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.pass_context
def show(
    ctx: click.Context,
    name: str | None,
    project: Project,
    offline: bool,
    variant: str | None,
    config: Path | None,
    settings: tuple[tuple[str, SizeValue], ...],
    tokens: int | None,
    as_json: bool,
) -> None:
    """Show what a model has and does: parameters, what it keeps while it generates, computation, every value's shape.

    All figures follow from the entries. Those that depend on the sizes of inputs are given as an expression, and for
    one sequence or image of a length that is told; --set gives another, such as --set S=1024. (`atlas run`, which
    computes every value, takes smaller lengths where none is set.)

    NAME may also be a component or a library (values, checks with their state, where the numbers come from), a source
    (pins and who cites them) or an operator (contract, options, conventions, who uses it), such as
    gpt-2/decoder/self-attention, chainer, sources/chainer, rms_norm.

    With --config the sizes are those of a configuration file of a documented family, which its model_type names where
    NAME is left out. Every key is accounted for: a size, a setting that must be as documented, without consequence,
    no part of the architecture, or not understood.
    """
    style: Format = "json" if as_json else "text"
    file = load_configuration(config) if config is not None else None
    if file is not None and variant is not None:
        raise click.UsageError("--variant and --config both say which sizes are meant; give one of them", ctx)
    if name is None:
        name = _family(ctx, project, file)
    atlas, _ = loaded_atlas(project)
    report = named_report(ctx, project, atlas, name, offline=offline, style=style)
    if report is None:
        _show_model(ctx, project, name, file, variant, settings, tokens, style)
        return
    if variant is not None or file is not None or settings or tokens is not None:
        article = "an" if report.kind == "operator" else "a"
        options = "--variant, --config, --set and --tokens"
        raise click.UsageError(f"{options} go with a model; {name} is {article} {report.kind}", ctx)
    if as_json:
        print_json(json_text(report_data(report)))
    else:
        click.echo(report_text(report, terminal_width() or PIPED))


def _show_model(
    ctx: click.Context,
    project: Project,
    name: str,
    file: ConfigurationFile | None,
    variant: str | None,
    settings: tuple[tuple[str, SizeValue], ...],
    tokens: int | None,
    style: Format,
) -> None:
    """Count a model and print its figures."""
    loaded = model_named(ctx, project, name, style)
    configuration = None if file is None else _configuration(ctx, project, loaded, file, style)
    if configuration is not None:
        own = configuration.sizes
        variants = loaded.model.variants
        variant = next((key for key, one in variants.items() if one.sizes == own), None)
    else:
        variant, found = loaded.variant(ctx, variant)
        own = found.sizes
    choice = chosen(ctx, loaded, own, settings, one_of_a_batch(loaded.model, own, LENGTH))
    changed = any(choice.sizes.get(symbol) != value for symbol, value in own.items())
    try:
        account, values = _counted(loaded, choice)
    except SizeError as error:
        if file is None or configuration is None or changed:
            raise
        _end(ctx, project, [_misfit(file, configuration, error)], style)
    if tokens is not None and not account.cache:
        raise click.UsageError(f"{loaded.collection.id} keeps nothing for each token that it generates", ctx)
    published: tuple[PublishedCheck, ...] = ()
    if variant is not None and not changed and (configuration is None or configuration.understood):
        compared, issues = check_published(loaded.collection, {variant: account})
        if issues:
            _end(ctx, project, issues, style)
        published = compared[variant]
    path = file.path if file is not None else None
    figures = Figures(loaded, variant, changed, path, configuration, choice, account, values, published, tokens)
    if style == "json":
        print_json(json_text(figures_data(figures)))
    else:
        click.echo(figures_text(figures, terminal_width()))


def _counted(loaded: Loaded, choice: Choice) -> tuple[ModelAccount, Values]:
    """The counts and shapes at these sizes.

    Raises:
        SizeError: the sizes do not fit; the message names the component.
    """
    values = values_of(loaded.graph, choice.bound)
    misfit = misfit_of_shapes(loaded.graph, choice.bound)
    if misfit is not None:
        raise SizeError(misfit[2])
    return model_account(loaded.graph, choice.architecture), values


def _configuration(
    ctx: click.Context, project: Project, loaded: Loaded, file: ConfigurationFile, style: Format
) -> Configuration:
    """What the file says of the model; where it is one of another model, the command ends with issues."""
    upstream = loaded.model.upstream
    if upstream is None:
        message = f"{loaded.collection.id} states no library's configuration: there is no `upstream` in its file"
        raise click.UsageError(message, ctx)
    stated = file.data.get("model_type")
    if upstream.model_type is not None and stated not in (None, upstream.model_type):
        message = f"model_type is {shown(stated)}, but {loaded.collection.id} is of the type {upstream.model_type}"
        _end(ctx, project, [_issue(file, "model_type", "A620", message)], style)
    found = read_configuration(loaded.model, upstream, file.data)
    if found.problems:
        _end(ctx, project, [_issue(file, one.key, one.code, one.message, one.hint) for one in found.problems], style)
    return found


def _family(ctx: click.Context, project: Project, file: ConfigurationFile | None) -> str:
    """The model whose configurations have the file's `model_type`."""
    if file is None:
        atlas, _ = loaded_atlas(project)
        there = there_is(atlas)
        raise click.UsageError(f"name what to show, or a configuration with --config; there is: {there}", ctx)
    atlas, _ = loaded_atlas(project)
    families = {
        one.data.upstream.model_type: name
        for name, one in atlas.collections.items()
        if isinstance(one.data, Model) and one.data.upstream is not None and one.data.upstream.model_type is not None
    }
    stated = file.data.get("model_type")
    if isinstance(stated, str) and stated in families:
        return families[stated]
    known = f"documented are {listed(sorted(families))}" if families else "no family is documented"
    problem = "states no model_type" if stated is None else f"has the model_type {shown(stated)}"
    raise click.UsageError(f"{visible(file.path)} {problem}; {known}, or name the MODEL", ctx)


def _misfit(file: ConfigurationFile, configuration: Configuration, error: SizeError) -> Issue:
    """An issue about sizes that do not fit each other, with the keys that they come from."""
    origins = listed(f"{name} from {key}" for name, key in configuration.stated_by.items())
    return _issue(file, "", "A622", f"no model has these sizes: {error}", f"the sizes are {origins}")


def _issue(file: ConfigurationFile, key: str, code: str, message: str, hint: str = "") -> Issue:
    line, column = file.places.get(key, (0, 0))
    return Issue(file.path, line, column, code, message, hint)


def _end(ctx: click.Context, project: Project, issues: Sequence[Issue], style: Format) -> NoReturn:
    print_issues(project, issues, style)
    say(summary(issues))
    ctx.exit(ISSUES_FOUND)
