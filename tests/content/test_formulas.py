"""Formulas as people write them, each in an entry's YAML, against the operator that the entry names.

They are those of the study that the language was designed with for which there is an operator; with those that need
functions or have no operator (a residual sum, LSTM, delta rule, linear attention) `tests/formula` deals, against
references of its own. Where an operator takes what the study took as a function, its own formulation is written here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from atlas.checks.formula import check_formula, read_formula, read_table
from atlas.checks.interface import check_interface
from atlas.checks.parameters import check_counts, check_learned
from atlas.checks.shapes import check_shapes
from atlas.entries.atlas import Collection, Entry
from atlas.entries.component import Component
from atlas.entries.tree import Document, parse
from atlas.entries.validate import validate
from atlas.issues import Issue, show
from atlas.operators.catalogue import FAMILIES, find

FOLDER = Path(__file__).resolve().parent / "formulas"
NAMES = sorted(file.stem for file in FOLDER.glob("*.yml"))

SHOWN = """\
sources:
  - {id: shown, claim: A passage that no check of formulas reads., source: none, path: none.py, lines: 1}
"""

Read = Callable[..., Entry]
LibraryOf = Callable[[Entry], Collection]


@pytest.fixture(scope="module")
def read() -> Read:
    def entry(name: str, old: str = "", new: str = "") -> Entry:
        file = FOLDER / f"{name}.yml"
        text = file.read_text(encoding="utf-8")
        assert not old or text.count(old) == 1
        document, issues = parse(text.replace(old, new) + SHOWN, file.name)
        assert issues == []
        assert isinstance(document, Document)
        data, issues = validate(document, Component)
        assert show(issues) == ""
        assert data is not None
        return Entry(f"formulas/{name}", file, document, data, "formulas", None)

    return entry


def checked(entry: Entry) -> tuple[str, list[Issue]]:
    """What the check of the formula finds, once all else is seen to fit."""
    operator, issues = check_interface(entry)
    assert show(issues) == ""
    assert operator is not None
    table, issues = read_table(entry, operator)
    assert show(issues) == ""
    assert table is not None
    figure, issues = check_shapes(entry, operator, table)
    assert show(issues) == ""
    assert figure.startswith(f"in and out shapes agree with {operator.name}, symbolically and on arrays")
    assert show(check_learned(entry, operator)) == ""
    formula, issues, _ = read_formula(entry, table)
    assert show(issues) == ""
    assert formula is not None
    return check_formula(entry, operator, formula)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_counted_independently(read: Read, library_of: LibraryOf, name: str) -> None:
    entry = read(name)
    operator = find(entry.data.operator)
    table, _ = read_table(entry, operator)
    assert table is not None
    figure, issues = check_counts(entry, library_of(entry), operator, table)
    assert show(issues) == ""
    told = f" per instance, as many as {operator.name} has"
    # A table of positions may be longer than what it is added to, so nothing else tells how long it is.
    more = "; not counted independently: Learned positions (n)" if name == "learned-positions" else ""
    assert figure.endswith(told + more)
    learned = any(symbol.parameter for symbol in entry.data.symbols.values())
    assert figure.startswith("0 ") is not learned


@pytest.mark.parametrize("name", NAMES)
def test_a_formula_equals_its_operator(read: Read, name: str) -> None:
    entry = read(name)
    figure, issues = checked(entry)
    assert show(issues) == ""
    number = r"\d\.\de-1\d|0\.0e\+00"
    wanted = rf"executed: equals {entry.data.operator} on 4 inputs, largest relative error ({number})"
    assert re.fullmatch(wanted, figure)


def test_every_family_of_operators_has_one(read: Read) -> None:
    families = {find(read(name).data.operator).family for name in NAMES}
    assert FAMILIES.keys() - families == {"relu", "silu", "softmax", "top-k-routing"}, "parts of those above"


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        ("rms-norm", "x_j^2", "x_j^4", 6),
        ("linear", "xW+b", "xW-b", 4),
        ("feed-forward", "+b_1", "-b_1", 4),
        ("gelu", r"\sqrt2", r"\sqrt3", 4),
        ("gelu-tanh", "0.044715", "0.044175", 4),
        ("swiglu", r"xW_g)\odot xW_u", r"xW_u)\odot xW_g", 4),
        ("attention", r"\frac{QK^\top}{\sqrt{d_k}}", r"\frac{QK^\top}{d_k}", 4),
        ("attention-causal", r"j\le i", "j<i", 5),
        ("multi-head-attention", "KW_i^K,VW_i^V", "KW_1^K,VW_i^V", 8),
        ("grouped-query-attention", r"K_{\lfloor i/g\rfloor}", "K_0", 5),
        ("rotary-interleaved", r"-x_{p,2i+1}\sin", r"+x_{p,2i+1}\sin", 6),
        ("rotary-half", r"+x_{p,i}\sin", r"-x_{p,i}\sin", 7),
        ("sinusoidal", "2i+1}&=\\cos\\left(\\frac{p}{10000^{2i/d}}", "2i+1}&=\\cos\\left(\\frac{p}{1000^{2i/d}}", 7),
        ("embedding", r"\sqrt{d}", "d", 4),
        ("mixture-of-experts", "g_i E_i", "E_i", 6),
        ("mixture-of-swiglu-experts", r"\odot xW_i^u)", r"\odot xW_i^g)", 6),
        ("mixture-of-swiglu-experts-renormalized", r"\frac{g_i}{\sum_{j\in\operatorname{TopK}(g,k)}g_j}", "g_i", 7),
        ("linear-recurrence", "x_t", "x_{t-1}", 5),
        ("convolution", "b_o+", "b_o-", 5),
        ("cross-entropy", r"z_{i,t_i}", "z_{i,1}", 5),
        ("alibi", "2^{-8n/h}", "2^{-4n/h}", 5),
        ("batch-norm", "10^{-5}", "10^{-6}", 9),
        ("residual-sum", "x+r", "x-r", 4),
        ("learned-positions", "P_{s,j}", "P_{1,j}", 4),
        ("timing-signal-added", r"x_{p,r+i}+\cos", r"x_{p,r+i}-\cos", 7),
        ("embedding-without-padding", r"t\neq0", "t=0", 4),
        ("feed-forward-gelu-tanh", "u+0.044715", "u-0.044715", 7),
        ("project-to-heads", "xW_i+b_i", "xW_i-b_i", 4),
        ("join-heads", "W^O+b", "W^O-b", 4),
        ("max-pool", r"|u-2i|\le1", r"|u-2i|\le2", 5),
        ("global-average-pool", r"\frac{1}{HL}", r"\frac{1}{H}", 4),
        ("unembedding", r"xE^\top", r"-xE^\top", 4),
        ("shift-right", "x_{s-1}", "x_{s+1}", 4),
    ],
)
def test_an_edit_of_it_does_not(read: Read, name: str, old: str, new: str, line: int) -> None:
    _, issues = checked(read(name, old, new))
    assert issues
    assert all(issue.path == f"{name}.yml" for issue in issues)
    # At the formula, or at the option that it states otherwise.
    assert all(issue.excerpt or issue.message.startswith("epsilon is ") for issue in issues)
    assert line in {issue.line for issue in issues} or any(f"at {line}:" in issue.hint for issue in issues)
