"""Pieces of the whole are the same wherever they are made, and fonts that were cut beside them are not cut again."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jinja2 import TemplateSyntaxError

from atlas.checks.grounds import sources_of
from atlas.entries.atlas import Atlas
from atlas.entries.survey import survey
from atlas.kept import Kept, cache_folder
from atlas.node.typesetter import Typesetter
from atlas.render import fonts, piece_making
from atlas.render.ahead import Ahead
from atlas.render.fonts import cut
from atlas.render.gathering import Gathered
from atlas.render.made import MadePiece
from atlas.render.piece_making import ALONE, Known, PieceMaking
from atlas.render.pieces import NewPiece, Piece
from atlas.render.site import PageStore, Settings
from atlas.render.whole import Whole, independent
from atlas.render.whole_making import WholeMaker
from atlas.render.workshop import Workshop
from atlas.sources.store import SourceStore

SMALL = Path(__file__).parents[1] / "project"
CHARACTERS = "0123456789xyz(∑"


def store_of(atlas: Atlas) -> SourceStore:
    return SourceStore({name: one.data for name, one in atlas.sources.items()})


class Project:
    """The small atlas with its collections gathered, and what makes its pieces."""

    def __init__(self, folder: Path, kept: Kept, node: Typesetter) -> None:
        root = folder / "project"
        shutil.copytree(SMALL, root)
        self.settings = Settings(root, root / "content", root / "sources", folder, "Atlas")
        self.found = found = survey(root, root / "content", root / "sources")
        self.pinned, _ = sources_of(found, store_of, "fail")
        store = PageStore(folder / "bodies")
        self.ahead = Ahead(self.settings, self.pinned, kept, node, store, "general")
        gathered = Gathered(self.settings, found, self.pinned, kept, node, store, "general")
        gathered.gather()
        self.made = [gathered.made[name] for name in sorted(gathered.made)]
        self.whole = Whole(self.settings, self.pinned, kept, self.made, "general")
        self.pieces = list(self.whole.pieces())
        self.making = PieceMaking(self.settings, self.pinned, kept, node)
        self.fonts = tuple(self.ahead.fonts.values())
        self.making.know(Known(self.made, self.whole.uses, (), self.fonts, CHARACTERS))

    def given(self, pieces: Sequence[Piece], others: Sequence[MadePiece] = ()) -> dict[Piece, NewPiece]:
        return {new.piece: new for new in self.making.make(pieces, others)}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder, shared = tmp_path_factory.mktemp("pieces"), cache_folder()
    cache = folder / "cache"
    cache.mkdir()
    for one in ("node", "sources"):
        (cache / one).symlink_to(shared / one, target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENMODELATLAS_CACHE", str(cache))
        with Kept() as kept, Typesetter(kept) as node:
            yield Project(folder, kept, node)


@pytest.fixture
def made_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of pieces that are made in this process."""
    made: list[str] = []
    make = WholeMaker.make

    def noted(maker: WholeMaker, pieces: Sequence[Piece], others: Sequence[MadePiece] = ()) -> Any:
        made.extend(piece.kind for piece in pieces)
        return make(maker, pieces, others)

    monkeypatch.setattr(WholeMaker, "make", noted)
    return made


