r"""The rules of the formula language by small examples, each against the value that NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from atlas.formula.sample import draw

MATRIX = {"A": "[B,S,d]", "W": "[d,m]", "v": "[d]", "u": "[S]", "x": "[B,S,d]", "a": "[]"}
Check = Callable[[Any, Any], Any]

RULES: list[tuple[str, dict[str, str], dict[str, Any], Check]] = [
    # names
    ("y=W_1+W^O", {"W_1": "[d]", "W^O": "[d]", "y": "[d]"}, {}, lambda a, n: a["W_1"] + a["W^O"]),
    ("y=x_{1}", {"x_1": "[d]", "y": "[d]"}, {}, lambda a, n: a["x_1"]),
    ("y=x_1", {"x": "[d,m]", "y": "[m]"}, {}, lambda a, n: a["x"][0]),
    ("y_i=W_i^Qx", {"W^Q": "[h,m,d]", "x": "[d]", "y": "[h,m]"}, {}, lambda a, n: a["W^Q"] @ a["x"]),
    (r"y=\text{gate}\odot x", {r"\mathrm{gate}": "[d]", "x": "[d]", "y": "[d]"}, {},
     lambda a, n: a[r"\mathrm{gate}"] * a["x"]),
    (r"y=\mathbf x+\hat x+x'", {r"\mathbf{x}": "[d]", r"\hat x": "[d]", "x'": "[d]", "y": "[d]"}, {},
     lambda a, n: a[r"\mathbf{x}"] + a[r"\hat x"] + a["x'"]),
    ("h_i'=2h_i'', q=h'_{1}", {"h''": "[d]", "h'": "[d]"}, {}, lambda a, n: 2 * a["h''"]),
    (r"y=\theta'^2", {r"\theta'": "[d]", "y": "[d]"}, {}, lambda a, n: a[r"\theta'"] ** 2),
    # axes that are equal as expressions
    ("y=xW", {"x": "[B,h d]", "W": "[d h,m]", "y": "[B,m]"}, {}, lambda a, n: a["x"] @ a["W"]),
    ("y=xW", {"x": "[B,d]", "W": "[2r,m]", "y": "[B,m]"}, {"sizes": {"d": "2 r"}}, lambda a, n: a["x"] @ a["W"]),
    # juxtaposition
    ("y=AW", {**MATRIX, "y": "[B,S,m]"}, {}, lambda a, n: a["A"] @ a["W"]),
    ("y=Av", {**MATRIX, "y": "[B,S]"}, {}, lambda a, n: a["A"] @ a["v"]),
    ("y=vW", {**MATRIX, "y": "[m]"}, {}, lambda a, n: a["v"] @ a["W"]),
    (r"y=v^\top v", {**MATRIX, "y": "[]"}, {}, lambda a, n: a["v"] @ a["v"]),
    (r"y=uv^\top", {**MATRIX, "y": "[S,d]"}, {}, lambda a, n: np.outer(a["u"], a["v"])),
    ("y=aA", {**MATRIX, "y": "[B,S,d]"}, {}, lambda a, n: a["a"] * a["A"]),
    (r"y=a\cdot 3\times A", {**MATRIX, "y": "[B,S,d]"}, {}, lambda a, n: 3 * a["a"] * a["A"]),
    ("y=QK^\\top", {"Q": "[B,h,S,d]", "K": "[B,h,T,d]", "y": "[B,h,S,T]"}, {},
     lambda a, n: a["Q"] @ a["K"].swapaxes(-1, -2)),
    ("y=xW", {"x": "[h,S,d]", "W": "[d,m]", "y": "[h,S,m]"}, {}, lambda a, n: a["x"] @ a["W"]),
    # elementwise
    ("y=A+v", {**MATRIX, "y": "[B,S,d]"}, {}, lambda a, n: a["A"] + a["v"]),
    (r"y=\max(A,v,0)/2", {**MATRIX, "y": "[B,S,d]"}, {}, lambda a, n: np.maximum(np.maximum(a["A"], a["v"]), 0) / 2),
    (r"y=\frac{u}{1+u^2}", {**MATRIX, "y": "[S]"}, {}, lambda a, n: a["u"] / (1 + a["u"] ** 2)),
    ("y=-x^2+2^{-x_{1,1}}", {"x": "[S,d]", "y": "[S,d]"}, {}, lambda a, n: -(a["x"] ** 2) + 2.0 ** -a["x"][0, 0]),
    # batch
    ("y=xW", {"x": "[B,S,d]", "W": "[d,m]", "y": "[B,S,m]"}, {"batch": ["S", "B"]}, lambda a, n: a["x"] @ a["W"]),
    (r"s=\lVert x\rVert_2", {"x": "[B,S,d]", "s": "[B,S]"}, {"batch": ["B", "S"]},
     lambda a, n: np.linalg.norm(a["x"], axis=-1)),
    # indices
    ("y_{j,i}=x_{i,j}", {"x": "[S,d]", "y": "[d,S]"}, {}, lambda a, n: a["x"].T),
    ("y_{i}=x_{i,i}", {"x": "[d,d]", "y": "[d]"}, {}, lambda a, n: np.diagonal(a["x"])),
    ("y_i=x_{d-i}", {"x": "[d]", "y": "[d]"}, {"base": 0, "zero_outside": ["x"]},
     lambda a, n: np.concatenate([[0], a["x"][:0:-1]])),
    ("y_i=x_{d+1-i}", {"x": "[d]", "y": "[d]"}, {}, lambda a, n: a["x"][::-1]),
    (r"y_i=x_{\lceil i/2\rceil}", {"x": "[r]", "y": "[2r]"}, {}, lambda a, n: np.repeat(a["x"], 2)),
    (r"y_i=x_{i\bmod r}", {"x": "[r]", "y": "[2r]"}, {"base": 0}, lambda a, n: np.tile(a["x"], 2)),
    ("y_i=E_{t_i}", {"t": "ids V [S]", "E": "[V,d]", "y": "[S,d]"}, {}, lambda a, n: a["E"][a["t"]]),
    ("y_j=x_j", {"x": "[S,d]", "y": "[d,S]"}, {}, lambda a, n: a["x"].T),
    # sums and reductions
    (r"y=\sum_{i}x_i+a", {"x": "[d]", "a": "[]", "y": "[]"}, {}, lambda a, n: a["x"].sum() + a["a"]),
    (r"y=\sum_{i,j}x_{i,j}", {"x": "[S,d]", "y": "[]"}, {}, lambda a, n: a["x"].sum()),
    (r"y_t=\sum_{s\le t}x_s", {"x": "[S,d]", "y": "[S,d]"}, {}, lambda a, n: np.cumsum(a["x"], 0)),
    (r"y_t=\sum_{s=1}^{t}x_s", {"x": "[S,d]", "y": "[S,d]"}, {}, lambda a, n: np.cumsum(a["x"], 0)),
    (r"y_t=\sum_{s<t}x_s", {"x": "[S]", "y": "[S]"}, {}, lambda a, n: np.cumsum(a["x"]) - a["x"]),
    (r"y_i=\sum_{j\ne i}x_j", {"x": "[d]", "y": "[d]"}, {}, lambda a, n: a["x"].sum() - a["x"]),
    (r"y=\prod_{i=1}^{d}x_i", {"x": "[d]", "y": "[]"}, {}, lambda a, n: a["x"].prod()),
    (r"y_i=\max_jx_{i,j}-\min_jx_{i,j}", {"x": "[S,d]", "y": "[S]"}, {}, lambda a, n: np.ptp(a["x"], axis=1)),
    (r"y=\sum_{i\in T}x_i,\quad T=\operatorname{TopK}(x,2)", {"x": "[d]", "y": "[]"}, {},
     lambda a, n: np.sort(a["x"])[-2:].sum()),
    (r"y=\log\sum_i\exp x_i", {"x": "[d]", "y": "[]"}, {}, lambda a, n: np.log(np.exp(a["x"]).sum())),
    # application
    (r"y_{i,j}=\operatorname{softmax}_j(x_{i,j})", {"x": "[S,d]", "y": "[S,d]"}, {},
     lambda a, n: np.exp(a["x"]) / np.exp(a["x"]).sum(1, keepdims=True)),
    (r"y=\operatorname{softmax}(x^\top)^\top", {"x": "[S,d]", "y": "[S,d]"}, {},
     lambda a, n: np.exp(a["x"]) / np.exp(a["x"]).sum(0, keepdims=True)),
    ("y=x(a+1)", {"x": "[d]", "a": "[]", "y": "[d]"}, {}, lambda a, n: a["x"] * (a["a"] + 1)),
    ("y=f(x,2), f(u,v)=u+v", {"x": "[d]", "y": "[d]"}, {}, lambda a, n: a["x"] + 2),
    ("y_i=f_i(x), f_k(u)=W_ku", {"x": "[d]", "W": "[h,m,d]", "y": "[h,m]"}, {}, lambda a, n: a["W"] @ a["x"]),
    (r"y=\sin^2x+\cos^2x", {"x": "[d]", "y": "[d]"}, {}, lambda a, n: np.ones(n["d"])),
    (r"y=\sigma(x)", {"x": "[d]", r"\sigma": r"is \tanh", "y": "[d]"}, {}, lambda a, n: np.tanh(a["x"])),
    (r"y=\operatorname{Concat}(x,z)", {"x": "[S,d]", "z": "[S,m]", "y": "[S,d+m]"}, {},
     lambda a, n: np.concatenate([a["x"], a["z"]], 1)),
    # left sides, chains, recurrences
    (r"y=2q=q+q,\quad q=x", {"x": "[d]", "y": "[d]"}, {}, lambda a, n: 2 * a["x"]),
    (r"y=\begin{cases}x & x>0\\ ax & \text{otherwise}\end{cases}", {"x": "[d]", "a": "[]", "y": "[d]"}, {},
     lambda a, n: np.where(a["x"] > 0, a["x"], a["a"] * a["x"])),
    (r"y_{2i}=x_i,\quad y_{2i+1}=-x_i,\quad i=0,\dots,r-1", {"x": "[r]", "y": "[2r]"}, {"base": 0},
     lambda a, n: np.stack([a["x"], -a["x"]], 1).ravel()),
    ("y=F(x)+E_1(x)", {"x": "[B,d]", "F": "[d] -> [d]", "E": "family n: [d] -> [d]", "y": "[B,d]"}, {},
     lambda a, n: a["F"](a["x"]) + a["E"](0, a["x"])),
    ("h_t=h_{t-1}+h_{t-2}+x_t, h_0=0, h_{-1}=0", {"x": "[S]", "h": "[S]"}, {}, lambda a, n: second_order(a["x"])),
    ("h_t=ah_{t-1}+x_t, h_{-1}=0", {"x": "[S]", "a": "[]", "h": "[S]"}, {"base": 0},
     lambda a, n: first_order(a["x"], a["a"])),
    (r"h_{i,t}=ah_{i,t-1}+x_{i,t},\quad h_{0}=0", {"x": "[d,S]", "a": "[]", "h": "[d,S]"}, {},
     lambda a, n: first_order(a["x"], a["a"])),
    (r"y=px\text{ where }p=2", {"x": "[d]", "y": "[d]"}, {}, lambda a, n: 2 * a["x"]),
    (r"y_i=x_i\text{ for all } i=1,\dots,d", {"x": "[d]", "y": "[d]"}, {}, lambda a, n: a["x"]),
    ("y=k x", {"x": "[d]", "k": "integer 1..d", "y": "[d]"}, {}, lambda a, n: a["k"] * a["x"]),
]  # fmt: skip


def second_order(x: Any) -> Any:
    h = [0.0, 0.0]
    for value in x:
        h.append(h[-1] + h[-2] + value)
    return np.array(h[2:])


def first_order(x: Any, a: Any) -> Any:
    h = [np.zeros(x.shape[:-1])]
    for t in range(x.shape[-1]):
        h.append(a * h[-1] + x[..., t])
    return np.stack(h[1:], axis=-1)


@pytest.mark.parametrize(("latex", "symbols", "rest", "expected"), RULES)
def test_rule(latex: str, symbols: dict[str, str], rest: dict[str, Any], expected: Check, read: Any) -> None:
    formula = read(latex, symbols, **rest)
    for number in range(4):
        sample = draw(formula, 11, number)
        (found,) = formula.run(sample.inputs, sample.sizes).values()
        np.testing.assert_allclose(found, expected(sample.inputs, sample.sizes), rtol=1e-12, atol=1e-13)


def test_a_row_is_no_value(refuse: Any) -> None:
    error = refuse(r"y=v^\top W", {"v": "[d]", "W": "[d,m]", "y": "[m]"})
    assert (error.code, error.hint) == ("A223", r"remove ^\top")


def test_sizes_follow_from_arrays(read: Any) -> None:
    formula = read("y=xW/d", {"x": "[B,d]", "W": "[d,m]", "y": "[B,m]"})
    x, w = np.ones((2, 3)), np.ones((3, 4))
    np.testing.assert_array_equal(formula.run({"x": x, "W": w})["y"], np.ones((2, 4)))
    with pytest.raises(Exception, match="has the shape"):
        formula.run({"x": x, "W": np.ones((2, 4))})
    with pytest.raises(Exception, match="is missing"):
        formula.run({"x": x}, {"m": 4})


def test_sampled_sizes_are_distinct_and_satisfy_relations(read: Any) -> None:
    formula = read("y=x+z", {"x": "[B,S,d]", "z": "[h k]", "y": "[B,S,d]"}, sizes={"d": "h k"})
    for seed in range(20):
        sizes = draw(formula, seed, 0).sizes
        assert sizes["d"] == sizes["h"] * sizes["k"]
        assert len(set(sizes.values())) == len(sizes)
        assert min(sizes.values()) >= 2
