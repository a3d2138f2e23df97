"""The catalogue of issue codes: what each means, how it comes about, and how it is mended.

Its texts are YAML files beside this module. Tests compare their codes with those that are raised, and execute every
example: the wrong one gives exactly its code, the right one none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

import yaml

from atlas.issues import TITLES, WARNINGS

FILES = ("yaml", "schema", "formulas", "proofs")
"""The files of the catalogue, without `.yml`."""

How = Literal[
    "edit", "yaml", "files", "formula", "python", "archive", "offline", "configuration", "recorded", "verify", "build"
]
"""How an example is carried out: by which command, or by reading a text alone."""

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "A0": "YAML",
        "A1": "The schema, and what names name",
        "A2": "Formulas",
        "A3": "Shapes",
        "A4": "Parameters",
        "A5": "Pinned sources",
        "A6": "Models and configurations",
        "A7": "Proofs by execution",
        "A8": "Display",
        "A9": "Pages, prose and links",
    }
)
"""What codes that begin alike are about."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A text of a file and what takes its place before the example."""

    file: str
    """The file."""
    old: str
    """The text that stands in it once."""
    new: str
    """What takes its place."""


@dataclass(frozen=True, slots=True)
class Example:
    """A wrong and a right form of one thing."""

    how: How
    """How it is carried out."""
    where: str
    """The file that it is about, perhaps with a word on what was done before; empty for a text of its own."""
    given: tuple[Edit, ...]
    """Edits before the example."""
    setting: str
    """What else is given, as text or as code; empty for nothing."""
    wrong: str
    """The wrong form."""
    right: str
    """The right form; empty where it is to leave something out."""
    wrong_files: Mapping[str, str]
    """For an example of whole files: those of the wrong form, text by path."""
    right_files: Mapping[str, str]
    """Those of the right form."""
    symbols: Mapping[str, str]
    """For a formula: its symbols with their axes."""
    wrong_symbols: Mapping[str, str]
    """Symbols that only the wrong form has."""
    right_symbols: Mapping[str, str]
    """Symbols that only the right form has."""
    base: str
    """Which content it changes: `starter`, that of `atlas init`, or one of this project's models."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One code."""

    code: str
    """The code, such as `A214`."""
    title: str
    """What it is about, in a few words."""
    is_warning: bool
    """Whether pages can be built all the same."""
    meaning: str
    """What it means, and what to do, in one or a few sentences of Markdown."""
    example: Example
    """A wrong and a right form."""

    @property
    def group(self) -> str:
        """What codes that begin alike are about."""
        return GROUPS[self.code[:2]]


def catalogue() -> Mapping[str, Explanation]:
    """Every code with its explanation, in order."""
    found: dict[str, Explanation] = {}
    folder = files("atlas.explain") / "catalogue"
    for name in FILES:
        text = (folder / f"{name}.yml").read_text(encoding="utf-8")
        texts: dict[str, Any] = yaml.load(text, yaml.CSafeLoader)
        for code, one in texts.items():
            found[code] = Explanation(code, TITLES[code], code in WARNINGS, one.pop("meaning"), _example(one))
    return MappingProxyType(dict(sorted(found.items())))


def _example(fields: dict[str, Any]) -> Example:
    """The example of one code.

    Raises:
        ValueError: the catalogue has a key that means nothing; that is our own mistake.
    """
    given = fields.pop("given", ())
    edits = tuple(Edit(one["file"], one["replace"], one["with"]) for one in given) if isinstance(given, list) else ()
    wrong, right = fields.pop("wrong"), fields.pop("right")
    example = Example(
        how=fields.pop("how", "edit"),
        where=fields.pop("file", ""),
        given=edits,
        setting=given.rstrip("\n") if isinstance(given, str) else "",
        wrong=_text(wrong),
        right=_text(right),
        wrong_files={} if isinstance(wrong, str) else wrong,
        right_files={} if isinstance(right, str) else right,
        symbols=fields.pop("symbols", {}),
        wrong_symbols=fields.pop("wrong_symbols", {}),
        right_symbols=fields.pop("right_symbols", {}),
        base=fields.pop("base", "starter"),
    )
    if fields:
        raise ValueError(f"the catalogue of issue codes has unknown keys: {', '.join(fields)}")
    return example


def _text(form: str | Mapping[str, str]) -> str:
    """The text of a form; of files, each text below a comment that names the file."""
    if isinstance(form, str):
        return form.removesuffix("\n")
    return "\n".join(f"# {path}\n{text}" for path, text in form.items())
