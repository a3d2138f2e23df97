"""Files of recorded proofs, beside the file whose claims they prove: read, and written whole.

What is recorded differs, of an entry and of a model; how it is kept does not.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from atlas.entries.atlas import Placed
from atlas.entries.base import Record
from atlas.entries.survey import RECORDS
from atlas.exceptions import AtlasError, FileTooLargeError
from atlas.files import read_text, write_whole

SUFFIX = RECORDS

MAX_RECORDS = 16_000_000
"""The longest file of records that is read, in bytes."""


class KeptRecord(Record):
    """What every record of a proof has."""

    date: datetime.date
    """The day, in UTC."""
    versions: Mapping[str, str]
    """The versions of what computed it."""
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """SHA-256 of everything that went into it."""


R = TypeVar("R", bound=KeptRecord)


def records_path(owner: Placed) -> Path:
    """Where the records of an entry or a collection are kept."""
    return owner.file.with_suffix(SUFFIX)


def read_records(owner: Placed, kind: type[R]) -> tuple[R, ...]:
    """The records of one file; none where there is no file.

    Raises:
        AtlasError: the file is not what `atlas verify --record` writes.
    """
    path = records_path(owner)
    try:
        text = read_text(path, MAX_RECORDS)
        # mypy takes no type that is a value; pydantic does, and checks every record against it.
        return TypeAdapter(tuple[kind, ...]).validate_json(text)  # type: ignore[valid-type]  # known when it runs
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, FileTooLargeError, ValidationError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise AtlasError(f"{path.name} is not what `atlas verify --record` writes: {reason}") from error


def write_records(owner: Placed, records: tuple[KeptRecord, ...]) -> None:
    """Write the records of one file, or remove the file where there are none."""
    path = records_path(owner)
    if not records:
        path.unlink(missing_ok=True)
        return
    data = [_in_order(record.model_dump(mode="json", exclude_none=True)) for record in records]
    write_whole(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def _in_order(data: dict[str, object]) -> dict[str, object]:
    """What was proved comes first, when and with what after it."""
    return {name: data[name] for name in sorted(data, key=lambda name: name in KeptRecord.model_fields)}
