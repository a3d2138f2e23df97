"""Recorded proofs: what `atlas verify` found by executing upstream code, kept beside the entry; whether they hold.

A record names the digest of everything that went into it; when anything of that changes, the record is stale.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Annotated

from pydantic import Field

from atlas.checks.base import Proof, Status, listed
from atlas.checks.record_files import SUFFIX, KeptRecord, read_records, write_records
from atlas.entries.atlas import Entry
from atlas.entries.base import Text
from atlas.entries.component import Execution
from atlas.exceptions import AtlasError
from atlas.issues import Issue
from atlas.operators.registry import Operator

TOLERANCE = 1e-9
"""The largest relative error, in float64, at which upstream code and operator agree."""


class ProofRecord(KeptRecord):
    """One execution of upstream code and what came of it."""

    excerpt: Text
    """The source claim whose file was executed."""
    call: Text
    """What was called."""
    gives: Text
    """`result` or `gradient`."""
    maximum_error: Annotated[float, Field(ge=0, le=TOLERANCE, allow_inf_nan=False)]
    """The largest relative error over all arrays and scales."""
    samples: Annotated[int, Field(ge=1)]
    """On how many inputs it was executed."""


def load_records(entry: Entry) -> tuple[ProofRecord, ...]:
    """The records of an entry; none where there is no file.

    Raises:
        AtlasError: the file is not what `atlas verify --record` writes.
    """
    return read_records(entry, ProofRecord)


def save_records(entry: Entry, records: tuple[ProofRecord, ...]) -> None:
    """Write the records of an entry, or remove the file where there are none."""
    write_records(entry, records)


def keep_records(entry: Entry, new: Sequence[ProofRecord], failed: Sequence[tuple[Execution, str | None]] = ()) -> bool:
    """Make `new` the records of an entry; one that holds keeps its date. Answers whether anything changed.

    Of an execution that failed, given with the digest of what was executed, an older record stays: it is stale, which
    tells more than none. One of the very digest that failed goes, as it would pass for a proof.
    """
    try:
        old: tuple[ProofRecord, ...] | None = load_records(entry)
    except AtlasError:
        old = None
    known = {record.digest: record for record in old or ()}
    kept = [known.get(record.digest, record) for record in new]
    for execution, digest in failed:
        older = (one for one in old or () if one not in kept and _is_of(one, execution) and one.digest != digest)
        kept += islice(older, 1)
    if tuple(kept) == old:
        return False
    save_records(entry, tuple(kept))
    return True


def digest_of(entry: Entry, execution: Execution, operator: Operator, blob: str) -> str:
    """SHA-256 over what an execution depends on: the pinned file, the claim and all code that compares the two."""
    parts = {
        "blob": blob,
        "execution": execution.model_dump(mode="json"),
        "arguments": dict(entry.data.arguments),
        "symbols": {
            name: [symbol.binds, list(symbol.axes)] for name, symbol in entry.data.symbols.items() if symbol.binds
        },
        "operator": operator.name,
        "code": code_digests(operator, execution),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def code_digests(operator: Operator, execution: Execution) -> dict[str, str]:
    """SHA-256 of each module that takes part: another operator or another facade may change without any effect."""
    modules = {
        *with_imports(operator.function.__module__),
        *_facade_modules(execution.facade),
        "atlas.checks.upstream",
    }
    return {module: module_digest(module) for module in sorted(modules)}


# Cached as a large atlas asks thousands of times; the code that runs does not change while it runs.
@cache
def module_digest(module: str) -> str:
    """SHA-256 of a module's source."""
    return hashlib.sha256(_source(module)).hexdigest()


@cache
def with_imports(module: str, rooms: tuple[str, ...] = (), facade: str | None = None) -> frozenset[str]:
    """A module and all modules that it imports, directly or not, of its own package or of these ones.

    Of facades only the one named is taken: another may change without any effect.
    """
    package = module.rpartition(".")[0]
    followed = tuple(f"{one}." for one in rooms or (package,))
    seen, wanted = {module}, [module]
    while wanted:
        for node in ast.walk(ast.parse(_source(wanted.pop()))):
            name = node.module if isinstance(node, ast.ImportFrom) else None
            if name is None or not name.startswith(followed) or name in seen:
                continue
            if not name.endswith("_facade") or name.endswith(f".{facade}_facade"):
                seen.add(name)
                wanted.append(name)
    return frozenset(seen)


