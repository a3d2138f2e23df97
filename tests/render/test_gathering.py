"""What collections give is the same however it comes about, and nothing of it is made again or lost without need."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from atlas import spread
from atlas.checks.single import sources_of
from atlas.entries.atlas import Atlas
from atlas.entries.survey import survey
from atlas.exceptions import AtlasError, ChangedError, ExecutorError, NodeError
from atlas.issues import Issue, ordered, show
from atlas.kept import FILE, Kept, cache_folder, key_of
from atlas.node.sharing import SharedNode
from atlas.node.typesetter import Typesetter
from atlas.render import gathering, workshop
from atlas.render.gathering import Gathered
from atlas.render.general import general_key
from atlas.render.made import Made, Text
from atlas.render.site import PageStore, Settings
from atlas.render.workshop import Result, Workshop
from atlas.sources.store import SourceStore

SMALL = Path(__file__).parents[1] / "project"
RESIDUAL = "content/tiny/encoder/residual.yml"
SUMMARY = "summary: Add what was read."
ALL = {"chainer", "tiny", "transformer"}


@dataclass(frozen=True, slots=True)
class Found:
    """What one build gathered."""

    made: dict[str, Made]
    texts: dict[str, str]
    issues: list[Issue]
    worked: list[str]
    """The collections that were made in this process."""

    @property
    def given(self) -> tuple[dict[str, Made], dict[str, str]]:
        return self.made, self.texts


def store(atlas: Atlas) -> SourceStore:
    return SourceStore({name: source.data for name, source in atlas.sources.items()})


def texts_of(made: Made) -> Iterator[tuple[str, Text]]:
    for page in made.pages:
        yield from ((f"{page.url} {name}", getattr(page, name)) for name in ("body", "column", "markdown"))
    yield from ((file.url, file.text) for file in (*made.files, *made.passages))
    yield "lines", made.lines


class Project:
    """A copy of the small atlas, with caches of its own by name."""

    def __init__(self, root: Path, folder: Path, use: Callable[[Path], None]) -> None:
        self.root = root
        self._folder = folder
        self._use = use
        self._runs = count()
        self._shared = cache_folder()
        self.settings = Settings(
            root,
            root / "content",
            root / "sources",
            folder,
            "Atlas",
            # Neither of them can be sent to another process.
            edit_address=lambda path: f"https://git.example/edit/{path}",
            say=lambda _: None,
        )

    def cache(self, name: str) -> Path:
        """The folder of a cache that has all that comes of a network."""
        folder = self._folder / name
        if not folder.exists():
            folder.mkdir()
            for one in ("node", "sources"):
                (folder / one).symlink_to(self._shared / one, target_is_directory=True)
        self._use(folder)
        return folder

    def gather(
        self,
        cache: str,
        between: Callable[[], None] = lambda: None,
        meanwhile: Callable[[], None] = lambda: None,
        **changed: Any,
    ) -> Found:
        """Gather with what is kept under a name; `between` is called before the texts are read."""
        self.cache(cache)
        workspace = self._folder / f"run-{next(self._runs)}"
        workspace.mkdir()
        settings = replace(self.settings, workspace=workspace, **changed)
        found = survey(settings.root, settings.content, settings.sources)
        pinned, issues = sources_of(found, store, settings.missing_sources)
        worked: list[str] = []
        make = Workshop.make

        def noted(shop: Workshop, collection: str) -> Result:
            worked.append(collection)
            return make(shop, collection)

        with Kept() as kept, Typesetter(kept) as node, pytest.MonkeyPatch.context() as patch:
            patch.setattr(Workshop, "make", noted)
            gathered = Gathered(
                settings, found, pinned, kept, node, PageStore(workspace / "bodies"), general_key(settings)
            )
            gathered.gather(meanwhile)
            between()
            made = dict(sorted(gathered.made.items()))
            texts = {
                f"{one.id} {name}": gathered.reader(one.id).text(text)
                for one in made.values()
                for name, text in texts_of(one)
            }
        return Found(made, texts, ordered([*issues, *gathered.issues]), worked)

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1
        file.write_text(text.replace(old, new), encoding="utf-8")

    def texts_kept(self, cache: str, change: str) -> None:
        """Change what is kept of the texts of all collections, by the rest of an SQL command."""
        with closing(sqlite3.connect(self.cache(cache) / FILE)) as database, database:
            keys = [key for (key,) in database.execute("SELECT key FROM kept")]
            texts = [key_of("texts", key) for key in keys]
            there = [key for key in texts if key in keys]
            assert len(there) == len(ALL)
            for key in there:
                database.execute(f"{change} WHERE key = ?", (key,))


DAMAGE, DELETE = "UPDATE kept SET value = zeroblob(9)", "DELETE FROM kept"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Found]:
    """Where a project lies that was gathered, the file of what was kept then, and what came of it."""
    folder = tmp_path_factory.mktemp("built")
    root = folder / "project"
    shutil.copytree(SMALL, root)
    with pytest.MonkeyPatch.context() as patch:
        first = Project(root, folder, lambda place: patch.setenv("OPENMODELATLAS_CACHE", str(place)))
        found = first.gather("one")
        return root, first.cache("one") / FILE, found


@pytest.fixture
def first(built: tuple[Path, Path, Found]) -> Found:
    """What was gathered of the project as it is at first."""
    return built[2]


@pytest.fixture
def project(built: tuple[Path, Path, Found], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project as it is at first, in its place; the cache `one` has what was kept of it."""
    root, kept, _ = built
    shutil.rmtree(root)
    shutil.copytree(SMALL, root)
    made = Project(root, tmp_path, lambda folder: monkeypatch.setenv("OPENMODELATLAS_CACHE", str(folder)))
    shutil.copyfile(kept, made.cache("one") / FILE)
    return made


