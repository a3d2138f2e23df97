r"""Options that are sizes, lengths that are rounded, inputs of other kinds: an entry's axes and its operator's shapes.

A convolution is the hardest case: its stride, padding and groups are options, and its output's axes round down.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from atlas.checks.call import Call, call_of, with_whole_quotients
from atlas.checks.formula import check_formula, read_formula, read_table
from atlas.checks.interface import check_interface
from atlas.checks.shapes import check_shapes
from atlas.entries.atlas import Entry
from atlas.exceptions import OptionError
from atlas.issues import Issue
from atlas.operators.catalogue import find
from atlas.operators.contract import Floats
from atlas.operators.layer_norm import FAMILY
from atlas.operators.registry import Operator, operator
from atlas.sizes import size

EntryOf = Callable[[str], Entry]
Shapes = Callable[..., list[Issue]]

SOURCES = """
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""

STEM = r"""
title: Convolution of the stem
operator: convolution_2d
arguments: {stride: 2, padding: 3}
summary: A
formula: |
  y_{o,i,j}=\sum_{c=1}^{C}\sum_{u=1}^{7}\sum_{v=1}^{7}W_{o,c,u,v}\,x_{c,2i+u-5,2j+v-5}
batch: [N]
zero_outside: [x]
symbols:
  'x': {axes: [N, C, H, L], binds: x}
  'W': {axes: [O, C, 7, 7], binds: kernel, parameter: Kernel}
  'y': {axes: [N, O, '\lfloor (H-1)/2\rfloor+1', '\lfloor (L-1)/2\rfloor+1'], binds: result}
conventions: {channels: before rows and columns, kernel: not flipped, padding: zeros on all sides}
"""

SHORTCUT = r"""
title: Convolution of a shortcut
operator: convolution_2d
summary: A
formula: |
  y_{o,i,j}=\sum_{c=1}^{C}W_{o,c,1,1}\,x_{c,s(i-1)+1,s(j-1)+1}
batch: [N]
symbols:
  's': {axes: [], binds: stride}
  'x': {axes: [N, C, H, L], binds: x}
  'W': {axes: [O, C, 1, 1], binds: kernel, parameter: Kernel}
  'y': {axes: [N, O, '\lfloor (H-1)/s\rfloor+1', '\lfloor (L-1)/s\rfloor+1'], binds: result}
conventions: {channels: before rows and columns, kernel: not flipped, padding: zeros on all sides}
"""

CENTRED = r"""
title: Convolution of the same size
operator: convolution_2d
summary: A
formula: |
  y_{o,i,j}=\sum_{c=1}^{C}\sum_{u=1}^{k}\sum_{v=1}^{k}W_{o,c,u,v}\,x_{c,s(i-1)+u-p,s(j-1)+v-p}
batch: [N]
sizes: {p: (k-1)/2}
zero_outside: [x]
symbols:
  's': {axes: [], binds: stride}
  'p': {axes: [], binds: padding}
  'x': {axes: [N, C, H, L], binds: x}
  'W': {axes: [O, C, k, k], binds: kernel, parameter: Kernel}
  'y': {axes: [N, O, '\lfloor (H-1)/s\rfloor+1', '\lfloor (L-1)/s\rfloor+1'], binds: result}
conventions: {channels: before rows and columns, kernel: not flipped, padding: zeros on all sides}
"""

GROUPED = r"""
title: Depthwise convolution
operator: convolution_2d
summary: A
formula: |
  y_{o,i,j}=\sum_{u=1}^{k}\sum_{v=1}^{k}W_{o,1,u,v}\,x_{o,i+u-1,j+v-1}
batch: [N]
sizes: {H: k+m, L: k+n}
symbols:
  'C': {axes: [], binds: groups}
  'x': {axes: [N, C, H, L], binds: x}
  'W': {axes: [C, 1, k, k], binds: kernel, parameter: Kernel}
  'y': {axes: [N, C, H-k+1, L-k+1], binds: result}
conventions: {channels: before rows and columns, kernel: not flipped, padding: zeros on all sides}
"""

RUNNING = r"""
title: Batch norm
operator: batch_norm_running
arguments: {epsilon: 1e-5}
summary: A
formula: |
  y_{c,i}=\gamma_c\frac{x_{c,i}-\mu_c}{\sqrt{v_c+\varepsilon}}+\beta_c,\quad \varepsilon=10^{-5}
batch: [N]
symbols:
  'x': {axes: [N, C, H], binds: x}
  '\mu': {axes: [C], binds: mean}
  'v': {axes: [C], binds: variance, values: positive}
  '\gamma': {axes: [C], binds: gamma, parameter: Gain}
  '\beta': {axes: [C], binds: beta, parameter: Bias}
  '\varepsilon': {axes: [], binds: epsilon}
  'y': {axes: [N, C, H], binds: result}
conventions: {channels: second axis, epsilon: inside the root, statistics: given}
"""

