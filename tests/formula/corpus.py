"""The formulas that the tests share: read from formulas.yml, declared there in a short notation."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from atlas.formula.declarations import (
    AliasOf,
    Declarations,
    FunctionOf,
    Ids,
    IntegerRange,
    Positive,
    Real,
    SymbolDeclaration,
    SymbolKind,
    UnitInterval,
)

FILE = Path(__file__).with_name("formulas.yml")

NOTATION = re.compile(
    r"(?:family (?P<family>[^:]+): )?(?:ids (?P<below>.+?) )?\[(?P<axes>[^\]]*)\](?: (?P<domain>> 0|in \(0,1\)))?"
    r"(?: -> \[(?P<to>[^\]]*)\])?"
)


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    latex: str
    declarations: Declarations


def symbol(text: str) -> SymbolDeclaration:
    if text.startswith("is "):
        return SymbolDeclaration(kind=AliasOf(text.removeprefix("is ")))
    if found := re.fullmatch(r"integer (.+)\.\.(.+)", text):
        return SymbolDeclaration(kind=IntegerRange(found[1], found[2]))
    match = NOTATION.fullmatch(text)
    assert match is not None, text
    kind: SymbolKind = Real()
    if match["to"] is not None:
        kind = FunctionOf(axes(match["to"]), match["family"])
    elif match["below"] is not None:
        kind = Ids(match["below"])
    elif match["domain"] is not None:
        kind = Positive() if match["domain"] == "> 0" else UnitInterval()
    return SymbolDeclaration(axes(match["axes"]), kind)


def axes(text: str) -> tuple[str, ...]:
    return tuple(axis.strip() for axis in text.split(",") if axis.strip())


def declared(symbols: dict[str, str], **rest: Any) -> Declarations:
    batch = rest.pop("batch", None)
    zero = frozenset(rest.pop("zero_outside", ()))
    found = {name: symbol(text) for name, text in symbols.items()}
    return Declarations(found, batch=None if batch is None else tuple(batch), zero_outside=zero, **rest)


def load(file: Path = FILE) -> dict[str, Case]:
    entries = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {
        name: Case(name, entry.pop("formula").strip(), declared(entry.pop("symbols"), **entry))
        for name, entry in entries.items()
    }


Declared = Callable[..., Declarations]
