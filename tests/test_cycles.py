"""How seldom Python looks for reference cycles is set as it is said."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

import pytest

from atlas.cycles import Thresholds, look, look_again, look_only_at_new

SOME: Thresholds = (12_345, 6, 7)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leaves the thresholds as they were."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_it_looks_so_seldom() -> None:
    look(SOME)
    assert gc.get_threshold() == SOME


def test_it_looks_again_and_takes_nothing_for_lasting() -> None:
    made: list[list[int]] = [[] for _ in range(1000)]
    look_again(SOME)
    assert gc.get_threshold() == SOME
    assert gc.get_freeze_count() == 0
    assert any(one is made for one in gc.get_objects(generation=2))
    assert not any(one is made for one in gc.get_objects(generation=0))


def _tell(begin: Callable[[Thresholds | None], None], thresholds: Thresholds | None, answers: Connection) -> None:
    begin(thresholds)
    answers.send((gc.get_freeze_count() > 1000, gc.isenabled(), gc.get_threshold()))


@pytest.mark.parametrize(("thresholds", "is_enabled"), [(SOME, True), (None, False)], ids=["seldom", "never"])
def test_a_process_that_does_nothing_else_looks_only_at_what_is_new(
    thresholds: Thresholds | None, *, is_enabled: bool
) -> None:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    # In a process of its own, as what is taken for lasting once stays so.
    started = multiprocessing.get_context("fork").Process(target=_tell, args=(look_only_at_new, thresholds, theirs))
    started.start()
    assert ours.recv() == (True, is_enabled, thresholds or gc.get_threshold())
    started.join()
    ours.close()
    theirs.close()