TABLE = r"""
title: Positions
operator: alibi_bias
arguments: {heads: 8, positions: 6}
summary: A
formula: a_{n,i,j}=-2^{-8n/h}|i-j|
symbols:
  'a': {axes: [h, S, S], binds: result}
conventions: {distance: absolute, result: the bias, slopes: '2^(-8n/heads) for n = 1, …, heads'}
"""

LOOKUP = r"""
title: Table
operator: embedding
summary: A
formula: y=E_{t}
batch: [B, S]
symbols:
  't': {axes: [B, S], binds: t, ids: V}
  'E': {axes: [V, d], binds: E, parameter: Table}
  'y': {axes: [B, S, d], binds: result}
conventions: {scale: none, padding: a row like any other}
"""

ROUTING = r"""
title: Routing
operator: top_k_routing
arguments: {k: 2}
summary: A
formula: g=z
formula_not_executed: the experts are chosen by sorting
batch: [B]
symbols:
  'z': {axes: [B, n], binds: logits}
  'k': {axes: [], binds: k, between: [1, n-1]}
  'g': {axes: [B, k], binds: weights}
  'e': {axes: [B, k], binds: experts}
conventions: {weights: as the softmax over all experts gives them}
"""

GIVEN = r"""
title: Rotary
operator: rope_half
summary: A
formula: y=x
formula_not_executed: it is shown by itself elsewhere
batch: [B]
sizes: {d: 2 r}
symbols:
  'x': {axes: [B, S, d], binds: x}
  'y': {axes: [B, S, d], binds: result}
conventions: {pairs: i with i+d/2}
"""

ENTRIES = {
    "stem": STEM,
    "shortcut": SHORTCUT,
    "centred": CENTRED,
    "grouped": GROUPED,
    "running": RUNNING,
    "table": TABLE,
    "lookup": LOOKUP,
    "routing": ROUTING,
    "given": GIVEN,
}


@pytest.fixture
def shapes(entry_of: EntryOf) -> Shapes:
    """What is wrong with an entry's shapes after some edits."""

    def run(name: str, *edits: tuple[str, str]) -> list[Issue]:
        text = ENTRIES[name]
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        entry = entry_of(text + SOURCES)
        operator, issues = check_interface(entry)
        assert issues == []
        assert operator is not None
        table, issues = read_table(entry, operator)
        assert issues == []
        assert table is not None
        return check_shapes(entry, operator, table)[1]

    return run


@pytest.mark.parametrize("name", ENTRIES)
def test_entries_that_fit(shapes: Shapes, name: str) -> None:
    assert shapes(name) == []


@pytest.mark.parametrize("name", [name for name, text in ENTRIES.items() if "formula_not_executed" not in text])
def test_their_formulas_equal_the_operator_at_the_same_sizes(entry_of: EntryOf, name: str) -> None:
    entry = entry_of(ENTRIES[name] + SOURCES)
    operator, _ = check_interface(entry)
    assert operator is not None
    table, _ = read_table(entry, operator)
    assert table is not None
    formula, issues, _ = read_formula(entry, table)
    assert issues == []
    assert formula is not None
    assert check_formula(entry, operator, formula)[1] == []


def test_an_option_that_is_needed_is_stated_or_a_size(entry_of: EntryOf) -> None:
    text = ROUTING.replace("arguments: {k: 2}\n", "").replace("[B, k]", "[B, m]").replace(", between: [1, n-1]", "")
    _, issues = check_interface(entry_of(text + SOURCES))
    assert [(issue.code, issue.message) for issue in issues] == [
        ("A137", "top_k_routing needs the option k: a whole number of at least 1")
    ]


