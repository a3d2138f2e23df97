"""Writes the page about speed from the results that were measured, so that no figure on it was ever typed.

Run from the project's folder: `python -m bench.report`; with `--print`, the page is printed instead.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.contenders import OURS, REFERENCE, ROOT, START
from bench.workload import FOLDER

RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "content" / "speed.md"
SCENARIOS = ("cold", "unchanged", "edit")
Figure = Callable[[dict[str, Any]], tuple[float, float]]
"""Two times of a run: on the clock and of processor time."""
NONE = "–"
"""What stands where there is no figure."""

INTRODUCTION = """\
# Speed

How long this generator takes, and how heavy its pages are, beside others. All figures are measured by programs in
`bench/`, which also write this page; nothing here is typed. `make bench` measures on your machine.
"""

BUILDS = """\
## Builds

Each generator builds the same pages: a display formula that no other page has, six inline formulas, a table, and
three blocks of code with two distinct texts. OpenModelAtlas gets them as entries, {folder} to a model. It executes
every formula and compares it with an operator, checks shapes, counts and every excerpt, draws the models, and writes
what else an atlas has: glossary, comparison, search, data. The others check nothing. Its row *rendering* is the same
run without the time in which it checked: that is measured in each process that makes pages, on the clock it is their
average, and typesetting formulas is no part of it.

- **cold**: nothing is left of earlier builds; packages and pinned files are installed.
- **unchanged**: the same build again.
- **one edit**: again, after the summary of one page was changed.
- **seconds**: on the clock / of processor time, all processes together. On a machine that does other things too, the
  second says more.
- **memory**: megabytes of all processes together at their most, shared pages counted once.
- **× Eleventy**: how many times as much as Eleventy's in the same runs, on the clock / of processor time.

Figures are medians where there are several runs; those of the generators alternate.
"""

LOADS = """\
## Pages

The same component's page in Chromium, loaded as if by a slow phone: a processor {slowdown} times slower, {rate} Mbit/s,
{latency} ms until an answer begins. Every site is served by the same server on this machine, compressed with gzip.
Nothing comes from other hosts. Each page is loaded with an empty cache; figures are medians of {rounds} loads, and the
loads of the generators alternate.

- **blocking**: milliseconds in which the page could not have answered, after something was first painted (total
  blocking time) / from the very start.
- **largest paint**: milliseconds until the largest part of what is first seen was painted.
- **shift**: how far things moved after they were painted (cumulative layout shift).
"""


def page(results: Sequence[dict[str, Any]]) -> str:
    """The page about speed, as Markdown, from the results of both benchmarks."""
    builds = sorted((one for one in results if one["kind"] == "generators"), key=lambda one: int(one["pages"]))
    loads = [one for one in results if one["kind"] == "pages"]
    parts = [INTRODUCTION]
    if builds:
        parts += [BUILDS.format(folder=FOLDER), *map(build_section, builds)]
    for one in loads:
        parts += [LOADS.format(**one), load_section(one)]
    return "\n".join(parts).rstrip() + "\n"


def build_section(result: dict[str, Any]) -> str:
    """The builds of one number of pages: what they take, and how that compares."""
    reference = {scenario: medians(result, REFERENCE, scenario) for scenario in SCENARIOS}
    times, ratios, notes = [], [], []
    for one in result["generators"]:
        if one["problem"]:
            notes.append(f"{one['title']}: {short(one['problem'])}.")
        if not one["runs"]["cold"]:
            continue
        if one["key"] == START:
            wall, cpu = summary(one["runs"]["unchanged"], cost)
            notes.append(f"An empty site takes MkDocs, which OpenModelAtlas is a plugin of, {wall:.2f} / {cpu:.2f} s.")
            continue
        figures: list[tuple[str, Figure]] = [("", cost)]
        if one["key"] == OURS:
            figures.append((", rendering", rendering))
        for suffix, figure in figures:
            title, runs = one["title"] + suffix, one["runs"]
            middle = {scenario: summary(runs[scenario], figure) for scenario in SCENARIOS if runs[scenario]}
            cells = [pair(middle.get(scenario)) for scenario in SCENARIOS]
            times.append([title, *cells, f"{result['pages'] / middle['cold'][0]:.0f}", str(len(runs["cold"]))])
            compared = [pair(divided(middle.get(scenario), reference[scenario])) for scenario in SCENARIOS]
            ratios.append([title, *compared, *(weights(one) if figure is cost else (NONE, NONE, NONE)), one["maths"]])
    first = table(["seconds", "cold", "unchanged", "one edit", "pages/s, cold", "runs"], times)
    head = ["× Eleventy", "cold", "unchanged", "one edit", "memory, MB", "KB a page", "with gzip", "maths"]
    return "\n\n".join([f"### {result['pages']:,} pages", first, table(head, ratios), *notes, machine(result), ""])


def cost(run: dict[str, Any]) -> tuple[float, float]:
    """The seconds of a run."""
    return run["wall"], run["cpu"]


def rendering(run: dict[str, Any]) -> tuple[float, float]:
    """The same without the time in which our own build checked."""
    return run["wall"] - run["checks"]["wall"], run["cpu"] - run["checks"]["cpu"]


def pair(times: tuple[float, float] | None) -> str:
    """Both times of a cell."""
    return f"{times[0]:.2f} / {times[1]:.2f}" if times else NONE


def divided(mine: tuple[float, float] | None, other: tuple[float, float] | None) -> tuple[float, float] | None:
    """How many times as much as another's; None where there is nothing to compare."""
    return (mine[0] / other[0], mine[1] / other[1]) if mine and other else None


