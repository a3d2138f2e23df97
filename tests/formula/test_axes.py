"""Axes by size expressions, and what the engine needs of sizes beyond reading them."""

from __future__ import annotations

import pickle

import pytest

from atlas.exceptions import FormulaError, SizeError
from atlas.formula.axes import AxisTable, read_size
from atlas.formula.span import Span
from atlas.formula.tree import Number, SizeName
from atlas.sizes import floored, size, symbol


def test_equal_expressions_are_one_axis() -> None:
    axes = AxisTable({"d": size("2 r")})
    assert axes.label(size("d"), "d") == axes.label(size("2 r")) == axes.label(size("r+r")) == "d"
    assert axes.label(size("h d_v"), "h d_v") == axes.label(size("d_v h")) == "h d_v"
    assert axes.label(size("d/2")) == axes.label(size("r"))
    assert axes.label(size("S")) != axes.label(size("T"))


def test_relations_may_build_on_each_other_in_any_order() -> None:
    axes = AxisTable({"c": size("2 b"), "b": size("3 a")})
    assert axes.label(size("c")) == axes.label(size("6 a"))
    with pytest.raises(FormulaError, match="depends on itself"):
        AxisTable({"a": size("b"), "b": size("a+1")})


@pytest.mark.parametrize(
    ("inner", "outer", "fits"),
    [
        ("d", "d", True),
        ("d/2", "d", True),
        ("d-1", "d", True),
        ("d+1", "d", False),
        ("m", "h m", True),
        ("S", "d", False),
        ("d", "d/2", False),
        ("h d", "h d+2g d", True),
        ("d/h", "d", True),
        ("H-k+1", "H", True),
        (r"\lfloor n/2\rfloor", r"\lfloor n/2\rfloor+1", True),
    ],
)
def test_fits_within(inner: str, outer: str, fits: bool) -> None:
    assert size(inner).fits_within(size(outer)) is fits


def test_substitution_reaches_into_floors_and_divisors() -> None:
    assert size(r"\lfloor n/2\rfloor").substitute({"n": size("2 r")}) == size("r")
    assert size("n/h").substitute({"n": size("h k")}) == size("k")
    assert size("a b").substitute({"a": symbol("b"), "b": symbol("a")}) == size("a b")
    with pytest.raises(SizeError):
        size("1/h").substitute({"h": size("a+b")})


def test_powers_in_sizes() -> None:
    assert size("C r^2") == size("C r r")
    assert size("(a+1)^{2}") == size("a a+2a+1")
    assert size("r^0") == size("1")
    with pytest.raises(SizeError, match="at most 9"):
        size("r^{99}")
    with pytest.raises(SizeError):
        size("r^10")


def test_floors_of_whole_sizes_vanish() -> None:
    assert floored(size("2 a+b")) == size("2 a+b")
    assert floored(size("7/2")) == size("3")
    assert str(floored(size("a/2"))) == r"\lfloor a/2\rfloor"


def test_products_of_sums_are_bounded() -> None:
    with pytest.raises(SizeError, match="more than 100 terms"):
        size("".join(f"({chr(97 + i)}+{chr(65 + i)})" for i in range(12)))


def test_declared_sizes_are_spelled_canonically() -> None:
    assert read_size("h_{kv} d_{k}") == read_size("d_k h_{kv}")
    with pytest.raises(FormulaError) as caught:
        read_size("h *")
    assert caught.value.code == "A244"


def test_a_table_that_was_pickled_knows_its_labels_and_holds_no_part_of_a_formula() -> None:
    table = AxisTable({"f": size("4 d")})
    bounds = Number("1", span=Span(0, 1)), SizeName("d", span=Span(2, 3))
    label = table.span(*bounds)
    data = pickle.dumps(table)
    assert b"atlas.formula.tree" not in data
    again = pickle.loads(data)  # noqa: S301 - our own
    assert label == "d"
    assert again.span(*bounds) == label
    assert again.size("d") == size("d")
    assert again.relations == table.relations
