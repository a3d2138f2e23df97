"""Makes macs.json: the floating-point operations that PyTorch counts while it computes what each operator does.

Run by hand, never by the tests, in an environment that has torch and nothing of this project:

    python make_macs.py > macs.json

Every operator is computed at three choices of sizes by PyTorch's own functions, below torch.utils.flop_counter's
FlopCounterMode, which counts two operations for each multiply–accumulate of matrix products and convolutions and none
for anything else. Attention runs by its MATH backend, whose products of matrices are seen one by one. Experts run on
the tokens that chose them, as the router of the drawn numbers has it.
"""

# ruff: noqa: T201, N803  # a script that writes its result; arguments carry the operators' own names
from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from typing import Any

import torch  # type: ignore[import-not-found, unused-ignore]  # only where the file is made anew
from torch.nn import functional as nn  # type: ignore[import-not-found, unused-ignore]
from torch.nn.attention import SDPBackend, sdpa_kernel  # type: ignore[import-not-found, unused-ignore]
from torch.utils.flop_counter import FlopCounterMode  # type: ignore[import-not-found, unused-ignore]

SEED = 20171206
TIMES = 3

Call = tuple[str, dict[str, str], dict[str, int], Callable[..., Any]]
"""An operator's name, the axes of its arguments, its options, and the same in PyTorch."""

BLOCK = {"x": "B S d"}
HEADS = {"Q": "B h S d_k", "K": "B h T d_k", "V": "B h T d_v"}
SELF = {"Q": "B h S d_k", "K": "B h S d_k", "V": "B h S d_v"}
GROUPED = {"Q": "B h S d_k", "K": "B h_{kv} T d_k", "V": "B h_{kv} T d_v"}
GROUPED_SELF = {"Q": "B h S d_k", "K": "B h_{kv} S d_k", "V": "B h_{kv} S d_v"}
MEMORY = {"Q": "B S d", "K": "B T c", "V": "B T e", "W_q": "h d d_k", "W_k": "h c d_k", "W_v": "h e d_v"}
OUT = {"W_o": "h d_v|m"}
EXPERTS = {"W_g": "n d f", "W_u": "n d f", "W_d": "n f m"}
IMAGES = {"x": "N C H L"}


def main() -> None:
    """Write the counts."""
    torch.manual_seed(SEED)
    draws = random.Random(SEED)  # noqa: S311  not for secrets
    found = []
    for operator, axes, options, function in calls():
        labels = {name: split(text) for name, text in axes.items()}
        for _ in range(TIMES):
            sizes = drawn(draws, labels)
            arrays = {name: torch.randn([length(label, sizes) for label in own]) for name, own in labels.items()}
            with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
                function(**arrays, **options)
            found.append({
                "operator": operator, "axes": labels, "options": options, "sizes": sizes,
                "flops": counter.get_total_flops(),
            })  # fmt: skip
    made = {"made by": "make_macs.py", "torch": torch.__version__, "seed": SEED}
    lines = ",\n  ".join(json.dumps(call) for call in found)  # one call a line
    print(f'{json.dumps(made, indent=1)[:-2]},\n "calls": [\n  {lines}\n ]\n}}')


def split(text: str) -> list[str]:
    """`h d_v|m` has the axes `h d_v` and `m`; without a bar, each word is an axis."""
    return text.split("|") if "|" in text else text.split()


def drawn(draws: random.Random, labels: dict[str, list[str]]) -> dict[str, int]:
    """Sizes that are pairwise distinct; the heads of keys divide those of queries."""
    names = sorted({name for own in labels.values() for label in own for name in label.split() if not name.isdigit()})
    sizes = dict(zip(names, draws.sample(range(4, 5 + 2 * len(names)), len(names)), strict=True))
    if "h_{kv}" in sizes:
        sizes["h_{kv}"] = draws.choice([2, 3])
        sizes["h"] = sizes["h_{kv}"] * draws.choice([2, 4, 5])
    return sizes


