"""Pinned sources: each claim's passage is brought and verified, and holds what the claim says it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from atlas.checks.base import Collector
from atlas.checks.checked import CheckedClaim
from atlas.entries.atlas import Atlas, Collection, Placed, Source
from atlas.entries.collection import Variant
from atlas.entries.component import SourceClaim
from atlas.entries.tree import KeyPath
from atlas.exceptions import ExcerptError, OfflineError, SourceError
from atlas.issues import Issue
from atlas.sources.excerpts import excerpt
from atlas.sources.pins import PinLock, PinState, PinStatus, pin_status
from atlas.sources.store import PinnedText, SourceStore
from atlas.sources.symbols import assignments, begins_with, calls, defined_in

MissingSources = Literal["fail", "link"]


class SourceCheck:
    """The pinned files of one run and the issues about them."""

    def __init__(self, atlas: Atlas, store: SourceStore, lock: PinLock, missing: MissingSources) -> None:
        self.atlas = atlas
        self.store = store
        self.lock = lock
        self.missing = missing
        self.found = Collector()
        self.files: dict[tuple[str, str], PinnedText] = {}
        self.pins: dict[tuple[str, str], PinStatus] = {}

    def check_sources(self) -> None:
        """Bring every pinned file, and see that no pin was edited after it was proved."""
        for source in self.atlas.sources.values():
            for path in source.data.files:
                self._check_pin(source, path)
                self._bring(source, path)

    def claims(self, owner: Placed, claims: Iterable[SourceClaim], where: KeyPath) -> tuple[CheckedClaim, ...]:
        """The claims with their passages; claims whose references do not hold are left to the check of references."""
        return tuple(
            self._claim(owner, claim, (*where, index))
            for index, claim in enumerate(claims)
            if claim.source in self.atlas.sources and claim.path in self.atlas.sources[claim.source].data.files
        )

    def settings(self, collection: Collection, name: str, variant: Variant) -> None:
        """The sizes of a variant that the pinned source sets are the ones that the variant states."""
        by_id = {claim.id: claim for claim in variant.sources}
        for symbol, setting in variant.settings.items():
            claim = by_id.get(setting.source)
            pinned = self.files.get((claim.source, claim.path)) if claim is not None else None
            if claim is None or pinned is None or symbol not in variant.sizes:
                continue
            first, last = claim.span
            path = ("variants", name, "settings", symbol)
            written = assignments(pinned, first, min(last, len(pinned.lines)), setting.name)
            if not written:
                message = f"lines {claim.lines} of {claim.path} do not set {setting.name}"
                self.found.add(collection.issue((*path, "name"), "A507", message))
            elif written[-1].value != variant.sizes[symbol]:
                there = f"line {written[-1].line} of {claim.path} sets {setting.name} to {written[-1].text}"
                message = f"{symbol} is {variant.sizes[symbol]:,} here, but {there}"
                self.found.add(collection.issue(("variants", name, "sizes", symbol), "A507", message))

    def _check_pin(self, source: Source, path: str) -> None:
        status = pin_status(source.id, source.data, path, self.lock)
        self.pins[source.id, path] = status
        if status.state in (PinState.EDITED, PinState.NEVER_PROVED):
            message, _, hint = status.message.partition("; ")
            self.found.add(source.issue(status.field, "A502", message, hint))

    def _bring(self, source: Source, path: str) -> None:
        try:
            self.files[source.id, path] = self.store.file(source.id, path)
        except OfflineError as error:
            if self.missing == "fail":
                self.found.add(source.issue(error.field or ("files", path), "A503", str(error)))
        except SourceError as error:
            self.found.add(source.issue(error.field or ("files", path), "A501", str(error)))

    def _claim(self, owner: Placed, claim: SourceClaim, where: KeyPath) -> CheckedClaim:
        source = self.atlas.sources[claim.source]
        pin = self.pins[claim.source, claim.path]
        pinned = self.files.get((claim.source, claim.path))
        if pinned is None:
            return CheckedClaim(
                claim, source, None, "the pinned file was not at hand when this page was built", None, pin
            )
        first, last = claim.span
        try:
            passage = excerpt(pinned, first, last)
        except ExcerptError as error:
            self.found.add(owner.issue((*where, "lines"), "A504", str(error)))
            return CheckedClaim(claim, source, None, str(error), None, pin)
        line: int | None = None
        for issue in self._holds(owner, claim, pinned, where):
            self.found.add(issue)
        if claim.call is not None:
            lines = calls(pinned, first, last, claim.call)
            line = lines[0] if lines else None
            if line is None:
                message = f"lines {claim.lines} of {claim.path} do not call {claim.call}"
                self.found.add(owner.issue((*where, "call"), "A505", message))
        return CheckedClaim(claim, source, passage, "", line, pin)

    def _holds(self, owner: Placed, claim: SourceClaim, pinned: PinnedText, where: KeyPath) -> Iterable[Issue]:
        first, last = claim.span
        for key, symbol, rule in (
            ("symbol", claim.symbol, defined_in),
            ("first_symbol", claim.first_symbol, begins_with),
        ):
            if symbol is None:
                continue
            try:
                rule(pinned, first, last, symbol)
            except ExcerptError as error:
                yield owner.issue((*where, key), "A505", str(error))
