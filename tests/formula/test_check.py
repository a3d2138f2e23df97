"""The check: what it reports for right and wrong formulas, and the repair that it names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atlas.formula.check import check
from atlas.formula.engine import parse

LAYER_NORM = r"""\begin{aligned}
\mu_d(x) &= \frac{1}{d}\sum_{j=1}^d x_j \\
\sigma_d^2(x) &= \frac{1}{d}\sum_{j=1}^d (x_j-\mu_d(x))^2 \\
y &= \gamma_2\odot\frac{x-\mu_d(x)}{\sqrt{\sigma_d^2(x)+\varepsilon}}+\beta_2 \\
\varepsilon &= 10^{-6}
\end{aligned}"""

EDITS = [
    # what is changed, into what, the code, what the repair does
    (r"10^{-6}", r"10^{-5}", "A260", "10^{-6}"),
    (r"\sqrt{\sigma_d^2(x)+\varepsilon}", r"\sigma_d(x)+\varepsilon", "A260", r"\sqrt{\sigma_d(x)^2+\varepsilon}"),
    (r"\odot\frac{x-\mu", r"\odot\frac{x+\mu", "A260", "replace `+` by `-`"),
    (r"}}+\beta_2", r"}}-\beta_2", "A260", "replace `-` by `+`"),
    (r"\gamma_2\odot", r"\gamma_1\odot", "A209", None),
    (r"\frac{1}{d}\sum_{j=1}^d x_j", r"\frac{1}{d}\sum_{j=1}^S x_j", "A225", "replace `S` by `d`"),
    (r"\frac{1}{d}\sum_{j=1}^d (", r"\sum_{j=1}^d (", "A260", r"insert `\frac{1}{d}`"),
    (r"(x_j-\mu_d(x))^2", r"(x_j-\mu_d(x))", "A260", "insert `^2`"),
]

SYMBOLS = {"x": "[B,S,d]", r"\gamma_2": "[d]", r"\beta_2": "[d]", "y": "[B,S,d]", r"\varepsilon": "[]"}


def layer_norm(inputs: Any, sizes: Any) -> Any:
    x = inputs["x"]
    root = np.sqrt(x.var(-1, keepdims=True) + 1e-6)
    y = inputs[r"\gamma_2"] * (x - x.mean(-1, keepdims=True)) / root + inputs[r"\beta_2"]
    return {"y": y, r"\varepsilon": 1e-6}


def test_right(declare: Any) -> None:
    report = check(parse(LAYER_NORM, declare(SYMBOLS, batch=["B", "S"])), layer_norm)
    assert report.issues == ()
    assert report.compared == ("y", r"\varepsilon")
    assert 0 < report.largest_relative_error < 1e-14


@pytest.mark.parametrize(("old", "new", "code", "repair"), EDITS)
def test_wrong(old: str, new: str, code: str, repair: str | None, declare: Any) -> None:
    assert LAYER_NORM.count(old) == 1
    latex = LAYER_NORM.replace(old, new)
    declarations = declare(SYMBOLS, batch=["B", "S"])
    if code == "A209":
        with pytest.raises(Exception, match="not known") as caught:
            parse(latex, declarations)
        assert getattr(caught.value, "hint", "") == r"did you mean `\gamma_2` or `\sigma_d`?"
        return
    report = check(parse(latex, declarations), layer_norm)
    assert code in [error.code for error in report.issues]
    if repair is not None:
        assert report.repair is not None
        assert repair in report.repair.describe()
        repaired = report.repair.apply(latex)
        assert check(parse(repaired, declarations), layer_norm).issues == ()


def test_inside_the_root_is_moved_outside(cases: Any, references: Any) -> None:
    case = cases["layernorm"]
    report = check(parse(case.latex, case.declarations), references["layernorm_chainer"])
    assert report.repair is not None
    assert report.repair.new == r"\left(\sigma_d(x)+\varepsilon\right)"


def test_the_message_says_where_and_both_values(read: Any) -> None:
    formula = read("y=x+z", {"x": "[B,d]", "z": "[d]", "y": "[B,d]"})

    def reference(inputs: Any, sizes: Any) -> Any:
        y = inputs["x"] + inputs["z"]
        y[1, 2:] += 1
        return y

    (issue,) = check(formula, reference, repair=False).issues
    assert issue.code == "A260"
    assert "first at [1,2] (B=1, d=2)" in issue.message
    assert " % of the entries" in issue.message
    assert "the formula gives" in issue.message


def test_a_forgotten_transpose_is_found(declare: Any) -> None:
    symbols = {"Q": "[B,S,d_k]", "K": "[B,S,d_k]", "Y": "[B,S,S]"}
    formula = parse(r"Y=\frac{QK}{\sqrt{d_k}}", declare(symbols))

    def reference(inputs: Any, sizes: Any) -> Any:
        return inputs["Q"] @ inputs["K"].swapaxes(-1, -2) / np.sqrt(sizes["d_k"])

    report = check(formula, reference)
    (issue,) = report.issues
    assert (issue.code, formula.latex[slice(*issue.span)]) == ("A214", "QK")
    assert issue.message == "product contracts d_k with S: [S,d_k] times [S,d_k]"
    assert issue.hint == r"did you forget ^\top on the second factor?"
    assert report.repair is not None
    assert report.repair.describe() == r"at 11: insert `^\top`"


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (lambda inputs, sizes: 1 / 0, "the reference fails for"),
        (lambda inputs, sizes: {"q": inputs["x"]}, "does not define"),
        (lambda inputs, sizes: {"x": inputs["x"]}, "does not define"),
        (lambda inputs, sizes: {}, "nothing to compare"),
        (lambda inputs, sizes: inputs["x"] * np.nan, "gives no number"),
    ],
)
def test_a_reference_that_proves_nothing(reference: Any, message: str, read: Any) -> None:
    report = check(read("y=x+p, p=1", {"x": "[B,d]", "y": "[B,d]"}), reference)
    assert [issue.code for issue in report.issues] == ["A262"]
    assert message in report.issues[0].message


def test_one_array_for_several_outputs(read: Any) -> None:
    report = check(read("y=x,z=2x", {"x": "[d]", "y": "[d]", "z": "[d]"}), lambda inputs, sizes: inputs["x"])
    assert report.issues[0].code == "A262"
    assert "y and z" in report.issues[0].message


def test_another_shape(read: Any) -> None:
    report = check(read("y=x", {"x": "[B,d]", "y": "[B,d]"}), lambda inputs, sizes: inputs["x"].T)
    assert [issue.code for issue in report.issues] == ["A261"]


@pytest.mark.parametrize(
    ("latex", "idle"),
    [
        ("y=x", ["z"]),
        ("y=x+z, q=x", ["q"]),
        ("y=x+z, f(v)=2v", ["f"]),
    ],
)
def test_what_takes_no_part_is_reported(latex: str, idle: list[str], read: Any) -> None:
    formula = read(latex, {"x": "[d]", "z": "[d]", "y": "[d]"})

    def reference(inputs: Any, sizes: Any) -> Any:
        return inputs["x"] + (inputs["z"] if "z" in latex else 0)

    report = check(formula, reference)
    assert [(issue.code, issue.message.split("`")[1]) for issue in report.issues] == [("A247", name) for name in idle]


@pytest.mark.parametrize(("latex", "codes"), [("y=x", ["A247"]), ("y=x+z", ["A262"])])
def test_a_reference_that_fails_may_do_so_of_what_the_formula_leaves_out(
    latex: str, codes: list[str], read: Any
) -> None:
    def reference(inputs: Any, sizes: Any) -> Any:
        raise ValueError(f"no {inputs['z']}")

    report = check(read(latex, {"x": "[d]", "z": "[d]", "y": "[d]"}), reference)
    assert [issue.code for issue in report.issues] == codes


def test_undeclared_intermediates_are_compared(read: Any) -> None:
    formula = read("y=px, p=2", {"x": "[d]", "y": "[d]"})
    right = check(formula, lambda inputs, sizes: {"y": 2 * inputs["x"], "p": 2.0})
    assert right.issues == ()
    assert right.compared == ("y", "p")
    wrong = check(formula, lambda inputs, sizes: {"y": 2 * inputs["x"], "p": 3.0})
    assert [issue.code for issue in wrong.issues] == ["A260"]
