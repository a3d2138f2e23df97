"""Tells where our own build spends its time, function by function, cold and after one edit.

Run from the project's folder: `python -m bench.profiling 1000`. A profiler's own work makes everything slower,
small functions most: what it gives are proportions. The time is on the clock, waiting for Node included; Node's own
processor time is told beside.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from atlas.node.environment import prepare
from bench.contenders import CONTENDERS, OURS, ROOT, Work
from bench.generators import Field, pinned_file, say
from bench.tools import tools_folder
from bench.workload import pages


def main(arguments: Sequence[str] | None = None) -> int:
    """Build under the profiler, each time in a process of its own, and print where the time went."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("pages", nargs="?", type=int, default=200, help="how many pages the site has  [200]")
    options.add_argument("--tools", type=Path, default=tools_folder(), help="where pinned files and Node are kept")
    options.add_argument("--lines", type=int, default=40, help="how many functions each table has  [40]")
    options.add_argument("--cold", action="store_true", help="do not go on to a build after one edit")
    options.add_argument("--save", type=Path, help="keep the profiles in this folder")
    options.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args(arguments)
    if chosen.inside is not None:
        return inside(chosen.inside)
    chosen.tools = chosen.tools.absolute()
    kept = chosen.tools / "atlas"
    code = pinned_file(kept).split("\n")
    work = Work(pages(chosen.pages, len(code)), code, prepare(kept).katex_dist)
    ours = next(one for one in CONTENDERS if one.key == OURS)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        field = Field(ours, Path(folder) / "project", chosen)
        field.enter(work, chosen.tools)
        ours.prepare(field.project, chosen.tools)
        for scenario in ("cold",) if chosen.cold else ("cold", "edit"):
            if scenario == "edit":
                field.edit(work.pages[len(work.pages) // 2])
            target = (chosen.save or Path(folder)).absolute() / f"{scenario}.prof"
            target.parent.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, "-m", "bench.profiling", "--inside", target]
            subprocess.run(command, cwd=field.project, env=ours.environment(field.project), check=True)  # noqa: S603 - our own module
            say(f"\n{chosen.pages:,} pages, {scenario}")
            show(target, chosen.lines)
    return 0


def inside(target: Path) -> int:
    """Build the project of this folder under the profiler."""
    from mkdocs.__main__ import cli

    if hasattr(os, "sched_setaffinity"):  # with one core at hand, everything is done in this process
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    profile = cProfile.Profile()
    status: object = None
    profile.enable()
    try:
        cli(["build", "--quiet", "--strict"])
    except SystemExit as end:
        status = end.code
    profile.disable()
    profile.dump_stats(target)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    say(f"Node and other children: {children.ru_utime + children.ru_stime:.1f} s of processor time")
    return 1 if status else 0


def show(target: Path, lines: int) -> None:
    """Print what the functions of a profile took with all that they called, and by themselves."""
    stats = pstats.Stats(str(target), stream=sys.stdout)
    stats.sort_stats("cumulative").print_stats(re.escape(str(ROOT / "atlas")), lines)
    stats.sort_stats("tottime").print_stats(lines)


if __name__ == "__main__":
    sys.exit(main())
