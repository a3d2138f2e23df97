"""Pinned sources: each claim's passage is brought and verified, and holds what the claim says it holds."""

from __future__ import annotations

from collections.abc import Iterable

from atlas.checks.base import Collector
from atlas.checks.checked import CheckedClaim
from atlas.checks.pinned import Pinned
from atlas.entries.atlas import Collection, Placed
from atlas.entries.collection import Setting, Variant
from atlas.entries.component import SourceClaim
from atlas.entries.tree import KeyPath
from atlas.exceptions import ExcerptError
from atlas.sources.definitions import definitions
from atlas.sources.excerpts import excerpt
from atlas.sources.store import PinnedText
from atlas.sources.symbols import WrittenValue, assignments, begins_with, call_literals, calls, defined_in


def _shown(value: int | tuple[int, ...]) -> str:
    """The value of a size, or its values in the layers, as running text shows them."""
    return f"{value:,}" if isinstance(value, int) else f"[{', '.join(map(str, value))}]"


class SourceCheck:
    """The issues about what claims say of pinned files."""

    def __init__(self, pinned: Pinned) -> None:
        self.pinned = pinned
        self.found = Collector()
        self.doubtful: set[tuple[str, KeyPath]] = set()

    def claims(self, owner: Placed, claims: Iterable[SourceClaim], where: KeyPath) -> tuple[CheckedClaim, ...]:
        """The claims with their passages; claims whose references do not hold are left to the check of references."""
        return tuple(
            self._claim(owner, claim, (*where, index))
            for index, claim in enumerate(claims)
            if claim.source in self.pinned.sources and claim.path in self.pinned.sources[claim.source].data.files
        )

    def settings(self, collection: Collection, name: str, variant: Variant) -> None:
        """The sizes of a variant that the pinned source sets are the ones that the variant states."""
        positions = {claim.id: index for index, claim in enumerate(variant.sources)}
        for symbol, setting in variant.settings.items():
            index = positions.get(setting.source)
            if index is None or symbol not in variant.sizes:
                continue
            claim = variant.sources[index]
            pinned = self.pinned.files.get((claim.source, claim.path))
            if pinned is None or (collection.id, ("variants", name, "sources", index)) in self.doubtful:
                continue
            path = ("variants", name, "settings", symbol)
            try:
                written = _written(pinned, *claim.span, setting)
            except ExcerptError as error:
                self.found.add(collection.issue((*path, "call" if setting.call else "name"), "A507", str(error)))
                continue
            if not written:
                set_by = f"{setting.name} by {setting.call}" if setting.call else setting.name
                message = f"lines {claim.lines} of {claim.path} do not set {set_by}"
                self.found.add(collection.issue((*path, "name"), "A507", message))
            elif written[-1].value != variant.sizes[symbol]:
                there = f"line {written[-1].line} of {claim.path} sets {setting.name} to {written[-1].text}"
                message = f"{symbol} is {_shown(variant.sizes[symbol])} here, but {there}"
                self.found.add(collection.issue(("variants", name, "sizes", symbol), "A507", message))

    def _claim(self, owner: Placed, claim: SourceClaim, where: KeyPath) -> CheckedClaim:
        source = self.pinned.sources[claim.source]
        pin = self.pinned.pins[claim.source, claim.path]
        pinned = self.pinned.files.get((claim.source, claim.path))
        if pinned is None:
            return CheckedClaim(
                claim, source, None, "the pinned file was not at hand when this page was built", None, pin
            )
        try:
            passage = excerpt(pinned, *claim.span)
        except ExcerptError as error:
            self._doubt(owner, where, "lines", "A504", error, _defined(claim, pinned))
            return CheckedClaim(claim, source, None, str(error), None, pin)
        return CheckedClaim(claim, source, passage, "", self._call_line(owner, claim, pinned, where), pin)

    def _call_line(self, owner: Placed, claim: SourceClaim, pinned: PinnedText, where: KeyPath) -> int | None:
        """The line of the call that the claim names; the first thing that the passage lacks is an issue."""
        key = "symbol"
        try:
            if claim.symbol is not None:
                defined_in(pinned, *claim.span, claim.symbol)
            key = "first_symbol"
            if claim.first_symbol is not None:
                begins_with(pinned, *claim.span, claim.first_symbol)
            key = "call"
            return self._calls(claim, pinned)[0] if claim.call is not None else None
        except ExcerptError as error:
            self._doubt(owner, where, key, "A505", error)
            return None

    @staticmethod
    def _calls(claim: SourceClaim, pinned: PinnedText) -> list[int]:
        lines = calls(pinned, *claim.span, claim.call or "")
        if not lines:
            raise ExcerptError(f"lines {claim.lines} of {claim.path} do not call {claim.call}")
        return lines

    def _doubt(self, owner: Placed, where: KeyPath, key: str, code: str, error: ExcerptError, advice: str = "") -> None:
        self.doubtful.add((owner.id, where))
        message, _, hint = str(error).partition("; ")
        self.found.add(owner.issue((*where, key), code, message, hint or advice))


def _defined(claim: SourceClaim, pinned: PinnedText) -> str:
    """Where what the claim is about begins, where that has a name and is defined once."""
    name = claim.symbol or claim.first_symbol
    found = [one for one in definitions(pinned.text) if name is not None and one.is_named(name)]
    return f"{name} is defined from line {found[0].first} on" if len(found) == 1 else ""


def _written(pinned: PinnedText, first: int, last: int, setting: Setting) -> list[WrittenValue]:
    """The values that the lines set, in order: by assignment, or by a call with the name and the value."""
    if setting.call is None:
        return assignments(pinned, first, last, setting.name)
    made = [call.arguments for call in call_literals(pinned, first, last, setting.call)]
    return [given[1] for given in made if len(given) > 1 and given[0].literal and given[0].value == setting.name]
