"""Where a project's parts are, read from its mkdocs.yml as MkDocs reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.config import load_config

from atlas.exceptions import ProjectError
from atlas.plugin.options import AtlasConfig
from atlas.project import OPTIONS, Project, find_project, misspelt_options, project_in

TAGS = """\
site_name: !ENV [ATLAS_TEST_UNSET, A site]
docs_dir: !ENV [ATLAS_TEST_UNSET, ATLAS_TEST_CONTENT, content]
markdown_extensions:
  - pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji ''}
  - snippets: {base_path: !relative $docs_dir, more: !!python/object/apply:os.abort []}
plugins:
  - search
  - atlas:
      sources: !ENV ATLAS_TEST_SOURCES
      missing_sources: link
"""


def written(folder: Path, text: str, name: str = "mkdocs.yml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder.resolve()


def test_the_nearest_file_above_is_found(tmp_path: Path) -> None:
    root = written(tmp_path, "site_name: outer")
    inner = written(tmp_path / "a/b", "docs_dir: content", "mkdocs.yaml")
    (inner / "c/d").mkdir(parents=True)
    assert find_project(inner / "c/d").root == find_project(inner).root == inner
    assert find_project(inner.parent).root == root
    assert project_in(root).config == root / "mkdocs.yml"


def test_without_a_file_there_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match=r"^there is no mkdocs.yml in .* or any folder above it$"):
        find_project(tmp_path)
    written(tmp_path, "site_name: above")
    (tmp_path / "below").mkdir()
    with pytest.raises(ProjectError, match=r"^there is no mkdocs.yml in .*below$"):
        project_in(tmp_path / "below")


@pytest.mark.parametrize("text", ["", "site_name: x", "plugins: [search, atlas]", "plugins: [{atlas: }]", "plugins: "])
def test_what_is_left_out_is_what_mkdocs_takes(tmp_path: Path, text: str) -> None:
    root = written(tmp_path, text)
    expected = Project(root / "mkdocs.yml", root, root / "docs", root / "sources", "fail", "atlas" in text)
    assert project_in(tmp_path) == expected


@pytest.mark.parametrize(
    "plugins",
    [
        "[search, {atlas: {sources: ../pins, missing_sources: link}}]",
        "{search: {}, atlas: {sources: ../pins, missing_sources: link}}",
    ],
)
def test_the_plugin_s_options_are_read(tmp_path: Path, plugins: str) -> None:
    root = written(tmp_path / "site", f"docs_dir: ./content/\nplugins: {plugins}")
    found = project_in(root)
    assert (found.content, found.sources) == (root / "content", root.parent / "pins")
    assert found.missing_sources == "link"
    assert found.has_plugin


def test_tags_are_no_obstacle_and_run_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = written(tmp_path, TAGS)
    monkeypatch.setenv("ATLAS_TEST_SOURCES", "pins")
    monkeypatch.setenv("ATLAS_TEST_CONTENT", "entries")
    found = project_in(root)
    assert (found.content, found.sources) == (root / "entries", root / "pins")
    monkeypatch.delenv("ATLAS_TEST_CONTENT")
    assert project_in(root).content == root / "content"
    monkeypatch.delenv("ATLAS_TEST_SOURCES")
    with pytest.raises(ProjectError, match=r"mkdocs.yml: `sources` is None, not the path of a folder$"):
        project_in(root)


@pytest.mark.parametrize(
    ("base", "own"),
    [
        ("docs_dir: a\nplugins: {atlas: {sources: b, missing_sources: link}}", "plugins: {atlas: {sources: c}}"),
        ("docs_dir: a\nplugins: [{atlas: {sources: b}}]", "docs_dir: d\nplugins: []"),
        ("docs_dir: a\nplugins: []", "site_name: x"),
    ],
)
def test_inherited_settings_are_those_that_mkdocs_has(tmp_path: Path, base: str, own: str) -> None:
    written(tmp_path, f"site_name: base\n{base}", "base.yml")
    for name in "abcd":
        (tmp_path / "site" / name).mkdir(parents=True)
    (tmp_path / "site/sources").mkdir()
    (tmp_path / "site/docs").mkdir()
    root = written(tmp_path / "site", f"INHERIT: ../base.yml\n{own}")
    theirs = load_config(str(root / "mkdocs.yml"))
    found = project_in(root)
    assert str(found.content) == theirs.docs_dir
    plugin = theirs.plugins.get("atlas")
    assert str(found.sources) == (plugin.config.sources if plugin else str(root / "sources"))
    assert found.missing_sources == (plugin.config.missing_sources if plugin else "fail")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("docs_dir: [a]", r"`docs_dir` is \['a'\], not the path of a folder"),
        ("plugins: [{atlas: 3}]", "the options of the plugin atlas are 3, not a mapping"),
        ("plugins: [{atlas: {missing_sources: warn}}]", "`missing_sources` is 'warn', not one of fail, link"),
        ("- a", "holds no settings by name"),
        ("a: [", r"mkdocs.yml cannot be read: while parsing .* line 1, column [45]"),
        ("INHERIT: other.yml", r"other.yml cannot be read: \[Errno 2\]"),
        ("INHERIT: mkdocs.yml", "inherits from itself"),
        ("[" * 5000, "cannot be read"),
    ],
)
def test_a_file_that_says_nothing_sensible_is_told(tmp_path: Path, text: str, message: str) -> None:
    written(tmp_path, text)
    with pytest.raises(ProjectError, match=message) as caught:
        project_in(tmp_path)
    assert "\n" not in str(caught.value)


def test_the_options_of_the_plugin_are_those_that_it_reads() -> None:
    assert {*OPTIONS} == {*AtlasConfig()} | {"enabled"}


def test_a_misspelt_option_is_told_where_it_stands_also_in_an_inherited_file(tmp_path: Path) -> None:
    written(tmp_path, "plugins:\n  atlas:\n    redirect: {}\n", "base.yml")
    root = written(tmp_path, "INHERIT: base.yml\nplugins:\n  atlas:\n    sources: !ENV [X, a]\n    zzz: 1\n")
    found = [(one.path, one.line, one.column, one.code, one.hint) for one in misspelt_options(project_in(root))]
    assert found[0] == ("mkdocs.yml", 5, 5, "A101", f"there is {', '.join(f'`{one}`' for one in OPTIONS)}")
    assert found[1:] == [("base.yml", 3, 5, "A101", "did you mean `redirects`?")]
