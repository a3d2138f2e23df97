"""Makes positions.json: rotary, sinusoidal and learned positions and ALiBi, for which PyTorch has no functions.

Run by hand, never by the tests, in an environment that has torch and nothing of this project:

    python make_positions.py > positions.json

Rotary positions are products of complex numbers, as in the paper's section 3.2.1; sinusoids are computed by mpmath with
50 digits (it comes with torch) and rounded once; ALiBi's slopes are powers of fractions where they are rational.
Learned positions are torch.nn.functional.embedding of 0, 1, ….
"""

from __future__ import annotations

from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]  # only where the file is made anew
from golden_file import Golden  # type: ignore[import-not-found, unused-ignore]  # beside this script
from mpmath import mp, mpf  # type: ignore[import-not-found, import-untyped, unused-ignore]


def main() -> None:
    """Write the golden values."""
    mp.dps = 50
    golden = Golden(seed=210409864)
    rotary(golden)
    sinusoidal(golden)
    alibi(golden)
    added(golden)
    golden.write()


def turned(pairs: Any, positions: list[int], base: float) -> Any:
    """Complex features [... S d/2], each times e^(i·p·base^(-2i/d)) with the angle reduced by mpmath."""
    half = pairs.shape[-1]
    rotors = [[mp.expj(mpf(p) * mpf(base) ** (-mpf(i) / half)) for i in range(half)] for p in positions]
    return pairs * torch.tensor([[complex(one) for one in row] for row in rotors], dtype=torch.complex128)


def rotary(golden: Golden) -> None:
    """Both pairings, with the positions counted and given, near and far."""
    for name, shape, positions, base in [
        ("counted", (2, 4, 6), None, 10000.0),
        ("given", (3, 4), [7, 0, 10_003], 10000.0),
        ("backwards", (2, 2), [-1, -5], 10000.0),
        ("another base", (3, 8), None, 500000.0),
    ]:
        x = golden.normal(*shape)
        at = list(range(shape[-2])) if positions is None else positions
        arrays = {"x": x, "positions": positions}
        y = torch.view_as_real(turned(torch.view_as_complex(x.unflatten(-1, (-1, 2))), at, base)).flatten(-2)
        golden.add(name, "rope_interleaved", arrays, y, base=base)
        half = turned(torch.complex(*x.chunk(2, dim=-1)), at, base)
        golden.add(name, "rope_half", arrays, torch.cat([half.real, half.imag], dim=-1), base=base)


def sinusoidal(golden: Golden) -> None:
    """Both orders and timescales, and an odd number of channels for the second."""
    for positions, channels in [(5, 8), (3, 6), (2, 2), (1, 4)]:
        rows = []
        for p in range(positions):
            angles = [p / mpf(10000) ** (mpf(2 * i) / channels) for i in range(channels // 2)]
            rows.append([float(f(angle)) for angle in angles for f in (mp.sin, mp.cos)])
        name = f"{positions} by {channels}"
        golden.add(name, "sinusoidal_positions", {}, rows, positions=positions, channels=channels)
    for positions, channels in [(5, 8), (3, 7), (2, 4)]:
        rows = signal(positions, channels)
        golden.add(f"{positions} by {channels}", "timing_signal", {}, rows, positions=positions, channels=channels)


def signal(positions: int, channels: int) -> list[list[float]]:
    """All sines, then all cosines, then 0 where the number of channels is odd."""
    scales, rows = channels // 2, []
    for p in range(positions):
        angles = [p / mpf(10000) ** (mpf(i) / (scales - 1)) for i in range(scales)]
        row = [float(f(angle)) for f in (mp.sin, mp.cos) for angle in angles]
        rows.append(row + [0.0] * (channels % 2))
    return rows


def alibi(golden: Golden) -> None:
    """Slopes for 8 heads are 1/2, 1/4, …, 1/256; for other numbers they are roots."""
    for heads, positions in [(8, 3), (4, 4), (6, 2), (1, 3)]:
        slopes = [float(mpf(2) ** (-mpf(8 * n) / heads)) for n in range(1, heads + 1)]
        bias = [[[-m * abs(i - j) for j in range(positions)] for i in range(positions)] for m in slopes]
        golden.add(f"{heads} heads", "alibi_bias", {}, bias, heads=heads, positions=positions)
        q, k = golden.normal(2, heads, positions, 4), golden.normal(2, heads, positions, 4)
        scores = torch.einsum("bhik,bhjk->bhij", q, k) / 2 + torch.tensor(bias, dtype=torch.float64)
        golden.add(f"{heads} heads", "alibi_scores", {"Q": q, "K": k}, scores)


def added(golden: Golden) -> None:
    """Positions that are added to what stands there."""
    for batch, positions, channels in [((), 5, 8), ((2,), 3, 7), ((2, 2), 2, 4)]:
        x = golden.normal(*batch, positions, channels)
        y = x + torch.tensor(signal(positions, channels), dtype=torch.float64)
        golden.add(f"{positions} by {channels}", "add_timing_signal", {"x": x}, y)
    for name, batch, positions, rows in [("all rows", (), 4, 4), ("some rows", (2,), 3, 5), ("one", (2, 1), 1, 2)]:
        x, table = golden.normal(*batch, positions, 3), golden.normal(rows, 3)
        y = x + torch.nn.functional.embedding(torch.arange(positions), table)
        golden.add(name, "learned_positions", {"x": x, "P": table}, y)


if __name__ == "__main__":
    main()