def weights(one: dict[str, Any]) -> tuple[str, str, str]:
    """The memory of a generator's builds, and what its pages weigh."""
    memory = statistics.median(run["tree_mb"] or run["largest_mb"] for run in one["runs"]["cold"])
    return f"{memory:.0f}", f"{one['page_bytes'] / 1000:.1f}", f"{one['page_gzip_bytes'] / 1000:.1f}"


def medians(result: dict[str, Any], key: str, scenario: str) -> tuple[float, float] | None:
    """The medians of a generator's times; None where it did not run."""
    for one in result["generators"]:
        if one["key"] == key and one["runs"][scenario]:
            return summary(one["runs"][scenario], cost)
    return None


def summary(runs: Sequence[dict[str, Any]], figure: Figure) -> tuple[float, float]:
    """The medians of both times over runs."""
    walls, cpus = zip(*map(figure, runs), strict=True)
    return statistics.median(walls), statistics.median(cpus)


def load_section(result: dict[str, Any]) -> str:
    """What loading the pages took."""
    head = ["page", "blocking, ms", "largest paint, ms", "shift", "KB", "of it programs", "requests", "loads"]
    rows, notes = [], []
    for one in result["generators"]:
        if one["problem"]:
            notes.append(f"{one['title']}: {short(one['problem'])}.")
        if not one["loads"]:
            continue
        middle = {name: statistics.median(load[name] for load in one["loads"]) for name in one["loads"][0]}
        blocked = f"{middle['blocking_ms']:.0f} / {middle['blocking_from_start_ms']:.0f}"
        row = [one["title"], blocked, f"{middle['largest_paint_ms']:.0f}", f"{middle['shift']:.3f}"]
        row += [f"{middle[name] / 1000:.1f}" for name in ("bytes", "script_bytes")]
        rows.append([*row, f"{middle['requests']:.0f}", str(len(one["loads"]))])
    return "\n\n".join([table(head, rows), *notes, machine(result), ""])


def machine(result: dict[str, Any]) -> str:
    """What was measured on, with which versions."""
    of, loads = result["machine"], list(loads_of(result))
    versions = {f"{name} {version}" for one in result["generators"] for name, version in one["versions"].items()}
    named = ", ".join(sorted(versions))
    load = f"{statistics.median(loads):.1f} (between {min(loads):.1f} and {max(loads):.1f})" if loads else NONE
    parts = [of["processor"], f"{of['cores']} cores", f"{of['memory_gb']} GB", of["system"]]
    parts += [f"Python {of['python']}", f"Node.js {of['node']}", *([of["browser"]] if "browser" in of else [])]
    where = f"Measured on {of['date']}: {', '.join(parts)}."
    return f"{where} Load average when a run began: {load}. Versions: {named}."


def loads_of(result: dict[str, Any]) -> Iterable[float]:
    """The machine's load average before each run."""
    for one in result["generators"]:
        for run in [run for runs in one["runs"].values() for run in runs] if "runs" in one else one["loads"]:
            yield run["load"]


def short(problem: str) -> str:
    """The first line of what went wrong, without the point at its end."""
    return problem.splitlines()[0].rstrip(".: ")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; what is not text stands to the right."""
    aligned = ["---", *("---" if name == "maths" else "---:" for name in head[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, aligned, *rows))


def read(folder: Path) -> list[dict[str, Any]]:
    """All results in a folder."""
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page; 1 where there are no results."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--results", type=Path, default=RESULTS, help="the folder of JSON results")
    options.add_argument("--print", action="store_true", help="print the page instead of writing it")
    chosen = options.parse_args(arguments)
    results = read(chosen.results)
    if not results:
        sys.stderr.write(f"there are no results in {chosen.results}: run `make bench` first\n")
        return 1
    text = page(results)
    if chosen.print:
        sys.stdout.write(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
