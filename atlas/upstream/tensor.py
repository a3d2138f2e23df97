"""Arrays that remember how they were computed, so that upstream code which asks for gradients can be executed too.

Reverse mode over the few operations that the facades serve; each facade derives its own tensor class from `Tensor`,
with the arithmetic rules of its library. An operation that is missing here fails instead of silently losing the tape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np

from atlas.exceptions import UpstreamError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
Shape: TypeAlias = tuple[int, ...]
Axis: TypeAlias = int | Sequence[int] | None
Pullback: TypeAlias = Callable[[Array], tuple[Array, ...]]
"""The gradient with respect to a result → the gradients with respect to each of its inputs, in order."""
BasicIndex: TypeAlias = int | slice | EllipsisType | None


class Tensor:
    """An array, the tensors it was computed from, and how a gradient flows back to them."""

    __slots__ = ("inputs", "pullback", "value")
    # NumPy then leaves `array - tensor` to the reflected methods below instead of making an array of objects.
    __array_ufunc__: ClassVar[None] = None

    def __init__(self, value: Array, inputs: tuple[Tensor, ...] = (), pullback: Pullback | None = None) -> None:
        self.value = value
        self.inputs = inputs
        self.pullback = pullback

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.shape}, dtype={self.value.dtype})"

    @property
    def shape(self) -> Shape:
        """The sizes of the axes."""
        return tuple(self.value.shape)

    def operand(self, other: object) -> Tensor:
        """The other side of an arithmetic operation as a tensor; a number takes this tensor's element type."""
        if isinstance(other, Tensor):
            if other.value.dtype != self.value.dtype:
                raise TypeError(f"{self.value.dtype} and {other.value.dtype} do not mix")
            return other
        if isinstance(other, bool | int | float | np.number):
            if self.value.dtype.kind != "f" and not isinstance(other, int | np.integer):
                raise TypeError(f"{other!r} would be rounded to {self.value.dtype}")
            return type(self)(np.asarray(other, dtype=self.value.dtype))
        if isinstance(other, np.ndarray):
            return self.operand(type(self)(other))
        raise TypeError(f"a tensor and {type(other).__name__} do not mix")

    def __add__(self, other: object) -> Self:
        return self._combined(self, self.operand(other), np.add, lambda a, b, g: (g, g))

    def __radd__(self, other: object) -> Self:
        return self._combined(self.operand(other), self, np.add, lambda a, b, g: (g, g))

    def __sub__(self, other: object) -> Self:
        return self._combined(self, self.operand(other), np.subtract, lambda a, b, g: (g, -g))

    def __rsub__(self, other: object) -> Self:
        return self._combined(self.operand(other), self, np.subtract, lambda a, b, g: (g, -g))

    def __mul__(self, other: object) -> Self:
        return self._combined(self, self.operand(other), np.multiply, lambda a, b, g: (g * b, g * a))

    def __rmul__(self, other: object) -> Self:
        return self._combined(self.operand(other), self, np.multiply, lambda a, b, g: (g * b, g * a))

    def __truediv__(self, other: object) -> Self:
        return self._combined(self, self.operand(other), np.true_divide, _quotient_gradients)

    def __rtruediv__(self, other: object) -> Self:
        return self._combined(self.operand(other), self, np.true_divide, _quotient_gradients)

    def __neg__(self) -> Self:
        return self.derived(-self.value, (self,), lambda g: (-g,))

    def __getitem__(self, key: BasicIndex | tuple[BasicIndex, ...]) -> Self:
        parts = key if isinstance(key, tuple) else (key,)
        if not all(part is None or isinstance(part, int | slice | EllipsisType) for part in parts):
            raise TypeError("a tensor is indexed by integers, slices, ... and None")

        def pullback(g: Array) -> tuple[Array]:
            spread = np.zeros_like(self.value)
            spread[parts] = g
            return (spread,)

        return self.derived(np.asarray(self.value[parts]), (self,), pullback)

    def __iter__(self) -> NoReturn:
        # Without this, __getitem__ would make a tensor iterable, which the libraries' tensors of that time are not.
        raise TypeError("a tensor cannot be iterated over")

    def __bool__(self) -> NoReturn:
        raise TypeError("a tensor has no truth value")

    def derived(self, value: Array, inputs: tuple[Tensor, ...], pullback: Pullback) -> Self:
        """A result of this tensor's own kind."""
        return type(self)(value, inputs, pullback)

    def _combined(
        self,
        left: Tensor,
        right: Tensor,
        operation: Callable[[Array, Array], Any],
        gradients_of: Callable[[Array, Array, Array], tuple[Array, Array]],
    ) -> Self:
        """An elementwise operation with broadcasting; its gradients are summed over the axes that were stretched."""
        a, b = left.value, right.value

        def pullback(g: Array) -> tuple[Array, Array]:
            of_left, of_right = gradients_of(a, b, g)
            return _summed_to(of_left, left.shape), _summed_to(of_right, right.shape)

        return self.derived(np.asarray(operation(a, b)), (left, right), pullback)

    def squared(self) -> Self:
        """The square of each element."""
        return self.derived(np.square(self.value), (self,), lambda g: (2 * self.value * g,))

    def square_root(self) -> Self:
        """The square root of each element."""
        root = np.sqrt(self.value)
        return self.derived(root, (self,), lambda g: (g / (2 * root),))

    def reciprocal_root(self) -> Self:
        """One over the square root of each element."""
        result = 1 / np.sqrt(self.value)
        return self.derived(result, (self,), lambda g: (-0.5 * result**3 * g,))

    def summed(self, axis: Axis, *, keep: bool) -> Self:
        """The sum over some axes (None: over all), which stay as axes of size 1 if `keep`."""
        axes = None if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, self.value.ndim)
        total = np.asarray(self.value.sum(axis=axes, keepdims=keep))
        kept = tuple(1 if axes is None or i in axes else size for i, size in enumerate(self.shape))
        return self.derived(total, (self,), lambda g: (np.broadcast_to(g.reshape(kept), self.shape),))

    def averaged(self, axis: Axis, *, keep: bool) -> Self:
        """The mean over some axes (None: over all), which stay as axes of size 1 if `keep`."""
        total = self.summed(axis, keep=keep)
        return total / (self.value.size / total.value.size)

    def broadcast(self, shape: Shape) -> Self:
        """The tensor repeated along axes of size 1 and along new leading axes."""
        return self.derived(np.broadcast_to(self.value, shape), (self,), lambda g: (_summed_to(g, self.shape),))

    def reshaped(self, shape: Shape) -> Self:
        """The same elements in another shape."""
        return self.derived(self.value.reshape(shape), (self,), lambda g: (g.reshape(self.shape),))

    def passed_on(self) -> Self:
        """The same values as a tensor of its own, through which gradients flow back to this one."""
        return self.derived(self.value, (self,), lambda g: (g,))


