"""Recorded proofs: what `atlas verify` found by executing upstream code, kept beside the entry; whether they hold.

A record names the digest of everything that went into it; when anything of that changes, the record is stale.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from atlas.checks.base import Proof
from atlas.entries.atlas import Entry
from atlas.entries.base import Record, Text
from atlas.entries.component import Execution
from atlas.exceptions import AtlasError
from atlas.issues import Issue
from atlas.operators.registry import Operator

SUFFIX = ".proofs.json"


class ProofRecord(Record):
    """One execution of upstream code and what came of it."""

    excerpt: Text
    """The source claim whose file was executed."""
    call: Text
    """What was called."""
    gives: Text
    """`result` or `gradient`."""
    maximum_error: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """The largest relative error over all arrays and scales."""
    samples: Annotated[int, Field(ge=1)]
    """On how many inputs it was executed."""
    date: datetime.date
    """The day, in UTC."""
    versions: Mapping[str, str]
    """The versions of what computed it."""
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """SHA-256 of everything that went into it."""


def records_path(entry: Entry) -> Path:
    """Where the records of an entry are kept."""
    return entry.file.with_suffix(SUFFIX)


def load_records(entry: Entry) -> tuple[ProofRecord, ...]:
    """The records of an entry; none where there is no file.

    Raises:
        AtlasError: the file is not what `atlas verify --record` writes.
    """
    path = records_path(entry)
    try:
        text = path.read_text(encoding="utf-8")
        return TypeAdapter(tuple[ProofRecord, ...]).validate_json(text)
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise AtlasError(f"{path.name} is not what `atlas verify --record` writes: {reason}") from error


def save_records(entry: Entry, records: tuple[ProofRecord, ...]) -> None:
    """Write the records of an entry, or remove the file where there are none."""
    path = records_path(entry)
    if not records:
        path.unlink(missing_ok=True)
        return
    data = [record.model_dump(mode="json") for record in records]
    descriptor, name = tempfile.mkstemp(prefix=".proofs-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def digest_of(entry: Entry, execution: Execution, operator: Operator, blob: str) -> str:
    """SHA-256 over what an execution depends on: the pinned file, the claim, the operator's code, the facade's code."""
    parts = {
        "blob": blob,
        "execution": execution.model_dump(mode="json"),
        "arguments": dict(entry.data.arguments),
        "symbols": {
            name: [symbol.binds, list(symbol.axes)] for name, symbol in entry.data.symbols.items() if symbol.binds
        },
        "operator": _source_digest("atlas.operators"),
        "name": operator.name,
        "upstream": _source_digest("atlas.upstream"),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def _source_digest(package: str) -> str:
    """SHA-256 over the source of a package's modules."""
    found = hashlib.sha256()
    for file in sorted(
        (entry for entry in files(package).iterdir() if entry.name.endswith(".py")), key=lambda entry: entry.name
    ):
        found.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()


def check_records(entry: Entry, operator: Operator, blobs: Mapping[str, str]) -> tuple[list[Proof], list[Issue]]:
    """One proof for each execution that the entry claims; `blobs` are the blob ids of its source claims' files."""
    try:
        records = load_records(entry)
    except AtlasError as error:
        shown = entry.path.removesuffix(".yml") + SUFFIX
        return [], [Issue(shown, 0, 0, "A703", str(error), "write it anew: atlas verify --record")]
    proofs: list[Proof] = []
    issues: list[Issue] = []
    command = f"atlas verify {entry.id}"
    for index, execution in enumerate(entry.data.executions):
        if execution.excerpt not in blobs:
            continue
        digest = digest_of(entry, execution, operator, blobs[execution.excerpt])
        same = [record for record in records if _is_of(record, execution)]
        holding = next((record for record in same if record.digest == digest), None)
        claim = f"{'gradient' if execution.gives == 'gradient' else 'upstream'}: {execution.call}"
        if holding is not None:
            figure = f"executed on {holding.samples} inputs, largest relative error {holding.maximum_error:.1e}"
            proofs.append(Proof(claim, "recorded", figure, command, holding.date.isoformat()))
            continue
        path = ("executions", index)
        hint = f"run `atlas verify {entry.id} --record`"
        if same:
            message = (
                f"the recorded proof of {execution.call} is stale: what it proved has changed since {same[0].date}"
            )
            issues.append(entry.issue(path, "A701", message, hint))
            figure = "recorded before something that it depends on changed"
            proofs.append(Proof(claim, "stale", figure, command, same[0].date.isoformat()))
        else:
            issues.append(entry.issue(path, "A702", f"there is no recorded proof of {execution.call}", hint))
            proofs.append(Proof(claim, "missing", "not executed yet", command))
    return proofs, issues


def _is_of(record: ProofRecord, execution: Execution) -> bool:
    return (record.excerpt, record.call, record.gives) == (execution.excerpt, execution.call, execution.gives)
