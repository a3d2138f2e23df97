"""What to write for a value that its key does not admit: small changes, tried until the schema itself admits one.

A hint is thus never a guess: what it says to write is right for that key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from atlas.entries.descriptions import descriptions
from atlas.entries.slips import ODD_SPACES

_LONGEST = 300
"""The longest text that is repaired."""

_QUOTES = "\"'`´‘’‚‛“”„‟«»"
_DASHES = re.compile(r"\s*(?:[–—−‐‑]|\.{2,3}|:|,|\bto\b|-)\s*[#L]*")


def _range(text: str) -> str:
    return re.sub(r"^0+(?=-)", "1", _DASHES.sub("-", text.lstrip("#L")).rstrip("-"))


def _address(text: str) -> str:
    """An https address for another way to name a page or a repository."""
    text = re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", text)
    text = re.sub(r"^(?:http|git|ssh|git\+https)://", "https://", text)
    if "://" not in text:
        named = re.fullmatch(r"[\w-]+/[\w.-]+", text) and "." not in text.partition("/")[0]
        text = f"https://github.com/{text}" if named else f"https://{text}"
    return text.removesuffix(".git")


def _in_repository(text: str) -> str:
    """A path inside a repository for an address on its web site, or for a path as a system writes it."""
    text = re.sub(r"^https?://[^/]+/[^/]+/[^/]+/(?:-/)?(?:blob|raw|tree)/[^/]+/", "", text)
    return re.sub(r"^(?:\.{0,2}/)+", "", re.sub(r"[#?].*$", "", text).replace("\\", "/"))


def _pinned(text: str) -> str:
    return re.sub(r"\s*(?:===|>=|<=|~=|=|@|-(?=\d))\s*", "==", text, count=1)


_REPAIRS: tuple[Callable[[str], str], ...] = (
    _in_repository,
    lambda text: text.strip(_QUOTES + " \t" + "\u00a0\u202f\u3000"),
    lambda text: re.sub(rf"[{ODD_SPACES}]", " ", text),
    _range,
    str.lower,
    lambda text: re.sub(r"\.ya?ml$", "", text),
    lambda text: re.sub(r"^(?:def|class)\s+|\(.*\)$|:$", "", text),
    lambda text: re.sub(r"[_\s.]+", "-", text),
    lambda text: re.sub(r"[-\s]+", "_", text),
    lambda text: re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower(),
    lambda text: re.sub(r"^.*/(?=[A-Za-z])", "", text),
    lambda text: re.sub(r"^(?:sha256|sha1|git)[:=-]", "", text),
    _address,
    _pinned,
)
"""Changes of a text, the mildest first."""


def several(annotation: object, value: object) -> str:
    """The items that a text stands for if commas were left out between them, or an empty text."""
    words = value.split() if isinstance(value, str) and len(value) <= _LONGEST else []
    admits = _admits(annotation)
    return ", ".join(words) if len(words) > 1 and all(_is_admitted(admits, word) for word in words) else ""


def repair(annotation: object, value: object) -> str:
    """The text that is meant by a value which its key does not admit, or an empty text."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        return ""
    admits = _admits(annotation)
    tried = {value}
    level = [value]
    for _ in range(2):
        found = dict.fromkeys(change(text) for text in level for change in _REPAIRS)
        level = [text for text in found if text and text not in tried and _is_near(text, value)]
        tried.update(level)
        for text in level:
            if _is_admitted(admits, text):
                return text
    return ""


def number(value: object) -> str:
    """The whole number that a text or a number with a fraction means, or an empty text."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value).replace("_", "").replace(",", "").strip(_QUOTES + " ")
    return text if isinstance(value, str) and re.fullmatch(r"-?\d{1,15}", text) else ""


def truth(value: object) -> str:
    """The truth value that a text means, or an empty text."""
    return value.lower() if isinstance(value, str) and value.lower() in ("true", "false") else ""


def only_key(record: type[BaseModel] | None) -> str:
    """The one key that a record must have, or an empty text where it must have none or several."""
    if record is None:
        return ""
    required = [field.alias or name for name, field in record.model_fields.items() if field.is_required()]
    return required[0] if len(required) == 1 else ""


_FORMS: Mapping[str, str] = MappingProxyType(
    {
        "a whole number": "write a whole number in digits, such as 6",
        "a number": "write a number in digits, such as 0.5",
        "true or false": "write true or false",
        "a mapping": "write `key: value` lines, or {key: value}",
        "a list": "write the items in brackets, with commas between them: [a, b]",
        "a text": "write one text, in quotes",
    }
)


def form(wanted: str) -> str:
    """How a value of the first of the wanted kinds is written, where nothing nearer to what was written is known."""
    named = [(wanted.index(kind), how) for kind, how in _FORMS.items() if kind in wanted]
    return min(named)[1] if named else ""


def about(record: type[BaseModel] | None, key: str) -> str:
    """The first sentence of what the schema says about a key, or an empty text."""
    said = {} if record is None else descriptions(record)
    names = (
        () if record is None else (name for name, field in record.model_fields.items() if (field.alias or name) == key)
    )
    text = next((said.get(name, "") for name in names), "")
    return re.split(r"(?<=[^.]{3}\.)\s", " ".join(text.split()), maxsplit=1)[0].rstrip(".")


def _admits(annotation: Any) -> TypeAdapter[object]:
    """What decides about a value by itself, as strictly as in its record."""
    is_record = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return TypeAdapter[object](annotation, config=None if is_record else ConfigDict(strict=True))


def _is_near(text: str, value: str) -> bool:
    """Whether an address leads where the value says, so that no other scheme is made into a host."""
    if "//" not in text:
        return True
    host = text.removeprefix("https://").partition("/")[0]
    return host in value or text.removeprefix("https://github.com/") in value


def _is_admitted(admits: TypeAdapter[object], text: str) -> bool:
    try:
        admits.validate_python(text)
    except ValidationError:
        return False
    return True
