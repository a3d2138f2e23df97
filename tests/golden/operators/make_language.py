"""Makes language.json: embedding, unembedding, cross entropy, a linear recurrence, a shift, sums, padding, by PyTorch.

Run by hand, never by the tests, in an environment that has torch and nothing of this project:

    python make_language.py > language.json

Lookups, cross entropy, unembedding and the shift, a padding with a negative end, are functions of torch.nn.functional;
padding_idx, for which PyTorch keeps a row at zero, is given a table whose first row is zero. The recurrence is not
stepped through: all states are the solution of one system of linear equations, (1 - N)·h = driven, where N holds A
below the diagonal.
"""

from __future__ import annotations

from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]  # only where the file is made anew
from golden_file import Golden  # type: ignore[import-not-found, unused-ignore]  # beside this script
from torch.nn import functional as nn  # type: ignore[import-not-found, unused-ignore]


def main() -> None:
    """Write the golden values."""
    golden = Golden(seed=211100396)
    for shape in [(), (3,), (2, 4)]:
        t, table = golden.integers(5, *shape), golden.normal(5, 3)
        arrays = {"t": t, "E": table}
        golden.add(f"ids {shape}", "embedding", arrays, nn.embedding(t, table))
        golden.add(
            f"ids {shape}", "embedding_scaled", arrays, nn.embedding(t, table) * torch.tensor(3.0).double().sqrt()
        )
    for name, shape, scale in [("vectors", (4, 3), 1.0), ("sequences", (2, 3, 5), 1.0), ("large logits", (3, 4), 1e3)]:
        z, t = golden.normal(*shape) * scale, golden.integers(shape[-1], *shape[:-1])
        loss = nn.cross_entropy(z.flatten(0, -2), t.flatten())
        golden.add(name, "cross_entropy", {"z": z, "t": t}, {"loss": loss})
    z = torch.tensor([[0.5, -torch.inf, 1.0], [0.0, 1.0, -torch.inf]], dtype=torch.float64)
    t = torch.tensor([0, 1])
    golden.add("classes that are ruled out", "cross_entropy", {"z": z, "t": t}, {"loss": nn.cross_entropy(z, t)})
    for name, batch, start in [
        ("sequence", (), False),
        ("batch", (2,), False),
        ("a state to start from", (2, 2), True),
    ]:
        recurrence(golden, name, batch, start)
    whole(golden)
    golden.write()


def recurrence(golden: Golden, name: str, batch: tuple[int, ...], start: bool) -> None:
    """Five positions, two inputs, three states, four outputs."""
    length, states = 5, 3
    x, a, b, c = golden.normal(*batch, length, 2), golden.normal(3, 3) / 2, golden.normal(3, 2), golden.normal(4, 3)
    h_0 = golden.normal(*batch, states) if start else None
    driven = torch.einsum("np,...tp->...tn", b, x)
    if h_0 is not None:
        driven[..., 0, :] += torch.einsum("nm,...m->...n", a, h_0)
    system = torch.eye(length * states, dtype=torch.float64)
    for t in range(1, length):
        system[t * states : (t + 1) * states, (t - 1) * states : t * states] = -a
    h: Any = torch.linalg.solve(system, driven.flatten(-2)[..., None])[..., 0].unflatten(-1, (length, states))
    y = torch.einsum("qn,...tn->...tq", c, h)
    golden.add(name, "linear_recurrence", {"x": x, "A": a, "B": b, "C": c, "h_0": h_0}, {"y": y, "h": h})


def whole(golden: Golden) -> None:
    """What stands at the ends of a language model and between its layers."""
    for shape in [(), (4,), (2, 3)]:
        t, table = golden.integers(4, *shape), golden.normal(4, 3)
        if t.ndim:
            t[..., 0] = 0
        zeroed = table.clone()
        zeroed[0] = 0
        y = nn.embedding(t, zeroed, padding_idx=0) * torch.tensor(3.0).double().sqrt()
        golden.add(f"ids {shape}", "embedding_scaled_zero_padding", {"t": t, "E": table}, y)
    for shape in [(3,), (2, 3), (2, 2, 3)]:
        x, table = golden.normal(*shape), golden.normal(5, 3)
        golden.add(f"shape {shape}", "unembedding", {"x": x, "E": table}, nn.linear(x, table))
    for shape in [(4, 3), (2, 3, 2), (2, 1, 2)]:
        x, r = golden.normal(*shape), golden.normal(*shape)
        golden.add(f"shape {shape}", "shift_right", {"x": x}, nn.pad(x, (0, 0, 1, -1)))
        golden.add(f"shape {shape}", "add", {"x": x, "r": r}, torch.stack([x, r]).sum(0))
    for shape in [(3,), (2, 4, 3)]:
        x, v, t = golden.normal(*shape), golden.normal(shape[-1]), golden.integers(3, *shape)
        golden.add(f"shape {shape}", "add_to_each", {"x": x, "v": v}, nn.linear(x, torch.eye(3).double(), v))
        low = torch.zeros(shape, dtype=torch.float64).masked_fill(t.eq(0), -1e9)
        golden.add(f"shape {shape}", "padding_bias", {"t": t}, low)
        low = torch.zeros(shape, dtype=torch.float64).masked_fill(t.eq(0), -5.0)
        golden.add(f"a value, shape {shape}", "padding_bias", {"t": t}, low, value=-5.0)


if __name__ == "__main__":
    main()
