"""One claim about upstream behaviour → the arrays that the pinned code gives for the operator's own arguments.

Only what a claim passes reaches upstream; everything else takes upstream's defaults, so a default that the entry states
(ε, the initial gain) is proved against the pinned code's own.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from atlas.exceptions import UpstreamError
from atlas.upstream.chainer_facade import CHAINER
from atlas.upstream.execute import load, located
from atlas.upstream.facade import Facade, State, matching
from atlas.upstream.tensor import Array, Shape, Tensor, gradients
from atlas.upstream.tensorflow_facade import TENSORFLOW

FACADES: Mapping[str, Facade] = MappingProxyType({facade.name: facade for facade in (CHAINER, TENSORFLOW)})

Literal: TypeAlias = str | int | float | bool | None
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class UpstreamCall:
    """How the operator's arguments reach upstream code."""

    facade: str
    """The library whose calls the code makes; a key of FACADES."""
    callable: str
    """The function to call, or the class whose instance is called."""
    passes: Mapping[str, str]
    """Upstream argument of the call → operator argument."""
    variables: Mapping[str, str | None] = field(default_factory=lambda: _NOTHING)
    """Variable that upstream creates, by its full name or the last parts of it → operator argument that gives its
    value, or None where upstream's own initial value stays."""
    construct: Mapping[str, Literal] = field(default_factory=lambda: _NOTHING)
    """Constructor argument of a class → its value; a text names an operator argument."""
    cotangent: str | None = None
    """The operator argument that holds the gradient of the result, where upstream's gradients are wanted too."""


@dataclass(frozen=True, slots=True)
class UpstreamResult:
    """What upstream code gave."""

    outputs: tuple[Array, ...]
    """The result, or the members of the list or tuple that the call returned."""
    variables: Mapping[str, Shape]
    """Every variable that was created, by its full name, and its shape."""
    values: Mapping[str, Array]
    """The values of these variables."""
    gradients: Mapping[str, Array]
    """With a cotangent: operator argument → the gradient, for every array that was passed and every variable given."""
    notices: tuple[str, ...]
    """The texts of all warnings, in order."""


def execute_call(
    text: str,
    blob: str,
    call: UpstreamCall,
    arrays: Mapping[str, Array],
    options: Mapping[str, float],
    *,
    filename: str,
) -> UpstreamResult:
    """Execute pinned upstream code on the operator's arrays (in float64) and options.

    Errors: UpstreamError, also where the claim maps a name that does not exist, gives a value to a variable that is
    never created, leaves a created variable unmapped, or leaves out an array.
    """
    facade = facade_named(call.facade)
    known = _operator_arguments(call, arrays, options)
    state = State({name: np.asarray(known(source)) for name, source in call.variables.items() if source is not None})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        target = load(text, blob, names=[call.callable], facade=facade, state=state, filename=filename)[call.callable]
        if not callable(target):
            raise UpstreamError(f"{filename}: {call.callable} is {type(target).__name__}, which cannot be called")
        target = _constructed(target, call, known)
        passed = {name: _input(known(source), facade) for name, source in call.passes.items()}
        returned = called(target, passed, call.callable)
        _check_variables(state, call, filename)
        found = {} if call.cotangent is None else _gradients(returned, passed, state, call, known(call.cotangent))
    return UpstreamResult(
        outputs=tuple(_output(one, call) for one in (returned if isinstance(returned, list | tuple) else [returned])),
        variables=MappingProxyType({name: one.tensor.shape for name, one in state.variables.items()}),
        values=MappingProxyType({name: one.tensor.value for name, one in state.variables.items()}),
        gradients=MappingProxyType(found),
        notices=tuple(str(one.message) for one in caught),
    )


def facade_named(name: str) -> Facade:
    """The facade of a library."""
    if name not in FACADES:
        raise UpstreamError(f"there is no facade {name}; there are {listing(FACADES)}")
    return FACADES[name]


