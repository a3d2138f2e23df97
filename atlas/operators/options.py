"""The options of an operator: its keyword-only parameters, read from the function's own annotations and defaults.

An entry's `arguments` are options too, so each value is checked by name and type before any array is touched.
"""

from __future__ import annotations

import difflib
import inspect
import math
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from atlas.exceptions import ContractError, OptionError

_WORDS: Mapping[type, str] = {float: "a finite number", int: "a whole number", bool: "true or false", str: "a text"}


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The least value of an option, for its annotation."""

    value: float
    """The least value."""


NonNegative = Annotated[float, AtLeast(0)]
"""A finite number that is 0 or more, such as epsilon."""

Positive = Annotated[int, AtLeast(1)]
"""A whole number of things of which there is at least one, such as heads."""

Count = Annotated[int, AtLeast(0)]
"""A whole number of things of which there may be none, such as rows of padding."""


@dataclass(frozen=True, slots=True)
class Option:
    """One keyword-only parameter."""

    name: str
    """The parameter's name."""
    type: type[float] | type[int] | type[bool] | type[str]
    """The type of its values; where it is float, whole numbers are taken too."""
    default: float | int | bool | str | None = None
    """The default; None also where the option is required."""
    required: bool = False
    """Whether a call must give it."""
    nullable: bool = False
    """Whether None may be given."""
    least: float | None = None
    """The least value, where there is one."""

    @property
    def wanted(self) -> str:
        """What the option takes, in words."""
        least = f" of at least {self.least:g}" if self.least is not None else ""
        return _WORDS[self.type] + least + (" or none" if self.nullable else "")

    def check(self, value: object) -> float | int | bool | str | None:
        """The value as the function gets it.

        Raises:
            OptionError: the value is not of the option's type, not finite, or too small.
        """
        if value is None and self.nullable:
            return None
        # What Python has a word for is no number of NumPy, which is not loaded for the defaults of all operators.
        plain = value.item() if type(value) not in _WORDS and isinstance(value, np.generic) else value
        if self.type is float and type(plain) is int:
            plain = _as_float(plain)
        fits = type(plain) is self.type and not (isinstance(plain, float) and not math.isfinite(plain))
        if not fits or (self.least is not None and isinstance(plain, int | float) and plain < self.least):
            raise OptionError(f"{self.name} must be {self.wanted}, not {_shown(value)}", self.name)
        return plain  # type: ignore[return-value]  # it has exactly the option's type


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _shown(value: object) -> str:
    text = f"the text {value!r}" if isinstance(value, str) else str(value) if isinstance(value, float) else repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def options_of(function: Callable[..., Any]) -> Mapping[str, Option]:
    """The options of a function, in order.

    Raises:
        ContractError: a keyword-only parameter is not annotated as float, int, bool or str (or None), or has a default
            that it would refuse.
    """
    parameters = inspect.signature(function).parameters.values()
    keyword_only = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    # Arrays are annotated too, and to look at what they are would load NumPy.
    names = {parameter.name for parameter in keyword_only}
    annotated = {name: one for name, one in function.__annotations__.items() if name in names}
    options = type("Options", (), {"__annotations__": annotated})
    hints = get_type_hints(options, function.__globals__, include_extras=True)
    found = {parameter.name: _option(parameter, hints.get(parameter.name)) for parameter in keyword_only}
    return types.MappingProxyType(found)


def _option(parameter: inspect.Parameter, hint: Any) -> Option:
    nullable = get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint)
    if nullable:
        hint = next(part for part in get_args(hint) if part is not type(None))
    least = None
    if get_origin(hint) is Annotated:
        hint, *extras = get_args(hint)
        least = next((extra.value for extra in extras if isinstance(extra, AtLeast)), None)
    if hint not in _WORDS:
        raise ContractError(f"option {parameter.name} must be annotated as float, int, bool or str, not {hint}")
    required = parameter.default is parameter.empty
    option = Option(parameter.name, hint, None if required else parameter.default, required, nullable, least)
    if not required:
        try:
            option.check(parameter.default)
        except OptionError as error:
            raise ContractError(f"the default of an option must fit it: {error}") from None
    return option


def resolve(options: Mapping[str, Option], given: Mapping[str, object], owner: str) -> dict[str, Any]:
    """Every option with the value given or its default.

    Raises:
        OptionError: an option is unknown, missing or has a value that does not fit.
    """
    for name in given:
        if name not in options:
            takes = f"takes {', '.join(options)}" if options else "takes no options"
            raise OptionError(f"{owner} has no option {name}", name, f"it {takes}{did_you_mean(name, options)}")
    for option in options.values():
        if option.required and option.name not in given:
            raise OptionError(f"{owner} needs the option {option.name}, {option.wanted}", option.name)
    return {name: option.check(given[name]) if name in given else option.default for name, option in options.items()}


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The end of a message that names the nearest of several names, or an empty text."""
    near = nearest(name, names)
    return f"; did you mean {near}?" if near else ""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The nearest of several names, where one is near."""
    return next(iter(difflib.get_close_matches(name, sorted(names), 1)), None)
