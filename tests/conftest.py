"""What tests of several rooms share: a copy of a small atlas, to be edited and broken."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from atlas.entries.atlas import Atlas, Collection, Entry
from atlas.entries.collection import Library
from atlas.entries.load import load
from atlas.sizes import size
from atlas.sources.store import PinnedText, SourceStore


def pytest_configure() -> None:
    """Let programs that tests start be interrupted: a shell's job in the background, and all it starts, ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


PROJECT = Path(__file__).resolve().parent / "project"
"""A small atlas whose every line stays as it is: two components of a model, and a layer of a library."""


@dataclass(frozen=True, slots=True)
class RealProject:
    root: Path

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace the only occurrence of a text in a file."""
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path} holds {old!r} {text.count(old)} times"
        file.write_text(text.replace(old, new), encoding="utf-8")

    def line(self, path: str, text: str, nth: int = 1) -> int:
        """The number of the nth line that holds a text."""
        lines = (self.root / path).read_text(encoding="utf-8").splitlines()
        return [number for number, line in enumerate(lines, 1) if text in line][nth - 1]

    def atlas(self) -> Atlas:
        atlas, issues = load(self.root, self.root / "content", self.root / "sources")
        assert issues == []
        return atlas

    def entry(self, entry_id: str) -> Entry:
        return next(entry for entry in self.atlas().entries if entry.id == entry_id)

    def pinned(self, entry: Entry) -> dict[str, PinnedText]:
        """The pinned file of each source claim, from the cache or brought."""
        store = SourceStore({name: source.data for name, source in self.atlas().sources.items()})
        return {claim.id: store.file(claim.source, claim.path) for claim in entry.data.sources}


@pytest.fixture
def real_project(tmp_path: Path) -> RealProject:
    """A copy of the small atlas."""
    root = tmp_path / "project"
    shutil.copytree(PROJECT, root)
    return RealProject(root)


@pytest.fixture
def library_of() -> Callable[[Entry], Collection]:
    """A library that documents one entry, with its sizes as dimensions."""

    def make(entry: Entry) -> Collection:
        axes = [size(axis) for symbol in entry.data.symbols.values() for axis in symbol.axes]
        names = sorted({name for axis in axes for name in axis.symbols}) or ["d"]
        dimensions = dict.fromkeys(names, "a size")
        data = Library(title="A", summary="A", kind="A", source="a", dimensions=dimensions, layers=("a",))
        return Collection("a", entry.file, entry.document, data, (entry,))

    return make


@pytest.fixture
def models(tmp_path: Path) -> RealProject:
    """Small models that mean nothing: `line`; `nested` has all that stacks can have; `pyramid` halves images."""
    return _models_in(tmp_path)


@pytest.fixture(scope="session")
def small_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Collection]:
    """The same models by id, to be looked at."""
    return dict(_models_in(tmp_path_factory.mktemp("looked-at")).atlas().collections)


def _models_in(folder: Path) -> RealProject:
    root = folder / "models"
    shutil.copytree(PROJECT.parent / "models", root)
    (root / "sources").mkdir(exist_ok=True)
    return RealProject(root)


UPSTREAM = {
    "pkg/__init__.py": b"",
    "pkg/layers.py": b"def scale(x, factor=2.0):\n    return x * factor\n",
    "pkg/models/net.py": b"from pkg import layers\n\n\ndef net(x):\n    return layers.scale(x)\n",
}
"""The files of an upstream project of our own."""


@pytest.fixture
def upstream() -> dict[str, bytes]:
    return dict(UPSTREAM)


def _wheel(files: Mapping[str, bytes]) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return raw.getvalue()


def _sdist(files: Mapping[str, bytes], top: str = "project-1.0/", mode: str = "w:gz") -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode=mode) as archive:  # type: ignore[call-overload]  # mode is any of the three
        for name, content in files.items():
            member = tarfile.TarInfo(top + name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return raw.getvalue()


@pytest.fixture
def make_wheel() -> Callable[..., bytes]:
    return _wheel


@pytest.fixture
def make_sdist() -> Callable[..., bytes]:
    return _sdist


@pytest.fixture
def no_pip_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither pip's files nor the environment of whoever runs the tests decide where archives are looked for."""
    for name in [name for name in os.environ if name.startswith("PIP_") or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@dataclass
class Repository:
    """A git repository and the address under which the tests' git finds it."""

    folder: Path
    config: Path
    url: str = "https://git.example/owner/project"

    def git(self, *arguments: str) -> str:
        done = subprocess.run(  # noqa: S603  (the test's own arguments)
            ["git", "-C", str(self.folder), *arguments],  # noqa: S607  (git is found as users find it)
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def configure(self, name: str, value: str) -> None:
        subprocess.run(["git", "config", "--file", str(self.config), "--add", name, value], check=True)  # noqa: S603, S607  (as above)

    def commit(self, files: Mapping[str, bytes], message: str) -> str:
        for path, content in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_bytes(content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with two commits and a tag; git takes its https address for the folder it is in."""
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = Tester\n\temail = tester@example.org\n[init]\n\tdefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    made = Repository(tmp_path / "upstream", config)
    made.folder.mkdir()
    made.git("init", "--quiet")
    made.git("config", "uploadpack.allowAnySHA1InWant", "true")
    made.git("config", "uploadpack.allowFilter", "true")
    made.configure(f"url.{made.folder.as_uri()}.insteadOf", made.url)
    made.commit(UPSTREAM, "first")
    made.git("tag", "--annotate", "--message", "one", "v1.0")
    made.commit({"README": b"more\n"}, "second")
    return made
