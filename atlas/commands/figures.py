"""What `atlas show` found of a model, before it is printed in one of its two forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from atlas.checks.configuration import Configuration
from atlas.checks.published import PublishedCheck
from atlas.commands.models import Loaded
from atlas.graph.accounting import ModelAccount
from atlas.graph.choice import Choice
from atlas.graph.naming import Values

BYTES: Mapping[str, int] = {"float32": 4, "bfloat16": 2, "fp8": 1}
"""The bytes of one number in the types in which caches are kept."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that is shown."""

    loaded: Loaded
    """The model."""
    variant: str | None
    """The variant whose sizes these are, also where a configuration states them; None where they are others."""
    changed: bool
    """Whether sizes of the variant were set otherwise."""
    path: str | None
    """The configuration file."""
    configuration: Configuration | None
    """What the configuration says."""
    choice: Choice
    """The sizes."""
    account: ModelAccount
    """The counts."""
    values: Values
    """Every value with its shape."""
    published: tuple[PublishedCheck, ...]
    """Published figures beside those derived."""
    tokens: int | None = None
    """For how many tokens it is told what is kept; None for one."""

    @property
    def is_variant(self) -> bool:
        """Whether this is the variant, and not only something with its sizes."""
        understood = self.configuration is None or self.configuration.understood
        return self.variant is not None and not self.changed and understood

    @property
    def lengths(self) -> Mapping[str, int]:
        """The sizes of the inputs for which shapes and computation are told."""
        return {name: value for name, value in self.choice.bound.numbers.items() if name in self.choice.inputs}

    @property
    def macs(self) -> int:
        """The multiply–accumulates at these lengths."""
        return self.account.macs.value(self.lengths)

    def shapes(self) -> Iterator[tuple[str, list[tuple[str, tuple[int, ...]]]]]:
        """Each value of the graph with the keys and shapes that it has in the layers."""
        found: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
        for key, shape in self.values.shapes.items():
            found.setdefault(self.values.of[key], []).append((key, shape))
        yield from found.items()
