"""Makes convolution.json: two-dimensional convolution and pooling as PyTorch computes them.

Run by hand, never by the tests, in an environment that has torch and nothing of this project:

    python make_convolution.py > convolution.json

Every result is that of torch.nn.functional.conv2d, max_pool2d or adaptive_avg_pool2d.
"""

from __future__ import annotations

from golden_file import Golden  # type: ignore[import-not-found, unused-ignore]  # beside this script
from torch.nn.functional import adaptive_avg_pool2d, conv2d, max_pool2d  # type: ignore[import-not-found, unused-ignore]

CASES = {
    # name: (shape of x, shape of the kernel, has a bias, options)
    "plain": ((2, 3, 5, 4), (2, 3, 3, 2), True, {}),
    "no bias, one image": ((3, 4, 5), (2, 3, 2, 2), False, {}),
    "pointwise": ((1, 4, 2, 3), (3, 4, 1, 1), True, {}),
    "patches": ((1, 2, 5, 6), (2, 2, 2, 2), True, {"stride": 2}),
    "padding": ((1, 2, 3, 4), (2, 2, 3, 3), True, {"padding": 1}),
    "stride and padding": ((1, 2, 6, 5), (1, 2, 3, 3), True, {"stride": 2, "padding": 2}),
    "groups": ((2, 4, 3, 3), (6, 2, 2, 2), True, {"groups": 2}),
    "depthwise": ((1, 3, 4, 4), (3, 1, 3, 3), False, {"groups": 3, "padding": 1}),
    "depthwise, twice the channels": ((1, 3, 3, 3), (6, 1, 2, 2), True, {"groups": 3}),
}

POOLS = {
    # name: (shape of x, options)
    "plain": ((2, 3, 5, 4), {"kernel": 2}),
    "patches": ((1, 2, 6, 5), {"kernel": 2, "stride": 2}),
    "overlapping, padding": ((2, 2, 7, 8), {"kernel": 3, "stride": 2, "padding": 1}),
    "one image, the largest padding": ((2, 3, 2), {"kernel": 4, "stride": 3, "padding": 2}),
}


def main() -> None:
    """Write the golden values."""
    golden = Golden(seed=198912)
    for name, (shape, kernel_shape, has_bias, options) in CASES.items():
        x, kernel = golden.normal(*shape), golden.normal(*kernel_shape)
        b = golden.normal(kernel_shape[0]) if has_bias else None
        arrays = {"x": x, "kernel": kernel, "b": b}
        golden.add(name, "convolution_2d", arrays, conv2d(x, kernel, b, **options), **options)
    for name, (shape, options) in POOLS.items():
        x = golden.normal(*shape) - 2  # mostly below 0, so that padding with 0 would show
        y = max_pool2d(x, options["kernel"], options.get("stride", 1), options.get("padding", 0))
        golden.add(name, "max_pool_2d", {"x": x}, y, **options)
    for shape in [(3, 2, 4), (2, 3, 5, 1), (1, 2, 3, 3)]:
        x = golden.normal(*shape)
        y = adaptive_avg_pool2d(x, 1)[..., 0, 0]
        golden.add(f"shape {shape}", "global_average_pool_2d", {"x": x}, y)
    golden.write()


if __name__ == "__main__":
    main()