def length(label: str, sizes: dict[str, int]) -> int:
    """The length of an axis, whose label is a product."""
    return math.prod(int(name) if name.isdigit() else sizes[name] for name in label.split())


def calls() -> list[Call]:
    """Every operator of the catalogue, in PyTorch."""
    return [*dense(), *attentions(), *convolutions(), *experts(), *norms(), *without_products()]


def dense() -> list[Call]:
    """Linear maps and what is made of them."""
    first = {"x": "B S d", "W_1": "d f", "b_1": "f", "W_2": "f m", "b_2": "m"}
    return [
        ("linear", {"x": "B S C", "W": "C O", "b": "O"}, {}, lambda x, W, b: nn.linear(x, W.T, b)),
        ("linear", {"x": "C", "W": "C O"}, {}, lambda x, W: x[None] @ W),
        ("linear_transposed", {"x": "B S C", "W": "O C"}, {}, nn_linear),
        ("unembedding", {"x": "B S d", "E": "V d"}, {}, lambda x, E: nn.linear(x, E)),
        ("feed_forward_relu", first, {}, lambda x, W_1, b_1, W_2, b_2: (x @ W_1 + b_1).relu() @ W_2 + b_2),
        ("feed_forward_gelu_tanh", first, {}, gelu_between),
        ("feed_forward_swiglu", {"x": "B S d", "W_g": "d f", "W_u": "d f", "W_d": "f m"}, {}, swiglu),
        ("project_to_heads", {"x": "B S d", "W": "h d d_k", "b": "h d_k"}, {}, projected),
        ("join_heads", {"x": "B h S d_v", "W_o": "h d_v|m"}, {}, lambda x, W_o: x.transpose(1, 2).flatten(2) @ W_o),
        ("linear_recurrence", {"x": "B L p", "A": "n n", "B": "n p", "C": "q n"}, {}, recurrence),
    ]


def nn_linear(x: Any, W: Any) -> Any:
    """PyTorch's own layout."""
    return nn.linear(x, W)


def gelu_between(x: Any, W_1: Any, b_1: Any, W_2: Any, b_2: Any) -> Any:
    """Two layers."""
    return nn.linear(nn.gelu(nn.linear(x, W_1.T, b_1), approximate="tanh"), W_2.T, b_2)


def swiglu(x: Any, W_g: Any, W_u: Any, W_d: Any) -> Any:
    """Three matrices."""
    return nn.linear(nn.silu(nn.linear(x, W_g.T)) * nn.linear(x, W_u.T), W_d.T)


def projected(x: Any, W: Any, b: Any) -> Any:
    """All heads by one packed matrix."""
    packed = W.transpose(1, 2).flatten(0, 1)
    return nn.linear(x, packed, b.flatten()).unflatten(-1, b.shape)


def recurrence(x: Any, A: Any, B: Any, C: Any) -> Any:
    """Step by step."""
    state, outputs = torch.zeros(len(x), len(A)), []
    for t in range(x.shape[1]):
        state = state @ A.T + x[:, t] @ B.T
        outputs.append(state @ C.T)
    return torch.stack(outputs, 1)


def attentions() -> list[Call]:
    """By scaled_dot_product_attention, and with projections by linear maps."""

    def plain(Q: Any, K: Any, V: Any, **more: Any) -> Any:
        return nn.scaled_dot_product_attention(Q, K, V, **more)

    def causal(Q: Any, K: Any, V: Any) -> Any:
        return plain(Q, K, V, is_causal=True)

    def grouped(Q: Any, K: Any, V: Any) -> Any:
        return plain(Q, K, V, enable_gqa=True)

    def grouped_causal(Q: Any, K: Any, V: Any) -> Any:
        return plain(Q, K, V, enable_gqa=True, is_causal=True)

    def multi(Q: Any, K: Any, V: Any, W_q: Any, W_k: Any, W_v: Any, W_o: Any, **more: Any) -> Any:
        heads = [nn.linear(x, W.transpose(1, 2).flatten(0, 1)).unflatten(-1, (len(W), -1)).transpose(1, 2)
                 for x, W in ((Q, W_q), (K, W_k), (V, W_v))]  # fmt: skip
        return plain(*heads, **more).transpose(1, 2).flatten(2) @ W_o

    def multi_causal(**arrays: Any) -> Any:
        return multi(**arrays, is_causal=True)

    one_length = {name: axes.replace("T", "S") for name, axes in (MEMORY | OUT).items()}
    return [
        ("attention", HEADS, {}, plain),
        ("attention_causal", SELF, {}, causal),
        ("grouped_query_attention", GROUPED, {}, grouped),
        ("grouped_query_attention_causal", GROUPED_SELF, {}, grouped_causal),
        ("multi_head_attention", MEMORY | OUT, {}, multi),
        ("multi_head_attention_causal", one_length, {}, multi_causal),
        ("alibi_scores", {"Q": "B h S d_k", "K": "B h S d_k"}, {}, lambda Q, K: Q @ K.transpose(-1, -2)),
    ]


