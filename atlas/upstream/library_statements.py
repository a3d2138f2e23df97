"""What a model's file says of the library's configuration, against the class itself: defaults, settings, other names.

No comparison at the documented sizes would notice a wrong one of these: they say what the library does with other
configurations than those that are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

from atlas.entries.collection import Upstream
from atlas.exceptions import SizeError, UpstreamError
from atlas.graph.unroll import Sizes
from atlas.sizes import size
from atlas.upstream.library import Library
from atlas.upstream.library_compare import Finding
from atlas.upstream.library_config import configuration, default_values, plain, tiny_sizes
from atlas.upstream.library_model import build, configured, holds

MISSING = object()
"""What a configuration does not have."""

LARGE = 10.0
"""A number from which on it is doubled and not only raised a little, so that the change can be seen."""


def wrong_statements(library: Library, upstream: Upstream) -> Iterator[Finding]:
    """Everything that the class of the configuration does not have as the model's file says.

    Raises:
        SizeError: a default follows from a size that has none.
        UpstreamError: the library has no such configuration, or it cannot be made at the tiny sizes.
    """
    configured(library, upstream, configuration(upstream, tiny_sizes(upstream)))
    default = configured(library, upstream, {})
    yield from _defaults(upstream, default)
    yield from _settings(upstream, default)
    yield from _aliases(library, upstream, default)
    for name, stated in upstream.defaults.items():
        several = stated if isinstance(stated, tuple) else (stated,)
        if getattr(default, name, None) is None or any(size(one).symbols for one in several):
            yield from _followed(library, upstream, name, several)


def others(value: Any) -> list[Any]:
    """Values of the same kind that a key may have instead of this one, the mildest change first; none of a list."""
    match value:
        case None:
            return [1, 0.5, True, "tanh"]
        case bool():
            return [not value]
        case int():
            return [value + 1, 2 * value]
        case float():
            return [value + 0.1, value / 2] if abs(value) < LARGE else [2 * value]
        case str():
            return [one for one in ("tanh", "relu", "mean", "linear") if one != value]
        case Mapping():
            return [{**value, name: other} for name, one in value.items() for other in others(one)]
        case _:
            return []


def _defaults(upstream: Upstream, default: Any) -> Iterator[Finding]:
    """A default of None is one that the library works out from others; what comes of it is compared apart."""
    for name, stated in default_values(upstream).items():
        found = getattr(default, name, None)
        if found is not None and not holds(found, stated):
            message = f"{upstream.config} has the default {found!r} for {name}, not {stated!r}"
            yield Finding(message, key=("upstream", "defaults", name))


def _settings(upstream: Upstream, default: Any) -> Iterator[Finding]:
    """A setting that is not the library's default needs a reason: nothing else would show a wrong one."""
    for name, value in upstream.settings.items():
        found = getattr(default, name, MISSING)
        if found is MISSING:
            continue  # refused with the nearest key when the model is built
        stated = plain(value)
        unlike = not holds(found, stated)
        if unlike and name not in upstream.unlike_default:
            message = f"{upstream.config} has the default {found!r} for {name}, but the setting is {stated!r}"
            message += f"; it concerns {upstream.concerns[name]}" if name in upstream.concerns else ""
            hint = f"correct it, or say why: `unlike_default: {{{name}: …}}`"
            yield Finding(message, key=("upstream", "settings", name), hint=hint)
        elif not unlike and name in upstream.unlike_default:
            message = f"{name} is {stated!r}, which is the default of {upstream.config}, so there is nothing to explain"
            yield Finding(message, key=("upstream", "unlike_default", name), hint="remove the reason")


