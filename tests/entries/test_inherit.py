"""Entries that inherit from others: what they get, and what is wrong with whom they name."""

from __future__ import annotations

import pytest

from tests.entries.small_project import ENTRY, Project


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


def test_what_an_entry_was_called_is_not_inherited(project: Project) -> None:
    project.write("content/model/encoder/a.yml", f"{ENTRY}formerly: [model/layer]\n")
    project.write("content/model/encoder/b.yml", "inherits: a\n")
    assert project.entry("model/encoder/a").data.formerly == ("model/layer",)
    assert project.entry("model/encoder/b").data.formerly == ()
