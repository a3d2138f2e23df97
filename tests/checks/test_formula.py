"""Formulas against operators: what is compared with what, where an issue stands, what an entry must declare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from atlas.checks.call import declarations
from atlas.checks.formula import check_formula, read_formula, read_table
from atlas.entries.atlas import Entry
from atlas.entries.component import Symbol
from atlas.exceptions import FormulaError
from atlas.formula import codes
from atlas.formula.declarations import AliasOf, FunctionOf, Ids, IntegerRange, Positive, Real, UnitInterval
from atlas.formula.engine import parse as parse_formula
from atlas.issues import TITLES, Issue
from atlas.operators.catalogue import find
from atlas.operators.family import Family
from atlas.operators.registry import Operator, operator

EntryOf = Callable[[str], Entry]
Checked = Callable[[str, Operator], tuple[str, list[Issue]]]
FAMILY = Family("t", "T", "activation")

LINEAR = r"""
title: A
operator: linear
summary: A
formula: 'y=xW+b'
batch: [B]
symbols:
  'x': {axes: [B, d], binds: x}
  'W': {axes: [d, m], binds: W}
  'b': {axes: [m], binds: b}
  'y': {axes: [B, m], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""


@pytest.fixture
def checked(entry_of: EntryOf) -> Checked:
    def run(text: str, operator: Operator) -> tuple[str, list[Issue]]:
        entry = entry_of(text)
        table, issues = read_table(entry, operator)
        if table is None:
            return "", issues
        formula, issues, _ = read_formula(entry, table)
        if formula is None:
            return "", issues
        return check_formula(entry, operator, formula)

    return run


def test_a_formula_that_equals_its_operator_says_by_how_much(checked: Checked) -> None:
    figure, issues = checked(LINEAR, find("linear"))
    assert issues == []
    assert figure.startswith("executed: equals linear on 4 inputs, largest relative error ")
    assert float(figure.split()[-1]) < 1e-12


def test_one_that_differs_is_an_issue_at_its_equation_with_the_place_of_the_repair(checked: Checked) -> None:
    _, (issue,) = checked(LINEAR.replace("xW+b", "xW-b"), find("linear"))
    assert (issue.path, issue.line, issue.column, issue.code) == ("a.yml", 5, 11, "A260")
    assert issue.excerpt == "formula: 'y=xW-b'\n          ^^^^^^"
    assert issue.hint == "at 5:15: replace `-` by `+`"


def test_repairs_are_placed_in_folded_and_literal_texts_too(checked: Checked) -> None:
    text = LINEAR.replace("'y=xW+b'", "|\n  y\n  = xW\n  - b")
    _, (issue,) = checked(text, find("linear"))
    assert (issue.line, issue.column) == (6, 3)
    assert issue.hint == "at 8:3: replace `-` by `+`"


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message", "hint"),
    [
        (
            "binds: b}",
            "meaning: a shift}",
            10,
            3,
            "b is not defined by the formula and stands for no argument of linear",
            "define it in the formula, or give it `binds`",
        ),
        (
            "y=xW+b",
            "y=xW+b, b=0",
            10,
            3,
            "b stands for the argument b of linear, but the formula defines it",
            "remove the equation, or define another name with it, as linear is given b",
        ),
        (
            "y=xW+b",
            "z=xW+b+0y",
            11,
            3,
            "y stands for what linear returns, but the formula does not define it",
            "add an equation with `y` on its left side",
        ),
    ],
)
def test_inputs_and_arguments_are_the_same(
    checked: Checked, old: str, new: str, line: int, column: int, message: str, hint: str
) -> None:
    text = LINEAR.replace(old, new)
    if new.startswith("z"):
        text = text.replace("sources:", "  'z': {axes: [B, m]}\nsources:")
    _, issues = checked(text, find("linear"))
    assert [(issue.line, issue.column, issue.code) for issue in issues] == [(line, column, "A263")]
    assert issues[0].message.startswith(message)
    assert issues[0].hint == hint


