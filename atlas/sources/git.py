"""The provider that brings pinned files with git itself, and the questions that a proof of a pin asks git.

Git runs with the user's network settings but without hooks, prompts or other protocols, and never in a repository
of the user's own.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from atlas.entries.manifest import COMMIT, Manifest
from atlas.exceptions import ArchiveError, MissingFileError, OfflineError, RevisionError, SourceError
from atlas.sources.archive import DEFAULT_LIMITS
from atlas.sources.nearest import nearest
from atlas.sources.progress import Progress, silent

log = logging.getLogger(__name__)

TIMEOUT = 300.0
"""Seconds that all of the work on one repository may take."""
REVISION_FIELD = ("revision",)
REPOSITORY_FIELD = ("repository",)
TIP = "refs/atlas/tip"
"""What the tip of a repository's main branch is called in the folder that it is fetched into."""
SHORT = re.compile(r"[0-9a-f]{7,39}")
TAG = re.compile(r"[0-9A-Za-z][0-9A-Za-z._/+-]*")

SETTINGS = (
    f"core.hooksPath={os.devnull}",  # no program of anybody runs because of a fetch
    "core.fsmonitor=false",
    "gc.auto=0",  # nothing goes on in the background in a folder that is about to be removed
    "maintenance.auto=false",
    "fetch.recurseSubmodules=false",
    "http.lowSpeedLimit=1000",  # a server that goes silent …
    "http.lowSpeedTime=60",  # … is given up after a minute
)

OF_THE_CALLER = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TRACE",
    "GIT_WORK_TREE",
    "LANGUAGE",
)
"""Variables that would tie git to the repository in whose hook or alias we may be running, or change what it says."""

