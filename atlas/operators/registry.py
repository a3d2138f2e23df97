"""Makes an operator from a function by a decorator, and a catalogue from explicit imports.

An operator checks its arrays and options before the function runs and its outputs afterwards, and computes in at least
the precision it promises; so the functions themselves stay as short as the formula.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from atlas.exceptions import ContractError, ShapeError, UnknownOperatorError
from atlas.operators.contract import Array, Binding, Contract
from atlas.operators.family import KINDS, Family, Kind
from atlas.operators.macs import Macs
from atlas.operators.options import Option, nearest, options_of, resolve
from atlas.operators.signature import BATCH
from atlas.sizes import Size, constant, size


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operator:
    """An executable reference: call it with arrays, and with options by keyword.

    Numbers: floating-point arrays are computed in the widest of their types, but at least in `precision`. An output has
    the type of the argument of its own name, else of the first floating-point argument; one named after an option (its
    gradient) keeps the type it was computed in. NaN and infinities run through without warnings, and so does a
    division by zero; a finite input that overflows keeps NumPy's warning.
    """

    name: str
    """The function's name."""
    title: str
    """The operator's name as people write it."""
    belongs_to: Family
    """The family whose formulations are shown side by side, such as layer normalization."""
    contract: Contract
    """The arrays it takes and returns."""
    parameters: tuple[str, ...]
    """The arguments that are learned."""
    active: Mapping[str, Mapping[str, str]]
    """Parameters of which one token uses a part: each such axis, with the option that says how much of it."""
    options: Mapping[str, Option]
    """The keyword-only arguments."""
    nonempty: tuple[str, ...]
    """The named sizes that must not be 0, as a mean or maximum is taken over them; `...` stands for the batch axes."""
    precision: str
    """The least floating-point type that it computes in."""
    source: str
    """Where it is published, such as `arXiv:1607.06450`."""
    conventions: Mapping[str, str]
    """What formulations of one family differ in, such as where epsilon stands."""
    function: Callable[..., Any]
    """The function that the decorator was given."""
    gradient: Operator | None
    """The operator that takes the same arrays and the output's gradient and returns theirs, where there is one."""
    cost: Macs
    """How many multiply–accumulates of matrix products and convolutions a call makes, over the contract's axes."""

    def __repr__(self) -> str:
        return f"<Operator {self.name}: {self.contract}>"

    @property
    def family(self) -> str:
        """The name of its family, such as `layer-norm`."""
        return self.belongs_to.name

    @property
    def kind(self) -> Kind:
        """What it does in a model; one of `KINDS`."""
        return self.belongs_to.kind

    @property
    def summary(self) -> str:
        """The first line of the description."""
        return self.description.split("\n", 1)[0]

    @property
    def description(self) -> str:
        """The function's docstring."""
        return inspect.getdoc(self.function) or ""

    def reference_source(self) -> str:
        """The operator's own source text, with its decorator, to be shown on a page."""
        return inspect.cleandoc(inspect.getsource(self.function)) + "\n"

    def check_options(self, given: Mapping[str, object]) -> dict[str, Any]:
        """Every option with the value given or its default.

        Raises:
            OptionError: an option is unknown, missing or has a value that does not fit.
        """
        return resolve(self.options, given, self.name)

    def macs(self, axes: Mapping[str, Sequence[str] | None], options: Mapping[str, object] | None = None) -> Size:
        """How many multiply–accumulates one call makes, for arguments with the axis labels that an entry declares.

        Counted are the products of matrix products and convolutions, half of the floating-point operations that
        profilers report for them. Element-wise work is not counted, nor are sums, lookups, norms and softmaxes; scores
        that a mask hides count, as they are computed. A place of a convolution counts with its whole kernel, also
        where that lies on padding, and a mixture counts the experts that are chosen.

        Args:
            axes: The labels of each argument, as `Contract.bind_labels` takes them: size expressions in canonical form.
            options: The options of the call. A whole number may be given as a size expression, such as `k`.

        Raises:
            ShapeError: labels that do not fit the contract.
            OptionError: an option that is unknown, missing or does not fit.
            SizeError: a label is no size expression, or the count is none, as with a quotient by a sum.
        """
        labels = {
            name: size(value)
            for name, value in (options or {}).items()
            if isinstance(value, str) and name in self.options and self.options[name].type is int
        }
        numbers = {name: value for name, value in (options or {}).items() if name not in labels}
        checked = self.check_options(numbers | {name: self._stand_in(name) for name in labels})
        given = {name: constant(value) for name, value in checked.items() if type(value) is int} | labels
        own = {name: str(value) for name, value in given.items() if name in self.contract.sizes}
        self.contract.bind_labels(axes, own)
        return self.cost.over(self.contract, axes, given)

    def _stand_in(self, name: str) -> int:
        """A number that the option takes, for one whose value is a size expression."""
        return max(1, int(self.options[name].least or 0))

    def __call__(self, *arrays: Array | None, **rest: Any) -> Any:
        """Run the operator; arrays go by position or by name, options by name.

        Raises:
            ShapeError: arrays that do not fit the contract, or, by a mistake of ours, outputs that do not.
            OptionError: an option that is unknown, missing or does not fit.
        """
        given = self._named(arrays, rest)
        options = self.check_options({name: value for name, value in rest.items() if name not in given})
        sizes = {name: options[name] for name in self.contract.sizes if options.get(name) is not None}
        binding = self.contract.bind(given, sizes)
        self._require_features(binding)
        wide = self._wide(given)
        widened = [_converted(given.get(argument.name), wide) for argument in self.contract.inputs]
        with np.errstate(invalid="ignore", divide="ignore"):
            result = self.function(*widened, **options)
            return self._narrowed(result, given, binding)

    def _named(self, arrays: tuple[Array | None, ...], rest: Mapping[str, Any]) -> dict[str, Array | None]:
        names = [argument.name for argument in self.contract.inputs]
        if len(arrays) > len(names):
            raise ShapeError(f"{self.name} takes {', '.join(names)}, but {len(arrays)} arrays were given")
        given = dict(zip(names, arrays, strict=False))
        for name in names:
            if name in given and name in rest:
                raise ShapeError(f"{self.name} is given {name} twice, by position and by name")
        return given | {name: rest[name] for name in names if name in rest}

    def _require_features(self, binding: Binding) -> None:
        for axis in self.nonempty:
            if axis == BATCH and 0 in binding.batch:
                at = next(one for one in self.contract.inputs if one.batched)
                message = f"{at.name} has batch axes {binding.batch}, but {self.name} needs at least 1 on each"
                raise ShapeError(message, ((at.name, message),))
            if axis != BATCH and binding.sizes[axis] == 0:
                at = next(one for one in self.contract.inputs if axis in map(str, one.axes))
                message = f"{at.name} has 0 on axis {axis}, but {self.name} needs at least 1 there"
                raise ShapeError(message, ((at.name, message),))

    def _wide(self, given: Mapping[str, Array | None]) -> np.dtype[Any]:
        floats = [array.dtype for array in given.values() if array is not None and array.dtype.kind == "f"]
        return np.result_type(np.dtype(self.precision), *floats)

    def _narrowed(self, result: Any, given: Mapping[str, Array | None], binding: Binding) -> Any:
        """The outputs, checked and in the types that callers expect."""
        names = tuple(output.name for output in self.contract.outputs)
        single = len(names) == 1
        if not single and getattr(result, "_fields", ()) != names:
            raise ShapeError(f"{self.name} returned a {type(result).__name__}, not a named tuple of {', '.join(names)}")
        outputs = (result,) if single else tuple(result)
        self.contract.check_outputs(outputs, binding)
        floats = [array for array in given.values() if array is not None and array.dtype.kind == "f"]
        narrow = []
        for output, array in zip(self.contract.outputs, outputs, strict=True):
            like = given.get(output.name)
            if like is None and floats and output.name not in self.options:
                like = floats[0]
            narrow.append(array if output.integer or like is None else np.asarray(array).astype(like.dtype, copy=False))
        return narrow[0] if single else type(result)(*narrow)


