"""Makes layer_norm.json: layer normalization and its gradients as PyTorch computes them, independently of the atlas.

Run by hand, never by the tests, in an environment that has torch and nothing of this project:

    python make_layer_norm.py > layer_norm.json

The first formulation is torch.nn.functional.layer_norm; the second is written with torch operations, as PyTorch has no
function for it. Gradients for all inputs are torch.autograd's: of (y · dy).sum() where dy is random. Everything is
float64 on the CPU, and numbers are written so that reading them gives the same bits.
"""

# ruff: noqa: T201  # a script that writes its result to the standard output
from __future__ import annotations

import json
import re
from collections.abc import Callable

import torch  # type: ignore[import-not-found, unused-ignore]  # only where the file is made anew

SEED = 160706450

Formulation = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]

CASES = {
    # name: (shape, epsilon, scale and offset of x)
    "vectors": ((3, 5), 1e-6, 1.0, 0.0),
    "one axis": ((6,), 1e-5, 2.0, 0.5),
    "three axes": ((2, 3, 4), 1e-6, 1.0, 0.0),
    "five axes": ((1, 2, 1, 2, 3), 1e-3, 4.0, 0.0),
    "small values show epsilon": ((4, 7), 1e-6, 1e-3, 0.0),
    "large offset": ((3, 8), 1e-6, 1.0, 1e6),
    "one feature": ((3, 1), 1e-6, 1.0, 0.0),
    "wide": ((2, 33), 1e-6, 1.0, -3.0),
}


def inside(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, epsilon: torch.Tensor) -> torch.Tensor:
    """PyTorch's own function; its epsilon is a plain number, so its gradient is left out."""
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, float(epsilon.detach()))


def inside_with_epsilon(
    x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, epsilon: torch.Tensor
) -> torch.Tensor:
    """The same by torch operations, from which the gradient for epsilon is taken."""
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + epsilon) * gamma + beta


def outside(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, epsilon: torch.Tensor) -> torch.Tensor:
    """Epsilon is added to the biased standard deviation."""
    deviation, mean = torch.std_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) / (deviation + epsilon) * gamma + beta


def gradients(
    formulation: Formulation, inputs: tuple[torch.Tensor, ...], dy: torch.Tensor
) -> tuple[torch.Tensor, tuple[torch.Tensor | None, ...]]:
    """The output and the gradients for x, gamma, beta and epsilon."""
    leaves = [one.clone().requires_grad_() for one in inputs]
    y = formulation(*leaves)
    return y.detach(), torch.autograd.grad((y * dy).sum(), leaves, allow_unused=True)


def case(name: str, generator: torch.Generator) -> dict[str, object]:
    """One case with its inputs and what both formulations make of them."""
    shape, epsilon, scale, offset = CASES[name]

    def normal(*size: int) -> torch.Tensor:
        return torch.randn(*size, generator=generator, dtype=torch.float64)

    x, gamma, beta, dy = normal(*shape) * scale + offset, normal(shape[-1]), normal(shape[-1]), normal(*shape)
    inputs = (x, gamma, beta, torch.tensor(epsilon, dtype=torch.float64))
    found: dict[str, object] = {"name": name, "epsilon": epsilon}
    found |= {key: value.tolist() for key, value in {"x": x, "gamma": gamma, "beta": beta, "dy": dy}.items()}
    y, (dx, dgamma, dbeta, _) = gradients(inside, inputs, dy)
    _, (_, _, _, depsilon) = gradients(inside_with_epsilon, inputs, dy)
    found["layer_norm"] = told(y, dx, depsilon, dgamma, dbeta)
    if len(shape) == 2 and shape[-1] > 1:  # one feature has no variance, where autograd gives 0/0
        y, (dx, dgamma, dbeta, depsilon) = gradients(outside, inputs, dy)
        found["layer_norm_outer_epsilon"] = told(y, dx, depsilon, dgamma, dbeta)
    return found


def told(y: torch.Tensor, *gradient: torch.Tensor | None) -> dict[str, object]:
    """The output and the gradients as lists."""
    dx, depsilon, dgamma, dbeta = (one.tolist() for one in gradient if one is not None)
    return {"y": y.tolist(), "dx": dx, "depsilon": depsilon, "dgamma": dgamma, "dbeta": dbeta}


def main() -> None:
    """Write the golden values."""
    generator = torch.Generator().manual_seed(SEED)
    made = {
        "made by": "make_layer_norm.py",
        "torch": torch.__version__,
        "seed": SEED,
        "precision": "float64",
        "cases": [case(name, generator) for name in CASES],
    }
    text = json.dumps(made, indent=1)
    print(re.sub(r"\[[^\[\]{}]*\]", lambda numbers: " ".join(numbers[0].split()), text))  # one vector a line


if __name__ == "__main__":
    main()