NO_NETWORK = re.compile(
    r"Could not resolve|Failed to connect|Couldn't connect|Connection (refused|timed out|reset)|Operation timed out"
    r"|Network is unreachable|No route to host|Operation too slow|returned error: (429|5\d\d)|early EOF"
    r"|Could not read from remote repository",
    re.IGNORECASE,
)
NO_REVISION = re.compile(r"not our ref|couldn't find remote ref|no such remote ref", re.IGNORECASE)
NO_REPOSITORY = re.compile(
    r"repository .*not found|does not appear to be a git repository|could not read Username|Authentication failed"
    r"|does not exist|returned error: 4(?!29)\d\d",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class GitRepository:
    """A repository on this machine that git is asked about; no answer changes it."""

    folder: Path
    """The git directory."""
    name: str
    """What messages call it."""
    deadline: float = field(default_factory=lambda: time.monotonic() + TIMEOUT)
    """When, on the monotonic clock, git is stopped."""

    def commit_of(self, revision: str) -> str:
        """The full id of the commit that a commit id or a tag names."""
        where = revision if COMMIT.fullmatch(revision) else f"refs/tags/{_tag(revision)}"
        done = self._git("rev-parse", "--verify", "--quiet", f"{where}^{{commit}}")
        if done.returncode:
            kind = "commit" if COMMIT.fullmatch(revision) else "tag"
            raise RevisionError(f"{self.name} has no {kind} {revision}{_hint(revision)}", REVISION_FIELD)
        return done.stdout.decode().strip()

    def tip(self) -> str:
        """The full id of the commit at the tip: of the fetched main branch, or of a clone's current branch."""
        for where in (TIP, "HEAD"):
            done = self._git("rev-parse", "--verify", "--quiet", f"{where}^{{commit}}")
            if not done.returncode:
                return done.stdout.decode().strip()
        raise RevisionError(f"{self.name} has no commit", REVISION_FIELD)

    def names_at(self, commit: str) -> frozenset[str]:
        """The paths of all files of a commit."""
        files = self._answer("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit)
        return frozenset(files.decode(errors="replace").rstrip("\0").split("\0")) - {""}

    def blob_of(self, commit: str, path: str) -> str:
        """The object id of the file at a path of a commit."""
        listed = self._answer("ls-tree", "-z", "--full-tree", commit, "--", path)
        for entry in listed.split(b"\0"):
            about, _, name = entry.partition(b"\t")
            if name.decode(errors="replace") == path:
                mode, kind, blob = about.decode().split()
                if kind == "blob" and mode.startswith("100"):
                    return blob
                what = {"tree": "a folder", "commit": "a submodule"}.get(kind, "a link")
                raise MissingFileError(f"{path} is {what} at {self._at(commit)}, not a file", ("files", path))
        hint = nearest(path, self.names_at(commit))
        raise MissingFileError(
            f"there is no file {path} at {self._at(commit)}",
            ("files", path),
            f"the nearest is {hint}" if hint else "",
        )

    def read(self, commit: str, path: str, limit: int = DEFAULT_LIMITS.member) -> bytes:
        """The content of the file at a path of a commit, fetched now where the clone left it out."""
        blob = self.blob_of(commit, path)
        size = int(self._answer("cat-file", "-s", blob))
        if size > limit:
            raise ArchiveError(
                f"{path} at {self._at(commit)} has {size:,} bytes; the limit is {limit:,}", ("files", path)
            )
        return self._answer("cat-file", "blob", blob)

    def _at(self, commit: str) -> str:
        return f"revision {commit[:12]} of {self.name}"

    def _git(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return run_git(["--git-dir", str(self.folder), *arguments], self.deadline, self.name)

    def _answer(self, *arguments: str) -> bytes:
        done = self._git(*arguments)
        if done.returncode:
            raise failure(done, self.name)
        return done.stdout


def open_clone(folder: Path, name: str) -> GitRepository:
    """A clone on this machine, by its work tree or its git directory; `name` is what messages call it."""
    deadline = time.monotonic() + TIMEOUT
    found = run_git(["-C", str(folder), "rev-parse", "--absolute-git-dir"], deadline, name)
    if not folder.is_dir() or found.returncode:
        raise SourceError(f"{folder} is not a git repository")
    return GitRepository(Path(os.fsdecode(found.stdout.rstrip(b"\n"))), name, deadline)


@contextmanager
def fetched(manifest: Manifest, timeout: float = TIMEOUT) -> Iterator[GitRepository]:
    """The pinned revision without its files, fetched into a folder that is removed afterwards."""
    with fetched_revision(manifest.repository, manifest.revision, timeout) as repository:
        yield repository


@contextmanager
def fetched_revision(name: str, revision: str | None, timeout: float = TIMEOUT) -> Iterator[GitRepository]:
    """A commit or tag of the repository at an address, without its files; None is the tip of its main branch."""
    deadline = time.monotonic() + timeout
    with tempfile.TemporaryDirectory(prefix="atlas-git-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        repository = GitRepository(folder, name, deadline)
        _check(run_git(["init", "--quiet", "--bare", "--template=", "--", str(folder)], deadline, name), name)
        git = ["--git-dir", str(folder)]
        _check(run_git([*git, "remote", "add", "--", "origin", name], deadline, name), name)
        if revision is None:
            wanted = f"+HEAD:{TIP}"
        elif COMMIT.fullmatch(revision):
            wanted = revision
        else:
            wanted = f"+refs/tags/{_tag(revision)}:refs/tags/{revision}"
        fetch = [*git, "fetch", "--quiet", "--no-tags", "--depth", "1", "--filter=blob:none", "origin", wanted]
        done = run_git(fetch, deadline, name)
        if done.returncode:
            raise failure(done, name, revision or "")
        yield repository


def bring_from_git(
    manifest: Manifest, paths: Collection[str], *, progress: Progress = silent, timeout: float = TIMEOUT
) -> dict[str, bytes | SourceError]:
    """The content of each path at the pinned revision, or why there is none."""
    brought: dict[str, bytes | SourceError] = {}
    done = 0
    progress(manifest.name, done, None)
    with fetched(manifest, timeout) as repository:
        commit = repository.commit_of(manifest.revision)
        for path in paths:
            try:
                content = repository.read(commit, path)
            except (MissingFileError, ArchiveError) as error:
                brought[path] = error
                continue
            brought[path] = content
            done += len(content)
            progress(manifest.name, done, None)
    progress(manifest.name, done, done)
    return brought


def run_git(arguments: list[str], deadline: float, name: str) -> subprocess.CompletedProcess[bytes]:
    """Run git and everything it starts until the deadline, whatever it answers."""
    command = ["git", *(part for setting in SETTINGS for part in ("-c", setting)), *arguments]
    remaining = max(deadline - time.monotonic(), 0.001)
    try:
        process = subprocess.Popen(  # noqa: S603  (no shell; every argument is checked or comes after a fixed option)
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(os.environ),
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise SourceError("git is needed to bring this source, but there is no program `git` on the PATH") from error
    try:
        out, err = process.communicate(timeout=remaining)
    except subprocess.TimeoutExpired as error:
        _stop(process)
        raise OfflineError(
            f"git did not finish with {name} in time and was stopped",
            REPOSITORY_FIELD,
            "try again with a better connection",
        ) from error
    except BaseException:
        _stop(process)
        raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def failure(done: subprocess.CompletedProcess[bytes], name: str, revision: str = "") -> SourceError:
    """What went wrong in a call of git, told from what it printed."""
    said = done.stderr.decode(errors="replace").strip()
    last = ", ".join(line.removeprefix("fatal: ").strip() for line in said.splitlines()[-2:]) or "no reason given"
    if "unadvertised object" in said:
        return RevisionError(
            f"the server of {name} does not hand out a single commit by its id, so {revision} cannot be fetched",
            REVISION_FIELD,
            "pin a package archive (`artifact`), or prove the pin against a copy of the repository on this machine: "
            "`git clone` it, and name its folder with --git-dir",
        )
    if NO_REVISION.search(said):
        return RevisionError(f"{name} has no revision {revision}: {last}{_hint(revision)}", REVISION_FIELD)
    if "not allowed" in said and "transport" in said:
        return SourceError(
            f"git's configuration replaces {name} by an address that is neither https nor file "
            f"(see `git config --get-regexp insteadof`): {last}",
            REPOSITORY_FIELD,
        )
    if NO_REPOSITORY.search(said):
        return SourceError(f"there is no repository {name} that everybody may read: {last}", REPOSITORY_FIELD)
    if NO_NETWORK.search(said):
        return OfflineError(f"{name} cannot be reached: {last}", REPOSITORY_FIELD, "connect to the network")
    return SourceError(f"git failed for {name}: {last}", REPOSITORY_FIELD)


def _hint(revision: str) -> str:
    """What to do about a revision that looks like the beginning of a commit's id."""
    return "; a commit is named by all of its 40 digits" if SHORT.fullmatch(revision) else ""


def _check(done: subprocess.CompletedProcess[bytes], name: str) -> None:
    if done.returncode:
        raise failure(done, name)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End git and the programs it started: they form a process group of their own."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()


def _environment(caller: Mapping[str, str]) -> dict[str, str]:
    """The user's environment (proxies, certificates, configuration files) without what would mislead git."""
    kept = {name: value for name, value in caller.items() if name not in OF_THE_CALLER}
    return kept | {
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": "https:file",
        "GIT_ASKPASS": "",
        "GCM_INTERACTIVE": "never",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _tag(revision: str) -> str:
    """The revision, if git could have a tag of that name."""
    if not TAG.fullmatch(revision) or ".." in revision or "//" in revision or revision.endswith((".", "/", ".lock")):
        raise RevisionError(f"{revision!r} is neither a commit id nor the name of a tag", REVISION_FIELD)
    return revision
