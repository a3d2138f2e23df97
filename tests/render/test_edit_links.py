"""Every claim that a page shows leads to its own line of the YAML, on whatever host the repository is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from atlas.entries.load import load
from atlas.render.build import build_site
from atlas.render.edit_links import Edits, line_address
from atlas.render.site import Settings, Site

ROOT = Path(__file__).parents[2]
HOST = "https://github.com/someone/models/edit/main/content/"
SHOWN = "https://github.com/someone/models/blob/main/content/"

Line = tuple[str, int]
"""A file below the content folder, and a line of it."""

SECTIONS = {
    "summary": "summary",
    "formula": "formula",
    "in": "what enters",
    "out": "what leaves",
    "note": "note",
    "training": "note",
    "parameters_note": "note",
    "symbols": "symbol",
    "state": "state",
    "conventions": "conventions",
    "arguments": "arguments",
    "differences": "difference",
    "sources": "source",
}
"""The keys of an entry that a page shows, with the words by which it offers to edit them."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    workspace = tmp_path_factory.mktemp("workspace")
    content, sources = ROOT / "content", ROOT / "sources"
    built = build_site(Settings(ROOT, content, sources, workspace, site_name="Atlas", edit_address=HOST.__add__))
    yield built
    built.close()


@dataclass(frozen=True)
class Shown:
    """A link of a page to a line."""

    what: str
    """What it offers to edit."""
    line: Line
    """Where it leads."""
    named: bool = False
    """Whether it says in which file."""


