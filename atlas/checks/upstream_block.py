"""What a model's file says about the upstream model, as far as it can be checked without the library.

`atlas verify` then builds the upstream model from it; a name that names nothing is better told before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from atlas.checks.base import unknown
from atlas.entries.atlas import Atlas, Collection
from atlas.entries.collection import Model, Upstream
from atlas.exceptions import ShapeError, SizeError, UpstreamError
from atlas.graph.build import spelled
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes
from atlas.graph.weights import upstream_shapes, weights
from atlas.issues import Issue
from atlas.sizes import size
from atlas.upstream.library_config import configuration, tiny_sizes
from atlas.upstream.library_values import value_id, watched
from atlas.upstream.whole_model import Named

CODE = "A608"


def check_upstream_block(collection: Collection, graph: Graph | None, atlas: Atlas) -> Iterator[Issue]:
    """The manifest, the sizes, and the values that are named; `graph` is None where the graph itself does not hold."""
    model = collection.data
    if not isinstance(model, Model) or model.upstream is None:
        return
    upstream = model.upstream
    if upstream.source not in atlas.sources and upstream.source not in atlas.unread:
        message = f"no manifest is called {upstream.source}"
        yield unknown(collection, ("upstream", "source"), "A116", message, upstream.source, atlas.sources)
    if not model.complete:
        message = "a model that is documented in part is not compared with upstream’s as a whole"
        yield collection.issue_at_key(("upstream",), CODE, message, "document the rest, or remove `upstream`")
        return
    sizes = list(_sizes(collection, model, upstream))
    yield from sizes
    yield from _departures(collection, model, upstream)
    if graph is not None and not sizes:
        yield from check_names(collection, graph, "upstream", upstream, tiny_sizes(upstream))


def check_tiny(
    collection: Collection, model: Model, block: str, tiny: Mapping[str, int | tuple[int, ...]]
) -> Iterator[Issue]:
    """The tiny sizes are those of the model's dimensions, and no mistake in a size can hide behind them.

    With a size of 1 an axis may be anywhere, and of two sizes that are equal one may stand for the other.
    """
    for name in tiny:
        if name not in model.dimensions:
            message = f"{name} is no dimension of the model"
            yield unknown(collection, (block, "tiny", name), CODE, message, name, model.dimensions, at_key=True)
    known: dict[int, str] = {}
    for name, value in tiny.items():
        at = (block, "tiny", name)
        if min((value,) if isinstance(value, int) else value) < 2:
            message = f"the tiny size {name} has the value 1, with which a mistake in it would not be seen"
            yield collection.issue(at, CODE, message, "make it at least 2")
        elif not isinstance(value, int):
            if len(set(value)) == 1:
                message = f"the tiny size {name} has the same value in every layer, so a wrong layer would not be seen"
                yield collection.issue(at, CODE, message, "give it different values")
        elif (other := known.setdefault(value, name)) != name:
            message = f"the tiny sizes {other} and {name} are both {value}, so one might stand for the other unseen"
            yield collection.issue(at, CODE, message, "make them different")


def _sizes(collection: Collection, model: Model, upstream: Upstream) -> Iterator[Issue]:
    """Every key is a size in every variant and at the tiny sizes."""
    yield from check_tiny(collection, model, "upstream", upstream.tiny)
    bindings = {"the tiny sizes": tiny_sizes(upstream)}
    bindings |= {f"the variant {name}": Sizes.of(variant) for name, variant in model.variants.items()}
    for name, stated in upstream.keys.items():
        one_key = upstream.model_copy(update={"keys": {name: stated}, "settings": {}})
        for where, sizes in bindings.items():
            try:
                configuration(one_key, sizes)
            except SizeError as error:
                yield collection.issue(("upstream", "keys", name), CODE, f"in {where}, {error}")
                break


def _departures(collection: Collection, model: Model, upstream: Upstream) -> Iterator[Issue]:
    """A size that by default follows from others follows from them in every variant, or a pinned source sets it."""
    for variant_name, variant in model.variants.items():
        for key, default in upstream.defaults.items():
            stated = upstream.keys[key]
            if not isinstance(default, str) or not isinstance(stated, str) or not size(default).symbols:
                continue
            name = stated.strip()
            if name not in variant.numbers or name in variant.settings:
                continue
            try:
                value = size(default).value(variant.numbers)
            except SizeError:
                continue  # a size that has no value is told of where it is needed
            if value != variant.numbers[name]:
                message = f"{name} is {variant.numbers[name]:,} in the variant {variant_name}, but nothing sets it"
                message += f", and by default {upstream.config} has {default} for {key}, which is {value:,}"
                hint = f"say under `settings` where the source sets {name}"
                yield collection.issue(("variants", variant_name, "sizes", name), CODE, message, hint)


def check_names(collection: Collection, graph: Graph, block: str, named: Named, sizes: Sizes) -> Iterator[Issue]:
    """Inputs, outputs and states are values of the graph, and the model can be built at the tiny sizes."""
    yield from _inputs(collection, graph, block, named)
    missing = list(_missing(collection, graph, block, named))
    yield from missing
    if missing:
        return
    try:
        watched(graph, named, sizes)
        upstream_shapes(weights(graph, sizes))
        for axis in (axis for name in graph.inputs for axis in graph.values[name].axes):
            axis.value(sizes.numbers)
    except UpstreamError as error:
        yield collection.issue_at_key((block, "states"), CODE, str(error))
    except (SizeError, ShapeError) as error:
        message = f"at the tiny sizes the model cannot be built: {error}"
        yield collection.issue_at_key((block, "tiny"), CODE, message)


def _inputs(collection: Collection, graph: Graph, block: str, named: Named) -> Iterator[Issue]:
    inputs = {spelled(name): argument for argument, name in named.inputs.items()}
    for name, argument in inputs.items():
        if name not in graph.inputs:
            message = f"{argument} is given {name}, which is no input of the model"
            yield unknown(collection, (block, "inputs", argument), CODE, message, name, graph.inputs)
    for name in graph.inputs:
        if name not in inputs:
            yield collection.issue_at_key((block, "inputs"), CODE, f"upstream is not given the input {name}")


def _missing(collection: Collection, graph: Graph, block: str, named: Named) -> Iterator[Issue]:
    """Outputs and states that no component gives."""
    given = {name.replace("/", "."): name for name, value in graph.values.items() if value.source}
    listed = [("outputs", theirs, name) for theirs, name in named.outputs.items()]
    listed += [("states", theirs, name) for theirs, name in named.states.items()]
    for key, theirs, name in listed:
        if value_id(name) not in given.values():
            message = f"no component gives the value {name}, which is to be upstream’s {theirs}"
            yield unknown(collection, (block, key, theirs), CODE, message, name, given)