def gradients(ys: Sequence[Tensor], xs: Sequence[Tensor], cotangents: Sequence[Array]) -> list[Array | None]:
    """The gradient of Σ ⟨y, cotangent⟩ with respect to every x; None for an x on which no y depends."""
    totals: dict[int, Array] = {}
    for y, cotangent in zip(ys, cotangents, strict=True):
        if cotangent.shape != y.shape:
            raise ValueError(f"a gradient of shape {list(cotangent.shape)} for a result of shape {list(y.shape)}")
        totals[id(y)] = totals[id(y)] + cotangent if id(y) in totals else cotangent
    for tensor in reversed(_inputs_first(ys)):
        if tensor.pullback is None or id(tensor) not in totals:
            continue
        for source, part in zip(tensor.inputs, tensor.pullback(totals[id(tensor)]), strict=True):
            totals[id(source)] = totals[id(source)] + part if id(source) in totals else part
    return [totals.get(id(x)) for x in xs]


def no_second_derivative(_: Array) -> tuple[Array, ...]:
    """The pullback of a gradient: gradients are plain arrays here, and asking for theirs must not give nothing."""
    raise UpstreamError("the facade computes no gradients of gradients")


def _inputs_first(ys: Sequence[Tensor]) -> list[Tensor]:
    """All tensors that the results depend on, each once and after its inputs; without recursion, as tapes get long."""
    order: list[Tensor] = []
    seen: set[int] = set()
    stack: list[tuple[Tensor, bool]] = [(y, False) for y in ys]
    while stack:
        tensor, is_expanded = stack.pop()
        if is_expanded:
            order.append(tensor)
        elif id(tensor) not in seen:
            seen.add(id(tensor))
            stack.append((tensor, True))
            stack.extend((source, False) for source in tensor.inputs)
    return order


def _quotient_gradients(a: Array, b: Array, g: Array) -> tuple[Array, Array]:
    return g / b, -g * a / (b * b)


def _summed_to(gradient: Array, shape: Shape) -> Array:
    """Undo broadcasting: sum over the leading axes that were added and the axes of size 1 that were stretched."""
    added = gradient.ndim - len(shape)
    stretched = tuple(added + i for i, size in enumerate(shape) if size == 1 and gradient.shape[added + i] != 1)
    return np.asarray(gradient.sum(axis=(*range(added), *stretched))).reshape(shape)