def _operator_arguments(
    call: UpstreamCall, arrays: Mapping[str, Array], options: Mapping[str, float]
) -> Callable[[str], Array | float]:
    """A look-up of operator arguments, after checking that every array reaches upstream code at all."""
    if both := arrays.keys() & options.keys():
        raise UpstreamError(f"{listing(both)} is given as an array and as an option")
    texts = [value for value in call.construct.values() if isinstance(value, str)]
    used = {*call.passes.values(), *call.variables.values(), *texts, call.cotangent}
    if unused := arrays.keys() - used:
        raise UpstreamError(f"{call.callable} is never given the operator's {listing(unused)}")
    values: dict[str, Array | float] = {name: _double(array, name) for name, array in arrays.items()} | dict(options)

    def known(name: str) -> Array | float:
        if name not in values:
            raise UpstreamError(f"the operator has no argument {name}; it has {listing(values)}")
        return values[name]

    return known


def _double(array: Array, name: str) -> Array:
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    if array.dtype.kind in "iu":
        return array.copy()
    raise UpstreamError(f"the operator's {name} holds {array.dtype}, which upstream code is not executed on")


def _constructed(
    target: Callable[..., object], call: UpstreamCall, known: Callable[[str], Array | float]
) -> Callable[..., object]:
    """The class's instance to call, or the function itself."""
    if not isinstance(target, type):
        if call.construct:
            raise UpstreamError(f"{call.callable} is no class: it is constructed with nothing")
        return target
    values = {name: known(value) if isinstance(value, str) else value for name, value in call.construct.items()}
    instance = called(target, values, f"the constructor of {call.callable}")
    if not callable(instance):
        raise UpstreamError(f"an instance of {call.callable} cannot be called")
    return instance


def _input(value: Array | float, facade: Facade) -> object:
    """An array as the library's tensor (a copy: upstream code may write into it); an option as it is."""
    return facade.tensor(value.copy()) if isinstance(value, np.ndarray) else value


def called(target: Callable[..., object], passed: Mapping[str, object], what: str) -> object:
    """Call upstream code; arguments that do not exist or are missing are refused first, naming those that exist."""
    signature = inspect.signature(target)
    if unknown := [name for name in passed if name not in signature.parameters]:
        raise UpstreamError(f"{what} has no argument {listing(unknown)}; it has {listing(signature.parameters)}")
    try:
        bound = signature.bind(**passed)
    except TypeError as error:
        raise UpstreamError(f"{what} cannot be called so: {error}") from error
    with located():
        # By position as far as possible, which is the only way that a TensorFlow Defun can be called.
        return target(*bound.args, **bound.kwargs)


def _check_variables(state: State, call: UpstreamCall, filename: str) -> None:
    """Compare the claimed variables with those that were created."""
    created = state.variables
    claimed = {name: [one for one in created if matching(one, {name: None})] for name in call.variables}
    if never := [name for name, found in claimed.items() if not found]:
        made = f"it creates {listing(created)}" if created else "it creates no variable"
        raise UpstreamError(f"{filename}: {call.callable} never creates the variable {listing(never)}; {made}")
    for name, found in claimed.items():
        if len(found) > 1:
            raise UpstreamError(f"{filename}: {call.callable} creates several variables {name}: {listing(found)}")
    if unmapped := created.keys() - {found[0] for found in claimed.values()}:
        raise UpstreamError(
            f"{filename}: {call.callable} also creates the variable {listing(unmapped)}, which is not mapped"
        )


def _gradients(
    returned: object,
    passed: Mapping[str, object],
    state: State,
    call: UpstreamCall,
    cotangent: Array | float,
) -> dict[str, Array]:
    if not isinstance(returned, Tensor):
        raise UpstreamError(f"{call.callable} returns no single tensor, so there is no gradient of it to compare")
    sources = [(call.passes[name], one) for name, one in passed.items() if isinstance(one, Tensor)]
    sources += [(call.variables[one.preset] or "", one.tensor) for one in state.variables.values() if one.preset]
    with located():
        found = gradients([returned], [tensor for _, tensor in sources], [np.asarray(cotangent)])
    result: dict[str, Array] = {}
    for (name, _), gradient in zip(sources, found, strict=True):
        if gradient is None:
            raise UpstreamError(f"the result of {call.callable} does not depend on {name}")
        # An operator argument that is passed twice has the sum of both gradients.
        result[name] = result[name] + gradient if name in result else gradient
    return result


def _output(value: object, call: UpstreamCall) -> Array:
    if not isinstance(value, Tensor):
        raise UpstreamError(f"{call.callable} returns {type(value).__name__} where a tensor was expected")
    return value.value


def listing(names: Iterable[str]) -> str:
    """Names for a message."""
    return ", ".join(sorted(names)) or "none"