def convolutions() -> list[Call]:
    """With every option."""

    def conv(x: Any, kernel: Any, b: Any = None, **options: int) -> Any:
        return nn.conv2d(x, kernel, b, **options)

    def pool(x: Any, kernel: int, stride: int, padding: int) -> Any:
        return nn.max_pool2d(x, kernel, stride, padding)

    return [
        ("convolution_2d", IMAGES | {"kernel": "O C 3 2", "b": "O"}, {}, conv),
        ("convolution_2d", IMAGES | {"kernel": "O C 7 7"}, {"stride": 2, "padding": 3}, conv),
        ("convolution_2d", IMAGES | {"kernel": "O C 1 1"}, {"stride": 2}, conv),
        ("convolution_2d", {"x": "N|2 c|H|L", "kernel": "2 o|c|3|3"}, {"groups": 2, "padding": 1}, conv),
        ("max_pool_2d", IMAGES, {"kernel": 3, "stride": 2, "padding": 1}, pool),
        ("global_average_pool_2d", IMAGES, {}, lambda x: nn.adaptive_avg_pool2d(x, 1)),
    ]


def experts() -> list[Call]:
    """Two of the experts for each token."""

    def routed(logits: Any, k: int) -> tuple[Any, Any]:
        weights, chosen = logits.softmax(-1).topk(k)
        return weights / weights.sum(-1, keepdim=True), chosen

    def given(x: Any, W_r: Any, outputs: Any, k: int) -> Any:
        weights, chosen = routed(x @ W_r, k)
        picked = outputs.gather(-2, chosen[..., None].expand(*chosen.shape, outputs.shape[-1]))
        return (weights[..., None] * picked).sum(-2)

    def networks(x: Any, W_r: Any, W_g: Any, W_u: Any, W_d: Any, k: int) -> Any:
        tokens = x.flatten(0, 1)
        weights, chosen = routed(tokens @ W_r, k)
        y = torch.zeros(len(tokens), W_d.shape[-1])
        for expert in range(len(W_g)):
            token, rank = (chosen == expert).nonzero(as_tuple=True)
            own = swiglu(tokens[token], W_g[expert], W_u[expert], W_d[expert])
            y.index_add_(0, token, own * weights[token, rank, None])
        return y

    mixture = {"x": "B S d", "W_r": "d n"}
    return [
        ("top_k_routing", {"logits": "B n"}, {"k": 2}, routed),
        ("top_k_routing_renormalized", {"logits": "B n"}, {"k": 2}, routed),
        ("mixture_of_experts", mixture | {"outputs": "B S n m"}, {"k": 2}, given),
        ("mixture_of_experts_renormalized", mixture | {"outputs": "B S n m"}, {"k": 3}, given),
        ("mixture_of_swiglu_experts", mixture | EXPERTS, {"k": 1}, networks),
        ("mixture_of_swiglu_experts_renormalized", mixture | EXPERTS, {"k": 2}, networks),
    ]