@cache
def _facade_modules(facade: str) -> frozenset[str]:
    """What executes upstream code over a facade."""
    begins = (f"atlas.upstream.{name}" for name in ("__init__", "compare", "run"))
    return frozenset().union(*(with_imports(module, facade=facade) for module in begins))


def _source(module: str) -> bytes:
    """The source of a module, with the line ends of the repository whatever the checkout has."""
    package, _, name = module.rpartition(".")
    return files(package).joinpath(f"{name}.py").read_bytes().replace(b"\r\n", b"\n")


def check_records(
    entry: Entry, operator: Operator, blobs: Mapping[str, str], *, recorded: bool = True
) -> tuple[list[Proof], list[Issue]]:
    """One proof for each execution that the entry claims; `blobs` are the blob ids of its source claims' files.

    Where it is known that the entry has no file of records, it is not `recorded`, and none is looked for.
    """
    shown = entry.path.removesuffix(".yml") + SUFFIX
    hint = f"run `atlas verify {entry.id} --record`"
    try:
        records = load_records(entry) if recorded else ()
    except AtlasError as error:
        return [], [Issue(shown, 0, 0, "A703", str(error), hint)]
    executions = [(index, one) for index, one in enumerate(entry.data.executions) if one.excerpt in blobs]
    digests = [digest_of(entry, one, operator, blobs[one.excerpt]) for _, one in executions]
    holding = {record.digest: record for record in records if record.digest in digests}
    outdated = [record for record in records if record.digest not in digests]
    proofs: list[Proof] = []
    stale: list[tuple[str, str]] = []
    unproved: list[str] = []
    for (_, execution), digest in zip(executions, digests, strict=True):
        before = next((record for record in outdated if _is_of(record, execution)), None)
        if (record := holding.get(digest)) is not None:
            proofs.append(_proof(entry, execution, "recorded", _figure(record, execution, operator), record))
        elif before is not None:
            outdated.remove(before)
            stale.append((execution.call, before.date.isoformat()))
            figure = "recorded before something that it depends on changed"
            proofs.append(_proof(entry, execution, "stale", figure, before))
        else:
            unproved.append(execution.call)
            proofs.append(_proof(entry, execution, "missing", "not executed yet", None))
    issues = list(_told(entry, stale, unproved, hint))
    if outdated and len(executions) == len(entry.data.executions):
        calls = listed(dict.fromkeys(record.call for record in outdated))
        message = f"records of {calls} belong to no execution that {entry.path} names"
        issues.append(Issue(shown, 0, 0, "A701", message, hint))
    return proofs, issues


def _told(entry: Entry, stale: list[tuple[str, str]], unproved: list[str], hint: str) -> Iterator[Issue]:
    """One issue for all stale records of an entry and one for all that are missing, in the entry's own file."""
    own = entry.place("executions").path == entry.path
    path = ("executions",) if own else ("inherits",)
    if stale:
        calls, since = listed(dict.fromkeys(call for call, _ in stale)), min(date for _, date in stale)
        many = "the recorded proofs" if len(stale) > 1 else "the recorded proof"
        verb = "are" if len(stale) > 1 else "is"
        message = f"{many} of {calls} {verb} stale: what was proved has changed since {since}"
        yield entry.issue_at_key(path, "A701", message, hint)
    if unproved:
        message = f"there is no recorded proof of {listed(dict.fromkeys(unproved))}"
        yield entry.issue_at_key(path, "A702", message, hint)


def own_defaults(execution: Execution, operator: Operator) -> list[str]:
    """The operator's options for which upstream code takes its own default, as the execution gives it no value."""
    given = {*execution.passes.values(), *execution.constructor.values()}
    return [name for name in operator.options if name not in given]


def _proof(entry: Entry, execution: Execution, status: Status, figure: str, record: ProofRecord | None) -> Proof:
    claim = f"{'gradient' if execution.gives == 'gradient' else 'upstream'}: {execution.call}"
    date = record.date.isoformat() if record is not None else None
    return Proof(claim, status, figure, f"atlas verify {entry.id}", date)


def _figure(record: ProofRecord, execution: Execution, operator: Operator) -> str:
    defaults = own_defaults(execution, operator)
    own = f" with upstream’s own default of {listed(defaults)}" if defaults else ""
    return f"executed on {record.samples} inputs{own}, largest relative error {record.maximum_error:.1e}"


def _is_of(record: ProofRecord, execution: Execution) -> bool:
    return (record.excerpt, record.call, record.gives) == (execution.excerpt, execution.call, execution.gives)
