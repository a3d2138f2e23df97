"""What publications say about a model, beside what is derived from its entries: figures compared, references resolved.

A published figure that disagrees is no error of the entry: both are shown, as a conflict that a reader should know of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from atlas.checks.base import unknown
from atlas.entries.atlas import Collection, Placed
from atlas.entries.collection import Model, Published, Variant
from atlas.entries.component import Difference, Reference, SourceClaim
from atlas.entries.tree import KeyPath
from atlas.exceptions import SizeError
from atlas.graph.accounting import ModelAccount
from atlas.graph.choice import open_sizes
from atlas.issues import Issue

BF16_BYTES = 2
"""The bytes of a number in the type that published sizes of caches assume."""


@dataclass(frozen=True, slots=True)
class PublishedCheck:
    """A published figure beside the derived one."""

    quantity: str
    """What is counted, as `Published.quantity` names it."""
    published: int
    """The published figure."""
    rounded_to: int
    """The unit to which it is rounded."""
    at: Mapping[str, int]
    """The sizes of the inputs that it is stated for; empty where it does not depend on them."""
    derived: int
    """The figure that follows from the entries."""
    agrees: bool
    """Whether the derived figure lies within half of the unit around the published one."""
    reference: Reference
    """Where it is published."""


def check_published(
    collection: Collection, accounts: Mapping[str, ModelAccount]
) -> tuple[dict[str, tuple[PublishedCheck, ...]], list[Issue]]:
    """Every published figure of every variant that has an account, and figures that cannot be compared."""
    found: dict[str, tuple[PublishedCheck, ...]] = {}
    issues: list[Issue] = []
    model = collection.data
    if not isinstance(model, Model):
        return found, issues
    for name, variant in model.variants.items():
        if name not in accounts:
            continue
        compared = []
        for index, one in enumerate(variant.published):
            path = ("variants", name, "published", index)
            problems = list(_at_fits(collection, model, variant, one, path))
            issues += problems
            if problems:
                continue
            try:
                derived = DERIVED[one.quantity](model, accounts[name], one)
            except SizeError as error:
                message = f"the {one.quantity} of {name} are not derived: {error}"
                issues.append(collection.issue((*path, "quantity"), "A611", message))
                continue
            compared.append(_compared(one, derived))
        found[name] = tuple(compared)
    return found, issues


def _compared(one: Published, derived: int) -> PublishedCheck:
    agrees = 2 * abs(one.value - derived) <= one.rounded_to
    return PublishedCheck(one.quantity, one.value, one.rounded_to, one.at, derived, agrees, one.reference)


def _at_fits(collection: Collection, model: Model, variant: Variant, one: Published, path: KeyPath) -> Iterator[Issue]:
    """A figure that depends on the sizes of the inputs states each of them, and no other."""
    opened = open_sizes(model, variant.sizes)
    for name in one.at:
        if name not in opened:
            message = f"{name} is no size of the model's inputs"
            yield unknown(collection, (*path, "at", name), "A119", message, name, opened, at_key=True)
    missing = [name for name in opened if one.quantity == "multiply-accumulates" and name not in one.at]
    if missing and one.at.keys() <= set(opened):
        message = f"the multiply-accumulates depend on {missing[0]}, which has no value here"
        yield collection.issue_at_key((*path, "at"), "A120", message, f"add `{missing[0]}: …` to `at`")


def _layers(model: Model, account: ModelAccount, _: Published) -> int:
    """The layers of all stacks that have layers.

    Raises:
        SizeError: stacks with layers stand in others, so what counts as a layer is not said.
    """
    repeated = [path for path, stack in model.paths.items() if stack.layers is not None]
    inner = [path for path in repeated if any(path.startswith(f"{other}/") for other in repeated)]
    if inner:
        raise SizeError(f"{inner[0]} has layers within layers, so which of them are counted is not said")
    layers = {stack.name: stack.layers for stack in account.stacks}
    return sum(layers[path] for path in repeated)


DERIVED: Mapping[str, Callable[[Model, ModelAccount, Published], int]] = {
    "parameters": lambda _, account, __: account.total,
    "active parameters": lambda _, account, __: account.active,
    "layers": _layers,
    "cache bytes per token": lambda _, account, __: BF16_BYTES * account.cache,
    "multiply-accumulates": lambda _, account, one: account.macs.value(one.at),
}
"""How each quantity is derived; a cache is counted in bf16."""


def check_differences(
    placed: Placed, differences: Sequence[Difference], claims: Iterable[SourceClaim]
) -> Iterator[Issue]:
    """Every difference between a publication and the code names source claims that are there."""
    known = [claim.id for claim in claims]
    for index, difference in enumerate(differences):
        for position, name in enumerate(difference.claims):
            if name not in known:
                message = f"there is no source claim {name}"
                yield unknown(placed, ("differences", index, "claims", position), "A119", message, name, known)


def differences_of(collection: Collection) -> Iterator[Issue]:
    """Differences of a model, which may name the claims of its variants too, and of all its components."""
    data = collection.data
    if isinstance(data, Model):
        claims = [*data.sources, *(claim for variant in data.variants.values() for claim in variant.sources)]
        yield from check_differences(collection, data.differences, claims)
    for entry in collection.entries:
        yield from check_differences(entry, entry.data.differences, entry.data.sources)
