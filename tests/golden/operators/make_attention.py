"""Makes attention.json: attention in all its forms as PyTorch computes it.

Run by hand, never by the tests, in an environment that has torch and nothing of this project:

    python make_attention.py > attention.json

Plain and grouped attention are torch.nn.functional.scaled_dot_product_attention, also where a query sees no key;
multi-head attention is torch.nn.MultiheadAttention, whose weights are packed and split here. Projections to heads and
back are linear maps by packed weights, whose output and input are cut into heads.
"""

from __future__ import annotations

from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]  # only where the file is made anew
from golden_file import Golden  # type: ignore[import-not-found, unused-ignore]  # beside this script
from torch.nn.functional import (  # type: ignore[import-not-found, unused-ignore]
    linear,
)
from torch.nn.functional import (  # type: ignore[import-not-found, unused-ignore]
    scaled_dot_product_attention as sdpa,
)


def main() -> None:
    """Write the golden values."""
    golden = Golden(seed=170603762)
    plain(golden)
    grouped(golden)
    multi_head(golden)
    heads(golden)
    padded(golden)
    golden.write()


def plain(golden: Golden) -> None:
    """Masks that are shared, of each batch element, and that hide all keys; causal; another scale."""
    q, k, v = golden.normal(2, 3, 4), golden.normal(2, 5, 4), golden.normal(2, 5, 2)
    mask, bias = golden.normal(3, 5), golden.normal(2, 3, 5)
    some, none = mask.clone(), mask.clone()
    some[0, 2:], some[1, 0] = -torch.inf, -torch.inf
    none[1] = -torch.inf
    arrays = {"Q": q, "K": k, "V": v}
    golden.add("no mask", "attention", arrays, sdpa(q, k, v))
    golden.add("a scale", "attention", arrays, sdpa(q, k, v, scale=1.5), scale=1.5)
    golden.add("a mask", "attention", {**arrays, "mask": mask}, sdpa(q, k, v, mask))
    golden.add("a bias", "attention", {**arrays, "bias": bias}, sdpa(q, k, v, bias))
    golden.add("both", "attention", {**arrays, "mask": some, "bias": bias}, sdpa(q, k, v, some + bias))
    golden.add("hidden keys", "attention", {**arrays, "mask": some}, sdpa(q, k, v, some))
    golden.add("a query without keys", "attention", {**arrays, "mask": none}, sdpa(q, k, v, none))
    golden.add("large scores", "attention", {"Q": 300 * q, "K": k, "V": v}, sdpa(300 * q, k, v))
    q, k, v = golden.normal(2, 4, 3), golden.normal(2, 4, 3), golden.normal(2, 4, 2)
    golden.add("vectors", "attention_causal", {"Q": q, "K": k, "V": v}, sdpa(q, k, v, is_causal=True))
    bias = golden.normal(2, 4, 4)
    both = bias.masked_fill(torch.ones(4, 4).triu(1).bool(), -torch.inf)
    golden.add("a bias", "attention_causal", {"Q": q, "K": k, "V": v, "bias": bias}, sdpa(q, k, v, both))


def grouped(golden: Golden) -> None:
    """Groups of three, of one, and one head of keys for all."""
    for name, heads, shared in [("groups of 3", 6, 2), ("groups of 1", 2, 2), ("multi-query", 3, 1)]:
        q, k, v = golden.normal(heads, 3, 4), golden.normal(shared, 3, 4), golden.normal(shared, 3, 2)
        y = sdpa(q, k, v, enable_gqa=True)
        golden.add(name, "grouped_query_attention", {"Q": q, "K": k, "V": v}, y)
        y = sdpa(q, k, v, is_causal=True, enable_gqa=True)
        golden.add(name, "grouped_query_attention_causal", {"Q": q, "K": k, "V": v}, y)


