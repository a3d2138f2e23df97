"""What each formula of formulas.yml means, in plain NumPy: written from the definitions, with positional axes.

Arguments are the inputs by LaTeX name, ids counted from 0, and the sizes; the result is one array, or arrays by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Given = Mapping[str, Any]
Sizes = Mapping[str, int]


def _erf(x: Array) -> Array:
    return np.asarray(np.vectorize(math.erf, otypes=[np.float64])(x))


def _logistic(x: Array) -> Array:
    return np.where(x > 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def _softmax(x: Array, axis: int = -1) -> Array:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(e / e.sum(axis=axis, keepdims=True))


def _attend(q: Array, k: Array, v: Array, bias: Array | float = 0.0) -> Array:
    scores = np.einsum("...sd,...td->...st", q, k) / math.sqrt(k.shape[-1])
    return np.asarray(np.einsum("...st,...tv->...sv", _softmax(scores + bias), v))


def layernorm(a: Given, n: Sizes) -> Array:
    x = a["x"]
    centred = x - x.sum(-1, keepdims=True) / n["d"]
    variance = (centred * centred).sum(-1, keepdims=True) / n["d"]
    return np.asarray(centred / np.sqrt(variance + 1e-6) * a[r"\gamma_2"] + a[r"\beta_2"])


def layernorm_chainer(a: Given, n: Sizes) -> Array:
    x = a["x"]
    centred = x - x.sum(-1, keepdims=True) / n["d"]
    deviation = np.sqrt((centred * centred).sum(-1, keepdims=True) / n["d"])
    return np.asarray(centred / (deviation + 1e-6) * a[r"\gamma_2"] + a[r"\beta_2"])


def rmsnorm(a: Given, n: Sizes) -> Array:
    mean_square = np.einsum("bsd,bsd->bs", a["x"], a["x"]) / n["d"]
    return np.asarray(a["x"] * (mean_square + 1e-6)[..., None] ** -0.5 * a[r"\gamma"])


def linear(a: Given, n: Sizes) -> Array:
    return np.asarray(np.einsum("bsd,dm->bsm", a["x"], a["W"]) + a["b"])


def ffn(a: Given, n: Sizes) -> Array:
    hidden = np.einsum("bsd,df->bsf", a["x"], a["W_1"]) + a["b_1"]
    return np.asarray(np.einsum("bsf,fd->bsd", hidden * (hidden > 0), a["W_2"]) + a["b_2"])


def function_page(a: Given, n: Sizes) -> Array:
    return ffn(a, n)


def gelu_exact(a: Given, n: Sizes) -> Array:
    return np.asarray(a["x"] * (1 + _erf(a["x"] * math.sqrt(0.5))) / 2)


def gelu_tanh(a: Given, n: Sizes) -> Array:
    x = a["x"]
    return np.asarray(x * _logistic(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def swiglu(a: Given, n: Sizes) -> Array:
    gate = np.einsum("bsd,df->bsf", a["x"], a["W_g"])
    return np.asarray(np.einsum("bsf,fd->bsd", gate * _logistic(gate) * (a["x"] @ a["W_u"]), a["W_d"]))


def sdpa(a: Given, n: Sizes) -> Array:
    return _attend(a["Q"], a["K"], a["V"], a["M"])


def sdpa_causal(a: Given, n: Sizes) -> dict[str, Array]:
    positions = np.arange(n["S"])
    mask = np.where(positions[None, :] <= positions[:, None], 0.0, -np.inf)
    return {"Y": _attend(a["Q"], a["K"], a["V"], mask), "M": mask}


def mha(a: Given, n: Sizes) -> Array:
    q = np.einsum("bsd,hdk->bhsk", a["Q"], a["W^Q"])
    k = np.einsum("btd,hdk->bhtk", a["K"], a["W^K"])
    v = np.einsum("btd,hdv->bhtv", a["V"], a["W^V"])
    out = a["W^O"].reshape(n["h"], n["d_v"], n["d"])
    return np.asarray(np.einsum("bhsv,hvd->bsd", _attend(q, k, v), out))


def gqa(a: Given, n: Sizes) -> Array:
    kv = n["h_{kv}"]
    q = a["Q"].reshape(n["B"], kv, -1, n["S"], n["d_k"])
    return _attend(q, a["K"][:, :, None], a["V"][:, :, None]).reshape(a["Q"].shape)


def _angles(n: Sizes) -> Array:
    frequencies = np.array([10000.0 ** (-2 * i / n["d"]) for i in range(n["d"] // 2)])
    return np.asarray(np.arange(n["S"])[:, None] * frequencies)


def rope_interleaved(a: Given, n: Sizes) -> Array:
    x, angle, y = a["x"], _angles(n), np.empty_like(a["x"])
    for i in range(n["d"] // 2):
        c, s = np.cos(angle[:, i]), np.sin(angle[:, i])
        y[..., 2 * i] = x[..., 2 * i] * c - x[..., 2 * i + 1] * s
        y[..., 2 * i + 1] = x[..., 2 * i] * s + x[..., 2 * i + 1] * c
    return np.asarray(y)


def rope_half_index(a: Given, n: Sizes) -> Array:
    z = (a["x"][..., : n["d"] // 2] + 1j * a["x"][..., n["d"] // 2 :]) * np.exp(1j * _angles(n))
    return np.concatenate([z.real, z.imag], axis=-1)


def rope_rotate_half(a: Given, n: Sizes) -> dict[str, Array]:
    x, half = a["x"], n["d"] // 2
    return {"y": rope_half_index(a, n), "r": np.concatenate([-x[..., half:], x[..., :half]], axis=-1)}


def sinusoidal(a: Given, n: Sizes) -> Array:
    table = np.empty((n["S"], n["d"]))
    table[:, ::2], table[:, 1::2] = np.sin(_angles(n)), np.cos(_angles(n))
    return table


def sinusoidal_pos(a: Given, n: Sizes) -> Array:
    return sinusoidal(a, n)


def embedding(a: Given, n: Sizes) -> Array:
    one_hot = np.eye(n["V"])[a["t"]]
    return np.asarray(one_hot @ a["E"] * n["d"] ** 0.5)


def residual(a: Given, n: Sizes) -> Array:
    return np.asarray(a["x_n"] + a["F"](a["x_n"]))


def moe_topk(a: Given, n: Sizes) -> Array:
    gates = _softmax(a["x"] @ a["W_r"])
    threshold = np.sort(gates, axis=-1)[..., n["n"] - n["k"], None]
    kept = np.where(gates >= threshold, gates, 0.0)
    return np.asarray(sum(kept[..., i, None] * a["E"](i, a["x"]) for i in range(n["n"])))


def ssm(a: Given, n: Sizes) -> dict[str, Array]:
    states = [np.zeros((n["B"], n["n"]))]
    for t in range(n["S"]):
        state = np.einsum("nm,bm->bn", a[r"\bar A"], states[-1])
        states.append(state + np.einsum("np,bp->bn", a[r"\bar B"], a["x"][:, t]))
    h = np.stack(states[1:], axis=1)
    return {"h": h, "y": np.einsum("qn,bsn->bsq", a["C"], h)}


def conv2d(a: Given, n: Sizes) -> Array:
    x, w, k = a["x"], a["W"], n["k"]
    high, wide = x.shape[2] - k + 1, x.shape[3] - k + 1
    y = np.zeros((n["N"], n["O"], high, wide)) + a["b"][:, None, None]
    for u in range(k):
        for v in range(k):
            y += np.einsum("nchw,oc->nohw", x[:, :, u : u + high, v : v + wide], w[:, :, u, v])
    return np.asarray(y)


def cross_entropy(a: Given, n: Sizes) -> Array:
    chosen = np.take_along_axis(_softmax(a["z"]), a["t"][:, None], axis=1)
    return np.asarray(-np.log(chosen).sum() / n["N"])


def cross_entropy_lse(a: Given, n: Sizes) -> Array:
    return cross_entropy(a, n)


def alibi(a: Given, n: Sizes) -> dict[str, Array]:
    scores = np.einsum("bhid,bhjd->bhij", a["q"], a["k"]) / math.sqrt(n["d_k"])
    for head in range(n["h"]):
        slope = 2 ** (-8 * (head + 1) / n["h"])
        for i in range(n["S"]):
            scores[:, head, i] -= slope * np.abs(i - np.arange(n["S"]))
    return {"a": np.asarray(scores)}


def batchnorm(a: Given, n: Sizes) -> Array:
    x = np.moveaxis(a["x"], 1, -1)
    flat = x.reshape(-1, n["C"])
    y = (x - flat.mean(0)) / np.sqrt(flat.var(0) + 1e-5) * a[r"\gamma"] + a[r"\beta"]
    return np.moveaxis(y, -1, 1)


def lstm(a: Given, n: Sizes) -> dict[str, Array]:
    h = c = np.zeros((n["B"], n["n"]))
    hs, cs = [], []
    for t in range(n["S"]):
        i, f, o, g = (a["x"][:, t] @ a[f"W^{k}"].T + h @ a[f"U^{k}"].T + a[f"b^{k}"] for k in "ifoc")
        c = _logistic(f) * c + _logistic(i) * np.tanh(g)
        h = _logistic(o) * np.tanh(c)
        hs.append(h)
        cs.append(c)
    return {"h": np.stack(hs, axis=1), "c": np.stack(cs, axis=1)}


def gru(a: Given, n: Sizes) -> dict[str, Array]:
    h, hs = a["h_0"], []
    for t in range(n["S"]):
        x = a["x"][:, t]
        r = _logistic(x @ a["W^r"].T + h @ a["U^r"].T + a["b^r"])
        z = _logistic(x @ a["W^z"].T + h @ a["U^z"].T + a["b^z"])
        new = np.tanh(x @ a["W^n"].T + a["b^n"] + r * (h @ a["U^n"].T))
        h = new + z * (h - new)
        hs.append(h)
    return {"h": np.stack(hs, axis=1)}


def deltanet(a: Given, n: Sizes) -> dict[str, Array]:
    state, out = np.zeros((n["B"], n["m"], n["d"])), []
    for t in range(n["L"]):
        k, beta = a["k"][:, t], a[r"\beta"][:, t, None]
        error = a["v"][:, t] - np.einsum("bmd,bd->bm", state, k)
        state = state + np.einsum("bm,bd->bmd", beta * error, k)
        out.append(np.einsum("bmd,bd->bm", state, a["q"][:, t]))
    return {"o": np.stack(out, axis=1)}


def linear_attention(a: Given, n: Sizes) -> Array:
    q, k = np.logaddexp(0, a["q"]), np.logaddexp(0, a["k"])
    weights = np.tril(np.einsum("bid,bjd->bij", q, k))
    return np.asarray(weights @ a["v"] / weights.sum(-1, keepdims=True))


def selective_scan(a: Given, n: Sizes) -> dict[str, Array]:
    h, ys, hs = np.zeros((n["N"], n["d"], n["n"])), [], []
    for t in range(n["L"]):
        step, x = a[r"\Delta"][:, t, :, None], a["x"][:, t]
        h = np.exp(step * a["A"]) * h + step * x[..., None] * a["B"][:, t, None, :]
        hs.append(h)
        ys.append(np.einsum("bdn,bn->bd", h, a["C"][:, t]) + a["D"] * x)
    return {"y": np.stack(ys, axis=1), "h": np.stack(hs, axis=1)}


def group_norm(a: Given, n: Sizes) -> Array:
    x = a["x"].reshape(n["N"], n["g"], -1)
    y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return np.asarray(y.reshape(a["x"].shape) * a[r"\gamma"][:, None, None] + a[r"\beta"][:, None, None])


def pixel_shuffle(a: Given, n: Sizes) -> Array:
    r = n["r"]
    x = a["x"].reshape(n["N"], n["C"], r, r, n["H"], n["L"])
    y: Array = x.transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n["N"], n["C"], n["H"] * r, n["L"] * r)


def pixel_shuffle_pieces(a: Given, n: Sizes) -> Array:
    return pixel_shuffle(a, n)


def sliding_window_attention(a: Given, n: Sizes) -> dict[str, Array]:
    bias = np.full((n["S"], n["S"]), -np.inf)
    for i in range(n["S"]):
        bias[i, max(i - n["w"] + 1, 0) : i + 1] = 0
    return {"Y": _attend(a["Q"], a["K"], a["V"], bias)}


def softmax_temperature(a: Given, n: Sizes) -> Array:
    return _softmax(a["z"] / a[r"\tau"])


def weight_norm(a: Given, n: Sizes) -> dict[str, Array]:
    w = a["g"][:, None] * a["V"] / np.linalg.norm(a["V"], axis=1, keepdims=True)
    return {"y": np.asarray(a["x"] @ w.T + a["b"])}


def depthwise_convolution(a: Given, n: Sizes) -> Array:
    p, k = n["p"], n["k"]
    x = np.pad(a["x"], ((0, 0), (0, 0), (p, p), (p, p)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (k, k), axis=(2, 3))
    return np.asarray(np.einsum("nchwuv,cuv->nchw", windows, a["W"]) + a["b"][:, None, None])


def squared_relu(a: Given, n: Sizes) -> Array:
    hidden = a["x"] @ a["W_1"]
    return np.asarray((hidden * np.abs(hidden) + hidden * hidden) / 2 @ a["W_2"])


def label_smoothing(a: Given, n: Sizes) -> dict[str, Array]:
    logs = np.log(_softmax(a["z"]))
    plain = -logs[np.arange(n["N"]), a["t"]].mean()
    return {r"\mathcal{L}": np.asarray((1 - a[r"\alpha"]) * plain - a[r"\alpha"] * logs.mean())}


def gcn(a: Given, n: Sizes) -> dict[str, Array]:
    loops = a["A"] + np.eye(n["n"])
    scale = np.diag(loops.sum(1) ** -0.5)
    return {"H'": np.maximum(scale @ loops @ scale @ a["H"] @ a["W"], 0)}


def gcn_diag(a: Given, n: Sizes) -> Array:
    loops = a[r"\tilde A"]
    degree = loops.sum(1)
    return np.asarray(np.maximum(loops / np.sqrt(np.outer(degree, degree)) @ a["H"] @ a["W"], 0))


def attention_sink(a: Given, n: Sizes) -> Array:
    scores = np.einsum("bhid,bhjd->bhij", a["q"], a["k"]) / math.sqrt(n["d"])
    scores = np.where(np.tri(n["S"], dtype=bool), scores, -np.inf)
    sink = np.broadcast_to(a["s"][:, None, None], (*scores.shape[:3], 1))
    return np.asarray(_softmax(np.concatenate([scores, sink], axis=-1))[..., :-1] @ a["v"])


def token_shift(a: Given, n: Sizes) -> Array:
    before = np.zeros_like(a["x"])
    before[:, 1:] = a["x"][:, :-1]
    return np.asarray(before + a[r"\mu"] * (a["x"] - before))


def fused_qkv(a: Given, n: Sizes) -> dict[str, Array]:
    return dict(zip("qkv", np.split(a["x"] @ a["W"], 3, axis=-1), strict=True))


REFERENCES: dict[str, Callable[[Given, Sizes], Array | dict[str, Array]]] = {
    name: function
    for name, function in list(globals().items())
    if callable(function) and getattr(function, "__module__", None) == __name__ and not name.startswith("_")
}
