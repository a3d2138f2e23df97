"""The calculator on a model's page: a field for every size, and the figures that its script counts anew.

The page holds the figures of the first variant already, so that nothing moves when the script takes over, and nothing
is missing without it. Fields and figures come from the graph; the script gets the same expressions as data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from atlas.checks.checked import CheckedCollection
from atlas.entries.collection import Model
from atlas.exceptions import SizeError
from atlas.graph.accounting import ModelAccount, StackAccount, grouped
from atlas.graph.choice import one_of_a_batch
from atlas.graph.program import program
from atlas.render.deferred import Maths
from atlas.render.figures_view import CACHE_BYTES
from atlas.render.parts import Parts
from atlas.render.program_data import Data, program_data
from atlas.render.units import binary

TOKENS = 1024
"""How many tokens the cache is shown for at first, and how long inputs are that nothing says more about."""


@dataclass(frozen=True, slots=True)
class FieldView:
    """A size that can be typed."""

    name: str
    """Its symbol in LaTeX, by which the script and the address know it."""
    id: str
    """What the ids of its elements end with."""
    symbol: Maths | None
    """Its symbol; None where it is no size of the model, as the number of tokens."""
    meaning: str
    """What it is."""
    value: str
    """Its value in the first variant; where it varies from layer to layer, all of them with commas."""
    varies: bool
    """Whether it has a value for each layer."""


@dataclass(frozen=True, slots=True)
class ResultView:
    """A figure that is counted."""

    key: str
    """By what the script knows it."""
    name: str
    """What is counted."""
    value: str
    """The figure at the sizes of the fields."""
    unit: str
    """What stands after the figure, or empty."""
    bytes: int = 0
    """For a size in memory: the bytes of each number."""
    binary: str = ""
    """For a size in memory: the same in the largest fitting unit, or empty."""


@dataclass(frozen=True, slots=True)
class CalculatorView:
    """The calculator of a model."""

    data_url: str
    """The script's data, below the site's root."""
    variants: tuple[tuple[str, str], ...]
    """Each variant's name with its title."""
    sizes: tuple[FieldView, ...]
    """The sizes of the model."""
    inputs: tuple[FieldView, ...]
    """The sizes of its inputs, and the number of tokens in the cache."""
    results: tuple[ResultView, ...]
    """The figures."""
    stacks: tuple[tuple[str, str, str, str], ...]
    """Each stack's path and title, how often it is there with weights of its own if not once, and its parameters."""


def data_page(collection_id: str) -> str:
    """The address of a calculator's data."""
    return f"calculator/{collection_id}.json"


def calculator_view(checked: CheckedCollection, parts: Parts) -> CalculatorView | None:
    """The calculator of a model that has a graph; None for another collection."""
    data, graph = checked.collection.data, checked.graph
    if not isinstance(data, Model) or graph is None or not checked.accounts:
        return None
    variant, account = next(iter(checked.accounts.items()))
    lengths = input_lengths(data)
    sizes = data.variants[variant].sizes
    paths = data.paths
    repeated = [path for path, stack in paths.items() if stack.layers is not None]
    inputs = [_field(name, f"in{index}", length, data, parts) for index, (name, length) in enumerate(lengths.items())]
    if account.cache:
        inputs.append(FieldView("tokens", "tokens", None, "tokens kept in the cache", str(TOKENS), varies=False))
    return CalculatorView(
        data_url=data_page(checked.collection.id),
        variants=tuple((name, one.title) for name, one in data.variants.items()),
        sizes=tuple(_field(name, str(index), value, data, parts) for index, (name, value) in enumerate(sizes.items())),
        inputs=tuple(inputs),
        results=_results(account, lengths, complete=data.complete),
        stacks=tuple(
            (one.name, paths[one.name].title, _times(one, repeated), grouped(one.total)) for one in account.stacks
        ),
    )


def _times(stack: StackAccount, repeated: Sequence[str]) -> str:
    """How often a stack is there; empty for one that is gone through once."""
    return str(stack.layers) if any(f"{stack.name}/".startswith(f"{path}/") for path in repeated) else ""


def calculator_data(checked: CheckedCollection) -> Data:
    """What the script is given: the program, and the sizes of each variant."""
    data, graph = checked.collection.data, checked.graph
    if not isinstance(data, Model) or graph is None:
        raise TypeError(f"{checked.collection.id} is no model with a graph")
    variants: dict[str, Data] = {
        name: {size: value if isinstance(value, int) else [*value] for size, value in one.sizes.items()}
        for name, one in data.variants.items()
    }
    return {"variants": variants, "program": program_data(program(graph, data))}


def input_lengths(model: Model) -> dict[str, int]:
    """A length for each size of the inputs: those of a published figure of the first variant, else one of a batch."""
    first = next(iter(model.variants.values()))
    stated = next((one.at for one in first.published if one.at), {})
    return {name: stated.get(name, length) for name, length in one_of_a_batch(model, first.sizes, TOKENS).items()}


def _field(name: str, number: str, value: int | tuple[int, ...], model: Model, parts: Parts) -> FieldView:
    shown = str(value) if isinstance(value, int) else ", ".join(map(str, value))
    return FieldView(
        name, number, parts.typesetting.maths(name), model.dimensions[name], shown, not isinstance(value, int)
    )


def _results(account: ModelAccount, lengths: Mapping[str, int], *, complete: bool) -> tuple[ResultView, ...]:
    """The figures; those that this kind of model cannot have are left out."""
    kept = account.cache
    counted = (
        ("total", "Parameters" if complete else "Documented parameters", account.total, 0),
        ("active", "Active parameters of one token", account.active if account.active != account.total else 0, 0),
        ("embedding", "Embedding parameters", account.embedding, 0),
        ("buffers", "Buffers", account.buffers, 0),
        ("token", "Cached numbers per token", kept, 0),
        *(("token", f"Cache per token in {name}", kept * width, width) for name, width in CACHE_BYTES),
        *(("tokens", f"Cache of all tokens in {name}", kept * width * TOKENS, width) for name, width in CACHE_BYTES),
        ("input", "Cached numbers per token of an input", account.input_cache, 0),
        ("window", "Cached numbers per token of a window", account.window_cache, 0),
        ("constant", "Numbers kept whatever the length", account.constant_state, 0),
    )
    found = [
        ResultView(key, name, grouped(count), "bytes" if width else "", width, binary(count) if width else "")
        for key, name, count, width in counted
        if count
    ]
    if account.macs.terms:
        found.append(ResultView("macs", "Multiply–accumulates of a forward pass", _macs(account, lengths), ""))
    return tuple(found)


def _macs(account: ModelAccount, lengths: Mapping[str, int]) -> str:
    try:
        return grouped(account.macs.value(lengths))
    except SizeError:  # a length that these inputs cannot have
        return "–"
