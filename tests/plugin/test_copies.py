"""Copies of the process do what it would have done, and leave to it whatever they cannot do without a word."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1] / "project"
TASKS = """
import json, logging, os, sys
from functools import partial
from pathlib import Path
from atlas.plugin import copies
from atlas.render.links import LinkCheck

copies.processes = lambda: 2
if len(sys.argv) > 2:
    exec(sys.argv[2])  # what happens to this process
folder, own = Path(sys.argv[1]), os.getpid()

def write(number):
    if number == 7:
        raise OSError("the disk is full")
    if number == 8:
        logging.getLogger("mkdocs.plugins.atlas").warning("something is strange")
    (folder / str(number)).write_text(str(os.getpid()))

def note(number, links):
    links.note_links(f"{number}", "", [f"missing{number % 3}/", "missing2/#part"])

def task(number):
    return copies.Task(partial(write, number), partial(note, number))

def copied():
    (folder / f"copy {os.getpid()}").write_text("")

links = LinkCheck()
done = copies.in_copies(300, task, links, {"missing2/index.html"}, copied)
few = copies.in_copies(copies.WORTHWHILE - 1, task, links, (), copied)
print(json.dumps({
    "done": sorted(done), "few": sorted(few), "own": own,
    "issues": [(one.path, one.message) for one in links.issues(lambda path: None)],
}))
"""
BUILD = """
import sys
from atlas.plugin import copies, page_writing
from mkdocs.__main__ import cli

copies.processes = lambda: int(sys.argv[1])
copies.WORTHWHILE, copies.AT_ONCE, real = 2, 3, copies.in_copies

def counted(*given):
    done = real(*given)
    print(len(done), given[0])
    return done

page_writing.in_copies = counted
cli(["build", "-q", "-d", sys.argv[2]])
"""


def run(script: str, *arguments: str, folder: Path) -> str:
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)  # noqa: S603 - our own
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files_of(site: Path) -> dict[str, bytes]:
    return {file.relative_to(site).as_posix(): file.read_bytes() for file in site.rglob("*") if file.is_file()}


def test_what_fails_or_says_anything_in_a_copy_is_left_to_the_process(tmp_path: Path) -> None:
    told = json.loads(run(TASKS, str(tmp_path), folder=tmp_path))
    assert told["done"] == [number for number in range(300) if number not in (7, 8)]
    assert told["few"] == []
    writers = {(tmp_path / str(number)).read_text() for number in told["done"]}
    copies = {file.name.removeprefix("copy ") for file in tmp_path.glob("copy *")}
    assert writers <= copies
    assert str(told["own"]) not in copies
    # Of files that are known nothing is said, save of parts of them.
    assert sorted((path, text.partition(" leads")[0], text.rpartition("(")[2]) for path, text in told["issues"]) == [
        ("0", "the link 'missing0/'", "and 99 more pages)"),
        ("0", "the link 'missing2/#part'", "and 297 more pages)"),
        ("1", "the link 'missing1/'", "and 98 more pages)"),
    ]


NO_PROCESS = """
real, count = os.fork, [0]

def fork():
    count[0] += 1
    if count[0] == {}:
        raise BlockingIOError(11, "Resource temporarily unavailable")
    return real()

os.fork = fork
"""
NO_THREAD = """
import threading

def start(thread):
    raise RuntimeError("can't start new thread")

threading.Thread.start = start
"""


@pytest.mark.parametrize("happening", [NO_PROCESS.format(1), NO_PROCESS.format(2), NO_THREAD])
def test_where_no_copies_can_be_made_all_is_left_to_the_process(tmp_path: Path, happening: str) -> None:
    told = json.loads(run(TASKS, str(tmp_path), happening, folder=tmp_path))
    assert told["done"] == told["few"] == []


def test_a_site_that_copies_wrote_is_the_one_that_a_single_process_writes(tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path / "project")
    written = {}
    for number in ("1", "2"):
        counts = run(BUILD, number, str(tmp_path / number), folder=tmp_path / "project").split()
        written[number] = tuple(map(int, counts))
    assert written["1"][0] == 0
    assert written["2"][0] == written["2"][1] == written["1"][1] > 20
    assert files_of(tmp_path / "1") == files_of(tmp_path / "2")
