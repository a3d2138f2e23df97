"""Finds the lines of a pinned passage again in another version of its file, by what they say.

A whole definition is followed by its name, anything else by the likeness of its lines; where nothing is like it, it has
vanished, which is told rather than guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from atlas.sources.definitions import Definition, definitions
from atlas.sources.store import PinnedText

ALIKE = 0.6
"""How much of two passages must be the same, from 0 to 1, for one to be the other."""
SHORT = 4000
"""Up to how many characters passages are compared character by character, as one changed line is much of them."""

Step = tuple[str, int, int, int, int]
"""What difflib calls an opcode: `equal`, `replace` or `delete`, and the lines in both versions, from 0."""
Span = tuple[int, int]
"""A first and a last line, from 1."""


@dataclass(frozen=True, slots=True)
class Again:
    """Where a passage is in the new version."""

    span: Span
    """Its first and last line there."""
    added: int
    """How many lines it has that the old one has not."""
    removed: int
    """How many lines of the old one it has not."""

    @property
    def is_unchanged(self) -> bool:
        """Whether it says the same."""
        return not self.added and not self.removed


class Comparison:
    """Two versions of one file; aligning them is done once, whatever number of passages is looked for."""

    def __init__(self, old: PinnedText, new: PinnedText) -> None:
        self.old = old
        self.new = new

    def find(self, span: Span, symbol: str | None, holds: Callable[[Span], bool]) -> Again | None:
        """The passage in the new version that is most like these lines of the old one, among those that `holds` takes.

        `symbol` is the name that the passage defines, where it is known.
        """
        candidates = [*self._definition(span, symbol), *self._verbatim(span), *self._alike(span)]
        return next((self._again(span, one) for one in dict.fromkeys(candidates) if holds(one)), None)

    def _again(self, span: Span, found: Span) -> Again:
        before, after = self._old(span), self._new(found)
        changes = [step for step in SequenceMatcher(None, before, after, False).get_opcodes() if step[0] != "equal"]
        removed, added = sum(step[2] - step[1] for step in changes), sum(step[4] - step[3] for step in changes)
        return Again(found, added, removed)

    def _verbatim(self, span: Span) -> Iterator[Span]:
        """Where the very same lines stand, the place nearest to where the file's alignment expects them first."""
        wanted, lines = self._old(span), self.new.lines
        starts = [start for start in range(len(lines)) if lines[start] == wanted[0]]
        found = [
            (start + 1, start + len(wanted))
            for start in starts
            if self._new((start + 1, start + len(wanted))) == wanted
        ]
        expected = self._mapped(span)[0]
        yield from sorted(found, key=lambda one: (abs(one[0] - expected), one))

    def _definition(self, span: Span, symbol: str | None) -> Iterator[Span]:
        """Where the definition stands that the lines are, whole, with or without its decorators."""
        for one in self._whole(span, symbol):
            named = [other for other in definitions(self.new.text) if other.name == one.name and other.kind == one.kind]
            if not named:
                tail = one.name.rpartition(".")[2]
                named = [
                    other for other in definitions(self.new.text) if other.is_named(tail) and other.kind == one.kind
                ]
            spans = [(other.first if one.first == span[0] else other.line, other.last) for other in named]
            spans = [self._with_empty_lines(each, span) for each in spans]
            yield from sorted(spans, key=lambda each: (-self._likeness(span, each), each))

    def _with_empty_lines(self, found: Span, span: Span) -> Span:
        """A definition's lines with as many empty ones around it as the old passage has, where there are as many."""
        lines = self._old(span)
        before = next(number for number, line in enumerate(lines) if line.strip())
        after = next(number for number, line in enumerate(reversed(lines)) if line.strip())
        wider = (max(found[0] - before, 1), min(found[1] + after, len(self.new.lines)))
        return wider if self._filled(self._new(wider)) == self._filled(self._new(found)) else found

    def _whole(self, span: Span, symbol: str | None) -> list[Definition]:
        """The definitions that the lines are, apart from empty lines around them."""
        filled = [number for number in range(span[0], span[1] + 1) if self.old.lines[number - 1].strip()]
        first, last = (filled[0], filled[-1]) if filled else span
        found = [
            one for one in definitions(self.old.text) if one.last == last and first in (one.first, one.line)
        ]  # fmt: skip
        return [one for one in found if symbol is not None and one.is_named(symbol)] or found

    def _alike(self, span: Span) -> Iterator[Span]:
        """Where lines stand that are like these: where the alignment has them, or where most of them are together."""
        spans = {self._mapped(span), *self._gathered(span)}
        likeness = {one: self._likeness(span, one) for one in spans if one[0] <= one[1]}
        yield from sorted((one for one in likeness if likeness[one] >= ALIKE), key=lambda one: (-likeness[one], one))

    def _gathered(self, span: Span) -> Iterator[Span]:
        """The stretch of equal length that has most of the lines, cut to the first and last that it shares."""
        wanted = Counter(line for line in map(str.strip, self._old(span)) if line)
        lines = [line.strip() for line in self.new.lines]
        length, shared, best, place = span[1] - span[0] + 1, 0, 0, 0
        inside: Counter[str] = Counter()
        for end, line in enumerate(lines):
            inside[line] += 1
            shared += inside[line] <= wanted[line]
            if end >= length:
                leaving = lines[end - length]
                shared -= inside[leaving] <= wanted[leaving]
                inside[leaving] -= 1
            if shared > best:
                best, place = shared, end
        common = [number for number in range(max(place - length + 1, 0), place + 1) if lines[number] in wanted]
        if best:
            yield common[0] + 1, common[-1] + 1

    def _mapped(self, span: Span) -> Span:
        """Where the alignment of the two files has the lines; an empty span where they were deleted."""
        first = next(step for step in self._steps if step[2] >= span[0])
        last = next(step for step in self._steps if step[2] >= span[1])
        start = first[3] + span[0] - 1 - first[1]
        end = last[3] + span[1] - last[1]
        # Of lines that were replaced, an edge is the line that is like it, else an edge of what replaced them.
        if first[0] != "equal":
            start = self._line_like(span[0], first, min(start, first[4]))
        if last[0] != "equal":
            end = self._line_like(span[1], last, (last[4] if span[1] == last[2] else min(end, last[4])) - 1) + 1
        return start + 1, end

    def _line_like(self, number: int, step: Step, otherwise: int) -> int:
        """The index of the line, among those that a step brings, that is most like an old line."""
        wanted = self.old.lines[number - 1].strip()
        likeness = {
            index: SequenceMatcher(None, wanted, self.new.lines[index].strip(), False).ratio()
            for index in range(step[3], step[4])
        }
        best = max(likeness, key=lambda index: likeness[index], default=otherwise)
        return best if likeness.get(best, 0.0) >= ALIKE else otherwise

    @cached_property
    def _steps(self) -> list[Step]:
        """The steps that make the new lines of the old ones, those without old lines left out."""
        old, new = ([line.strip() for line in version.lines] for version in (self.old, self.new))
        return [step for step in SequenceMatcher(None, old, new, False).get_opcodes() if step[0] != "insert"]

    def _likeness(self, span: Span, found: Span) -> float:
        before, after = self._filled(self._old(span)), self._filled(self._new(found))
        by_lines = SequenceMatcher(None, before, after, False).ratio()
        one, other = "\n".join(before), "\n".join(after)
        if len(one) + len(other) > SHORT:
            return by_lines
        return max(by_lines, SequenceMatcher(None, one, other, False).ratio())

    @staticmethod
    def _filled(lines: Sequence[str]) -> list[str]:
        return [line.strip() for line in lines if line.strip()]

    def _old(self, span: Span) -> tuple[str, ...]:
        return self.old.lines[span[0] - 1 : span[1]]

    def _new(self, span: Span) -> tuple[str, ...]:
        return self.new.lines[span[0] - 1 : span[1]]
