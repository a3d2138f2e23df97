"""The parts that several kinds of pages share: links, excerpts, source claims, proofs, tables of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from atlas.checks.base import Proof
from atlas.checks.checked import Checked, CheckedClaim, CheckedCollection, CheckedEntry
from atlas.entries.collection import Model
from atlas.graph.accounting import Account, latex_size
from atlas.markup.code import CodeLine, excerpt, highlight
from atlas.render.addresses import claim_anchor, entry_page, file_page, source_page
from atlas.render.deferred import Inline, Maths, Typesetting
from atlas.sizes import Size
from atlas.sources.pins import PinState, PinStatus

Count = str | Maths
"""A count as pages show it."""

STATUS_WORDS = {"proved": "proved in this build", "recorded": "recorded", "stale": "stale", "missing": "not proved"}
EVIDENCE_WORDS = {"direct": "Direct evidence", "supporting": "Supporting evidence"}


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a place on the site, or to another site."""

    title: str
    """What the reader sees."""
    url: str
    """The address, below the site's root unless it begins with `https:`."""
    note: str = ""
    """A few words beside the link."""


@dataclass(frozen=True, slots=True)
class ExcerptView:
    """A passage of a pinned file, as it is shown."""

    file: str
    """The file's name."""
    lines: str
    """The range of lines, with a dash."""
    file_url: str
    """The page of the pinned file, at the passage."""
    line_url: str
    """The page of the pinned file; a line's anchor is added by its number."""
    code: tuple[CodeLine, ...]
    """The lines; empty where the file was not at hand."""
    missing: str
    """Why there are no lines, else empty."""


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A source claim with everything that a reader needs to judge it."""

    id: str
    """The claim's name, which is its anchor too."""
    evidence: str
    """The kind of evidence in words."""
    claim: Inline
    """What the passage shows."""
    repository: str
    """The project's name."""
    path: str
    """The file in the repository."""
    revision: str
    """`Pinned revision` and its short form, or `Release` and its tag."""
    upstream_url: str
    """The exact lines at the revision, on the repository's own site."""
    pin: str
    """What is known of the pin."""
    licence: str
    """The licence's SPDX expression."""
    licence_url: str
    """The licence's text, on this site."""
    copyright: str
    """Who holds the copyright."""
    excerpt: ExcerptView
    """The passage."""


@dataclass(frozen=True, slots=True)
class RowView:
    """One row of the table of parameters."""

    label: str
    """The parameter's name."""
    symbol: Maths
    """Its symbol."""
    tensor: str
    """The name under which upstream stores it, or empty."""
    calculation: Maths
    """How its count comes about."""
    count: Count
    """Its count."""


@dataclass(frozen=True, slots=True)
class VariantRow:
    """The parameters of a component in one variant."""

    title: str
    """The variant's name."""
    per_instance: Count
    """Parameters of one instance."""
    layers: str
    """How many layers repeat it."""
    across: Count
    """Parameters in all layers."""


@dataclass(frozen=True, slots=True)
class ProofView:
    """One line of the table of what was checked."""

    claim: str
    """What is claimed."""
    status: str
    """`proved`, `recorded`, `stale` or `missing`: what the line looks like."""
    word: str
    """The status in words."""
    figure: str
    """What was found."""
    command: str
    """The command that reproduces it."""
    date: str
    """When a recorded proof was made, else empty."""


class Parts:
    """Makes the shared parts for one site; each pinned file is highlighted once."""

    def __init__(self, checked: Checked, typesetting: Typesetting) -> None:
        self.checked = checked
        self.typesetting = typesetting
        self._highlighted: dict[tuple[str, str], tuple[Markup, ...]] = {}

    def highlighted(self, source_id: str, path: str) -> tuple[Markup, ...]:
        """The lines of a pinned file that is at hand."""
        key = (source_id, path)
        if key not in self._highlighted:
            self._highlighted[key] = highlight(self.checked.files[key].text, path=path)
        return self._highlighted[key]

    def excerpt(self, claim: CheckedClaim) -> ExcerptView:
        """The passage of a claim."""
        source, path = claim.claim.source, claim.claim.path
        first, last = claim.claim.span
        code = () if claim.excerpt is None else excerpt(self.highlighted(source, path), first, last)
        lines = f"{first}–{last}" if last > first else str(first)
        name = path.rpartition("/")[2]
        return ExcerptView(name, lines, claim_anchor(claim), file_page(source, path), code, claim.missing)

    def claim(self, claim: CheckedClaim) -> ClaimView:
        """A source claim."""
        manifest = claim.source.data
        first, last = claim.claim.span
        kind = "Pinned revision" if manifest.is_commit else "Release"
        return ClaimView(
            id=claim.claim.id,
            evidence=EVIDENCE_WORDS[claim.claim.evidence],
            claim=self.typesetting.text(claim.claim.claim),
            repository=manifest.name,
            path=claim.claim.path,
            revision=f"{kind} {manifest.revision[:12] if manifest.is_commit else manifest.revision}",
            upstream_url=manifest.link(claim.claim.path, first, last),
            pin=pin_text(claim.pin),
            licence=manifest.license,
            licence_url=f"{source_page(claim.claim.source)}#licence",
            copyright=manifest.copyright,
            excerpt=self.excerpt(claim),
        )

    def rows(self, counted: Account, entry: CheckedEntry) -> tuple[RowView, ...]:
        """The rows of the table of parameters."""
        maths = self.typesetting.maths
        tensors = {name: symbol.tensor or "" for name, symbol in entry.entry.data.symbols.items()}
        return tuple(
            RowView(row.label, maths(row.symbol), tensors[row.symbol], maths(row.calculation), self.count(row.count))
            for row in counted.rows
        )

    def count(self, count: Size) -> Count:
        """A count in running text: a number with grouped digits, or a formula where sizes are not bound."""
        return self.typesetting.maths(str(count)) if count.number is None else f"{count.number:,}"

    @staticmethod
    def proof(proof: Proof) -> ProofView:
        """A line of the table of what was checked."""
        word = STATUS_WORDS[proof.status]
        return ProofView(proof.claim, proof.status, word, proof.figure, proof.command, proof.date or "")

    def variants(self, entry: CheckedEntry, collection: CheckedCollection) -> tuple[VariantRow, ...]:
        """The parameters of a component in every variant of its model."""
        data = collection.collection.data
        if not isinstance(data, Model):
            return ()
        rows = []
        for name, variant in data.variants.items():
            counted = collection.account(entry.entry, name)
            layers = str(counted.layers)
            rows.append(VariantRow(variant.title, self.count(counted.per_instance), layers, self.count(counted.across)))
        return tuple(rows)

    def entry_link(self, entry: CheckedEntry, *, full: bool = False) -> Link:
        """A link to an entry; in full, with its collection and stack."""
        collection = self.checked.collections[entry.entry.collection].collection
        stack = collection.stack_of(entry.entry)
        names = [collection.data.title, *([stack.title] if stack else []), entry.entry.data.title]
        return Link(" · ".join(names) if full else entry.entry.data.title, entry_page(entry.entry))


def main_sizes(entry: CheckedEntry, collection: CheckedCollection) -> Mapping[str, int]:
    """The sizes whose figures a page shows first: those of its first place in the model's first variant."""
    return collection.account(entry.entry).places[0]


def pin_text(status: PinStatus) -> str:
    """What is known of a pin, for a reader."""
    if status.state is PinState.PROVED and status.record is not None:
        return f"that this file belongs to the revision was proved against git on {status.record.proved}"
    return status.message


def count_latex(count: Size) -> str:
    """A count in LaTeX."""
    return latex_size(count)
