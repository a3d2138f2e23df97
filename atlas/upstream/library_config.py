"""A model's `upstream:` block → what the library's configuration is made of, at any sizes.

This needs no library, so `atlas check` evaluates the same keys for every variant as `atlas verify` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from atlas.entries.collection import Upstream
from atlas.exceptions import SizeError
from atlas.graph.unroll import Sizes
from atlas.sizes import size


def configuration(upstream: Upstream, sizes: Sizes) -> dict[str, Any]:
    """The keys of the library's configuration with their values: the settings, and the sizes as numbers or lists.

    Raises:
        SizeError: a key is no size here; the message begins with the key.
    """
    found = {name: plain(value) for name, value in upstream.settings.items()}
    for name, stated in upstream.keys.items():
        try:
            found[name] = [_value(one, sizes) for one in stated] if isinstance(stated, tuple) else _value(stated, sizes)
        except SizeError as error:
            raise SizeError(f"{name}: {error}") from None
    return found


def default_values(upstream: Upstream) -> dict[str, Any]:
    """The values that the model's file says the library takes for keys that are left out.

    Raises:
        SizeError: a default follows from a size that has none; the message begins with the key.
    """
    numbers: dict[str, int] = {}
    for name, stated in upstream.defaults.items():
        symbol = upstream.keys[name]
        if isinstance(symbol, str) and not isinstance(stated, tuple) and (number := size(stated).number) is not None:
            numbers[symbol.strip()] = number
    return configuration(upstream.model_copy(update={"keys": upstream.defaults, "settings": {}}), Sizes(numbers, {}))


def tiny_sizes(upstream: Upstream) -> Sizes:
    """The small sizes at which the model is run, those of its inputs included."""
    numbers = {name: value for name, value in upstream.tiny.items() if isinstance(value, int)}
    return Sizes(numbers, {name: value for name, value in upstream.tiny.items() if not isinstance(value, int)})


def _value(stated: str | int, sizes: Sizes) -> Any:
    """A size as a number; a symbol that varies from layer to layer as the list of its values."""
    if isinstance(stated, str) and stated.strip() in sizes.lists:
        return list(sizes.lists[stated.strip()])
    return size(stated).value(sizes.numbers)


def plain(value: Any) -> Any:
    """A setting as the library takes it: plain lists and dicts."""
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value
