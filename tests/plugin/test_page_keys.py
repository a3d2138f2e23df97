"""What a page follows from: its key, and what templates look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import Environment, FileSystemLoader, meta, nodes
from mkdocs.config import load_config
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import get_navigation

from atlas.kept import compressed
from atlas.plugin.fingerprint import theme_folder
from atlas.plugin.navigation import Menus
from atlas.plugin.pages import EntityPage
from atlas.plugin.present import Present
from atlas.plugin.reuse import PAGE, Reuse, is_own
from atlas.render.site import Alternate, Heading, PageStore, SitePage

SETTINGS: dict[str, Any] = {
    "site_name": "Atlas",
    "site_url": "https://example.org/atlas/",
    "docs_dir": "content",
    "theme": {"name": "openmodelatlas"},
    "plugins": [],
}


@pytest.fixture
def keys(tmp_path: Path) -> Callable[..., bytes | None]:
    """The key of a page as it is, or changed."""
    (tmp_path / "content").mkdir()
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(SETTINGS), encoding="utf-8")
    store = PageStore(tmp_path / "bodies")

    def key(general: bytes = b"general", others: tuple[str, ...] = (), body: str = "<p>", **changes: Any) -> Any:
        config = load_config(str(tmp_path / "mkdocs.yml"), edit_uri="https://example.org/edit/")
        given: dict[str, Any] = {
            "url": "a/",
            "title": "A",
            "kind": "component",
            "description": "What it is.",
            "headings": partial(tuple, (Heading(2, "x", "X", "<i>x</i>"),)),
            "edit_path": "a.yml",
            "nav": (),
            "body": store.keep_data(compressed(body.encode())),
            "context": {"document_title": "A", "structure": store.keep_data(compressed(b"column"))},
            "alternates": (Alternate("application/json", "JSON", "a.json"),),
        }
        page = SitePage(**given | changes)
        files = Files([])
        for name in ("a.md", *others):
            file = File(name, None, config.site_dir, use_directory_urls=True, inclusion=InclusionLevel.INCLUDED)
            file.edit_uri = page.edit_path
            EntityPage([page if name == "a.md" else replace(page, title=name)], 0, file, config)
            files.append(file)
        made = next(iter(files)).page
        assert isinstance(made, EntityPage)
        menus = Menus(get_navigation(files, config))
        return Reuse(general, Present(), tmp_path).key_of_page(made, menus)

    key.store = store  # type: ignore[attr-defined]
    return key


def test_the_key_of_a_page_follows_from_all_that_its_template_is_given(keys: Any) -> None:
    store = keys.store
    made = [
        keys(),
        keys(general=b"other"),
        keys(others=("b.md",)),
        keys(others=("c.md",)),
        keys(body="<p>other"),
        keys(title="B"),
        keys(kind="model"),
        keys(description="What it was."),
        keys(edit_path="b.yml"),
        keys(edit_path=None),
        keys(alternates=()),
        keys(alternates=(Alternate("application/json", "JSON", "b.json"),)),
        *(
            keys(headings=partial(tuple, (heading,)))
            for heading in (
                Heading(3, "x", "X", "<i>x</i>"),
                Heading(2, "y", "X", "<i>x</i>"),
                Heading(2, "x", "Y", "<i>x</i>"),
                Heading(2, "x", "X", "<i>y</i>"),
            )
        ),
        keys(context={"document_title": "B", "structure": store.keep_data(compressed(b"column"))}),
        keys(context={"document_title": "A", "structure": store.keep_data(compressed(b"another"))}),
        keys(context={"document_title": "A", "structure": None}),
        keys(digest=b"a"),
        keys(digest=b"b"),
    ]
    assert len(set(made)) == len(made)
    assert None not in made
    assert keys() == made[0]


def test_a_page_whose_texts_are_not_known_has_no_key_unless_it_says_what_they_follow_from(keys: Any) -> None:
    assert keys(body="x", context={"document_title": "A", "structure": lambda: "column"}) is None
    assert keys(context={"items": [1]}) is None
    one = keys(context={"document_title": "A", "structure": lambda: "column"}, digest=b"a")
    assert one is not None
    assert one == keys(context={"document_title": "A", "structure": lambda: "other"}, digest=b"a")


def _looked_at(template: str) -> set[str]:
    """Everything that a template looks at in what it is given, in dotted names, with all that it takes in."""
    environment = Environment(loader=FileSystemLoader(theme_folder()), autoescape=True)
    found: set[str] = set()
    waiting, seen = [template], {""}
    while waiting:
        name = waiting.pop()
        seen.add(name)
        assert environment.loader is not None
        tree = environment.parse(environment.loader.get_source(environment, name)[0])
        waiting += [str(one) for one in meta.find_referenced_templates(tree) if str(one) not in seen]
        inner = {id(node.node) for node in tree.find_all(nodes.Getattr)}
        for node in tree.find_all((nodes.Name, nodes.Getattr)):
            if id(node) not in inner and (dotted := _dotted(node)):
                found.add(dotted)
    return found


def _dotted(node: nodes.Node) -> str:
    if isinstance(node, nodes.Getattr):
        return f"{_dotted(node.node)}.{node.attr}"
    return node.name if isinstance(node, nodes.Name) and node.ctx == "load" else ""


def test_the_templates_of_pages_look_at_nothing_that_a_key_does_not_follow_from() -> None:
    given = ("page", "nav", "atlas", "menu", "pages", "base_url", "build_date_utc", "config", "mkdocs_version")
    looked = {one for one in _looked_at(PAGE) if one.partition(".")[0] in given}
    assert {one for one in looked if not one.startswith("config.")} == {
        "page",
        "page.canonical_url",
        "page.content",
        "page.edit_url",
        "page.is_homepage",
        "page.meta",
        "page.meta.description",
        "page.title",
        "page.toc",
        "nav",
        "nav.homepage",
        "nav.homepage.url",
        "atlas",
        "atlas.context.document_title",
        "atlas.context.structure",
        "atlas.description",
        "atlas.fonts",  # they follow from the body
        "atlas.kind",
        "atlas.url",
        "menu",
        "menu.items",
    }


def test_a_template_is_our_own_only_with_all_that_it_takes_in(tmp_path: Path) -> None:
    def environment(*folders: Path) -> Environment:
        return Environment(loader=FileSystemLoader([*folders, Path(theme_folder())]), autoescape=True)

    assert is_own(environment(), theme_folder())
    for name in ("main.html", "base.html", "nav.html"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text("<p>", encoding="utf-8")
        assert not is_own(environment(tmp_path / name), theme_folder())
    assert not is_own(Environment(loader=FileSystemLoader(tmp_path), autoescape=True), theme_folder())
    assert not is_own(Environment(autoescape=True), theme_folder())
