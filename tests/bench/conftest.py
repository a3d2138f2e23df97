"""Results as the benchmarks write them, small enough to compute medians and ratios by hand."""

from __future__ import annotations

from typing import Any

import pytest


def run(wall: float, cpu: float, **more: Any) -> dict[str, Any]:
    return {"wall": wall, "cpu": cpu, "tree_mb": 100.0, "root_mb": 80.0, "largest_mb": 90.0, "load": 0.5, **more}


def generator(key: str, title: str, runs: dict[str, list[dict[str, Any]]], **more: Any) -> dict[str, Any]:
    sizes = {"page_bytes": 12_345, "page_gzip_bytes": 4_321, "site_bytes": 1}
    return {"key": key, "title": title, "maths": "at build", "versions": {key: "1.2"}, "problem": "", "runs": runs} | (
        sizes | more
    )


@pytest.fixture
def machine() -> dict[str, Any]:
    return {
        "date": "2026-01-02",
        "processor": "Abacus",
        "cores": 2,
        "memory_gb": 8,
        "system": "Linux 6",
        "python": "3.11.0",
        "node": "20.1.0",
    }


@pytest.fixture
def builds(machine: dict[str, Any]) -> dict[str, Any]:
    checks = {"wall": 2.0, "cpu": 1.5}
    ours = [run(6.0, 8.0, checks=checks), run(4.0, 6.0, checks=checks), run(50.0, 7.0, checks=checks)]
    theirs = [run(3.0, 4.0), run(2.0, 4.0), run(4.0, 4.0)]
    return {
        "kind": "generators",
        "pages": 60,
        "rounds": 3,
        "machine": machine,
        "generators": [
            generator("openmodelatlas", "Ours", {"cold": ours, "unchanged": ours[:1], "edit": ours[1:2]}),
            generator("eleventy", "Eleventy", {"cold": theirs, "unchanged": theirs[1:2], "edit": theirs[1:2]}),
            generator("hugo", "Hugo", {"cold": [], "unchanged": [], "edit": []}, problem="not installed: offline.\nx"),
            generator("mkdocs", "Empty", {"cold": [run(1, 1)], "unchanged": [run(0.25, 0.5)], "edit": [run(1, 1)]}),
        ],
    }


@pytest.fixture
def loads(machine: dict[str, Any]) -> dict[str, Any]:
    figures = {"blocking_from_start_ms": 90.0, "first_paint_ms": 300.0, "largest_paint_ms": 410.0, "shift": 0.0}
    sizes = {"bytes": 51_200, "script_bytes": 9_900, "requests": 7, "load": 1.0}
    taken = [{"blocking_ms": blocking, **figures, **sizes} for blocking in (10.0, 400.0, 20.0)]
    one = {"key": "openmodelatlas", "title": "Ours", "problem": "", "versions": {"ours": "1"}, "loads": taken}
    other = {"key": "zensical", "title": "Zensical", "problem": "not measured: gone", "versions": {}, "loads": []}
    settings = {"rounds": 3, "rate": 1.6, "latency": 150, "slowdown": 4}
    return {"kind": "pages", **settings, "machine": {**machine, "browser": "Chromium 1"}, "generators": [one, other]}
