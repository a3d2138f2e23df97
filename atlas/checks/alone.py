"""What an entry is found to be by itself: its names, its shapes, its formula beside the operator, without other files.

This is most of what a check costs and needs nothing but the entry, so it runs on any machine, for many entries at once,
and what holds is kept for as long as neither the entry nor the code that judged it changes: then that code is not even
loaded.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence

from atlas.checks.base import Proof
from atlas.checks.judgement import Alone, Task
from atlas.entries.atlas import Entry
from atlas.kept import Kept, code_digest, key_of
from atlas.spread import Executor, cores, processes, spread

CODE = ("size_text", "sizes", "issues", "entries", "formula", "operators", "checks")
"""The rooms whose code a judgement depends on."""
SAID = frozenset(("title", "summary", "note", "parameters_note", "training", "sources", "formerly"))
"""The fields of an entry that no judgement reads: what it is called, what is said of it, and where that is shown."""
PART = 25
"""How many entries one piece of work has."""
WORTHWHILE = 150
"""From how many entries on other processes are started for them: each takes as long to start as 30 entries to judge."""


Counted = Callable[[str, int, int], None]
"""Takes note of an entry that is checked next, of how many are done, and of how many there are."""


def judged(
    tasks: Sequence[Task],
    kept: Kept | None = None,
    executor: Executor | None = None,
    counting: Counted | None = None,
) -> list[Alone]:
    """Each entry's judgement, in order; of those that are kept, none is made again."""
    keys = [_key(task) for task in tasks]
    found = _kept(keys, kept)
    missing = [task for task, key in zip(tasks, keys, strict=True) if key is None or key not in found]
    made = iter(_spread(missing, executor, counting or _uncounted))
    results = [next(made) if key is None or key not in found else found[key] for key in keys]
    if kept is not None:
        new = [(key, alone) for key, alone in zip(keys, results, strict=True) if key is not None and key not in found]
        kept.put({key: pickle.dumps(alone, 5) for key, alone in new if alone.holds and not alone.issues})
    return results


def _uncounted(_: str, __: int, ___: int) -> None:
    """Take no note."""


def _spread(tasks: Sequence[Task], executor: Executor | None, counting: Counted) -> Iterator[Alone]:
    """Judge entries, where it pays in several processes."""
    if not tasks:
        return
    from atlas.checks.judging import judge  # and with it the engine of formulas, for which most edits have no use

    if executor is not None:
        yield from _gathered(executor, tasks, counting)
    elif len(tasks) < WORTHWHILE or processes() == 1:
        for number, task in enumerate(tasks):
            counting(task.entry.id, number, len(tasks))
            yield judge(task)
    else:
        with cores(processes()) as pool:
            yield from _gathered(pool, tasks, counting)


def _gathered(executor: Executor, tasks: Sequence[Task], counting: Counted) -> Iterator[Alone]:
    from atlas.checks.judging import judge_all

    parts = [tasks[first : first + PART] for first in range(0, len(tasks), PART)]
    for number, part in enumerate(spread(judge_all, parts, executor)):
        counting(parts[number][0].entry.id, number * PART, len(tasks))
        yield from part


def formula_proof(entry: Entry, alone: Alone) -> Proof:
    """What a page says of the formula of an entry that holds."""
    executed = entry.data.formula_not_executed is None
    return Proof("formula", "proved" if executed else "missing", alone.formula, f"atlas check {entry.path}")


def _key(task: Task) -> bytes | None:
    """What a judgement follows from; None where it is not kept, as something is wrong already."""
    if not task.readable or not task.placed or task.symbols:
        return None
    # The place of an entry shows in issues only, and a judgement with issues is not kept.
    return key_of("alone", code_digest(*CODE), task.entry.data.model_dump_json(by_alias=True, exclude=set(SAID)))


def _kept(keys: Iterable[bytes | None], kept: Kept | None) -> dict[bytes, Alone]:
    if kept is None:
        return {}
    found = kept.get(key for key in keys if key is not None)
    # From the user's own cache, written by this very code, and whole by its digest.
    return {key: pickle.loads(value) for key, value in found.items()}  # noqa: S301
