"""The real content, to be copied and edited, with its pinned sources and the real KaTeX."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from atlas.checks.display import Typesetter
from atlas.checks.run import Outcome, check_project
from atlas.entries.load import load
from atlas.node.environment import prepare
from atlas.node.process import Formula, NodeProcess, Typeset
from atlas.sources.store import SourceStore, fetch_all

REPOSITORY = Path(__file__).resolve().parents[2]

Check = Callable[[Path], Outcome]


@pytest.fixture(scope="session")
def typesetter() -> Iterator[Typesetter]:
    """The real KaTeX; a formula that it has seen is not sent again."""
    known: dict[Formula, Typeset] = {}

    def typeset(formulas: Iterable[Formula]) -> list[Typeset]:
        wanted = list(formulas)
        known.update((result.formula, result) for result in process.typeset(one for one in wanted if one not in known))
        return [known[formula] for formula in wanted]

    with NodeProcess(prepare()) as process:
        yield typeset


@pytest.fixture(scope="session")
def sources_at_hand() -> None:
    """Every pinned file is in the cache, from the cache or the network."""
    atlas, issues = load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")
    assert issues == []
    report = fetch_all(SourceStore({name: source.data for name, source in atlas.sources.items()}))
    assert report.failures == ()


@pytest.fixture(scope="session")
def check(typesetter: Typesetter, sources_at_hand: None) -> Check:
    """All checks over a project; the network is not used, so a pin that was edited brings nothing."""

    def run(root: Path) -> Outcome:
        return check_project(
            root,
            root / "content",
            root / "sources",
            make_store=lambda atlas: SourceStore(
                {name: source.data for name, source in atlas.sources.items()}, offline=True
            ),
            typesetter=typesetter,
        )

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the small atlas that the tests edit."""
    root = tmp_path / "project"
    shutil.copytree(REPOSITORY / "tests" / "project", root)
    return root
