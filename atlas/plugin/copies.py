"""Pages and files written by copies of the build's process: one for each core, all of which know what the build knows.

Whatever a copy does not do without a word, the process itself does again: it warns and fails as if there were none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial

from atlas.cycles import IN_WRITERS, look_only_at_new
from atlas.exceptions import ExecutorError
from atlas.render.links import LinkCheck, no_ids
from atlas.spread import cores, forks, processes, spread

WORTHWHILE = 200
"""From how many tasks on copies are made."""
MANY = 1_000
"""From how many links on of what was written at once a copy looks for those that are right, which are most: the page of
a file that ten thousand entries document has more than all others together."""
AT_ONCE = 40
"""How many tasks a copy is given at once."""


@dataclass(frozen=True, slots=True)
class Task:
    """Writes one page or file, and notes the links in it."""

    write: Callable[[], None]
    """Writes it, where nothing else writes."""
    note: Callable[[LinkCheck], None]
    """Notes its links."""


@dataclass(frozen=True, slots=True)
class _Done:
    """What a copy has done of the tasks it was given."""

    places: tuple[int, ...]
    """Which of all tasks."""
    links: LinkCheck
    """The links in what they wrote."""


class _Heard(logging.Handler):
    """Counts what is said."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count it."""
        self.count += 1


@dataclass(frozen=True, slots=True)
class _Copy:
    """What a copy was made with."""

    task: Callable[[int], Task]
    """Makes the task at a place."""
    new_links: Callable[[], LinkCheck]
    """Makes what gathers links."""
    heard: _Heard
    """What is said while tasks are done."""
    settle: Callable[[LinkCheck], None]
    """Lets go of links that are known to be right."""


_copy: ContextVar[_Copy] = ContextVar("_copy")
"""What this process is a copy for; set once, as a pool hands nothing to what it calls."""


def in_copies(
    count: int,
    task: Callable[[int], Task],
    links: LinkCheck,
    known: Container[str],
    copied: Callable[[], None],
    ids_of: Callable[[str], Container[str]] = no_ids,
) -> set[int]:
    """Do tasks on all cores where that pays; the places of those that are done, whose links are among `links` then.

    Args:
        count: How many tasks there are.
        task: Makes the task at a place; neighbours should read the same.
        links: Where links are noted.
        known: Files of the site to which links are right.
        copied: What a copy does before it uses what is open.
        ids_of: The ids in the page at an address, where it is known what it has.
    """
    if count < WORTHWHILE or not forks() or (number := min(processes(), count // AT_ONCE)) < 2:
        return set()

    def settle(gathered: LinkCheck) -> None:
        if len(gathered) > MANY:
            gathered.settle(ids_of)

    done: set[int] = set()
    pieces = [range(first, min(first + AT_ONCE, count)) for first in range(0, count, AT_ONCE)]
    with (
        suppress(ExecutorError, OSError, RuntimeError),  # also where no process or thread can be started
        cores(number, partial(_begin, task, partial(LinkCheck, links.root, known), copied, settle)) as pool,
    ):
        for one in spread(_do, pieces, pool):
            done.update(one.places)
            links.add(one.links)
    return done


def _begin(
    task: Callable[[int], Task],
    new_links: Callable[[], LinkCheck],
    copied: Callable[[], None],
    settle: Callable[[LinkCheck], None],
) -> None:
    look_only_at_new(IN_WRITERS)
    copied()
    heard = _Heard()
    for logger in _loggers():
        logger.handlers = []
        logger.propagate = True
    logging.getLogger().handlers = [heard]
    _copy.set(_Copy(task, new_links, heard, settle))


def _loggers() -> Iterator[logging.Logger]:
    """All loggers that were ever asked for."""
    for one in logging.root.manager.loggerDict.values():
        if isinstance(one, logging.Logger):
            yield one


def _do(places: range) -> _Done:
    copy = _copy.get()
    done: list[int] = []
    links = copy.new_links()
    for place in places:
        task, before, found = copy.task(place), copy.heard.count, copy.new_links()
        try:
            task.write()
            task.note(found)
        except Exception:  # noqa: S112 - the process itself does it again, and then it is told
            continue
        if copy.heard.count == before:
            done.append(place)
            links.add(found)
    copy.settle(links)
    return _Done(tuple(done), links.alone())
