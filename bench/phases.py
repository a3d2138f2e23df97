"""Builds the project of this folder with MkDocs as its command does, and writes how much of the time the checks took.

Formulas that the checks have typeset are typeset for the pages too, so that time counts as rendering:
`python -m bench.phases TARGET build --quiet --strict`.
"""

from __future__ import annotations

import functools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.__main__ import cli

import atlas.render.build

CHECK = "check_project"
"""What `atlas.render.build` calls to have everything checked."""


class Watch:
    """Adds up the time that is spent in functions; a function that another calls is watched by a watch of its own."""

    def __init__(self) -> None:
        self.wall = 0.0
        self.cpu = 0.0
        self.calls = 0

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
                self.calls += 1

        return timed


def main() -> None:
    """Build, and write the times beside."""
    target, *arguments = sys.argv[1:]
    checks, typesetting = Watch(), Watch()
    check = getattr(atlas.render.build, CHECK)

    @checks.watched
    def check_watched(*positional: object, typesetter: Callable[..., Any], **named: object) -> object:
        return check(*positional, typesetter=typesetting.watched(typesetter), **named)

    setattr(atlas.render.build, CHECK, check_watched)
    status: object = None
    try:
        cli(arguments)
    except SystemExit as end:
        status = end.code
    if not status and not checks.calls:
        status = f"the build did not call {CHECK} through atlas.render.build, so its time is not known"
    # The processor time is this process's; what Node spends on typesetting is none of the checks'.
    spent = {"wall": checks.wall - typesetting.wall, "cpu": checks.cpu - typesetting.cpu}
    Path(target).write_text(json.dumps({"checks": spent}), encoding="utf-8")
    sys.exit(status)  # type: ignore[arg-type]  # what SystemExit carries is what exit takes


if __name__ == "__main__":
    main()
