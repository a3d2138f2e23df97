"""Folders of YAML → an atlas: which files belong, what they inherit, and what is wrong with their lists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from atlas.entries.atlas import Atlas, Entry
from atlas.entries.collection import Model
from atlas.entries.folders import shown_path
from atlas.entries.load import load
from atlas.issues import Issue

ENTRY = """\
title: Layer
operator: layer_norm
summary: It normalizes.
formula: y = x
symbols:
  'x': {axes: [d]}
  'y': {axes: [d]}
sources:
  - {id: one, claim: It does., source: project, path: a.py, lines: 1-2}
"""
MODEL = """\
title: Model
summary: It is one.
kind: stack
paper: {title: Paper, authors: [A. Author], year: 2020}
complete: false
dimensions: {d: width}
stacks:
  encoder: {title: Encoder, layers: 2, components: [a, b]}
variants:
  base: {title: base, sizes: {d: 8}}
"""
LIBRARY = """\
title: Library
summary: It is one.
kind: framework
source: project
dimensions: {d: width}
layers: [one]
"""
MANIFEST = """\
title: Project
repository: https://git.example/owner/project
revision: 0123456789abcdef0123456789abcdef01234567
license: MIT
license_text: licenses/MIT.txt
copyright: 2020 The authors
files:
  a.py: {blob: 0123456789abcdef0123456789abcdef01234567}
