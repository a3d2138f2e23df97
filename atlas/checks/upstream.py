"""Executes the pinned passages that entries name, on the operator's own arrays, and compares.

Run by `atlas verify` only, never while pages are built; only code whose blob id was verified is executed.
"""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from atlas.checks.interface import bound_to
from atlas.checks.records import ProofRecord, digest_of
from atlas.entries.atlas import Entry
from atlas.entries.component import Execution
from atlas.exceptions import AtlasError, UpstreamError
from atlas.issues import Issue
from atlas.operators.registry import Operator
from atlas.sizes import size
from atlas.sources.store import PinnedText
from atlas.upstream.compare import largest_relative_error, samples
from atlas.upstream.run import UpstreamCall, execute_call

TOLERANCE = 1e-9
"""The largest relative error, in float64, at which upstream code and operator agree."""
SEED = 17062017
"""Seed of the arrays; any would do."""


def verify_entry(
    entry: Entry, operator: Operator, pinned: Mapping[str, PinnedText]
) -> tuple[tuple[ProofRecord, ...], list[Issue]]:
    """Execute every passage that the entry names; `pinned` are the verified files by source claim."""
    records: list[ProofRecord] = []
    issues: list[Issue] = []
    for index, execution in enumerate(entry.data.executions):
        path = ("executions", index)
        text = pinned.get(execution.excerpt)
        if text is None:
            issues.append(entry.issue(path, "A704", f"the file of {execution.excerpt} is not at hand"))
            continue
        try:
            errors = list(_errors(entry, execution, operator, text))
        except AtlasError as error:
            issues.append(entry.issue(path, "A704", str(error)))
            continue
        worst = max(errors)
        if worst > TOLERANCE:
            message = f"{execution.call} and {operator.name} differ: largest relative error {worst:.1e}"
            issues.append(entry.issue(path, "A705", message, "an option, the operator or the claim is wrong"))
            continue
        records.append(_record(entry, execution, operator, text, worst, len(errors)))
    return tuple(records), issues


def _errors(entry: Entry, execution: Execution, operator: Operator, pinned: PinnedText) -> Iterator[float]:
    """The largest relative error on each input."""
    axes = {}
    for argument in operator.contract.inputs:
        symbol = bound_to(entry, argument.name)
        if symbol is not None:
            axes[argument.name] = tuple(str(size(axis)) for axis in entry.data.symbols[symbol].axes)
    gradient = operator.gradient if execution.gives == "gradient" else None
    if gradient is not None:
        output = operator.contract.outputs[0].name
        symbol = bound_to(entry, output) or ""
        extra = gradient.contract.inputs[len(operator.contract.inputs)].name
        axes[extra] = tuple(str(size(axis)) for axis in entry.data.symbols[symbol].axes)
    options = operator.check_options(entry.data.arguments)
    call = UpstreamCall(
        execution.facade, execution.call, execution.passes, execution.variables, construct=execution.constructor
    )
    for sample in samples(axes, SEED):
        found = execute_call(pinned.text, pinned.blob, call, sample.arrays, options, filename=pinned.path)
        ours = (gradient or operator)(**sample.arrays, **entry.data.arguments)
        yield _largest_error(execution, found.outputs, ours)


def _largest_error(execution: Execution, outputs: tuple[Any, ...], ours: Any) -> float:
    expected = tuple(ours) if isinstance(ours, tuple) else (ours,)
    if len(outputs) != len(expected):
        raise UpstreamError(f"{execution.call} returns {len(outputs)} arrays, the operator {len(expected)}")
    return max(
        largest_relative_error(np.asarray(one), np.asarray(other)) for one, other in zip(outputs, expected, strict=True)
    )


def _record(
    entry: Entry, execution: Execution, operator: Operator, pinned: PinnedText, worst: float, count: int
) -> ProofRecord:
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
        digest=digest_of(entry, execution, operator, pinned.blob),
    )
