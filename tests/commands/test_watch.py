"""`atlas check --watch` and `atlas check PATH`: what a change concerns is checked again, and nothing else."""

from __future__ import annotations

import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pytest
from click.testing import CliRunner
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from atlas.checks.memory import Memory
from atlas.cli import main
from atlas.commands import watching
from atlas.commands.check import _seen
from atlas.commands.checking import Checker, checker
from atlas.commands.watching import CODE, Watch, changed_files, snapshot
from atlas.project import Project, project_in
from atlas.selection import select

FFN = "content/transformer/encoder/ffn-layer-norm.yml"
CHAINER = "content/chainer/layer-normalization.yml"
WRONG = ("epsilon: inside the root", "epsilon: outside the root")
LIMIT = 60.0
"""Seconds after which an output that does not come counts as missing."""


@pytest.fixture
def once() -> Iterator[Checker]:
    with checker(offline=False) as made:
        yield made


def codes(made: Checker, project: Project, **asked: Any) -> list[tuple[str, str]]:
    return [(issue.path, issue.code) for issue in made.check(project, "fail", **asked).issues if issue.code != "A702"]


def again(made: Checker) -> tuple[str, ...]:
    """The collections that the last check has checked."""
    return made.memory.checked


def test_only_the_collection_that_a_change_concerns_is_checked_again(once: Checker, real_project: Any) -> None:
    project = project_in(real_project.root)
    assert codes(once, project) == []
    assert again(once) == ("chainer", "tiny", "transformer")
    assert codes(once, project) == []
    assert again(once) == ()
    real_project.edit(FFN, *WRONG)
    assert codes(once, project) == [(FFN, "A139")]
    assert again(once) == ("transformer",)
    real_project.edit(CHAINER, "epsilon: outside the root", "epsilon: inside the root")
    # What was found of the other collection is told again, though it is not checked again.
    assert codes(once, project) == [(CHAINER, "A139"), (FFN, "A139")]
    assert again(once) == ("chainer",)
    real_project.edit(FFN, *reversed(WRONG))
    assert codes(once, project) == [(CHAINER, "A139")]
    assert again(once) == ("transformer",)


