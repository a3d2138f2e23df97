"""Axes by their size expressions: two axes are the same if and only if their expressions are equal.

Inside the engine an axis is a short label, the expression as the contributor wrote it first; the table gives the same
label to every equal expression, so that axes are compared as texts and messages show familiar ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from atlas.exceptions import FormulaError, SizeError
from atlas.formula.names import canonical
from atlas.sizes import Size, constant, size, symbol

if TYPE_CHECKING:
    from atlas.formula.nodes import Node

ONE = constant(1)
"""The length that an axis has more than its last index is above the first."""


class AxisTable:
    """Labels of axes, under the declared relations between sizes."""

    def __init__(self, relations: Mapping[str, Size]) -> None:
        """Take the relations between sizes, each a canonical name with the expression that it equals.

        Raises:
            FormulaError: sizes are defined by each other in a circle, or something is divided by a sum.
        """
        self._resolved = dict(relations)
        for _ in relations:
            self._resolved = {name: _substituted(value, relations) for name, value in self._resolved.items()}
        for name, value in self._resolved.items():
            if value.symbols & relations.keys():
                raise FormulaError("A244", f"the size `{name}` depends on itself", symbol=name)
        self.relations = tuple(self._resolved.items())
        """What sizes equal, in those only that no relation defines."""
        self._labels: dict[Size, str] = {}
        self._sizes: dict[str, Size] = {}
        self._spans: dict[tuple[Node, Node], str | None] = {}

    def __getstate__(self) -> dict[str, object]:
        """Without what was looked up on the way, which other formulas would hardly ask for."""
        return {**vars(self), "_spans": {}}

    def label(self, expression: Size, shown: str = "") -> str:
        """The label of the axis with this size; a new one is shown as given, else in canonical order.

        Raises:
            FormulaError: as `resolve`.
        """
        resolved = self.resolve(expression)
        if resolved not in self._labels:
            text = shown or str(expression)
            self._labels[resolved] = text if text not in self._sizes else str(resolved)
            self._sizes[self._labels[resolved]] = resolved
        return self._labels[resolved]

    def span(self, lower: Node, upper: Node) -> str | None:
        """The label of the axis that indices run over from the first bound to the second; None if one is no size.

        Raises:
            FormulaError: as `resolve`.
        """
        from atlas.formula.node_sizes import size_of  # and with it the tree of formulas, which few edits ask for

        bounds = (lower, upper)
        known = self._spans.get(bounds, "")  # which is no label, and looks for the nodes once
        if known == "":
            first, last = size_of(lower), size_of(upper)
            known = self._spans[bounds] = None
            if first is not None and last is not None:
                known = self._spans[bounds] = self.label(last if first == ONE else last + -first + ONE)
        return known

    def resolve(self, expression: Size) -> Size:
        """The expression in those sizes only that no relation defines.

        Raises:
            FormulaError: it would be divided by a sum.
        """
        return _substituted(expression, self._resolved)

    def size(self, label: str) -> Size:
        """The resolved size expression of a label that the table has given."""
        return self._sizes[label]

    def within(self, label: str, other: str) -> bool:
        """Whether an index over the first axis always stays within the other."""
        return label == other or self.size(label).fits_within(self.size(other))


def _substituted(expression: Size, relations: Mapping[str, Size]) -> Size:
    try:
        return expression.substitute(relations)
    except SizeError:
        name = min(expression.symbols & relations.keys())
        message = f"`{name}` is {relations[name]}, and no size can be divided by a sum, as {expression} is"
        raise FormulaError(
            "A244", message, symbol=name, hint="divide by a size that is free, or by a product of such"
        ) from None


def read_size(expression: str) -> Size:
    """A declared size expression with its symbols in canonical spelling.

    Raises:
        FormulaError: the expression cannot be read.
    """
    try:
        return _declared(expression)
    except SizeError as error:
        raise FormulaError(
            "A244", str(error), hint="axes are size expressions, such as `h d_v`, `2r` or `H-k+1`"
        ) from None


# Cached, as the same few axes are declared by all symbols of an entry, and by all entries of a model.
@lru_cache(maxsize=4096)
def _declared(expression: str) -> Size:
    found = size(expression.strip())
    return found.substitute({name: symbol(canonical(name)) for name in found.symbols})
