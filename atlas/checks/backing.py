"""Sizes of variants that nothing backs: no pinned source sets them, and no default of the library is the same.

Such a size may be right, and all that is counted from it; but nobody has compared it with anything, so pages say so.
"""

from __future__ import annotations

from collections.abc import Collection as Names
from collections.abc import Iterator
from typing import Any

from atlas.checks.base import Proof, listed
from atlas.checks.records_model import TITLES
from atlas.entries.atlas import Collection
from atlas.entries.collection import Model, Upstream, Variant
from atlas.exceptions import SizeError
from atlas.graph.unroll import Sizes
from atlas.sizes import size
from atlas.upstream.library_config import configuration

CLAIM = "sizes"
"""How a page calls what is said here."""


def unbacked_sizes(collection: Collection, recorded: Names[str]) -> Iterator[Proof]:
    """At most one proof, which is missing: for each variant the sizes that nothing backs.

    Args:
        collection: A model.
        recorded: What recorded proofs that still hold claim, by the title that pages show. Hyperparameters and defaults
            back a size only while they are proved.
    """
    model = collection.data
    if not isinstance(model, Model):
        return
    parts = []
    for variant in model.variants.values():
        backed = _backed(model, variant, recorded)
        if open_sizes := [name for name in variant.sizes if name not in backed]:
            parts.append(f"of {variant.title} no pinned source states {listed(open_sizes)}")
    if parts:
        yield Proof(CLAIM, "missing", "; ".join(parts), f"atlas check {collection.path}")


def _backed(model: Model, variant: Variant, recorded: Names[str]) -> set[str]:
    """The sizes of a variant that a pinned passage, the pinned program or a default of the pinned library sets."""
    found = set(variant.settings)
    if model.program is not None and TITLES["hyperparameters"] in recorded:
        expressions = [size(text).symbols for text in model.program.hparams.keys.values()]
        while told := {name for one in expressions if len(one - found) == 1 for name in one - found}:
            found |= told
    if model.upstream is not None and TITLES["tensors"] in recorded:
        while told := set(_told_by_defaults(model.upstream, variant, found)):
            found |= told
    return found


def _told_by_defaults(upstream: Upstream, variant: Variant, backed: set[str]) -> Iterator[str]:
    """The sizes that have the value of a default here, where the default follows from sizes that are backed."""
    for key, stated in upstream.defaults.items():
        told = _symbols(upstream.keys[key]) - backed
        if len(told) == 1 and _symbols(stated) <= backed:
            sizes = Sizes.of(variant)
            try:
                ours, theirs = (_values(upstream, key, one, sizes) for one in (upstream.keys[key], stated))
            except SizeError:
                continue
            if ours == theirs:
                yield from told


def _values(upstream: Upstream, key: str, stated: str | int | tuple[str | int, ...], sizes: Sizes) -> Any:
    return configuration(upstream.model_copy(update={"keys": {key: stated}, "settings": {}}), sizes)[key]


def _symbols(stated: str | int | tuple[str | int, ...]) -> set[str]:
    return {name for one in (stated if isinstance(stated, tuple) else (stated,)) for name in size(one).symbols}
