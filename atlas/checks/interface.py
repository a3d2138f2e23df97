"""The seam between an entry and its operator: which operator, what its symbols bind, options, conventions.

Shapes and parameters can only be checked across a seam that holds, so this check comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from atlas.checks.base import listed, unknown
from atlas.entries.atlas import Entry
from atlas.entries.validate import is_number
from atlas.exceptions import OptionError, UnknownOperatorError
from atlas.issues import Issue
from atlas.operators.catalogue import FAMILIES, find
from atlas.operators.registry import Operator
from atlas.sizes import size


def check_interface(entry: Entry) -> tuple[Operator | None, list[Issue]]:
    """The entry's operator, where there is one, and what does not fit between the two."""
    try:
        operator = find(entry.data.operator)
    except UnknownOperatorError as error:
        hint = f"did you mean `{error.nearest}`?" if error.nearest else error.exist
        return None, [entry.issue(("operator",), "A136", error.fact, hint)]
    issues = [
        *_bindings(entry, operator),
        *_options(entry, operator),
        *_conventions(entry, operator),
        *_executions(entry, operator),
    ]
    return operator, issues


def bound_to(entry: Entry, name: str) -> str | None:
    """The symbol that stands for an argument, option or result of the operator."""
    return next((symbol for symbol, declared in entry.data.symbols.items() if declared.binds == name), None)


def _bindings(entry: Entry, operator: Operator) -> Iterator[Issue]:
    arguments = [argument.name for argument in operator.contract.inputs]
    results = [output.name for output in operator.contract.outputs]
    can_bind = [*arguments, *operator.options, *results]
    seen: dict[str, str] = {}
    misnamed = False
    for name, symbol in entry.data.symbols.items():
        path = ("symbols", name)
        if symbol.binds is None:
            continue
        if symbol.binds not in can_bind:
            misnamed = True
            message = f"{operator.name} has nothing called {symbol.binds}"
            yield unknown(entry, (*path, "binds"), "A133", message, symbol.binds, can_bind)
        elif symbol.binds in seen:
            misnamed = True
            message = f"{symbol.binds} is already bound by {seen[symbol.binds]}"
            free = [other for other in can_bind if other not in {each.binds for each in entry.data.symbols.values()}]
            yield entry.issue((*path, "binds"), "A135", message, f"not bound: {listed(free)}" if free else "")
        seen.setdefault(symbol.binds, name)
        if symbol.binds in operator.options and symbol.axes:
            message = f"{symbol.binds} is an option of {operator.name}, a number without axes"
            yield entry.issue((*path, "axes"), "A301", message, "write `axes: []`")
    if not misnamed:  # else the name that is missing is the one that was meant
        yield from _unbound(entry, operator, seen)


def _unbound(entry: Entry, operator: Operator, seen: Mapping[str, str]) -> Iterator[Issue]:
    results = [output.name for output in operator.contract.outputs]
    required = [argument.name for argument in operator.contract.inputs if not argument.optional]
    missing = [name for name in (*required, *results) if name not in seen]
    binding_nothing = [name for name, symbol in entry.data.symbols.items() if symbol.binds is None]
    for name in missing:
        what = "the result" if name in results else f"the argument {name}"
        only = binding_nothing if len(binding_nothing) == len(missing) == 1 else []
        message = f"no symbol stands for {what} of {operator.name}"
        hint = f"give {only[0] if only else 'the symbol'} `binds: {name}`"
        yield entry.issue_at_key(("symbols", *only), "A134", message, hint)


def _options(entry: Entry, operator: Operator) -> Iterator[Issue]:
    for name, value in entry.data.arguments.items():
        try:
            operator.check_options({name: value})
        except OptionError as error:
            if error.option != name:
                continue
            if name in operator.options:
                hint = f"write {operator.options[name].wanted}" + _default(operator, name)
                if isinstance(value, str) and is_number(value):
                    hint = f"remove the quotes: {value}"
                yield entry.issue(("arguments", name), "A138", error.fact, hint)
            else:
                yield unknown(entry, ("arguments", name), "A137", error.fact, name, operator.options, at_key=True)
    lengths = {name for symbol in entry.data.symbols.values() for axis in symbol.axes for name in size(axis).symbols}
    sized = {one.binds for name, one in entry.data.symbols.items() if one.between is not None or name in lengths}
    for option in operator.options.values():
        if option.required and option.name not in entry.data.arguments and option.name not in sized:
            message = f"{operator.name} needs the option {option.name}: {option.wanted}"
            yield entry.issue_at_key(("arguments",), "A137", message, f"add `{option.name}` to `arguments`")


def _default(operator: Operator, name: str) -> str:
    """The end of a hint about an option: what follows from leaving it out, where it may be left out."""
    option = operator.options[name]
    return "" if option.required else f", or leave it out for the default, {option.default}"


def _conventions(entry: Entry, operator: Operator) -> Iterator[Issue]:
    stated, computes = entry.data.conventions, operator.conventions
    differing = [name for name, value in stated.items() if name in computes and computes[name] != value]
    if differing:
        here = listed(f"{name} `{stated[name]}`" for name in differing)
        there = listed(f"{name} `{computes[name]}`" for name in differing)
        message = f"stated is {here}, but {operator.name} computes with {there}"
        right = listed(f"`{name}: {computes[name]}`" for name in differing)
        others = [
            f"`operator: {other.name}`"
            for other in FAMILIES[operator.family]
            if all(other.conventions.get(name) == value for name, value in stated.items())
        ]
        hint = f"write {right}" + (f", or {' or '.join(others)}, which computes with what is stated" if others else "")
        yield entry.issue(("conventions", differing[0]), "A139", message, hint)
    for name in stated:
        if name not in computes:
            message = f"{operator.name} knows no convention {name}"
            yield unknown(entry, ("conventions", name), "A139", message, name, computes, at_key=True)
    missing = [name for name in computes if name not in stated]
    if missing and stated.keys() <= computes.keys():
        message = f"the formulations of {operator.family} differ in {listed(computes)}; state {listed(missing)}"
        hint = ", ".join(f"{name}: {computes[name]}" for name in missing)
        yield entry.issue_at_key(
            ("conventions",), "A139", message, f"add `{hint}`, which {operator.name} computes with"
        )


def _executions(entry: Entry, operator: Operator) -> Iterator[Issue]:
    arguments = [argument.name for argument in operator.contract.inputs]
    for index, execution in enumerate(entry.data.executions):
        where = ("executions", index)
        gradient = operator.gradient if execution.gives == "gradient" else None
        if execution.gives == "gradient" and gradient is None:
            yield entry.issue((*where, "gives"), "A133", f"{operator.name} has no gradient", "write `gives: result`")
            continue
        takes = [argument.name for argument in gradient.contract.inputs] if gradient else arguments
        groups = (
            ("passes", execution.passes, [*takes, *operator.options]),
            ("constructor", execution.constructor, list(operator.options)),
            ("variables", execution.variables, list(operator.parameters)),
        )
        for key, mapping, known in groups:
            for upstream, name in mapping.items():
                if name not in known:
                    message = f"{operator.name} has nothing called {name} to give for {key}"
                    yield unknown(entry, (*where, key, upstream), "A133", message, name, known)
