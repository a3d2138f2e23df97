"""Builds the same pages with every generator, cold, unchanged and after one edit, and writes what it cost as JSON.

Run from the project's folder: `python -m bench.generators 200 1000`. Runs of the generators alternate, so that whatever
else the machine does falls on all of them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from atlas.entries.manifest import Manifest
from atlas.files import write_whole
from atlas.node.environment import prepare
from atlas.sources.cache import BlobCache
from atlas.sources.store import SourceStore
from bench.contenders import CONTENDERS, OURS, REFERENCE, ROOT, START, Contender, Tool, Work, built_pages
from bench.machine import describe
from bench.measure import Cost, RunError, run
from bench.tools import ToolError, tools_folder
from bench.workload import PATH, SOURCE, Page, pages

SCENARIOS = ("cold", "unchanged", "edit")
"""What is built: all from nothing, all again, all again after one page's summary was changed."""
RESULTS = ROOT / "bench" / "results"
ZIPPED = 50
"""About how many pages are compressed to tell what they weigh, evenly chosen."""


class Field:
    """One generator in the race: its project, and what its runs have cost so far."""

    def __init__(self, contender: Contender, project: Path, limits: argparse.Namespace) -> None:
        self.contender = contender
        self.project = project
        self.limits = limits
        self.costs: dict[str, list[dict[str, Any]]] = {scenario: [] for scenario in SCENARIOS}
        self.problem = ""
        """Why the generator left the race, else empty."""
        self.tool: Tool | None = None
        self.sizes: dict[str, int] = {}
        """Bytes of a component's page and of the site, once it was built."""
        self._edits = 0

    def enter(self, work: Work, tools: Path) -> None:
        """Install the generator and write its project."""
        try:
            self.tool = self.contender.install(tools)
            self.contender.write(self.project, self.tool, work)
        except ToolError as error:
            self.problem = f"not installed: {error}"

    def may_run(self) -> bool:
        """Whether another round is worth its time: of the peers, what takes long is run once."""
        cold = self.costs["cold"]
        is_fast = not cold or cold[0]["wall"] <= self.limits.patience
        return not self.problem and (is_fast or self.contender.key in (OURS, REFERENCE))

    def round(self, work: Work) -> None:
        """Build cold, unchanged, and after an edit."""
        edited = work.pages[len(work.pages) // 2]
        try:
            self.contender.prepare(self.project, self.limits.tools)
            for scenario in ("cold", *self.limits.then):
                text = self.edit(edited) if scenario == "edit" else ""
                cost = self.build()
                if self.contender.key != START:
                    self.sizes = checked_site(self.contender, self.project, work.pages, edited.name, text)
                self.costs[scenario].append(cost)
        except RunError as error:
            self.problem = str(error)

    def build(self) -> dict[str, Any]:
        """Build once."""
        if self.tool is None:
            raise RuntimeError("a generator that is not installed builds nothing")
        command = self.contender.command(self.tool.folder, self.project)
        cost: Cost = run(command, self.project, self.contender.environment(self.project), self.limits.longest)
        phases = self.project / "phases.json"
        more = json.loads(phases.read_text(encoding="utf-8")) if self.contender.key == OURS else {}
        return {**asdict(cost), **more}

    def edit(self, page: Page) -> str:
        """Change the summary of a page; the text that its page must hold then."""
        self._edits += 1
        file = self.contender.source(self.project, page)
        if self.contender.key == START:
            return ""
        old, stem = file.read_text(encoding="utf-8"), page.summary.rstrip(".")
        text = f"edited {self._edits} times."
        file.write_text(re.sub(rf"{re.escape(stem)}[^.\n]*\.", f"{stem}, {text}", old), encoding="utf-8")
        return text

    def result(self) -> dict[str, Any]:
        """What the generator's race came to."""
        return {
            "key": self.contender.key,
            "title": self.contender.title,
            "maths": self.contender.maths,
            "versions": dict(self.tool.versions) if self.tool is not None else {},
            "problem": self.problem,
            "runs": self.costs,
            **self.sizes,
        }


def checked_site(contender: Contender, project: Path, wanted: Sequence[Page], edited: str, text: str) -> dict[str, int]:
    """The sizes of a site that has every page, with its maths and its code, and an edit's text on the page edited.

    Raises:
        RunError: it has not, so that its time is no generator's that did the work.
    """
    found = dict(built_pages(project))
    missing = [page.name for page in wanted if page.name not in found]
    if missing:
        raise RunError(f"{len(missing)} of {len(wanted)} pages were not built, such as {missing[0]}")
    page = found[edited].read_text(encoding="utf-8")
    if not re.search(contender.page, page):
        raise RunError(f"the page {edited} holds nothing like {contender.page}")
    if text not in page:
        raise RunError(f"the page {edited} does not show the edit: {text}")
    files = [found[page.name] for page in wanted]
    some = files[:: max(1, len(files) // ZIPPED)]
    zipped = [len(gzip.compress(file.read_bytes(), 6, mtime=0)) for file in some]
    return {
        "page_bytes": round(sum(file.stat().st_size for file in files) / len(files)),
        "page_gzip_bytes": round(sum(zipped) / len(zipped)),
        "site_bytes": sum(file.stat().st_size for file in (project / "site").rglob("*") if file.is_file()),
    }


def race(
    count: int,
    contenders: Iterable[Contender],
    folder: Path,
    limits: argparse.Namespace,
    keep: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Let all build so many pages, round by round; `keep` is given what there is after each turn."""
    kept = limits.tools / "atlas"
    code = pinned_file(kept).split("\n")
    work = Work(pages(count, len(code)), code, prepare(kept).katex_dist)
    fields = [Field(one, folder / one.key, limits) for one in contenders]
    for field in fields:
        say(f"{count:,} pages: installing {field.contender.title}")
        field.enter(work, limits.tools)
    for number in range(1, limits.rounds + 1):
        for field in fields:
            if not field.may_run():
                continue
            begin = time.perf_counter()
            field.round(work)
            last = {name: costs[-1] for name, costs in field.costs.items() if costs}
            figures = ", ".join(f"{name} {one['wall']:.2f} / {one['cpu']:.2f} s" for name, one in last.items())
            took = f"{time.perf_counter() - begin:.0f} s in all"
            say(f"round {number}, {field.contender.title}: {field.problem or f'{figures}; {took}'}")
            keep(outcome(count, number, fields))
    return outcome(count, limits.rounds, fields)


def outcome(count: int, rounds: int, fields: Iterable[Field]) -> dict[str, Any]:
    """What a race came to so far."""
    results = [field.result() for field in fields]
    return {"kind": "generators", "pages": count, "rounds": rounds, "machine": describe(), "generators": results}


def pinned_file(kept: Path) -> str:
    """The text that the code blocks are cut from, brought and verified as the atlas does it."""
    stated = yaml.safe_load((ROOT / "sources" / f"{SOURCE}.yml").read_text(encoding="utf-8"))
    store = SourceStore({SOURCE: Manifest.model_validate(stated)}, BlobCache(kept / "sources"))
    return store.file(SOURCE, PATH).text


def main(arguments: Sequence[str] | None = None) -> int:
    """Race, and write a JSON file for each number of pages; 1 where a generator failed."""
    by_key = {one.key: one for one in CONTENDERS}
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("pages", nargs="*", type=_count, default=[200], help="how many pages a site has  [200]")
    options.add_argument("--rounds", type=_count, default=3, help="how often each generator builds  [3]")
    options.add_argument("--only", nargs="+", choices=list(by_key), default=list(by_key), help="which generators run")
    then = SCENARIOS[1:]
    options.add_argument("--then", nargs="*", choices=then, default=then, help="what follows the cold build  [both]")
    options.add_argument(
        "--patience", type=float, default=60, help="run a peer once if it takes more seconds, cold  [60]"
    )
    options.add_argument("--longest", type=float, default=1800, help="stop a build after so many seconds  [1800]")
    options.add_argument("--tools", type=Path, default=tools_folder(), help="where peers are installed")
    options.add_argument("--keep", type=Path, help="write the projects into this new folder and leave them there")
    options.add_argument("--results", type=Path, default=RESULTS, help="the folder for JSON results")
    limits = options.parse_args(arguments)
    limits.tools = limits.tools.absolute()
    limits.results.mkdir(parents=True, exist_ok=True)
    failed = False
    for count in limits.pages:
        target = limits.results / f"generators-{count}.json"
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            place = (limits.keep or Path(folder)).absolute() / str(count)
            result = race(count, [by_key[key] for key in limits.only], place, limits, partial(write, target))
        write(target, result)
        say(f"written: {target}")
        failed = failed or any(one["problem"] for one in result["generators"])
    return int(failed)


def write(target: Path, result: dict[str, Any]) -> None:
    """Write a result, whole or not at all."""
    write_whole(target, json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"{count} is not at least 1")
    return count


def say(text: str, write: Callable[[str], object] = sys.stdout.write) -> None:
    """Print a line at once: a race takes long."""
    write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