"""

Write = Callable[..., None]


class Project:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("content/model/model.yml", MODEL)
        self.write("content/model/encoder/a.yml", ENTRY)
        self.write("content/model/encoder/b.yml", "inherits: a\ntitle: Other\n")
        self.write("content/library/library.yml", LIBRARY)
        self.write("content/library/one.yml", ENTRY)
        self.write("sources/project.yml", MANIFEST)
        self.write("sources/licenses/MIT.txt", "MIT\n")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert text.count(old) == 1
        self.write(path, text.replace(old, new))

    def load(self) -> tuple[Atlas, list[Issue]]:
        atlas, issues = load(self.root, self.root / "content", self.root / "sources")
        return atlas, sorted(set(issues))

    def found(self) -> list[tuple[str, int, int, str]]:
        return [(issue.path, issue.line, issue.column, issue.code) for issue in self.load()[1]]

    def only(self) -> Issue:
        issues = self.load()[1]
        assert len(issues) == 1, issues
        return issues[0]

    def entry(self, entry_id: str) -> Entry:
        return next(entry for entry in self.load()[0].entries if entry.id == entry_id)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


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


def test_an_heir_has_the_fields_of_the_other_and_its_own(project: Project) -> None:
    heir = project.entry("model/encoder/b")
    assert heir.data.title == "Other"
    assert heir.data.summary == "It normalizes."
    assert heir.place("title").path == "content/model/encoder/b.yml"
    assert heir.place("title").line == 2
    mark = heir.place("sources", 0, "lines")
    assert (mark.path, mark.line) == ("content/model/encoder/a.yml", 9)
    assert heir.issue(("summary",), "A104", "x").path == "content/model/encoder/a.yml"
    assert heir.issue_at_key(("operator",), "A136", "x").line == 2
    assert heir.issue((), "A123", "x").path == "content/model/encoder/b.yml"
    found = heir.issue_in_text(("formula",), (4, 5), "A131", "x")
    assert (found.path, found.line, found.column) == ("content/model/encoder/a.yml", 4, 14)
    assert found.excerpt == "formula: y = x\n             ^"


def test_a_field_of_its_own_replaces_the_inherited_one_as_a_whole(project: Project) -> None:
    project.write("content/model/encoder/b.yml", "inherits: a\nformula: z = x\nsymbols:\n  'z': {axes: [d]}\n")
    heir = project.entry("model/encoder/b")
    assert list(heir.data.symbols) == ["z"]
    assert heir.place("symbols", "z").path == "content/model/encoder/b.yml"
    assert heir.place("symbols", "x").path == "content/model/encoder/b.yml"


def test_a_chain_of_heirs(project: Project) -> None:
    project.replace("content/model/model.yml", "[a, b]", "[a, b, c]")
    project.write("content/model/encoder/c.yml", "inherits: b\nsummary: Third.\n")
    heir = project.entry("model/encoder/c")
    assert (heir.data.title, heir.data.summary, heir.data.operator) == ("Other", "Third.", "layer_norm")
    assert [heir.place(key).path[-5] for key in ("summary", "title", "operator")] == ["c", "b", "a"]
    assert heir.data.inherits == "b"


@pytest.mark.parametrize("parent", ["one", "library/one"])
def test_an_entry_is_named_in_its_folder_in_its_collection_or_from_the_root(project: Project, parent: str) -> None:
    project.replace("content/library/library.yml", "[one]", "[one, two]")
    project.write("content/library/two.yml", f"inherits: {parent}\n")
    project.write("content/model/encoder/b.yml", "inherits: library/one\n")
    assert project.found() == []
    assert project.entry("library/two").place("operator").path == "content/library/one.yml"
    assert project.entry("model/encoder/b").place("operator").path == "content/library/one.yml"


def test_an_heir_in_another_collection_inherits_what_that_one_inherits(project: Project) -> None:
    project.replace("content/library/library.yml", "[one]", "[one, two]")
    project.write("content/library/two.yml", "inherits: model/encoder/b\n")
    assert project.entry("library/two").data.title == "Other"


@pytest.mark.parametrize(
    ("parent", "hint"), [("aa", "did you mean `a`?"), ("encoder/aa", "did you mean `"), ("zzzzzz", ""), ("model", "")]
)
def test_a_parent_that_is_not_there(project: Project, parent: str, hint: str) -> None:
    project.write("content/model/encoder/b.yml", f"title: B\ninherits: {parent}\n")
    issue = project.only()
    assert (issue.path, issue.line, issue.column, issue.code) == ("content/model/encoder/b.yml", 2, 11, "A110")
    assert issue.message == f"there is no entry {parent}"
    assert hint in issue.hint


def test_a_parent_that_is_no_name_is_one_issue(project: Project) -> None:
    project.write("content/model/encoder/b.yml", "inherits: [a]\n")
    assert project.found() == [("content/model/encoder/b.yml", 1, 11, "A103")]


@pytest.mark.parametrize("names", ["a", "ab", "abc"])
def test_a_circle_is_reported_once(project: Project, names: str) -> None:
    project.replace("content/model/model.yml", "[a, b]", "[a, b, c, d]")
    for name in "abcd":
        project.write(f"content/model/encoder/{name}.yml", ENTRY)
    for name, parent in zip(names, names[1:] + names[0], strict=True):
        project.write(f"content/model/encoder/{name}.yml", f"inherits: {parent}\n")
    project.write("content/model/encoder/d.yml", "inherits: a\n")
    issue = project.only()
    assert issue.code == "A111"
    circle = " → ".join(f"model/encoder/{name}" for name in names + names[0])
    assert issue.message == f"entries inherit in a circle: {circle}"
    assert (issue.path, issue.line, issue.column) == (f"content/model/encoder/{names[-1]}.yml", 1, 11)


def test_a_chain_without_end_is_refused(project: Project) -> None:
    project.replace("content/model/model.yml", "[a, b]", f"[a, {', '.join(f'n{n}' for n in range(40))}]")
    (project.root / "content/model/encoder/b.yml").unlink()
    for n in range(40):
        project.write(f"content/model/encoder/n{n}.yml", f"inherits: {f'n{n - 1}' if n else 'a'}\n")
    codes = {issue.code for issue in project.load()[1]}
    assert codes == {"A111"}


def test_a_mistake_in_the_parent_is_reported_once_and_there(project: Project) -> None:
    project.replace("content/model/encoder/a.yml", "summary: It normalizes.\n", "summry: It normalizes.\n")
    assert project.found() == [("content/model/encoder/a.yml", 3, 1, "A101")]
    project.replace("content/model/encoder/a.yml", "summry: It normalizes.\n", "")
    assert project.found() == [("content/model/encoder/a.yml", 1, 1, "A102")]
    project.write("content/model/encoder/a.yml", "title: 'open\n")
    assert project.found() == [("content/model/encoder/a.yml", 1, 8, "A002")]


def test_a_mistake_in_the_heir_is_reported_next_to_one_in_the_parent(project: Project) -> None:
    project.replace("content/model/encoder/a.yml", "summary: It normalizes.\n", "")
    project.write("content/model/encoder/b.yml", "inherits: a\ntitle: 5\n")
    assert project.found() == [
        ("content/model/encoder/a.yml", 1, 1, "A102"),
        ("content/model/encoder/b.yml", 2, 8, "A103"),
    ]


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


@pytest.mark.parametrize("path", ["content/model/encoder/c.yml", "content/model/c.yml", "content/model/x/y/c.yml",
                                  "content/model/encoder/model.yml", "content/library/more/one.yml"])  # fmt: skip
def test_a_file_that_no_list_names_is_not_read_further(project: Project, path: str) -> None:
    project.write(path, "nonsense: true\n")
    assert project.found() == [(path, 0, 0, "A113")]


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


def test_what_an_entry_was_called_is_not_inherited(project: Project) -> None:
    project.write("content/model/encoder/a.yml", f"{ENTRY}formerly: [model/layer]\n")
    project.write("content/model/encoder/b.yml", "inherits: a\n")
    assert project.entry("model/encoder/a").data.formerly == ("model/layer",)
    assert project.entry("model/encoder/b").data.formerly == ()


@pytest.mark.parametrize(
    "old", ["/model/layer", "../layer", "model//layer", "https://example.org/", "a?b", "a#b", "''"]
)
def test_what_an_entry_was_called_is_an_address(project: Project, old: str) -> None:
    project.write("content/model/encoder/a.yml", f"{ENTRY}formerly: [{old}]\n")
    assert (project.only().path, project.only().code) == ("content/model/encoder/a.yml", "A104")
