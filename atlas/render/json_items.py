"""The parts that several kinds of data files share, made from what was checked: items, claims, proofs, differences."""

from __future__ import annotations

from collections.abc import Iterable

from atlas.checks.base import Proof as CheckedProof
from atlas.checks.checked import CheckedClaim, CheckedCollection, CheckedEntry
from atlas.checks.published import PublishedCheck
from atlas.entries.atlas import Entry, Placed, Source
from atlas.entries.collection import Model
from atlas.entries.component import Difference as StatedDifference
from atlas.entries.component import Reference as StatedReference
from atlas.operators.registry import Operator
from atlas.render.addresses import family_page, source_page
from atlas.render.json_named import named, named_collection, named_component
from atlas.render.json_records import Claim, Difference, Proof, PublishedFigure, Reference, Whole
from atlas.render.json_types import Item, Line, plain
from atlas.render.parts import Parts
from atlas.render.uses import Use, UsesShare


def entry_item(entry: Entry) -> Item:
    """A component."""
    return named_component(entry.id, entry.data.title)


def use_item(use: Use) -> Item:
    """A component of which only its share is known."""
    return named_component(use.id, use.title)


def collection_item(checked: CheckedCollection) -> Item:
    """A model or library."""
    name, data = checked.collection.id, checked.collection.data
    return named_collection(name, data.title, is_model=isinstance(data, Model))


def share_item(share: UsesShare) -> Item:
    """A model or library of which only its share is known."""
    return named_collection(share.id, share.title, is_model=share.is_model)


def family_item(operator: Operator) -> Item:
    """The family of an operator."""
    name, title = operator.family, operator.belongs_to.title
    return named("operators", name, title, family_page(name))


def source_item(source: Source) -> Item:
    """A pinned project."""
    return named("sources", source.id, source.data.title, source_page(source.id))


def claims(owner: Placed, given: Iterable[CheckedClaim], parts: Parts) -> tuple[Claim, ...]:
    """The source claims of an entry or collection."""
    return tuple(_claim(owner, one, parts) for one in given)


def line(owner: Placed, markdown: str, parts: Parts) -> Line:
    """A text of an entry or collection."""
    return Line(markdown, parts.below(owner))


def line_or_none(owner: Placed, markdown: str | None, parts: Parts) -> Line | None:
    """A text that may be left out."""
    return None if markdown is None else line(owner, markdown, parts)


def proofs(given: Iterable[CheckedProof]) -> tuple[Proof, ...]:
    """What was checked."""
    return tuple(
        Proof(claim=one.claim, status=one.status, figure=one.figure, command=one.command, date=one.date)
        for one in given
    )


def differences(owner: Placed, given: Iterable[StatedDifference], parts: Parts) -> tuple[Difference, ...]:
    """Where publication and code do not agree."""
    return tuple(
        Difference(
            about=line(owner, one.about, parts),
            published=line(owner, one.published, parts),
            reference=_reference(one.reference),
            code=line(owner, one.code, parts),
            claims=one.claims,
        )
        for one in given
    )


def published(given: Iterable[PublishedCheck]) -> tuple[PublishedFigure, ...]:
    """Published figures beside derived ones."""
    return tuple(
        PublishedFigure(
            quantity=one.quantity,
            published=one.published,
            rounded_to=one.rounded_to,
            at=plain(one.at),
            derived=one.derived,
            agrees=one.agrees,
            reference=_reference(one.reference),
        )
        for one in given
    )


def neighbour(entry: CheckedEntry | None) -> Item | None:
    """The component before or after."""
    return None if entry is None else entry_item(entry.entry)


def _reference(one: StatedReference) -> Reference:
    return Reference(title=one.title, url=one.url, where=one.where)


def _claim(owner: Placed, one: CheckedClaim, parts: Parts) -> Claim:
    manifest, passage, (first, last) = one.source.data, parts.passage(one), one.claim.span
    return Claim(
        id=one.claim.id,
        claim=line(owner, one.claim.claim, parts),
        evidence=one.claim.evidence,
        source=source_item(one.source),
        path=one.claim.path,
        first_line=first,
        last_line=last,
        call_line=one.call_line,
        revision=manifest.revision,
        blob=passage.blob,
        upstream=passage.upstream_url,
        lines=passage.file_url,
        license=manifest.license,
        pin=one.pin.state.value,
        at_hand=one.excerpt is not None,
        part_of=tuple(Whole(name=it.name, first_line=it.first, last_line=it.last) for it in one.part_of),
    )
