"""Many records in little memory: pickled a few at a time, and made again, a few at a time, when they are asked for.

What a build knows of a page takes kilobytes as objects and a tenth of that so; of ten thousand pages it looks at most
of it three or four times.
"""

from __future__ import annotations

import pickle
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Generic, TypeVar, cast, overload

from atlas.kept import compressed
from atlas.render.packed import Packed

TOGETHER = 32
"""How many records are pickled together: enough to share what they have in common."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chunk(Packed, Generic[T]):
    """A few neighbouring records."""

    count: int
    """How many."""
    data: bytes
    """All of them, pickled and compressed."""

    def records(self) -> tuple[T, ...]:
        """The records, made anew each time."""
        # From the user's own cache, written by this very code, and whole by its digest.
        return cast("tuple[T, ...]", pickle.loads(zlib.decompress(self.data)))  # noqa: S301


class PackedRecords(Sequence[T]):
    """Records in chunks; equal to others with equal records."""

    __slots__ = ("chunks",)

    def __init__(self, chunks: Iterable[Chunk[T]]) -> None:
        self.chunks = tuple(chunks)
        """The records in their order."""

    @classmethod
    def of(cls, records: Iterable[T]) -> PackedRecords[T]:
        """Pack records."""
        waiting = iter(records)
        few = iter(lambda: tuple(islice(waiting, TOGETHER)), ())
        return cls(Chunk(len(one), compressed(pickle.dumps(one, 5))) for one in few)

    def __len__(self) -> int:
        return sum(chunk.count for chunk in self.chunks)

    def __iter__(self) -> Iterator[T]:
        for chunk in self.chunks:
            yield from chunk.records()

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        return tuple(self)[at]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PackedRecords) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.chunks,)


class OnDemand(Sequence[T]):
    """Records that are made in parts when one of the part is asked for; of few all stay, of many those asked for last.

    Whoever asks for one after the other has each part made once.
    """

    def __init__(self, parts: Iterable[tuple[int, Callable[[], Sequence[T]]]], few: int) -> None:
        """Take note of the parts.

        Args:
            parts: How many records each has, and what makes these.
            few: Up to how many records in all stay once they are made.
        """
        counts, self._makers = [], []
        for count, make in parts:
            if count:
                counts.append(count)
                self._makers.append(make)
        self._ends = list(accumulate(counts))
        self._all_stay = len(self) <= few
        self._made: dict[int, Sequence[T]] = {}

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[T]:
        for number in range(len(self._makers)):
            yield from self._part(number)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        place = at + len(self) if at < 0 else at
        if not 0 <= place < len(self):
            raise IndexError(f"there are {len(self)} records, and none at {at}")
        number = bisect_right(self._ends, place)
        return self._part(number)[place - self._ends[number]]  # counted from the end of the part

    def _part(self, number: int) -> Sequence[T]:
        made = self._made.get(number)
        if made is None:
            if not self._all_stay:
                self._made.clear()
            made = self._made[number] = self._makers[number]()
        return made
