"""What may never be committed: addresses of package registries, folders of a machine, large files, others' code."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from atlas.entries.manifest import Manifest
from atlas.sources.store import PinnedText, SourceStore, fetch_all

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 400_000
"""Bytes; what is larger belongs into a release or is made by a script."""
FEWEST_LINES_COPIED = 5
"""Equal consecutive lines, blank ones not counted, from which on a passage is a copy and no coincidence."""
MADE_HERE = {".venv", "site", "build", "dist", "node_modules", "__pycache__"}

# Each is written in pieces, so that it does not find itself.
REGISTRIES = (
    "py" + "pi.org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npm" + "js.com",
    "yarn" + "pkg.com",
    "deb." + "debian.org",
    "arch" + "ive.ubuntu.com",
    "down" + "load.pytorch.org",
)
# An index on a reserved name or on this machine itself, as tests have them, is nobody's.
OWN_INDEX = r"https?://(?![\w.-]*\bexample\b|127\.0\.0\.1|localhost)[\w.:-]+/" + r"simple\b"
REGISTRY = re.compile("|".join([*map(re.escape, REGISTRIES), OWN_INDEX]), re.IGNORECASE)
HOME = re.compile(
    r"(?<![\w.~}])/(?:" + "ro" + r"ot|ho" + r"me/(?!me/)\w+|Us" + r"ers/\w+|wo" + r"rk)/|[A-Z]:\\Us" + r"ers\\",
    re.ASCII,
)


def committed() -> list[str]:
    """What git tracks or would add; without git, what is there and was not made by a tool."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - as git is installed
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
        ).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        return [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file() and is_ours(path)]
    return [name for name in listed if name and (ROOT / name).is_file()]


def is_ours(path: Path) -> bool:
    """Whether no tool made a file, as far as its name says."""
    parts = path.relative_to(ROOT).parts
    return not any(
        part in MADE_HERE or part.endswith(("_cache", ".egg-info")) or part in {".git", ".hypothesis"} for part in parts
    )


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Every committed file as text; bytes that are no text become characters that match nothing."""
    names = committed()
    assert {"pyproject.toml", "atlas/cli.py", "tests/test_repository.py"} <= set(names)
    return {name: (ROOT / name).read_text(encoding="utf-8", errors="replace") for name in names}


@pytest.fixture(scope="module")
def pinned() -> tuple[PinnedText, ...]:
    """Every pinned upstream file, from the cache or brought."""
    folder = ROOT / "sources"
    manifests = {
        file.stem: Manifest.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
        for file in sorted(folder.glob("*.yml"))
    }
    report = fetch_all(SourceStore(manifests))
    assert report.failures == ()
    assert len(report.texts) == sum(len(manifest.files) for manifest in manifests.values()) > 0
    return report.texts


def findings(texts: Mapping[str, str], pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern occurs, as `file:line: text`."""
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def copies(texts: Mapping[str, str], originals: Iterable[PinnedText]) -> list[str]:
    """Passages of the texts that stand in an original with the same lines one after another."""
    passages: dict[tuple[str, ...], str] = {}
    for original in originals:
        for number, window in windows(original.text):
            passages.setdefault(window, f"{original.source_id}: {original.path}:{number}")
    found = []
    for name, text in texts.items():
        first = next(((number, window) for number, window in windows(text) if window in passages), None)
        if first is not None:
            found.append(f"{name}:{first[0]} is {passages[first[1]]}")
    return found


def windows(text: str) -> Iterable[tuple[int, tuple[str, ...]]]:
    """Every run of as many lines as make a copy, stripped, blank ones left out, with the number of its first line."""
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    for start in range(len(lines) - FEWEST_LINES_COPIED + 1):
        chosen = lines[start : start + FEWEST_LINES_COPIED]
        yield chosen[0][0], tuple(line for _, line in chosen)


def test_no_file_names_a_package_registry(texts: dict[str, str]) -> None:
    assert findings(texts, REGISTRY) == []


def test_no_file_names_a_folder_of_a_machine(texts: dict[str, str]) -> None:
    assert findings(texts, HOME) == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (REGISTRY, "https://" + "files.python" + "hosted.org/packages/x"),
        (REGISTRY, "index-url = http://10.0.0.7:8080/" + "simple/"),
        (REGISTRY, "registry.npm" + "js.org"),
        (HOME, "see /ho" + "me/ada/atlas/x.py"),
        (HOME, "'/ro" + "ot/.cache'"),
        (HOME, "/Us" + "ers/ada/atlas"),
        (HOME, "C:\\Us" + "ers\\ada"),
    ],
)
def test_what_must_not_be_committed_would_be_found(pattern: re.Pattern[str], text: str) -> None:
    assert findings({"file": f"fine\n{text}\n"}, pattern) == [f"file:2: {text}"]


