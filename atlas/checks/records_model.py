"""Recorded proofs of whole models against an upstream library, kept beside the model's file; whether they hold.

A record names the digest of everything that went into it: what the model and its entries state as far as it takes part,
all code that computes or compares, and the versions of the library. When anything of that changes, it is stale.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from atlas.checks.base import Proof, Status, listed
from atlas.checks.record_files import SUFFIX, KeptRecord, read_records, write_records
from atlas.checks.recorded_tensors import check_tensor_names
from atlas.checks.records import module_digest, with_imports
from atlas.entries.atlas import Collection, Entry, Source
from atlas.entries.base import Text
from atlas.entries.collection import Model, Upstream
from atlas.entries.program import Program
from atlas.exceptions import AtlasError, LibraryError
from atlas.graph.structure import Graph
from atlas.issues import Issue
from atlas.operators.catalogue import find
from atlas.upstream.library import pinned_versions

Claim = Literal["hyperparameters", "float32", "float64", "tensors", "cache", "multiply-accumulates"]
"""What is proved of a model: the sizes that upstream's own code chooses, its values in a precision, its tensors at real
sizes, what it keeps, what it computes."""

TOLERANCES = {"float32": 1e-5, "float64": 1e-10}
"""The largest relative error at which our values and upstream's agree, relative to the largest number of the array."""

TITLES: dict[Claim, str] = {
    "hyperparameters": "upstream: hyperparameters",
    "tensors": "upstream: tensors and total",
    "float32": "upstream: values in float32",
    "float64": "upstream: values in float64",
    "cache": "upstream: cache",
    "multiply-accumulates": "upstream: multiply–accumulates",
}
"""How a page calls each claim, in the order in which they are proved."""

_PART_OF_SYMBOL = ("axes", "binds", "tensor", "layout", "part", "shards", "tied", "active", "values", "ids")
"""What a symbol states that takes part; its name and its meaning are words, and its formula is proved elsewhere."""

_WORDS = {"title", "meaning", "precision_note", "concerns", "model_type"}
"""Keys of the model's file that only say something to readers, or about configuration files."""

_REASONS = {"ignored", "unlike_default"}
"""Keys whose values are words, but which say of what they stand for what is compared with upstream."""


NOT_KNOWN = (
    "it loads the upstream model, and only that tells whether each `tensor` is upstream’s, as what the names were "
    "recorded for has changed"
)
"""What is said where the record lists no names that hold."""


class ModelRecord(KeptRecord):
    """One comparison of a model with upstream's and what came of it."""

    proof: Claim
    """What was compared."""
    compared: Annotated[int, Field(ge=1)]
    """How many values, tensors, or numbers."""
    maximum_error: Annotated[float, Field(ge=0, le=max(TOLERANCES.values()), allow_inf_nan=False)] | None = None
    """Of values: the largest relative error."""
    names: tuple[Text, ...] | None = None
    """Of tensors: the names of all that upstream's model has at the tiny sizes."""
    named_by: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """Of tensors: SHA-256 of all that upstream's model depends on; while it stays, so do the names."""


def load_model_records(collection: Collection) -> tuple[ModelRecord, ...]:
    """The records of a model; none where there is no file.

    Raises:
        AtlasError: the file is not what `atlas verify --record` writes.
    """
    found = read_records(collection, ModelRecord)
    for record in found:
        limit = TOLERANCES.get(record.proof)
        if (record.maximum_error is None) != (limit is None) or (record.maximum_error or 0) > (limit or 0):
            message = f"the error of {record.proof} is {record.maximum_error}"
            raise AtlasError(f"{collection.file.stem}{SUFFIX} is not what `atlas verify --record` writes: {message}")
    return found


def keep_model_records(collection: Collection, new: Iterable[ModelRecord], digests: Mapping[Claim, str]) -> bool:
    """Make `new` the records of a model; one that holds keeps its date. Answers whether anything changed.

    Of a claim that was not proved, an older record stays: it is stale, which tells more than none. One with the claim's
    own digest, among `digests`, goes, as it would pass for a proof.
    """
    try:
        old: tuple[ModelRecord, ...] | None = load_model_records(collection)
    except AtlasError:
        old = None
    known = {record.digest: record for record in old or ()}
    kept = {one.proof: one for one in old or () if one.proof in digests and one.digest != digests[one.proof]}
    kept |= {one.proof: known.get(one.digest, one) for one in new}
    records = tuple(kept[claim] for claim in TITLES if claim in kept)
    if records == old:
        return False
    write_records(collection, records)
    return True


def compared_with(model: Model) -> Upstream | Program | None:
    """What a model is compared with, if with anything."""
    return model.upstream or model.program


