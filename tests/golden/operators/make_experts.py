"""Makes experts.json: top-k routing and mixtures of experts, by PyTorch.

Run by hand, never by the tests, in an environment that has torch and nothing of this project:

    python make_experts.py > experts.json

PyTorch has no mixture of experts. Here every expert runs on every token, and the weights of those not chosen are 0: a
softmax with minus infinity where torch.topk did not choose gives the renormalized weights, the softmax of all logits
gives the others.
"""

from __future__ import annotations

from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]  # only where the file is made anew
from golden_file import Golden  # type: ignore[import-not-found, unused-ignore]  # beside this script
from torch.nn import functional as nn  # type: ignore[import-not-found, unused-ignore]


def main() -> None:
    """Write the golden values."""
    golden = Golden(seed=240104088)
    for name, batch, experts, k in [("vectors", (4,), 6, 2), ("all", (2,), 3, 3), ("one", (2, 2), 4, 1)]:
        logits = golden.normal(*batch, experts)
        chosen = logits.topk(k).indices
        for operator, weights in dense(logits, k).items():
            found = {"weights": weights.gather(-1, chosen), "experts": chosen}
            golden.add(name, operator, {"logits": logits}, found, k=k)
    for name, batch, k in [("vectors", (5,), 2), ("one expert", (2, 2), 1), ("all experts", (3,), 3)]:
        mixtures(golden, name, batch, k)
    golden.write()


def dense(logits: Any, k: int) -> dict[str, Any]:
    """The weights of all experts, 0 for those that are not chosen."""
    out = torch.ones_like(logits, dtype=torch.bool).scatter(-1, logits.topk(k).indices, value=False)
    return {
        "top_k_routing": torch.softmax(logits, -1).masked_fill(out, 0),
        "top_k_routing_renormalized": torch.softmax(logits.masked_fill(out, -torch.inf), -1),
    }


def mixtures(golden: Golden, name: str, batch: tuple[int, ...], k: int) -> None:
    """Three experts, given by their outputs and as SwiGLU networks."""
    x, router = golden.normal(*batch, 4), golden.normal(4, 3)
    gate, up, down = golden.normal(3, 4, 5), golden.normal(3, 4, 5), golden.normal(3, 5, 2)
    hidden = nn.silu(torch.einsum("...d,ndf->...nf", x, gate)) * torch.einsum("...d,ndf->...nf", x, up)
    outputs = torch.einsum("...nf,nfm->...nm", hidden, down)
    others = golden.normal(*batch, 3, 2)
    for weighing, weights in dense(x @ router, k).items():
        end = weighing.removeprefix("top_k_routing")
        y = (weights[..., None] * others).sum(-2)
        golden.add(name, f"mixture_of_experts{end}", {"x": x, "W_r": router, "outputs": others}, y, k=k)
        y = (weights[..., None] * outputs).sum(-2)
        arrays = {"x": x, "W_r": router, "W_g": gate, "W_u": up, "W_d": down}
        golden.add(name, f"mixture_of_swiglu_experts{end}", arrays, y, k=k)


if __name__ == "__main__":
    main()
