"""Builds the project of this folder with MkDocs as its command does, and writes how much of the time the checks took.

Checks run in the processes that make collections, so each notes its own time in a file. Formulas that the checks have
typeset are typeset for the pages too, so that time counts as rendering:
`python -m bench.phases TARGET build --quiet --strict`.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from mkdocs.__main__ import cli

WORKSHOP = "atlas.render.workshop"
"""The module that has collections checked. It is imported by builds that have something to make, and by no others."""
CHECK = "check_one"
"""What that module calls to have a collection checked; its fourth argument typesets formulas."""
TYPESETTER = 3


class Watch:
    """Adds up the time that is spent in functions; a function that another calls is watched by a watch of its own."""

    def __init__(self) -> None:
        self.wall = 0.0
        self.cpu = 0.0

    def watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with its time added to this watch's."""

        @functools.wraps(function)
        def timed(*positional: object, **named: object) -> object:
            wall, cpu = time.perf_counter(), time.process_time()
            try:
                return function(*positional, **named)
            finally:
                self.wall += time.perf_counter() - wall
                self.cpu += time.process_time() - cpu

        return timed


def noted(check: Callable[..., Any], notes: Path) -> Callable[..., Any]:
    """The check of one collection, which adds a line with its process and its times without typesetting to a file."""

    @functools.wraps(check)
    def timed(*positional: Any, **named: object) -> object:
        whole, typesetting = Watch(), Watch()
        given = list(positional)
        given[TYPESETTER] = typesetting.watched(given[TYPESETTER])
        try:
            return whole.watched(check)(*given, **named)
        finally:
            line = json.dumps([os.getpid(), whole.wall - typesetting.wall, whole.cpu - typesetting.cpu])
            with notes.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")

    return timed


class Noting(MetaPathFinder):
    """Lets the module's checks be noted from when it is imported on."""

    def __init__(self, notes: Path) -> None:
        self._notes = notes

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module as it is found else, with what is done once it is there."""
        if fullname != WORKSHOP:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is None or not isinstance(spec.loader, SourceLoader):
            sys.exit(f"{WORKSHOP} is no module of source code here, so the time of the checks is not known")
        load = spec.loader.exec_module

        def load_and_note(module: ModuleType) -> None:
            from atlas.spread import forks

            load(module)
            if not forks():
                sys.exit("processes that check are no copies of this one here, so the time of the checks is not known")
            setattr(module, CHECK, noted(getattr(module, CHECK), self._notes))

        spec.loader.exec_module = load_and_note  # type: ignore[method-assign]
        return spec


def main() -> None:
    """Build, and write the times beside."""
    target, *arguments = sys.argv[1:]
    notes = Path(f"{target}.notes")
    notes.write_text("", encoding="utf-8")
    sys.meta_path.insert(0, Noting(notes))
    status: object = None
    try:
        cli(arguments)
    except SystemExit as end:
        status = end.code
    lines = [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()]
    notes.unlink()
    # Processes check at the same time, so on the clock the checks took as long as they did in one of them on average.
    processes = len({process for process, _, _ in lines}) or 1
    spent = {"wall": sum(wall for _, wall, _ in lines) / processes, "cpu": sum(cpu for _, _, cpu in lines)}
    Path(target).write_text(json.dumps({"checks": spent}), encoding="utf-8")
    sys.exit(status)  # type: ignore[arg-type]  # what SystemExit carries is what exit takes


if __name__ == "__main__":
    main()
