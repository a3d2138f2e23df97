"""What the build's own process holds of each page, by Python's own count: the same on every machine, at any load."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from atlas.kept import cache_folder

PROJECT = Path(__file__).parents[1] / "project"
SIZES = (5, 25)
"""How many copies of a model of five pages two atlases have."""
MOST = 17_000
"""Bytes that may be held for each page, with its other forms, files and links, when all are written.

Pages, forms and files that were all held as objects took 24,700; packed ones take 13,000, of which caches of a fixed
size are most in a small atlas.
"""
BUILD = """
import gc, json, sys, tracemalloc
from atlas.plugin.events import RealBuild
from atlas.render import build
from mkdocs.__main__ import cli

build.FEW_PAGES = 0  # as in a large atlas, of which no page stays once it is finished
written = RealBuild.on_post_build

def counted(self):
    done = written(self)
    gc.collect()
    print(json.dumps([len(self._build.site.pages), tracemalloc.get_traced_memory()[0]]))
    return done

if sys.argv[1:] == ["counted"]:
    RealBuild.on_post_build = counted
    tracemalloc.start()
cli(["build", "--quiet"])
"""


def built(root: Path, *how: str) -> str:
    environment = {**os.environ, "OPENMODELATLAS_CACHE": str(root / "cache")}
    command = [sys.executable, "-c", BUILD, *how]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - this Python
    assert done.returncode == 0, done.stderr
    return done.stdout


def held(root: Path, copies: int) -> tuple[int, int]:
    """How many pages an atlas has, and how many bytes are held when they are written, all made before."""
    shutil.copytree(PROJECT, root)
    (root / "mkdocs.yml").write_text(
        "site_name: Atlas\ndocs_dir: content\ntheme: openmodelatlas\nplugins: [atlas]\n", encoding="utf-8"
    )
    for number in range(copies):
        shutil.copytree(root / "content/tiny", root / f"content/tiny-{number:03}")
    (root / "cache").mkdir()
    for one in ("node", "sources"):
        (root / "cache" / one).symlink_to(cache_folder() / one, target_is_directory=True)
    built(root)
    shutil.rmtree(root / "site")
    pages, size = json.loads(built(root, "counted"))
    return pages, size


def test_little_is_held_of_each_page(tmp_path: Path) -> None:
    (pages, size), (more_pages, more) = (held(tmp_path / str(copies), copies) for copies in SIZES)
    assert more_pages - pages == 5 * (SIZES[1] - SIZES[0])
    assert (more - size) / (more_pages - pages) < MOST
