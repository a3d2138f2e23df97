"""A component's entry with marked blanks, made from an operator's contract.

The formula stays a blank: it is written from the paper, and the check compares it with the operator. An entry whose
formula was generated from the operator would prove nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from atlas.entries.atlas import Collection
from atlas.entries.blanks import blank
from atlas.entries.collection import Library
from atlas.operators.axes import Axis, Name, names
from atlas.operators.options import Option
from atlas.operators.registry import Operator
from atlas.operators.signature import Argument
from atlas.scaffold.letters import symbols
from atlas.scaffold.words import claim_lines, quoted, scalar

_SIZE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a new component will stand, and what is known from there."""

    entry_id: str
    """Its id: collection, stacks and name with slashes between them."""
    collection: Collection
    """Its collection."""
    sources: tuple[str, ...]
    """The manifests that there are."""
    batch: tuple[str, ...]
    """The batch axes, as the author states them, or as all its neighbours have them; empty where neither is so."""
    axes: Mapping[str, str]
    """Sizes of the operator's contract with what they are called in the collection, as the author states them."""


def neighbours_batch(collection: Collection, entry_id: str) -> tuple[str, ...]:
    """The batch axes that all components beside a new one have; empty where they differ."""
    folder = entry_id.rpartition("/")[0]
    batches = {one.data.batch for one in collection.entries if one.id.rpartition("/")[0] == folder}
    return batches.pop() if len(batches) == 1 else ()


def component_text(operator: Operator, place: Place) -> str:
    """The text of the file."""
    return "\n".join(_Scaffold(operator, place).lines()) + "\n"