def test_in_processes_all_pieces_are_made_once_and_are_the_same(
    project: Project, made_here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = project.given(project.pieces)
    assert made_here == [piece.kind for piece in project.pieces]
    assert set(ALONE) < set(made_here)
    made_here.clear()
    monkeypatch.setattr(piece_making, "WORTHWHILE", 1)
    monkeypatch.setattr(piece_making, "processes", lambda: 2)
    monkeypatch.setattr(piece_making, "forks", lambda: True)
    elsewhere = project.given(project.pieces)
    assert made_here == []
    assert {piece: (one.made, one.texts) for piece, one in elsewhere.items()} == {
        piece: (one.made, one.texts) for piece, one in here.items()
    }
    assert all(pickle.loads(one.pickled) == one.made for one in elsewhere.values())  # noqa: S301 - made here
    monkeypatch.setattr(fonts, "subset", None)  # as all fonts are cut
    with Kept() as kept:
        made = cut([font.read_bytes() for font in project.fonts], CHARACTERS, kept)
    assert len(made) == len(project.fonts) > 10


def test_in_a_large_atlas_the_index_too_is_made_elsewhere(
    project: Project, made_here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [new.made for new in project.given(project.pieces).values()]
    index = project.whole.index(others)
    here = project.given([index], others)[index]
    assert made_here[-1] == "index"
    assert project.given([index])[index].texts != here.texts, "it names what others give"
    made_here.clear()
    monkeypatch.setattr(piece_making, "LARGE", 1)
    monkeypatch.setattr(piece_making, "processes", lambda: 2)
    monkeypatch.setattr(piece_making, "forks", lambda: True)
    elsewhere = project.given([index], others)[index]
    assert made_here == []
    assert (elsewhere.made, elsewhere.texts) == (here.made, here.texts)


def test_few_pieces_and_few_entries_are_no_work_for_others(
    project: Project, made_here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody(*_: object) -> None:
        raise AssertionError("processes were started")

    monkeypatch.setattr(piece_making, "cores", nobody)
    monkeypatch.setattr(piece_making, "processes", lambda: 2)
    monkeypatch.setattr(piece_making, "forks", lambda: True)
    assert len(project.given(project.pieces)) == len(project.pieces) > piece_making.MANY
    monkeypatch.setattr(piece_making, "WORTHWHILE", 1)
    assert len(project.given(project.pieces[:3])) == 3
    assert len(made_here) == len(project.pieces) + 3


def test_what_follows_from_no_collection_is_made_before_any_is_known(project: Project, made_here: list[str]) -> None:
    free = list(independent(project.pinned, "general"))
    assert [piece.kind for piece in free] == ["sources", "data", "entries", "issue-codes", "fixed"]
    assert set(free) < set(project.pieces)
    later = project.given(free)
    made_here.clear()
    project.ahead.make()
    assert made_here == [piece.kind for piece in free]
    assert project.ahead.pieces.gather(free) == [later[piece].made for piece in free]
    project.ahead.make()
    assert len(made_here) == len(free), "it is made once"


def test_what_is_prepared_is_not_made_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.making.prepare()
    assert list(project.making.prepare_collections())

    def nobody(*_: object, **__: object) -> None:
        raise AssertionError("code was highlighted, or a template compiled")

    monkeypatch.setattr("atlas.render.shown_code.highlight", nobody)
    monkeypatch.setattr("jinja2.Environment.compile", nobody)
    pieces = [piece for piece in project.pieces if piece.kind in ("family", "file", "glossary")]
    anew = PieceMaking(project.settings, project.pinned, project.ahead.kept, project.ahead.node)
    anew.know(Known(project.made, project.whole.uses))
    assert len(list(anew.make(pieces, ()))) == len(pieces) > 3


def test_what_is_prepared_for_collections_is_not_compiled_again(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned, node, store = project.pinned, project.ahead.node, PageStore(tmp_path / "bodies")

    def nobody(*_: object, **__: object) -> None:
        raise AssertionError("code was highlighted, or a template compiled")

    with Kept(tmp_path) as kept:
        making = PieceMaking(project.settings, pinned, kept, node)
        assert len(list(making.prepare_collections())) == 1 + len(pinned.files)
        making.prepare()  # what their pages show of operators
        monkeypatch.setattr("atlas.render.shown_code.highlight", nobody)
        monkeypatch.setattr("jinja2.Environment.compile", nobody)
        workshop = Workshop(project.settings, project.found, pinned, kept, node, "general", store)
        made = {name: workshop.make(name).made for name in project.found.collections}
    assert len(made) > 1
    assert all(made.values())


def test_a_wrong_template_that_no_page_needs_is_no_fault(project: Project, tmp_path: Path) -> None:
    (tmp_path / "entity").mkdir()
    (tmp_path / "entity" / "home.html").write_text("{% if %}", encoding="utf-8")
    settings = replace(project.settings, templates=(tmp_path,))
    making = PieceMaking(settings, project.pinned, project.ahead.kept, project.ahead.node)
    making.prepare()
    making.know(Known(project.made, project.whole.uses))
    home, glossary = (next(one for one in project.pieces if one.kind == kind) for kind in ("home", "glossary"))
    assert len(list(making.make([glossary], ()))) == 1
    with pytest.raises(TemplateSyntaxError):
        list(making.make([home], ()))