def _aliases(library: Library, upstream: Upstream, default: Any) -> Iterator[Finding]:
    """A configuration that is made with another name of a key has the value at the key."""
    stated = configuration(upstream, tiny_sizes(upstream))
    for name, key in upstream.aliases.items():
        first, *path = key.split(".")
        rest = {one: value for one, value in stated.items() if one != first}
        usual = _at(getattr(default, first, None), path)
        current = _at(stated[first], path) if first in stated else usual
        at = ("upstream", "aliases", name)
        for other in others(current):
            if other == usual:
                continue
            try:
                found = _at(getattr(configured(library, upstream, rest, {name: other}), first, None), path)
            except UpstreamError:
                continue
            if not holds(found, other):
                message = f"made with {name} = {other!r}, {upstream.config} has {found!r} for {key}"
                yield Finding(f"{message}, so it is no other name of it", key=at)
            break
        else:
            message = f"no {upstream.config} can be made with another value of {name}"
            yield Finding(f"{message}, so nothing shows that it is {key}", key=at)


def _followed(library: Library, upstream: Upstream, name: str, stated: Sequence[str | int]) -> Iterator[Finding]:
    """With the key left out, the model is the one that it is with the value that is said to follow."""
    expression = upstream.defaults[name]
    sizes = _sizes_that_fit(upstream, name, stated)
    value = _value(upstream, name, sizes)
    at = ("upstream", "defaults", name)
    rest = {one: each for one, each in configuration(upstream, sizes).items() if one != name}
    found = getattr(configured(library, upstream, rest), name, None)
    shown = f"{value!r} ({expression})" if str(expression) != str(value) else repr(value)
    if found is not None and not holds(found, value):
        message = f"{upstream.config} makes {found!r} of {name} where it is left out, not {shown}"
        yield Finding(f"{message}, at {_told(sizes, stated)}", key=at)
        return
    without = _shapes(library, upstream, sizes, name, {})
    having = _shapes(library, upstream, sizes, name, {name: value})
    for tensor in sorted(without.keys() | having.keys()):
        if without.get(tensor) != having.get(tensor):
            ours, theirs = (list(one[tensor]) if tensor in one else "no such shape" for one in (having, without))
            message = f"without {name}, {upstream.model} has {tensor} of {theirs}, but of {ours} with {shown}"
            yield Finding(f"{message}, at {_told(sizes, stated)}", key=at)
            return


def _sizes_that_fit(upstream: Upstream, name: str, stated: Sequence[str | int]) -> Sizes:
    """The tiny sizes, or where the default is no whole number there, with one of its sizes times the others.

    Raises:
        SizeError: the default has no value at any of them.
    """
    tiny = tiny_sizes(upstream)
    symbols = sorted({symbol for one in stated for symbol in size(one).symbols} & tiny.numbers.keys())
    larger = [{one: prod(tiny.numbers[other] for other in symbols)} for one in symbols]
    for change in ({}, *larger):
        sizes = Sizes({**tiny.numbers, **change}, tiny.lists)
        try:
            _value(upstream, name, sizes)
        except SizeError:
            continue
        return sizes
    raise SizeError(f"the default {upstream.defaults[name]} of {name} has no value at the tiny sizes or near them")


def _value(upstream: Upstream, name: str, sizes: Sizes) -> Any:
    stated = {"keys": {name: upstream.defaults[name]}, "settings": {}}
    return configuration(upstream.model_copy(update=stated), sizes)[name]


def _shapes(
    library: Library, upstream: Upstream, sizes: Sizes, without: str, changes: Mapping[str, Any]
) -> dict[str, tuple[int, ...]]:
    model = build(library, upstream, sizes, meta=True, without=without, changes=changes)
    return {name: one.shape for name, one in model.tensors().items()}


def _told(sizes: Sizes, stated: Sequence[str | int]) -> str:
    symbols = sorted({symbol for one in stated for symbol in size(one).symbols})
    return ", ".join(f"{name} = {sizes.numbers.get(name)}" for name in symbols) or "the tiny sizes"


def _at(value: Any, path: Sequence[str]) -> Any:
    """A part of a value by the names that lead to it; None where it has none."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