class Links(HTMLParser):
    """The links to lines of the YAML, each with a name that says nothing else than its address."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[Shown] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("class") != "edit":
            return
        named = re.fullmatch(r"Edit (?:this |these |the )?(.+?)(?: in content/(\S+))?", given["aria-label"] or "")
        assert named is not None, given
        reached = re.fullmatch(re.escape(SHOWN) + r"(\S+)#L(\d+)", given["href"] or "")
        assert reached is not None, given
        assert named[2] in (None, reached[1])
        self.found.append(Shown(named[1], (reached[1], int(reached[2])), named[2] is not None))


def links(site: Site, url: str) -> list[Shown]:
    return Links(next(page for page in site.pages if page.url == url).body()).found


def composed(path: str) -> Mapping[str, tuple[yaml.Node, yaml.Node, str]]:
    """The top-level keys of a file and of those it inherits from, each with its nodes and file, by PyYAML itself."""
    root = yaml.compose((ROOT / "content" / path).read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode)
    own = {key.value: (key, value, path) for key, value in root.value}
    if "inherits" not in own:
        return own
    parent = own["inherits"][1].value
    folders = [path.rpartition("/")[0], path.partition("/")[0], ""]
    found = next(f"{one}/{parent}.yml" for one in folders if (ROOT / "content" / one / f"{parent}.yml").is_file())
    return {**composed(found), **own}


def lines(key: yaml.Node, value: yaml.Node, path: str) -> set[Line]:
    """The lines on which the parts of a value stand: each key of a mapping, each item of a list, or the key itself."""
    if isinstance(value, yaml.MappingNode):
        return {(path, inner.start_mark.line + 1) for inner, _ in value.value}
    if isinstance(value, yaml.SequenceNode):
        return {(path, item.start_mark.line + 1) for item in value.value}
    return {(path, key.start_mark.line + 1)}


ENTRIES = sorted(
    file.relative_to(ROOT / "content").as_posix()
    for file in (ROOT / "content").rglob("*.yml")
    if file.name not in ("model.yml", "library.yml")
)


def test_there_are_entries_that_inherit_and_entries_of_every_collection() -> None:
    assert len(ENTRIES) > 40
    assert any("inherits" in composed(path) for path in ENTRIES)


@pytest.mark.parametrize("path", ENTRIES)
def test_every_claim_of_an_entry_leads_to_its_line(site: Site, path: str) -> None:
    shown = links(site, f"{path.removesuffix('.yml')}/")
    stated = composed(path)
    for key, what in SECTIONS.items():
        expected = lines(*stated[key]) if key in stated else set()
        same_words = {other for other in SECTIONS if SECTIONS[other] == what and other != key}
        others = {line for other in same_words if other in stated for line in lines(*stated[other])}
        assert {one.line for one in shown if one.what == what} - others == expected, key
    if "api" in stated:
        for key, value in stated["api"][1].value:
            if key.value in ("arguments", "attributes", "call_arguments", "warnings", "see_also"):
                assert lines(key, value, stated["api"][2]) <= {one.line for one in shown}, key.value


@pytest.mark.parametrize("path", ENTRIES)
def test_the_line_holds_what_the_link_names(site: Site, path: str) -> None:
    words = {
        "summary": r"summary:",
        "formula": r"formula:",
        "what enters": r"(in:|  ')",
        "what leaves": r"(out:|  ')",
        "note": r"(note|training|parameters_note):",
        "symbol": r"  '?[^:]+'?: *\{axes:",
        "parameters": r"symbols:",
        "difference": r"  - about:",
        "source": r"  - id:",
        "conventions": r"(conventions:|  \w+:)",
        "arguments": r"(arguments:|  \w+:)",
    }
    shown = links(site, f"{path.removesuffix('.yml')}/")
    assert {"summary", "formula", "symbol", "source"} <= {one.what for one in shown}
    for one in shown:
        text = (ROOT / "content" / one.line[0]).read_text(encoding="utf-8").splitlines()[one.line[1] - 1]
        assert re.match(words.get(one.what, r" *\S"), text), (one, text)
        if one.what == "symbol":
            assert text.strip().startswith("'")


COLLECTIONS = ("transformer", "gpt-2", "mixtral", "resnet")


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_claim_of_a_model_leads_to_its_line(site: Site, name: str) -> None:
    stated = composed(f"{name}/model.yml")
    found = {(one.what, one.line) for one in links(site, f"{name}/")}

    def of(what: str) -> set[Line]:
        return {line for said, line in found if said == what}

    path = f"{name}/model.yml"
    assert of("variant") == lines(*stated["variants"])
    assert of("difference") == (lines(*stated["differences"]) if "differences" in stated else set())
    assert of("publication") == {(path, stated["paper"][0].start_mark.line + 1)}
    figures, claims = set(), lines(*stated["sources"]) if "sources" in stated else set()
    for _, variant in stated["variants"][1].value:
        for key, value in variant.value:
            figures |= lines(key, value, path) if key.value == "published" else set()
            claims |= lines(key, value, path) if key.value == "sources" else set()
    assert of("figure") == figures
    assert of("source") == claims
    assert lines(*stated["stacks"]) & of("stack")


def test_nothing_offers_twice_what_the_foot_of_the_page_offers(site: Site) -> None:
    bodies = "".join(page.body() for page in site.pages)
    assert 'class="edit"' in bodies
    assert HOST not in bodies, "without a line it is the source of the page"


def test_without_a_repository_there_are_no_links(whole_site: Site) -> None:
    assert len(whole_site.pages) > 100
    assert not [page.url for page in whole_site.pages if 'class="edit"' in page.body()]


@pytest.mark.parametrize(
    ("edited", "shown"),
    [
        ("https://github.com/a/b/edit/main/docs/x.yml", "https://github.com/a/b/blob/main/docs/x.yml#L7"),
        ("https://github.com/a/b/blob/main/docs/x.yml", "https://github.com/a/b/blob/main/docs/x.yml#L7"),
        ("https://github.com/a/edit/edit/main/edit/x.yml", "https://github.com/a/edit/blob/main/edit/x.yml#L7"),
        ("https://gitlab.com/a/b/-/edit/main/docs/x.yml", "https://gitlab.com/a/b/-/blob/main/docs/x.yml#L7"),
        ("https://gitlab.com/a/g/b/-/edit/main/x.yml", "https://gitlab.com/a/g/b/-/blob/main/x.yml#L7"),
        ("https://gitlab.com/a/b/edit/main/docs/x.yml", "https://gitlab.com/a/b/blob/main/docs/x.yml#L7"),
        ("https://codeberg.org/a/b/_edit/main/x.yml", "https://codeberg.org/a/b/src/branch/main/x.yml#L7"),
        ("https://git.example.org/a/b/src/branch/main/x.yml", "https://git.example.org/a/b/src/branch/main/x.yml#L7"),
        ("https://bitbucket.org/a/b/src/main/x.yml?mode=edit", "https://bitbucket.org/a/b/src/main/x.yml#lines-7"),
        ("https://example.org/files/x.yml", "https://example.org/files/x.yml#L7"),
    ],
)
def test_every_host_has_its_own_form_of_a_line(edited: str, shown: str) -> None:
    assert line_address(edited, 7) == shown


def test_a_key_that_is_not_stated_is_a_mistake_of_the_template() -> None:
    atlas, _ = load(ROOT, ROOT / "content", ROOT / "sources")
    edits = Edits(atlas.collections["transformer"], ROOT, ROOT / "content", HOST.__add__)
    with pytest.raises(KeyError, match=r"transformer/model\.yml states nothing under variants\.tiny"):
        edits("variants", "tiny")


def test_a_line_is_offered_once_in_a_row() -> None:
    atlas, _ = load(ROOT, ROOT / "content", ROOT / "sources")
    entry = next(one for one in atlas.entries if one.id == "transformer/encoder/ffn-layer-norm")
    edits = Edits(entry, ROOT, ROOT / "content", HOST.__add__)
    assert edits.fresh("conventions", "axis") is not None
    assert edits.fresh("conventions", "epsilon") is None, "it stands on the same line"
    assert edits.fresh("in", "w") is not None
