"""Every value of a model by the names that a reader has for it, with its shape, before anything is computed.

A value has one key, such as `encoder[2].x_{n+1}`; what a layer takes from the one before, and a stack's last value, are
other names of the same value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from atlas.exceptions import UnknownValueError
from atlas.graph.build import spelled
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes, Step, Walk
from atlas.sources.nearest import instead


@dataclass(frozen=True, slots=True)
class Values:
    """The values of a model at certain sizes, and the steps that give them. Made by `values_of`."""

    steps: tuple[Step, ...]
    """Every step in the order of a forward pass."""
    shapes: Mapping[str, tuple[int, ...]]
    """The shape of each value by its key, in the order in which they are computed; the model's inputs come first."""
    others: Mapping[str, str]
    """Other names with the key that each stands for: `encoder[3].x_n`, and `encoder.x_{n+1}` after the last layer."""
    of: Mapping[str, str]
    """For each key the id of the value in the graph: `encoder.x_{n+1}`."""

    def find(self, name: str) -> str:
        """The key of the value with this name, however its braces and spaces are written.

        Raises:
            UnknownValueError: there is none.
        """
        wanted = spelled(name.strip())
        if wanted in self.shapes:
            return wanted
        if wanted in self.others:
            return self.others[wanted]
        names = [*self.shapes, *self.others]
        # What follows the last dot is the value's own name, so one of the same place is nearer than one of another.
        near = [one for one in names if one.rpartition(".")[0] == wanted.rpartition(".")[0]] if "." in wanted else []
        near = get_close_matches(wanted, near or names, n=1, cutoff=0.6)
        firsts = {value: key for key, value in reversed(list(self.of.items()))}
        there = [firsts[value] for value in dict.fromkeys(self.of.values())]
        hint = f"did you mean {near[0]}?" if near else instead(wanted, there, "a run with --trace tells them all")
        raise UnknownValueError(f"no value is called {name}; {hint}")


def values_of(graph: Graph, sizes: Sizes) -> Values:
    """Every value with its shape; nothing is computed.

    Raises:
        SizeError: a size is missing or gives no length; the message names the component.
    """
    walk = Walk(graph, sizes)
    shapes = {name: tuple(axis.value(sizes.numbers) for axis in graph.values[name].axes) for name in graph.inputs}
    of = {name: name for name in graph.inputs}
    steps: list[Step] = []
    for step in walk.steps():
        steps.append(step)
        for port in step.node.gives:
            key = step.writes[port.symbol]
            of[key] = port.value
            shapes[key] = step.shape(port.symbol)
    last = {value: key for value, key in walk.keys.items() if value not in shapes}
    return Values(tuple(steps), shapes, {**last, **walk.aliases}, of)
