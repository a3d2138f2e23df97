"""Executes the pinned passages that entries name, on the operator's own arrays, and compares.

Run by `atlas verify` only, never while pages are built; only code whose blob id was verified is executed.
"""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from atlas.checks.base import listed
from atlas.checks.interface import bound_to
from atlas.checks.records import TOLERANCE, ProofRecord, digest_of, own_defaults
from atlas.entries.atlas import Entry
from atlas.entries.component import Execution
from atlas.exceptions import AtlasError, UpstreamError
from atlas.issues import Issue
from atlas.operators.registry import Operator
from atlas.sizes import size
from atlas.sources.store import PinnedText
from atlas.upstream.compare import Sample, largest_relative_error, samples
from atlas.upstream.run import UpstreamCall, UpstreamResult, execute_call
from atlas.upstream.tensor import Array

SEED = 17062017
"""Seed of the arrays; any would do."""


@dataclass(frozen=True, slots=True)
class Executed:
    """What came of one execution that an entry names."""

    execution: Execution
    """What was to be executed."""
    worst: float | None
    """The largest relative error over all arrays and inputs; None where nothing could be compared."""
    record: ProofRecord | None
    """What may be kept, where upstream code and operator agree."""
    issue: Issue | None
    """What is wrong, where they do not."""
    digest: str | None
    """The digest of what was executed; None where the pinned file is not at hand."""


@dataclass(frozen=True, slots=True)
class _Comparison:
    """One array that both sides computed."""

    error: float
    """The largest relative error."""
    array: str
    """What the operator calls the array."""
    scale: str
    """The scale of the inputs."""


def verify_entry(entry: Entry, operator: Operator, pinned: Mapping[str, PinnedText]) -> Iterator[Executed]:
    """Execute every passage that the entry names, in order; `pinned` are the verified files by source claim."""
    for index, execution in enumerate(entry.data.executions):
        path = ("executions", index)
        text = pinned.get(execution.excerpt)
        if text is None:
            issue = entry.issue(path, "A704", f"the file of {execution.excerpt} is not at hand")
            yield Executed(execution, None, None, issue, None)
            continue
        digest = digest_of(entry, execution, operator, text.blob)
        try:
            found = list(_comparisons(entry, execution, operator, text))
        except AtlasError as error:
            yield Executed(execution, None, None, entry.issue(path, "A704", str(error)), digest)
            continue
        worst = max(found, key=lambda one: one.error)
        if worst.error > TOLERANCE:
            message = (
                f"upstream’s {execution.call} and our operator {operator.name} differ: largest relative error "
                f"{worst.error:.1e}, where {TOLERANCE:.0e} is allowed, in {worst.array}, on inputs {worst.scale}"
            )
            issue = entry.issue(path, "A705", message, _advice(entry, execution, operator))
            yield Executed(execution, worst.error, None, issue, digest)
        else:
            count = len({one.scale for one in found})
            record = _record(execution, digest, worst.error, count)
            yield Executed(execution, worst.error, record, None, digest)


def _comparisons(entry: Entry, execution: Execution, operator: Operator, pinned: PinnedText) -> Iterator[_Comparison]:
    """Every array that both sides compute, on every input."""
    axes = {
        argument.name: _axes_of(entry, symbol)
        for argument in operator.contract.inputs
        if (symbol := bound_to(entry, argument.name)) is not None
    }
    gradient = operator.gradient if execution.gives == "gradient" else None
    cotangent = None
    if gradient is not None:
        results = dict(zip(_cotangents(operator, gradient), operator.contract.outputs, strict=True))
        axes |= {name: _axes_of(entry, bound_to(entry, output.name) or "") for name, output in results.items()}
        # A call that is not given the gradient of its result does not return gradients: they come from the tape.
        cotangent = next((name for name in results if name not in execution.passes.values()), None)
    options = operator.check_options(entry.data.arguments)
    call = UpstreamCall(
        execution.facade,
        execution.call,
        execution.passes,
        execution.variables,
        construct=execution.constructor,
        cotangent=cotangent,
    )
    for sample in samples(axes, SEED):
        found = execute_call(pinned.text, pinned.blob, call, sample.arrays, options, filename=pinned.path)
        ours = _named(gradient or operator, sample, entry.data.arguments)
        theirs = _by_position(execution, found, ours) if cotangent is None else _by_name(execution, found, ours)
        for name, array in theirs.items():
            yield _Comparison(largest_relative_error(array, ours[name]), name, sample.scale)


def _axes_of(entry: Entry, symbol: str) -> tuple[str, ...]:
    return tuple(str(size(axis)) for axis in entry.data.symbols[symbol].axes)


def _cotangents(operator: Operator, gradient: Operator) -> tuple[str, ...]:
    """What the gradient takes beside the operator's own arguments: the gradient of each result."""
    return tuple(argument.name for argument in gradient.contract.inputs[len(operator.contract.inputs) :])


def _named(operator: Operator, sample: Sample, options: Mapping[str, Any]) -> dict[str, Array]:
    """Our results by the names that the contract gives them."""
    results = operator(**sample.arrays, **options)
    arrays = results if isinstance(results, tuple) else (results,)
    names = [output.name for output in operator.contract.outputs]
    return {name: np.asarray(array) for name, array in zip(names, arrays, strict=True)}


def _by_position(execution: Execution, found: UpstreamResult, ours: Mapping[str, Array]) -> dict[str, Array]:
    """What the call returned, which is everything that we compute, in the same order."""
    if len(found.outputs) != len(ours):
        raise UpstreamError(f"{execution.call} returns {len(found.outputs)} arrays, the operator {len(ours)}")
    return dict(zip(ours, found.outputs, strict=True))


def _by_name(execution: Execution, found: UpstreamResult, ours: Mapping[str, Array]) -> dict[str, Array]:
    """The gradients of all that upstream code was given as arrays; it was given numbers too, which have none there."""
    if unknown := found.gradients.keys() - ours.keys():
        raise UpstreamError(f"the gradient of {execution.call} for {listed(sorted(unknown))} is none of the operator's")
    if not found.gradients:
        raise UpstreamError(f"{execution.call} is given no array, so it has no gradient to compare")
    return dict(found.gradients)


def _advice(entry: Entry, execution: Execution, operator: Operator) -> str:
    defaults = own_defaults(execution, operator)
    if not defaults:
        return "the operator, or what `passes`, `variables` or `binds` say, is not what upstream computes with"
    values = operator.check_options(entry.data.arguments)
    stated = listed(f"{name} = {values[name]}" for name in defaults)
    them = "them" if len(defaults) > 1 else "it"
    return (
        f"the call gives upstream no {listed(defaults)}, so it took its own default, and the operator {stated}: "
        f"correct `arguments`, or give {them} to the call with `passes`"
    )


def _record(execution: Execution, digest: str, worst: float, count: int) -> ProofRecord:
    return ProofRecord(
        excerpt=execution.excerpt,
        call=execution.call,
        gives=execution.gives,
        maximum_error=float(f"{worst:.2e}"),
        samples=count,
        date=datetime.datetime.now(datetime.UTC).date(),
        versions={
            "python": platform.python_version(),
            "numpy": np.__version__,
            "openmodelatlas": version("openmodelatlas"),
        },
        digest=digest,
    )
