"""Whatever befalls a build, the previous site stays whole, a message says what happened, and the next one is right."""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType

import pytest

from atlas.kept import FILE, cache_folder
from atlas.node.environment import prepare

SMALL = Path(__file__).parents[1] / "project"
GUIDE = "# A guide\n\nOf $x^2$, in prose.\n"
NEW = "# A guide\n\nOf $x^3$ and more, in prose.\n"
"""The guide as it is edited before what befalls the next build."""
PATIENCE = 300
"""Seconds after which a build counts as hung; the shared machine is slow."""
NO_PIP_SETTINGS = {"PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": "", "PIP_NO_INDEX": ""}

Site = Mapping[str, bytes]


class Project:
    """A copy of the small atlas with a site and a cache of its own, built by `mkdocs build` in a process."""

    def __init__(self, root: Path, cache: Path) -> None:
        self.root = root
        self.cache = cache

    def build(self, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.ended(self.begin(None, environment))

    def begin(
        self, limit: int | None = None, environment: Mapping[str, str] = MappingProxyType({})
    ) -> subprocess.Popen[str]:
        """Begin a build; with a limit, whose files cannot have more bytes, as on a disk that is full."""

        def limited() -> None:
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "mkdocs", "build"],
            cwd=self.root,
            env=os.environ | {"OPENMODELATLAS_CACHE": str(self.cache), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=limited,
        )

    @staticmethod
    def ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
        try:
            output, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        return subprocess.CompletedProcess(process.args, process.returncode, output)

    def hook(self, text: str) -> None:
        """Let something happen within the build, as a hook of MkDocs."""
        (self.root / "hook.py").write_text(f"import os, signal\n{dedent(text)}", encoding="utf-8")
        config = self.root / "mkdocs.yml"
        if "hooks:" not in config.read_text(encoding="utf-8"):
            config.write_text(config.read_text(encoding="utf-8") + "\nhooks: [hook.py]\n", encoding="utf-8")

    def edit(self, text: str = NEW) -> None:
        (self.root / "content/guide.md").write_text(text, encoding="utf-8")

    def site(self) -> Site:
        site = self.root / "site"
        return {str(one.relative_to(site)): one.read_bytes() for one in sorted(site.rglob("*")) if one.is_file()}

    def leftovers(self) -> list[str]:
        return sorted(one.name for one in self.root.iterdir() if one.name.startswith("."))

    def recovers(self, expected: Site) -> None:
        """The next run, to which nothing happens, builds what one without a fault would have built, and cleans up."""
        self.hook("")
        done = self.build()
        assert done.returncode == 0, done.stdout
        assert self.leftovers() == []
        assert self.site() == expected


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that was built, to be copied."""
    folder = tmp_path_factory.mktemp("built")
    project = Project(folder / "project", folder / "cache")
    shutil.copytree(SMALL, project.root)
    project.edit(GUIDE)
    prepare()
    project.cache.mkdir()
    for name in ("node", "sources"):
        (project.cache / name).symlink_to(cache_folder() / name, target_is_directory=True)
    done = project.build()
    assert done.returncode == 0, done.stdout
    return project


@pytest.fixture(scope="module")
def expected(built: Project, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site of the edited project, built where nothing happened before."""
    clean = Project(tmp_path_factory.mktemp("clean") / "project", built.cache)
    shutil.copytree(SMALL, clean.root)
    clean.edit()
    done = clean.build()
    assert done.returncode == 0, done.stdout
    assert b"and more" in clean.site()["guide/index.html"]
    return clean.site()