@pytest.mark.parametrize(
    ("path", "old", "new", "those", "found"),
    [
        ("sources/chainer.yml", "title: Chainer", "title: Chainer 1", ("chainer",), []),
        ("sources/chainer.yml", "revision: 7", "revision: 8", ("chainer",), [("sources/chainer.yml", "A502")]),
        ("sources/licenses/MIT-chainer.txt", "Copyright", "copyright", ("chainer",), []),
        ("sources/pins.lock", "7ce9222d", "7ce9222e", ("chainer",), [("sources/chainer.yml", "A502")]),
        ("content/transformer/model.yml", "\nkind: ", "\n# why\nkind: ", ("transformer",), []),
    ],
)
def test_what_a_collection_rests_on_counts(
    once: Checker, real_project: Any, path: str, old: str, new: str, those: tuple[str, ...], found: list[Any]
) -> None:
    project = project_in(real_project.root)
    once.check(project, "fail")
    text = (real_project.root / path).read_text(encoding="utf-8")
    assert old in text
    (real_project.root / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert codes(once, project) == found
    assert again(once) == those


def test_a_record_of_proofs_counts(once: Checker, real_project: Any) -> None:
    project = project_in(real_project.root)
    once.check(project, "fail")
    (real_project.root / CHAINER).with_suffix(".proofs.json").write_text("{", encoding="utf-8")
    assert codes(once, project) == [(f"{CHAINER.removesuffix('.yml')}.proofs.json", "A703")]
    assert again(once) == ("chainer",)


def test_an_entry_that_others_inherit_from_concerns_them(once: Checker, real_project: Any) -> None:
    """A check from memory finds what a check of everything finds, whatever was changed before."""
    project = project_in(real_project.root)
    once.check(project, "fail")
    real_project.edit(FFN, "title: LayerNorm", "titel: LayerNorm")
    remembered = once.check(project, "fail").issues
    with checker(offline=False) as anew:
        assert remembered == anew.check(project, "fail").issues


def test_whatever_was_changed_before_memory_and_paths_find_what_a_check_of_everything_finds(
    once: Checker, real_project: Any
) -> None:
    project = project_in(real_project.root)
    chance = random.Random(7)  # noqa: S311 - no secret
    files = [file for file in sorted(real_project.root.rglob("*.yml")) if file.name != "mkdocs.yml"]
    seen: set[str] = set()
    with checker(offline=False) as other:
        for _ in range(8):
            file = chance.choice(files)
            text = file.read_text(encoding="utf-8")
            lines = text.split("\n")
            place = chance.randrange(len(lines) - 1)
            lines[place] = chance.choice([lines[place].replace("e", "x", 1), lines[place].replace("1", "2", 1), ""])
            file.write_text("\n".join(lines), encoding="utf-8")
            remembered = once.check(project, "fail").issues
            other.memory = Memory()
            everything = other.check(project, "fail").issues
            assert remembered == everything
            concerns = select(project, [str(file)], real_project.root).concerns
            other.memory = Memory()
            asked = other.check(project, "fail", concerns).issues
            assert [one for one in asked if concerns(one.path)] == [one for one in everything if concerns(one.path)]
            seen |= {one.code for one in everything}
            if chance.random() < 0.5:
                file.write_text(text, encoding="utf-8")
    assert len(seen) > 3


def test_with_paths_only_their_collections_are_checked(once: Checker, real_project: Any) -> None:
    project = project_in(real_project.root)
    real_project.edit(CHAINER, "epsilon: outside the root", "epsilon: inside the root")
    assert codes(once, project, concerns=lambda path: path in (FFN, "sources/tensor2tensor.yml")) == []
    assert again(once) == ("transformer",)


def test_sources_of_other_files_are_not_brought(
    real_project: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real_project.edit("sources/tensor2tensor.yml", "1e70505701300c3079d0ff497663263f44d2fc9e", "f" * 40)
    monkeypatch.chdir(real_project.root)
    result = CliRunner().invoke(main, ["check", "--format", "json", "--allow-warnings", "chainer"])
    assert (result.exit_code, {one["code"] for one in json.loads(result.stdout)}) == (0, {"A702"})
    result = CliRunner().invoke(main, ["check", "--format", "json", FFN])
    assert "A502" in {one["code"] for one in json.loads(result.stdout)}


def test_every_kind_of_change_is_seen(real_project: Any) -> None:
    project = project_in(real_project.root)
    root = real_project.root
    with Watch(project) as watch:
        before = snapshot(project)

        def after(change: Callable[[], object]) -> list[Path]:
            nonlocal before
            change()
            now = watch.after(before)
            changed, before = changed_files(before, now), now
            return changed

        new, moved = root / "content/chainer/new.yml", root / "content/chainer/deep/moved.yml"
        assert after(lambda: new.write_text("a: 1\n", encoding="utf-8")) == [new]
        moved.parent.mkdir()
        assert after(lambda: new.rename(moved)) == [moved, new]
        assert after(lambda: moved.write_text("a: 2\n", encoding="utf-8")) == [moved]
        assert after(lambda: shutil.rmtree(moved.parent)) == [moved]
        prose = root / "content/chainer/notes.markdown"
        assert after(lambda: prose.write_text("[a](gone.md)\n", encoding="utf-8")) == [prose]
        assert after(lambda: (root / "sources/pins.lock").unlink()) == [root / "sources/pins.lock"]
        assert after(lambda: os.utime(root / "mkdocs.yml", (1, 1))) == [root / "mkdocs.yml"]
        # A folder that was replaced as a whole is looked at as the old one was.
        contents = [file for file in before if file.is_relative_to(root / "content")]
        assert set(after(lambda: (root / "content").rename(root / "away"))) == set(contents)
        assert set(after(lambda: (root / "away").rename(root / "content"))) == set(contents)
        assert after(lambda: new.write_text("a: 1\n", encoding="utf-8")) == [new]


def test_what_no_check_reads_and_what_checks_read_wakes_nobody(real_project: Any) -> None:
    project = project_in(real_project.root)
    with Watch(project) as watch:
        before = snapshot(project)
        (real_project.root / "content/chainer/.x.yml.swp").write_text("x", encoding="utf-8")
        (real_project.root / "content/chainer/4913").write_text("x", encoding="utf-8")
        (real_project.root / FFN).read_text(encoding="utf-8")
        found: queue.Queue[list[Path]] = queue.Queue()
        waiting = threading.Thread(target=lambda: found.put(changed_files(before, watch.after(before))))
        waiting.start()
        with pytest.raises(queue.Empty):
            found.get(timeout=0.5)
        (real_project.root / CHAINER).touch()
        assert found.get(timeout=LIMIT) == [real_project.root / CHAINER]
        waiting.join()


def test_what_changes_while_settings_are_read_is_seen_next(real_project: Any) -> None:
    project = project_in(real_project.root)
    now = snapshot(project)
    settings, new, gone = (real_project.root / name for name in ("mkdocs.yml", "content/new.yml", CHAINER))
    settings.write_text("plugins: [atlas]\nsite_name: Other\n", encoding="utf-8")
    new.write_text("a: 1\n", encoding="utf-8")
    gone.unlink()
    assert set(changed_files(_seen(now, project, project), snapshot(project))) == {settings, new, gone}
    other = replace(project, content=real_project.root / "sources")
    assert changed_files(_seen(now, project, other), snapshot(other)) == [settings]


def test_a_file_that_is_saved_in_steps_is_one_change(real_project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "PATIENCE", LIMIT)  # however slow the machine is between two steps
    project = project_in(real_project.root)
    file = real_project.root / FFN
    text = file.read_text(encoding="utf-8")

    def save() -> None:
        file.write_text("", encoding="utf-8")
        time.sleep(0.15)
        file.unlink()
        time.sleep(0.15)
        file.write_text(text + "# new\n", encoding="utf-8")

    with Watch(project) as watch:
        before = snapshot(project)
        saving = threading.Thread(target=save)
        saving.start()
        now = watch.after(before)
        saving.join()
        assert changed_files(before, now) == [file]
        assert now[file].size == len((text + "# new\n").encode())


def test_where_the_system_gives_no_notices_files_are_looked_at_now_and_then(
    real_project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    def refusing() -> BaseObserver:
        observer = Observer()
        monkeypatch.setattr(observer, "schedule", refuse)
        return observer

    monkeypatch.setattr(watching, "Observer", refusing)
    project = project_in(real_project.root)
    with Watch(project) as watch:
        before = snapshot(project)
        (real_project.root / CHAINER).touch()
        assert changed_files(before, watch.after(before)) == [real_project.root / CHAINER]
        before = snapshot(project)
        late = threading.Timer(0.3, (real_project.root / FFN).touch)
        late.start()
        assert changed_files(before, watch.after(before)) == [real_project.root / FFN]
        late.join()


class Running:
    """`atlas check --watch` as a process of its own, with what it prints, line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: queue.Queue[str] = queue.Queue()
        assert process.stdout is not None
        stream = process.stdout
        self.reading = threading.Thread(target=self._read, args=(stream,))
        self.reading.start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self.lines.put(line.rstrip("\n"))

    def until(self, end: str) -> list[str]:
        """All lines up to one that ends so."""
        found: list[str] = []
        while not (found and found[-1].endswith(end)):
            found.append(self.lines.get(timeout=LIMIT))
        return found


@contextmanager
def running(folder: Path, *arguments: str, code: Path | None = None) -> Iterator[Running]:
    environment = os.environ | ({"PYTHONPATH": str(code), "PYTHONDONTWRITEBYTECODE": "1"} if code else {})
    command = [sys.executable, "-P", "-c", "from atlas.cli import main; main()", "check", "--watch", *arguments]
    process = subprocess.Popen(  # noqa: S603 - our own command
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip
    started = Running(process)
    try:
        yield started
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        started.reading.join()
        assert process.stdout is not None
        process.stdout.close()


END = "; watching for changes, Ctrl-C ends"


def issues_in(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.startswith(("content/", "sources/")) and ": A702 " not in line]


def test_it_goes_on_through_all_that_can_go_wrong_until_an_interrupt_ends_it(real_project: Any) -> None:
    root = real_project.root
    with running(root) as watch:
        first = watch.until(END)
        assert first[-1] == f"chainer, tiny and transformer checked{END}"
        assert issues_in(first) == []

        real_project.edit(FFN, *WRONG)
        lines = watch.until(END)
        assert lines[:2] == ["", f"changed: {FFN}"]
        [issue] = issues_in(lines)
        assert ": A139 " in issue
        assert lines[-1] == f"transformer checked{END}"

        text = (root / FFN).read_text(encoding="utf-8")
        (root / FFN).write_text("title: [", encoding="utf-8")
        assert any(": A002 " in line for line in issues_in(watch.until(END)))
        (root / FFN).unlink()
        assert any(": A112 " in line for line in issues_in(watch.until(END)))
        (root / FFN).write_text(text, encoding="utf-8")
        assert issues_in(watch.until(END)) == [issue]

        settings = (root / "mkdocs.yml").read_text(encoding="utf-8")
        (root / "mkdocs.yml").write_text("plugins: [", encoding="utf-8")
        assert "mkdocs.yml cannot be read" in watch.until(" plugins: [ ^")[-1]
        (root / "mkdocs.yml").write_text(settings, encoding="utf-8")
        assert issues_in(watch.until(END)) == [issue]

        os.killpg(watch.process.pid, signal.SIGINT)
        assert watch.process.wait(LIMIT) == 0
        watch.reading.join()
        assert [line for line in watch.lines.queue if "Traceback" in line or "Error" in line] == []


def test_only_what_is_asked_about_is_watched_as_json(real_project: Any) -> None:
    with running(real_project.root, "chainer", "--format", "json") as watch:
        lines = watch.until(END)
        assert lines[-1] == f"chainer checked{END}"
        real_project.edit(CHAINER, "epsilon: outside the root", "epsilon: inside the root")
        lines = watch.until(END)
        found = json.loads("\n".join(lines[lines.index("[") : lines.index("]") + 1]))
        assert "A139" in {one["code"] for one in found}
        os.killpg(watch.process.pid, signal.SIGINT)
        assert watch.process.wait(LIMIT) == 0


def test_other_operators_are_used_at_once(real_project: Any, tmp_path: Path) -> None:
    code = tmp_path / "code"
    shutil.copytree(CODE, code / "atlas", ignore=shutil.ignore_patterns("__pycache__"))
    operator = code / "atlas/operators/layer_norm.py"
    text = operator.read_text(encoding="utf-8")
    assert text.count("np.sqrt(variance + epsilon)") >= 1
    with running(real_project.root, code=code) as watch:
        assert issues_in(watch.until(END)) == []
        operator.write_text("def (", encoding="utf-8")
        assert "is not Python" in watch.until("it is used once it is")[-1]
        operator.write_text(
            text.replace("np.sqrt(variance + epsilon)", "np.sqrt(variance + 2 * epsilon)"), encoding="utf-8"
        )
        found = issues_in(watch.until(f"chainer, tiny and transformer checked{END}"))
        assert any(": A260 " in line for line in found)
        os.killpg(watch.process.pid, signal.SIGINT)
        assert watch.process.wait(LIMIT) == 0