@pytest.mark.parametrize("text", ["site/home/index.html", "the root/ folder", "https://example.org/home/", "~/work/x"])
def test_what_is_no_path_of_a_machine_is_left_alone(text: str) -> None:
    assert findings({"file": text}, HOME) == []


def test_no_lock_file_says_where_a_package_was_downloaded(texts: dict[str, str]) -> None:
    locks = {name: json.loads(text) for name, text in texts.items() if name.endswith("package-lock.json")}
    assert sorted(locks) == [
        f"{folder}/package-lock.json" for folder in ("atlas/node", "tests/browser/axe", "tests/browser/validate")
    ]
    for name, lock in locks.items():
        packages = {path: package for path, package in lock["packages"].items() if path}
        assert packages
        assert [f"{name}: {path}" for path, package in packages.items() if "resolved" in package] == []
        assert [f"{name}: {path}" for path, package in packages.items() if "integrity" not in package] == []


def test_constraints_are_exact_versions_and_nothing_else(texts: dict[str, str]) -> None:
    lines = [line for line in texts["constraints.txt"].splitlines() if not line.startswith("#")]
    exact = re.compile(r'[a-z0-9-]+==[0-9][0-9a-z.]*( ; python_version == "3\.\d+"( or python_version == "3\.\d+")*)?')
    assert len(lines) > 20
    assert [line for line in lines if not exact.fullmatch(line)] == []


def test_no_file_is_large(texts: dict[str, str]) -> None:
    sizes = {name: (ROOT / name).stat().st_size for name in texts}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}


def test_no_upstream_code_is_committed(texts: dict[str, str], pinned: tuple[PinnedText, ...]) -> None:
    assert copies(texts, pinned) == []


def test_a_copied_passage_would_be_found(pinned: tuple[PinnedText, ...]) -> None:
    original = pinned[0]
    middle = len(original.lines) // 2
    passage = [line for line in original.lines[middle:] if line.strip()][:FEWEST_LINES_COPIED]
    indented = "\n\n".join(f"    {line}" for line in passage)
    assert len(copies({"copied.py": f"# ours\n{indented}\n"}, pinned)) == 1
    shorter = "\n".join(passage[:-1])
    assert copies({"less.py": f"# ours\n{shorter}\n# ours\n"}, pinned) == []


def test_workflows_run_nothing_that_can_change_under_them_and_may_do_no_more_than_they_need(
    texts: dict[str, str],
) -> None:
    workflows = {name: text for name, text in texts.items() if name.startswith(".github/workflows/")}
    assert workflows
    starter = texts["atlas/scaffold/starter/workflow.yml"]
    ours = {one for text in workflows.values() for one in re.findall(r"uses: (.*)", text)}
    assert set(re.findall(r"uses: (.*)", starter)) <= ours, "the workflow of `atlas init` has other versions than ours"
    for name, text in workflows.items():
        used = re.findall(r"uses: (.*)", text)
        assert used, name
        assert [one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", one)] == []
        workflow = yaml.safe_load(text)
        assert workflow["permissions"] == {}
        on_push = workflow[True]["push"]  # YAML 1.1 reads `on` as a boolean
        for job in workflow["jobs"].values():
            assert job["timeout-minutes"] <= 30
            writing = {what for what, level in job["permissions"].items() if level == "write"}
            assert writing <= {"pages", "id-token", "contents"}
            # Only who may push to the repository comes to a job that may write, and no code of ours is run there.
            only_main = job.get("if") == "github.event_name == 'push' && github.ref == 'refs/heads/main'"
            only_tags = workflow[True].keys() == {"push"} and on_push.keys() == {"tags"}
            assert not writing or only_main or only_tags
            assert not writing or not [step for step in job["steps"] if "make" in step.get("run", "")]
            for step in job["steps"]:
                assert "checkout@" not in step.get("uses", "") or step["with"]["persist-credentials"] is False


def test_make_site_ends_with_where_the_site_is_and_the_readme_with_how_to_look_at_it() -> None:
    # The make that runs the tests tells those below it to say more.
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    command = ["make", "--dry-run", "site"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)  # noqa: S603 - no input
    last = done.stdout.splitlines()[-1]
    assert last.startswith("echo ")
    assert "site/index.html" in last
    assert "`make serve`" in last
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    path = urlsplit(re.findall(r"^site_url: (.*)$", settings, re.MULTILINE)[0]).path
    assert f"http://127.0.0.1:8000{path} " in readme


def test_commands_are_written_in_one_way() -> None:
    texts = [ROOT / "README.md", *(ROOT / "content").rglob("*.md")]
    found = [str(file) for file in texts if re.search(r"bin/(atlas|mkdocs)\b", file.read_text(encoding="utf-8"))]
    assert found == []
