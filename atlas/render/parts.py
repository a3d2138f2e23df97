"""The parts that several kinds of pages share: links, excerpts, source claims, proofs, tables of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from atlas.checks.base import NOT_PROVED, Proof
from atlas.checks.checked import Checked, CheckedClaim, CheckedCollection, CheckedEntry
from atlas.entries.atlas import Placed
from atlas.entries.collection import Model
from atlas.graph.accounting import Account
from atlas.markup.code import CodeLine, CodeLines
from atlas.operators.registry import Operator
from atlas.render.addresses import claim_anchor, entry_page, operator_anchor, source_page, standalone_file
from atlas.render.deferred import Inline, Maths, Typesetting
from atlas.render.link import Link as Link  # pages know it as one of their parts
from atlas.render.shown_code import ShownCode
from atlas.sizes import Size
from atlas.sources.pins import PinState, PinStatus

Count = str | Maths
"""A count as pages show it."""

STATUS_WORDS = {"proved": "proved in this build", "recorded": "recorded", "stale": "stale", "missing": NOT_PROVED}
EVIDENCE_WORDS = {"direct": "Direct evidence", "supporting": "Supporting evidence"}


@dataclass(frozen=True, slots=True)
class WholeView:
    """A function or class of which a passage shows a part."""

    name: str
    """Its name with those of the classes and functions around it."""
    lines: str
    """Its own range of lines, with a dash."""


@dataclass(frozen=True, slots=True)
class ExcerptView:
    """A passage of a pinned file, as it is shown."""

    id: str
    """The name of the claim that it shows."""
    file: str
    """The file's name."""
    lines: str
    """The range of lines, with a dash."""
    file_url: str
    """The page of the pinned file, at the passage."""
    code: tuple[CodeLine, ...]
    """The lines; empty where the file was not at hand."""
    missing: str
    """Why there are no lines, else empty."""
    part_of: tuple[WholeView, ...]
    """The definitions that could be taken to be shown whole, and are not."""


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
    blob: str
    """Git's object id of the file."""
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
class Passage:
    """What all claims say alike that show the same lines of a pinned file; the fields are those of their views."""

    repository: str
    """The project's name."""
    revision: str
    """The revision in words."""
    upstream_url: str
    """The lines on the repository's own site."""
    blob: str
    """Git's object id of the file."""
    pin: str
    """What is known of the pin."""
    licence_url: str
    """The licence's text, on this site."""
    name: str
    """The file's name."""
    lines: str
    """The range of lines, with a dash."""
    file_url: str
    """The page of the pinned file, at the passage."""
    code: CodeLines
    """The lines; none where the file was not at hand."""
    part_of: tuple[WholeView, ...]
    """The definitions of which the lines are a part."""


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
    same_as: Link | None
    """The component that has it too and counts it, where it is tied."""


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


@dataclass(frozen=True, slots=True)
class ReferenceView:
    """A NumPy operator."""

    name: str
    """Its name."""
    url: str
    """Its place on the page of its family."""
    contract: str
    """Its shape contract."""
    code: tuple[CodeLine, ...]
    """Its source."""
    alone_url: str
    """The file with all that it needs to run alone, below the site's root."""


