"""What commands about one model share: which model and variant are meant, and sizes that are set."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from atlas.checks.base import listed
from atlas.checks.model import runnable
from atlas.commands.output import ISSUES_FOUND, print_issues, say, summary
from atlas.entries.atlas import Atlas, Collection
from atlas.entries.collection import Model, Variant
from atlas.entries.folders import shown_path
from atlas.entries.load import load
from atlas.exceptions import SizeError
from atlas.graph.choice import Choice, SizeValue, choose
from atlas.graph.structure import Graph
from atlas.issues import Format, Issue
from atlas.project import Project


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model that can be counted and run."""

    collection: Collection
    """The model's folder."""
    model: Model
    """What its file states."""
    graph: Graph
    """Its graph."""

    def variant(self, ctx: click.Context, name: str | None) -> tuple[str, Variant]:
        """The variant that is meant; without a name the first."""
        variants = self.model.variants
        if name is None:
            return next(iter(variants.items()))
        if name not in variants:
            message = f"{self.collection.id} has no variant {name}; there is {listed(variants)}"
            raise click.UsageError(message, ctx)
        return name, variants[name]


class SizeSetting(click.ParamType[tuple[str, SizeValue]]):
    """A size and its value, such as `d=64`, or its values in the layers, such as `m=3,4,6,3`."""

    name = "SIZE=NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, SizeValue]:
        """The symbol and the number or numbers."""
        name, equals, text = str(value).rpartition("=")
        if not equals or not name.strip():
            self.fail(f"`{value}` is not of the form d=64 or m=3,4,6,3", param, ctx)
        numbers = []
        is_list = "," in text
        for part in text.strip().removesuffix(",").split(","):
            digits = part.strip()
            if not digits.isascii() or not digits.removeprefix("-").isdecimal() or len(digits) > 20:
                self.fail(f"{name.strip()} is set to `{part.strip()[:40]}`, which is no whole number", param, ctx)
            numbers.append(int(digits))
        return name.strip(), tuple(numbers) if is_list else numbers[0]


def setting_sizes(command: Any) -> Any:
    """Give a command `settings`."""
    return click.option(
        "--set",
        "settings",
        multiple=True,
        type=SizeSetting(),
        help="Another value for a size: d=64 or h_{kv}=2; where it varies from layer to layer a list: m=3,4,6,3.",
    )(command)


def loaded_atlas(project: Project) -> tuple[Atlas, list[Issue]]:
    """All content, and what is wrong with its files."""
    return load(project.root, project.content, project.sources)


def model_named(ctx: click.Context, project: Project, name: str, style: Format) -> Loaded:
    """The model with this id; where it does not hold, its issues are printed and the command ends."""
    atlas, issues = loaded_atlas(project)
    folder = shown_path(project.content / name, project.root)
    own = [issue for issue in issues if issue.path == folder or issue.path.startswith(f"{folder}/")]
    collection = atlas.collections.get(name)
    if collection is None and not own:
        raise click.UsageError(_unknown(atlas, name), ctx)
    if collection is not None and not isinstance(collection.data, Model):
        raise click.UsageError(f"{name} is a library, whose layers are no model", ctx)
    graph = None
    if collection is not None and not own:
        graph, own = runnable(collection)
        if graph is None and not own:  # an entry inherits from one elsewhere that could not be read
            own = issues
    if collection is None or graph is None or not isinstance(collection.data, Model):
        print_issues(project, own, style)
        say(f"{summary(own)}; the model cannot be built before they are mended")
        ctx.exit(ISSUES_FOUND)
    return Loaded(collection, collection.data, graph)


def chosen(
    ctx: click.Context,
    loaded: Loaded,
    own: Mapping[str, SizeValue],
    settings: Sequence[tuple[str, SizeValue]],
    defaults: Mapping[str, int],
) -> Choice:
    """The sizes that are meant; one that cannot be set is a usage error."""
    try:
        return choose(loaded.model, own, dict(settings), defaults)
    except SizeError as error:
        raise click.UsageError(str(error), ctx) from error


def _unknown(atlas: Atlas, name: str) -> str:
    models = {key: one.data for key, one in atlas.collections.items() if isinstance(one.data, Model)}
    for key, model in models.items():
        if name in model.variants:
            return f"{name} is a variant of {key}: name {key} and --variant {name}"
    near = difflib.get_close_matches(name, models, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there is {listed(models) or 'none'}"
    return f"there is no model {name}; {hint}"


def shown_sizes(choice: Choice) -> str:
    """The sizes as running text; those that nobody stated are marked."""
    return ", ".join(
        f"{name} = {_shown(value)}{' (default)' if name in choice.defaults else ''}"
        for name, value in choice.sizes.items()
    )


def shown_shape(shape: Sequence[int]) -> str:
    """A shape as running text: `[2, 7, 768]`."""
    return f"[{', '.join(map(str, shape))}]"


def _shown(value: SizeValue) -> str:
    return f"{value:,}" if isinstance(value, int) else f"[{', '.join(f'{one:,}' for one in value)}]"
