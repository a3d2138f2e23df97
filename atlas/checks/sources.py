"""Pinned sources: each claim's passage is brought and verified, and holds what the claim says it holds."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from atlas.checks.base import Collector, listed
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
from atlas.sources.symbols import SHOWN, WrittenValue, assignments, begins_with, call_literals, calls, defined_in

UNREADABLE = "name what the source writes as a plain assignment or call, or leave this setting out"
"""What to do about a setting that cannot be read from the source."""


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
                self.found.add(
                    collection.issue(
                        (*path, "call" if setting.call else "name"), "A507", error.fact, error.advice or UNREADABLE
                    )
                )
                continue
            if not written:
                set_by = f"{setting.name} by {setting.call}" if setting.call else setting.name
                message = f"lines {claim.lines} of {claim.path} do not set {set_by}"
                self.found.add(
                    collection.issue((*path, "name"), "A507", message, _set_elsewhere(pinned, claim, setting))
                )
            elif written[-1].value != variant.sizes[symbol]:
                there = f"line {written[-1].line} of {claim.path} sets {setting.name} to {written[-1].text}"
                message = f"{symbol} is {_shown(variant.sizes[symbol])} here, but {there}"
                hint = f"write `{symbol}: {written[-1].text}`" if written[-1].literal else "leave this setting out"
                hint += ", or name in `settings` what sets this size"
                self.found.add(collection.issue(("variants", name, "sizes", symbol), "A507", message, hint))

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
            # Lines the wrong way round are told of with the right ones.
            advice = error.advice or _defined(claim, pinned)
            self._doubt(owner, where, "lines", "A504", error, advice)
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
            elsewhere = _elsewhere(claim, pinned, key)
            # What the file has, on other lines, is named rightly: the lines are what is wrong.
            self._doubt(owner, where, "lines" if elsewhere else key, "A505", error, elsewhere)
            return None

    @staticmethod
    def _calls(claim: SourceClaim, pinned: PinnedText) -> list[int]:
        lines = calls(pinned, *claim.span, claim.call or "")
        if not lines:
            raise ExcerptError(f"lines {claim.lines} of {claim.path} do not call {claim.call}")
        return lines

    def _doubt(self, owner: Placed, where: KeyPath, key: str, code: str, error: ExcerptError, advice: str = "") -> None:
        self.doubtful.add((owner.id, where))
        self.found.add(owner.issue((*where, key), code, error.fact, advice or error.advice))


def _defined(claim: SourceClaim, pinned: PinnedText) -> str:
    """Where what the claim is about begins, where that has a name and is defined once."""
    name = claim.symbol or claim.first_symbol
    found = [one for one in definitions(pinned.text) if name is not None and one.is_named(name)]
    return f"{name} is defined from line {found[0].first} on" if len(found) == 1 else ""


def _elsewhere(claim: SourceClaim, pinned: PinnedText, key: str) -> str:
    """Where the file has what the lines of a claim lack; an empty text where it has it nowhere, or among the lines."""
    first, last = claim.span
    if key == "call":
        try:
            found = calls(pinned, 1, len(pinned.lines), claim.call or "")
        except ExcerptError:  # the name is none, or the whole file is not today's Python
            return ""
        return f"{claim.call} is called at line {listed(map(str, found[:SHOWN]))}" if found else ""
    if key == "first_symbol" and claim.symbol is not None:
        return ""  # the lines have what they are about
    name = (claim.symbol if key == "symbol" else claim.first_symbol) or ""
    named = [one for one in definitions(pinned.text) if one.is_named(name)]
    if not named or any(first <= one.line <= last for one in named):
        return ""
    return f"{name} is defined on lines {listed(f'{one.first}-{one.last}' for one in named[:SHOWN])}"


def _set_elsewhere(pinned: PinnedText, claim: SourceClaim, setting: Setting) -> str:
    """Where the file sets what the lines of a claim do not; else what to correct."""
    try:
        found = _written(pinned, 1, len(pinned.lines), setting)
    except ExcerptError:  # the whole file is not today's Python
        found = []
    where = listed(dict.fromkeys(str(one.line) for one in found[:SHOWN]))
    if where:
        return f"it is set at line {where}: correct the `lines` of the source claim {setting.source}"
    if setting.call is None:
        first, last = claim.span
        objects, _, own = setting.name.rpartition(".")
        there = (one for one in definitions(pinned.text) if one.kind == "assignment" and first <= one.line <= last)
        near = get_close_matches(own, sorted({one.name.rpartition(".")[2] for one in there}), n=1)
        if near:
            return f"did you mean `{objects}.{near[0]}`?" if objects else f"did you mean `{near[0]}`?"
    return "correct `name` or `call`, or name as `source` a claim whose lines set it"


def _written(pinned: PinnedText, first: int, last: int, setting: Setting) -> list[WrittenValue]:
    """The values that the lines set, in order: by assignment, or by a call with the name and the value."""
    if setting.call is None:
        return assignments(pinned, first, last, setting.name)
    made = [call.arguments for call in call_literals(pinned, first, last, setting.call)]
    return [given[1] for given in made if len(given) > 1 and given[0].literal and given[0].value == setting.name]
