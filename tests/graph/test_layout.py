"""Layouts against plain NumPy: element by element, for any grouping, order and part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.entries.component import PART, Symbol
from atlas.exceptions import ShapeError
from atlas.graph.layout import layout_of

NAMES = ("h", "d", "k", "out_1")


def symbol(names: Sequence[str], layout: str | None, part: str | None = None) -> Symbol:
    return Symbol(axes=tuple("d" for _ in names), parameter="Weights", tensor="w", layout=layout, part=part)


@st.composite
def layouts(draw: st.DrawFn) -> tuple[list[list[str]], list[str], dict[str, int], int]:
    """The groups of the left side, the names of the right side, the length of each name and the part, from 0."""
    count: int = draw(st.integers(1, len(NAMES)))
    right: list[str] = draw(st.permutations(NAMES))[:count]
    lengths = {name: draw(st.integers(1, 3)) for name in right}
    fused: bool = draw(st.booleans())
    if fused:
        lengths[PART] = draw(st.integers(1, 3))
    order = draw(st.permutations([*right, *([PART] if fused else [])]))
    left: list[list[str]] = []
    for name in order:
        joined = draw(st.booleans())
        if left and joined:
            left[-1].append(name)
        else:
            left.append([name])
    return left, right, lengths, draw(st.integers(0, lengths.get(PART, 1) - 1))


def place_in_upstream(left: list[list[str]], lengths: dict[str, int], at: dict[str, int]) -> tuple[int, ...]:
    """Where the upstream tensor has the element with these indices: each axis counts its names, the last fastest."""
    found = []
    for group in left:
        index = 0
        for name in group:
            index = index * lengths[name] + at[name]
        found.append(index)
    return tuple(found)


@settings(derandomize=True, deadline=None, max_examples=120)
@given(layouts())
def test_a_layout_takes_each_element_from_its_place(
    found: tuple[list[list[str]], list[str], dict[str, int], int],
) -> None:
    left, right, lengths, part = found
    text = " ".join(group[0] if len(group) == 1 else f"({' '.join(group)})" for group in left)
    parted = f"{part + 1} of {lengths[PART]}" if PART in lengths else None
    layout = layout_of(symbol(right, f"{text} -> {' '.join(right)}", parted))
    shape = tuple(lengths[name] for name in right)
    upstream_shape = tuple(prod(lengths[name] for name in group) for group in left)
    assert layout.upstream_shape(shape) == upstream_shape
    upstream = np.arange(prod(upstream_shape)).reshape(upstream_shape)
    taken = layout.taken(upstream, shape)
    assert taken.shape == shape
    for index in product(*map(range, shape)):
        at = dict(zip(right, index, strict=True)) | {PART: part}
        assert taken[index] == upstream[place_in_upstream(left, lengths, at)]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(layouts())
def test_the_parts_of_a_layout_are_all_of_the_upstream_tensor(
    found: tuple[list[list[str]], list[str], dict[str, int], int],
) -> None:
    left, right, lengths, _ = found
    text = " ".join(f"({' '.join(group)})" for group in left)
    parts = [f"{one + 1} of {lengths[PART]}" for one in range(lengths[PART])] if PART in lengths else [None]
    shape = tuple(lengths[name] for name in right)
    whole = np.arange(prod(lengths.values()))
    upstream = whole.reshape(tuple(prod(lengths[name] for name in group) for group in left))
    taken = [layout_of(symbol(right, f"{text} -> {' '.join(right)}", one)).taken(upstream, shape) for one in parts]
    assert sorted(np.concatenate([one.ravel() for one in taken]).tolist()) == whole.tolist()


def test_without_a_layout_the_tensor_is_as_it_is() -> None:
    array = np.arange(6).reshape(2, 3)
    layout = layout_of(symbol("ab", None))
    assert layout.upstream_shape((2, 3)) == (2, 3)
    np.testing.assert_array_equal(layout.taken(array, (2, 3)), array)
    assert layout_of(symbol("", None)).upstream_shape(()) == ()


def test_what_is_taken_is_an_array_of_its_own() -> None:
    upstream = np.arange(6).reshape(2, 3)
    taken = layout_of(symbol("ab", "a b -> b a")).taken(upstream, (3, 2))
    assert taken.flags["C_CONTIGUOUS"]
    assert not np.shares_memory(taken, upstream)


@pytest.mark.parametrize(
    ("layout", "part", "message"),
    [
        ("(part a) b -> a b", None, "an axis called `part` in the layout and the key `part` go together"),
        ("a b -> a b", "1 of 2", "an axis called `part` in the layout and the key `part` go together"),
        (None, "1 of 2", "`part` needs a `layout` that says which axis is called `part`"),
        ("(part a) b -> a b", "3 of 2", "there is no part 3 of 2"),
        ("a b c -> c a b", None, "the layout has 3 axes on the right, the symbol has 2"),
        ("a -> a", None, "the layout has 1 axes on the right, the symbol has 2"),
    ],
)
def test_a_layout_that_does_not_fit_its_symbol(layout: str | None, part: str | None, message: str) -> None:
    with pytest.raises(ShapeError, match=f"^{re.escape(message)}$"):
        layout_of(symbol("ab", layout, part))


@pytest.mark.parametrize("shape", [(3, 2, 1), (6,), (2, 3), ()])
def test_an_upstream_tensor_of_another_shape_is_told(shape: Any) -> None:
    layout = layout_of(symbol("ab", "b a -> a b"))
    with pytest.raises(ShapeError, match=re.escape(f"upstream has the shape {shape}, the layout says (3, 2)")):
        layout.taken(np.zeros(shape), (2, 3))


def test_a_shape_of_another_number_of_axes_is_told() -> None:
    with pytest.raises(ShapeError, match="the layout has 2 axes on the right, the symbol has 3"):
        layout_of(symbol("ab", "b a -> a b")).upstream_shape((1, 2, 3))
