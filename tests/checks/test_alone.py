"""An entry's own claims are judged once for each state of them, wherever that is, and wrong ones every time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from atlas.checks import alone as module
from atlas.checks import judging
from atlas.checks.alone import PART, SAID, judged
from atlas.checks.judgement import Alone, Task
from atlas.checks.judging import judge
from atlas.entries.atlas import Atlas, Entry
from atlas.entries.component import Component
from atlas.kept import Kept

EntryOf = Callable[[str], Entry]


class Real(Protocol):
    """A copy of the small atlas."""

    def atlas(self) -> Atlas:
        """What is in it."""


LINEAR = r"""
title: A
operator: linear
summary: A
formula: 'y=xW+b'
batch: [B]
symbols:
  'x': {axes: [B, d], binds: x}
  'W': {axes: [d, m], binds: W, parameter: Weight, tensor: w}
  'b': {axes: [m], binds: b, parameter: Bias, tensor: b}
  'y': {axes: [B, m], binds: result}
conventions: {weight: inputs × outputs}
sources:
  - {id: shown, claim: A, source: none, path: none.py, lines: 1}
"""


@pytest.fixture
def task_of(entry_of: EntryOf) -> Callable[..., Task]:
    def make(text: str = LINEAR, *, readable: bool = True, placed: bool = True) -> Task:
        return Task(entry_of(text), readable, placed)

    return make


@pytest.fixture
def judgements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The formulas that were judged in this process."""
    formulas: list[str] = []

    def noted(task: Task) -> Alone:
        formulas.append(task.entry.data.formula)
        return judge(task)

    monkeypatch.setattr(judging, "judge", noted)
    return formulas


def test_an_entry_that_holds_is_judged_once(
    task_of: Callable[..., Task], tmp_path: Path, judgements: list[str]
) -> None:
    with Kept(tmp_path) as kept:
        (first,) = judged([task_of()], kept)
    with Kept(tmp_path) as kept:
        (again,) = judged([task_of()], kept)
    assert first.issues == ()
    assert judgements == ["y=xW+b"]
    assert first.issues == ()
    assert first.holds
    assert (again.shapes, again.formula, again.issues) == (first.shapes, first.formula, ())
    assert again.table is not None
    assert first.table is not None
    assert again.table.symbols == first.table.symbols


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y=xW+b", "y=b+xW"),
        ("[d, m]", "[d, f]"),
        ("binds: b, parameter", "binds: b, values: positive, parameter"),
    ],
)
def test_an_entry_that_was_edited_is_judged_again(
    task_of: Callable[..., Task], tmp_path: Path, judgements: list[str], old: str, new: str
) -> None:
    with Kept(tmp_path) as kept:
        judged([task_of(), task_of(LINEAR.replace(old, new))], kept)
    assert len(judgements) == 2


def test_an_entry_of_which_something_else_is_said_is_not_judged_again(
    task_of: Callable[..., Task], tmp_path: Path, judgements: list[str]
) -> None:
    said = "title: B\nsummary: B\nnote: B\ntraining: B\nparameters_note: B\nformerly: [b]\n"
    other = LINEAR.replace("title: A\n", "").replace("summary: A\n", said).replace("id: shown", "id: other")
    with Kept(tmp_path) as kept:
        first, second = (judged([task_of(text)], kept)[0] for text in (LINEAR, other))
    assert judgements == ["y=xW+b"]
    assert second.formula == first.formula


def test_a_judgement_reads_nothing_that_is_only_said(real_project: Real) -> None:
    entries = real_project.atlas().entries
    for entry in entries:
        data = {name: getattr(entry.data, name) for name in Component.model_fields if name not in SAID}
        bare = Component.model_construct(**data)
        for name in SAID:
            vars(bare).pop(name, None)
        with pytest.raises(AttributeError):
            _ = bare.summary
        found, expected = judge(Task(replace(entry, data=bare), True, True)), judge(Task(entry, True, True))
        assert expected.holds
        assert (found.issues, found.shapes, found.formula) == ((), expected.shapes, expected.formula)
        assert found.table is not None
        assert expected.table is not None
        assert found.table.symbols == expected.table.symbols
    assert entries


def test_code_that_was_edited_judges_again(
    task_of: Callable[..., Task], tmp_path: Path, judgements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Kept(tmp_path) as kept:
        judged([task_of()], kept)
    monkeypatch.setattr(module, "code_digest", lambda *rooms: "another")
    with Kept(tmp_path) as kept:
        judged([task_of()], kept)
    assert len(judgements) == 2


def test_what_is_wrong_is_told_every_time_at_its_own_place(
    task_of: Callable[..., Task], tmp_path: Path, judgements: list[str]
) -> None:
    wrong = LINEAR.replace("xW+b", "xW-b")
    with Kept(tmp_path) as kept:
        (first,) = judged([task_of(wrong)], kept)
    with Kept(tmp_path) as kept:
        (moved,) = judged([task_of(f"\n\n{wrong}")], kept)
    assert len(judgements) == 2
    assert not moved.holds
    assert [issue.code for issue in first.issues] == [issue.code for issue in moved.issues] == ["A260"]
    assert moved.issues[0].line == first.issues[0].line + 2


@pytest.mark.parametrize("missing", ["readable", "placed"])
def test_what_other_checks_refused_is_not_kept(
    task_of: Callable[..., Task], tmp_path: Path, judgements: list[str], missing: str
) -> None:
    for _ in range(2):
        with Kept(tmp_path) as kept:
            judged([task_of(**{missing: False})], kept)
    assert len(judgements) == 2


class Cluster:
    """Answers with futures, as the client of a cluster does, and notes what it was given."""

    def __init__(self) -> None:
        self.parts: list[int] = []
        self._pool = ThreadPoolExecutor(2)

    def map(
        self, function: Callable[[Sequence[Task]], list[Alone]], /, *parts: Iterable[Sequence[Task]]
    ) -> list[Future[list[Alone]]]:
        given = [part for each in parts for part in each]
        self.parts += [len(part) for part in given]
        return [self._pool.submit(function, part) for part in given]


def test_an_executor_gets_the_entries_in_parts_and_only_those_that_are_not_kept(
    task_of: Callable[..., Task], tmp_path: Path
) -> None:
    texts = [LINEAR.replace("title: A", f"title: A{number}") for number in range(PART + 3)]
    texts[4] = texts[4].replace("xW+b", "xW-b")
    tasks = [task_of(text) for text in texts]
    expected = [judge(task) for task in tasks]
    first, again = Cluster(), Cluster()
    with Kept(tmp_path) as kept:
        results = judged(tasks, kept, first)
    assert first.parts == [PART, 3]
    assert [one.issues for one in results] == [one.issues for one in expected]
    assert [one.formula for one in results] == [one.formula for one in expected]
    with Kept(tmp_path) as kept:
        judged(tasks, kept, again)
    assert again.parts == [1]  # the wrong one


def test_many_entries_are_judged_in_several_processes(
    task_of: Callable[..., Task], monkeypatch: pytest.MonkeyPatch, judgements: list[str]
) -> None:
    monkeypatch.setattr(module, "WORTHWHILE", 2)
    monkeypatch.setattr(module, "processes", lambda: 2)
    results = judged([task_of(), task_of(LINEAR.replace("xW+b", "xW-b")), task_of()])
    assert judgements == []  # none in this process
    assert [one.holds for one in results] == [True, False, True]