@pytest.mark.parametrize(
    ("name", "edits"),
    [
        ("stem", [(r"\lfloor (H-1)/2\rfloor+1", r"\lfloor (H+1)/2\rfloor")]),
        ("stem", [(r"\lfloor (H-1)/2\rfloor+1", "H/2"), (r"\lfloor (L-1)/2\rfloor+1", "L/2")]),
        ("stem", [("H", "224"), (r"\lfloor (224-1)/2\rfloor+1", "112")]),
        ("stem", [("padding: 3", "padding: 0"), (r"(H-1)/2", r"(H-7)/2"), (r"(L-1)/2", r"(L-7)/2")]),
        ("shortcut", [(r"\lfloor (H-1)/s\rfloor+1", "H/s"), (r"\lfloor (L-1)/s\rfloor+1", "L/s")]),
        ("shortcut", [(r"\lfloor (H-1)/s\rfloor+1", r"\lfloor (H+s-1)/s\rfloor")]),
        ("shortcut", [("batch: [N]", "batch: [N]\nsizes: {H: s m}"), (r"\lfloor (H-1)/s\rfloor+1", "m")]),
        ("shortcut", [("axes: [], binds: stride", "axes: [], binds: stride, between: [1, 3]")]),
        ("centred", [(r"\lfloor (H-1)/s\rfloor+1", r"\lfloor (H+2p-k)/s\rfloor+1")]),
        ("grouped", [("sizes: {H: k+m, L: k+n}\n", "")]),
        ("routing", [("arguments: {k: 2}\n", "")]),
        ("routing", [("arguments: {k: 2}\n", ""), (", between: [1, n-1]", "")]),
        ("table", [("[h, S, S]", "[8, S, S]")]),
        ("table", [("[h, S, S]", "[h, 6, 6]")]),
    ],
)
def test_other_ways_to_write_the_same(shapes: Shapes, name: str, edits: list[tuple[str, str]]) -> None:
    assert shapes(name, *edits) == []


@pytest.mark.parametrize(
    ("name", "edit", "line", "message"),
    [
        (
            "stem",
            (r"\lfloor (H-1)/2\rfloor+1", r"\lfloor H/2\rfloor"),
            13,
            r"but convolution_2d returns [N, O, \lfloor",
        ),
        (
            "stem",
            (r"\lfloor (H-1)/2\rfloor+1", r"\lfloor (H-1)/2\rfloor"),
            13,
            r"returns [N, O, \lfloor (H+1)/2\rfloor, ",
        ),
        ("stem", (r"\lfloor (H-1)/2\rfloor+1", "H/2-1"), 13, r"returns [N, O, \lfloor (H+1)/2\rfloor, "),
        ("stem", ("stride: 2", "stride: 3"), 13, r"returns [N, O, \lfloor (H+2)/3\rfloor, "),
        ("stem", ("padding: 3", "padding: 2"), 13, r"returns [N, O, \lfloor (H+1)/2\rfloor-1, "),
        ("stem", ("[O, C, 7, 7]", "[O, C, 7, 5]"), 13, r"\lfloor (L+1)/2\rfloor+1]"),
        (
            "stem",
            ("[O, C, 7, 7]", "[O, N, 7, 7]"),
            12,
            "kernel has axes [O, N, 7, 7], with N where x [N, C, H, L] has C",
        ),
        (
            "shortcut",
            (r"\lfloor (H-1)/s\rfloor+1", r"\lfloor H/s\rfloor"),
            12,
            r"returns [N, O, \lfloor (H-1)/s\rfloor+1, ",
        ),
        ("shortcut", ("binds: stride", "binds: padding"), 12, "returns [N, O, H+2 s, L+2 s]"),
        ("shortcut", (r"\lfloor (H-1)/s\rfloor+1", "H"), 12, r"returns [N, O, \lfloor (H-1)/s\rfloor+1, "),
        ("centred", ("{p: (k-1)/2}", "{p: (k+1)/2}"), 15, r"y is declared with axes [N, O, \lfloor (H-1)/s\rfloor+1, "),
        (
            "grouped",
            ("[C, 1, k, k]", "[C, 2, k, k]"),
            12,
            "kernel has axes [C, 2, k, k], with 2 where x [N, C, H, L] has 1",
        ),
        ("table", ("[h, S, S]", "[h, S, T]"), 8, "a is declared with axes [h, S, T], but alibi_bias returns [h, S, S]"),
        ("table", ("[h, S, S]", "[h, S]"), 8, "a is declared with axes [h, S], but alibi_bias returns [8, 6, 6]"),
        ("table", ("[h, S, S]", "[h, 5, 5]"), 8, "a is declared with axes [h, 5, 5], but alibi_bias returns [h, 6, 6]"),
        ("table", ("[h, S, S]", "[4, S, S]"), 8, "a is declared with axes [4, S, S], but alibi_bias returns [8, S, S]"),
        ("lookup", ("ids: V", "ids: d"), 8, "t holds whole numbers below d, but E bound V to V"),
        ("lookup", (", ids: V", ""), 8, "t stands for t of embedding, which holds whole numbers"),
        (
            "lookup",
            ("binds: E,", "binds: E, ids: V,"),
            9,
            "E is declared as whole numbers, but E of embedding holds real",
        ),
        ("routing", ("{axes: [B, k], binds: weights}", "{axes: [B, n], binds: weights}"), 12, "returns [B, k]"),
        ("given", ("'y': {axes: [B, S, d]", "'y': {axes: [B, S, r]"), 11, "but rope_half returns [B, S, d]"),
    ],
)
def test_axes_that_do_not_fit(shapes: Shapes, name: str, edit: tuple[str, str], line: int, message: str) -> None:
    (issue,) = shapes(name, edit)
    assert (issue.code, issue.line) == ("A301", line)
    assert message in issue.message


