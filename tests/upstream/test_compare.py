from __future__ import annotations

import numpy as np
import pytest

from atlas.exceptions import UpstreamError
from atlas.upstream.compare import SCALES, largest_relative_error, samples

AXES = {"x": ("B", "S", "d"), "gamma": ("d",), "epsilon": ()}


def test_samples_have_four_scales_and_distinct_sizes() -> None:
    found = samples(AXES, seed=1)
    assert [sample.scale for sample in found] == list(SCALES)
    for sample in found:
        assert dict(sample.sizes) == {"B": 3, "S": 5, "d": 7}
        assert {name: array.shape for name, array in sample.arrays.items()} == {
            "x": (3, 5, 7),
            "gamma": (7,),
            "epsilon": (),
        }
    spread = [float(sample.arrays["x"].std()) for sample in found]
    np.testing.assert_allclose(spread, [1, 2, 1e-3, 4], rtol=0.2)
    assert abs(float(found[1].arrays["x"].mean()) - 0.5) < 0.5


def test_samples_depend_on_the_seed_alone() -> None:
    def first(seed: int) -> object:
        return samples(AXES, seed)[0].arrays["x"].tolist()

    assert first(1) == first(1)
    assert first(1) != first(2)


def test_too_many_axes_are_refused() -> None:
    with pytest.raises(UpstreamError, match="at most 8 axes, not 9: a, b, c, d, e, f, g, h, i"):
        samples({"x": "abcdefghi"}, seed=0)


@pytest.mark.parametrize(
    ("found", "expected", "error"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, 2.5], [1.0, 2.0], 0.25),
        ([1e-9, 4.0], [0.0, 4.0], 2.5e-10),
        ([0.0], [0.0], 0.0),
        ([1e-300], [0.0], np.inf),
        ([np.nan], [np.nan], np.inf),
        ([np.inf], [np.inf], np.inf),
        ([1.0], [np.nan], np.inf),
    ],
)
def test_error_is_relative_to_the_arrays_scale(found: list[float], expected: list[float], error: float) -> None:
    assert largest_relative_error(np.array(found), np.array(expected)) == pytest.approx(error, rel=1e-12)


def test_what_proves_nothing_is_refused() -> None:
    with pytest.raises(UpstreamError, match=r"shapes \[2\] and \[1\] cannot be compared"):
        largest_relative_error(np.ones(2), np.ones(1))
    with pytest.raises(UpstreamError, match="empty arrays prove nothing"):
        largest_relative_error(np.ones((0, 3)), np.ones((0, 3)))
