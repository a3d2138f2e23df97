"""One collection checked by itself: what it reads, what decides whether it is checked again, and what it says."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

from atlas.checks.pinned import MissingSources
from atlas.checks.run import check_project
from atlas.checks.single import Single, check_one, grounds_key, keep_grounds, sources_of
from atlas.entries.atlas import Atlas
from atlas.entries.survey import Survey, digest_of, survey
from atlas.issues import Issue, ordered, show
from atlas.kept import Kept
from atlas.node.process import Formula, Typeset
from atlas.sources.store import SourceStore


def accepts(formulas: Iterable[Formula]) -> list[Typeset]:
    return [Typeset(formula, Markup(), "", None) for formula in formulas]


def store(atlas: Atlas) -> SourceStore:
    return SourceStore({name: source.data for name, source in atlas.sources.items()})


@dataclass(frozen=True, slots=True)
class Built:
    """A project whose builds share what they keep."""

    root: Path
    kept: Kept

    def survey(self) -> Survey:
        return survey(self.root, self.root / "content", self.root / "sources")

    def key(self, collection: str, missing: MissingSources = "fail") -> bytes | None:
        found = self.survey()
        return grounds_key(found, sources_of(found, store, missing)[0], collection, self.kept)

    def check(self, collection: str) -> tuple[Single, bytes | None]:
        found = self.survey()
        pinned, _ = sources_of(found, store)
        single = check_one(found, pinned, collection, accepts, self.kept)
        return single, keep_grounds(found, pinned, single, self.kept)

    def both(self) -> tuple[list[Issue], list[Issue]]:
        """What all collections together are found to be, and each by itself."""
        found = self.survey()
        pinned, issues = sources_of(found, store)
        singles = [check_one(found, pinned, name, accepts, None) for name in found.collections]
        together = check_project(found.root, found.content, found.sources, make_store=store, typesetter=accepts)
        return list(together.issues), ordered([*issues, *(issue for one in singles for issue in one.issues)])

    def write(self, path: str, text: str) -> None:
        file = self.root / "content" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        return (self.root / "content" / path).read_text(encoding="utf-8")


@pytest.fixture
def built(real_project: Any, tmp_path: Path) -> Iterator[Built]:
    with Kept(tmp_path / "kept") as kept:
        yield Built(real_project.root, kept)


HEIR = "title: Heir\ninherits: transformer/encoder/ffn-layer-norm\nformerly: [decoder/heir]\n"
NORM = "transformer/encoder/ffn-layer-norm"


@pytest.fixture
def borrowing(built: Built) -> Built:
    """The collection `heir` is the transformer with one entry taken from the other collection."""
    built.write("heir/model.yml", built.read("transformer/model.yml"))
    built.write("heir/encoder/attention-layer-norm.yml", built.read("transformer/encoder/attention-layer-norm.yml"))
    built.write("heir/encoder/ffn-layer-norm.yml", f"inherits: {NORM}\n")
    return built


def test_a_survey_names_the_files_with_their_digests(built: Built) -> None:
    built.write("chainer/notes.md", "# Notes\n")
    built.write(f"{NORM}.proofs.json", "[]\n")
    found = built.survey()
    assert dict(found.collections) == {"chainer": "library", "tiny": "model", "transformer": "model"}
    assert found.folders["chainer"] == ("chainer/layer-normalization", "chainer/library")
    assert "chainer/notes" not in found.files
    assert found.files[NORM] == digest_of(built.read(f"{NORM}.yml").encode())
    assert dict(found.records) == {NORM: digest_of(b"[]\n")}
    assert found.issues == ()


def test_a_collection_is_loaded_with_nothing_but_what_it_inherits(borrowing: Built) -> None:
    single, _ = borrowing.check("heir")
    found = borrowing.survey()
    assert show(issue for issue in single.issues if issue.severity == "error") == ""
    assert single.checked is not None
    assert single.checked.collection.id == "heir"
    assert single.files == {name: found.files[name] for name in (*found.folders["heir"], NORM)}
    assert single.asked == (NORM,)
    assert "tensor2tensor" in single.named


def test_what_a_collection_rests_on_is_known_after_its_check(borrowing: Built) -> None:
    assert borrowing.key("heir") is None
    _, key = borrowing.check("heir")
    assert key is not None
    assert borrowing.key("heir") == key
    assert borrowing.check("heir")[1] == key


def edit_of(path: str) -> Callable[[Built], None]:
    return lambda built: built.write(path, built.read(path) + "# edited\n")


def manifest(built: Built) -> None:
    file = built.root / "sources" / "tensor2tensor.yml"
    file.write_text(file.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")


def licence(built: Built) -> None:
    file = built.root / "sources" / "licenses" / "Apache-2.0.txt"
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")


def pins(built: Built) -> None:
    file = built.root / "sources" / "pins.lock"
    text = file.read_text(encoding="utf-8")
    first = text.rindex("proved: ")
    file.write_text(f"{text[:first]}proved: 2001-01-01{text[first + len('proved: 2001-01-01') :]}", encoding="utf-8")


def other_manifest(built: Built) -> None:
    sources = built.root / "sources"
    (sources / "another.yml").write_bytes((sources / "tensor2tensor.yml").read_bytes())


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(edit_of("heir/model.yml"), id="its own file"),
        pytest.param(edit_of("heir/encoder/attention-layer-norm.yml"), id="an entry"),
        pytest.param(edit_of(f"{NORM}.yml"), id="what an entry inherits"),
        pytest.param(lambda built: built.write("heir/encoder/new.yml", "title: New\n"), id="a new entry"),
        pytest.param(lambda built: built.write("heir/model.proofs.json", "[]"), id="records of the model"),
        pytest.param(
            lambda built: built.write("heir/encoder/ffn-layer-norm.proofs.json", "[]"), id="records of an entry"
        ),
        pytest.param(lambda built: built.write("heir/new.yaml", "title: New\n"), id="a name that is refused"),
        pytest.param(manifest, id="the manifest"),
        pytest.param(licence, id="the licence"),
        pytest.param(pins, id="what was proved of the pins"),
        pytest.param(other_manifest, id="another manifest"),
    ],
)
def test_a_change_of_what_is_read_makes_it_another(borrowing: Built, change: Callable[[Built], None]) -> None:
    _, key = borrowing.check("heir")
    change(borrowing)
    assert key is not None
    assert borrowing.key("heir") != key


def test_what_is_done_without_sources_is_part_of_it(borrowing: Built) -> None:
    _, key = borrowing.check("heir")
    assert key is not None
    assert borrowing.key("heir", "link") != key


@pytest.mark.parametrize(
    "change",
    [
        edit_of("chainer/library.yml"),
        edit_of("transformer/model.yml"),
        lambda built: built.write("transformer/encoder/new.yml", "title: New\n"),
        lambda built: built.write("heir/notes.md", "# Notes\n"),
    ],
)
def test_a_change_elsewhere_leaves_it(borrowing: Built, change: Callable[[Built], None]) -> None:
    _, key = borrowing.check("heir")
    change(borrowing)
    assert key is not None
    assert borrowing.key("heir") == key


def test_a_nearer_entry_takes_the_place_of_what_is_inherited(borrowing: Built) -> None:
    """What is not there decides as well: with it the entry would inherit from another one."""
    borrowing.write(f"{NORM}.yml", "inherits: chainer/far\n")
    borrowing.write("chainer/far.yml", built_text := "title: Far\n")
    found = borrowing.survey()
    pinned, _ = sources_of(found, store)
    single = check_one(found, pinned, "heir", accepts, None)
    assert single.files["chainer/far"] == digest_of(built_text.encode())
    near = ("transformer/encoder/chainer/far", "transformer/chainer/far")
    assert single.asked == tuple(sorted((NORM, "chainer/far", *near)))


def test_what_would_be_nearer_is_part_of_what_it_rests_on(borrowing: Built) -> None:
    text = borrowing.read(f"{NORM}.yml")
    borrowing.write("chainer/far.yml", text)
    borrowing.write(f"{NORM}.yml", "inherits: chainer/far\n")
    single, key = borrowing.check("heir")
    assert single.checked is not None
    assert key is not None
    borrowing.write("transformer/chainer/far.yml", text)
    assert borrowing.key("heir") not in (None, key)


def test_what_is_refused_elsewhere_is_part_of_it(borrowing: Built) -> None:
    """A file that is there but not read is no entry that lacks."""
    borrowing.write("heir/encoder/ffn-layer-norm.yml", "inherits: chainer/far\n" + borrowing.read(f"{NORM}.yml"))
    borrowing.write("chainer/far.yaml", "title: Far\n")
    single, key = borrowing.check("heir")
    assert single.checked is not None
    assert key is not None
    (borrowing.root / "content" / "chainer" / "far.yaml").unlink()
    assert borrowing.key("heir") not in (None, key)


def test_nothing_is_kept_of_a_collection_with_errors(built: Built) -> None:
    built.write(f"{NORM}.yml", built.read(f"{NORM}.yml").replace("title:", "titel:"))
    single, key = built.check("transformer")
    assert single.checked is None
    assert "titel" in show(single.issues)
    assert key is None
    assert built.key("transformer") is None


@pytest.mark.parametrize("path", [f"{NORM}.yml", f"{NORM}.proofs.json", "transformer/model.proofs.json"])
def test_nothing_is_kept_where_a_file_changes_while_it_is_checked(built: Built, path: str) -> None:
    built.write(f"{NORM}.proofs.json", "[]\n")
    found = built.survey()
    pinned, _ = sources_of(found, store)
    is_entry = path.endswith(".yml")
    built.write(path, f"{built.read(path)}\n# edited\n" if is_entry else "[]")
    single = check_one(found, pinned, "transformer", accepts, None)
    assert single.checked is not None
    assert keep_grounds(found, pinned, single, built.kept) is None
    assert grounds_key(found, pinned, "transformer", built.kept) is None


def mistakes() -> Iterator[tuple[str, dict[str, str]]]:
    """Names and files of what only shows where collections meet."""
    yield (
        "a circle through two collections",
        {
            "chainer/layer-normalization.yml": f"inherits: {NORM}\n",
            f"{NORM}.yml": "inherits: chainer/layer-normalization\n",
        },
    )
    yield (
        "a circle of others",
        {
            "transformer/encoder/attention-layer-norm.yml": "inherits: tiny/encoder/residual\n",
            "tiny/encoder/residual.yml": "inherits: tiny/input/embedding\n",
            "tiny/input/embedding.yml": "inherits: tiny/encoder/residual\n",
        },
    )
    yield (
        "an entry of another collection that cannot be read",
        {
            "transformer/encoder/attention-layer-norm.yml": "inherits: chainer/layer-normalization\n",
            "chainer/layer-normalization.yml": "title: [\n",
        },
    )
    yield (
        "an entry of another collection that inherits from none",
        {
            "transformer/encoder/attention-layer-norm.yml": "inherits: chainer/layer-normalization\n",
            "chainer/layer-normalization.yml": "inherits: encoder/fn-layer-norm\n",
        },
    )
    yield (
        "an entry that is meant is elsewhere",
        {
            "tiny/encoder/residual.yml": "inherits: ffn-layer-norm\n",
        },
    )
    yield (
        "files and folders that are no collections",
        {
            "stray.yml": "title: [\n",
            "sources/model.yml": "title: x\n",
            "none/entry.yml": "title: 1e-5: 2\n",
            "both/model.yml": "title: x\n",
            "both/library.yml": "titel: x\n",
            "con/model.yml": "title: x\n",
            "tiny/encoder/residual.yml": "inherits: stray\n",
        },
    )


@pytest.mark.parametrize(("_", "files"), [pytest.param(*one, id=one[0]) for one in mistakes()])
def test_one_by_one_gives_the_issues_of_all_together(built: Built, _: str, files: dict[str, str]) -> None:
    for path, text in files.items():
        built.write(path, text)
    together, singly = built.both()
    assert any(issue.severity == "error" for issue in together)
    assert show(singly) == show(together)


def test_a_circle_is_one_issue_wherever_it_is_entered(built: Built) -> None:
    files = dict(mistakes())["a circle of others"]
    for path, text in files.items():
        built.write(path, text)
    together, _ = built.both()
    (issue,) = [issue for issue in together if issue.code == "A111"]
    assert issue.path == "content/tiny/input/embedding.yml"
    assert issue.message.endswith("tiny/encoder/residual → tiny/input/embedding → tiny/encoder/residual")


@pytest.mark.parametrize("kind", ["none", "not a record", "a folder"])
def test_records_are_looked_for_where_the_survey_saw_any(built: Built, kind: str) -> None:
    file = built.root / "content" / f"{NORM}.proofs.json"
    file.unlink(missing_ok=True)
    if kind == "not a record":
        file.write_text("{}", encoding="utf-8")
    elif kind == "a folder":
        file.mkdir()
    together, singly = built.both()
    told = [issue.code for issue in singly if Path(issue.path).stem.startswith("ffn-layer-norm")]
    assert ("A703" in told) == (kind != "none")
    assert show(singly) == show(together)


def test_without_the_folder_of_sources_no_collection_is_made(built: Built) -> None:
    (built.root / "sources").rename(built.root / "elsewhere")
    built.write("tiny/encoder/residual.yml", "title: [\n")
    together, singly = built.both()
    assert show(singly) == show(together)
    assert [issue.path for issue in together] == ["content/tiny/encoder/residual.yml", "mkdocs.yml"]


def test_another_process_finds_the_same(built: Built) -> None:
    built.write(f"{NORM}.yml", built.read(f"{NORM}.yml").replace("title:", "titel:"))
    found = built.survey()
    pinned, _ = sources_of(found, store)
    here = check_one(found, pinned, "transformer", accepts, None)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(check_one, found, pinned, "transformer", accepts, None).result() == here
