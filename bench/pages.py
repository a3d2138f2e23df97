"""Loads the same component's page of every generator in a slowed-down Chromium and writes what the reader waits for.

Run from the project's folder: `python -m bench.pages`. It needs the extra `browser` and a Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Error as BrowserError

from atlas.node.environment import prepare
from bench.contenders import CONTENDERS, DOCUSAURUS, START, Contender, Work, built_pages
from bench.generators import RESULTS, checked_site, pinned_file, say, write
from bench.machine import describe
from bench.measure import RunError, blocking, run
from bench.report import load_section
from bench.server import Traffic, serving
from bench.tools import ToolError, tools_folder
from bench.workload import FOLDER, pages

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
SLOWDOWN, LATENCY, RATE = 4, 150, 1.6
"""How much slower the processor is; milliseconds until an answer begins; megabits in a second."""
UPLOAD = 0.75
"""Megabits in a second that go up."""
SCREEN = {"width": 412, "height": 823}
ICON = "favicon.ico"
"""What browsers ask every site for, whether its pages name an icon or not."""
QUIET = 1000
"""Milliseconds that are waited after the network is idle, for what a page does late."""
OBSERVE = """
{
  const seen = (window.__seen = { tasks: [], paint: 0, largest: 0, shift: 0 });
  const watch = (type, each) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
  watch("longtask", (entry) => seen.tasks.push([entry.startTime, entry.duration]));
  watch("paint", (entry) => { if (entry.name === "first-contentful-paint") seen.paint = entry.startTime; });
  watch("largest-contentful-paint", (entry) => { seen.largest = entry.startTime; });
  watch("layout-shift", (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
}
"""


def load(browser: Browser, address: str, traffic: Traffic) -> dict[str, float]:
    """Load a page once with an empty cache; milliseconds, bytes and counts.

    Raises:
        RunError: it cannot be loaded, asks for what is not there or shows no maths.
    """
    before = os.getloadavg()[0]
    context = browser.new_context(viewport={"width": SCREEN["width"], "height": SCREEN["height"]}, is_mobile=True)
    try:
        page = context.new_page()
        page.add_init_script(OBSERVE)
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        rates = {"downloadThroughput": RATE * 1e6 / 8, "uploadThroughput": UPLOAD * 1e6 / 8}
        session.send("Network.emulateNetworkConditions", {"offline": False, "latency": LATENCY, **rates})
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        traffic.reset()
        page.goto(address, wait_until="networkidle", timeout=120_000)
        page.wait_for_selector(".katex", state="attached", timeout=60_000)
        page.wait_for_timeout(QUIET)
        seen = page.evaluate("window.__seen")
    except BrowserError as error:
        raise RunError(f"its page cannot be loaded: {error.message.splitlines()[0]}") from error
    finally:
        context.close()
    if missing := [path for path in traffic.missing if path != ICON]:
        raise RunError(f"its page asks for what is not there: {', '.join(missing)}")
    return {
        "blocking_ms": blocking(seen["tasks"], seen["paint"]),
        "blocking_from_start_ms": blocking(seen["tasks"], 0),
        "first_paint_ms": seen["paint"],
        "largest_paint_ms": seen["largest"],
        "shift": seen["shift"],
        "bytes": traffic.bytes,
        "script_bytes": traffic.script_bytes,
        "requests": traffic.requests,
        "load": before,
    }


def build(contender: Contender, project: Path, work: Work, tools: Path) -> tuple[Path, dict[str, str]]:
    """Build a generator's site; its component's page and the generator's versions.

    Raises:
        ToolError: the generator cannot be installed.
        RunError: it fails.
    """
    tool = contender.install(tools)
    contender.write(project, tool, work)
    contender.prepare(project, tools)
    run(contender.command(tool.folder, project), project, contender.environment(project), 900)
    name = work.pages[len(work.pages) // 2].name
    checked_site(contender, project, work.pages, name, "")
    return dict(built_pages(project))[name], dict(tool.versions)


def measure(folder: Path, chosen: Sequence[Contender], rounds: int, tools: Path) -> dict[str, Any]:
    """Build all sites, then load their pages in turn."""
    kept = tools / "atlas"
    code = pinned_file(kept).split("\n")
    work = Work(pages(FOLDER, len(code)), code, prepare(kept).katex_dist)
    results: list[dict[str, Any]] = []
    with ExitStack() as stack:
        served: dict[str, tuple[str, Traffic]] = {}
        for one in chosen:
            say(f"building {one.title}")
            result: dict[str, Any] = {"key": one.key, "title": one.title, "problem": "", "versions": {}, "loads": []}
            results.append(result)
            try:
                file, result["versions"] = build(one, folder / one.key, work, tools)
            except (ToolError, RunError) as error:
                result["problem"] = f"not measured: {error}"
                say(f"{one.title}: {result['problem']}")
                continue
            site = folder / one.key / "site"
            address, traffic = stack.enter_context(serving(site))
            path = file.relative_to(site).as_posix().removesuffix("index.html")
            served[one.key] = f"{address}{path}", traffic
        browser = stack.enter_context(sync_playwright()).chromium.launch(executable_path=chromium())
        stack.callback(browser.close)
        version = browser.version
        for number in range(1, rounds + 1):
            say(f"loading, round {number} of {rounds}")
            for result in results:
                if result["problem"]:
                    continue
                try:
                    result["loads"].append(load(browser, *served[result["key"]]))
                except RunError as error:
                    result["problem"] = f"not measured: {error}"
                    say(f"{result['title']}: {result['problem']}")
    of = {**describe(), "browser": f"Chromium {version}"}
    figures = {"rounds": rounds, "rate": RATE, "latency": LATENCY, "slowdown": SLOWDOWN}
    return {"kind": "pages", **figures, "machine": of, "generators": results}


def chromium() -> str:
    """The browser's executable."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        raise SystemExit(f"there is no Chromium: none of {', '.join(CHROMIUMS)} is on the PATH")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and write JSON; 1 where a page could not be measured."""
    loaded = {one.key: one for one in (*CONTENDERS, DOCUSAURUS) if one.key != START}
    default = ["openmodelatlas", "eleventy", "material", "zensical", "docusaurus"]
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--rounds", type=int, default=7, help="how often each page is loaded  [7]")
    options.add_argument("--only", nargs="+", choices=list(loaded), default=default, help="which pages")
    options.add_argument("--tools", type=Path, default=tools_folder(), help="where peers are installed")
    options.add_argument("--results", type=Path, default=RESULTS, help="the folder for the JSON result")
    chosen = options.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        one = [loaded[key] for key in chosen.only]
        result = measure(Path(folder), one, chosen.rounds, chosen.tools.absolute())
    chosen.results.mkdir(parents=True, exist_ok=True)
    write(chosen.results / "pages.json", result)
    say(load_section(result))
    return int(any(one["problem"] for one in result["generators"]))


if __name__ == "__main__":
    sys.exit(main())
