"""Folders of YAML → an atlas: which files belong, what they inherit, and what is wrong with their lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from atlas.entries.collection import Model
from atlas.entries.folders import shown_path
from atlas.entries.load import load
from tests.entries.small_project import ENTRY, LIBRARY, MANIFEST, Project


def test_a_sound_project_is_loaded_whole(project: Project) -> None:
    atlas, issues = project.load()
    assert issues == []
    assert list(atlas.collections) == ["library", "model"]
    assert [entry.id for entry in atlas.entries] == ["library/one", "model/encoder/a", "model/encoder/b"]
    assert list(atlas.sources) == ["project"]
    assert atlas.unread == frozenset()
    model = atlas.collections["model"]
    assert isinstance(model.data, Model)
    assert model.whole
    first = model.entries[0]
    assert (first.name, first.stack, first.collection, first.path) == (
        "a", "encoder", "model", "content/model/encoder/a.yml",
    )  # fmt: skip
    assert model.stack_of(first) == model.data.stacks["encoder"]
    library = atlas.collections["library"]
    assert library.entries[0].stack is None
    assert library.stack_of(library.entries[0]) is None


def test_loading_does_not_depend_on_the_current_directory(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path.parent)
    relative = Path(tmp_path.name)
    atlas, issues = load(relative, relative / "content", relative / "sources")
    assert issues == []
    assert next(entry.path for entry in atlas.entries) == "content/library/one.yml"


def test_paths_are_shown_relative_to_the_project(tmp_path: Path) -> None:
    assert shown_path(tmp_path / "content" / "a.yml", tmp_path) == "content/a.yml"
    assert shown_path(tmp_path.parent / "a.yml", tmp_path) == "../a.yml"


def test_entries_that_are_not_sound_are_left_out_and_the_collection_says_so(project: Project) -> None:
    project.write("content/model/encoder/b.yml", "inherits: a\ntitle: 5\n")
    model = project.load()[0].collections["model"]
    assert [entry.name for entry in model.entries] == ["a"]
    assert not model.whole


def test_a_doubtful_value_leaves_its_entry_out(project: Project) -> None:
    project.write("content/model/encoder/b.yml", "inherits: a\ntitle: yes\n")
    assert project.found() == [("content/model/encoder/b.yml", 2, 8, "A005")]
    assert [entry.name for entry in project.load()[0].collections["model"].entries] == ["a"]


def test_a_listed_entry_without_a_file(project: Project) -> None:
    (project.root / "content/model/encoder/b.yml").unlink()
    issue = project.only()
    assert (issue.path, issue.line, issue.column, issue.code) == ("content/model/model.yml", 8, 56, "A112")
    assert issue.message == "there is no file model/encoder/b.yml"
    assert issue.hint == "write it with `atlas new component model/encoder/b --operator NAME`, or take it off the list"
    assert not project.load()[0].collections["model"].whole


def test_a_listed_entry_under_another_name_is_one_issue(project: Project) -> None:
    (project.root / "content/model/encoder/b.yml").rename(project.root / "content/model/encoder/bb.yml")
    issue = project.only()
    assert (issue.path, issue.line, issue.code) == ("content/model/model.yml", 8, "A112")
    assert issue.hint == "did you mean `bb`?"


def test_a_listed_entry_in_another_folder_is_one_issue_that_says_where(project: Project) -> None:
    (project.root / "content/model/encoder").rename(project.root / "content/model/encodr")
    issues = project.load()[1]
    assert [(issue.code, issue.hint) for issue in issues] == [
        ("A112", "there is model/encodr/a.yml; move it"),
        ("A112", "there is model/encodr/b.yml; move it"),
    ]


def test_a_layer_without_a_file(project: Project) -> None:
    project.replace("content/library/library.yml", "[one]", "[one, zzz]")
    assert project.found() == [("content/library/library.yml", 6, 15, "A112")]


LISTS = "content/model/model.yml"
UNLISTED = {
    "content/model/encoder/c.yml": (LISTS, 8, 52, "add `c` to `components` of the stack encoder"),
    "content/model/encoder/model.yml": (LISTS, 8, 52, "add `model` to `components` of the stack encoder"),
    "content/model/c.yml": (LISTS, 8, 3, "move it into the folder of a stack, such as encoder, and list it there"),
    "content/model/x/y/c.yml": (LISTS, 8, 3, "move it into the folder of a stack, such as encoder, and list it there"),
    "content/library/two.yml": ("content/library/library.yml", 6, 9, "add `two` to `layers`"),
    "content/library/more/one.yml": (
        "content/library/library.yml",
        6,
        9,
        "move it into the library's own folder, and list it there",
    ),
}


@pytest.mark.parametrize("path", UNLISTED)
def test_a_file_that_no_list_names_is_not_read_further(project: Project, path: str) -> None:
    project.write(path, "nonsense: true\n")
    (issue,) = project.load()[1]
    assert (issue.code, issue.message) == ("A113", f"no list names the entry {path}")
    assert (issue.path, issue.line, issue.column) == UNLISTED[path][:3]
    assert issue.hint == f"{UNLISTED[path][3]}, or delete the file"


def test_an_entry_that_is_listed_twice(project: Project) -> None:
    project.replace("content/model/model.yml", "[a, b]", "[a, b, a]")
    issue = project.only()
    assert (issue.path, issue.line, issue.column, issue.code) == ("content/model/model.yml", 8, 59, "A124")
    assert [entry.name for entry in project.load()[0].collections["model"].entries] == ["a", "b"]


def test_one_component_in_two_stacks_is_two_entries(project: Project) -> None:
    project.replace(
        "content/model/model.yml", "variants:\n", "  decoder: {title: D, layers: 2, components: [a]}\nvariants:\n"
    )
    project.write("content/model/decoder/a.yml", "inherits: encoder/a\n")
    assert project.found() == []
    assert project.entry("model/decoder/a").stack == "decoder"


def test_files_that_belong_nowhere(project: Project) -> None:
    project.write("content/stray.yml", "a: 1\n")
    project.write("content/index.md", "# Prose\n")
    project.write("sources/more/other.yml", MANIFEST)
    assert project.found() == [("content/stray.yml", 0, 0, "A114"), ("sources/more/other.yml", 0, 0, "A114")]


@pytest.mark.parametrize(
    "path", ["content/model/encoder/b", "content/model/model", "content/library/library", "sources/project"]
)
def test_another_suffix_is_one_issue(project: Project, path: str) -> None:
    (project.root / f"{path}.yml").rename(project.root / f"{path}.yaml")
    issue = project.only()
    assert (issue.path, issue.code) == (f"{path}.yaml", "A114")
    assert issue.hint == f"rename it to {Path(path).name}.yml"


def test_a_folder_is_one_collection(project: Project) -> None:
    project.write("content/model/library.yml", LIBRARY)
    project.write("content/other/a.yml", ENTRY)
    found = {issue.path: issue.message for issue in project.load()[1]}
    assert found == {
        "content/model": "the folder holds both a model.yml and a library.yml; a collection has one",
        "content/other": "the folder holds neither a model.yml nor a library.yml; a collection has one",
    }


def test_entries_of_a_broken_collection_are_checked_all_the_same(project: Project) -> None:
    project.replace("content/model/model.yml", "title: Model\n", "title: [\n")
    project.replace("content/model/encoder/a.yml", "title: Layer\n", "title: 5\n")
    assert project.found() == [("content/model/encoder/a.yml", 1, 8, "A103"), ("content/model/model.yml", 1, 8, "A002")]
    assert list(project.load()[0].collections) == ["library"]


@pytest.mark.parametrize("path", ["content/model/encoder/b.yml", "content/model/model.yml", "sources/project.yml"])
def test_a_link_that_leads_out_is_not_followed(project: Project, path: str) -> None:
    outside = project.root / "outside.yml"
    (project.root / path).rename(outside)
    (project.root / path).symlink_to(outside)
    issue = project.only()
    assert (issue.path, issue.line, issue.code) == (path, 0, "A001")
    assert issue.message == "the file is a link that leads out of its folder"


def test_a_link_inside_the_folder_is_followed(project: Project) -> None:
    (project.root / "content/model/encoder/b.yml").unlink()
    (project.root / "content/model/encoder/b.yml").symlink_to(project.root / "content/model/encoder/a.yml")
    assert project.found() == []


def test_links_to_nothing_and_folders_named_like_files_are_no_files(project: Project) -> None:
    (project.root / "content/model/encoder/c.yml").symlink_to(project.root / "nowhere.yml")
    (project.root / "content/model/encoder/d.yml").mkdir()
    (project.root / "content/model/encoder/loop.yml").symlink_to(project.root / "content/model/encoder/loop.yml")
    assert project.found() == []


def test_folders_that_are_not_there(tmp_path: Path) -> None:
    _, issues = load(tmp_path, tmp_path / "content", tmp_path / "sources")
    assert [(issue.path, issue.code) for issue in issues] == [("content", "A001")]
    project = Project(tmp_path)
    (tmp_path / "sources").rename(tmp_path / "sauces")
    atlas, _ = project.load()
    assert project.found() == [("sources", 0, 0, "A001")]
    assert atlas.entries == ()


def test_prose_alone_needs_no_sources(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / "content/index.md").write_text("# Prose\n")
    atlas, issues = load(tmp_path, tmp_path / "content", tmp_path / "sources")
    assert issues == []
    assert atlas.entries == ()


@pytest.mark.parametrize("text", ["licenses/GPL.txt", "licenses", "licenses/../../outside.txt"])
def test_a_licence_needs_its_text_beside_the_manifest(project: Project, text: str) -> None:
    project.write("outside.txt", "text\n")
    project.replace("sources/project.yml", "licenses/MIT.txt", text)
    issue = project.only()
    assert (issue.path, issue.line, issue.column, issue.code) == ("sources/project.yml", 5, 15, "A125")


def test_a_manifest_that_is_not_sound_is_known_by_name(project: Project) -> None:
    project.replace("sources/project.yml", "title: Project\n", "title: 5\n")
    atlas, _ = project.load()
    assert project.found() == [("sources/project.yml", 1, 8, "A103")]
    assert dict(atlas.sources) == {}
    assert atlas.unread == {"project"}


@pytest.mark.parametrize(
    "name", ["Mod", "möd", "a b", "javascript:alert(1);", "index.html", ".hidden", "operators", "css"]
)
def test_a_folder_whose_name_is_no_address_is_no_collection(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "content" / name
    folder.mkdir(parents=True)
    (folder / "model.yml").write_text("title: M\n", encoding="utf-8")
    (tmp_path / "sources").mkdir()
    atlas, issues = load(tmp_path, tmp_path / "content", tmp_path / "sources")
    assert not atlas.collections
    assert [(one.path, one.code) for one in issues] == [(f"content/{name}", "A115")]


@pytest.mark.parametrize(
    "old", ["/model/layer", "../layer", "model//layer", "https://example.org/", "a?b", "a#b", "''"]
)
def test_what_an_entry_was_called_is_an_address(project: Project, old: str) -> None:
    project.write("content/model/encoder/a.yml", f"{ENTRY}formerly: [{old}]\n")
    assert (project.only().path, project.only().code) == ("content/model/encoder/a.yml", "A104")