class _Scaffold:
    def __init__(self, operator: Operator, place: Place) -> None:
        self.operator = operator
        self.place = place
        self.contract = operator.contract
        self.counted = {option for axes in operator.active.values() for option in axes.values()}
        self.bound = [one for one in operator.options.values() if one.type is float or one.name in self.counted]
        arguments = [one.name for one in (*self.contract.inputs, *self.contract.outputs)]
        self.called = symbols([*arguments, *(one.name for one in self.bound)])
        is_batched = any(one.batched for one in self.contract.inputs)
        self.batch = (place.batch or (blank("the batch axis"),)) if is_batched else ()

    def lines(self) -> Iterator[str]:
        yield f"# {self.operator.name}: {self.contract}"
        yield f"# {self.operator.summary}"
        yield f"# Fill in every TODO(…), then run: atlas check {self.place.entry_id}"
        yield f"title: {blank('the name as people say it')}"
        yield f"operator: {self.operator.name}"
        yield from self.arguments()
        yield f"summary: {blank('what it does in one sentence')}"
        yield from self.formula()
        if self.batch:
            yield f"batch: [{', '.join(self.batch)}]"
        yield "symbols:"
        for one in self.contract.inputs:
            yield f"  '{self.called[one.name]}': {{{', '.join(self.symbol(one))}}}"
        for option in self.bound:
            yield f"  '{self.called[option.name]}': {{{', '.join(self.option(option))}}}"
        for one in self.contract.outputs:
            yield f"  '{self.called[one.name]}': {{{', '.join(self.symbol(one))}}}"
        yield from self.ports()
        if self.operator.conventions:
            yield "conventions:"
            yield from (f"  {name}: {scalar(value)}" for name, value in self.operator.conventions.items())
        claim = "shown"
        if isinstance(self.place.collection.data, Library):
            yield from _api(claim)
        yield "sources:"
        data = self.place.collection.data
        yield from claim_lines(claim, (data.source,) if isinstance(data, Library) else self.place.sources)

    def arguments(self) -> Iterator[str]:
        """The options that the axes do not give: one with a default has it, a required or a counted one is blank."""
        sizes = {*self.contract.sizes}
        stated = [one for one in self.operator.options.values() if one.name not in sizes]
        values = {
            one.name: blank(f"{one.wanted} as the source has it")
            if one.required or one in self.bound
            else scalar(one.default)
            for one in stated
            if one.required or one in self.bound or one.default is not None
        }
        if values:
            yield f"arguments: {{{', '.join(f'{name}: {value}' for name, value in values.items())}}}"

    def formula(self) -> Iterator[str]:
        """The left sides of what the formula must define, with the symbols that it is made of."""
        names = [self.called[one.name] for one in self.contract.inputs]
        numbers = [one for one in self.bound if one.type is float]
        names += [self.called[one.name] for one in self.bound]
        right = blank(f"an expression of {' and '.join(names)}")
        equations = [f"{self.called[one.name]} &= {right}" for one in self.contract.outputs]
        equations += [rf"{self.called[one.name]} &= {blank('its value')}" for one in numbers]
        if len(equations) == 1:
            yield f"formula: {equations[0].replace(' &=', ' =')}"
            return
        yield "formula: |"
        yield r"  \begin{aligned}"
        yield from (f"  {one}{'' if one is equations[-1] else ' ' + chr(92) * 2}" for one in equations)
        yield r"  \end{aligned}"

    def symbol(self, one: Argument) -> Iterator[str]:
        """The fields of an argument's or a result's symbol."""
        axes = (
            one.joined(tuple(map(self.axis, one.axes)), self.batch) if one.batched else tuple(map(self.axis, one.axes))
        )
        yield f"axes: [{', '.join(axes)}]"
        yield f"binds: {one.name}"
        if one.below is not None:
            yield f"ids: {self.axis(one.below)}"
        if one.name in self.operator.parameters:
            yield f"parameter: {blank('its name in the table of parameters')}"
            active = self.operator.active.get(one.name, {})
            if active:
                parts = (f"{self.size(axis)}: {self.called[option]}" for axis, option in active.items())
                yield f"active: {{{', '.join(parts)}}}"
        else:
            yield f"meaning: {blank('what it is in a few words')}"

    def option(self, one: Option) -> Iterator[str]:
        """The fields of an option's symbol."""
        yield "axes: []"
        yield f"binds: {one.name}"
        if one.type is int:
            yield f"between: [{int(one.least or 0)}, {blank('the most that it may be')}]"
        else:
            yield f"meaning: {blank('what it is for')}"

    def axis(self, axis: Axis) -> str:
        """An axis in sizes of the collection, or a blank."""
        if isinstance(axis, Name):
            return self.size(str(axis))
        text = str(axis)
        if all(name in self.place.axes for name in names(axis)):
            return quoted(_SIZE_NAME.sub(lambda match: self.place.axes[match[0]], text).strip("()"))
        return blank(f"the size {text}")

    def size(self, name: str) -> str:
        """A size of the contract in the collection's own name, or a blank."""
        return quoted(self.place.axes[name]) if name in self.place.axes else blank(f"the size {name}")

    def ports(self) -> Iterator[str]:
        """What enters and leaves; parameters are the component's own. In a library no graph joins the values."""
        is_library = isinstance(self.place.collection.data, Library)

        def value(name: str) -> str:
            return f"'{self.called[name]}'" if is_library else blank(f"value of the model for {name}")

        entering = [one.name for one in self.contract.inputs if one.name not in self.operator.parameters]
        if entering:
            yield "in:"
            yield from (f"  {value(one)}: '{self.called[one]}'" for one in entering)
        yield "out:"
        for one in self.contract.outputs:
            yield f"  {value(one.name)}: '{self.called[one.name]}'"


def _api(claim: str) -> Iterator[str]:
    """The API documentation of a library's layer."""
    yield "api:"
    yield f"  name: {blank('the full public name')}"
    yield f"  excerpt: {claim}"
    yield f"  symbol: {blank('the class or function in the file')}"
    yield "  arguments:  # of the function or of __init__; leave it out for a class whose file has none"
    yield f"    {blank('the first argument of the constructor')}:"
    yield f"      type: {blank('its type')}"
    yield f"      text: {blank('what it does')}"
    yield "  call_arguments:  # of __call__ or forward; leave it out for a function"
    yield f"    {blank('the first argument of the call')}:"
    yield f"      type: {blank('its type')}"
    yield f"      text: {blank('what it is')}"
    yield f"  returns: {{type: {blank('its type')}, text: {blank('what it holds')}}}"
