"""TensorFlow 1's variable scopes: the names of variables, which decide what is shared.

Everything that upstream code creates is in the run's `State`, so that two runs cannot see each other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np

from atlas.upstream.facade import Initial, State
from atlas.upstream.tensorflow_tensor import Conversion, TensorFlowTensor

Getter: TypeAlias = Callable[..., TensorFlowTensor]


class RandomInitializer:
    """Stands for any initializer that draws: a run says itself where such variables begin."""


def ones_initializer() -> Initial:
    """Begin as ones."""
    return np.ones


def zeros_initializer() -> Initial:
    """Begin as zeros."""
    return np.zeros


def random_normal_initializer(mean: float = 0.0, stddev: float = 1.0) -> RandomInitializer:
    """Begin at random, however distributed."""
    return RandomInitializer()


class VariableScope:
    """An open scope, as `with tf.variable_scope(…) as scope` gives it."""

    def __init__(self, name: str, reuse: bool, getter: Getter | None = None) -> None:
        self.name = name
        self.reuse = reuse
        self.getter = getter

    def reuse_variables(self) -> None:
        """From now on, variables in this scope must exist already."""
        self.reuse = True

    def inside(self, name: str) -> str:
        """The full name of what is in this scope."""
        return f"{self.name}/{name}" if self.name else name


class Scopes:
    """The variable scopes of one run."""

    def __init__(self, state: State, convert: Conversion) -> None:
        self._state = state
        self._convert = convert
        self._current = VariableScope("", reuse=False)
        # How often each scope was opened, which is what makes default names unique.
        self._opened: dict[str, int] = {}

    def get_variable_scope(self) -> VariableScope:
        """The scope that is open."""
        return self._current

    @contextmanager
    def name_scope(
        self, name: str | None, default_name: str | None = None, values: Sequence[object] | None = None
    ) -> Iterator[None]:
        """Name operations, which are not recorded; variables are not named by it."""
        yield

    @contextmanager
    def variable_scope(
        self,
        name_or_scope: str | VariableScope | None = None,
        default_name: str | None = None,
        values: Sequence[object] | None = None,
        *,
        reuse: bool | None = None,
        caching_device: None = None,
        custom_getter: Getter | None = None,
    ) -> Iterator[VariableScope]:
        """Open a scope below the current one; without a name, below a default name made unique.

        An open scope, given instead of a name, is entered again as it is. `custom_getter` is called in place of
        `get_variable`, with the getter around it as its first argument.
        """
        if caching_device is not None:
            raise ValueError("there is no device to cache variables on")
        above = self._current
        before = dict(self._opened)
        name = self._name(name_or_scope, default_name, reuse)
        is_scope = isinstance(name_or_scope, VariableScope)
        reused = (name_or_scope if isinstance(name_or_scope, VariableScope) else above).reuse
        # An entered scope may turn reuse off; below a scope that reuses variables everything does.
        is_reused = reused if reuse is None else (reuse if is_scope else reuse or reused)
        self._opened[name] = self._opened.get(name, 0) + 1
        self._enter(VariableScope(name, bool(is_reused), _chained(custom_getter, above.getter)))
        try:
            yield self._current
        finally:
            # Counting begins anew inside a scope that is left: entering it again for reuse then finds the same names.
            self._opened = (
                before if is_scope else {one: n for one, n in self._opened.items() if not one.startswith(f"{name}/")}
            )
            self._enter(above)

    def get_variable(
        self, name: str, shape: object = None, initializer: Initial | RandomInitializer | None = None
    ) -> TensorFlowTensor:
        """Create a variable in the current scope, or find it there if the scope is one for reuse."""
        full = self._current.inside(name)
        if self._current.getter is not None:
            return self._current.getter(self._variable, full, shape=shape, initializer=initializer)
        return self._variable(full, shape=shape, initializer=initializer)

    def _variable(
        self, full: str, shape: object = None, initializer: Initial | RandomInitializer | None = None
    ) -> TensorFlowTensor:
        sizes = None if shape is None else self._convert.integers(shape)
        known = self._state.variables.get(full)
        if self._current.reuse:
            if known is None or not isinstance(known.tensor, TensorFlowTensor):
                raise ValueError(f"the variable {full} does not exist, but its scope reuses variables")
            if sizes is not None and sizes != known.tensor.shape:
                raise ValueError(f"the variable {full} has shape {list(known.tensor.shape)}, not {list(sizes)}")
            return known.tensor
        if known is not None:
            raise ValueError(f"the variable {full} exists already, and its scope does not reuse variables")
        if sizes is None:
            raise ValueError(f"the new variable {full} needs a shape")
        initial = None if isinstance(initializer, RandomInitializer) else initializer
        return self._state.create(TensorFlowTensor, full, sizes, initial)

    def _enter(self, scope: VariableScope) -> None:
        self._current = scope
        self._state.scope = scope.name

    def _name(self, name_or_scope: object, default_name: str | None, reuse: bool | None) -> str:
        if isinstance(name_or_scope, VariableScope):
            return name_or_scope.name
        if isinstance(name_or_scope, str):
            return self._current.inside(name_or_scope)
        if name_or_scope is not None:
            raise TypeError(f"a variable scope is named by a text, not by {type(name_or_scope).__name__}")
        if default_name is None:
            raise TypeError("a variable scope needs a name or a default name")
        if reuse:
            raise ValueError("reuse=True needs a name: a default name is always a new one")
        return self._unused(default_name)

    def _unused(self, name: str) -> str:
        full = self._current.inside(name)
        candidate, number = full, 0
        while self._opened.get(candidate):
            number += 1
            candidate = f"{full}_{number}"
        return candidate


def _chained(getter: Getter | None, around: Getter | None) -> Getter | None:
    """One getter for two nested scopes: the inner one is called first, and calls the outer one."""
    if getter is None or around is None:
        return getter or around
    inner, outer = getter, around

    def chained(true_getter: Getter, name: str, **named: object) -> TensorFlowTensor:
        return inner(functools.partial(outer, true_getter), name, **named)

    return chained