@pytest.fixture(scope="module")
def pristine(built: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project that was built."""
    copy = tmp_path_factory.mktemp("pristine") / "project"
    shutil.copytree(built.root, copy)
    return copy


@pytest.fixture
def project(built: Project, pristine: Path, expected: Site, tmp_path: Path) -> Project:
    """A project with a site, and with an edit of its prose that is not built yet.

    It lies where it was built, so that what was kept of it then holds.
    """
    made = Project(built.root, tmp_path / "cache")
    shutil.rmtree(made.root)
    shutil.copytree(pristine, made.root)
    shutil.copytree(built.cache, made.cache, symlinks=True)
    made.edit()
    return made


@pytest.fixture
def survived(project: Project, expected: Site) -> Iterator[Project]:
    """A project whose site is the same after the test as before it, until the next run."""
    before = project.site()
    assert before
    yield project
    assert project.site() == before
    project.recovers(expected)


def said(done: subprocess.CompletedProcess[str], code: int = 1) -> str:
    """What a build that was given up said; without a traceback, as nothing is wrong with the program."""
    assert done.returncode == code, done.stdout
    assert "Traceback" not in done.stdout
    return done.stdout


@pytest.mark.parametrize(
    "event",
    [
        "on_files(files, config)",
        "on_page_context(context, page, config, nav)",
        "on_post_build(config)",
    ],
)
def test_a_build_that_is_killed(survived: Project, event: str) -> None:
    survived.hook(f"def {event}: os.kill(os.getpid(), signal.SIGKILL)")
    assert survived.build().returncode == -signal.SIGKILL


def test_a_build_that_is_killed_while_the_sites_change_places(project: Project, expected: Site) -> None:
    project.hook("""
        from atlas.render import staging
        def _move_hidden(*folders):
            os.kill(os.getpid(), signal.SIGKILL)
        staging._move_hidden = _move_hidden
        """)
    assert project.build().returncode == -signal.SIGKILL
    project.hook("def on_files(files, config): os._exit(7)")
    assert project.build().returncode == 7
    assert project.site() == expected  # the exchange was completed as soon as the next build began
    project.recovers(expected)


@pytest.mark.parametrize("limit", [0, 20_000, 60_000])
def test_a_disk_that_is_full(survived: Project, limit: int) -> None:
    (survived.cache / FILE).unlink()  # so that there is something to write
    text = said(Project.ended(survived.begin(limit)))
    assert "File too large" in text


def test_a_disk_that_fills_up_while_mkdocs_copies_files_of_its_own(survived: Project) -> None:
    survived.hook("""
        import resource
        def on_env(env, config, files):
            resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, resource.RLIM_INFINITY))
        """)
    text = said(survived.build())
    assert "the site could not be written: " in text
    assert "File too large" in text


def test_no_network(survived: Project, tmp_path: Path) -> None:
    (survived.cache / "sources").unlink()
    text = said(survived.build(**NO_PIP_SETTINGS, PIP_INDEX_URL="http://127.0.0.1:9/simple/"))
    assert "A50" in text
    assert "the previous site is left as it was" in text
    (survived.cache / "sources").symlink_to(cache_folder() / "sources", target_is_directory=True)


class _Mirror(BaseHTTPRequestHandler):
    """Offers every file that it is asked about, each with the same wrong bytes."""

    def do_GET(self) -> None:
        asked = self.path.strip("/").split("/")
        names = ["tensor2tensor-1.0.14-py2.py3-none-any.whl", "chainer-1.24.0.tar.gz"]
        links = "".join(f'<a href="/files/{name}">{name}</a>' for name in names)
        page = asked[0] == "simple"
        content = f"<!DOCTYPE html>{links}".encode() if page else b"not what was pinned"
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if page else "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def lying_mirror() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Mirror) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/simple/"
        server.shutdown()
        thread.join()


def test_a_mirror_that_lies(survived: Project, lying_mirror: str) -> None:
    (survived.cache / "sources").unlink()
    text = said(survived.build(**NO_PIP_SETTINGS, PIP_INDEX_URL=lying_mirror))
    found = hashlib.sha256(b"not what was pinned").hexdigest()
    for manifest in ("sources/tensor2tensor.yml", "sources/chainer.yml"):
        assert f"{manifest}:" in text
    assert text.count(f"but is {found}") == 2
    assert not (survived.cache / "sources").exists()
    (survived.cache / "sources").symlink_to(cache_folder() / "sources", target_is_directory=True)


@pytest.mark.parametrize("happening", ["dies", "hangs"])
def test_a_node_process_that_dies_or_hangs_amid_a_batch(survived: Project, happening: str) -> None:
    survived.hook(f"""
        from atlas.node.process import NodeProcess
        NodeProcess.__init__.__kwdefaults__["timeout"] = 1.0
        submit = NodeProcess.submit
        def stopped(self, formulas, **given):
            os.kill(self.pid, signal.SIGSTOP)
            pending = submit(self, formulas, **given)
            if {happening == "dies"}:
                os.kill(self.pid, signal.SIGKILL)
            return pending
        NodeProcess.submit = stopped
        """)
    (survived.cache / FILE).unlink()  # so that there is something for Node to do
    text = said(survived.build())
    reason = "Node has ended" if happening == "dies" else "Node has not answered for 1 seconds"
    assert f"{reason} during a batch of " in text


def test_damaged_files_of_the_cache(project: Project, expected: Site) -> None:
    (project.cache / FILE).write_bytes(b"SQLite format 3\0" + bytes(5000))
    real = cache_folder() / "sources"
    (project.cache / "sources").unlink()
    shutil.copytree(real, project.cache / "sources")
    done = project.build()
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("is made anew") == 1
    project.recovers(expected)


def test_a_cache_that_cannot_be_written(project: Project, expected: Site) -> None:
    (project.cache / FILE).unlink()
    (project.cache / FILE).mkdir()
    done = project.build()
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("The file of kept results") == 1
    (project.cache / FILE).rmdir()
    project.recovers(expected)


def test_builds_at_the_same_time(project: Project, expected: Site) -> None:
    at_once = [project.begin() for _ in range(2)]
    for done in map(Project.ended, at_once):
        assert done.returncode == 0, done.stdout
    assert project.leftovers() == []
    assert project.site() == expected
    project.recovers(expected)
