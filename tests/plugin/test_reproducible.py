"""A site depends on its content and on nothing else: not on the day, the folder, the machine or what was kept."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from atlas.kept import cache_folder
from atlas.node.environment import prepare

MKDOCS = Path(__file__).with_name("other_circumstances.py")
PROJECT = Path(__file__).parents[1] / "project"
DAY = 86_400
"""Seconds."""

Files = Mapping[str, bytes]
Build = Callable[..., Files]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Build]:
    """Build a copy of the small atlas, in a process with circumstances of its own, and read the site."""
    shared, folder = cache_folder(), tmp_path_factory.mktemp("builds")
    prepare()

    def in_folder(
        place: str, *, ahead: float = 0, cache: str = "cache", umask: int = 0o022, cores: int = 1, **variables: str
    ) -> Files:
        root = folder / place
        root.mkdir(parents=True)
        for name in ("content", "sources"):
            shutil.copytree(PROJECT / name, root / name)
        shutil.copyfile(PROJECT / "mkdocs.yml", root / "mkdocs.yml")
        (root / "content/guide.md").write_text("# A guide\n\nOf $x$, in prose.\n", encoding="utf-8")
        kept = folder / cache
        kept.mkdir(exist_ok=True)
        for name in ("node", "sources"):
            if not (kept / name).exists():
                (kept / name).symlink_to(shared / name, target_is_directory=True)
        inherited = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
        limit = _limit(cores)
        done = subprocess.run(  # noqa: S603 - our own script
            [*limit, sys.executable, "-W", "ignore", str(MKDOCS), str(ahead), "build", "--quiet"],
            cwd=root,
            env=inherited | {"OPENMODELATLAS_CACHE": str(kept)} | variables,
            umask=umask,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return {
            path.relative_to(root / "site").as_posix(): path.read_bytes()
            for path in sorted((root / "site").rglob("*"))
            if path.is_file()
        }

    yield in_folder
    shutil.rmtree(folder, ignore_errors=True)


def _limit(cores: int) -> list[str]:
    """What keeps a command to so many cores, where the system can."""
    taskset = shutil.which("taskset")
    available = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return [taskset, "-c", ",".join(map(str, available[:cores]))] if taskset and available else []


@pytest.fixture(scope="module")
def first(build: Build) -> Files:
    return build("a", TZ="UTC", LC_ALL="C.UTF-8", PYTHONHASHSEED="0")


def different(one: Files, other: Files) -> list[str]:
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))


def test_a_build_elsewhere_years_later_is_the_same_to_the_byte(build: Build, first: Files) -> None:
    assert {"index.html", "guide/index.html", "sitemap.xml", "sitemap.xml.gz", "search/index.json"} <= set(first)
    cold = build(
        "another/folder, deeper",
        ahead=1234 * DAY + 5000.5,
        cache="another cache",
        umask=0o077,
        cores=2,
        TZ="Pacific/Kiritimati",
        LC_ALL="C",
        LANGUAGE="de",
        PYTHONHASHSEED="4242",
        PYTHONUTF8="0",
    )
    assert different(first, cold) == []


def test_what_was_kept_changes_nothing(build: Build, first: Files) -> None:
    assert different(first, build("warm", TZ="America/Anchorage", PYTHONHASHSEED="7")) == []


def test_no_file_tells_where_or_when_it_was_built(first: Files) -> None:
    assert "lastmod" not in first["sitemap.xml"].decode()
    assert first["sitemap.xml.gz"][4:8] == bytes(4)  # the time that gzip notes: none
    assert gzip.decompress(first["sitemap.xml.gz"]) == first["sitemap.xml"]
    place = re.compile(rb"/builds\d+/|" + re.escape(os.fsencode(Path.home())) + rb"/\.cache")
    assert [name for name, content in first.items() if place.search(content)] == []


def test_a_time_that_the_builder_states_is_the_time(build: Build, first: Files) -> None:
    one = build("stated", SOURCE_DATE_EPOCH="1000000000", TZ="Asia/Tokyo")
    other = build("stated later", ahead=400 * DAY, SOURCE_DATE_EPOCH="1000000000", TZ="America/Lima")
    assert different(one, other) == []
    assert different(one, first) == ["sitemap.xml", "sitemap.xml.gz"]
    days = set(re.findall("<lastmod>(.*?)</lastmod>", one["sitemap.xml"].decode()))
    assert days == {"2001-09-09"}


@pytest.mark.parametrize("stated", ["yesterday", "", "-1", "1e9", "999999999999"])
def test_a_time_that_is_none_is_refused(
    stated: str, real_project: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-W", "ignore", str(MKDOCS), "0", "build"],
        cwd=real_project.root,
        env=os.environ | {"SOURCE_DATE_EPOCH": stated},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"SOURCE_DATE_EPOCH is {stated!r}, which is no number of seconds since 1970" in done.stderr
    assert not (real_project.root / "site").exists()
