"""Reads the JSON file of a model's configuration, which somebody else wrote: bounded, strict, with each key's place.

JSON's own reader takes the last of two equal keys, numbers that are none, and files of any size; here they are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from atlas.exceptions import ConfigurationError, FileTooLargeError
from atlas.files import read_bytes

MAX_BYTES = 1_000_000
"""The largest file that is read; those of published models have a few thousand."""

MAX_DIGITS = 100
"""The longest number that is read."""

_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|[{}\[\]]')


@dataclass(frozen=True, slots=True)
class ConfigurationFile:
    """A configuration with the places of its keys."""

    path: str
    """The file, as it was named."""
    data: Mapping[str, object]
    """Its keys and values."""
    places: Mapping[str, tuple[int, int]]
    """For each key of the outermost object: its line and column, from 1."""


def load_configuration(path: Path) -> ConfigurationFile:
    """Read a configuration file.

    Raises:
        ConfigurationError: it is too large, no JSON, or not one object; the message says where.
        OSError: it cannot be opened.
    """
    shown = path.as_posix()
    try:
        raw = read_bytes(path, MAX_BYTES)
    except FileTooLargeError:
        raise ConfigurationError(f"{shown} has more than {MAX_BYTES:,} bytes, which no configuration has") from None
    try:
        text = raw.decode("utf-8-sig")
        data = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_refused, parse_int=_whole, parse_float=_decimal
        )
    except json.JSONDecodeError as error:
        message = error.msg[:1].lower() + error.msg[1:]
        raise ConfigurationError(f"{shown}:{error.lineno}:{error.colno}: no JSON: {message}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{shown} is no text in UTF-8") from None
    except RecursionError:
        raise ConfigurationError(f"{shown} is nested too deep") from None
    except _RefusedError as error:
        raise ConfigurationError(f"{shown}: {error}") from None
    if not isinstance(data, dict):
        raise ConfigurationError(f"{shown} holds a JSON {_kind(data)}, not an object with keys")
    return ConfigurationFile(shown, data, dict(_places(text)))


class _RefusedError(Exception):
    """JSON that is read here otherwise than everywhere."""


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RefusedError(f"the key {json.dumps(twice)} stands twice")
    return found


def _refused(name: str) -> object:
    raise _RefusedError(f"{name} is no number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _RefusedError(f"a number of {len(digits):,} digits; at most {MAX_DIGITS} are read")
    return int(digits)


def _decimal(text: str) -> float:
    found = float(text)
    if found in (float("inf"), float("-inf")):
        raise _RefusedError(f"the number {text[:20]} is too large")
    return found


def _kind(data: object) -> str:
    kinds = {list: "list", str: "text", bool: "truth value", int: "number", float: "number"}
    return kinds.get(type(data), "null")


def _places(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Where each key of the outermost object stands; the text is JSON."""
    depth, line, start, counted = 0, 1, 0, 0
    for match in _TOKEN.finditer(text):
        if match[1] is None:
            depth += 1 if match[0] in "{[" else -1
        elif depth == 1 and match[2] is not None:
            newlines = text.count("\n", counted, match.start())
            if newlines:
                line, start = line + newlines, text.rindex("\n", counted, match.start()) + 1
            counted = match.start()
            yield json.loads(match[1]), (line, match.start() - start + 1)
