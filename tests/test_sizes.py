from __future__ import annotations

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.exceptions import SizeError
from atlas.sizes import (
    LARGEST_VALUE,
    MAX_LENGTH,
    MAX_NESTING,
    MAX_TERMS,
    Size,
    constant,
    floored,
    product,
    size,
    symbol,
    symbols_of,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("h d_v", "d_v h"),
        ("2r", r"2 \cdot r"),
        ("r+r", "2 r"),
        (r"2\times3 d", "6d"),
        ("H-k+1", "1-k+H"),
        ("d-d", "0"),
        ("(a+b)(a-b)", "a a-b b"),
        ("d/2/2", "d/4"),
        ("3 d/(6 h)", "d/(2 h)"),
        ("d h/h", "d"),
        (r"h\,d", "h d"),
        (r"\lfloor 7/2\rfloor", "3"),
        (r"\lfloor d+1\rfloor", "d+1"),
        (r"\lfloor (n+n)/4\rfloor", r"\lfloor n/2\rfloor"),
        (r"\lfloor (H-1)/2\rfloor+1", r"\lfloor (H+1)/2\rfloor"),
        (r"\lfloor (H-1)/s\rfloor+1", r"\lfloor (H+s-1)/s\rfloor"),
        (r"\lfloor -n/2\rfloor", r"\lfloor n/2\rfloor-n"),
        (r"\lfloor (s m-1)/s\rfloor+1", "m"),
        (r"\lfloor -1/s\rfloor", "-1"),
        (r"\lfloor 1/(2 s)\rfloor", "0"),
        (r"\lfloor 1/2-1/(2 s)\rfloor", "0"),
        (r"\lfloor\lfloor (H-1)/2\rfloor/2\rfloor", r"\lfloor (H-1)/4\rfloor"),
        (r"\lfloor (\lfloor (H-1)/2\rfloor+s k)/3\rfloor", r"\lfloor (H+2 s k-1)/6\rfloor"),
        (r"\lfloor (\lfloor (\lfloor (H-1)/2\rfloor+2)/2\rfloor+1)/2\rfloor", r"\lfloor (H+7)/8\rfloor"),
        ("-(a-b)", "b-a"),
        (" d ", "d"),
    ],
)
def test_expressions_that_are_one_polynomial_are_equal(one: str, other: str) -> None:
    assert size(one) == size(other)
    assert str(size(one)) == str(size(other))
    assert hash(size(one)) == hash(size(other))


def test_expressions_that_differ_are_not_equal() -> None:
    different = ["d", "2 d", "d+1", "d_v", "d_{vv}", "d'", "d d", "h", "d/2", r"\lfloor d/2\rfloor", r"\mathrm{d}", "1"]
    different += [r"\lfloor (d+1)/2\rfloor", r"\lfloor 1/s\rfloor", r"\lfloor -2/s\rfloor", r"\lfloor (d+1)/s\rfloor"]
    different += [r"\lfloor 3\lfloor d/2\rfloor/2\rfloor", r"\lfloor 3 d/4\rfloor"]
    different += [r"\lfloor \lfloor d/3\rfloor/2+h/4\rfloor", r"\lfloor d/6+h/4\rfloor"]
    assert len({size(expression) for expression in different}) == len(different)


@pytest.mark.parametrize(
    ("expression", "symbols"),
    [
        ("h d_v", {"h", "d_v"}),
        (r"\lfloor n/g\rfloor+k", {"n", "g", "k"}),
        (r"d_{\mathrm{ff}}", {r"d_{\mathrm{ff}}"}),
        (r"\alpha x'_2", {r"\alpha", "x'_2"}),
        (r"\lfloor\lfloor n/2\rfloor/3\rfloor", {"n"}),
        ("d-d+3", set()),
    ],
)
def test_symbols_are_those_that_need_a_value(expression: str, symbols: set[str]) -> None:
    assert size(expression).symbols == symbols


@pytest.mark.parametrize(
    ("expression", "bindings", "value"),
    [
        ("h d_v", {"h": 8, "d_v": 64}, 512),
        ("H-k+1", {"H": 28, "k": 5}, 24),
        ("d/h", {"d": 512, "h": 8}, 64),
        (r"\lfloor n/2\rfloor", {"n": 7}, 3),
        (r"2\lfloor n/2\rfloor+1", {"n": 7}, 7),
        (r"\lfloor\lfloor n/2\rfloor/3\rfloor", {"n": 23}, 3),
        (r"\lfloor -n/2\rfloor", {"n": 7}, -4),
        (r"\lfloor (H-1)/s\rfloor+1", {"H": 9, "s": 4}, 3),
        (r"\lfloor -1/s\rfloor", {"s": 1}, -1),
        (r"\lfloor -2/s\rfloor", {"s": 1}, -2),
        (r"\lfloor 1/s\rfloor", {"s": 1}, 1),
        ("d", {"d": 10**12}, 10**12),
        (7, {}, 7),
        ("0", {}, 0),
    ],
)
def test_values(expression: str | int, bindings: dict[str, int], value: int) -> None:
    assert size(expression).value(bindings) == value


