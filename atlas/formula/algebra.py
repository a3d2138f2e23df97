r"""Operations on arrays with named axes: elementwise ones, products, transposes and reads at indices.

Each checks the axes by their labels before it computes, and counts what it computes against the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from atlas.formula.budget import Budget
from atlas.formula.tensor import Array, Misfit, Tensor, aligned, embedding, fitted, moved, union

REMOVE_TRANSPOSE = r"remove ^\top"

_NEW = tuple.__new__
"""Makes a tensor without the steps that name its fields and count its axes, for most operations make nothing else."""


class Algebra:
    """The operations of one evaluation, with its budget."""

    def __init__(self, budget: Budget) -> None:
        """Count everything against this budget."""
        self.budget = budget
        self.real = np.dtype(np.float64)
        """What numbers are, so that it is seen at once that an operand is no set."""

    def each(self, function: Callable[[Array], Array], tensor: Tensor, *, verb: str, cost: int = 1) -> Tensor:
        """Apply a function to each number by itself."""
        data, free, core, row = tensor
        if data.dtype is not self.real:
            return self.elementwise(function, tensor, verb=verb, cost=cost)
        self.budget.spend_like(data, cost)
        return _NEW(Tensor, (np.asarray(function(data)), free, core, row))

    def pair(
        self, function: Callable[[Array, Array], Array], left: Tensor, right: Tensor, *, verb: str = "combine"
    ) -> Tensor:
        """What `elementwise` gives for two operands; most have the same axes, or one has none."""
        one, free, core, row = left
        other, free_of_other, core_of_other, row_of_other = right
        if not other.ndim:
            larger = one
        elif not one.ndim:
            larger, free, core, row = other, free_of_other, core_of_other, row_of_other
        elif free == free_of_other and core == core_of_other and row == row_of_other and one.shape == other.shape:
            larger = one
        else:
            return self._moved(function, left, right, verb)
        if one.dtype is not self.real or other.dtype is not self.real:
            return self.elementwise(function, left, right, verb=verb)
        self.budget.spend_like(larger)
        return _NEW(Tensor, (np.asarray(function(one, other)), free, core, row))

    def _moved(self, function: Callable[[Array, Array], Array], left: Tensor, right: Tensor, verb: str) -> Tensor:
        """The same for two operands of which one has fewer axes, or others."""
        one, other = left.data, right.data
        found = fitted((left[1:], right[1:])) if one.dtype is self.real and other.dtype is self.real else None
        if found is None:
            return self.elementwise(function, left, right, verb=verb)  # which tells why
        free, core, row, moves = found
        if moves:
            one = one if moves[0] is None else moved(one, moves[0])
            other = other if moves[1] is None else moved(other, moves[1])
        self.budget.spend_together((one.shape, other.shape))
        return _NEW(Tensor, (np.asarray(function(one, other)), free, core, row))

    def elementwise(
        self,
        function: Callable[..., Array],
        *tensors: Tensor,
        verb: str = "combine",
        cost: int = 1,
        logical: bool = False,
    ) -> Tensor:
        """Apply a function to numbers at equal places; the axes of one operand hold those of all others, in order."""
        if not logical:
            for tensor in tensors:
                if tensor.data.dtype.kind == "b":
                    raise _unfit(tensors, verb, logical)
        found = fitted(tuple([tensor[1:] for tensor in tensors]))
        if found is None:
            raise _unfit(tensors, verb, logical)
        free, core, row, moves = found
        arrays = [tensor.data for tensor in tensors]
        for at, move in enumerate(moves):
            if move is not None:
                arrays[at] = moved(arrays[at], move)
        self.budget.spend_together(tuple([array.shape for array in arrays]), cost)
        return Tensor(np.asarray(function(*arrays)), free, core, row)

    def transpose(self, tensor: Tensor) -> Tensor:
        """Swap the last two axes, or mark a vector as a row."""
        if tensor.data.dtype == np.bool_:
            raise Misfit("A232", "the transpose of a set", REMOVE_TRANSPOSE)
        if not tensor.core:
            raise Misfit("A223", "the transpose of a scalar", REMOVE_TRANSPOSE)
        if len(tensor.core) == 1:
            return Tensor(tensor.data, tensor.free, tensor.core, not tensor.row)
        core = (*tensor.core[:-2], tensor.core[-1], tensor.core[-2])
        return Tensor(tensor.data.swapaxes(-1, -2), tensor.free, core)

    def juxtapose(self, left: Tensor, right: Tensor) -> Tensor:
        """Multiply by a scalar, or contract the last axis of the left with the second-to-last of the right."""
        if not left.core or not right.core:
            return self.pair(np.multiply, left, right, verb="multiply")
        if left.data.dtype == np.bool_ or right.data.dtype == np.bool_:
            raise Misfit("A232", "a set is multiplied")
        one, other = len(left.core), len(right.core)
        if one == 1 and other == 1:
            return self._vectors(left, right)
        if other == 1:
            if right.row:
                message = f"a matrix {left.shown} times a transposed vector {right.shown}"
                raise Misfit("A223", message, REMOVE_TRANSPOSE)
            self._same(left, right, left.core[-1], right.core[0])
            return self._contract(left, right, one - 1, 0, row=False)
        self._same(left, right, left.core[-1], right.core[-2])
        return self._contract(left, right, one - 1, other - 2, row=left.row)

    def _vectors(self, left: Tensor, right: Tensor) -> Tensor:
        if left.row == right.row:
            message = f"two vectors {left.shown} and {right.shown} side by side"
            raise Misfit("A219", message, r"write `\odot` (elementwise), `a^\top b` (inner) or `ab^\top` (outer)")
        if left.row:
            self._same(left, right, left.core[0], right.core[0])
            return self._contract(left, right, 0, 0, row=False)
        return self._contract(left, right, None, None, row=False)

    def _same(self, left: Tensor, right: Tensor, one: str, other: str) -> None:
        """Refuse to contract axes that differ, with the likeliest mistake as a hint."""
        if one == other:
            return
        a, b = left.core, right.core
        shorter = min(len(a), len(b))
        if len(b) >= 2 and b[-1] == one:
            hint = r"did you forget ^\top on the second factor?"
        elif len(a) >= 2 and a[-2] == other:
            hint = r"did you forget ^\top on the first factor?"
        elif a[-shorter:] == b[-shorter:]:
            hint = r"did you mean \odot (elementwise)?"
        elif len(a) >= 2 and len(b) >= 2 and b[-1] == a[-2]:
            hint = "are the factors in the wrong order?"
        else:
            hint = ""
        raise Misfit("A214", f"product contracts {one} with {other}: {left.shown} times {right.shown}", hint)

    def _contract(self, left: Tensor, right: Tensor, one: int | None, other: int | None, *, row: bool) -> Tensor:
        """The product over one pair of axes, or over none; the axes before a matrix are aligned by label."""
        found = _contraction((left.free, left.core), (right.free, right.core), one, other)
        lengths = dict(zip(found.second, right.data.shape, strict=True))
        lengths.update(zip(found.first, left.data.shape, strict=True))
        self.budget.spend(lengths.values())
        data = np.einsum(left.data, found.first, right.data, found.second, found.result)
        return Tensor(np.asarray(data), found.free, found.core, row and len(found.core) == 1)

    def read(self, base: Tensor, where: Mapping[int, Tensor], pad: float) -> tuple[Tensor, bool]:
        """A tensor at indices that count from 0, one for each of some core axes; and whether any is out of range.

        What is read out of range is `pad`: NaN, so that a masked sum may run over the edge and nothing else may.
        """
        if len(where) == 1 and (whole := self._read_one(base, where)) is not None:
            return whole, False
        free = union(base.free, *(index.free for index in where.values()))
        rest = [at for at in range(len(base.core)) if at not in where]
        axes = len(free) + len(rest)
        outside: Array = np.asarray(False)
        indices: list[Array] = []
        for at, name in enumerate(base.free):
            indices.append(_along(base.data.shape[at], free.index(name), axes))
        for at in range(len(base.core)):
            length = base.data.shape[len(base.free) + at]
            if length == 0:
                raise Misfit("A241", f"the axis {base.core[at]} is empty")
            if at not in where:
                indices.append(_along(length, len(free) + rest.index(at), axes))
                continue
            index = aligned(where[at], free, ())
            index = index.reshape(index.shape + (1,) * len(rest))
            inside = (index >= 0) & (index < length)
            if not inside.all():
                outside = outside | ~inside
                index = np.clip(np.nan_to_num(index), 0, length - 1)
            indices.append(index.astype(np.intp))
        self.budget.spend_together(tuple([index.shape for index in indices]))
        data = np.asarray(base.data[tuple(indices)])
        stray = bool(outside.any())
        if stray:
            data = np.where(np.broadcast_to(outside, data.shape), pad, data)
        return Tensor(data, free, tuple(base.core[at] for at in rest)), stray

    def _read_one(self, base: Tensor, where: Mapping[int, Tensor]) -> Tensor | None:
        """The same along the first core axis, by an index that runs along an axis of its own and stays in range."""
        ((at, index),) = where.items()
        place = len(base.free)
        length = base.data.shape[place]
        if at != 0 or len(index.free) != 1 or index.free[0] in base.free or not index.data.size or not length:
            return None
        if not (index.data.min() >= 0 and index.data.max() < length):  # so NaN is none that stays in range
            return None
        shape = base.data.shape
        self.budget.spend((*shape[:place], index.data.size, *shape[place + 1 :]))
        data = base.data.take(index.data.astype(np.intp), axis=place)
        return Tensor(data, base.free + index.free, base.core[1:])

    def read_run(self, base: Tensor, key: str, first: int, count: int) -> Tensor | None:
        """The same along the first core axis at whole numbers one after the other, which become the free axis `key`.

        None where some are out of range.
        """
        place = len(base.free)
        shape = base.data.shape
        length = shape[place]
        if first < 0 or not count or first + count > length or key in base.free:
            return None
        data = base.data
        if count != length:
            data = data[(*[slice(None)] * place, slice(first, first + count))]
        self.budget.spend_like(data)
        # As a copy would be, so that what is reckoned from it does not depend on where it was taken from.
        return Tensor(np.ascontiguousarray(data), (*base.free, key), base.core[1:])


def _unfit(tensors: Sequence[Tensor], verb: str, logical: bool) -> Misfit:
    """Why the operands of an elementwise operation do not fit together."""
    big = max([tensor.core for tensor in tensors], key=len)
    for tensor in tensors:
        if not logical and tensor.data.dtype == np.bool_:
            return Misfit("A232", f"cannot {verb} a set or condition")
        if tensor.core != big and embedding(tensor.core, big) is None:
            first, second = (tensors[0], tensor if tensor is not tensors[0] else tensors[-1])
            return Misfit("A221", f"cannot {verb} {first.shown} and {second.shown}")
    column = next(tensor for tensor in tensors if tensor.core and not tensor.row)
    return Misfit("A223", f"cannot {verb} a transposed vector and {column.shown}", REMOVE_TRANSPOSE)


class _Contraction(NamedTuple):
    """How two operands are multiplied over one pair of axes; each axis has a number."""

    first: list[int]
    """The axes of the left operand."""
    second: list[int]
    """Those of the right one."""
    result: list[int]
    """Those that are left: the free ones, those before the matrices, and the rest of the left and of the right."""
    free: tuple[str, ...]
    """The free axes of the result."""
    core: tuple[str, ...]
    """Its core axes."""


# Cached, as all samples of a formula and most formulas multiply the same few axes.
@lru_cache(maxsize=1024)
def _contraction(
    left: tuple[tuple[str, ...], tuple[str, ...]],
    right: tuple[tuple[str, ...], tuple[str, ...]],
    one: int | None,
    other: int | None,
) -> _Contraction:
    """The numbers of all axes, for operands with these free and core axes, of which one of each is contracted."""
    free = union(left[0], right[0])
    stack_left, rest_left = _parted(left[1], one)
    stack_right, rest_right = _parted(right[1], other)
    stack = union([left[1][at] for at in stack_left], [right[1][at] for at in stack_right])
    keys: dict[tuple[str, str], int] = {("free", name): number for number, name in enumerate(free)}
    for label in stack:
        keys["stack", label] = len(keys)
    for side, rest in (("left", rest_left), ("right", rest_right)):
        for at in rest:
            keys[side, str(at)] = len(keys)
    contracted = len(keys)

    def numbers(
        tensor: tuple[tuple[str, ...], tuple[str, ...]], side: str, stacked: Sequence[int], axis: int | None
    ) -> list[int]:
        places = [keys["free", name] for name in tensor[0]]
        for at, label in enumerate(tensor[1]):
            if at == axis:
                places.append(contracted)
            else:
                places.append(keys["stack", label] if at in stacked else keys[side, str(at)])
        return places

    core = (*stack, *(left[1][at] for at in rest_left), *(right[1][at] for at in rest_right))
    first, second = numbers(left, "left", stack_left, one), numbers(right, "right", stack_right, other)
    return _Contraction(first, second, list(range(contracted)), free, core)


def _parted(core: Sequence[str], axis: int | None) -> tuple[list[int], list[int]]:
    """The axes before the matrix or vector at the end, and those of it that a contraction leaves."""
    matrix = range(max(len(core) - 2, 0), len(core))
    return [at for at in range(len(core)) if at not in matrix], [at for at in matrix if at != axis]


def _along(length: int, place: int, axes: int) -> Array:
    return np.arange(length).reshape([-1 if at == place else 1 for at in range(axes)])
