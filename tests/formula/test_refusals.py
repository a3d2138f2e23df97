r"""Every refusal of the formula language: its code, its message with the accepted spelling, and where the caret stands.

In each case the characters in «» are those that the error points at.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import atlas.formula
from atlas.exceptions import FormulaError
from atlas.formula.codes import TITLES

SYMBOLS = {
    "x": "[B,S,d]",
    "z": "[B,S,d]",
    "W": "[d,m]",
    "A": "[d,d]",
    "K": "[B,S,d]",
    "a": "[]",
    "b": "[]",
    "c": "[]",
    "t": "ids V [B,S]",
    "E": "[V,d]",
    "F": "[d] -> [d]",
    "G": "family g: [d] -> [d]",
    r"\gamma_1": "[d]",
    r"\gamma_2": "[d]",
    "y": "[B,S,d]",
    "s": "[]",
    r"\sigma": r"is \mathrm{sigmoid}",
}

READING = [
    # code, formula, part of the message, part of the hint
    ("A201", "y=x+«ε»", "`ε`", r"`\varepsilon`"),
    ("A201", "y=«γ»x", "`γ`", r"`\gamma`"),
    ("A201", "y=x«×»a", "`×`", r"`\times`"),
    ("A201", "y=«−»x", "`−`", "`-`"),
    ("A201", r"y=«\foo» x", r"`\foo` is not in the formula language", ""),
    ("A201", r"y=\frac{1}{2}«\star» x", r"`\star`", r"\odot"),
    ("A201", r"y=«\gama» x", r"`\gama`", r"`\gamma`"),
    ("A201", r"y=x«\@»", r"`\@`", ""),
    ("A201", r"y=«\sqrt»[3]{x}", "roots other than square roots", "x^{1/3}"),
    ("A201", r"s=\lVert x\rVert«_1»", "norm with index 1", r"\lVert x \rVert_2"),
    ("A201", r"y=\mathrm{x«_»1}", "letters only", "outside"),
    ("A201", r"y=x«;»z", "`;` has no meaning", "remove"),
    ("A202", "y=x«}»", "`}` without its `{`", ""),
    ("A202", "y=«{»x", "`{` is never closed", ""),
    ("A202", "y=«(»x", "`(` is never closed", ""),
    ("A202", "y=«(x]»", "`(` is closed by `]`", ""),
    ("A202", r"y=«\left»(x)", r"`\left` without its `\right`", ""),
    ("A202", r"y=(x«\right»)", r"`\right` without its `\left`", ""),
    ("A202", r"y=«\left.»x\right|", "not shown", r"\left("),
    ("A202", r"«\begin{aligned}»y=x", "never closed", ""),
    ("A202", r"«\begin{matrix}»y=x\end{matrix}", "not in the formula language", "aligned"),
    ("A201", r"s=x_{«:»,1}", "`:` has no meaning", "leave out the subscript"),
    ("A202", r"y=W[x«,»z]", "stands where `[` should be closed", r"\operatorname{Concat}(a,b)"),
    ("A209", r"y=\begin{cases}x & a<b «\text{ and }» b<c\end{cases}", r"`\mathrm{and}` is not known", ""),
    ("A216", r"y=||x«|»|".replace("||x«|»|", "|«|»x||"), "operand is missing", r"\lVert"),
    ("A203", "y=«x^2'»", "prime after a superscript", "first"),
    ("A216", "y=(x+z)«'»", "not expected", ""),
    ("A203", "y=x«^10»", "LaTeX shows `^10` as `^{1}0`", "`^{10}`"),
    ("A203", "y=10«^-»6x", "only the sign", "`^{-...}`"),
    ("A203", "y=«x^2^»2", "two scripts", "braces"),
    ("A203", "y=x«^»", "nothing after it", ""),
    ("A203", r"y=x«^\frac»12", "needs braces", "{...}"),
    ("A204", "y=x«*»z", "`*` is not a product", r"\odot (elementwise)"),
    ("A205", "y=x«^T»", "transpose or a power", r"`^\top`"),
    ("A205", r"y=x«^\mathrm{T}»", "transpose or a power", r"`^\top`"),
    ("A206", "y=x/«bc»", "unclear what `/` divides by", r"\frac"),
    ("A207", r"y=«\log x y»", r"where the argument of `\log` ends", "parentheses"),
    ("A207", r"y=x\odot«\cos a b»", r"where the argument of `\cos` ends", "parentheses"),
    ("A208", "e_{«ij»}=a", "side by side", "`_{i,j}`"),
    ("A209", "y=x+«q»", "`q` is not known", "declare it"),
    ("A209", r"y=«\gamma_3» x", r"`\gamma_3` is not known", r"`\gamma_2`"),
    ("A209", r"y=x+«\operatorname{Foo}»(x)", r"`\mathrm{Foo}` is not known", "declare it as a function"),
    ("A209", r"y=«\mathrm{sofmax}»(x)", r"\mathrm{sofmax}", r"\mathrm{softmax}"),
    ("A210", "y=«h»ead", "`h` is not known", r"\mathrm{...}"),
    ("A211", "y=«F^{-1}»(x)", "power or an inverse", "f(x)^{-1}"),
    ("A211", r"y=«\tanh^{-1}»(x)", "power or an inverse", ""),
    ("A213", "«d»=a", "`d` is a size", "declared"),
    ("A213", "y_{p,«d»}=x_{p,d}", "`d` is a size", "another letter"),
    ("A213", r"y=\sum_{«d»=1}^{S}x", "already a size", "another letter"),
    ("A213", r"y=x,\quad «d»=1,\dots,S", "already a size", "another letter"),
    ("A215", r"y=«\operatorname{softmax}» x", "needs its argument in parentheses", r"\mathrm{softmax}(...)"),
    ("A215", r"y=x\odot«\exp»", "needs an argument", ""),
    ("A215", r"y=x\,«\mathbb{1}»", "condition in brackets", r"\mathbb{1}[i = j]"),
    ("A216", "y=x+«»", "operand is missing", ""),
    ("A216", "y=x+«/»z", "operand is missing before `/`", ""),
    ("A216", r"y=x\odot«-»z", "operand is missing", "parentheses"),
    ("A216", r"y=\frac«+»{x}{a}", "argument in braces", ""),
    ("A216", "y=x«\\in» z", "not expected", ""),
    ("A216", "y«=»", "nothing stands after", ""),
    ("A217", "y=x «2»", "a number after a factor", "first"),
    ("A224", "y=xd«_1»", "takes no subscript", ""),
    ("A226", r"y=«\sum» x", "has no index", r"\sum_{j=1}^{d}"),
    ("A226", r"y=\sum«_{j=1}» x_j", "without an upper", r"\sum_{j=1}^{d}"),
    ("A226", r"y=\sum«_j»^d x_j", "without a lower", r"\sum_{j=1}^{d}"),
    ("A226", r"y=\sum_{j\in«\{»1,\dots,d\}}x_j", "in braces", r"\sum_{j=1}^{d}"),
    ("A226", r"y=\sum«_{d<S}»x", "all names are known", "one new letter"),
    ("A232", r"y=\begin{cases}x & «a»\end{cases}", "condition", ""),
    ("A233", "«x+z»", "no `=`", r"i=1,\dots,n"),
    ("A233", "«2y»=x", "not a symbol", "`y`"),
    ("A233", "y«+»z=x", "not expected on a left side", "`f(x)`"),
    ("A233", "«y_{1,2}»=x", "has no index", "declare"),
    ("A233", r"y«^\top»=x", "transpose on the left side", ""),
    ("A234", "y=x, «y»=z", "defined twice", ""),
    ("A234", r"y=x,\quad i=1,\dots,S,\quad «i=1,\dots,d»", "two ranges", "one range"),
    ("A242", r"y=\operatorname{Concat}(«x,\dots,z»)", "same term", r"\mathrm{head}_1"),
    ("A246", "«q»=x", "no declared symbol", "declare"),
    ("A248", "y=«{x+z}» a", "braces are not shown", "parentheses"),
    ("A248", "y=«{x^2}^»3", "shown as one", "parentheses"),
    ("A250", "y=1«234567890123456»".replace("1«", "«1"), "number of 16", "10^{-6}"),
]

MEANING = [
    ("A214", "y=«xK»", "product contracts d with S: [S,d] times [S,d]", r"did you forget ^\top on the second factor?"),
    ("A214", "y=«W x»".replace("W x", "Wx"), "product contracts m with S", ""),
    ("A214", "y=«Ax»", "product contracts d with S", ""),
    ("A218", "y=x«A^2»", "power of a square matrix [d,d]", r"\odot"),
    ("A219", r"y=«\gamma_1\gamma_2»", "two vectors [d] and [d] side by side", r"`a^\top b`"),
    ("A220", r"y=«x\cdot z»", "needs a scalar", r"`\odot`"),
    ("A220", r"y=«x\times z»", "needs a scalar", r"`\odot`"),
    ("A221", "y=«x+W»", "cannot add [S,d] and [d,m]", ""),
    ("A221", "y=«x^z»", "exponent is [S,d]", ""),
    ("A222", r"y=x(«A+\gamma_1»)", "stands twice in [d,d]", "own"),
    ("A223", r"y=«x+\gamma_1^\top»", "cannot add a transposed vector", r"remove ^\top"),
    ("A223", r"y=x\,«a^\top»", "transpose of a scalar", r"remove ^\top"),
    ("A223", r"q=«\gamma_1^\top»,\quad y=x", "right side is a transposed vector", r"remove ^\top"),
    ("A224", "y_{i,j}=«a_i»x_{i,j}", "`a` has no axes, but 1 subscript", ""),
    ("A224", "y_{i,j}=«x_{j,i}»".replace("x_{j,i}", "x_{j,i,i}"), "but 3 subscripts", ""),
    ("A225", "y_{i,j}=x_{«j»,i}", "ranges over d, but axis 1 of `x` is S", ""),
    ("A226", r"y=x\,«\sum»_j a", "unclear what `j` ranges over", "bounds"),
    ("A226", r"y=x\,«\sum»_j E_j", "`j` could range over V or d", "write the bounds"),
    ("A227", "y_i=«x_{i+1}»", "`x` is read outside its range: past S, where it ends", "end the range at S, give"),
    ("A227", "y_i=«x_{i-1}»", "`x` is read outside its range: before 1, where", "count from 1, or state `base: 0`"),
    ("A227", "y_i=«x_0»", "before 1, where indices begin", "or list `x` under `zero_outside`"),
    (
        "A227",
        "y_i=«x_{i-2}»",
        "before 1, where indices begin, down to -1",
        "begin the range 2 later, so that the lowest",
    ),
    (
        "A227",
        r"y_i=\sum_{j=-1}^S «x_j»",
        "before 1, where indices begin, down to -1",
        "2 later, so that the lowest index is 1",
    ),
    ("A227", "y_i=«x_{S+1}»", "past S, where it ends", "end the range at S"),
    ("A227", r"y_i=\sum«_{j=1}^{i+1}»x_j", "reach above S, where they end", "keep the upper bound"),
    ("A227", r"y_i=\sum«_{j=i-1}^{i}»x_j", "reach below 1, where indices begin", "keep the lower bound within 1 to S"),
    ("A228", "y_i=x_{«i/2»}", "not a whole number", ""),
    ("A229", r"y=«\operatorname{softmax}(x,z)»", "takes 1 argument, not 2", ""),
    ("A229", r"y=x+«\max(a)»", "needs two arguments", r"`\max_j`"),
    ("A229", r"y=x+«G»(\gamma_1)", "needs the index", ""),
    ("A230", "y=«F(W)»", "declared for [d], but is applied to [d,m]", ""),
    ("A231", r"y=x\,«\operatorname{softmax}(a)»", "needs an axis", "softmax_j"),
    ("A231", r"y=x\,«\lVert a\rVert»", "norm of a scalar", ""),
    ("A232", r"y=«x+\operatorname{TopK}(x,2)»", "set or condition", ""),
    ("A232", r"y=x\,\sum_{i\in «a»}1", "needs a set", "TopK"),
    ("A235", r"«y_{p,j}»=x_{p,j},\quad j=2,\dots,d", "", ""),
    ("A236", "«y=xW»", "declared [B,S,d], but the formula gives [B,S,m]", ""),
    ("A237", "y=x+q,«q»=q+1", "`q` is defined by itself", "h_{t-1}"),
    ("A237", "y=x+p,«p»=q,q=p", "through `q`", ""),
    ("A240", "y=x=«z»", "not equal", ""),
    ("A241", r"y=x\sum_{j=1}^{«d/3»}a", "not a whole number", ""),
    ("A241", r"y=x\,«\sum_{j=1}^{\infty}a»", "", ""),
    ("A243", r"y=x,\quad «q_{2i}»=a,\quad i=1,\dots,S", "piece by piece", "declare"),
    ("A251", r"y=x\sum_{i=1}^{1000000}\sum_{j=1}^{1000000}(«i+j»)", "1,000,000,000,000 numbers", "fewer indices"),
]


def parted(marked: str) -> tuple[str, tuple[int, int]]:
    """The formula without the marks, and the span between them."""
    start, end = marked.index("«"), marked.index("»") - 1
    return marked.replace("«", "").replace("»", ""), (start, end)


@pytest.mark.parametrize(("code", "marked", "message", "hint"), READING + MEANING)
def test_refusal(code: str, marked: str, message: str, hint: str, refuse: Any) -> None:
    latex, (start, end) = parted(marked)
    error: FormulaError = refuse(latex, SYMBOLS)
    pointed = latex[error.span[0] : error.span[1]]
    assert (error.code, error.span[0], pointed) == (code, start, latex[start:end]), error.message
    assert message in error.message
    assert hint in error.hint


@pytest.mark.parametrize(
    ("code", "symbols", "rest", "message"),
    [
        ("A212", {"x^2": "[d]"}, {}, "would be read as a power"),
        ("A213", {"d": "[d]"}, {}, "both a size and a symbol"),
        ("A213", {"x_{1}": "[d]", "x_1": "[d]"}, {}, "declared twice"),
        ("A222", {"x": "[B,B]"}, {}, "one batch axis twice"),
        ("A244", {"x": "[d+]"}, {}, "ends where"),
        ("A244", {"x y": "[d]"}, {}, "not a single name"),
        ("A244", {"2": "[d]"}, {}, "not a name"),
        ("A244", {"x": "[d]"}, {"base": 2}, "`base` is 0 or 1"),
        ("A244", {"x": "[d]"}, {"batch": ["N"]}, "batch axis `N`"),
        ("A244", {"x": "[d]"}, {"zero_outside": ["z"]}, "zero outside its range"),
        ("A244", {"x": "[d]"}, {"sizes": {"d": "2 r", "r": "d/2+1"}}, "depends on itself"),
        ("A244", {"f": r"is \mathrm{sigmoit}"}, {}, "not built in"),
        ("A244", {"f": "[B] -> [d]"}, {}, "over a batch axis"),
        ("A245", {"x": "[d,2d-9d]"}, {}, "no sizes were found"),
        ("A245", {"x": "[d]", "k": "integer d+1..d"}, {}, "no sizes were found"),
    ],
)
def test_refused_declaration(
    code: str, symbols: dict[str, str], rest: dict[str, Any], message: str, refuse: Any
) -> None:
    error: FormulaError = refuse("y=a", {"a": "[]", "y": "[]", **symbols}, **rest)
    assert error.code == code
    assert message in error.message


@pytest.mark.parametrize(
    ("code", "latex", "symbols", "message"),
    [
        ("A238", r"h_t=ah_{t+1}+x_t,\quad h_0=0", {"x": "[B,S,d]", "h": "[B,S,d]", "a": "[]"}, "after its last"),
        ("A238", r"h_t=ah_{t}+h_{t-1},\quad h_0=0", {"h": "[B,S,d]", "a": "[]"}, "depends on itself"),
        ("A239", "h_t=ah_{t-1}+x_t", {"x": "[B,S,d]", "h": "[B,S,d]", "a": "[]"}, "start value `h_0` is missing"),
        (
            "A243",
            "y_t=s_t,s_t=s_{t-1}+x_t,s_0=0",
            {"x": "[B,S,d]", "y": "[B,S,d]"},
            "do not follow from its start value",
        ),
        ("A237", "y=f(x),f(z)=f(z)+1", {"x": "[B,d]", "y": "[B,d]"}, "defined by itself"),
        ("A235", r"y_{2i}=x_{2i},\quad i=1,\dots,r", {"x": "[B,2r]", "y": "[B,2r]"}, "leave gaps"),
        ("A235", r"y_i=x_i,\quad y_1=x_1", {"x": "[B,r]", "y": "[B,r]"}, ""),
        ("A235", r"y_{i+1}=x_i,\quad y_{i+2}=x_i,\quad i=0,\dots,1", {"x": "[B,3]", "y": "[B,3]"}, ""),
        ("A227", r"y_{i+1}=x_i,\quad i=1,\dots,d", {"x": "[B,d]", "y": "[B,d]"}, "which goes from 1 to d"),
        (
            "A227",
            r"y_i=\begin{cases}1 & x_{i+1}>0\\0 & \text{otherwise}\end{cases}",
            {"x": "[B,d]", "y": "[B,d]"},
            "outside",
        ),
        ("A241", r"y_i=x_i,\quad i=1,\dots,d-9d", {"x": "[d]", "y": "[d]"}, "range of `i` is empty"),
        ("A232", r"y=\sum_{j\le W}x_j", {"x": "[d]", "W": "[d]", "y": "[]"}, "not numbers"),
        ("A240", "y=x+z=x", {"x": "[B,d]", "y": "[B,d]", "z": "[]"}, "not equal"),
        ("A242", r"y=\operatorname{Concat}(x_2,\dots,x_n)", {"x": "[n,d]", "y": "[n d]"}, "whole axis"),
        ("A250", "y=" + "(" * 40 + "x" + ")" * 40, {"x": "[d]", "y": "[d]"}, "nested more than"),
        ("A250", "y=" + "x+" * 2000 + "x", {"x": "[d]", "y": "[d]"}, "characters"),
        ("A250", "y=" + "x/" * 200 + "x", {"x": "[d]", "y": "[d]"}, "levels"),
        ("A250", ",".join(["y=x", *(f"q_{{{i}}}=x" for i in range(70))]), {"x": "[d]", "y": "[d]"}, "equations"),
    ],
)
def test_refused_equations(code: str, latex: str, symbols: dict[str, str], message: str, refuse: Any) -> None:
    error: FormulaError = refuse(latex, symbols)
    assert error.code == code, error.message
    assert message in error.message


def test_every_code_has_a_title_and_is_used() -> None:
    folder = Path(atlas.formula.__file__).parent
    used = set()
    for file in folder.glob("*.py"):
        if file.name != "codes.py":
            used |= set(re.findall(r'"(A2[0-9]{2})"', file.read_text(encoding="utf-8")))
    assert used == set(TITLES)
