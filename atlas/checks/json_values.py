"""Values of a configuration file as JSON has them: what kind they are, whether two are the same, how one is shown.

YAML and JSON tell numbers, truth values and lists apart differently; this is the one place that knows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

SHOWN = 60
"""How many characters of a value are shown."""


def shown(value: object) -> str:
    """A value as JSON writes it, shortened."""
    text = json.dumps(_plain(value), ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def whole_number(value: object) -> int | None:
    """The whole number that a value is; a truth value is none."""
    return value if type(value) is int else None


def texts(value: object) -> list[str]:
    """The classes that are named; anything but a list of texts is shown as it is."""
    named = value if isinstance(value, list) else [] if value is None else [value]
    return [one if isinstance(one, str) else shown(one) for one in named]


def whole_numbers(value: object) -> list[int] | None:
    """The whole numbers of a list; None where it is no list, or holds anything else."""
    if not isinstance(value, list):
        return None
    found = [whole_number(one) for one in value]
    return None if None in found else [one for one in found if one is not None]


def part(setting: object, path: list[str]) -> object:
    """A part of a setting by the names that lead to it; None where it has none."""
    for name in path:
        setting = setting.get(name) if isinstance(setting, Mapping) else None
    return setting


def _plain(value: object) -> object:
    """A value of YAML as JSON has it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def same(documented: object, value: object) -> bool:
    """Whether two values are the same to JSON: 1 is 1.0, but neither is true."""
    one, other = _plain(documented), _plain(value)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other
