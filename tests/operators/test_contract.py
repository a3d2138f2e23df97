"""A contract binds arrays and axis labels, and names the axis and what bound it for everything that does not fit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.exceptions import ContractError, ShapeError
from atlas.operators.contract import Array, Binding, Contract
from atlas.sizes import size

LAYER_NORM = Contract.parse("x[... C], gamma[C], beta[C] -> y[... C]")
ATTENTION = Contract.parse("q[... (g m) S k], key[... m T k], value[... m T v], mask?[S T] -> [... (g m) S v]")
CONVOLUTION = Contract.parse("x[N C H W], kernel[O C k k], bias[O] -> [N O H-k+1 W-k+1]")
EMBEDDING = Contract.parse("t: int(V)[...], E[V d] -> [... d]")
ROUTING = Contract.parse("g[... n] -> weights[... k], indices: int[... k]")
ROTARY = Contract.parse("x[... S (2 r)] -> [... S (2 r)]")
CHANNELS = Contract.parse("x[N C ...], gamma[C] -> [N C ...]")
STRIDED = Contract.parse("x[... (groups c) H], kernel[(groups o) c k] -> [... (groups o) ((H+2 padding-k)//stride+1)]")


def zeros(**shapes: tuple[int, ...]) -> dict[str, Array | None]:
    return {name: np.zeros(shape) for name, shape in shapes.items()}


def refused(contract: Contract, arrays: Mapping[str, Array | None]) -> list[str]:
    with pytest.raises(ShapeError) as caught:
        contract.bind(arrays)
    return str(caught.value).splitlines()


def refused_labels(contract: Contract, **axes: str | None) -> list[str]:
    with pytest.raises(ShapeError) as caught:
        contract.bind_labels(labels(**axes))
    return str(caught.value).splitlines()


def labels(**axes: str | None) -> dict[str, tuple[str, ...] | None]:
    return {name: None if text is None else tuple(text.split()) for name, text in axes.items()}


class TestArrays:
    @pytest.mark.parametrize("batch", [(), (3,), (2, 3), (0,), (1, 1, 2)])
    def test_sizes_and_batch_are_bound(self, batch: tuple[int, ...]) -> None:
        binding = LAYER_NORM.bind(zeros(x=(*batch, 4), gamma=(4,), beta=(4,)))
        assert (dict(binding.sizes), binding.batch) == ({"C": 4}, batch)
        assert LAYER_NORM.shapes(binding) == {"y": (*batch, 4)}

    def test_a_size_that_another_argument_bound_otherwise(self) -> None:
        assert refused(LAYER_NORM, zeros(x=(2, 4), gamma=(4,), beta=(3,))) == [
            "beta has 3 on axis C, but x bound C to 4"
        ]

    def test_a_broadcastable_size_is_no_equal_size(self) -> None:
        assert refused(LAYER_NORM, zeros(x=(2, 4), gamma=(1,), beta=(4,))) == [
            "gamma has 1 on axis C, but x bound C to 4"
        ]

    def test_every_misfit_is_named_in_the_order_of_the_contract(self) -> None:
        with pytest.raises(ShapeError) as caught:
            LAYER_NORM.bind({"delta": np.zeros(4), "beta": np.zeros(3), "gamma": np.zeros((4, 1)), "x": np.zeros(4)})
        assert caught.value.misfits == (
            ("gamma", "gamma has shape (4, 1), but [C] is 1 axis"),
            ("beta", "beta has 3 on axis C, but x bound C to 4"),
            ("delta", "delta is no argument; the contract takes x, gamma, beta"),
        )

    def test_too_few_axes(self) -> None:
        assert refused(LAYER_NORM, zeros(x=(), gamma=(4,), beta=(4,))) == [
            "x has shape (), but [... C] is at least 1 axis"
        ]

    def test_a_missing_argument(self) -> None:
        assert refused(LAYER_NORM, {"x": np.zeros(4), "gamma": None}) == [
            "gamma is missing; the contract takes x, gamma, beta",
            "beta is missing; the contract takes x, gamma, beta",
        ]

    def test_batch_axes_are_equal_and_not_broadcast(self) -> None:
        assert refused(ATTENTION, zeros(q=(2, 4, 5, 3), key=(1, 2, 6, 3), value=(2, 6, 7))) == [
            "key has batch axes (1,), but q bound ... to (2,)",
            "value has batch axes (), but q bound ... to (2,)",
        ]
        assert refused(ATTENTION, zeros(q=(2, 3, 4, 5, 3), key=(2, 1, 2, 6, 3), value=(2, 3, 2, 6, 7))) == [
            "key has batch axes (2, 1), but q bound ... to (2, 3)"
        ]

    @pytest.mark.parametrize("batch", [(), (5,), (5, 6), (0, 2)])
    def test_batch_axes_behind_named_ones(self, batch: tuple[int, ...]) -> None:
        binding = CHANNELS.bind(zeros(x=(2, 3, *batch), gamma=(3,)))
        assert (dict(binding.sizes), binding.batch) == ({"N": 2, "C": 3}, batch)
        assert CHANNELS.shapes(binding) == {"result": (2, 3, *batch)}
        assert refused(CHANNELS, zeros(x=(2, 3, *batch), gamma=(2,))) == ["gamma has 2 on axis C, but x bound C to 3"]
        assert refused(CHANNELS, zeros(x=(2,), gamma=(2,)))[0] == "x has shape (2,), but [N C ...] is at least 2 axes"

    def test_batch_axes_in_different_places_are_the_same(self) -> None:
        moved = Contract.parse("x[N ... C], y[... C] -> [C ... N]")
        binding = moved.bind(zeros(x=(2, 5, 6, 3), y=(5, 6, 3)))
        assert moved.shapes(binding) == {"result": (3, 5, 6, 2)}
        assert refused(moved, zeros(x=(2, 5, 6, 3), y=(6, 5, 3))) == [
            "y has batch axes (6, 5), but x bound ... to (5, 6)"
        ]

    def test_an_unknown_factor_is_solved_for(self) -> None:
        binding = ATTENTION.bind(zeros(q=(9, 6, 5, 3), key=(9, 2, 7, 3), value=(9, 2, 7, 4), mask=(5, 7)))
        assert binding.sizes == {"g": 3, "m": 2, "S": 5, "k": 3, "T": 7, "v": 4}
        assert ATTENTION.shapes(binding) == {"result": (9, 6, 5, 4)}

    def test_an_argument_that_may_be_left_out(self) -> None:
        ATTENTION.bind({**zeros(q=(6, 5, 3), key=(2, 7, 3), value=(2, 7, 4)), "mask": None})
        arrays = zeros(q=(6, 5, 3), key=(2, 7, 3), value=(2, 7, 4), mask=(5, 5))
        assert refused(ATTENTION, arrays) == ["mask has 5 on axis T, but key bound T to 7"]

    def test_a_factor_that_does_not_divide(self) -> None:
        assert refused(ATTENTION, zeros(q=(5, 5, 3), key=(2, 7, 3), value=(2, 7, 4))) == [
            "q has 5 on axis (g m), which fits no size: 5 is not a multiple of 2, as key bound m to 2"
        ]
        assert refused(ROTARY, zeros(x=(5, 7))) == [
            "x has 7 on axis (2 r), which fits no size: 7 is not a multiple of 2"
        ]

    def test_a_product_whose_factors_are_bound(self) -> None:
        heads = Contract.parse("W[(h v) d], Q[h d k], V[h d v] -> [d]")
        assert heads.bind(zeros(W=(6, 4), Q=(2, 4, 5), V=(2, 4, 3))).sizes["v"] == 3
        assert refused(heads, zeros(W=(5, 4), Q=(2, 4, 5), V=(2, 4, 3))) == [
            "W has 5 on axis (h v), but that is 6, as Q bound h to 2 and V bound v to 3"
        ]

    def test_a_misfit_is_not_reported_again_as_an_open_size(self) -> None:
        heads = Contract.parse("W[(h v) d], Q[h d k] -> [d]")
        assert refused(heads, zeros(W=(6, 4), Q=(2, 4))) == ["Q has shape (2, 4), but [h d k] is 3 axes"]
        pair = Contract.parse("W[(h v)] -> []")
        assert refused(pair, zeros(W=(6,))) == ["W has 6 on axis (h v), which does not determine h and v"]

    @pytest.mark.parametrize(
        ("axis", "size", "solved"),
        [("(a+3)", 8, 5), ("(a-3)", 8, 11), ("(9-a)", 8, 1), ("(a 4)", 8, 2), ("(a/3)", 8, 24), ("(24/a)", 8, 3),
         ("(2 (a-1)/3+4)", 8, 7), ("(10-(3 a-1))", 8, 1)],
    )  # fmt: skip
    def test_every_operation_is_undone(self, axis: str, size: int, solved: int) -> None:
        contract = Contract.parse(f"x[{axis}] -> [a]")
        contract.require_solvable()
        assert contract.bind(zeros(x=(size,))).sizes == {"a": solved}

    @pytest.mark.parametrize(
        ("axis", "size", "reason"),
        [
            ("(a+3)", 2, "a would be -1"),
            ("(9-a)", 10, "a would be -1"),
            ("(a 0)", 2, "2 is not a multiple of 0"),
            ("(24/a)", 0, "24 is not a multiple of 0"),
            ("(24/a)", 7, "24 is not a multiple of 7"),
        ],
    )
    def test_an_axis_that_fits_no_size(self, axis: str, size: int, reason: str) -> None:
        contract = Contract.parse(f"x[{axis}] -> [a]")
        assert refused(contract, zeros(x=(size,))) == [
            f"x has {size} on axis {contract.inputs[0].axes[0]}, which fits no size: {reason}"
        ]

    def test_a_quotient_rounds_down_or_must_be_whole(self) -> None:
        strided = Contract.parse("x[H], w[k], s[s] -> [(H-k)//s+1]")
        assert strided.shapes(strided.bind(zeros(x=(8,), w=(3,), s=(2,)))) == {"result": (3,)}
        halved = Contract.parse("x[d] -> [d/2]")
        assert halved.shapes(halved.bind(zeros(x=(8,)))) == {"result": (4,)}
        with pytest.raises(ShapeError, match=r"result cannot have the axes \[d/2\]: d/2 is 7/2, which is not whole"):
            halved.shapes(halved.bind(zeros(x=(7,))))

    def test_a_division_by_zero_is_a_misfit(self) -> None:
        contract = Contract.parse("x[a], y[b], z[a/b] -> []")
        assert refused(contract, zeros(x=(4,), y=(0,), z=(2,))) == [
            "z has 2 on axis a/b, which fits no size: a/b divides by 0, as x bound a to 4 and y bound b to 0"
        ]

    def test_an_output_that_would_be_negative(self) -> None:
        binding = CONVOLUTION.bind(zeros(x=(1, 3, 5, 2), kernel=(4, 3, 3, 3), bias=(4,)))
        with pytest.raises(
            ShapeError, match=r"result cannot have the axes \[N O H-k\+1 W-k\+1\]: W-k\+1 would be -1, as N is 1, "
        ):
            CONVOLUTION.shapes(CONVOLUTION.bind(zeros(x=(1, 3, 5, 1), kernel=(4, 3, 3, 3), bias=(4,))))
        assert CONVOLUTION.shapes(binding) == {"result": (1, 4, 3, 0)}

    def test_an_axis_that_is_always_the_same(self) -> None:
        assert refused(Contract.parse("x[N 3] -> [N]"), zeros(x=(2, 4))) == ["x has 4 on an axis that is always 3"]

    def test_a_size_that_an_option_gives(self) -> None:
        binding = ROUTING.bind(zeros(g=(5, 8)), {"k": 2})
        assert ROUTING.shapes(binding) == {"weights": (5, 2), "indices": (5, 2)}
        with pytest.raises(ShapeError, match=r"^W has 6 on axis h, but an option bound h to 4$"):
            Contract.parse("W[h] -> []").bind(zeros(W=(6,)), {"h": 4})

    def test_integers_and_their_range(self) -> None:
        table = np.zeros((5, 2))
        assert EMBEDDING.bind({"t": np.array([[0, 4]]), "E": table}).batch == (1, 2)
        for wrong, found in [([0, 5], 5), ([-1, 0], -1)]:
            assert refused(EMBEDDING, {"t": np.array(wrong), "E": table}) == [
                f"t holds {found}, but goes from 0 to below V, which is 5"
            ]
        assert refused(EMBEDDING, {"t": np.zeros(2), "E": table}) == ["t holds float64, where integers are expected"]
        assert refused(EMBEDDING, {"t": np.array([True]), "E": table}) == ["t holds bool, where integers are expected"]
        assert EMBEDDING.bind({"t": np.zeros((0,), np.int64), "E": np.zeros((0, 2))}).batch == (0,)

    @pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.bool_, np.complex128, np.object_])
    def test_only_floating_point_numbers_are_real(self, dtype: type[np.generic]) -> None:
        array = np.zeros(4, dtype)
        message = f"x holds {array.dtype}, where floating-point numbers are expected"
        assert refused(LAYER_NORM, {"x": array, **zeros(gamma=(4,), beta=(4,))}) == [message]

    def test_what_is_no_array(self) -> None:
        parameters = zeros(gamma=(4,), beta=(4,))
        assert refused(LAYER_NORM, {"x": [1.0] * 4, **parameters}) == ["x is of type list, not a NumPy array"]  # type: ignore[dict-item]  # the point
        masked = np.ma.MaskedArray(np.zeros(4), mask=[False, True, False, False])
        assert refused(LAYER_NORM, {"x": masked, **parameters}) == [
            "x is a masked array, whose mask would be lost; fill it first"
        ]


class TestOutputs:
    def test_shapes_that_are_promised_pass(self) -> None:
        ROUTING.check_outputs((np.zeros((5, 2)), np.zeros((5, 2), np.int64)), Binding({"n": 8, "k": 2}, (5,)))
        Contract.parse("x[N] -> loss[]").check_outputs((np.float64(1),), Binding({"N": 3}, ()))

    def test_outputs_that_break_the_promise(self) -> None:
        with pytest.raises(ShapeError) as caught:
            ROUTING.check_outputs((np.zeros((5, 3)), np.zeros((5, 2))), Binding({"n": 8, "k": 2}, (5,)))
        assert str(caught.value).splitlines() == [
            "weights has shape (5, 3), but [... k] is (5, 2)",
            "indices holds float64, where integers are expected",
        ]
        with pytest.raises(ShapeError, match="1 outputs were returned, where the contract promises 2"):
            ROUTING.check_outputs((np.zeros((5, 2)),), Binding({"n": 8, "k": 2}, (5,)))


class TestLabels:
    def test_the_outputs_labels(self) -> None:
        assert LAYER_NORM.bind_labels(labels(x="B S d", gamma="d", beta="d")) == {"y": ("B", "S", "d")}
        assert LAYER_NORM.bind_labels(labels(x="d", gamma="d", beta="d")) == {"y": ("d",)}

    def test_a_label_that_another_argument_bound_otherwise(self) -> None:
        assert refused_labels(LAYER_NORM, x="B S d", gamma="B", beta="d") == ["gamma has axes [B], but x bound C to d"]

    def test_every_misfit_is_named(self) -> None:
        assert refused_labels(LAYER_NORM, x="B S d", gamma="B", beta="d d", delta="d") == [
            "gamma has axes [B], but x bound C to d",
            "beta has axes [d, d], but [C] is 1 axis",
            "delta is no argument; the contract takes x, gamma, beta",
        ]
        assert refused_labels(LAYER_NORM, x="d", gamma="d") == ["beta is missing; the contract takes x, gamma, beta"]

    def test_which_of_several_axes(self) -> None:
        attention = Contract.parse("q[... S k], key[... T k] -> [... S T]")
        assert refused_labels(attention, q="B S d_k", key="B S d_v") == [
            "key has axes [B, S, d_v] with d_v on axis k, but q bound k to d_k"
        ]
        assert refused_labels(attention, q="B S d_k", key="N S d_k") == [
            "key has batch axes [N], but q bound ... to [B]"
        ]

    def test_an_expression_takes_its_label_as_a_whole(self) -> None:
        assert ROTARY.bind_labels(labels(x="B S d")) == {"result": ("B", "S", "d")}
        grouped = labels(q="B h S d_k", key="B h_{kv} T d_k", value="B h_{kv} T d_v", mask=None)
        assert ATTENTION.bind_labels(grouped) == {"result": ("B", "h", "S", "d_v")}
        twice = Contract.parse("x[(2 r)], y[(2 r)] -> []")
        assert refused_labels(twice, x="d", y="e") == ["y has axes [e], but x bound (2 r) to d"]

    def test_an_expression_whose_names_are_bound(self) -> None:
        heads = Contract.parse("W[(h v) d], V[h d v] -> [d]")
        assert heads.bind_labels({"W": ("h d_v", "d"), "V": ("h", "d", "d_v")}) == {"result": ("d",)}
        with pytest.raises(
            ShapeError, match=r"W has axes \[d, d\] with d on axis \(h v\), but V bound \(h v\) to d_v h"
        ):
            heads.bind_labels({"W": ("d", "d"), "V": ("h", "d", "d_v")})

    def test_the_labels_of_an_expression_in_an_output(self) -> None:
        axes = labels(x="N C H D", kernel="O C k k", bias="O")
        assert CONVOLUTION.bind_labels(axes) == {"result": ("N", "O", "H-k+1", "D-k+1")}
        axes = labels(x="N C H+2 D", kernel="O C a-b a-b", bias="O")
        assert CONVOLUTION.bind_labels(axes)["result"][2:] == ("H-a+b+3", "D-a+b+1")
        product = Contract.parse("x[a b] -> [(a b)]")
        assert product.bind_labels(labels(x="S+1 h_{kv}")) == {"result": ("S h_{kv}+h_{kv}",)}

    def test_batch_axes_behind_named_ones(self) -> None:
        assert CHANNELS.bind_labels(labels(x="B d H L", gamma="d")) == {"result": ("B", "d", "H", "L")}
        assert refused_labels(CHANNELS, x="B d H L", gamma="L") == ["gamma has axes [L], but x bound C to d"]

    def test_sizes_that_options_give_as_numbers_are_reckoned_with(self) -> None:
        axes = labels(x="N C H", kernel="O C k")
        plain = {"groups": "1", "stride": "1", "padding": "0"}
        assert STRIDED.bind_labels(axes, plain) == {"result": ("N", "O", "H-k+1")}
        assert STRIDED.bind_labels(axes, plain | {"padding": "2"}) == {"result": ("N", "O", "H-k+5")}
        assert STRIDED.bind_labels(axes, plain | {"stride": "2"}) == {
            "result": ("N", "O", r"\lfloor (H+k)/2\rfloor-k+1")
        }
        grouped = {"x": ("N", "4 g", "H"), "kernel": ("O", "g", "k")}
        assert STRIDED.bind_labels(grouped, plain | {"groups": "4"}) == {"result": ("N", "O", "H-k+1")}
        with pytest.raises(ShapeError, match=r"^x has axes \[N, C, H\] with C on axis \(4 c\), but kernel bound"):
            STRIDED.bind_labels(axes, plain | {"groups": "4"})
        with pytest.raises(ShapeError, match=r"^kernel has axes \[O, D, k\] with D on axis c, but x bound c to C$"):
            STRIDED.bind_labels(labels(x="N C H", kernel="O D k"), plain)

    @pytest.mark.parametrize(
        ("axis", "label"),
        [("(0 a)", "0"), ("(a 0)", "0"), ("(1 a)", "a"), ("a+0", "a"), ("(0+a)", "a"), ("a-0", "a"), ("(0-a)", "-a"),
         ("a/1", "a"), ("a//1", "a"), ("(6/3)", "2"), ("(6/4)", "3/2"), ("(6//4)", "1"), ("(2-3)", "-1"),
         ("(one+two+a)", "a+3"), ("(two (one-one) a)", "0")],
    )  # fmt: skip
    def test_what_is_reckoned(self, axis: str, label: str) -> None:
        contract = Contract.parse(f"x[a] -> [{axis}]")
        assert contract.bind_labels(labels(x="a"), {"one": "1", "two": "2"}) == {"result": (label,)}

    def test_expressions_are_compared_as_sizes(self) -> None:
        heads = Contract.parse("W[(h v) d], V[h d v] -> [d]")
        assert heads.bind_labels({"W": ("d_v h", "d"), "V": ("h", "d", "d_v")}) == {"result": ("d",)}
        axes = {"W": ("d", "d"), "V": ("h", "d", "d_v")}
        assert heads.bind_labels(axes, relations={"d": size("h d_v")}) == {"result": ("d",)}

    @pytest.mark.parametrize(
        ("axis", "declared", "solved"),
        [("(2 r)", "d", "d/2"), ("(n+3)", "d", "d-3"), ("(n-3)", "d", "d+3"), ("(9-n)", "d", "-d+9"),
         ("(n/3)", "d", "3 d"), ("(24/n)", "d", "24/d"), ("(n m)", "h d_v", "h"), ("(2 (n-1)+1)", "2 d+1", "d+1")],
    )  # fmt: skip
    def test_an_expression_is_solved_for_what_is_not_bound(self, axis: str, declared: str, solved: str) -> None:
        name = "r" if "r" in axis else "n"
        contract = Contract.parse(f"x[{axis}], y[m] -> [{name}]")
        assert contract.bind_labels({"x": (declared,), "y": ("d_v",)}) == {"result": (solved,)}

    def test_what_cannot_be_divided_stays_a_whole(self) -> None:
        pairs = Contract.parse("x[(n m)], y[m], z[(n m)] -> [(n m)]")
        assert pairs.bind_labels({"x": ("d",), "y": ("a+b",), "z": ("d",)}) == {"result": ("d",)}
        with pytest.raises(ShapeError, match=r"^z has axes \[e\], but x bound \(n m\) to d$"):
            pairs.bind_labels({"x": ("d",), "y": ("a+b",), "z": ("e",)})

    def test_an_option_may_be_given_by_a_size(self) -> None:
        axes = labels(x="N C H", kernel="O C k")
        sizes = {"groups": "1", "stride": "s", "padding": "p"}
        assert STRIDED.bind_labels(axes, sizes) == {"result": ("N", "O", r"\lfloor (H-k+2 p)/s\rfloor+1")}
        same = STRIDED.bind_labels(axes, sizes, {"p": size("(k-1)/2")})
        assert size(same["result"][2]).substitute({"p": size("(k-1)/2")}) == size(r"\lfloor (H-1)/s\rfloor+1")

    def test_whole_numbers_are_below_what_the_contract_says(self) -> None:
        axes = {"t": ("B", "S"), "E": ("V", "d")}
        assert EMBEDDING.bind_labels(axes, ranges={"t": "V"}) == {"result": ("B", "S", "d")}
        with pytest.raises(ShapeError, match=r"^t holds whole numbers below d, but E bound V to V$"):
            EMBEDDING.bind_labels(axes, ranges={"t": "d"})

    def test_lengths_are_those_that_the_other_arguments_and_the_outputs_tell(self) -> None:
        axes = {"x": ("N", "C", "H"), "result": ("N", "O", "H-k+1"), "kernel": ("O", "2 C", "k")}
        plain = {"groups": "1", "stride": "1", "padding": "0"}
        assert STRIDED.lengths("kernel", axes, plain) == (size("O"), size("C"), size("k"))
        del axes["result"]
        assert STRIDED.lengths("kernel", axes, plain) == (None, size("C"), None)
        table = {"t": ("B", "S"), "result": ("B", "S", "d"), "E": ("V", "2 d")}
        assert EMBEDDING.lengths("E", table, ranges={"t": "V"}) == (size("V"), size("d"))
        assert EMBEDDING.lengths("E", table) == (None, size("d"))
        assert EMBEDDING.lengths("E", {"E": ("V", "d"), "t": ("B",)}) == (None, None)

    def test_a_size_that_only_an_option_gives(self) -> None:
        assert ROUTING.bind_labels(labels(g="B n"))["weights"] == ("B", "k")
        assert ROUTING.bind_labels(labels(g="B n"), {"k": "2"})["weights"] == ("B", "2")


class TestSolvable:
    @pytest.mark.parametrize(
        "contract", [LAYER_NORM, ATTENTION, CONVOLUTION, EMBEDDING, ROTARY], ids=lambda contract: str(contract)[:20]
    )
    def test_contracts_that_determine_their_sizes(self, contract: Contract) -> None:
        contract.require_solvable()

    @pytest.mark.parametrize(
        ("signature", "missing"),
        [("x[A] -> [B]", "B"), ("x[(h v)] -> [h]", "h or v"), ("x[a//2] -> []", "a"), ("x[(a a)] -> []", "a"),
         ("x[A], mask?[B] -> [B]", "B"), ("g[n] -> [k]", "k"), ("t: int(V)[N] -> [N]", "V")],
    )  # fmt: skip
    def test_a_size_that_nothing_determines(self, signature: str, missing: str) -> None:
        contract = Contract.parse(signature)
        with pytest.raises(ContractError, match=f"^nothing determines {missing} in "):
            contract.require_solvable()
        contract.require_solvable(missing.split(" or "))


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.integers(0, 4), max_size=3), st.tuples(*[st.integers(1, 5)] * 5))
def test_arrays_made_to_fit_bind_to_the_sizes_they_were_made_with(batch: list[int], sizes: tuple[int, ...]) -> None:
    g, m, s, t, k = sizes
    arrays = zeros(q=(*batch, g * m, s, k), key=(*batch, m, t, k), value=(*batch, m, t, 2))
    binding = ATTENTION.bind(arrays)
    assert binding.sizes == {"g": g, "m": m, "S": s, "T": t, "k": k, "v": 2}
    assert ATTENTION.shapes(binding) == {"result": (*batch, g * m, s, 2)}