def test_a_size_without_symbols_is_a_number() -> None:
    assert size("2 3 d-6 d+4".replace("2 3", r"2\cdot3")).number == 4
    assert size("d").number is None
    assert constant(0).terms == ()
    assert product([size("d"), size("4 f"), constant(2)]) == size("8 d f")
    assert product([]) == constant(1)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "an empty size"),
        ("   ", "an empty size"),
        (r"\frac{d}{2}", r"the size `\frac{d}{2}` has `{` at 6, which no size expression has"),
        ("d)", "the size `d)` has `)` at 2 where a number, a symbol or a parenthesis should stand"),
        ("(d", "the size `(d` ends where `)` should follow"),
        (r"\lfloor d/2", r"the size `\lfloor d/2` ends where `\rfloor` should follow"),
        (r"(d\rfloor", r"the size `(d\rfloor` has `\rfloor` at 3 where `)` should stand"),
        ("d+", "the size `d+` ends where a number, a symbol or a parenthesis should follow"),
        ("*d", "the size `*d` has `*` at 1, which no size expression has"),
        ("d2", "the size `d2` has the number 2 at 2 after another factor; numbers come first"),
        ("d/0", "d is divided by 0"),
        ("d/(a+b)", "d is divided by a+b, which is not a single product"),
        ("d" * (MAX_LENGTH + 1), f"a size of {MAX_LENGTH + 1} characters; at most {MAX_LENGTH} are read"),
        ("(" * 21 + "d" + ")" * 21, f"is nested more than {MAX_NESTING} deep"),
        ("(a+b+c+d+e+f+g+h)" * 4, f"has more than {MAX_TERMS} terms"),
    ],
)
def test_messages_of_expressions_that_cannot_be_read(expression: str, message: str) -> None:
    with pytest.raises(SizeError) as caught:
        size(expression)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "bindings", "message"),
    [
        ("d h", {"d": 4}, "h has no value"),
        ("d/3", {"d": 512, "h": 8}, "d/3 is 512/3, not a whole number, for d = 512"),
        ("1/2", {}, "1/2 is 1/2, not a whole number, for no symbol"),
        ("d/h", {"d": 4, "h": 0}, "division by h, which is 0"),
        (r"\lfloor n/m\rfloor", {"n": 4}, "m has no value"),
    ],
)
def test_messages_of_sizes_without_a_value(expression: str, bindings: dict[str, int], message: str) -> None:
    with pytest.raises(SizeError) as caught:
        size(expression).value(bindings)
    assert str(caught.value) == message


def test_a_floor_whose_argument_is_long_when_multiplied_out_still_has_symbols_and_a_value() -> None:
    letters = "abcdefghij"
    factors = "(a+b)(c+d)(e+f)(g+h)(i+j)"
    found = size(rf"\lfloor {factors}/3\rfloor")
    assert len(str(found)) > MAX_LENGTH
    assert found.symbols == set(letters)
    assert found.value(dict.fromkeys(letters, 1)) == 32 // 3


@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        (r"\lfloor (H-1)/2\rfloor+1", r"\lfloor (H+1)/2\rfloor"),
        (r"\lfloor (H-1)/s\rfloor", r"\lfloor (H-1)/s\rfloor"),
        (r"\lfloor H/(2 s)-1/(3 s)\rfloor", r"\lfloor (3 H-2)/(6 s)\rfloor"),
    ],
)
def test_floors_are_printed_as_one_quotient(expression: str, printed: str) -> None:
    assert str(size(expression)) == printed


SYMBOLS = ["d", "h", "d_v", r"d_{\mathrm{ff}}", r"\alpha", "x'", "H"]
NUMBERS = st.integers(min_value=1, max_value=9)


def sums(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({}+{})".format, inner, inner),
        st.builds("({}-{})".format, inner, inner),
        st.builds("({} {})".format, inner, inner.filter(lambda text: not text[0].isdigit())),
        st.builds(r"({}\cdot {})".format, inner, inner),
        st.builds("{}/{}".format, inner, NUMBERS),
        st.builds(r"\lfloor {}/{}\rfloor".format, inner, NUMBERS),
        st.builds(r"\lfloor {}/{}\rfloor".format, inner, st.sampled_from(SYMBOLS)),
    )


