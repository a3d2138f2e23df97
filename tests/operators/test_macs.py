"""Multiply–accumulates against the operations that PyTorch counted, and what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from atlas.exceptions import ContractError, OptionError, ShapeError, SizeError
from atlas.operators.attention import grouped_query_attention
from atlas.operators.catalogue import CATALOGUE
from atlas.operators.contract import Contract
from atlas.operators.convolution import convolution_2d
from atlas.operators.embedding import embedding
from atlas.operators.family import Family
from atlas.operators.linear import linear
from atlas.operators.macs import Macs
from atlas.operators.mixture_of_experts import mixture_of_swiglu_experts_renormalized
from atlas.operators.multi_head_attention import multi_head_attention
from atlas.operators.registry import Operator, operator
from atlas.operators.routing import top_k_routing
from atlas.sizes import size

Golden = Callable[[str], dict[str, Any]]

IMAGES = {"x": ("N", "C", "H", "L"), "kernel": ("O", "C", "7", "7")}
EXPERTS = {
    "x": ("B", "S", "d"),
    "W_r": ("d", "E"),
    "W_g": ("E", "d", "f"),
    "W_u": ("E", "d", "f"),
    "W_d": ("E", "f", "d"),
}


def over(text: str, contract: str, **axes: str) -> str:
    found = Macs.parse(text).over(Contract.parse(contract), {name: own.split("|") for name, own in axes.items()}, {})
    return str(found)


class TestFacts:
    def test_half_of_the_operations_that_pytorch_counts(self, golden: Golden) -> None:
        for call in golden("macs")["calls"]:
            macs = CATALOGUE[call["operator"]].macs(call["axes"], call["options"])
            assert 2 * macs.value(call["sizes"]) == call["flops"], call

    def test_every_operator_is_counted_at_three_sizes(self, golden: Golden) -> None:
        facts = golden("macs")
        assert facts["torch"].startswith("2.13.0")
        counts = Counter(call["operator"] for call in facts["calls"])
        assert counts.keys() == CATALOGUE.keys()
        assert min(counts.values()) >= 3

    def test_what_has_no_products_says_0(self, golden: Golden) -> None:
        counted = {call["operator"] for call in golden("macs")["calls"] if call["flops"]}
        assert {name for name, one in CATALOGUE.items() if one.cost.text != "0"} == counted


class TestExpressions:
    @pytest.mark.parametrize(
        ("one", "axes", "options", "count"),
        [
            (linear, {"x": ("B", "S", "d"), "W": ("d", "m")}, {}, "B S d m"),
            (linear, {"x": ("d",), "W": ("d", "4 d")}, {}, "4 d d"),
            (embedding, {"t": ("B", "S"), "E": ("V", "d")}, {}, "0"),
            (convolution_2d, IMAGES, {"stride": 2, "padding": 3},
             r"49 C N O (\lfloor (H-1)/2\rfloor+1) (\lfloor (L-1)/2\rfloor+1)"),
            (convolution_2d, IMAGES | {"kernel": ("O", "C", "1", "1")}, {"stride": "s"},
             r"C N O (\lfloor (H-1)/s\rfloor+1) (\lfloor (L-1)/s\rfloor+1)"),
            (convolution_2d, IMAGES | {"kernel": ("O", "C", "k", "k")}, {"padding": 1},
             "N O C k k (H+3-k) (L+3-k)"),
            (convolution_2d, IMAGES | {"kernel": ("O", "C", "k", "k")}, {"padding": "(k-1)/2", "stride": "s"},
             r"C N O k k (\lfloor (H-1)/s\rfloor+1) (\lfloor (L-1)/s\rfloor+1)"),
            (mixture_of_swiglu_experts_renormalized, EXPERTS, {"k": 2}, "B S d (E+6 f)"),
            (mixture_of_swiglu_experts_renormalized, EXPERTS, {"k": "k"}, "B S d (E+3 k f)"),
        ],
    )  # fmt: skip
    def test_what_an_entry_declares(self, one: Operator, axes: Any, options: dict[str, object], count: str) -> None:
        assert one.macs(axes, options) == size(count)

    def test_an_expression_that_only_its_whole_determines(self) -> None:
        axes = {"Q": ("B", "h", "S", "d_k"), "K": ("B", "h_{kv}", "T", "d_k"), "V": ("B", "h_{kv}", "T", "d_v")}
        assert grouped_query_attention.macs(axes) == size("B h S T (d_k+d_v)")

    def test_a_product_may_be_solved_for_a_factor(self) -> None:
        contract = "x[... (h v)], W[h v m] -> [... m]"
        assert over("... h v m", contract, x="B|a b", W="a|b|m") == "B a b m"
        assert over("... r", "x[... (2 r)] -> [...]", x="B|d") == "B d/2"
        assert over("r", "x[a], y[(a+r)] -> [a]", x="S", y="n") == "-S+n"
        assert over("r", "x[a], y[(a-r)] -> [a]", x="S", y="n") == "S-n"
        assert over("r", "x[a], y[(r-a)] -> [a]", x="S", y="n") == "S+n"
        assert over("r", "x[a], y[(r/a)] -> [a]", x="S", y="n") == "S n"
        assert over("r", "x[a], y[(a/r)] -> [a]", x="S", y="n") == "S/n"
        assert over("(a/2) (b//2)", "x[a b] -> [a]", x="S|n") == r"S \lfloor n/2\rfloor/2"

    def test_without_batch_axes_their_product_is_1(self) -> None:
        assert over("... C", "x[... C] -> [... C]", x="d") == "d"

    def test_self_attention_of_a_model(self) -> None:
        per_head = dict.fromkeys(("W_q", "W_k", "W_v"), ("h", "d", "d_k"))
        block = dict.fromkeys("QKV", ("B", "S", "d"))
        macs = multi_head_attention.macs(block | per_head | {"W_o": ("h d_k", "d")})
        assert macs == size("4 B S d h d_k+2 B S S h d_k")


class TestRefusals:
    def test_labels_that_do_not_fit(self) -> None:
        with pytest.raises(ShapeError, match=r"^W has axes \[m, d\] with m on axis C, but x bound C to d$"):
            linear.macs({"x": ("B", "d"), "W": ("m", "d")})
        with pytest.raises(ShapeError, match=r"^W is missing"):
            linear.macs({"x": ("B", "d")})

    def test_options(self) -> None:
        with pytest.raises(OptionError, match=r"^top_k_routing needs the option k, "):
            top_k_routing.macs({"logits": ("B", "n")})
        with pytest.raises(OptionError, match=r"^linear has no option k; it takes no options$"):
            linear.macs({"x": ("d",), "W": ("d", "m")}, {"k": 2})
        with pytest.raises(OptionError, match=r"^stride must be a whole number of at least 1, not 0$"):
            convolution_2d.macs(IMAGES, {"stride": 0})

    def test_what_is_no_size(self) -> None:
        with pytest.raises(SizeError, match=r"^the size `d\^` has "):
            linear.macs({"x": ("d^",), "W": ("d^", "m")})
        with pytest.raises(SizeError, match=r"is divided by S\+T, which is not a single product$"):
            over("... n/S", "x[... n S] -> [...]", x="B|n|S+T")
        with pytest.raises(SizeError, match=r"^r does not follow from the axes$"):
            over("r", "x[a], y[((a+1) r)] -> [a]", x="S", y="n")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "character 1: a size should stand here, not the end"),
            ("... C C]", "character 8: a sign or the end should stand here, not `]`"),
            ("... 2C", "character 5: `2` cannot be read here"),
            ("C *", "character 3: `[*]` cannot be read here"),
            ("C/2 O", "character 5: a product after a quotient; add parentheses"),
            ("(" * 9 + "C", "character 8: parentheses nested more than 8 deep"),
        ],
    )
    def test_what_cannot_be_read(self, text: str, message: str) -> None:
        with pytest.raises(ContractError, match=f"^count, {message}"):
            Macs.parse(text)
        with pytest.raises(ContractError, match=r"^a count of 501 characters; at most 500 are read$"):
            Macs.parse("C" * 501)

    def test_what_is_no_size_of_the_contract(self) -> None:
        def scaled(x: Any, *, factor: float = 2.0) -> Any:
            """Scale x."""
            return factor * x

        def declared(signature: str, macs: str) -> None:
            operator(signature, title="", family=Family("f", "F", "loss"), source="none", macs=macs)(scaled)

        with pytest.raises(ContractError, match=r"^operator scaled: macs counts D, factor, which is no size of x"):
            declared("x[... C] -> [... C]", "... C D factor")
        with pytest.raises(ContractError, match=r"^operator scaled: macs counts \.\.\., which is no size of x"):
            declared("x[C] -> [C]", "... C")
