"""What a model's file says of the program of pinned calls, as far as it can be checked without executing any.

`atlas verify` then runs the program; a name that names nothing is better told before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from atlas.checks.base import unknown, unpinned
from atlas.checks.upstream_block import CODE, check_names, check_tiny
from atlas.entries.atlas import Atlas, Collection, Source
from atlas.entries.collection import Model, Variant
from atlas.entries.program import Program
from atlas.entries.tree import KeyPath
from atlas.exceptions import SizeError
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes
from atlas.issues import Issue
from atlas.sizes import size
from atlas.upstream.program_model import names_of, tiny_sizes

BLOCK = "program"


def check_program_block(collection: Collection, graph: Graph | None, atlas: Atlas) -> Iterator[Issue]:
    """The manifest, the sizes, and the values that are named; `graph` is None where the graph itself does not hold."""
    model = collection.data
    if not isinstance(model, Model) or model.program is None:
        return
    program = model.program
    source = atlas.sources.get(program.source)
    if source is None:
        if program.source not in atlas.unread:
            message = f"no manifest is called {program.source}"
            yield unknown(collection, (BLOCK, "source"), "A116", message, program.source, atlas.sources)
        return
    if not model.complete:
        message = "a model that is documented in part is not compared with upstream’s as a whole"
        yield collection.issue_at_key((BLOCK,), CODE, message, "document the rest, or remove `program`")
        return
    found = [
        *_files(collection, program, source),
        *_functions(collection, program, model.variants),
        *check_tiny(collection, model, BLOCK, program.tiny),
    ]
    if not found:
        found = [*_keys(collection, program, model.variants), *_inputs(collection, program)]
    yield from found
    if graph is not None and not found:
        yield from check_names(collection, graph, BLOCK, names_of(program), tiny_sizes(program))


def _files(collection: Collection, program: Program, source: Source) -> Iterator[Issue]:
    """Every file that is named is pinned."""
    named: list[tuple[KeyPath, str]] = [((BLOCK, "hparams", "file"), program.hparams.file)]
    named += [((BLOCK, "loads", path), path) for path in program.loads]
    named += [((BLOCK, "watches", path), path) for path in program.watches]
    named += [((BLOCK, "steps", index, "file"), one.file) for index, one in enumerate(program.steps) if one.file]
    for where, path in named:
        if path not in source.data.files:
            yield unpinned(collection, where, path, source, at_key=where[1] in ("loads", "watches"))


def _functions(collection: Collection, program: Program, variants: Mapping[str, Variant]) -> Iterator[Issue]:
    """Every variant has the function that chooses its hyperparameters."""
    where: KeyPath = (BLOCK, "hparams", "functions")
    for name in program.hparams.functions:
        if name not in variants:
            message = f"{name} is no variant of the model"
            yield unknown(collection, (*where, name), CODE, message, name, variants, at_key=True)
    for name in variants:
        if name not in program.hparams.functions:
            message = f"no function is named that chooses the hyperparameters of the variant {name}"
            yield collection.issue_at_key(where, CODE, message, f"add `{name}: …`")


def _keys(collection: Collection, program: Program, variants: Mapping[str, Variant]) -> Iterator[Issue]:
    """Every hyperparameter is a size in every variant and at the tiny sizes."""
    bindings = {"the tiny sizes": tiny_sizes(program)}
    bindings |= {f"the variant {name}": Sizes.of(variant) for name, variant in variants.items()}
    for key, text in program.hparams.keys.items():
        for where, sizes in bindings.items():
            try:
                size(text).value(sizes.numbers)
            except SizeError as error:
                message = f"in {where}, {key}: {error}"
                yield collection.issue((BLOCK, "hparams", "keys", key), CODE, message)
                break


def _inputs(collection: Collection, program: Program) -> Iterator[Issue]:
    """Every shape in which upstream takes an input has a value at the tiny sizes."""
    sizes = tiny_sizes(program)
    for name, one in program.inputs.items():
        for axis in one.shape or ():
            try:
                size(axis).value(sizes.numbers)
            except SizeError as error:
                yield collection.issue((BLOCK, "inputs", name, "shape"), CODE, f"at the tiny sizes, {error}")
                break
