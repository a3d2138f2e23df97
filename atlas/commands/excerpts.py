"""Where content quotes a source: every line range in the YAML files, and where its passage is in another version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from atlas.entries.component import SourceClaim
from atlas.entries.folders import shown_path, yaml_files
from atlas.entries.tree import Document, KeyPath, Value, read
from atlas.entries.validate import place
from atlas.exceptions import ExcerptError, ProjectError
from atlas.project import Project
from atlas.sources.excerpts import excerpt
from atlas.sources.moved import Again, Comparison, Span
from atlas.sources.store import PinnedText
from atlas.sources.symbols import begins_with, calls, defined_in


@dataclass(frozen=True, slots=True)
class Quotation:
    """A source claim where it is written."""

    file: Path
    """The YAML file."""
    document: Document
    """The file's values with their places."""
    where: KeyPath
    """The key path of the claim."""
    claim: SourceClaim
    """The claim."""

    @property
    def place(self) -> str:
        """The file and the line of its line range, as issues name places."""
        mark = place(self.document, (*self.where, "lines"))
        return f"{mark.path}:{mark.line}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has become of a passage."""

    quotation: Quotation
    """The claim that quotes it."""
    again: Again | None
    """Where it is now; None where it has vanished."""
    reason: str
    """Why it counts as vanished, else empty."""


def quotations(project: Project, source_id: str) -> Iterator[Quotation]:
    """Every claim on a source, in the order of the files and of their lines.

    Raises:
        ProjectError: a file cannot be read, so it may quote the source or not.
    """
    for file in yaml_files(project.content):
        shown = shown_path(file, project.root)
        document, issues = read(file, shown)
        if document is None or document.doubtful:
            raise ProjectError(f"{shown} cannot be read, and may hold lines of {source_id}: {issues[0].message}")
        for where, value in _claims(document.value, ()):
            if value.get("source") != source_id:
                continue
            try:
                claim = SourceClaim.model_validate(value)
            except ValidationError as error:
                mark = place(document, where)
                message = f"{shown}:{mark.line} is no sound source claim: {error.errors()[0]['msg']}; see `atlas check`"
                raise ProjectError(message) from error
            yield Quotation(file, document, where, claim)


def find_again(quoted: Quotation, comparison: Comparison | None, missing: str) -> Outcome:
    """Where a claim's passage is in the new version of its file, holding all that the claim says it holds.

    Without a new version, `missing` says why there is none.
    """
    if comparison is None:
        return Outcome(quoted, None, missing)
    claim = quoted.claim
    try:
        excerpt(comparison.old, *claim.span)
    except ExcerptError as error:
        return Outcome(quoted, None, f"{error}, as they are now")
    found = comparison.find(
        claim.span, claim.symbol or claim.first_symbol, lambda span: not _lacks(claim, comparison.new, span)
    )
    if found is not None:
        return Outcome(quoted, found, "")
    anyhow = comparison.find(claim.span, claim.symbol or claim.first_symbol, lambda _: True)
    if anyhow is None:
        return Outcome(quoted, None, "no lines are like these")
    return Outcome(quoted, None, _lacks(claim, comparison.new, anyhow.span))


def _lacks(claim: SourceClaim, pinned: PinnedText, span: Span) -> str:
    """What lines of a file lack that the claim says they hold; empty where they lack nothing."""
    try:
        if claim.symbol is not None:
            defined_in(pinned, *span, claim.symbol)
        if claim.first_symbol is not None:
            begins_with(pinned, *span, claim.first_symbol)
        if claim.call is not None and not calls(pinned, *span, claim.call):
            return f"lines {span[0]}-{span[1]}, which are like these, do not call {claim.call}"
    except ExcerptError as error:
        return str(error)
    return ""


def _claims(value: Value, where: KeyPath) -> Iterator[tuple[KeyPath, Mapping[str, Value]]]:
    if isinstance(value, dict):
        if {"source", "path", "lines"} <= value.keys():
            yield where, value
        for key, inner in value.items():
            yield from _claims(inner, (*where, key))
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from _claims(inner, (*where, index))