def multi_head(golden: Golden) -> None:
    """Self-attention and attention to a memory of another width, with and without biases, plain and causal."""
    for name, memory, width, has_bias in [("self", 3, 4, True), ("memory", 5, 4, False), ("widths", 2, 3, True)]:
        module = torch.nn.MultiheadAttention(
            4, 2, bias=has_bias, kdim=width, vdim=width, batch_first=True, dtype=torch.float64
        )
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(golden.normal(*parameter.shape))
        q, kv = golden.normal(2, 3, 4), golden.normal(2, memory, width)
        key = q if name == "self" else kv
        arrays = {"Q": q, "K": key, "V": key, **weights(module)}
        golden.add(name, "multi_head_attention", arrays, module(q, key, key)[0].detach())
        if name == "self":
            later = torch.ones(3, 3).triu(1).bool()
            y = module(q, key, key, attn_mask=later, is_causal=True)[0].detach()
            golden.add(name, "multi_head_attention_causal", arrays, y)


def weights(module: Any) -> dict[str, Any]:
    """PyTorch's packed weights, outputs × inputs, as one inputs × outputs matrix for each head."""
    if module.in_proj_weight is not None:
        projections = module.in_proj_weight.detach().chunk(3)
    else:
        projections = tuple(one.detach() for one in (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight))
    heads = module.num_heads
    found = {
        name: projection.unflatten(0, (heads, -1)).transpose(1, 2)
        for name, projection in zip(("W_q", "W_k", "W_v"), projections, strict=True)
    }
    found["W_o"] = module.out_proj.weight.detach().T
    if module.in_proj_bias is not None:
        parts = module.in_proj_bias.detach().chunk(3)
        found |= {name: part.unflatten(0, (heads, -1)) for name, part in zip(("b_q", "b_k", "b_v"), parts, strict=True)}
        found["b_o"] = module.out_proj.bias.detach()
    return found


def heads(golden: Golden) -> None:
    """Two heads of three features, with and without biases."""
    for name, batch, has_bias in [("sequence", (), True), ("batch", (2,), False), ("two batch axes", (2, 2), True)]:
        x, packed = golden.normal(*batch, 3, 4), golden.normal(6, 4)
        b = golden.normal(6) if has_bias else None
        y = linear(x, packed, b).unflatten(-1, (2, 3)).transpose(-2, -3)
        bias = None if b is None else b.unflatten(0, (2, 3))
        arrays = {"x": x, "W": packed.unflatten(0, (2, 3)).transpose(1, 2), "b": bias}
        golden.add(name, "project_to_heads", arrays, y)
        beside, out = golden.normal(*batch, 3, 6), golden.normal(5, 6)
        b = golden.normal(5) if has_bias else None
        arrays = {"x": beside.unflatten(-1, (2, 3)).transpose(-2, -3), "W_o": out.T, "b_o": b}
        golden.add(name, "join_heads", arrays, linear(beside, out, b))


def padded(golden: Golden) -> None:
    """Keys that padding hides, by torch.nn.MultiheadAttention's key_padding_mask, alone and beside other masks."""
    module = torch.nn.MultiheadAttention(4, 2, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(golden.normal(*parameter.shape))
    q, kv, mask = golden.normal(2, 3, 4), golden.normal(2, 5, 4), golden.normal(3, 5)
    key_bias = golden.normal(2, 5)
    key_bias[0, 3:], key_bias[1, :2] = -1e9, -torch.inf
    arrays = {"Q": q, "K": kv, "V": kv, **weights(module), "key_bias": key_bias}
    y = module(q, kv, kv, key_padding_mask=key_bias)[0].detach()
    golden.add("hidden keys of each batch element", "multi_head_attention", arrays, y)
    y = module(q, kv, kv, key_padding_mask=key_bias, attn_mask=mask)[0].detach()
    golden.add("with a mask", "multi_head_attention", {**arrays, "mask": mask}, y)
    key_bias = golden.normal(2, 3)
    key_bias[1, 2:] = -1e9
    y = module(
        q, q, q, key_padding_mask=key_bias, attn_mask=torch.full((3, 3), -torch.inf, dtype=torch.float64).triu(1)
    )
    arrays = {"Q": q, "K": q, "V": q, **weights(module), "key_bias": key_bias}
    golden.add("hidden keys", "multi_head_attention_causal", arrays, y[0].detach())


if __name__ == "__main__":
    main()
