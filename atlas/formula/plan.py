"""Which definitions depend on which, in what order they are evaluated, and which of them are recurrences.

A recurrence is a cycle of definitions in which some name is read at a shifted index; it is stepped along that index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from atlas.exceptions import FormulaError
from atlas.formula.tree import Definition, IndexName, Name, Node, Number, Subscript, Sum, System, walk


@dataclass(frozen=True, slots=True)
class Plan:
    """How the equations of a formula hang together."""

    mains: Mapping[str, tuple[Definition, ...]]
    """Each defined name with its equations; several where it is defined piece by piece."""
    starts: Mapping[str, Mapping[int, Definition]]
    """Each name with the equations of its start values, by step."""
    cycles: Mapping[str, tuple[str, ...]]
    """Each name that is part of a recurrence, with all names of the cycle."""
    steps: Mapping[str, int]
    """For those names, which subscript is the step."""
    mentions: Mapping[str, frozenset[str]]
    """Each defined name with the names, sizes and functions in its equations, those of start values included."""
    order: tuple[str, ...]
    """All names that are values; a name stands after those that it needs."""


def make_plan(system: System, base: int) -> Plan:
    """Find dependencies and recurrences.

    Raises:
        FormulaError: a definition needs itself and is no recurrence, or a single entry of a value is defined.
    """
    mains: dict[str, tuple[Definition, ...]] = {}
    starts: dict[str, dict[int, Definition]] = {}
    mentions: dict[str, frozenset[str]] = {}
    needs: dict[str, frozenset[str]] = {}
    for found in system.definitions:
        named, others = found.mentioned
        mentions[found.name] = named.union(others, mentions.get(found.name, ()))
        if found.start is None:
            mains[found.name] = (*mains.get(found.name, ()), found)
            needs[found.name] = named.difference(found.parameters).union(others, needs.get(found.name, ()))
        else:
            starts.setdefault(found.name, {})[found.start] = found
    reach = _closure({name: set(needs[name] & mains.keys()) for name in mains})
    cycles = {
        name: tuple(other for other in mains if other in reach[name] and name in reach[other])
        for name in mains
        if name in reach[name]
    }
    for name, equations in starts.items():
        for step, found in equations.items():
            if step >= base and name not in cycles:
                message = f"`{name}_{step}` is one entry of `{name}`, which is no recurrence"
                hint = f"define `{name}_i` for all `i`, or declare `{name}_{step}` as a symbol"
                raise FormulaError("A235", message, found.left_span, hint)
    steps: dict[str, int] = {}
    for members in dict.fromkeys(cycles.values()):
        steps |= _steps(members, mains)
    order = sorted(mains, key=lambda name: len(reach[name]))
    values = tuple(name for name in order if not mains[name][0].parameters)
    return Plan(mains, starts, cycles, steps, mentions, values)


def _closure(needs: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Every name with all names that it needs, directly or not."""
    reach = {name: set(direct) for name, direct in needs.items()}
    for middle in reach:
        for found in reach.values():
            if middle in found:
                found |= reach[middle]
    return reach


def _steps(members: tuple[str, ...], mains: Mapping[str, tuple[Definition, ...]]) -> dict[str, int]:
    """Which subscript of each name of a cycle is the step."""
    for name in members:
        if len(mains[name]) != 1 or mains[name][0].parameters or not mains[name][0].indices:
            message = f"`{name}` is defined by itself"
            if len(members) > 1:
                message += f", through {' and '.join(f'`{other}`' for other in members if other != name)}"
            raise FormulaError("A237", message, mains[name][0].left_span, "a recurrence is written `h_t = ... h_{t-1}`")
    found: dict[str, int] = {}
    for name in members:
        place = _shifted(name, [node for member in members for node in walk(mains[member][0])])
        if place is not None and place < len(mains[name][0].indices):
            found[name] = place
    running = {_index_at(mains[name][0], place) for name, place in found.items()}
    for name in members:
        if name in found:
            continue
        indices = mains[name][0].indices
        places = [at for at, node in enumerate(indices) if isinstance(node, IndexName) and node.name in running]
        if not places:
            hint = "a recurrence reads an earlier step, as in `h_{t-1}`"
            raise FormulaError("A237", f"`{name}` is defined by itself", mains[name][0].left_span, hint)
        found[name] = places[0]
    return found


def _index_at(found: Definition, place: int) -> str:
    node = found.indices[place]
    if not isinstance(node, IndexName):
        hint = "write the left side of a recurrence as `h_t`, and earlier steps as `h_{t-1}`"
        raise FormulaError("A238", f"the step of `{found.name}` is not a single letter", node.span, hint)
    return node.name


def _shifted(name: str, nodes: list[Node]) -> int | None:
    """The subscript at which the name is read at a shifted index: one where no read looks ahead, if there is one."""
    shifts: dict[int, list[str]] = {}
    for node in nodes:
        if isinstance(node, Subscript) and isinstance(node.base, Name) and node.base.name == name:
            for place, index in enumerate(node.indices):
                if (sign := _shift(index)) != "":
                    shifts.setdefault(place, []).append(sign)
    backwards = [place for place, signs in shifts.items() if "+" not in signs]
    return min(backwards or shifts, default=None)


def _shift(index: Node) -> str:
    """The sign of the number that is added to an index variable; empty for another index."""
    match index:
        case Sum(terms=(first, second)) if isinstance(first.value, IndexName) and isinstance(second.value, Number):
            return second.sign
        case _:
            return ""
