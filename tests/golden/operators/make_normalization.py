"""Makes normalization.json: RMS and batch normalization as PyTorch computes them.

Run by hand, never by the tests, in an environment that has torch and nothing of this project:

    python make_normalization.py > normalization.json

Every result is that of torch.nn.functional.rms_norm or batch_norm, in training and in inference.
"""

from __future__ import annotations

from golden_file import Golden  # type: ignore[import-not-found, unused-ignore]  # beside this script
from torch.nn import functional as nn  # type: ignore[import-not-found, unused-ignore]


def main() -> None:
    """Write the golden values."""
    golden = Golden(seed=191007467)
    for name, shape, epsilon, scale in [
        ("vectors", (3, 5), 1e-6, 1.0),
        ("one axis", (4,), 1e-5, 2.0),
        ("three axes", (2, 2, 3), 1e-6, 1.0),
        ("small values show epsilon", (3, 4), 1e-6, 1e-3),
    ]:
        x, gamma = golden.normal(*shape) * scale, golden.normal(shape[-1])
        y = nn.rms_norm(x, shape[-1:], gamma, epsilon)
        golden.add(name, "rms_norm", {"x": x, "gamma": gamma}, y, epsilon=epsilon)
        y = nn.rms_norm(x, shape[-1:], 1 + gamma, epsilon)
        golden.add(name, "rms_norm_from_one", {"x": x, "gamma": gamma}, y, epsilon=epsilon)
    for name, shape, epsilon, scale in [
        ("vectors", (5, 3), 1e-5, 1.0),
        ("sequences", (2, 3, 4), 1e-5, 1.0),
        ("images", (2, 3, 2, 4), 1e-3, 2.0),
        ("volumes", (2, 2, 2, 1, 3), 1e-5, 1.0),
        ("small values show epsilon", (4, 3, 2), 1e-5, 1e-3),
    ]:
        x, gamma, beta = golden.normal(*shape) * scale, golden.normal(shape[1]), golden.normal(shape[1])
        arrays = {"x": x, "gamma": gamma, "beta": beta}
        y = nn.batch_norm(x, None, None, gamma, beta, training=True, eps=epsilon)
        golden.add(name, "batch_norm", arrays, y, epsilon=epsilon)
        mean, variance = golden.normal(shape[1]), golden.normal(shape[1]).square() * scale**2
        y = nn.batch_norm(x, mean, variance, gamma, beta, training=False, eps=epsilon)
        golden.add(name, "batch_norm_running", {**arrays, "mean": mean, "variance": variance}, y, epsilon=epsilon)
    golden.write()


if __name__ == "__main__":
    main()
