"""What comes of comparing a model with upstream's: figures and findings, which become issues and records.

How upstream's model is run differs; what is said and kept of a comparison does not.
"""

from __future__ import annotations

import datetime
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from atlas.checks.records_model import Claim, ModelRecord, block_of
from atlas.entries.atlas import Collection
from atlas.exceptions import AtlasError
from atlas.issues import Issue
from atlas.upstream.library_compare import Finding

CODES: dict[Claim, str] = {
    "hyperparameters": "A710",
    "tensors": "A706",
    "float32": "A707",
    "float64": "A707",
    "cache": "A708",
    "multiply-accumulates": "A708",
}
"""The code of an issue about each claim."""

FAILED = "A709"
"""The code of an upstream model that cannot be built or run as the model's file says."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of one claim about a model."""

    claim: Claim
    """What was compared."""
    figure: str
    """What was found, in one line."""
    record: ModelRecord | None
    """What may be kept, where upstream and our model agree."""
    issues: tuple[Issue, ...]
    """What is wrong, where they do not."""


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one claim, before it is an issue or a record."""

    figure: str
    """What was found, in one line."""
    compared: int
    """How many values, tensors or numbers were compared."""
    findings: tuple[Finding, ...] = ()
    """What is not as upstream has it."""
    error: float | None = None
    """Of values: the largest relative error."""
    names: tuple[str, ...] | None = None
    """Of tensors: the names of all that upstream has at the tiny sizes."""


def comparisons(
    collection: Collection,
    run: Mapping[Claim, Callable[[], Found]],
    recorded: list[Claim],
    digest: Callable[[Claim], str],
    versions: Mapping[str, str],
    upstream: str,
) -> Iterator[Compared]:
    """Make comparisons in order; while tensors differ, or upstream cannot be run, none follows.

    Args:
        collection: The model.
        run: Each claim with what compares it.
        recorded: The claims of which a record may be kept; of the others only what is wrong is told.
        digest: What the record of a claim depends on.
        versions: The versions of what takes part beside our own.
        upstream: The digest of what the upstream model depends on.
    """
    for claim, compare in run.items():
        try:
            found = compare()
        except AtlasError as error:
            issue = collection.issue_at_key((block_of(collection),), FAILED, f"{collection.id}: {error}")
            yield Compared(claim, "not compared", None, (issue,))
            return
        issues = tuple(_issue(collection, one, CODES[claim]) for one in found.findings)
        keeps = not issues and claim in recorded
        record = _record(claim, found, versions, digest(claim), upstream) if keeps else None
        if issues or record is not None:
            yield Compared(claim, found.figure, record, issues)
        if issues and claim == "tensors":
            return


def _record(claim: Claim, found: Found, versions: Mapping[str, str], digest: str, upstream: str) -> ModelRecord:
    return ModelRecord(
        proof=claim,
        compared=found.compared,
        maximum_error=float(f"{found.error:.2e}") if found.error is not None else None,
        names=found.names,
        named_by=upstream if found.names is not None else None,
        date=datetime.datetime.now(datetime.UTC).date(),
        versions={
            "python": platform.python_version(),
            "numpy": np.__version__,
            "openmodelatlas": version("openmodelatlas"),
            **versions,
        },
        digest=digest,
    )


def _issue(collection: Collection, found: Finding, code: str) -> Issue:
    """An issue where the component states what is wrong; of a use in another place, where the model's file lists it."""
    node = found.node
    if node is None:
        return collection.issue_at_key(
            found.key or (block_of(collection),), code, f"{collection.id}: {found.message}", found.hint
        )
    if node.entry.id != f"{collection.id}/{node.id}":
        return collection.issue(node.at, code, found.message, found.hint)
    if found.symbol is not None:
        return node.entry.issue_at_key(("symbols", found.symbol), code, found.message, found.hint)
    return node.entry.issue_at_key(("out", found.value or ""), code, found.message, found.hint)