def test_an_option_is_as_long_as_the_size_that_it_is(entry_of: EntryOf) -> None:
    operator = find("convolution_2d")
    entry = entry_of(CENTRED + SOURCES)
    table, _ = read_table(entry, operator)
    assert table is not None
    call = call_of(entry, operator, table)
    assert call.sizes() == {"groups": "1", "stride": "s", "padding": "p"}
    assert call.options_at({"s": 3, "p": 2}) == {"groups": 1, "stride": 3, "padding": 2}
    entry = entry_of(TABLE + SOURCES)
    table, _ = read_table(entry, find("alibi_bias"))
    assert table is not None
    assert call_of(entry, find("alibi_bias"), table).sized == {"heads": size("h"), "positions": size("S")}


def test_a_size_that_is_a_sum_divides_nothing(entry_of: EntryOf) -> None:
    text = SHORTCUT.replace("batch: [N]", "batch: [N]\nsizes: {s: a+b}")
    table, (issue,) = read_table(entry_of(text + SOURCES), find("convolution_2d"))
    assert table is None
    assert (issue.code, issue.line) == ("A244", 10)
    assert issue.message.startswith("`s` is a+b, and no size can be divided by a sum, as ")


def test_a_size_that_must_have_divisors_asks_for_a_relation(shapes: Shapes) -> None:
    (issue,) = shapes("given", ("sizes: {d: 2 r}", "sizes: {d: 2 r+1}"))
    assert (issue.code, issue.line) == ("A302", 9)
    assert "on axis (2 r), which fits no size" in issue.message
    assert issue.hint == "declare the relations between sizes under `sizes`, as in `d: 2 r`"


def test_options_that_cannot_be_are_told(shapes: Shapes) -> None:
    (issue,) = shapes("routing", ("between: [1, n-1]", "between: [n+1, n+1]"))
    assert (issue.code, issue.line) == ("A302", 9)
    assert issue.message.startswith("top_k_routing refuses arrays of these axes: k is ")
    assert issue.hint == "give `k` under `arguments`, or between other bounds, as it is a whole number of at least 1"


def test_whole_quotients_are_relations() -> None:
    axes = [
        size(axis) for axis in ("H/s", "d/2", "d/4", "h d/3", "3 e/2", "f^2/2", r"\lfloor n/2\rfloor/2", "H-1", "7")
    ]
    found = with_whole_quotients({"x": size("d+1")}, axes)
    assert found.keys() == {"x", "H", "d", "d'"}
    assert found["H"] == size("s H'")
    assert found["d"] == size("4 d''")
    assert found["x"] == size("4 d''+1")
    assert with_whole_quotients({}, [size("d/2"), size("d'")])["d"] == size("2 d''")


def counted(calls: list[float]) -> Operator:
    @operator("x[... C] -> [... C]", title="Counted", family=FAMILY, source="none", macs="0", precision="float64")
    def scaled(x: Floats, *, by: float = 1.0) -> Floats:
        """Multiply by a number, and count the calls."""
        calls.append(by)
        return x * by

    return scaled


def test_an_operator_is_asked_once_for_arrays_that_cannot_change() -> None:
    calls: list[float] = []
    call = Call(counted(calls), {"x": "a"}, {"result": "y"}, {}, {})
    fixed, free, other = (np.arange(4.0) for _ in range(3))
    fixed.flags.writeable = other.flags.writeable = False
    for array, by in ((fixed, 2.0), (fixed, 2.0), (fixed, 3.0), (fixed, 2.0), (other, 2.0), (free, 2.0), (free, 2.0)):
        found = call.run({"a": array}, {"by": by})["y"]
        assert np.array_equal(found, array * by)
        assert found.flags.writeable == (array is free)
    assert calls == [2.0, 3.0, 2.0, 2.0, 2.0]


def test_another_type_of_an_option_is_another_call() -> None:
    calls: list[float] = []
    call = Call(counted(calls), {"x": "a"}, {"result": "y"}, {}, {})
    array = np.arange(3.0)
    array.flags.writeable = False
    call.run({"a": array}, {"by": 1.0})
    with pytest.raises(OptionError):
        call.run({"a": array}, {"by": True})
