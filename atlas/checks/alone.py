"""What an entry is found to be by itself: its names, its shapes, its formula beside the operator, without other files.

This is most of what a check costs and needs nothing but the entry, so it runs on any machine, for many entries at once,
and what holds is kept for as long as neither the entry nor the code that judged it changes.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from atlas.checks.base import Proof
from atlas.checks.formula import check_formula, read_formula, read_table
from atlas.checks.interface import check_interface
from atlas.checks.parameters import check_learned
from atlas.checks.shapes import check_shapes
from atlas.checks.symbols import check_crossings
from atlas.entries.atlas import Entry
from atlas.formula.engine import Formula
from atlas.formula.symbols import SymbolTable
from atlas.issues import Issue
from atlas.kept import Kept, code_digest, key_of
from atlas.operators.registry import Operator
from atlas.spread import Executor, cores, processes, spread

NAMES = frozenset(("A130", "A131", "A132", "A135", "A209", "A210", "A212", "A213", "A244"))
"""Mistakes in names and declarations, from which others would follow in shapes and in what stands for what."""
CODE = ("size_text", "sizes", "issues", "entries", "formula", "operators", "checks")
"""The rooms whose code a judgement depends on."""
PART = 25
"""How many entries one piece of work has."""
WORTHWHILE = 150
"""From how many entries on other processes are started for them: each takes as long to start as 30 entries to judge."""


@dataclass(frozen=True, slots=True)
class Task:
    """One entry to be judged."""

    entry: Entry
    """The entry."""
    readable: bool
    """Whether its formula and symbols can be displayed; else nothing more is said of how they are written."""
    placed: bool
    """Whether all that it refers to exists and its sizes have values; else its shapes mean nothing."""
    symbols: tuple[Issue, ...] = ()
    """What a light reading found wrong with the names of a formula that is not executed."""


@dataclass(frozen=True, slots=True)
class Alone:
    """What was found."""

    issues: tuple[Issue, ...]
    """Everything that is wrong."""
    table: SymbolTable | None = None
    """The symbols, as the formula engine takes them; None where the entry does not hold."""
    shapes: str = ""
    """What was found about its shapes."""
    formula: str = ""
    """What was found about its formula."""

    @property
    def holds(self) -> bool:
        """Whether the entry holds by itself."""
        return self.table is not None


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


def judge_all(tasks: Sequence[Task]) -> list[Alone]:
    """Judge entries one after the other; what an executor is given."""
    return [judge(task) for task in tasks]


def _uncounted(_: str, __: int, ___: int) -> None:
    """Take no note."""


def _spread(tasks: Sequence[Task], executor: Executor | None, counting: Counted) -> Iterator[Alone]:
    """Judge entries, where it pays in several processes."""
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
    parts = [tasks[first : first + PART] for first in range(0, len(tasks), PART)]
    for number, part in enumerate(spread(judge_all, parts, executor)):
        counting(parts[number][0].entry.id, number * PART, len(tasks))
        yield from part


def judge(task: Task) -> Alone:
    """Judge one entry; a check whose ground another has found missing is left out."""
    entry = task.entry
    operator, interface = check_interface(entry)
    table, declared = read_table(entry, operator)
    formula, symbols = _read(task, table)
    if task.readable and not (symbols and entry.data.formula_not_executed):
        symbols = [*declared, *symbols]  # else the check of names has told the same already
    if not task.placed:
        # An axis that is no axis of the collection is no size of the formula either.
        symbols = [issue for issue in symbols if issue.code != "A244"]
    misnamed = any(issue.code in NAMES for issue in symbols)
    if misnamed:
        # A symbol that is missing stands for nothing either.
        interface = [issue for issue in interface if issue.code != "A134"]
    found = [*symbols, *interface]
    if operator is None or table is None or interface or not task.placed or misnamed:
        return Alone(tuple(found))
    learned = check_learned(entry, operator)
    shapes, issues = check_shapes(entry, operator, table)
    found += [*learned, *issues]
    if issues:
        return Alone(tuple(found))
    proof, issues = _formula(entry, operator, formula)
    found += issues
    return Alone(tuple(found), None if learned or issues or symbols else table, shapes, proof)


def formula_proof(entry: Entry, alone: Alone) -> Proof:
    """What a page says of the formula of an entry that holds."""
    executed = entry.data.formula_not_executed is None
    return Proof("formula", "proved" if executed else "missing", alone.formula, f"atlas check {entry.path}")


def _formula(entry: Entry, operator: Operator, formula: Formula | None) -> tuple[str, list[Issue]]:
    reason = entry.data.formula_not_executed
    if reason is not None:
        return f"displayed, not executed: {reason}", []
    return check_formula(entry, operator, formula) if formula is not None else ("cannot be read", [])


def _read(task: Task, table: SymbolTable | None) -> tuple[Formula | None, list[Issue]]:
    """The formula where it is to be executed, and what is wrong with its names or with the text."""
    if not task.readable:
        return None, []
    if task.entry.data.formula_not_executed is not None:
        return None, list(task.symbols)
    formula, issues, unknown = read_formula(task.entry, table) if table is not None else (None, [], frozenset())
    return formula, [*issues, *check_crossings(task.entry, unknown)]


def _key(task: Task) -> bytes | None:
    """What a judgement follows from; None where it is not kept, as something is wrong already."""
    if not task.readable or not task.placed or task.symbols:
        return None
    # The place of an entry shows in issues only, and a judgement with issues is not kept.
    return key_of("alone", code_digest(*CODE), task.entry.data.model_dump_json(by_alias=True))


def _kept(keys: Iterable[bytes | None], kept: Kept | None) -> dict[bytes, Alone]:
    if kept is None:
        return {}
    found = kept.get(key for key in keys if key is not None)
    # From the user's own cache, written by this very code, and whole by its digest.
    return {key: pickle.loads(value) for key, value in found.items()}  # noqa: S301
