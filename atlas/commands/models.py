"""What commands about one model share: which model and variant are meant, and sizes that are set."""

from __future__ import annotations

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
from atlas.sources.nearest import instead


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
        """The variant that is meant by its name or by the title that pages show; without a name the first."""
        variants = self.model.variants
        if name is None:
            return next(iter(variants.items()))
        key = variant_called(variants, name)
        if key is None:
            there = (key if key == one.title else f"{key} ({one.title})" for key, one in variants.items())
            raise click.UsageError(f"{self.collection.id} has no variant {name}; there is {listed(there)}", ctx)
        return key, variants[key]


def variant_called(variants: Mapping[str, Variant], name: str) -> str | None:
    """The name of the variant that has this name, or else that alone has it as its title; None where none is so."""
    titled = [key for key, one in variants.items() if one.title.casefold() == name.casefold()]
    return name if name in variants else titled[0] if len(titled) == 1 else None


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
        raise click.UsageError(_unknown(project, atlas, name), ctx)
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


def _unknown(project: Project, atlas: Atlas, name: str) -> str:
    bare = name.removesuffix(".yml").removeprefix("content/")
    folder, _, inside = bare.partition("/")
    if (owner := atlas.collections.get(folder)) is not None and inside:
        if ".." not in inside.split("/") and (project.content / f"{bare}.yml").is_file():
            is_library = not isinstance(owner.data, Model)
            run = f"{folder} is a library, which has no model" if is_library else f"its model is {folder}"
            return f"{name} is no model, it is a component: `atlas show {bare}` tells what is known of it; {run}"
        if isinstance(owner.data, Model) and inside in owner.data.paths:
            return f"{name} is no model, it is a stack: its model is {folder}"
    models = {key: one.data for key, one in atlas.collections.items() if isinstance(one.data, Model)}
    for key, model in models.items():
        if (variant := variant_called(model.variants, name)) is not None:
            return f"{name} is a variant of {key}: name {key} and --variant {variant}"
    return f"there is no model {name}; {instead(name, models)}"


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
