"""The real content, to be copied and edited, with its pinned sources, the real KaTeX, and the upstream library."""

from __future__ import annotations

import pickle
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from atlas.checks.display import Typesetter
from atlas.checks.run import Outcome, check_project
from atlas.checks.single import check_one, sources_of
from atlas.checks.upstream import verify_entry
from atlas.checks.upstream_model import verify_model
from atlas.entries.atlas import Atlas
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.entries.survey import survey
from atlas.issues import Issue, ordered, show
from atlas.kept import Kept
from atlas.node.environment import prepare
from atlas.node.process import Formula, NodeProcess, Typeset
from atlas.sources.store import SourceStore, fetch_all
from atlas.upstream.library import Library, open_library

REPOSITORY = Path(__file__).resolve().parents[2]

Check = Callable[[Path], Outcome]
Edits = Iterable[tuple[str, str, str]]
"""Each a path below the model's folder, a text that stands in that file once, and what takes its place."""

FIRST_VARIANT = re.compile(r"^variants:\n(  \S.*\n(?:   .*\n)*)(?:  .*\n)*", re.MULTILINE)
"""The block of variants in a model's file, with the first of them."""


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
    """All checks over a project; the network is not used, so a pin that was edited brings nothing.

    Whatever the project is, its collections one by one have to be found as all of them together are.
    """

    def store(atlas: Atlas) -> SourceStore:
        return SourceStore({name: source.data for name, source in atlas.sources.items()}, offline=True)

    def run(root: Path) -> Outcome:
        folders = root, root / "content", root / "sources"
        outcome = check_project(*folders, make_store=store, typesetter=typesetter)
        seen = survey(*folders)
        brought, issues = sources_of(seen, store)
        found, pinned = pickle.loads(pickle.dumps((seen, brought)))  # noqa: S301 - as processes get them
        singles = {name: check_one(found, pinned, name, typesetter, None) for name in found.collections}
        together = ordered([*issues, *(issue for one in singles.values() for issue in one.issues)])
        assert show(together) == show(outcome.issues)
        assert tuple(together) == outcome.issues
        if outcome.checked is not None:
            assert {name: one.checked for name, one in singles.items()} == outcome.checked.collections
        return outcome

    return run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the small atlas that the tests edit."""
    root = tmp_path / "project"
    shutil.copytree(REPOSITORY / "tests" / "project", root)
    return root


@dataclass(frozen=True, slots=True)
class EditedModel:
    """One model of the atlas in a folder of its own, with one variant where it can be, to be edited over and over."""

    root: Path
    """The folder of the copy."""
    name: str
    """The model's id."""
    check: Check
    """Everything that `atlas check` does."""

    @property
    def folder(self) -> Path:
        """The model's own folder."""
        return self.root / "content" / self.name

    def found(self, edits: Edits) -> list[Issue]:
        """The errors that `atlas check` finds after some edits; where it finds none, those of `atlas verify`."""
        texts: dict[str, str] = {}
        for path, old, new in edits:
            text = texts.get(path) or (self.folder / path).read_text(encoding="utf-8")
            assert text.count(old) == 1, f"{path} holds {old!r} {text.count(old)} times"
            texts[path] = text.replace(old, new)
        return self.found_with(texts)

    def found_with(self, texts: Mapping[str, str]) -> list[Issue]:
        """The same with other texts in some of the model's files."""
        before = {path: (self.folder / path).read_bytes() for path in texts}
        try:
            for path, text in texts.items():
                (self.folder / path).write_text(text, encoding="utf-8")
            outcome = self.check(self.root)
        finally:
            for path, content in before.items():
                (self.folder / path).write_bytes(content)
        return [issue for issue in outcome.issues if issue.severity == "error"] or verified(outcome)


def verified(outcome: Outcome) -> list[Issue]:
    """What `atlas verify` finds in an atlas that the checks let pass, until the first claim that does not hold."""
    assert outcome.checked is not None
    for entry in outcome.checked.entries:
        pinned = {one.claim.id: one.excerpt.pinned for one in entry.claims if one.excerpt is not None}
        for executed in verify_entry(entry.entry, entry.operator, pinned):
            if executed.issue is not None:
                return [executed.issue]
    for one in outcome.checked.collections.values():
        data = one.collection.data
        if isinstance(data, Model) and data.upstream is not None and one.graph is not None:
            source = outcome.checked.atlas.sources[data.upstream.source]
            for compared in verify_model(one.collection, one.graph, source, library()):
                if compared.issues:
                    return list(compared.issues)
    return []


@cache
def library() -> Library:
    """The installed library that the manifest of transformers pins."""
    atlas, _ = load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")
    return open_library(atlas.sources["transformers"])


@pytest.fixture(scope="session")
def edited(
    typesetter: Typesetter, sources_at_hand: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], EditedModel]]:
    """A model by its id, to be edited; the pinned files are read once, and entries that no edit touches judged once."""

    @cache
    def made(name: str) -> EditedModel:
        root = tmp_path_factory.mktemp("edited")
        shutil.copytree(REPOSITORY / "content" / name, root / "content" / name)
        shutil.copytree(REPOSITORY / "sources", root / "sources")
        file = root / "content" / name / "model.yml"
        text = file.read_text(encoding="utf-8")
        if "\nprogram:" not in text:  # which has a function for every variant
            text, count = FIRST_VARIANT.subn(r"variants:\n\1", text)
            assert count == 1
            file.write_text(text, encoding="utf-8")
        store = SourceStore(
            {name: source.data for name, source in load(root, root / "content", root / "sources")[0].sources.items()},
            offline=True,
        )

        def run(root: Path) -> Outcome:
            return check_project(
                root, root / "content", root / "sources", make_store=lambda _: store, typesetter=typesetter, kept=kept
            )

        return EditedModel(root, name, run)

    with Kept(tmp_path_factory.mktemp("kept")) as kept:
        yield made