def _converted(array: Array | None, wide: np.dtype[Any]) -> Any:
    if array is None or array.dtype.kind != "f":
        return array
    return np.asarray(array).astype(wide, copy=False)


def operator(
    signature: str,
    *,
    title: str,
    family: Family,
    source: str,
    macs: str,
    parameters: tuple[str, ...] = (),
    active: Mapping[str, Mapping[str, str]] | None = None,
    conventions: Mapping[str, str] | None = None,
    nonempty: tuple[str, ...] = (),
    precision: str = "float32",
    gradient: Operator | None = None,
) -> Callable[[Callable[..., Any]], Operator]:
    """Make an operator of a function whose positional parameters are the contract's arguments.

    `macs` is what a call costs, over the contract's axes and the options that are whole numbers: see `Operator.macs`.

    Raises:
        ContractError: the declaration contradicts itself or the function.
    """
    contract, cost = Contract.parse(signature), Macs.parse(macs)

    def made(function: Callable[..., Any]) -> Operator:
        name = function.__name__
        try:
            options = options_of(function)
            _check_declaration(contract, function, options, (*parameters, *nonempty))
            _check_cost(contract, cost, options)
            _check_active(contract, parameters, options, active or {})
            _check_gradient(contract, options, gradient)
            if family.kind not in KINDS:
                raise ContractError(f"{family.kind} is no kind of operator; these are: {', '.join(KINDS)}")
        except ContractError as error:
            raise ContractError(f"operator {name}: {error}") from None
        facts = MappingProxyType(dict(conventions or {}))
        return Operator(
            name,
            title,
            family,
            contract,
            parameters,
            MappingProxyType({name: MappingProxyType(dict(axes)) for name, axes in (active or {}).items()}),
            options,
            nonempty,
            precision,
            source,
            facts,
            function,
            gradient,
            cost,
        )

    return made


