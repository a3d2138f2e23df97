"""`atlas run`: a model's forward pass with random weights, so that its shapes and values can be looked at."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import click

from atlas.checks.base import listed
from atlas.commands.completion import model_ids, variant_names
from atlas.commands.models import Loaded, chosen, model_named, setting_sizes, shown_shape, shown_sizes
from atlas.commands.options import NumberFormat, on_a_project
from atlas.commands.output import counted, print_json, say
from atlas.exceptions import SizeError, TooLargeError
from atlas.graph.accounting import ModelAccount, model_account
from atlas.graph.choice import Choice, SizeValue, small_lengths
from atlas.graph.forward import Run, Traced, run_randomly
from atlas.graph.memory import needed
from atlas.graph.naming import Values, values_of
from atlas.graph.statistics import Statistics, save_values, statistics
from atlas.graph.unroll import Step, placed
from atlas.graph.weights import weights_of
from atlas.issues import json_text, visible
from atlas.project import Project

GIGABYTE = 10**9


@dataclass(frozen=True, slots=True)
class Asked:
    """What is run."""

    loaded: Loaded
    """The model."""
    variant: str
    """The variant whose sizes are taken."""
    choice: Choice
    """The sizes."""
    seed: int
    """The seed of weights and inputs."""
    dtype: str
    """The floating-point type."""
    account: ModelAccount
    """What the model has and does at these sizes."""
    values: Values
    """The values that there will be."""
    shown: tuple[str, ...]
    """The keys of the values that are asked for."""


@click.command(short_help="Run a model with random weights, and show its shapes and values.")
@click.argument("model", shell_complete=model_ids)
@on_a_project
@click.option(
    "--variant",
    metavar="NAME",
    shell_complete=variant_names,
    help="The variant whose sizes are taken.  [default: the first]",
)
@setting_sizes
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of weights and inputs.")
@click.option(
    "--dtype",
    type=NumberFormat(["float32", "float64"]),
    default="float32",
    show_default=True,
    help="The type of weights and values; what an operator computes in may be wider.",
)
@click.option("--trace", is_flag=True, help="Print each step with the shapes that it reads and gives.")
@click.option("--value", "names", multiple=True, metavar="NAME", help="Tell this value, such as decoder[0].u_n.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.npz",
    help="Save every value by its name, as numpy.load reads them.",
)
@click.option(
    "--memory",
    type=click.FloatRange(min=0, min_open=True),
    default=4.0,
    show_default=True,
    metavar="GB",
    help="Refuse a run that would need more memory.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.pass_context
def run(
    ctx: click.Context,
    model: str,
    project: Project,
    variant: str | None,
    settings: tuple[tuple[str, SizeValue], ...],
    seed: int,
    dtype: str,
    trace: bool,
    names: tuple[str, ...],
    output: Path | None,
    memory: float,
    as_json: bool,
) -> None:
    """Run a MODEL forward with random weights on random inputs, at a variant's sizes or at others.

    The sizes of inputs, such as the batch and the number of positions, get small defaults that are told, all different,
    so that no axis of a shape can be taken for another (`atlas show`, which computes nothing, counts at larger ones);
    --set gives them and any other size another value.

    Every value of the model has a name: what the trace shows, such as decoder[0].u_n; decoder[1].x_n for what a layer
    takes from the one before; decoder.x_{n+1} for a stack's last.

    The same seed gives the same numbers. The weights are nobody's: only shapes, counts and the flow of data are the
    model's own.
    """
    if output is not None:
        _require_place(output)
    loaded = model_named(ctx, project, model, "json" if as_json else "text")
    if not loaded.model.complete:
        message = f"{model} is not complete: some of its components have no entry, so it cannot be run"
        raise click.UsageError(message, ctx)
    variant, own = loaded.variant(ctx, variant)
    choice = chosen(ctx, loaded, own.sizes, settings, small_lengths(loaded.model, own.sizes))
    values = values_of(loaded.graph, choice.bound)
    keys = tuple(values.find(name) for name in names)
    account = model_account(loaded.graph, choice.architecture)
    asked = Asked(loaded, variant, choice, seed, dtype, account, values, keys)
    _require_memory(asked, int(memory * GIGABYTE))
    if not as_json:
        _print_header(asked)
    lines = _Trace(asked)
    done = run_randomly(loaded.graph, choice.bound, seed, dtype, lines.print if trace and not as_json else None)
    if as_json:
        print_json(json_text(_data(asked, done, trace=trace)))
    else:
        _print_results(asked, done)
    if output is not None:
        say(f"{counted(save_values(output, done.values), 'value')} saved in {output}")


def _require_place(output: Path) -> None:
    """The values can be saved there: told before a run that may take long, and nothing is made for it."""
    folder = visible(str(output.parent))
    if not output.parent.is_dir():
        raise click.BadParameter(f"there is no folder {folder}", param_hint="'-o' / '--output'")
    try:
        with TemporaryFile(dir=output.parent):
            pass
    except OSError as error:
        message = f"nothing can be written in {folder}: {error.strerror}"
        raise click.BadParameter(message, param_hint="'-o' / '--output'") from error


def _require_memory(asked: Asked, limit: int) -> None:
    try:
        needed(asked.loaded.graph, asked.choice.bound, asked.dtype, limit)
    except TooLargeError as error:
        message = f"{asked.loaded.collection.id} is not run: {error}"
        raise SizeError(f"{message}; set smaller sizes with --set, or allow more with --memory") from error


def _print_header(asked: Asked) -> None:
    loaded = asked.loaded
    title = f"{loaded.model.title} {loaded.model.variants[asked.variant].title}"
    click.echo(f"{title} ({loaded.collection.id}, variant {asked.variant}), {asked.dtype}, seed {asked.seed}")
    click.echo(f"sizes: {shown_sizes(asked.choice)}")


class _Trace:
    """A line for each step, with the parameters that are first met there."""

    def __init__(self, asked: Asked) -> None:
        self.counts = _first_counts(asked.values)
        self.width = max((len(step.key) for step in asked.values.steps), default=0)

    def print(self, traced: Traced) -> None:
        """Print one step."""
        step = traced.step
        reads = ", ".join(
            f"{key} {shown_shape(traced.reads[key])} as {listed(symbols)}" for key, symbols in _reads(step).items()
        )
        writes = ", ".join(f"{key} {shown_shape(shape)}" for key, shape in traced.writes.items())
        line = f"{step.key:{self.width}}  {step.node.entry.data.title}: {reads or 'nothing'} → {writes}"
        click.echo(f"{line}; {counted(self.counts[step.key], 'parameter')}")


def _first_counts(values: Values) -> dict[str, int]:
    """For each step the learned numbers that no step before it has, so that they add up to the total."""
    counts = {step.key: 0 for step in values.steps}
    places = {f"{placed(step.node.block, step.weights)}/{step.node.name}": step.key for step in reversed(values.steps)}
    for weight in weights_of(values.steps):
        if weight.learned and weight.tied is None:
            counts[places[f"{placed(weight.node.block, weight.place)}/{weight.node.name}"]] += weight.count
    return counts


def _reads(step: Step) -> dict[str, list[str]]:
    """Each value that a step reads with the symbols that it enters as."""
    found: dict[str, list[str]] = {}
    for symbol, key in step.reads.items():
        found.setdefault(key, []).append(symbol)
    return found


def _print_results(asked: Asked, done: Run) -> None:
    found = _results(asked, done)
    width = max(map(len, found), default=0)
    for name, one in found.items():
        click.echo(f"{name:{width}}  {shown_shape(one.shape)}  {_spread(one)}")
    account, at = asked.account, asked.choice.bound.numbers
    active = f", {account.active:,} active" if account.active != account.total else ""
    buffers = f", {account.buffers:,} kept and not learned" if account.buffers else ""
    click.echo(f"{counted(account.total, 'parameter')}{active}{buffers}")
    inputs = ", ".join(f"{name} = {at[name]:,}" for name in asked.choice.inputs if name in at)
    click.echo(f"{account.macs.value(at):,} multiply–accumulates" + (f" for {inputs}" if inputs else ""))


def _results(asked: Asked, done: Run) -> dict[str, Statistics]:
    """The outputs and the values that are asked for, by key."""
    keys = dict.fromkeys((*map(asked.values.find, done.outputs), *asked.shown))
    return {key: statistics(done.values[key]) for key in keys}


def _spread(one: Statistics) -> str:
    if one.mean is None or one.deviation is None:
        return "no finite number"
    missing = f", {one.not_finite:,} not finite" if one.not_finite else ""
    return f"mean {one.mean:.6g}, deviation {one.deviation:.6g}{missing}"


def _data(asked: Asked, done: Run, *, trace: bool) -> dict[str, Any]:
    account = asked.account
    found: dict[str, Any] = {
        "model": asked.loaded.collection.id,
        "variant": asked.variant,
        "dtype": asked.dtype,
        "seed": asked.seed,
        "sizes": asked.choice.sizes,
        "defaults": sorted(asked.choice.defaults),
        "inputs": {name: asked.values.shapes[name] for name in asked.loaded.graph.inputs},
        "outputs": {key: asdict(statistics(done.values[key])) for key in map(asked.values.find, done.outputs)},
        "parameters": account.total,
        "active_parameters": account.active,
        "buffers": account.buffers,
        "multiply_accumulates": account.macs.value(asked.choice.bound.numbers),
    }
    if asked.shown:
        found["values"] = {key: asdict(statistics(done.values[key])) for key in asked.shown}
    if trace:
        counts = _first_counts(asked.values)
        found["trace"] = [_step_data(one, counts[one.step.key]) for one in done.trace]
    return found


def _step_data(traced: Traced, parameters: int) -> dict[str, Any]:
    step = traced.step
    reads = [{"value": key, "symbols": names, "shape": traced.reads[key]} for key, names in _reads(step).items()]
    return {
        "place": step.key,
        "component": step.node.entry.id,
        "operator": step.node.entry.data.operator,
        "reads": reads,
        "gives": [{"value": key, "shape": shape} for key, shape in traced.writes.items()],
        "parameters": parameters,
    }
