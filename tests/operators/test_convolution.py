"""Convolution against a loop over every place, and by what it must be equal to."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.exceptions import OptionError, ShapeError
from atlas.operators.convolution import convolution_2d
from atlas.operators.linear import linear

Normal = Callable[..., Any]


def naively(x: Any, kernel: Any, b: Any, stride: int, padding: int, groups: int) -> Any:
    """The sum of the definition, for every image, output channel and place; outside the image there is 0."""
    images, _, height, width = x.shape
    outputs, channels, rows, columns = kernel.shape
    high, wide = ((side + 2 * padding - size) // stride + 1 for side, size in ((height, rows), (width, columns)))
    y = np.zeros((images, outputs, high, wide))
    for n, o, i, j in np.ndindex(*y.shape):
        first = o // (outputs // groups) * channels
        total = b[o]
        for c, u, v in product(range(channels), range(rows), range(columns)):
            row, column = i * stride + u - padding, j * stride + v - padding
            if 0 <= row < height and 0 <= column < width:
                total += kernel[o, c, u, v] * x[n, first + c, row, column]
        y[n, o, i, j] = total
    return y


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    groups=st.integers(1, 3), channels=st.integers(1, 2), outputs=st.integers(1, 2), rows=st.integers(1, 3),
    columns=st.integers(1, 3), more=st.tuples(st.integers(0, 3), st.integers(0, 3)), stride=st.integers(1, 3),
    padding=st.integers(0, 2),
)  # fmt: skip
def test_a_loop_over_every_place(
    groups: int, channels: int, outputs: int, rows: int, columns: int, more: tuple[int, int], stride: int, padding: int
) -> None:
    random = np.random.default_rng(stride)
    x = random.normal(size=(2, groups * channels, rows + more[0], columns + more[1]))
    kernel, b = random.normal(size=(groups * outputs, channels, rows, columns)), random.normal(size=groups * outputs)
    y = convolution_2d(x, kernel, b, stride=stride, padding=padding, groups=groups)
    np.testing.assert_allclose(y, naively(x, kernel, b, stride, padding, groups), rtol=1e-12, atol=1e-13)


class TestEqualities:
    def test_the_kernel_is_not_flipped(self) -> None:
        x = np.zeros((1, 1, 3, 3))
        x[0, 0, 1, 1] = 1
        kernel = np.arange(1.0, 10).reshape(1, 1, 3, 3)
        # each output sees the point through another place of the kernel, so the kernel comes out turned round
        np.testing.assert_array_equal(convolution_2d(x, kernel, padding=1), kernel[..., ::-1, ::-1])
        np.testing.assert_array_equal(convolution_2d(kernel, kernel), [[[[285]]]])  # 1² + … + 9²

    def test_a_kernel_of_one_place_is_a_linear_map_of_channels(self, normal: Normal) -> None:
        x, weight, b = normal(2, 3, 4, 5), normal(6, 3), normal(6)
        y = convolution_2d(x, weight[:, :, None, None], b)
        expected = linear(np.moveaxis(x, 1, -1), weight.T.copy(), b)
        np.testing.assert_allclose(np.moveaxis(y, 1, -1), expected, rtol=1e-12)

    def test_patches_are_a_linear_map_of_each(self, normal: Normal) -> None:
        x, kernel = normal(1, 3, 8, 12), normal(5, 3, 4, 4)
        y = convolution_2d(x, kernel, stride=4)
        for i, j in np.ndindex(2, 3):
            patch = x[0, :, 4 * i : 4 * i + 4, 4 * j : 4 * j + 4]
            np.testing.assert_allclose(y[0, :, i, j], kernel.reshape(5, -1) @ patch.ravel(), rtol=1e-12)

    def test_groups_are_convolutions_side_by_side(self, normal: Normal) -> None:
        x, kernel = normal(2, 6, 4, 4), normal(9, 2, 3, 3)
        y = convolution_2d(x, kernel, groups=3)
        parts = [convolution_2d(x[:, 2 * g : 2 * g + 2], kernel[3 * g : 3 * g + 3]) for g in range(3)]
        np.testing.assert_allclose(y, np.concatenate(parts, axis=1), rtol=1e-12)

    def test_a_shifted_image_gives_a_shifted_output(self, normal: Normal) -> None:
        x, kernel = normal(1, 2, 6, 7), normal(3, 2, 3, 3)
        y = convolution_2d(x, kernel)
        np.testing.assert_allclose(convolution_2d(x[:, :, 1:, 2:].copy(), kernel), y[:, :, 1:, 2:], rtol=1e-12)

    def test_any_batch_axes(self, normal: Normal) -> None:
        x, kernel = normal(2, 3, 2, 4, 4), normal(3, 2, 3, 3)
        y = convolution_2d(x, kernel, padding=1)
        assert y.shape == (2, 3, 3, 4, 4)
        np.testing.assert_allclose(y[1, 2], convolution_2d(x[1, 2], kernel, padding=1), rtol=1e-12)
        assert convolution_2d(x[:0], kernel).shape == (0, 3, 3, 2, 2)


class TestFloatingPoint:
    def test_half_precision_is_computed_in_single(self, normal: Normal) -> None:
        # the sums of products reach 10⁶, which does not fit into float16, while the difference does
        x = np.concatenate([np.full((1, 1, 8, 8), 200), np.full((1, 1, 8, 8), 199.5)], axis=1).astype(np.float16)
        kernel = np.concatenate([np.full((1, 1, 8, 8), 100), np.full((1, 1, 8, 8), -100)], axis=1).astype(np.float16)
        y = convolution_2d(x, kernel)
        assert y.dtype == np.float16
        np.testing.assert_array_equal(y, np.array([[[[3200]]]], np.float16))

    def test_single_precision(self, normal: Normal) -> None:
        x, kernel = normal(1, 32, 9, 9).astype(np.float32), normal(4, 32, 3, 3).astype(np.float32)
        expected = convolution_2d(x.astype(np.float64), kernel.astype(np.float64))
        np.testing.assert_allclose(convolution_2d(x, kernel), expected, rtol=0, atol=5e-5)


class TestRefusals:
    def test_a_kernel_larger_than_the_image(self) -> None:
        with pytest.raises(ShapeError) as caught:
            convolution_2d(np.ones((1, 1, 2, 5)), np.ones((1, 1, 5, 5)), padding=1)
        assert str(caught.value) == "kernel has (5, 5) rows and columns, more than the (4, 7) of x with its padding"
        assert caught.value.misfits == (("kernel", str(caught.value)),)
        assert convolution_2d(np.ones((1, 1, 3, 3)), np.ones((1, 1, 5, 5)), padding=1).shape == (1, 1, 1, 1)

    def test_channels_that_do_not_fit(self) -> None:
        with pytest.raises(
            ShapeError, match=r"^x has 3 on axis \(groups c\), but that is 2, as an option bound groups"
        ):
            convolution_2d(np.ones((1, 3, 4, 4)), np.ones((1, 2, 3, 3)))
        with pytest.raises(
            ShapeError, match=r"^kernel has 3 on axis \(groups o\), which fits no size: 3 is not a multip"
        ):
            convolution_2d(np.ones((1, 4, 4, 4)), np.ones((3, 2, 3, 3)), groups=2)
        with pytest.raises(ShapeError, match=r"^b has 2 on axis \(groups o\), but that is 3, as "):
            convolution_2d(np.ones((1, 1, 4, 4)), np.ones((3, 1, 3, 3)), np.ones(2))
        with pytest.raises(ShapeError, match=r"^kernel has 0 on axis k, but convolution_2d needs at least 1 there$"):
            convolution_2d(np.ones((1, 1, 4, 4)), np.ones((3, 1, 0, 3)))

    @pytest.mark.parametrize(("option", "value"), [("stride", 0), ("padding", -1), ("groups", 0), ("stride", 1.0)])
    def test_options(self, option: str, value: float) -> None:
        with pytest.raises(OptionError, match=rf"^{option} must be a whole number of at least "):
            convolution_2d(np.ones((1, 1, 4, 4)), np.ones((1, 1, 3, 3)), **{option: value})
