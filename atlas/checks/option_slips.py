"""Options as what makes formula and operator differ: another value of one with which the two would agree.

Of two that differ either may be wrong; who is told of the formula alone changes a right one to fit a wrong option.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from atlas.exceptions import FormulaError, OptionError
from atlas.formula.engine import Formula
from atlas.formula.sample import Sample
from atlas.operators.options import Option

MAX_TRIES = 24
"""How many values are tried in all, each with the operator and the formula on every sample."""

_NUMBER = re.compile(r"(?<![\d.])(?:(\d+(?:\.\d+)?)\s*\\(?:cdot|times)\s*)?10\^(?:\{(-?\d+)\}|(\d))|(\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class OptionSlip:
    """An option with which the operator is not what the formula says, and would be with another value."""

    name: str
    """The option."""
    value: float | int | bool | str | None
    """What it is."""
    other: float | int | bool | str | None
    """What it would have to be."""


def option_slip(
    options: Mapping[str, Option],
    given: Mapping[str, Any],
    formula: Formula,
    sample: Sample,
    agrees: Callable[[str, object], bool],
) -> OptionSlip | None:
    """The first option that another value makes agree, of those whose values are given.

    The values to try are the numbers that the formula states, the option's default, and of two values the other one.
    """
    stated = stated_numbers(formula, sample)
    tries = (
        OptionSlip(name, value, other)
        for name, value in given.items()
        for other in _others(options[name], value, stated)
    )
    for _, slip in zip(range(MAX_TRIES), tries, strict=False):
        if agrees(slip.name, slip.other):
            return slip
    return None


def stated_numbers(formula: Formula, sample: Sample) -> tuple[float, ...]:
    r"""The numbers that a formula gives names to, then those that stand in it, such as `10^{-6}`."""
    names = list(formula.plan.mains)
    try:
        values = formula.execute(sample.inputs, sample.sizes, names).values
    except FormulaError:
        values = {}
    named = [_rounded(float(value)) for value in values.values() if np.shape(value) == ()]
    return tuple(dict.fromkeys([*named, *map(_number, _NUMBER.finditer(formula.latex))]))


def _rounded(number: float) -> float:
    """Without what is lost in computing a power, which nobody would write."""
    return float(f"{number:.12g}")


def _number(found: re.Match[str]) -> float:
    factor, power, digit, plain = found.groups()
    return float(plain) if plain is not None else float(f"{factor or 1}e{power or digit}")


def _others(option: Option, value: object, stated: tuple[float, ...]) -> Iterator[float | int | bool | str | None]:
    """Other values that the option takes, each once."""
    may: list[object] = [not value] if isinstance(value, bool) else []
    if option.type is float:
        may += stated
    elif option.type is int:
        may += [int(number) for number in stated if number.is_integer()]
    may += [] if option.required else [option.default]
    for other in dict.fromkeys(may):
        try:
            checked = option.check(other)
        except OptionError:
            continue
        if checked != value:
            yield checked
