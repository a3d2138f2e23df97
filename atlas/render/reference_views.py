"""The pages that stand beside the collections: operators by family, pinned sources and files."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from atlas.checks.checked import Checked
from atlas.entries.atlas import Source
from atlas.markup.code import CodeLine, excerpt
from atlas.operators.catalogue import FAMILIES
from atlas.operators.family import KINDS, Kind
from atlas.operators.registry import Operator
from atlas.render.addresses import anchor, component_page, family_page, file_page, source_page
from atlas.render.deferred import Maths
from atlas.render.kinds import picture_name
from atlas.render.parts import Link, Parts, ReferenceView, pin_text, written
from atlas.render.uses import Uses


@dataclass(frozen=True, slots=True)
class FormulationView:
    """One operator of a family."""

    title: str
    """Its name as people write it."""
    name: str
    """Its name in code."""
    anchor: str
    """Its anchor on the page."""
    summary: str
    """What it does."""
    published: Link | None
    """Where it was published."""
    options: tuple[tuple[str, str], ...]
    """Its options with their defaults."""
    conventions: tuple[str, ...]
    """Its conventions, in the order of `FamilyView.conventions`."""
    formula: Maths | None
    """The formula of the first entry that uses it."""
    users: tuple[Link, ...]
    """The entries that use it."""
    gradient: str
    """The name of its gradient in code, or empty."""
    reference: ReferenceView
    """Its source."""


@dataclass(frozen=True, slots=True)
class FamilyView:
    """The page of a family of operators."""

    title: str
    """The family's name."""
    conventions: tuple[str, ...]
    """What its formulations differ in."""
    formulations: tuple[FormulationView, ...]
    """The formulations."""


@dataclass(frozen=True, slots=True)
class FamilyCard:
    """One family in the index of operators."""

    link: Link
    """Its page."""
    summary: str
    """What its first operator does."""
    formulations: int
    """How many formulations it has."""
    users: int
    """How many entries use one of them."""


@dataclass(frozen=True, slots=True)
class OperatorsView:
    """The index of operators."""

    kinds: tuple[tuple[str, str, tuple[FamilyCard, ...]], ...]
    """Each kind by its name in pictures and in words, with its families."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of a pinned file."""

    line: CodeLine
    """The number and the highlighted text."""
    docs: tuple[Link, ...]
    """Entries that document the passage that begins here."""
    is_documented: bool
    """Whether an entry documents the line."""


@dataclass(frozen=True, slots=True)
class FileView:
    """The page of a pinned file."""

    path: str
    """The path in the repository."""
    name: str
    """The file's name."""
    source: Link
    """The project's page."""
    revision: str
    """The revision in full."""
    upstream_url: str
    """The file at the revision, on the repository's own site."""
    blob: str
    """Git's object id."""
    pin: str
    """What is known of the pin."""
    licence: Link
    """The licence's text."""
    copyright: str
    """Who holds the copyright."""
    passages: tuple[Link, ...]
    """The documented passages, each with the entry that documents it."""
    is_at_hand: bool
    """Whether the file was at hand when the page was made."""
    lines: tuple[SourceLine, ...]
    """The lines; empty where the file was not at hand, or is empty itself."""


@dataclass(frozen=True, slots=True)
class SourceView:
    """The page of a pinned project."""

    title: str
    """The project's name."""
    repository: Link
    """Its repository."""
    revision: str
    """The revision in full."""
    release: str
    """The release, or empty."""
    artifact: tuple[str, str, str] | None
    """The package, the archive's name and its SHA-256."""
    licence: str
    """The licence's SPDX expression."""
    copyright: str
    """Who holds the copyright."""
    licence_text: str
    """The licence's text."""
    files: tuple[tuple[Link, str, str], ...]
    """Each pinned file with its blob id and what is known of the pin."""


@dataclass(frozen=True, slots=True)
class SourcesView:
    """The index of pinned projects."""

    sources: tuple[tuple[Link, str, str, int], ...]
    """Each project with its release or revision, its licence, and the number of pinned files."""


def operators_view(uses: Uses) -> OperatorsView:
    """The index of operators, from what reads the input to what reads the output."""
    by_kind: dict[Kind, list[FamilyCard]] = {kind: [] for kind in KINDS}
    for name, members in FAMILIES.items():
        first = members[0]
        link = Link(first.belongs_to.title, family_page(name))
        by_kind[first.kind].append(FamilyCard(link, first.summary, len(members), len(uses.relatives(name))))
    return OperatorsView(
        tuple((picture_name(kind), KINDS[kind], tuple(cards)) for kind, cards in by_kind.items() if cards)
    )


