"""Makes activation.json: activations, softmax, linear maps and feed-forward networks as PyTorch computes them.

Run by hand, never by the tests, in an environment that has torch and nothing of this project:

    python make_activation.py > activation.json

Every result is that of a function of torch.nn.functional; its linear maps take the weight as outputs × inputs.
"""

from __future__ import annotations

import torch  # type: ignore[import-not-found, unused-ignore]  # only where the file is made anew
from golden_file import Golden  # type: ignore[import-not-found, unused-ignore]  # beside this script
from torch.nn import functional as nn  # type: ignore[import-not-found, unused-ignore]


def main() -> None:
    """Write the golden values."""
    golden = Golden(seed=160608415)
    points = torch.tensor([-9.0, -5.0, -3.0, -1.5, -1.0, -0.5, -1e-3, 0.0, 1e-3, 0.5, 1.0, 2.0, 4.0, 9.0])
    for name, x in {"points": points.to(torch.float64), "normal": 2 * golden.normal(2, 3, 4)}.items():
        golden.add(name, "relu", {"x": x}, nn.relu(x))
        golden.add(name, "gelu", {"x": x}, nn.gelu(x))
        golden.add(name, "gelu_tanh", {"x": x}, nn.gelu(x, approximate="tanh"))
        golden.add(name, "silu", {"x": x}, nn.silu(x))
    for name, scale in {"vectors": 1.0, "large scores": 500.0}.items():
        x = golden.normal(2, 2, 5) * scale
        golden.add(name, "softmax", {"x": x}, torch.softmax(x, dim=-1))
    x = torch.tensor([[0.5, -torch.inf, 1.0], [-torch.inf, -torch.inf, 3.0]], dtype=torch.float64)
    golden.add("hidden scores", "softmax", {"x": x}, torch.softmax(x, dim=-1))
    linear(golden)
    feed_forward(golden)
    golden.write()


def linear(golden: Golden) -> None:
    """Both layouts, with and without a bias."""
    for batch in [(), (3,), (2, 3)]:
        x, weight, b = golden.normal(*batch, 4), golden.normal(5, 4), golden.normal(5)
        for bias in (b, None):
            y = nn.linear(x, weight, bias)
            name = f"batch {batch}, {'no ' if bias is None else ''}bias"
            golden.add(name, "linear", {"x": x, "W": weight.T.contiguous(), "b": bias}, y)
            golden.add(name, "linear_transposed", {"x": x, "W": weight, "b": bias}, y)


def feed_forward(golden: Golden) -> None:
    """Two layers with ReLU; SwiGLU; two layers with GELU."""
    x, first, second = golden.normal(2, 3, 4), golden.normal(6, 4), golden.normal(4, 6)
    b_1, b_2 = golden.normal(6), golden.normal(4)
    for biases in ((b_1, b_2), (None, None)):
        y = nn.linear(nn.relu(nn.linear(x, first, biases[0])), second, biases[1])
        arrays = {"x": x, "W_1": first.T, "b_1": biases[0], "W_2": second.T, "b_2": biases[1]}
        golden.add(f"{'no ' if biases[0] is None else ''}biases", "feed_forward_relu", arrays, y)
    gate, up, down = golden.normal(5, 4), golden.normal(5, 4), golden.normal(4, 5)
    y = nn.linear(nn.silu(nn.linear(x, gate)) * nn.linear(x, up), down)
    golden.add("three axes", "feed_forward_swiglu", {"x": x, "W_g": gate.T, "W_u": up.T, "W_d": down.T}, y)
    x, first, second = 2 * golden.normal(2, 3, 4), golden.normal(6, 4), golden.normal(3, 6)
    b_1, b_2 = golden.normal(6), golden.normal(3)
    for biases in ((b_1, b_2), (None, None)):
        y = nn.linear(nn.gelu(nn.linear(x, first, biases[0]), approximate="tanh"), second, biases[1])
        arrays = {"x": x, "W_1": first.T, "b_1": biases[0], "W_2": second.T, "b_2": biases[1]}
        golden.add(f"{'no ' if biases[0] is None else ''}biases", "feed_forward_gelu_tanh", arrays, y)


if __name__ == "__main__":
    main()
