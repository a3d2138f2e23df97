"""`atlas doctor` on machines that lack one thing each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from atlas.cli import main
from atlas.commands import findings
from atlas.commands.checking import node_environment
from atlas.node.runtime import Runtime
from atlas.sources.reach import Reach

Doctor = Callable[..., dict[str, list[dict[str, str]]]]


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch) -> list[Reach]:
    """What pip looks at: one index, which answers; a test may change it."""
    found = [Reach("https://index.example/simple/", "network", True, "", True)]
    monkeypatch.setattr(findings, "reach", lambda settings, *, offline: iter(found))
    return found


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["doctor", *arguments], prog_name="atlas")


def lines(*arguments: str, code: int = 0) -> dict[str, list[dict[str, str]]]:
    """The report by what was looked at."""
    result = run("--json", *arguments)
    assert result.exit_code == code, result.output
    found: dict[str, list[dict[str, str]]] = {}
    for one in json.loads(result.stdout):
        found.setdefault(one["about"], []).append(one)
    return found


def test_a_machine_that_has_everything(real_project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    node_environment(offline=False)
    monkeypatch.chdir(real_project.root)
    result = run()
    assert result.exit_code == 0
    assert "bad " not in result.stdout
    found = lines()
    assert list(found) == [
        *("Python", "OpenModelAtlas", "Upstream libraries", "Node.js", "npm", "KaTeX", "Cache", "git", "Packages"),
        *("Project", "Content", "Pinned files"),
    ]
    # Whoever does not verify whole models needs no torch, which is as large as everything else together.
    [libraries] = found.pop("Upstream libraries")
    is_whole = libraries["text"] == "those that `atlas verify` runs whole models with are installed"
    assert (libraries["state"], bool(libraries["advice"])) == (("ok", False) if is_whole else ("note", True))
    assert all(one["state"] == "ok" for group in found.values() for one in group), found
    assert found["Pinned files"][0]["text"].endswith(" files in the cache")
    assert result.stderr == "everything that checks and builds need is there\n"


def test_no_project_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [project] = lines()["Project"]
    assert project["state"] == "warn"
    assert project["advice"] == "go into a project, or make one: atlas init DIR"


def test_a_project_that_is_broken_is_told(real_project: Any) -> None:
    root = str(real_project.root)
    real_project.edit("content/transformer/model.yml", "kind: ", "knd: ")
    [content] = lines("--project", root, code=1)["Content"]
    assert (content["state"], content["advice"]) == ("bad", "run `atlas check`")
    assert "content/transformer/model.yml" in content["text"]
    (real_project.root / "mkdocs.yml").write_text("plugins: [search]\n", encoding="utf-8")
    [project] = lines("--project", root, code=1)["Project"]
    assert (project["state"], project["advice"]) == ("bad", "add `plugins: [atlas]`")
    (real_project.root / "mkdocs.yml").write_text("a: [", encoding="utf-8")
    [project] = lines("--project", root, code=1)["Project"]
    assert (project["state"], project["advice"]) == ("bad", "mend mkdocs.yml")
    assert run("--project", str(real_project.root / "nowhere")).exit_code == 2


def test_an_empty_cache_is_told(real_project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "cache"))
    found = lines("--project", str(real_project.root))
    [pinned] = found["Pinned files"]
    assert (pinned["state"], pinned["text"][:5]) == ("warn", "0 of ")
    assert found["KaTeX"][0]["state"] == "warn"
    assert found["Cache"][0]["text"].endswith(
        "0 bytes of pinned files, 0 bytes of Node.js and KaTeX, 0 bytes of results of earlier builds"
    )
    assert not (tmp_path / "cache").exists()


def test_a_cache_that_cannot_be_written_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.chdir(tmp_path)
    [cache] = lines(code=1)["Cache"]
    assert cache["state"] == "bad"
    assert cache["advice"] == "set OPENMODELATLAS_CACHE to a folder that can be written"


def test_without_node_it_says_what_will_happen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(findings, "system_runtime", lambda: Runtime(Path("node"), (), (18, 0, 0), "the system's"))
    monkeypatch.setattr(findings, "wheel_runtime", lambda: None)
    found = lines()
    [node] = found["Node.js"]
    assert node["state"] == "warn"
    assert "is 18.0.0, older than 20.19.0" in node["text"]
    assert node["advice"].endswith("or pip install 'openmodelatlas[node]'")
    assert found["KaTeX"][0]["state"] == "warn"


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(findings, "git_version", lambda: None)
    [git] = lines()["git"]
    assert (git["state"], git["advice"]) == ("warn", "install git")


def test_places_that_do_not_answer_are_warned_of(
    tmp_path: Path, places: list[Reach], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    places[:] = [
        Reach("https://index.example/simple/", "network", True, "Connection refused", True),
        Reach("/archives", "folder", False, "there is no such file or folder", True),
        Reach("http://127.0.0.1:8080/simple/", "this machine", True, "", False),
    ]
    index, folder, mirror = lines()["Packages"]
    assert (index["state"], index["text"]) == (
        "warn",
        "pip looks in https://index.example/simple/ (index): Connection refused",
    )
    assert index["advice"].startswith("connect to the network, or name a mirror")
    assert (folder["state"], folder["advice"]) == ("warn", "correct it: `pip config list` shows where it is set")
    assert (
        mirror["text"]
        == "pip looks in http://127.0.0.1:8080/simple/ (index, this machine): not asked, because of --offline"
    )
    assert run().stderr == "3 lines marked warn: something may not work then\n"
    places.clear()
    assert lines()["Packages"][0]["text"] == "pip is set to use no index and no folder"