def claims(graph: Graph, upstream: Upstream | Program) -> list[Claim]:
    """What is to be proved of a model, in order: not in float64 where upstream narrows, no cache without a state.

    A program of pinned calls keeps no cache, and nothing counts its products.
    """
    if isinstance(upstream, Program):
        return ["hyperparameters", "tensors", "float32", "float64"]
    left_out = {*(["float64"] if upstream.precision == "float32" else []), *([] if _keeps(graph) else ["cache"])}
    return [claim for claim in TITLES if claim not in {"hyperparameters", *left_out}]


def digests_of_model(graph: Graph, model: Model, source: Source) -> dict[Claim, str]:
    """The digest of everything that is to be proved of a model.

    Raises:
        LibraryError: the model's source pins no package.
    """
    upstream = compared_with(model)
    if upstream is None:
        raise AssertionError("a model that is compared says with what")
    return {claim: digest_of_model(graph, model, source, claim) for claim in claims(graph, upstream)}


def digest_of_model(graph: Graph, model: Model, source: Source, claim: Claim) -> str:
    """SHA-256 over what a proof of a model depends on.

    Raises:
        LibraryError: the model's source pins no package, though a library is what it is compared with.
    """
    upstream = compared_with(model)
    if upstream is None:
        raise AssertionError("a model that is compared says with what")
    parts = {
        "claim": claim,
        "stacks": {name: _told(stack.model_dump(mode="json")) for name, stack in model.stacks.items()},
        "inputs": {name: [list(one.axes), one.ids] for name, one in model.inputs.items()},
        "outputs": list(model.outputs),
        "upstream": _told(upstream.model_dump(mode="json")),
        "variants": {name: dict(variant.sizes) for name, variant in model.variants.items()},
        "entries": {
            entry.id: _of_entry(entry) for entry in {node.entry.id: node.entry for node in graph.nodes}.values()
        },
        "versions": pinned_versions(source) if isinstance(upstream, Upstream) else {},
        "files": {path: pinned.blob for path, pinned in source.data.files.items()},
        "code": {module: module_digest(module) for module in modules_of(graph, upstream)},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def digest_of_upstream(model: Model, source: Source) -> str:
    """SHA-256 over what the upstream model depends on, whatever our entries say of it.

    Raises:
        LibraryError: the model's source pins no package, though a library is what it is compared with.
    """
    upstream = compared_with(model)
    if upstream is None:
        raise AssertionError("a model that is compared says with what")
    parts = {
        "upstream": _told(upstream.model_dump(mode="json")),
        "versions": pinned_versions(source) if isinstance(upstream, Upstream) else {},
        "files": {path: pinned.blob for path, pinned in source.data.files.items()},
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def modules_of(graph: Graph, upstream: Upstream | Program) -> list[str]:
    """Every module that takes part: those of the operators, of graphs, and of what runs upstream and compares."""
    operators = {find(node.entry.data.operator).function.__module__ for node in graph.nodes}
    facade = upstream.facade if isinstance(upstream, Program) else ""
    root = "atlas.checks.upstream_program" if isinstance(upstream, Program) else "atlas.checks.upstream_model"
    return sorted(
        {
            *(module for operator in operators for module in with_imports(operator)),
            *with_imports(root, ("atlas.graph", "atlas.upstream"), facade),
            "atlas.sizes",
            "atlas.size_text",
        }
    )


def check_model_records(collection: Collection, graph: Graph, source: Source) -> tuple[list[Proof], list[Issue]]:
    """One proof for each claim about a model that names an upstream one."""
    model = collection.data
    upstream = compared_with(model) if isinstance(model, Model) else None
    if not isinstance(model, Model) or upstream is None:
        return [], []
    shown = collection.path.removesuffix(".yml") + SUFFIX
    hint = f"run `atlas verify {collection.id} --record`"
    wanted = claims(graph, upstream)
    try:
        records = load_model_records(collection)
        digests = digests_of_model(graph, model, source)
    except LibraryError as error:
        return [], [collection.issue(("upstream", "source"), "A703", str(error))]
    except AtlasError as error:
        return [], [Issue(shown, 0, 0, "A703", str(error), hint)]
    known = {record.proof: record for record in records}
    proofs = [_proof(collection, upstream, source, claim, known.get(claim), digests[claim]) for claim in wanted]
    if isinstance(upstream, Upstream) and upstream.precision == "float32":
        figure = f"not compared in float64: {upstream.precision_note}"
        proofs.append(Proof(TITLES["float64"], "missing", figure, f"atlas verify {collection.id}"))
    if isinstance(upstream, Program):
        proofs += _not_counted(collection, graph)
    tensors = known.get("tensors")
    stale = tensors is not None and tensors.digest != digests["tensors"]
    named = tensors is not None and tensors.names is not None and tensors.named_by == digest_of_upstream(model, source)
    issues: list[Issue] = []
    if stale and named and tensors is not None:
        issues += check_tensor_names(collection, graph, upstream, tensors.names or ())
    elif stale:
        hint += f"; {NOT_KNOWN}"
    issues += _told_of(collection, wanted, known, digests, hint)
    if foreign := [claim for claim in known if claim not in wanted]:
        message = f"records of {listed(foreign)} belong to nothing that is proved of {collection.id}"
        issues.append(Issue(shown, 0, 0, "A701", message, hint))
    return proofs, issues


def _not_counted(collection: Collection, graph: Graph) -> Iterator[Proof]:
    """What is counted of a model whose upstream is a program, and compared with nothing."""
    reasons: dict[Claim, str] = {
        "cache": "the pinned code is run once over whole sequences, and keeps nothing",
        "multiply-accumulates": "nothing counts the products of the pinned code",
    }
    if not _keeps(graph):
        del reasons["cache"]
    for claim, reason in reasons.items():
        figure = f"our count is not compared with upstream: {reason}"
        yield Proof(TITLES[claim], "missing", figure, f"atlas verify {collection.id}")


def _keeps(graph: Graph) -> bool:
    """Whether the model keeps anything from call to call."""
    return any(node.entry.data.state for node in graph.nodes)


def _told_of(
    collection: Collection, wanted: list[Claim], known: dict[Claim, ModelRecord], digests: dict[Claim, str], hint: str
) -> Iterator[Issue]:
    """One issue for all stale records of a model and one for all that are missing."""
    stale = [claim for claim in wanted if claim in known and known[claim].digest != digests[claim]]
    unproved = [claim for claim in wanted if claim not in known]
    if stale:
        since = min(known[claim].date for claim in stale).isoformat()
        many = "proofs are" if len(stale) > 1 else "proof is"
        message = f"the recorded {many} stale ({listed(stale)}): what was proved has changed since {since}"
        yield collection.issue_at_key((block_of(collection),), "A701", message, hint)
    if unproved:
        message = f"there is no recorded proof against upstream of {listed(unproved)}"
        yield collection.issue_at_key((block_of(collection),), "A702", message, hint)


def _proof(
    collection: Collection,
    upstream: Upstream | Program,
    source: Source,
    claim: Claim,
    record: ModelRecord | None,
    digest: str,
) -> Proof:
    status: Status = "missing" if record is None else "recorded" if record.digest == digest else "stale"
    figures = {
        "missing": "not compared yet",
        "stale": "recorded before something that it depends on changed",
        "recorded": "" if record is None else figure_of(record, upstream, source),
    }
    date = record.date.isoformat() if record is not None else None
    return Proof(TITLES[claim], status, figures[status], f"atlas verify {collection.id}", date)


def block_of(collection: Collection) -> str:
    """The key of the model's file that says with what it is compared."""
    return "program" if isinstance(collection.data, Model) and collection.data.program is not None else "upstream"


def called(upstream: Upstream | Program, source: Source) -> str:
    """What pages call the upstream model."""
    release = source.data.artifact.pypi.replace("==", " ") if source.data.artifact is not None else source.data.title
    if isinstance(upstream, Program):
        return f"the pinned code of {release}, executed over a stand-in for {upstream.facade}"
    return f"{upstream.model} of {release}"


def figure_of(record: ModelRecord, upstream: Upstream | Program, source: Source) -> str:
    """What was found, in one line."""
    theirs = called(upstream, source)
    match record.proof:
        case "tensors":
            return f"every tensor of every variant has upstream’s name and shape, and totals are equal: {theirs}"
        case "hyperparameters":
            return f"{record.compared:,} hyperparameters of all variants are as upstream chooses them: {theirs}"
        case "cache":
            return f"a small run keeps {record.compared:,} numbers, as counted: {theirs}"
        case "multiply-accumulates":
            return f"a small run makes {record.compared:,}, as counted: {theirs}"
        case _:
            error = f"largest relative error {record.maximum_error:.1e}"
            return f"{record.compared:,} values of a small model with all weights random equal {theirs}, {error}"


def _of_entry(entry: Entry) -> dict[str, Any]:
    data = entry.data
    return {
        "operator": data.operator,
        "arguments": dict(data.arguments),
        "in": data.takes,
        "out": dict(data.out),
        "state": {name: [list(one.axes), one.lifetime] for name, one in data.state.items()},
        "symbols": {
            name: {
                **{key: getattr(symbol, key) for key in _PART_OF_SYMBOL},
                "stored": [symbol.parameter is not None, symbol.buffer is not None],
            }
            for name, symbol in data.symbols.items()
        },
    }


def _told(data: Any) -> Any:
    """Data without the words that are for readers only."""
    if isinstance(data, dict):
        return {
            name: sorted(value) if name in _REASONS else _told(value)
            for name, value in data.items()
            if name not in _WORDS
        }
    return [_told(value) for value in data] if isinstance(data, list) else data