@pytest.mark.parametrize(
    ("old", "new", "place", "code"),
    [
        ("'x': {axes", "'x y': {axes", (8, 3), "A244"),
        ("'b': {axes", "'b^2': {axes", (10, 3), "A212"),
        ("'b': {axes", "'m': {axes", (10, 3), "A213"),
        ("batch: [B]", "batch: [B, N]", (6, 12), "A244"),
        ("batch: [B]", "batch: [B]\nzero_outside: [q]", (7, 16), "A244"),
        ("batch: [B]", "batch: [B]\nsizes: {d: 2 m, m: d/2+1}", (7, 9), "A244"),
        ("'b': {axes", "'b': {stands_for: '\\tan', axes", (5, 16), "A215"),
    ],
)
def test_a_declaration_that_cannot_be_read_is_reported_where_it_stands(
    checked: Checked, old: str, new: str, place: tuple[int, int], code: str
) -> None:
    _, (issue,) = checked(LINEAR.replace(old, new), find("linear"))
    assert (issue.line, issue.column, issue.code) == (*place, code), issue


def test_an_option_that_the_formula_states_too_must_be_the_same_number(checked: Checked) -> None:
    @operator("x[... C] -> [... C]", title="T", family=FAMILY, source="none", macs="0")
    def shifted(x: Any, *, by: float = 1.0) -> Any:
        """Shift.

        Shapes: same.
        """
        return x + by

    text = option_of(LINEAR.replace("'y=xW+b'", r"'y=x+s,\quad s=2'"), "{axes: [], binds: by}")
    stated = text.replace("summary: A", "summary: A\narguments: {by: 2.0}")
    assert checked(stated, shifted)[1] == []
    codes_found = {(issue.code, issue.message.split()[0]) for issue in checked(text, shifted)[1]}
    assert ("A260", "`s`") in codes_found


def option_of(entry: str, symbol: str) -> str:
    """A copy of the linear entry for an operator of one array with one option."""
    for line in ("  'W': {axes: [d, m], binds: W}\n", "  'b': {axes: [m], binds: b}\n"):
        entry = entry.replace(line, "")
    return entry.replace("[B, m]", "[B, d]").replace("sources:", f"  's': {symbol}\nsources:")


def test_an_option_that_the_formula_takes_is_tried_at_many_numbers(checked: Checked) -> None:
    given: list[float] = []

    @operator("x[... C] -> [... C]", title="T", family=FAMILY, source="none", macs="0")
    def shifted(x: Any, *, by: float = 1.0) -> Any:
        """Shift.

        Shapes: same.
        """
        given.append(by)
        return x + by

    text = option_of(LINEAR.replace("'y=xW+b'", "'y=x+s'"), "{axes: [], binds: by}")
    assert checked(text, shifted)[1] == []
    assert len({round(by, 6) for by in given}) == 4
    assert any(by != int(by) for by in given)


