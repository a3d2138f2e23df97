"""The decorator, the checks around a call, and the catalogue."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any, NamedTuple

import numpy as np
import pytest

from atlas.exceptions import ContractError, OptionError, ShapeError, UnknownOperatorError
from atlas.operators.catalogue import CATALOGUE, FAMILIES, find
from atlas.operators.contract import Contract
from atlas.operators.family import KINDS, Family
from atlas.operators.layer_norm import layer_norm, layer_norm_outer_epsilon
from atlas.operators.options import Positive
from atlas.operators.registry import Operator, collect, families, look_up, operator

Made = Callable[[Callable[..., Any]], Operator]
FAMILY = Family("family", "A family", "activation")


def declared(signature: str, **more: Any) -> Made:
    facts: dict[str, Any] = {"title": "A title", "family": FAMILY, "source": "none", "macs": "0"} | more
    return operator(signature, **facts)


class Best(NamedTuple):
    values: Any
    indices: Any


@declared("g[... n] -> values[... k], indices: int[... k]", nonempty=("n",))
def largest(g: Any, *, k: Positive) -> Best:
    """Take the k largest along the last axis."""
    indices = np.argsort(-g, axis=-1)[..., :k]
    return Best(np.take_along_axis(g, indices, -1), indices)


@declared("t: int(V)[...], E[V d], shift?[d] -> [... d]", parameters=("E",))
def look_up_rows(t: Any, E: Any, shift: Any) -> Any:  # noqa: N803  # the formula's own symbol
    """Take rows of a table."""
    return E[t] if shift is None else E[t] + shift


class TestOperator:
    def test_what_a_page_shows(self) -> None:
        assert layer_norm.name == "layer_norm"
        assert layer_norm.title == "LayerNorm"
        assert layer_norm.family == "layer-norm"
        assert layer_norm.source == "arXiv:1607.06450"
        assert layer_norm.parameters == ("gamma", "beta")
        assert layer_norm.conventions == {"axis": "last", "epsilon": "inside the root", "variance": "biased"}
        assert layer_norm.summary == "Centre and scale each feature vector, then apply a learned affine map."
        assert "parameters C + C" in layer_norm.description
        assert str(layer_norm.contract) == "x[... C], gamma[C], beta[C] -> result[... C]"
        assert repr(layer_norm) == "<Operator layer_norm: x[... C], gamma[C], beta[C] -> result[... C]>"
        assert layer_norm.options["epsilon"].default == 1e-6
        assert layer_norm_outer_epsilon.conventions["epsilon"] == "outside the root"

    def test_its_own_source(self) -> None:
        source = layer_norm.reference_source()
        assert source.startswith('@operator(\n    "x[... C], gamma[C], beta[C] -> [... C]",\n')
        assert source.endswith("    return gamma * centred / np.sqrt(variance + epsilon) + beta\n")
        assert "layer_norm_outer_epsilon" not in source

    def test_it_is_frozen(self) -> None:
        with pytest.raises(FrozenInstanceError):
            layer_norm.name = "other"  # type: ignore[misc]  # the point
        with pytest.raises(TypeError):
            layer_norm.conventions["axis"] = "first"  # type: ignore[index]  # the point
        with pytest.raises(TypeError):
            CATALOGUE["other"] = layer_norm  # type: ignore[index]  # the point

    def test_arrays_by_position_or_name(self) -> None:
        x, gamma, beta = np.arange(6.0).reshape(2, 3), np.full(3, 2.0), np.ones(3)
        by_name = layer_norm(x, beta=beta, gamma=gamma, epsilon=0.1)
        np.testing.assert_array_equal(layer_norm(x, gamma, beta, epsilon=0.1), by_name)
        with pytest.raises(ShapeError, match=r"^layer_norm is given gamma twice, by position and by name$"):
            layer_norm(x, gamma, beta, gamma=gamma)
        with pytest.raises(ShapeError, match=r"^layer_norm takes x, gamma, beta, but 4 arrays were given$"):
            layer_norm(x, gamma, beta, x)

    def test_a_misspelt_array_or_option(self) -> None:
        with pytest.raises(OptionError, match=r"^layer_norm has no option gama; it takes epsilon$"):
            layer_norm(np.ones(3), beta=np.ones(3), gama=np.ones(3))

    def test_several_outputs_and_a_size_from_an_option(self) -> None:
        found = largest(np.array([[3, 1, 2], [0, 5, 4]], np.float16), k=2)
        assert isinstance(found, Best)
        np.testing.assert_array_equal(found.values, np.array([[3, 2], [5, 4]], np.float16))
        assert found.values.dtype == np.float16
        np.testing.assert_array_equal(found.indices, [[0, 2], [1, 2]])
        with pytest.raises(OptionError, match=r"^largest needs the option k, a whole number of at least 1$"):
            largest(np.ones((2, 3)))
        with pytest.raises(ShapeError, match=r"^values has shape \(2, 3\), but \[\.\.\. k\] is \(2, 4\)\nindices has"):
            largest(np.ones((2, 3)), k=4)

    def test_integers_and_what_may_be_left_out(self) -> None:
        t, table = np.array([[2, 0]], np.int8), np.arange(6, dtype=np.float32).reshape(3, 2)
        np.testing.assert_array_equal(look_up_rows(t, table), [[[4, 5], [0, 1]]])
        assert look_up_rows(t, table).dtype == np.float32
        shifted = look_up_rows(t, table, shift=np.ones(2))
        np.testing.assert_array_equal(shifted, [[[5, 6], [1, 2]]])
        assert shifted.dtype == np.float32

    def test_outputs_that_break_the_contract(self) -> None:
        @declared("x[... C] -> [... C]")
        def shrunk(x: Any) -> Any:
            """Drop a feature."""
            return x[..., 1:]

        with pytest.raises(ShapeError, match=r"^result has shape \(2, 2\), but \[\.\.\. C\] is \(2, 3\)$"):
            shrunk(np.ones((2, 3)))

        @declared("x[C] -> a[C], b[C]")
        def pair(x: Any) -> Any:
            """Return a tuple without names."""
            return x, x

        with pytest.raises(ShapeError, match=r"^pair returned a tuple, not a named tuple of a, b$"):
            pair(np.ones(3))

    @pytest.mark.parametrize(("shape", "batch"), [((0, 2), "(0,)"), ((3, 0, 2), "(3, 0)")])
    def test_batch_axes_that_must_not_be_empty(self, shape: tuple[int, ...], batch: str) -> None:
        @declared("x[... C] -> [C]", nonempty=("...",))
        def average(x: Any) -> Any:
            """Average over the batch."""
            return x.mean(axis=tuple(range(x.ndim - 1)))

        assert average(np.ones((2, 0))).shape == (0,)
        with pytest.raises(ShapeError) as caught:
            average(np.ones(shape))
        assert str(caught.value) == f"x has batch axes {batch}, but average needs at least 1 on each"
        assert caught.value.misfits == (("x", str(caught.value)),)


def double(x: Any) -> Any:
    """Double x."""
    return 2 * x


def bare(x: Any) -> Any:
    return x


def with_rest(x: Any, *more: Any) -> Any:
    """Take any number of arrays."""
    return x, more


def with_epsilon(x: Any, *, epsilon: float = 0.5) -> Any:
    """Add epsilon."""
    return x + epsilon


class TestDeclarations:
    @pytest.mark.parametrize(
        ("made", "function", "message"),
        [
            (declared("y[C] -> [C]"), double, r"operator double: the function takes \(x\), the contract y"),
            (declared("x[C], y[C] -> [C]"), double, r"operator double: the function takes \(x\), the contract x, y"),
            (declared("x[C] -> [C]"), with_rest, r"operator with_rest: the function takes \(x, \*more\), the"),
            (declared("x[C] -> [D]"), double, "operator double: nothing determines D in "),
            (declared("x[C] -> [C]", parameters=("gamma",)), double, "operator double: gamma is neither"),
            (declared("x[C] -> [C]", nonempty=("D",)), double, "operator double: D is neither"),
            (declared("x[C] -> [C]", nonempty=("...",)), double, r"operator double: \.\.\. is neither"),
            (declared("x[C epsilon] -> [C]"), with_epsilon, "operator with_epsilon: option epsilon is a size of "),
            (declared("x[C] -> [C]", active={"x": {"C": "k"}}), double, "operator double: a token cannot use a "),
            (
                declared("x[C] -> [C]", parameters=("x",), active={"x": {"D": "k"}}),
                double,
                "operator double: a token cannot use a part of D, which is no axis of x",
            ),
            (
                declared("x[C] -> [C]", parameters=("x",), active={"x": {"C": "epsilon"}}),
                with_epsilon,
                "operator with_epsilon: epsilon, which says how much of C a token uses, is no whole option",
            ),
            (declared("x[C] -> [C]"), bare, "operator bare: a docstring is missing"),
            (declared("x[C] -> [C]", gradient=layer_norm.gradient), double, "operator double: its gradient takes x"),
        ],
    )  # fmt: skip
    def test_what_contradicts_itself(self, made: Made, function: Callable[..., Any], message: str) -> None:
        with pytest.raises(ContractError, match=f"^{message}"):
            made(function)

    def test_a_signature_is_read_when_it_is_declared(self) -> None:
        with pytest.raises(ContractError, match=r"^signature, character 5: "):
            declared("x[C -> [C]")

    @pytest.mark.parametrize(
        ("signature", "function", "message"),
        [
            ("x[C], dy[C] -> y[C]", "no_options", r"its gradient returns y\[C\], which is the gradient of nothing"),
            ("x[C], dy[C] -> x[]", "no_options", r"its gradient returns x\[\], which is the gradient of nothing"),
            ("x[C], dy[C] -> x[C]", "no_options", "its gradient has other options: "),
            ("x[C], dy[] -> x[C]", "no_options", r"its gradient takes x\[C\], dy\[\] -> x\[C\], which does not follow"),
        ],
    )
    def test_a_gradient_that_is_none(self, signature: str, function: str, message: str) -> None:
        @declared(signature)
        def no_options(x: Any, dy: Any) -> Any:
            """Look like a gradient."""
            return x + dy

        assert no_options.name == function
        with pytest.raises(ContractError, match=f"^operator with_epsilon: {message}"):
            declared("x[C] -> [C]", gradient=no_options)(with_epsilon)

    def test_a_gradient_with_the_outputs_shape_and_the_same_options(self) -> None:
        @declared("x[C], dy[C] -> x[C]")
        def right(x: Any, dy: Any, *, epsilon: float) -> Any:
            """Bring dy back."""
            return dy + 0 * x * epsilon

        assert declared("x[C] -> [C]", gradient=right)(with_epsilon).gradient is right


class TestCatalogue:
    def test_what_there_is(self) -> None:
        assert list(CATALOGUE) == sorted(CATALOGUE)
        assert FAMILIES["layer-norm"] == (layer_norm, layer_norm_outer_epsilon)
        assert [one for family in FAMILIES.values() for one in family if one.name not in CATALOGUE] == []
        assert sum(len(family) for family in FAMILIES.values()) == len(CATALOGUE)
        assert find("layer_norm") is layer_norm
        for name, one in CATALOGUE.items():
            assert one.name == name
            assert (
                one.gradient is None or one.gradient.contract.inputs[: len(one.contract.inputs)] == one.contract.inputs
            )

    @pytest.mark.parametrize("name", CATALOGUE)
    def test_each_says_what_it_does(self, name: str) -> None:
        one = CATALOGUE[name]
        assert one.summary.endswith(".")
        for part in ("Shapes: ", "Units: ", "Errors: ", "Source: "):
            assert f"\n{part}" in one.description, part
        assert one.source.startswith("arXiv:") or one.source == "in common use"
        assert len(one.reference_source().splitlines()) < 60
        assert all(argument in {each.name for each in one.contract.inputs} for argument in one.parameters)

    def test_formulations_of_one_family_differ_in_a_convention(self) -> None:
        for family in FAMILIES.values():
            stated = [tuple(one.conventions.values()) for one in family]
            assert len(set(stated)) == len(family), family

    @pytest.mark.parametrize(
        ("name", "end", "near"),
        [
            ("layernorm", "; did you mean layer_norm?", "layer_norm"),
            ("layer_norm_outer_epsilom", "; did you mean layer_norm_outer_epsilon?", "layer_norm_outer_epsilon"),
            ("self_attn", "", None),
        ],
    )
    def test_an_unknown_name(self, name: str, end: str, near: str | None) -> None:
        with pytest.raises(UnknownOperatorError) as caught:
            find(name)
        message = f"no operator is called {name!r}; these exist: {', '.join(CATALOGUE)}{end}"
        assert (str(caught.value), caught.value.nearest) == (message, near)

    def test_an_empty_catalogue(self) -> None:
        with pytest.raises(UnknownOperatorError, match=r"^no operator is called 'relu'; none exist$"):
            look_up({}, "relu")

    def test_a_duplicate_name(self) -> None:
        @declared("x[C] -> [C]")
        def layer_norm(x: Any) -> Any:
            """Take a name that is taken."""
            return x

        with pytest.raises(
            ContractError, match=r"^two operators are called layer_norm: in atlas\.operators\.layer_norm "
        ):
            collect([*CATALOGUE.values(), layer_norm])

    def test_one_family_states_the_same_conventions(self) -> None:
        first = declared("x[C] -> [C]", conventions={"axis": "last"})(double)
        second = declared("x[C] -> [C]", conventions={"scale": "none"})(with_epsilon)
        with pytest.raises(ContractError, match=r"^double and with_epsilon are of one family, .* are axis and scale$"):
            collect([first, second])

    def test_one_family_is_described_once(self) -> None:
        first = declared("x[C] -> [C]")(double)
        second = declared("x[C] -> [C]", family=Family("family", "Another title", "activation"))(with_epsilon)
        with pytest.raises(ContractError, match=r"^double and with_epsilon describe their family family differently$"):
            collect([first, second])

    def test_kinds(self) -> None:
        made = declared("x[C] -> [C]", family=Family("b", "B", "loss"))(double)
        assert (made.kind, made.family, made.belongs_to.title) == ("loss", "b", "B")
        unknown = Family("b", "B", "noise")  # type: ignore[arg-type]  # the point
        with pytest.raises(
            ContractError, match=r"^operator double: noise is no kind of operator; these are: embedding, "
        ):
            declared("x[C] -> [C]", family=unknown)(double)

    def test_every_kind_has_an_operator_and_every_family_a_title_of_its_own(self) -> None:
        assert {one.kind for one in CATALOGUE.values()} == set(KINDS)
        titles = {family: members[0].belongs_to.title for family, members in FAMILIES.items()}
        assert len(set(titles.values())) == len(titles)
        assert titles["rotary-positions"] == "Rotary positions"
        for name, kind in {
            "layer_norm": "normalization", "attention_causal": "attention", "join_heads": "projection",
            "unembedding": "projection", "feed_forward_relu": "feed-forward", "embedding": "embedding",
            "rope_half": "position", "top_k_routing": "routing", "convolution_2d": "convolution",
            "max_pool_2d": "pooling", "add": "residual", "cross_entropy": "loss", "linear_recurrence": "recurrence",
        }.items():  # fmt: skip
            assert CATALOGUE[name].kind == kind

    def test_families_are_sorted(self) -> None:
        first = declared("x[C] -> [C]", family=Family("b", "B", "loss"))(double)
        second = declared("x[C] -> [C]", family=Family("a", "A", "loss"))(with_epsilon)
        assert list(families(collect([first, second, largest]))) == ["a", "b", "family"]

    def test_importing_has_no_effect(self) -> None:
        code = "import sys, warnings; warnings.simplefilter('error'); import atlas.operators.catalogue; print(sys.argv)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603  # our own text
        assert (done.stdout, done.stderr) == ("['-c']\n", "")


def test_contracts_of_operators_print_and_parse() -> None:
    for one in [*CATALOGUE.values(), largest, look_up_rows]:
        assert Contract.parse(str(one.contract)) == one.contract
