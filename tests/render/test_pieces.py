"""Pieces of the whole: kept by what they follow from, made again where that is another, or where they are damaged."""

from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from jinja2 import DictLoader, Environment

from atlas.kept import Kept
from atlas.render.compiled import Compiled
from atlas.render.index_names import IndexNames
from atlas.render.made import MadePiece, ShareData, Text, Writing
from atlas.render.pieces import NewPiece, Piece, Pieces, name_of
from atlas.render.site import PageStore
from atlas.render.whole_making import Loaded

T = TypeVar("T")
ONE, OTHER, INDEX = Piece("home", "", b"1"), Piece("family", "a", b"2"), Piece("index", "", b"3")


class Making:
    """Makes pieces of a line each, and notes which."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.others: list[list[MadePiece]] = []

    def __call__(self, pieces: Sequence[Piece], others: Sequence[MadePiece]) -> Iterator[NewPiece]:
        self.others.append(list(others))
        for piece in reversed(pieces):
            self.made.append(name_of(piece))
            texts = Writing()
            lines = texts.add(f"lines of {name_of(piece)}\n")
            made = MadePiece((), (), lines, (), ShareData.of(IndexNames(())), "", "αβ")
            yield NewPiece(piece, made, pickle.dumps(made), texts.data())


@pytest.fixture
def making() -> Making:
    return Making()


@pytest.fixture
def fresh(tmp_path: Path, making: Making) -> Iterator[Callable[[], Pieces]]:
    """The pieces of one build after the other."""
    opened: list[Kept] = []

    def make() -> Pieces:
        for one in opened:
            one.close()
        opened.append(Kept(tmp_path))
        return Pieces(opened[-1], PageStore(tmp_path / f"bodies-{len(opened)}"), making)

    yield make
    for one in opened:
        one.close()


def text_of(pieces: Pieces, piece: Piece, made: MadePiece) -> str:
    return pieces.text(name_of(piece), made.lines)


def test_a_piece_is_made_once_for_what_it_follows_from(fresh: Callable[[], Pieces], making: Making) -> None:
    first = fresh()
    made = first.gather([ONE, OTHER])
    assert making.made == ["family a", "home "]
    assert first.gather([OTHER, ONE]) == made[::-1], "once in a build"
    changed = replace(OTHER, key=b"3")
    second = fresh()
    again = second.gather([ONE, changed])
    assert making.made == ["family a", "home ", "family a"]
    assert again == made
    assert text_of(second, ONE, again[0]) == "lines of home \n"
    assert text_of(second, changed, again[1]) == "lines of family a\n"
    assert fresh().gather([OTHER]) == made[1:]
    assert len(making.made) == 3


def test_the_index_is_made_of_all_others_also_when_it_is_made_again(
    fresh: Callable[[], Pieces], making: Making, tmp_path: Path
) -> None:
    first = fresh()
    others = first.gather([ONE, OTHER])
    first.gather([INDEX], others)
    pieces = fresh()
    (index,) = pieces.gather([INDEX], others)
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as database, database:
        database.execute("DELETE FROM kept")
    assert text_of(pieces, INDEX, index) == "lines of index \n"
    assert making.others == [[], others, others]


def test_texts_that_are_damaged_later_are_made_again_once(
    fresh: Callable[[], Pieces], making: Making, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fresh().gather([ONE])
    pieces = fresh()
    (made,) = pieces.gather([ONE])
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as database, database:
        database.execute("UPDATE kept SET value = x'00' WHERE length(value) < 100")
    assert len(making.made) == 1
    assert text_of(pieces, ONE, made) == "lines of home \n"
    assert making.made == ["home ", "home "]
    assert "damaged" in caplog.text
    caplog.clear()
    pieces = fresh()
    assert text_of(pieces, ONE, *pieces.gather([ONE])) == "lines of home \n"
    assert len(making.made) == 2
    assert caplog.text == ""


def test_a_piece_whose_texts_are_gone_is_made_anew(fresh: Callable[[], Pieces], making: Making, tmp_path: Path) -> None:
    fresh().gather([ONE])
    pieces = fresh()
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as database, database:
        assert database.execute("DELETE FROM kept WHERE length(value) < 100").rowcount == 1
    (made,) = pieces.gather([ONE])
    assert len(making.made) == 2
    assert text_of(pieces, ONE, made) == "lines of home \n"


def test_a_share_is_read_when_it_is_asked_for_and_equal_ones_have_one_digest() -> None:
    share = ("a", Text(0, 1, b"d"))
    data = ShareData.of(share)
    assert ShareData.of(pickle.loads(pickle.dumps(share))) == data  # noqa: S301 - made here
    assert data.share() == share
    assert ShareData.of(("a", Text(0, 2, b"d"))).digest != data.digest


class _Given:
    """Collections that have nothing but some shares."""

    def __init__(self, **shares: object) -> None:
        self.shares = {kind: ShareData.of(share) for kind, share in shares.items()}


def test_shares_are_in_the_order_of_the_collections_that_have_one() -> None:
    given = [_Given(home=("a",)), _Given(), _Given(home=("b",))]
    loaded: Loaded[tuple[str]] = Loaded(given, "home")  # type: ignore[arg-type]  # of a collection only this is read
    assert len(loaded) == 2
    assert list(loaded) == [("a",), ("b",)]
    assert loaded[1:] == [("b",)]


def test_a_template_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str | None] = []
    compile_one = Environment.compile

    def noted(environment: Environment, source: str, name: str | None = None, *others: object) -> object:
        compiled.append(name)
        return compile_one(environment, source, name, *others)  # type: ignore[call-overload]  # as it was given

    monkeypatch.setattr(Environment, "compile", noted)

    def printed(text: str, kind: str = "pages") -> str:
        with Kept(tmp_path) as kept:
            environment = Environment(loader=DictLoader({"a": text}), bytecode_cache=Compiled(kept, kind))  # noqa: S701 - its texts are the test's
            return environment.get_template("a").render(x="<")

    assert [printed("{{ x }}!"), printed("{{ x }}!")] == ["<!", "<!"]
    assert compiled == ["a"]
    assert printed("{{ x }}?") == "<?"
    assert printed("{{ x }}?", "Markdown") == "<?"
    assert compiled == ["a", "a", "a"]
