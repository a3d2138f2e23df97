"""API documentation of a library's layer, against the pinned source's own signature and attributes.

The source is read with `ast` and never executed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from atlas.checks.base import unknown
from atlas.entries.atlas import Entry
from atlas.entries.component import Api, ApiArgument
from atlas.entries.words import quoted
from atlas.exceptions import ExcerptError
from atlas.issues import Issue
from atlas.sources.definitions import Definition, definitions, dotted, nodes_between
from atlas.sources.store import PinnedText
from atlas.sources.symbols import call_method, constructor, signature

_REGISTERS = ("add_", "register_")
"""Methods with these beginnings give an instance the attribute that their first argument names."""


def check_api(entry: Entry, api: Api, pinned: PinnedText) -> Iterator[Issue]:
    """Signature, defaults, attributes and the experimental notice are those of the pinned source."""
    named = [found for found in definitions(pinned.text) if found.is_named(api.symbol)]
    if not named:
        names = {found.name for found in definitions(pinned.text) if found.kind != "assignment"}
        message = f"{pinned.path} does not define {api.symbol}"
        yield unknown(entry, ("api", "symbol"), "A506", message, api.symbol, names)
        return
    if api.name.split(".")[-1] != api.symbol.split(".")[-1]:
        message = f"`{api.name}` does not end in {api.symbol.split('.')[-1]}, which the source defines"
        hint = "let `name` end in what `symbol` names, or name the other class or function as `symbol`"
        yield entry.issue(("api", "name"), "A506", message, hint)
        return
    is_class = named[-1].kind == "class"
    if not is_class and (api.call_arguments or api.attributes):
        message = f"{api.symbol} is no class in {pinned.path}, but attributes or arguments of a call are documented"
        hint = "name the class as `symbol`, or leave out `attributes` and `call_arguments`"
        yield entry.issue(("api", "symbol"), "A506", message, hint)
        return
    yield from _arguments(entry, pinned, api, is_class=is_class)
    if is_class and (api.call_arguments or api.returns is not None):
        yield from _signature(entry, pinned, call_method(pinned, api.symbol), api.call_arguments, "call_arguments")
    if api.attributes:
        known = _attributes(pinned, named[-1])
        for name in api.attributes:
            if name not in known:
                message = f"{api.symbol} sets no attribute {name}"
                yield unknown(entry, ("api", "attributes", name), "A506", message, name, known, at_key=True)
    announced = any(name.split(".")[-1] == "experimental" for name, _ in _calls(pinned, named[-1]))
    if announced != api.experimental:
        says = "announces itself as experimental" if announced else "does not announce itself as experimental"
        message = f"the source of {api.symbol} {says}"
        yield entry.issue_at_key(
            ("api", "experimental"), "A506", message, f"write `experimental: {str(announced).lower()}`"
        )


def _arguments(entry: Entry, pinned: PinnedText, api: Api, *, is_class: bool) -> Iterator[Issue]:
    """The arguments of a function or a constructor; a class that the file gives no constructor documents none."""
    own = constructor(pinned, api.symbol) if is_class else api.symbol
    if own is not None:
        yield from _signature(entry, pinned, own, api.arguments, "arguments")
    elif api.arguments:
        message = f"{api.symbol} has no __init__ of its own in {pinned.path}, nor has a base that the file defines"
        hint = "leave out `arguments`: a constructor from elsewhere is not compared"
        yield entry.issue_at_key(("api", "arguments"), "A506", message, hint)


def _signature(
    entry: Entry, pinned: PinnedText, symbol: str, documented: Mapping[str, ApiArgument], key: str
) -> Iterator[Issue]:
    try:
        written = {argument.name: argument for argument in signature(pinned, symbol)}
    except ExcerptError as error:
        hint = error.advice or f"leave out `{key}`, or name as `symbol` what has such arguments"
        yield entry.issue_at_key(("api", key), "A506", error.fact, hint)
        return
    surplus = [name for name in documented if name not in written]
    if len(surplus) == 1:
        message = f"{symbol} takes no argument {surplus[0]}"
        yield unknown(entry, ("api", key, surplus[0]), "A506", message, surplus[0], written, at_key=True)
    elif list(written) != list(documented):
        message = f"{symbol} takes ({', '.join(written)}), but ({', '.join(documented)}) are documented"
        yield entry.issue_at_key(("api", key), "A506", message, "document each argument, in this order")
    for name, argument in documented.items():
        if name in written and written[name].default != argument.default:
            found, stated = written[name].default or "none", argument.default or "none"
            message = f"{name} of {symbol} has the default {found} in the source, not {stated}"
            hint = f"write `default: {quoted(found)}`" if written[name].default else "leave out `default`"
            yield entry.issue(("api", key, name, "default"), "A506", message, hint)


def _attributes(pinned: PinnedText, definition: Definition) -> set[str]:
    """The attributes that the class's methods give an instance: assigned to self, or registered under a name."""
    inside = [found for found in definitions(pinned.text) if found.name.startswith(f"{definition.name}.")]
    assigned = {found.name.rpartition(".self.")[2] for found in inside if ".self." in found.name}
    own = {found.name.removeprefix(f"{definition.name}.") for found in inside if found.kind == "function"}
    properties = {name for name in own if "." not in name}
    registered = {first for name, first in _calls(pinned, definition) if first and _registers(name)}
    return {name for name in assigned | registered | properties if not name.startswith("_")}


def _registers(name: str) -> bool:
    return name.startswith("self.") and name.removeprefix("self.").startswith(_REGISTERS)


def _calls(pinned: PinnedText, definition: Definition) -> Iterator[tuple[str, str]]:
    """The dotted name of each call in a definition, with its first argument where that is a text."""
    for node in nodes_between(pinned.text, definition.first, definition.last):
        if isinstance(node, ast.Call):
            first = node.args[0] if node.args else None
            text = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
            yield dotted(node.func), text