NORM = r"""
title: A
operator: layer_norm
arguments: {epsilon: EPSILON}
summary: A
formula: |
  \mu=\frac{1}{d}\sum_{j=1}^dx_j,\quad y=\gamma\odot\frac{x-\mu}{\sqrt{\frac{1}{d}\sum_{j=1}^d(x_j-\mu)^2+STATED}}
  +\beta
batch: [B]
symbols:
  'x': {axes: [B, d], binds: x}
  '\gamma': {axes: [d], binds: gamma}
  '\beta': {axes: [d], binds: beta}
  'y': {axes: [B, d], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""


@pytest.mark.parametrize(
    ("epsilon", "stated", "codes_found"),
    [
        ("1e-6", "10^{-6}", []),
        ("1e-6", r"1.00001\cdot10^{-6}", ["A260"]),
        ("1e-12", "10^{-12}", []),
        ("1e-12", r"1.1\cdot10^{-12}", ["A260"]),
        ("1e-30", "10^{-30}", ["A263"]),
        ("1e-30", "10^{-31}", ["A263"]),
        ("0.0", "0", []),
    ],
)
def test_an_option_without_a_symbol_must_show_in_the_outputs(
    checked: Checked, epsilon: str, stated: str, codes_found: list[str]
) -> None:
    text = NORM.replace("EPSILON", epsilon).replace("STATED", stated)
    issues = checked(text, find("layer_norm"))[1]
    assert [issue.code for issue in issues] == codes_found
    assert all(issue.line == 4 for issue in issues if issue.code == "A263")


def test_where_it_does_not_the_hint_says_what_to_declare(checked: Checked) -> None:
    text = NORM.replace("EPSILON", "1e-30").replace("STATED", "10^{-30}")
    (issue,) = checked(text, find("layer_norm"))[1]
    assert issue.message == "epsilon is 1e-30 here, but another value would give layer_norm the same outputs"
    assert issue.hint == "state it in the formula, and give its symbol `binds: epsilon`"
    named = text.replace("10^{-30}", r"\varepsilon").replace("+\\beta", r"+\beta,\quad\varepsilon=10^{-30}")
    (issue,) = checked(named, find("layer_norm"))[1]
    assert issue.hint == r"declare its symbol: `'\varepsilon': {axes: [], binds: epsilon}`"
    declared = named.replace("  'y':", "  '\\varepsilon': {axes: [], binds: epsilon}\n  'y':")
    assert checked(declared, find("layer_norm"))[1] == []
    (issue, *_) = checked(declared.replace("epsilon: 1e-30", "epsilon: 1e-31"), find("layer_norm"))[1]
    assert issue.code == "A260"


def test_an_option_that_takes_whole_numbers_needs_a_range(checked: Checked) -> None:
    given: list[int] = []

    @operator("x[... C] -> [... C]", title="T", family=FAMILY, source="none", macs="0")
    def repeated(x: Any, *, times: int = 1) -> Any:
        """Repeat.

        Shapes: same.
        """
        given.append(times)
        return x * times

    text = LINEAR.replace("'y=xW+b'", "'y=sx'")
    _, (issue,) = checked(option_of(text, "{axes: [], binds: times}"), repeated)
    assert (issue.line, issue.column, issue.code) == (10, 3, "A263")
    assert issue.message == "s stands for times of repeated, a whole number, but may be any number here"
    assert issue.hint == "give it `between: [lowest, highest]`, or define it in the formula"
    assert checked(option_of(text, "{axes: [], binds: times, between: [2, 9]}"), repeated)[1] == []
    assert {type(times) for times in given} == {int}
    assert len(set(given)) > 1


def test_a_symbols_declaration_becomes_its_kind(entry_of: EntryOf) -> None:
    kinds = {
        "{axes: [m]}": Real(),
        "{axes: [m], values: positive}": Positive(),
        "{axes: [m], values: fraction}": UnitInterval(),
        "{axes: [m], ids: 2 d}": Ids("2 d"),
        "{axes: [], between: [1, m-1]}": IntegerRange("1", "m-1"),
        "{axes: [d], maps_to: [m]}": FunctionOf(("m",)),
        "{axes: [d], maps_to: [m], members: n}": FunctionOf(("m",), "n"),
        r"{axes: [], stands_for: '\tanh'}": AliasOf(r"\tanh"),
    }
    for text, kind in kinds.items():
        declared = declarations(entry_of(LINEAR.replace("{axes: [m], binds: b}", text)))
        assert declared.symbols["b"].kind == kind


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"ids": "d", "values": "positive"}, "ids and values exclude each other"),
        ({"ids": "d", "between": (1, 2)}, "ids and between exclude each other"),
        ({"between": (1, 2), "maps_to": ("d",)}, "between and maps_to exclude each other"),
        ({"maps_to": ("d",), "stands_for": r"\tanh"}, "maps_to and stands_for exclude each other"),
        ({"members": "n"}, "`members` goes with `maps_to`"),
    ],
)
def test_kinds_of_values_exclude_each_other(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Symbol(axes=(), **fields)


def test_batch_base_and_sizes_reach_the_engine(entry_of: EntryOf) -> None:
    text = LINEAR.replace("batch: [B]", "batch: [B]\nbase: 0\nsizes: {d: 2 r}\nzero_outside: [x]")
    declared = declarations(entry_of(text))
    assert (declared.batch, declared.base) == (("B",), 0)
    assert (dict(declared.sizes), declared.zero_outside) == ({"d": "2 r"}, frozenset({"x"}))


def test_an_option_may_be_the_length_of_a_results_axis(entry_of: EntryOf) -> None:
    """A table of positions is compared at the sample's sizes, whatever sizes the entry names."""
    given = []

    @operator("-> [positions channels]", title="T", family=FAMILY, source="none", macs="0")
    def table(*, positions: int, channels: int) -> Any:
        """Number the rows.

        Shapes: same.
        """
        given.append((positions, channels))
        return np.arange(positions)[:, None] * np.ones((1, channels))

    entry = entry_of(r"""
title: A
operator: table
arguments: {positions: 5000, channels: 64}
summary: A
formula: 'T_{p,i}=p'
base: 0
symbols:
  'T': {axes: [S, d], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
""")
    declared, _ = read_table(entry, table)
    assert declared is not None
    formula, _, _ = read_formula(entry, declared)
    assert formula is not None
    assert check_formula(entry, table, formula)[1] == []
    assert len(given) == 4
    assert all(positions != channels and positions < 100 for positions, channels in given)