@pytest.fixture
def in_processes(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Have even this little made in two processes that begin anew, as they do where copies of one cannot be made.

    Builds in whole processes are tested with copies.
    """

    def choose() -> None:
        monkeypatch.setattr(gathering, "WORTHWHILE", 1)
        monkeypatch.setattr(gathering, "processes", lambda: 2)
        for module in (gathering, spread):
            monkeypatch.setattr(module, "forks", lambda: False)

    return choose


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of what befalls processes, which these find where this one does."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    return import_module("gathering_pieces")


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_here_in_processes_and_kept_it_is_the_same(
    project: Project,
    first: Found,
    in_processes: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    idle: list[str] = []
    here = project.gather("new", meanwhile=partial(idle.append, "here"))
    assert sorted(here.worked) == sorted(ALL)
    assert here.made.keys() == ALL
    body = here.texts["tiny tiny/encoder/residual/ body"]
    assert "Residual" in body
    assert "https://git.example/edit/" in "".join(here.texts.values())
    in_processes()
    elsewhere = project.gather("other", meanwhile=partial(idle.append, "elsewhere"))
    assert elsewhere.worked == []
    assert idle == ["elsewhere"], "only while others work has this process nothing else to do"
    assert elsewhere.given == here.given
    assert elsewhere.issues == here.issues
    monkeypatch.setattr(gathering, "cores", lambda *_: pytest.fail("processes were started"))
    assert here.given == first.given
    for cache in ("new", "other"):
        kept = project.gather(cache)
        assert kept.worked == []
        assert (kept.given, kept.issues) == (here.given, here.issues)
    assert capfd.readouterr() == ("", "")


def test_an_edit_is_all_that_is_made_again(project: Project, first: Found) -> None:
    project.edit(RESIDUAL, "title: ", "title: New ")
    second = project.gather("one")
    assert second.worked == ["tiny"]
    assert second.made["tiny"] != first.made["tiny"]
    assert {name: second.made[name] for name in ALL - {"tiny"}} == {name: first.made[name] for name in ALL - {"tiny"}}
    assert "New " in second.texts["tiny tiny/encoder/residual/ body"]


def test_other_settings_make_all_again(project: Project, first: Found) -> None:
    second = project.gather("one", edit_address=lambda path: f"https://git.example/other/{path}")
    assert set(second.worked) == ALL
    assert second.texts != first.texts
    assert project.gather("one").worked == []


@pytest.mark.parametrize("change", [DAMAGE, DELETE])
def test_texts_that_are_damaged_or_gone_are_made_again_once(
    project: Project, first: Found, caplog: pytest.LogCaptureFixture, change: str
) -> None:
    project.texts_kept("one", change)
    second = project.gather("one")
    assert set(second.worked) == ALL
    assert len(second.worked) == len(ALL)
    assert second.given == first.given
    assert [message.partition(FILE)[2] for message in told(caplog)] == (
        [" holds a damaged result, which is computed anew. The build goes on, and takes longer."]
        if change == DAMAGE
        else []
    )
    caplog.clear()
    third = project.gather("one")
    assert (third.worked, third.given) == ([], first.given)
    assert told(caplog) == []


def test_texts_that_vanish_amid_a_build_are_made_again_once(project: Project, first: Found) -> None:
    second = project.gather("one", partial(project.texts_kept, "one", DELETE))
    assert sorted(second.worked) == sorted(ALL)
    assert second.given == first.given


def test_texts_that_vanish_and_cannot_be_made_again_as_they_were_are_told_of(project: Project) -> None:
    def vanish() -> None:
        project.texts_kept("one", DELETE)
        project.edit(RESIDUAL, "title: ", "title: New ")

    with pytest.raises(ChangedError, match=r"^the pages of tiny have to be made again, .*; build again$"):
        project.gather("one", vanish)
    assert "New " in project.gather("one").texts["tiny tiny/encoder/residual/ body"]


def test_damaged_collections_are_made_again_with_one_warning(
    project: Project, first: Found, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sqlite3.connect(project.cache("one") / FILE)) as database, database:
        database.execute("UPDATE kept SET digest = zeroblob(16)")
    second = project.gather("one")
    assert (set(second.worked), second.given) == (ALL, first.given)
    assert len(told(caplog)) == 1
    assert project.gather("one").worked == []


def test_errors_in_one_collection_leave_the_others_as_they_were_kept(project: Project) -> None:
    project.edit(RESIDUAL, "operator: ", "operator: no_")
    broken = project.gather("one")
    assert broken.worked == ["tiny"]
    assert broken.made.keys() == ALL - {"tiny"}
    assert [(issue.path, issue.severity) for issue in broken.issues if issue.severity == "error"] == [
        (RESIDUAL, "error")
    ]
    project.edit(RESIDUAL, "operator: no_", "operator: ")
    assert project.gather("one").worked == []  # what was kept of it holds again


def test_errors_are_the_same_from_processes(project: Project, in_processes: Callable[[], None]) -> None:
    project.edit(RESIDUAL, "operator: ", "operator: no_")
    here = project.gather("one")
    in_processes()
    elsewhere = project.gather("other")
    assert show(here.issues) == show(elsewhere.issues)
    assert here.given == elsewhere.given


def test_warnings_are_kept_and_told_again(project: Project, first: Found) -> None:
    assert [issue.severity for issue in first.issues] == ["warning"] * len(first.issues)
    assert first.issues
    again = project.gather("one")
    assert again.worked == []
    assert again.issues == first.issues


def test_a_process_that_dies_is_told_of_and_the_next_build_is_right(
    project: Project, first: Found, in_processes: Callable[[], None], pieces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_processes()
    with monkeypatch.context() as patch:
        patch.setattr(workshop, "make_one", pieces.die)
        with pytest.raises(ExecutorError, match=r"^the work was not finished, as what was at it is gone: "):
            project.gather("other")
    assert project.gather("other").given == first.given


def test_a_node_that_dies_in_a_process_is_told_of(
    project: Project, in_processes: Callable[[], None], pieces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_processes()
    monkeypatch.setattr(SharedNode, "started", lambda _: None)
    monkeypatch.setattr(workshop, "make_one", pieces.lose_node)
    with pytest.raises(NodeError, match=r"^Node has ended"):
        project.gather("other")


def test_processes_that_lose_the_node_that_they_share_make_the_same(
    project: Project, first: Found, in_processes: Callable[[], None], pieces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_processes()
    monkeypatch.setattr(workshop, "make_one", pieces.lose_shared_node)
    found = project.gather("other")
    assert not found.worked
    assert found.given == first.given


def test_processes_say_nothing_of_a_cache_that_cannot_be_written(
    project: Project,
    first: Found,
    in_processes: Callable[[], None],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    in_processes()
    (project.cache("other") / FILE).mkdir()
    assert project.gather("other").given == first.given
    assert len(told(caplog)) == 1
    assert capfd.readouterr() == ("", "")


def test_the_environment_of_node_is_made_before_processes_need_it(
    project: Project, in_processes: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Typesetter) -> None:
        raise NodeError("npm is not there")

    in_processes()
    monkeypatch.setattr(Typesetter, "environment", property(refused))
    monkeypatch.setattr(gathering, "cores", lambda *_: pytest.fail("processes were started"))
    with pytest.raises(AtlasError, match="npm is not there"):
        project.gather("other")
