r"""Names in formulas against the table of symbols, over the notations that an atlas meets.

Nothing that is right may be reported; what is misspelt, left out or not used must be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from atlas.checks.latex import canonical, nesting, occurrences, tokens
from atlas.checks.symbols import MAX_UNDECLARED, check_symbols
from atlas.entries.atlas import Collection, Entry
from atlas.entries.component import Component
from atlas.entries.load import load
from atlas.entries.tree import Document, parse
from atlas.entries.words import quoted
from atlas.issues import Issue

PROJECT = Path(__file__).resolve().parents[1] / "project"

Check = Callable[..., list[Issue]]

FORMULAS = {
    "rms norm": (
        r"y=\gamma\odot\frac{x}{\sqrt{\frac{1}{d}\sum_{j=1}^{d}x_j^2+\varepsilon}},\quad \varepsilon=10^{-6}",
        ["x", r"\gamma", "y"], ["B", "S", "d"],
    ),
    "linear": ("y=xW+b", ["x", "W", "b", "y"], ["d", "m"]),
    "feed forward": (r"y=\max(0,xW_1+b_1)W_2+b_2", ["x", "W_1", "b_1", "W_2", "b_2", "y"], ["d", "f"]),
    "gelu": (
        r"y=x\,\Phi(x),\quad \Phi(x)=\frac12\left(1+\operatorname{erf}\left(\frac{x}{\sqrt2}\right)\right)",
        ["x", "y"], ["d"],
    ),
    "gelu by an integral": (
        r"\Phi(x)=\frac{1}{\sqrt{2\pi}}\int_{-\infty}^x e^{-t^2/2}\,dt, \quad y=x\Phi(x)", ["x", "y"], [],
    ),
    "gelu by tanh": (
        r"y=\frac{x}{2}\left(1+\tanh\left(\sqrt{\frac{2}{\pi}}\,(x+0.044715\,x^3)\right)\right)", ["x", "y"], ["d"],
    ),
    "swiglu": (
        r"y=(\operatorname{SiLU}(xW_g)\odot xW_u)W_d", ["x", "W_g", "W_u", "W_d", "y"], ["d", "f"],
    ),
    "attention": (
        r"Y=\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}+M\right)V", ["Q", "K", "V", "M", "Y"],
        ["d_k", "d_v"],
    ),
    "causal mask": (
        r"""\begin{aligned}Y&=\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}+M\right)V\\[0.5em]
        M_{i,j}&=\begin{cases}0 & j\le i\\ -\infty & \text{otherwise}\end{cases}\end{aligned}""",
        ["Q", "K", "V", "M", "Y"], ["d_k"],
    ),
    "multi-head attention": (
        r"""\begin{aligned}
        \operatorname{Attention}(Q,K,V)&=\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V\\
        \mathrm{head}_i&=\operatorname{Attention}(QW_i^Q,KW_i^K,VW_i^V)\\
        Y&=\operatorname{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)W^O
        \end{aligned}""",
        ["Q", "K", "V", "W^Q", "W^K", "W^V", "W^O", "Y"], ["h", "d_k"],
    ),
    "grouped queries": (
        r"Y_i=\operatorname{softmax}\left(\frac{Q_iK_{\lfloor i/g\rfloor}^\top}{\sqrt{d_k}}\right)V_{\lfloor i/g"
        r"\rfloor},\quad i=0,\dots,h-1",
        ["Q", "K", "V", "Y"], ["h", "g", "d_k"],
    ),
    "rotary": (
        r"""\begin{aligned}
        y_{p,2i}&=x_{p,2i}\cos(p\,\theta_i)-x_{p,2i+1}\sin(p\,\theta_i)\\
        y_{p,2i+1}&=x_{p,2i}\sin(p\,\theta_i)+x_{p,2i+1}\cos(p\,\theta_i)\\
        \theta_i&=10000^{-2i/d},\quad i=0,\dots,\frac{d}{2}-1
        \end{aligned}""",
        ["x", "y"], ["d"],
    ),
    "positions": (
        r"""\begin{aligned}
        \mathrm{PE}_{\mathrm{pos},2i}&=\sin(\mathrm{pos}/10000^{2i/d})\\
        \mathrm{PE}_{\mathrm{pos},2i+1}&=\cos(\mathrm{pos}/10000^{2i/d}),\quad i=0,\dots,d/2-1
        \end{aligned}""",
        [r"\mathrm{PE}"], ["d"],
    ),
    "embedding": (r"y=\sqrt{d}\,E_{t}", ["t", "E", "y"], ["d"]),
    "residual": ("x_{n+1}=x_n+F(x_n)", ["x_n", "x_{n+1}", "F"], []),
    "experts": (
        r"g=\operatorname{softmax}(xW_r),\quad y=\sum_{i\in\operatorname{TopK}(g,k)} g_i E_i(x)",
        ["x", "W_r", "E", "y", "k"], [],
    ),
    "state space": (
        r"h_t=\bar A h_{t-1}+\bar B x_t,\quad y_t=Ch_t,\quad h_0=0", ["x", r"\bar{A}", r"\bar B", "C", "y", "h"], [],
    ),
    "convolution": (
        r"y_{o,i,j}=b_o+\sum_{c=1}^{C}\sum_{u=1}^{k}\sum_{v=1}^{k}W_{o,c,u,v}\,x_{c,i+u-1,j+v-1}",
        ["x", "W", "b", "y"], ["C", "k"],
    ),
    "cross entropy": (
        r"\mathcal{L}=-\frac{1}{N}\sum_{i=1}^{N}\log\frac{\exp(z_{i,t_i})}{\sum_{c=1}^{C}\exp(z_{i,c})}",
        ["z", "t", r"\mathcal{L}"], ["N", "C"],
    ),
    "alibi": (
        r"a_{n,i,j}=\frac{q_{n,i}^\top k_{n,j}}{\sqrt{d_k}}-m_n|i-j|,\quad m_n=2^{-8n/h}", ["q", "k", "a"],
        ["d_k", "h"],
    ),
    "batch norm": (
        r"""\begin{aligned}
        \mu_c&=\frac{1}{BHL}\sum_{b=1}^{B}\sum_{i=1}^{H}\sum_{j=1}^{L}x_{b,c,i,j}\\
        \sigma_c^2&=\frac{1}{BHL}\sum_{b=1}^{B}\sum_{i=1}^{H}\sum_{j=1}^{L}(x_{b,c,i,j}-\mu_c)^2\\
        y_{b,c,i,j}&=\gamma_c\frac{x_{b,c,i,j}-\mu_c}{\sqrt{\sigma_c^2+\varepsilon}}+\beta_c,\quad\varepsilon=10^{-5}
        \end{aligned}""",
        ["x", r"\gamma", r"\beta", "y"], ["B", "H", "L"],
    ),
    "lstm": (
        r"""\begin{aligned}
        i_t&=\sigma(W^ix_t+U^ih_{t-1}+b^i)\\
        \tilde c_t&=\tanh(W^cx_t+U^ch_{t-1}+b^c)\\
        c_t&=c_{t-1}+i_t\odot\tilde c_t\\
        h_t&=\tanh(c_t),\quad h_0=0,\quad c_0=0
        \end{aligned}""",
        ["x", "h", "c", "W^i", "W^c", "U^i", "U^c", "b^i", "b^c", r"\sigma"], [],
    ),
    "delta net": (
        r"S_t=S_{t-1}(I-\beta_tk_tk_t^\top)+\beta_tv_tk_t^\top,\quad o_t=S_tq_t,\quad S_0=0,"
        r"\quad I_{a,b}=\mathbb{1}[a=b]",
        ["q", "k", "v", r"\beta", "o", "S", "I"], [],
    ),
    "subscript after superscript": (r"y=\sum^d_{j=1} x_j", ["x", "y"], ["d"]),
    "limits": (r"y=\sum\limits_{j=1}^d x_j", ["x", "y"], ["d"]),
    "several indices": (r"y=\sum_{i,j=1}^d x_{i,j}", ["x", "y"], ["d"]),
    "operator with an index": (r"y=\operatorname*{arg\,max}_{i} x_i", ["x", "y"], []),
    "membership": (r"y=x,\quad x\in\mathbb{R}^{d}", ["x", "y"], ["d"]),
    "columns": (r"y=\begin{array}{cc}x & b\end{array}\hspace{1em}\color{red}", ["x", "b", "y"], []),
    "styled names": (
        r"y=x W_\mathrm{ff} + b_{\mathrm{ff}}", ["x", r"W_{\mathrm{ff}}", r"b_\mathrm{ff}", "y"], [r"d_{\mathrm{ff}}"],
    ),
    "primes": ("y'=x''+b", ["x''", "b", "y'"], []),
}  # fmt: skip


@pytest.fixture(scope="module")
def real() -> tuple[Entry, Collection]:
    atlas, issues = load(PROJECT, PROJECT / "content", PROJECT / "sources")
    assert issues == []
    collection = atlas.collections["transformer"]
    return collection.entries[0], collection


@pytest.fixture
def check(real: tuple[Entry, Collection]) -> Check:
    entry, collection = real

    def run(
        formula: str,
        symbols: list[str],
        sizes: list[str],
        enters: dict[str, str] | None = None,
        vectors: tuple[str, ...] = (),
    ) -> list[Issue]:
        formula = " ".join(formula.split())
        lines = [f"formula: {quoted(formula)}", "symbols:", *(f"  {quoted(name)}: {{}}" for name in symbols)]
        lines += ["in:", *(f"  {quoted(value)}: {quoted(symbol)}" for value, symbol in (enters or {}).items())]
        document, issues = parse("\n".join(lines) + "\n", "a.yml")
        assert issues == []
        assert isinstance(document, Document)
        table = {name: {"axes": ("d",) if name in vectors else ()} for name in symbols}
        data = {
            **entry.data.model_dump(by_alias=True),
            "formula": formula,
            "symbols": table,
            "in": enters or {},
            "out": {},
        }
        model = collection.data.model_copy(update={"dimensions": dict.fromkeys(sizes, "a size")})
        one = replace(entry, data=Component.model_validate(data), document=document)
        return check_symbols(one, replace(collection, data=model))

    return run


@pytest.mark.parametrize("name", FORMULAS)
def test_nothing_that_is_right_is_reported(check: Check, name: str) -> None:
    assert check(*FORMULAS[name]) == []


@pytest.mark.parametrize("name", FORMULAS)
def test_a_symbol_that_is_not_used_is_reported(check: Check, name: str) -> None:
    formula, symbols, sizes = FORMULAS[name]
    (issue,) = check(formula, [*symbols, r"\Xi_7"], sizes)
    assert (issue.code, issue.line, issue.column) == ("A130", issue.line, 3)
    assert r"\Xi_7" in issue.message


@pytest.mark.parametrize("name", FORMULAS)
def test_a_name_that_is_not_declared_is_reported_where_it_stands(check: Check, name: str) -> None:
    formula, symbols, sizes = FORMULAS[name]
    rows = formula.replace(r"\end{aligned}", r"+\kappa \end{aligned}")
    changed = rows if rows != formula else formula + r"+\kappa"
    (issue,) = check(changed, symbols, sizes)
    assert issue.code == "A131"
    assert issue.message.startswith(r"`\kappa` is neither declared")
    shown, carets = issue.excerpt.split("\n")
    assert shown[carets.index("^") :].startswith(r"\kappa")
    assert carets.count("^") == len(r"\kappa")


UNDEFINED = [
    (name, symbol)
    for name, symbol in [
        ("rms norm", r"\gamma"), ("linear", "W"), ("linear", "b"), ("feed forward", "W_1"), ("feed forward", "b_2"),
        ("swiglu", "W_g"), ("attention", "M"), ("attention", "V"), ("multi-head attention", "W^O"),
        ("multi-head attention", "W^Q"), ("embedding", "t"), ("embedding", "E"), ("experts", "W_r"), ("experts", "k"),
        ("state space", r"\bar{A}"), ("state space", "C"), ("convolution", "W"), ("cross entropy", "t"),
        ("batch norm", r"\beta"), ("lstm", "W^i"), ("lstm", "b^c"), ("delta net", r"\beta"), ("delta net", "q"),
        ("styled names", r"W_{\mathrm{ff}}"), ("primes", "x''"),
    ]
]  # fmt: skip


@pytest.mark.parametrize(("name", "symbol"), UNDEFINED)
def test_a_symbol_that_is_left_out_of_the_table_is_reported_once(check: Check, name: str, symbol: str) -> None:
    formula, symbols, sizes = FORMULAS[name]
    (issue,) = check(formula, [other for other in symbols if other != symbol], sizes)
    assert issue.code == "A131"
    assert issue.hint


@pytest.mark.parametrize(("name", "symbol"), UNDEFINED)
def test_a_symbol_under_another_name_is_one_issue_that_names_both(check: Check, name: str, symbol: str) -> None:
    formula, symbols, sizes = FORMULAS[name]
    renamed = [r"\Xi_7" if other == symbol else other for other in symbols]
    (issue,) = check(formula, renamed, sizes)
    assert issue.code == "A131"
    assert issue.hint == r"did you mean `\Xi_7`, which is declared and does not stand in the formula?"


def test_an_index_without_its_sum_is_reported(check: Check) -> None:
    (issue,) = check("y=x_j+b", ["x", "b", "y"], [])
    assert issue.message.startswith("`j` is neither")
    (issue,) = check("y=k_j", ["y"], [])
    assert issue.message.startswith("`k` is neither")


def test_each_name_is_reported_once_and_not_too_many(check: Check) -> None:
    assert len(check("y=a+a+a b", ["y"], [])) == 2
    many = "+".join(f"{one}{two}" for one in "abcfghk" for two in ("'", "''", "'''", "''''"))
    assert len(check(f"y={many}", ["y"], [])) == MAX_UNDECLARED


def test_one_symbol_in_two_spellings_is_reported(check: Check) -> None:
    (issue,) = check("y=x_n", ["y", "x_n", "x_{n}"], [])
    assert (issue.code, issue.line) == ("A135", 5)
    assert issue.message == "the symbol x_{n} is declared already, as x_n"


@pytest.mark.parametrize(
    ("value", "enters", "hint"),
    [
        ("v", "X", "did you mean `x`?"),
        ("v", "x_n", "did you mean"),
        ("v", "x_{final}", "did you mean `x`?"),
        ("v", r"\mathbf x", "did you mean `x`?"),
        ("v", r"\epsilon", r"did you mean `\varepsilon`?"),
        ("v", "w", "a symbol of the formula is meant, such as `y` or `x` or `x_m`"),
        ("v", "d", "a symbol of the formula is meant"),
        ("v", "j", "a symbol of the formula is meant"),
        ("v", "q", "declare it under `symbols`"),
        ("x", "u_n", "the model's value comes first and the symbol after it: `'u_n': 'x'`"),
    ],
)
def test_what_enters_must_be_a_symbol(check: Check, value: str, enters: str, hint: str) -> None:
    formula = r"q=1,y=q\sum_{j=1}^dx+x_m+\varepsilon"
    (issue,) = check(formula, ["y", "x", "x_m", r"\varepsilon"], ["d"], {value: enters}, ("y", "x", "x_m"))
    assert (issue.code, issue.line, issue.column) == ("A132", 8, 8)
    assert issue.message == f"`{enters}` is not among the symbols"
    assert issue.hint.startswith(hint)


def test_what_enters_may_be_spelled_another_way(check: Check) -> None:
    assert check("y=x_n", ["y", "x_n"], [], {"v": "x_{n}"}) == []


@pytest.mark.parametrize(
    "formula",
    [
        "{" * 9000 + "}" * 9000,
        "x_{" * 4000 + "}" * 4000,
        r"\hat" * 4000 + " x",
        r"\bar{" * 3000,
        "x^" * 9000,
        "}" * 19000,
    ],
    ids=["braces", "scripts", "accents", "open", "superscripts", "closed"],
)
def test_formulas_that_nobody_writes_give_issues_and_no_tracebacks(check: Check, formula: str) -> None:
    assert {issue.code for issue in check(f"y={formula}", ["y"], [])} <= {"A801", "A131"}


def test_nesting_counts_braces_and_accents() -> None:
    assert nesting(tokens("x")) == 0
    assert nesting(tokens(r"\frac{a}{b_{c}}")) == 2
    assert nesting(tokens(r"\hat\bar x")) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x_{n}", "x_n"), ("x _ n", "x_n"), ("x_{ n + 1 }", "x_{n+1}"), (r"\bar A", r"\bar{A}"),
        (r"\mathrm{ff}", r"\operatorname{ff}"), (r"d_\mathrm{ff}", r"d_{\mathrm{ff}}"), (r"W^{\alpha}", r"W^\alpha"),
        (r"\alpha  x", r"\alpha x"), (r"x_{\alpha b}", r"x_{ \alpha  b}"), ("x'", "x '"),
    ],
)  # fmt: skip
def test_spellings_that_are_one_symbol(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


def test_spellings_that_are_different_symbols() -> None:
    names = ["x", "x_n", "x^n", "x_{n+1}", "x'", r"\bar{x}", r"\hat{x}", r"\mathrm{x}", r"\mathbf{x}", "X", r"\xi"]
    assert len({canonical(name) for name in names}) == len(names)


def test_occurrences_know_their_scripts_and_places() -> None:
    found = list(occurrences(tokens(r"\gamma_2 \odot W_i^Q(x) + \operatorname{f}\left(z'\right)")))
    assert [(one.base, one.sub, one.sup, one.applied, one.upright) for one in found] == [
        (r"\gamma", "_2", "", False, False),
        ("W", "_i", "^Q", True, False),
        ("x", "", "", False, False),
        (r"\mathrm{f}", "", "", True, True),
        ("z'", "", "", False, False),
    ]
    assert [one.span for one in found][:2] == [(0, 8), (15, 20)]
    assert found[1].spellings == ("W_i^Q", "W^Q_i", "W^Q", "W_i", "W")