def _check_declaration(
    contract: Contract, function: Callable[..., Any], options: Mapping[str, Option], named: tuple[str, ...]
) -> None:
    signature = inspect.signature(function).parameters.values()
    positional = [parameter.name for parameter in signature if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
    names = [argument.name for argument in contract.inputs]
    if positional != names or len(positional) + len(options) != len(signature):
        takes = ", ".join(str(parameter).split(":")[0] for parameter in signature)
        raise ContractError(f"the function takes ({takes}), the contract {', '.join(names)}")
    contract.require_solvable(
        [option.name for option in options.values() if option.type is int and not option.nullable]
    )
    for option in options.values():
        if option.name in contract.sizes and option.type is not int:
            raise ContractError(f"option {option.name} is a size of {contract}, so it must be annotated as int")
    for name in named:
        if name not in (*names, *contract.sizes, *_batch(contract)):
            raise ContractError(f"{name} is neither an argument nor a size of {contract}")
    if not inspect.getdoc(function):
        raise ContractError("a docstring is missing; its first line is the operator's summary")


def _check_cost(contract: Contract, cost: Macs, options: Mapping[str, Option]) -> None:
    numbers = {option.name for option in options.values() if option.type is int and not option.nullable}
    if unknown := sorted(cost.names - {*contract.sizes, *_batch(contract), *numbers}):
        raise ContractError(f"macs counts {', '.join(unknown)}, which is no size of {contract} and no whole option")


def _check_active(
    contract: Contract,
    parameters: tuple[str, ...],
    options: Mapping[str, Option],
    active: Mapping[str, Mapping[str, str]],
) -> None:
    """What a token uses a part of is learned and has the axis, and an option that is a whole number says how much."""
    shapes = {argument.name: [str(axis) for axis in argument.axes] for argument in contract.inputs}
    for name, axes in active.items():
        if name not in parameters:
            raise ContractError(f"a token cannot use a part of {name}, which is not learned")
        for axis, option in axes.items():
            if axis not in shapes[name]:
                raise ContractError(f"a token cannot use a part of {axis}, which is no axis of {name}")
            if option not in options or options[option].type is not int:
                raise ContractError(f"{option}, which says how much of {axis} a token uses, is no whole option")


def _batch(contract: Contract) -> tuple[str, ...]:
    return (BATCH,) if any(argument.batched for argument in contract.inputs) else ()


def _check_gradient(contract: Contract, options: Mapping[str, Option], gradient: Operator | None) -> None:
    """A gradient takes the arguments, then one array for each output; it returns those of arguments and options."""
    if gradient is None:
        return
    count = len(contract.inputs)
    inputs, rest = gradient.contract.inputs[:count], gradient.contract.inputs[count:]
    if inputs != contract.inputs or [one.shape for one in rest] != [one.shape for one in contract.outputs]:
        raise ContractError(f"its gradient takes {gradient.contract}, which does not follow {contract}")
    shapes = {argument.name: argument.shape for argument in contract.inputs} | dict.fromkeys(options, "[]")
    for output in gradient.contract.outputs:
        if shapes.get(output.name) != output.shape:
            raise ContractError(f"its gradient returns {output}, which is the gradient of nothing that it takes")
    if set(gradient.options) != set(options):
        raise ContractError(f"its gradient has other options: {', '.join(gradient.options)}")


def collect(operators: Iterable[Operator]) -> Mapping[str, Operator]:
    """A catalogue by name, in alphabetic order.

    Raises:
        ContractError: two operators have one name, or two of one family state different titles, kinds or conventions.
    """
    found: dict[str, Operator] = {}
    for one in operators:
        if one.name in found:
            modules = f"in {found[one.name].function.__module__} and in {one.function.__module__}"
            raise ContractError(f"two operators are called {one.name}: {modules}")
        found[one.name] = one
    for members in families(found).values():
        for one in members[1:]:
            if one.belongs_to != members[0].belongs_to:
                raise ContractError(f"{members[0].name} and {one.name} describe their family {one.family} differently")
            if set(one.conventions) != set(members[0].conventions):
                raise ContractError(
                    f"{members[0].name} and {one.name} are of one family, so they must state the same conventions, but "
                    f"these are {', '.join(members[0].conventions)} and {', '.join(one.conventions)}"
                )
    return MappingProxyType(dict(sorted(found.items())))


def families(operators: Mapping[str, Operator]) -> Mapping[str, tuple[Operator, ...]]:
    """The operators of each family, families and operators in alphabetic order."""
    names = sorted({one.family for one in operators.values()})
    members = sorted(operators.values(), key=lambda one: one.name)
    return MappingProxyType({name: tuple(one for one in members if one.family == name) for name in names})


def look_up(operators: Mapping[str, Operator], name: str) -> Operator:
    """The operator of that name.

    Raises:
        UnknownOperatorError: there is none; the message lists those that exist and the nearest.
    """
    if name in operators:
        return operators[name]
    exist = f"these exist: {', '.join(operators)}" if operators else "none exist"
    raise UnknownOperatorError(f"no operator is called {name!r}", exist, nearest(name, operators))
