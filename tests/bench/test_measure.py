from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bench.measure import RunError, descendants, run

BURN = "import time\nwhile time.process_time() < 0.3: pass\n"
"""Ends once it has used 0.3 seconds of processor time, however long that takes."""
IN_A_CHILD = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BURN!r}], check=True)\n"
IN_AN_ORPHAN = f"""
import os, sys, time
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    {BURN.replace(chr(10), chr(10) + "    ")}
    os.write(writing, b'x')
    time.sleep(600)
os.read(reading, 1)
"""


@pytest.mark.parametrize("program", [BURN, IN_A_CHILD, IN_AN_ORPHAN], ids=["itself", "a child", "an orphan"])
def test_processor_time_of_all_processes_is_counted_and_none_is_left(program: str, tmp_path: Path) -> None:
    before = set(descendants(os.getpid()))
    cost = run([sys.executable, "-c", program], tmp_path, os.environ, 60)
    assert 0.3 <= cost.cpu < 30
    assert cost.wall > 0
    assert set(descendants(os.getpid())) <= before


def test_memory_of_the_tree_holds_that_of_its_children(tmp_path: Path) -> None:
    hold = f"import time\nheld = bytearray(80_000_000)\n{BURN}"
    program = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {hold!r}], check=True)\n"
    cost = run([sys.executable, "-c", program], tmp_path, os.environ, 60)
    assert cost.tree_mb is not None
    assert cost.root_mb is not None
    assert 80 < cost.tree_mb < 300
    assert cost.root_mb < 80
    assert cost.largest_mb > 80


def test_a_failing_command_is_an_error_with_what_it_printed(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"ended with 3: told"):
        run([sys.executable, "-c", "import sys; print('told', flush=True); sys.exit(3)"], tmp_path, os.environ, 60)


def test_a_command_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"was stopped after 0 s"):
        run([sys.executable, "-c", "import time; time.sleep(600)"], tmp_path, os.environ, 0.2)


def test_a_command_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no-such-command cannot be started"):
        run([tmp_path / "no-such-command"], tmp_path, os.environ, 60)
