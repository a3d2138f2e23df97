"""A signature is read once, whole, and printed back the same; whatever is wrong with one is said with its place."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.exceptions import ContractError
from atlas.operators.axes import Axis, Binary, Name, Number, Operation
from atlas.operators.contract import Argument, Contract

SEEDED = settings(derandomize=True, deadline=None, max_examples=150)


def test_the_parts_of_a_signature() -> None:
    contract = Contract.parse("x[... C], gamma[C], beta[C] -> y[... C]")
    c = Name("C")
    assert contract.inputs == (Argument("x", (c,), batched=True), Argument("gamma", (c,)), Argument("beta", (c,)))
    assert contract.outputs == (Argument("y", (c,), batched=True),)
    assert contract.sizes == ("C",)


def test_an_output_without_a_name_is_the_result() -> None:
    contract = Contract.parse("x[... C] -> [... C]")
    assert contract.outputs == (Argument("result", (Name("C"),), batched=True),)


def test_what_later_operators_need() -> None:
    h, v, d, r = map(Name, "hvdr")
    assert Contract.parse("W[(h v) d] -> [d]").inputs[0].axes == (Binary("*", h, v), d)
    assert Contract.parse("x[... S (2 r)] -> [... S (2 r)]").inputs[0].axes == (Name("S"), Binary("*", Number(2), r))
    window = Binary("+", Binary("-", Name("H"), Name("k")), Number(1))
    assert Contract.parse("x[H], W[k] -> [H-k+1]").outputs[0].axes == (window,)
    assert Contract.parse("x[H], W[k] -> [(H - k + 1)]").outputs[0].axes == (window,)
    ids = Contract.parse("t: int(V)[...], E[V d] -> [... d]").inputs[0]
    assert ids == Argument("t", (), batched=True, integer=True, below=Name("V"))
    assert Contract.parse("q[S k], mask?[S S] -> [S k]").inputs[1].optional
    routing = Contract.parse("g[... n] -> weights[... k], indices: int[... k]")
    assert [(output.name, output.integer) for output in routing.outputs] == [("weights", False), ("indices", True)]
    channels = Contract.parse("x[N C ...] -> [N C ...]").inputs[0]
    assert channels == Argument("x", (Name("N"), Name("C")), batched=True, before=2)
    assert Contract.parse("x[N ... C] -> [...]").inputs[0].before == 1
    assert Contract.parse("-> [S d]").inputs == ()
    assert Contract.parse("z[N C], t: int(C)[N] -> loss[]").outputs == (Argument("loss", ()),)


@pytest.mark.parametrize(
    ("signature", "printed"),
    [
        ("x[...C],gamma[C]->[...C]", "x[... C], gamma[C] -> result[... C]"),
        ("x[(H + 2 p - k)//s + 1] -> []", "x[((H+2 p-k)//s+1)] -> result[]"),
        ("x[(a/b/c) ((a/b) c) (a (b c))]->[]", "x[a/b/c ((a/b) c) (a (b c))] -> result[]"),
        ("x[(a-(b-c)) (a-b-c) (a b/c)]->[]", "x[a-(b-c) a-b-c (a b/c)] -> result[]"),
        ("mask ? : int [ ] -> y : int [ ]", "mask?: int[] -> y: int[]"),
        ("x[N C...]->[...N C]", "x[N C ...] -> result[... N C]"),
        ("x[N...C]->[]", "x[N ... C] -> result[]"),
        ("->[S]", "-> result[S]"),
    ],
)  # fmt: skip
def test_the_printed_form(signature: str, printed: str) -> None:
    assert str(Contract.parse(signature)) == printed


@pytest.mark.parametrize(
    ("signature", "place", "message"),
    [
        ("", 1, "the name of an array should stand here, not the end"),
        ("x[C]", 5, "`->` should stand here, not the end"),
        ("x[... C], gamma[C, beta[C] -> y[C]", 18, "a size or `]` should stand here, not `,`"),
        ("x[C] -> ", 9, "the name of an array should stand here, not the end"),
        ("x[C] -> y", 10, "`[` should stand here, not the end"),
        ("[C] -> [C]", 1, "the name of an array should stand here, not `[`"),
        ("x[2r] -> [r]", 3, "`2` cannot be read here; a product is written (2 r), a number has at most 9 digits"),
        (
            "x[1234567890] -> []",
            3,
            "`1` cannot be read here; a product is written (2 r), a number has at most 9 digits",
        ),
        ("x[C] -> [... C]", 9, "an output has batch axes `...`, but no argument has any"),
        ("x[... ... C] -> [C]", 7, "batch axes `...` stand in one place"),
        ("x[... C ...] -> [C]", 9, "batch axes `...` stand in one place"),
        ("x[C] -> [C], [C]", 14, "only a single output may go without a name"),
        ("x[C] -> [C], y[C]", 14, "only a single output may go without a name"),
        ("x[C] -> y[C], [C]", 15, "only a single output may go without a name"),
        ("x[A], x[B] -> [A]", 7, "a second x"),
        ("x[A] -> y[A], y[A]", 15, "a second y"),
        ("x[A] -> y[A] z", 14, "`,` or the end should stand here, not `z`"),
        ("x[(a/b c)] -> []", 8, "a product after a quotient; add parentheses"),
        ("x: float[A] -> []", 4, "`int` should stand here, not `float`"),
        ("x[A] -> y?[A]", 10, "`[` should stand here, not `?`"),
        ("x[A], β[A] -> []", 7, "`β` cannot be read here"),
        ("x[-A] -> []", 3, "a size or `]` should stand here, not `-`"),
        ("x[(A] -> []", 5, "`)` should stand here, not `]`"),
        ("x[(A +)] -> []", 7, "a size should stand here, not `)`"),
        ("x[H*k] -> []", 4, "`*` cannot be read here"),
        ("x[" + "(" * 9 + "a" + ")" * 9 + "] -> []", 11, "parentheses nested more than 8 deep"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(signature: str, place: int, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        Contract.parse(signature)
    assert str(caught.value) == f"signature, character {place}: {message}\n    {signature}\n    {' ' * (place - 1)}^"


def test_a_long_signature_is_refused_at_once() -> None:
    with pytest.raises(ContractError, match="a signature of 20005 characters; at most 500 are read"):
        Contract.parse("x[" + "(" * 20000 + "a] ")


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,4}", fullmatch=True) | st.just("result")
AXES: st.SearchStrategy[Axis] = st.recursive(
    st.one_of(NAMES.map(Name), st.integers(0, 10**9 - 1).map(Number)),
    lambda inner: st.builds(Binary, st.sampled_from(["+", "-", "*", "/", "//"]), inner, inner),
    max_leaves=5,
)


@st.composite
def contracts(draw: st.DrawFn) -> Contract:
    """Any contract whose signature the grammar allows."""

    def arguments(least: int, batched: st.SearchStrategy[bool], output: bool) -> list[Argument]:
        names = draw(st.lists(NAMES, min_size=least, max_size=3, unique=True))
        made = []
        for name in names:
            integer = draw(st.booleans())
            below = draw(st.none() | AXES) if integer else None
            optional = not output and draw(st.booleans())
            axes = tuple(draw(st.lists(AXES, max_size=3)))
            has_batch = draw(batched)
            before = draw(st.integers(0, len(axes))) if has_batch else 0
            made.append(Argument(name, axes, has_batch, integer, below, optional, before))
        return made

    inputs = arguments(0, st.booleans(), output=False)
    may_batch = st.booleans() if any(one.batched for one in inputs) else st.just(False)
    return Contract(tuple(inputs), tuple(arguments(1, may_batch, output=True)))


@SEEDED
@given(contracts())
def test_reading_what_is_printed_gives_the_same_contract(contract: Contract) -> None:
    assert Contract.parse(str(contract)) == contract


@SEEDED
@given(st.text(alphabet="xC[]().,:?+-/>1 2intβ\n", max_size=40) | st.text(max_size=20))
def test_any_text_is_a_contract_or_a_contract_error(text: str) -> None:
    try:
        contract = Contract.parse(text)
    except ContractError as error:
        place = re.match(r"signature, character (\d+): ", str(error))
        assert place is not None
        assert 1 <= int(place[1]) <= len(text) + 1
    else:
        assert Contract.parse(str(contract)) == contract


def test_the_operations_are_those_of_the_grammar() -> None:
    operations: list[Operation] = ["+", "-", "*", "/", "//"]
    for operation in operations:
        axis = Binary(operation, Name("a"), Name("b"))
        assert Contract.parse(f"x[{axis}] -> []").inputs[0].axes == (axis,)