def test_an_input_that_is_missing_is_refused_by_the_engine(entry_of: EntryOf) -> None:
    declared = declarations(entry_of(LINEAR))
    with pytest.raises(FormulaError, match="the input `x` is missing") as caught:
        parse_formula("y=xW+b", declared).run({"W": np.ones((2, 3)), "b": np.ones(3)}, {"B": 1})
    assert caught.value.code == "A249"


def test_the_engines_codes_have_the_titles_of_issues() -> None:
    assert {code: TITLES[code] for code in codes.TITLES} == dict(codes.TITLES)
    assert {code for code in TITLES if code.startswith("A2")} - codes.TITLES.keys() == {"A263"}


RMS_NORM = r"""
title: A
operator: rms_norm
arguments: {epsilon: 1e-6}
summary: A
formula: |
  \begin{aligned}
  y&=\gamma\odot\frac{x}{\sqrt{\frac1d\sum_{j=1}^d x_j^2+\varepsilon}}\\
  \varepsilon&=10^{-6}
  \end{aligned}
batch: [B]
symbols:
  'x': {axes: [B, d], binds: x}
  '\gamma': {axes: [d], binds: gamma}
  '\varepsilon': {axes: [], binds: epsilon}
  'y': {axes: [B, d], binds: result}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""


@pytest.mark.parametrize(
    ("written", "declared", "line"),
    [
        (r"\varepsilon", r"\epsilon", 9),
        (r"\varepsilon", r"\mathbf{\varepsilon}", 9),
        ("y", r"\mathbf{y}", 8),
        ("y", r"\boldsymbol{y}", 8),
        (r"\mathbf{y}", "y", 8),
    ],
)
def test_a_letter_in_another_look_is_one_issue_that_names_it(
    checked: Checked, written: str, declared: str, line: int
) -> None:
    base = r"\varepsilon" if line == 9 else "y"
    head, table = RMS_NORM.split("symbols:")
    changed = head.replace(f"{base}&=", f"{written}&=").replace(f"+{base}", f"+{written}")
    text = changed + "symbols:" + table.replace(f"'{base}'", f"'{declared}'")
    issues = checked(text, find("rms_norm"))[1]
    assert [(one.code, one.line, one.column, one.hint) for one in issues] == [
        ("A247", line, 3, f"did you mean `{declared}`?")
    ]


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        (r"\varphi", r"\phi"),
        (r"\theta", r"\vartheta"),
        (r"\varrho", r"\rho"),
        (r"\sigma", r"\varsigma"),
        (r"\pi_1", r"\varpi_1"),
        (r"\mathbf{g}", "g"),
        (r"\boldsymbol{g}", r"\mathbf{g}"),
        (r"\mathcal{G}_1", "G_1"),
    ],
)
def test_a_symbol_in_another_look_is_the_only_one_that_may_be_meant(
    entry_of: EntryOf, declared: str, written: str
) -> None:
    head, table = RMS_NORM.split("symbols:")
    entry = entry_of(head.replace(r"\gamma", f"{written} ") + "symbols:" + table.replace(r"\gamma", declared))
    read, _ = read_table(entry, find("rms_norm"))
    assert read is not None
    _, issues, _ = read_formula(entry, read)
    assert [(one.code, one.hint) for one in issues] == [("A209", f"did you mean `{declared}`?")]


@pytest.mark.parametrize(
    ("was", "written", "hint"),
    [
        ("y=xW+b", r"y=xW+\beta", "did you mean `b`, which is declared and does not stand in the formula?"),
        ("y=xW+b", r"y=x\Omega+b", "did you mean `W`, which is declared and does not stand in the formula?"),
        ("y=xW+b", r"y=xW+b_k", "declare it, define it by an equation, or give the index a range"),
    ],
)
def test_an_unknown_symbol_rather_means_one_that_is_declared_and_not_used(
    checked: Checked, was: str, written: str, hint: str
) -> None:
    _, (issue,) = checked(LINEAR.replace(was, written), find("linear"))
    assert (issue.code, issue.hint) == ("A209", hint)


@pytest.mark.parametrize(
    ("declared", "written", "code", "message"),
    [
        (
            r"\varpi",
            r"\pi",
            "A247",
            r"`\pi` is a number, and `\varpi`, which is declared, does not stand in the formula",
        ),
        (r"\varpi_1", r"\pi_1", "A209", r"the symbol `\pi_1` is not known"),
        (
            r"\mathbf{e}",
            "e",
            "A247",
            r"`e` is a number, and `\mathbf{e}`, which is declared, does not stand in the formula",
        ),
    ],
)
def test_a_letter_that_is_a_number_is_not_taken_for_a_symbol_of_another_look(
    checked: Checked, declared: str, written: str, code: str, message: str
) -> None:
    text = LINEAR.replace("'b':", f"'{declared}':")
    assert checked(text.replace("y=xW+b", f"y=xW+{declared}"), find("linear"))[1] == []
    _, (issue,) = checked(text.replace("y=xW+b", f"y=xW+{written}"), find("linear"))
    assert (issue.line, issue.column, issue.code, issue.message) == (5, 16, code, message)
    assert issue.hint == f"did you mean `{declared}`?"


def test_a_difference_that_no_single_edit_explains_says_what_to_compare_with(checked: Checked) -> None:
    _, (issue,) = checked(LINEAR.replace("y=xW+b", "y=3xW+7xW-2b"), find("linear"))
    assert issue.code == "A260"
    assert issue.hint.startswith("no change of one place makes them equal; compare it with what linear does: ")


def test_a_result_that_is_defined_by_another_name_is_told_so(checked: Checked) -> None:
    text = LINEAR.replace("y=xW+b", "q=xW+b,z=xW+0y").replace("sources:", "  'z': {axes: [B, m]}\nsources:")
    _, (issue,) = checked(text, find("linear"))
    assert (issue.code, issue.hint) == (
        "A263",
        "write `y` instead of `q` on the left side, as nothing declares `q`",
    )