def norms() -> list[Call]:
    """Norms and a loss, of which PyTorch counts nothing."""

    def crossed(z: Any, t: Any) -> Any:
        return nn.cross_entropy(z.flatten(0, 1), t.abs().long().clamp(max=3).flatten())

    def layer(x: Any, gamma: Any, beta: Any) -> Any:
        return nn.layer_norm(x, gamma.shape, gamma, beta)

    def root(x: Any, gamma: Any) -> Any:
        return nn.rms_norm(x, gamma.shape, gamma)

    def batch(x: Any, gamma: Any, beta: Any) -> Any:
        return nn.batch_norm(x, None, None, gamma, beta, training=True)

    def running(x: Any, gamma: Any, beta: Any, mean: Any, variance: Any) -> Any:
        return nn.batch_norm(x, mean, variance.abs(), gamma, beta)

    channels, norm = {"gamma": "C", "beta": "C"}, {"gamma": "d", "beta": "d"}
    return [
        ("cross_entropy", {"z": "B S C", "t": "B S"}, {}, crossed),
        ("layer_norm", BLOCK | norm, {}, layer),
        ("layer_norm_outer_epsilon", {"x": "N d"} | norm, {}, layer),
        ("rms_norm", {"x": "B S d", "gamma": "d"}, {}, root),
        ("rms_norm_from_one", {"x": "B S d", "gamma": "d"}, {}, root),
        ("batch_norm", IMAGES | channels, {}, batch),
        ("batch_norm_running", IMAGES | channels | {"mean": "C", "variance": "C"}, {}, running),
    ]


def without_products() -> list[Call]:
    """Lookups, positions and element-wise work, of which PyTorch counts nothing."""

    def looked_up(t: Any, E: Any) -> Any:
        return nn.embedding(t.abs().long().clamp(max=3), E)

    def rotated(x: Any) -> Any:
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
        return torch.view_as_real(pairs * torch.polar(torch.ones(pairs.shape[-2:]), torch.rand(pairs.shape[-2:])))

    def positions(positions: int, channels: int) -> Any:
        return (torch.arange(positions)[:, None] / torch.arange(1, channels + 1)).sin()

    def signal(x: Any) -> Any:
        return x + positions(*x.shape[-2:])

    def slopes(heads: int, positions: int) -> Any:
        place = torch.arange(positions)
        return -(2.0 ** -torch.arange(heads))[:, None, None] * (place[:, None] - place).abs()

    table, eight = {"t": "B S", "E": "V d"}, {"positions": 5, "channels": 8}
    return [
        *((name, BLOCK, {}, function) for name, function in (
            ("relu", nn_relu), ("gelu", lambda x: nn.gelu(x)), ("gelu_tanh", lambda x: nn.gelu(x, approximate="tanh")),
            ("silu", lambda x: nn.silu(x)), ("softmax", lambda x: x.softmax(-1)), ("add_timing_signal", signal),
            ("shift_right", lambda x: nn.pad(x, (0, 0, 1, -1))),
        )),
        ("add", {"x": "B S d", "r": "B S d"}, {}, lambda x, r: x + r),
        *((name, table, {}, looked_up)
          for name in ("embedding", "embedding_scaled", "embedding_scaled_zero_padding")),
        ("add_to_each", {"x": "B S d", "v": "d"}, {}, lambda x, v: x + v),
        ("padding_bias", {"t": "B S"}, {}, lambda t: torch.zeros_like(t).masked_fill(t.eq(0), -1e9)),
        ("learned_positions", {"x": "B S d", "P": "S d"}, {}, lambda x, P: x + P),
        ("rope_interleaved", {"x": "B|h|S|2 r"}, {}, rotated),
        ("rope_half", {"x": "B|h|S|2 r"}, {}, rotated),
        ("sinusoidal_positions", {}, eight, positions),
        ("timing_signal", {}, eight, positions),
        ("alibi_bias", {}, {"heads": 4, "positions": 5}, slopes),
    ]  # fmt: skip


def nn_relu(x: Any) -> Any:
    """The largest of x and 0."""
    return nn.relu(x)


if __name__ == "__main__":
    main()