def family_view(name: str, uses: Uses, parts: Parts) -> FamilyView:
    """The page of a family of operators."""
    members = FAMILIES[name]
    conventions = tuple(members[0].conventions)
    formulations = tuple(_formulation(one, conventions, uses, parts) for one in members)
    return FamilyView(members[0].belongs_to.title, conventions, formulations)


def file_view(source: Source, path: str, uses: Uses, parts: Parts) -> FileView:
    """The page of a pinned file."""
    manifest = source.data
    passages = _passages(source.id, path, uses)
    return FileView(
        path=path,
        name=path.rpartition("/")[2],
        source=Link(manifest.title, source_page(source.id)),
        revision=manifest.revision,
        upstream_url=manifest.link(path),
        blob=manifest.files[path].blob,
        pin=pin_text(parts.checked.pins[source.id, path]),
        licence=Link(manifest.license, f"{source_page(source.id)}#licence"),
        copyright=manifest.copyright,
        passages=tuple(Link(title, url, note) for _, _, title, url, note in passages),
        is_at_hand=(source.id, path) in parts.checked.files,
        lines=_lines(source.id, path, passages, parts),
    )


def source_view(source: Source, checked: Checked) -> SourceView:
    """The page of a pinned project."""
    manifest = source.data
    artifact = manifest.artifact
    return SourceView(
        title=manifest.title,
        repository=Link(manifest.name, manifest.repository),
        revision=manifest.revision,
        release=manifest.release or "",
        artifact=(artifact.pypi, artifact.file, artifact.sha256) if artifact else None,
        licence=manifest.license,
        copyright=manifest.copyright,
        licence_text=source.licence,
        files=tuple(
            (Link(path, file_page(source.id, path)), pinned.blob, pin_text(checked.pins[source.id, path]))
            for path, pinned in manifest.files.items()
        ),
    )


def sources_view(checked: Checked) -> SourcesView:
    """The index of pinned projects."""
    return SourcesView(
        tuple(
            (
                Link(source.data.title, source_page(source.id)),
                source.data.release or source.data.revision,
                source.data.license,
                len(source.data.files),
            )
            for source in checked.atlas.sources.values()
        )
    )


def _formulation(operator: Operator, conventions: tuple[str, ...], uses: Uses, parts: Parts) -> FormulationView:
    source, formula = operator.source, uses.formula(operator.name)
    published = Link(source, f"https://arxiv.org/abs/{source[6:]}") if source.startswith("arXiv:") else Link(source, "")
    return FormulationView(
        title=operator.title,
        name=operator.name,
        anchor=anchor(operator.name),
        summary=operator.summary,
        published=published,
        options=tuple(
            (name, "required" if option.required else written(option.default))
            for name, option in operator.options.items()
        ),
        conventions=tuple(operator.conventions[name] for name in conventions),
        formula=parts.typesetting.maths(formula, display=True) if formula is not None else None,
        users=tuple(one.link for one in uses.users(operator.name)),
        gradient=operator.gradient.name if operator.gradient is not None else "",
        reference=parts.reference(operator),
    )


Passage = tuple[int, int, str, str, str]


def _passages(source_id: str, path: str, uses: Uses) -> list[Passage]:
    """First line, last line, title, address and note of each documented passage, in the order of the file."""
    found: dict[Passage, None] = {}
    for one, passage in uses.passages(source_id, path):
        first, last = passage.first, passage.last
        url = f"{component_page(one.id)}#source-{passage.claim}"
        found[first, last, one.link.title, url, f"lines {first}–{last}"] = None
    return sorted(found)


def _lines(source_id: str, path: str, passages: list[Passage], parts: Parts) -> tuple[SourceLine, ...]:
    if (source_id, path) not in parts.checked.files or not parts.checked.files[source_id, path].lines:
        return ()
    highlighted = parts.highlighted(source_id, path)
    docs: dict[int, list[Link]] = defaultdict(list)
    documented: set[int] = set()
    for first, last, title, url, note in passages:
        docs[first].append(Link(title, url, note))
        documented.update(range(first, last + 1))
    return tuple(
        SourceLine(line, tuple(docs[line.number]), line.number in documented)
        for line in excerpt(highlighted, 1, len(highlighted))
    )
