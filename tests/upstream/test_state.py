from __future__ import annotations

import numpy as np
import pytest

from atlas.upstream.facade import State, drawn, shapes_alone
from atlas.upstream.tensor import Tensor


def test_drawn_values_depend_on_the_seed_and_the_name_alone() -> None:
    fill = drawn(1)
    first = fill("a/kernel", (3, 4), None)
    fill("b", (2,), None)
    np.testing.assert_array_equal(fill("a/kernel", (3, 4), None), first)
    assert not np.array_equal(fill("b/kernel", (3, 4), None), first)
    assert not np.array_equal(drawn(2)("a/kernel", (3, 4), None), first)


def test_drawn_values_stand_around_upstreams_own() -> None:
    gain, bias = drawn(3)("gain", (10_000,), np.ones), drawn(3)("bias", (10_000,), np.zeros)
    np.testing.assert_allclose([gain.mean(), bias.mean(), gain.std()], [1, 0, 0.25], atol=0.01)
    assert not np.isin(gain, 1).any()
    kernel = drawn(3)("kernel", (4, 25, 300), None)
    np.testing.assert_allclose(kernel.std(), 0.1, rtol=0.02)


def test_a_state_fills_variables_in_its_element_type() -> None:
    state = State({"c": np.ones(2)}, fill=drawn(0), dtype=np.dtype(np.float32))
    for name in "abc":
        assert state.create(Tensor, name, (2,), np.ones).value.dtype == np.float32
    assert state.variables["c"].tensor.value.tolist() == [1, 1]
    assert state.variables["a"].tensor.value.tolist() != [1, 1]


def test_shapes_alone_take_no_memory() -> None:
    state = State(fill=shapes_alone)
    value = state.create(Tensor, "table", (1_000_000, 1_000_000), None).value
    assert value.shape == (1_000_000, 1_000_000)
    assert value.strides == (0, 0)
    assert value[5, 5] == 0


def test_a_random_initial_value_is_refused_where_nothing_is_drawn() -> None:
    with pytest.raises(ValueError, match=r"^the variable kernel would begin at random: give it a value$"):
        State().create(Tensor, "kernel", (2,), None)