EXPRESSIONS = st.recursive(st.one_of(st.sampled_from(SYMBOLS), NUMBERS.map(str)), sums, max_leaves=8).filter(
    lambda text: len(text) <= MAX_LENGTH
)
BINDINGS = st.fixed_dictionaries({name: st.integers(min_value=1, max_value=50) for name in SYMBOLS})


@settings(derandomize=True, deadline=None)
@given(EXPRESSIONS)
def test_what_is_printed_is_read_as_the_same_size(expression: str) -> None:
    parsed = size(expression)
    printed = str(parsed)
    if len(printed) <= MAX_LENGTH:
        assert size(printed) == parsed
        assert str(size(printed)) == printed


WHOLE = 2520**16
"""Divisible by every product of sixteen numbers up to 9, so that a size times this has a value."""


@settings(derandomize=True, deadline=None)
@given(EXPRESSIONS, EXPRESSIONS, BINDINGS)
def test_sums_and_products_have_the_values_of_sums_and_products(one: str, other: str, bindings: dict[str, int]) -> None:
    def value(expression: Size) -> Fraction:
        return Fraction((expression * constant(WHOLE)).value(bindings), WHOLE)

    first, second = size(one), size(other)
    assert value(first + second) == value(first) + value(second)
    assert value(first * second) == value(first) * value(second)
    assert value(-first) == -value(first)
    assert value(first + -first) == 0


@settings(derandomize=True, deadline=None)
@given(EXPRESSIONS, st.sampled_from([*SYMBOLS, "2", "7"]), BINDINGS)
def test_a_floor_has_the_value_of_the_floor(inner: str, divisor: str, bindings: dict[str, int]) -> None:
    quotient = Fraction((size(inner) * constant(WHOLE)).value(bindings), WHOLE * size(divisor).value(bindings))
    assert floored(size(inner) / size(divisor)).value(bindings) == floor(quotient)


@settings(derandomize=True, deadline=None)
@given(*[st.integers(-9, 9)] * 2, *[st.integers(2, 6)] * 2, st.integers(1, 200))
def test_a_stride_after_a_stride_is_one_stride(first: int, second: int, one: int, other: int, n: int) -> None:
    inner = floored((size("n") + constant(first)) / constant(one))
    outer = floored((inner + constant(second)) / constant(other))
    assert outer.value({"n": n}) == ((n + first) // one + second) // other
    assert str(outer).count("floor") == 2  # one opens and one closes


TERMS = st.builds(
    lambda names, up, down: product(map(symbol, names)) * Size((((), Fraction(up, down)),)),
    st.lists(st.sampled_from("dhn"), max_size=2),
    st.integers(-4, 4).filter(bool),
    st.integers(1, 4),
)
"""Sizes of one term, whose factor may be a fraction."""


@given(TERMS, TERMS, st.fixed_dictionaries({name: st.integers(1, 9).map(lambda one: 144 * one) for name in "dhn"}))
def test_single_terms_are_added_and_multiplied_as_numbers_are(one: Size, other: Size, bindings: dict[str, int]) -> None:
    def number(expression: Size) -> Fraction:
        return sum(
            (factor * product(map(symbol, (n for n, p in term for _ in range(p)))).value(bindings))
            for term, factor in expression.terms
        ) * Fraction(1)

    assert number(one + other) == number(one) + number(other)
    assert number(one * other) == number(one) * number(other)
    assert one + -one == constant(0)
    assert (one + other == constant(0)) == (number(one) == -number(other) and one.symbols == other.symbols)


def test_a_number_that_is_too_large_has_no_value_and_is_no_factor() -> None:
    beyond = constant(LARGEST_VALUE + 1)
    assert constant(LARGEST_VALUE).value({}) == LARGEST_VALUE
    for count in (lambda: beyond.value({}), lambda: beyond * constant(1), lambda: beyond + constant(1)):
        with pytest.raises(SizeError, match="beyond"):
            count()
    with pytest.raises(SizeError, match="beyond"):
        constant(LARGEST_VALUE) * symbol("d") * constant(2)


@pytest.mark.parametrize("expression", ["d", "512", 512, "h d_v", r"\lfloor n/s\rfloor", "d-d", "d/2"])
def test_the_symbols_of_a_text_are_those_of_its_size(expression: str | int) -> None:
    assert symbols_of(expression) == size(expression).symbols
