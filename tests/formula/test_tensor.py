"""A tensor is made only with a name for each axis of its data."""

from __future__ import annotations

import numpy as np
import pytest

from atlas.formula.tensor import Tensor, scalar


@pytest.mark.parametrize(
    ("free", "core"), [((), ()), (("b",), ()), ((), ("d",)), (("b",), ("h", "d")), (("b", "n"), ("d",))]
)
def test_axes_that_are_not_those_of_the_data_are_a_fault_of_ours(free: tuple[str, ...], core: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError):
        Tensor(np.zeros((2, 3)), free, core)


def test_free_axes_and_core_axes_are_all_that_the_data_has() -> None:
    data = np.zeros((2, 3))
    for free, core in (((), ("n", "d")), (("b",), ("d",)), (("b", "c"), ())):
        made = Tensor(data, free, core, row=True)
        assert made.data is data
        assert made[1:] == (free, core, True)
    assert scalar(2).data.shape == ()
    with pytest.raises(AssertionError):
        Tensor(data)