class Parts:
    """Makes the shared parts for one site; what several pages ask for is looked up, counted or highlighted once."""

    def __init__(self, checked: Checked, typesetting: Typesetting, code: ShownCode | None = None) -> None:
        self.checked = checked
        self.typesetting = typesetting
        self._code = ShownCode() if code is None else code
        self._passages: dict[tuple[str, str, int, int], Passage] = {}
        self._below: dict[str, str] = {}
        self._references: dict[str, ReferenceView] = {}
        self._places: dict[str, dict[str, int]] = {}

    def text(self, owner: Placed, markdown: str) -> Inline:
        """A text of one line that stands in the file of an entry or collection."""
        return self.typesetting.text(markdown, self.below(owner))

    def below(self, owner: Placed) -> str:
        """The file of an entry or collection, below the content folder."""
        if owner.path not in self._below:
            self._below[owner.path] = owner.file.relative_to(self.checked.atlas.content).as_posix()
        return self._below[owner.path]

    def neighbours(self, entry: CheckedEntry) -> tuple[CheckedEntry | None, CheckedEntry | None]:
        """The entries before and after in the same collection."""
        name = entry.entry.collection
        entries = self.checked.collections[name].entries
        if name not in self._places:
            self._places[name] = {one.entry.id: place for place, one in enumerate(entries)}
        place = self._places[name][entry.entry.id]
        return entries[place - 1] if place else None, entries[place + 1] if place + 1 < len(entries) else None

    def reference(self, operator: Operator) -> ReferenceView:
        """An operator with its source."""
        if operator.name not in self._references:
            anchor, contract = operator_anchor(operator), str(operator.contract)
            self._references[operator.name] = ReferenceView(
                operator.name, anchor, contract, self._code.operator(operator), standalone_file(operator)
            )
        return self._references[operator.name]

    def highlighted(self, source_id: str, path: str) -> tuple[Markup, ...]:
        """The lines of a pinned file that is at hand."""
        return self._code.file(self.checked.files[source_id, path])

    def passage(self, claim: CheckedClaim) -> Passage:
        """What every claim of the same lines says of them."""
        source, path, (first, last) = claim.claim.source, claim.claim.path, claim.claim.span
        key = (source, path, first, last)
        if key not in self._passages:
            self._passages[key] = self._passage(claim)
        return self._passages[key]

    def _passage(self, claim: CheckedClaim) -> Passage:
        manifest, source, path = claim.source.data, claim.claim.source, claim.claim.path
        first, last = claim.claim.span
        kind = "Pinned revision" if manifest.is_commit else "Release"
        at_hand = claim.excerpt is not None
        return Passage(
            repository=manifest.name,
            revision=f"{kind} {manifest.revision[:12] if manifest.is_commit else manifest.revision}",
            upstream_url=manifest.link(path, first, last),
            blob=manifest.files[path].blob,
            pin=pin_text(claim.pin),
            licence_url=f"{source_page(source)}#licence",
            name=path.rpartition("/")[2],
            lines=_range(first, last),
            file_url=claim_anchor(claim),
            code=self._code.passage(self.checked.files[source, path], first, last) if at_hand else CodeLines(),
            part_of=tuple(WholeView(one.name, _range(one.first, one.last)) for one in claim.part_of),
        )

    def claim(self, owner: Placed, claim: CheckedClaim) -> ClaimView:
        """A source claim of an entry or collection."""
        stated, manifest, passage = claim.claim, claim.source.data, self.passage(claim)
        return ClaimView(
            stated.id,
            EVIDENCE_WORDS[stated.evidence],
            self.text(owner, stated.claim),
            passage.repository,
            stated.path,
            passage.revision,
            passage.upstream_url,
            passage.blob,
            passage.pin,
            manifest.license,
            passage.licence_url,
            manifest.copyright,
            ExcerptView(
                stated.id,
                passage.name,
                passage.lines,
                passage.file_url,
                passage.code,
                claim.missing,
                passage.part_of,
            ),
        )

    def rows(self, counted: Account, entry: CheckedEntry) -> tuple[RowView, ...]:
        """The rows of the table of parameters."""
        maths = self.typesetting.maths
        symbols = entry.entry.data.symbols
        return tuple(
            RowView(
                row.label,
                maths(row.symbol),
                symbols[row.symbol].tensor or "",
                maths(row.calculation),
                self.count(row.count),
                self._tied(entry, symbols[row.symbol].tied),
            )
            for row in counted.rows
        )

    def _tied(self, entry: CheckedEntry, tied: str | None) -> Link | None:
        """The component to whose parameter one is tied."""
        if tied is None:
            return None
        other = f"{entry.entry.collection}/{tied.partition('.')[0]}"
        return next((self.entry_link(one) for one in self.checked.entries if one.entry.id == other), None)

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
            layers = str(counted.layers)  # as many as there are places with weights of their own
            rows.append(VariantRow(variant.title, self.count(counted.per_instance), layers, self.count(counted.across)))
        return tuple(rows)

    def entry_link(self, entry: CheckedEntry, *, full: bool = False) -> Link:
        """A link to an entry; in full, with its collection and stack."""
        collection = self.checked.collections[entry.entry.collection].collection
        stack = collection.stack_of(entry.entry)
        names = [collection.data.title, *([stack.title] if stack else []), entry.entry.data.title]
        return Link(" · ".join(names) if full else entry.entry.data.title, entry_page(entry.entry))


def written(value: object) -> str:
    """A value as people write it in code: `1e-6`, not `1e-06`."""
    return repr(value).replace("e-0", "e-").replace("e+0", "e") if isinstance(value, float) else str(value)


def number_latex(value: float) -> str:
    """A number in LaTeX: `10^{-6}` for `1e-6`."""
    mantissa, _, exponent = written(value).partition("e")
    if not exponent:
        return mantissa
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa} \times {power}"


def main_sizes(entry: CheckedEntry, collection: CheckedCollection) -> Mapping[str, int]:
    """The sizes whose figures a page shows first: those of its first place in the model's first variant."""
    return collection.account(entry.entry).places[0].sizes


def value_of(expression: Size, sizes: Mapping[str, int]) -> int | None:
    """The value of an expression whose every symbol is bound; of any other, None."""
    return expression.value(sizes) if expression.symbols <= sizes.keys() else None


def _range(first: int, last: int) -> str:
    """Some lines, as pages name them."""
    return f"{first}–{last}" if last > first else str(first)


def pin_text(status: PinStatus) -> str:
    """What is known of a pin, for a reader."""
    if status.state is PinState.PROVED and status.record is not None:
        return f"that this file belongs to the revision was proved against git on {status.record.proved}"
    return status.message
