"""Every page of the built site as text: valid HTML, no dead link or anchor, pictures told in words, names of its own.

These tests open no browser: they read all files, also those that the other tests of this folder never visit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from atlas.render.policy import POLICY

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
LOADS = {"img": "src", "script": "src", "source": "src", "iframe": "src", "embed": "src", "object": "data"}
TEXTLESS = frozenset(("img", "svg", "canvas", "object", "video", "area"))
VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))


class Document(HTMLParser):
    """One page: its ids, links, pictures, metadata, and what a policy would refuse."""

    def __init__(self, url: str, html: str) -> None:
        super().__init__()
        self.url = url
        self.html = html
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.wordless: list[str] = []
        self.meta: dict[str, list[str]] = {}
        self.canonical: list[str] = []
        self.title = ""
        self.inline: list[str] = []
        self.styled: list[str] = []
        self._open: list[tuple[str, bool, bool]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        hidden = given.get("aria-hidden") == "true" or any(one[1] for one in self._open)
        drawn = "katex" in given.get("class", "").split() or any(one[2] for one in self._open)
        if "id" in given:
            self.ids[given["id"]] += 1
        self.note_links(tag, given)
        if not hidden and not drawn and is_wordless(tag, given):
            self.wordless.append(f"<{tag} {given}>")
        if tag == "meta":
            self.meta.setdefault(given.get("property") or given.get("name", ""), []).append(given.get("content", ""))
        if tag == "link" and given.get("rel") == "canonical":
            self.canonical.append(given["href"])
        if (tag == "script" and not given.get("src")) or tag == "style":
            self.inline.append(tag)
        self.inline += [f"{tag} {name}" for name in given if name.startswith("on")]
        if "style" in given and not drawn:
            self.styled.append(f"<{tag} {given}>")
        if tag not in VOID:
            self._open.append((tag, hidden, drawn))

    def note_links(self, tag: str, given: dict[str, str]) -> None:
        """Note what the element leads to, loads, or gives to a script that loads it."""
        for name in ("href", LOADS.get(tag, "src"), "poster", "action", "xlink:href"):
            if name in given and given[name] not in ("", "#"):
                self.links.append(given[name])
        self.links += [given[name] for name in ("data-search", "data-calculator", "data-url") if name in given]
        self.links += [one.split()[0] for one in given.get("srcset", "").split(",") if one.strip()]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][0] == "title" and not any(one[0] == "svg" for one in self._open):
            self.title += data


def is_wordless(tag: str, given: dict[str, str]) -> bool:
    """Whether an element is a picture that says nothing to those who do not see it."""
    if tag in ("img", "area"):
        return "alt" not in given
    return tag in TEXTLESS and not (given.get("aria-label", "").strip() or given.get("aria-labelledby", "").strip())


@dataclass(frozen=True)
class Whole:
    """All pages, and all files by their path below the site."""

    pages: dict[str, Document] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    base: str = "/"


@pytest.fixture(scope="module")
def site() -> Whole:
    if not (SITE / "index.html").is_file():
        pytest.fail("there is no built site: run `make site` first", pytrace=False)
    configured = re.search(r"^site_url:\s*(\S+)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert configured is not None
    files = {file.relative_to(SITE).as_posix() for file in SITE.rglob("*") if file.is_file()}
    pages = {name: Document(configured[1] + name, read(name)) for name in files if name.endswith(".html")}
    assert len(pages) > 100
    return Whole(pages, files, configured[1])


def read(name: str) -> str:
    return (SITE / name).read_text(encoding="utf-8")


def test_every_page_is_valid_html(validated: dict[str, Any], site: Whole) -> None:
    assert set(validated["pages"]) == set(site.pages)
    assert validated["found"] == []


def dead(site: Whole, page: Document) -> Iterator[str]:
    for link in page.links:
        reached = urlsplit(urljoin(page.url, link))
        if reached.scheme not in ("http", "https"):
            yield f"{link}: {reached.scheme}"
            continue
        address = f"{reached.scheme}://{reached.netloc}{unquote(reached.path)}"
        if not address.startswith(site.base):
            if reached.netloc == urlsplit(site.base).netloc:
                yield f"{link}: out of the site"
            continue
        path = address.removeprefix(site.base)
        file = f"{path}index.html" if path.endswith("/") or not path else path
        if file not in site.files:
            yield f"{link}: no file {file}"
        elif reached.fragment and file in site.pages and unquote(reached.fragment) not in site.pages[file].ids:
            yield f"{link}: no element {reached.fragment}"


def test_no_link_picture_or_script_of_any_page_leads_to_nothing(site: Whole) -> None:
    assert sum(len(page.links) for page in site.pages.values()) > 10_000
    assert {name: found for name, page in site.pages.items() if (found := list(dead(site, page)))} == {}


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("nothing/", "no file nothing/index.html"),
        ("css/nothing.css", "no file css/nothing.css"),
        ("glossary/#nothing", "no element nothing"),
        ("../elsewhere/", "out of the site"),
        ("javascript:alert(1)", "javascript"),
    ],
)
def test_a_dead_link_would_be_seen(site: Whole, link: str, problem: str) -> None:
    page = Document(site.base, f'<p><a href="{link}">x</a></p>')
    assert list(dead(site, page)) == [f"{link}: {problem}"]


def test_no_id_stands_twice_in_a_page(site: Whole) -> None:
    twice = {name: [one for one, count in page.ids.items() if count > 1] for name, page in site.pages.items()}
    assert {name: ids for name, ids in twice.items() if ids} == {}


def test_every_picture_is_told_in_words(site: Whole) -> None:
    assert {name: page.wordless for name, page in site.pages.items() if page.wordless} == {}
    assert len(Document("", "<svg></svg><img><svg aria-hidden='true'><svg></svg></svg><img alt=''>").wordless) == 2


def test_every_page_has_a_title_and_a_description_of_its_own(site: Whole) -> None:
    for values in (
        {name: page.title.strip() for name, page in site.pages.items()},
        {name: " ".join(page.meta["description"]).strip() for name, page in site.pages.items()},
    ):
        assert [name for name, value in values.items() if not value] == []
        shared = {value for value, count in Counter(values.values()).items() if count > 1}
        assert [name for name, value in values.items() if value in shared] == []
        # Neither tags nor Markdown nor TeX: whoever shows them shows them as they are.
        marked = re.compile(r"<\w|</|\*\*|`|\]\(|\\[a-z]+\{|&\w+;")
        assert [name for name, value in values.items() if marked.search(value)] == []


def test_every_page_says_what_stands_for_it_where_it_is_shared(site: Whole) -> None:
    for name, page in site.pages.items():
        if name == "404.html":
            assert page.canonical == [], "an address that is not there has none that it should have"
            continue
        address = site.base + name.removesuffix("index.html")
        assert page.canonical == [address]
        assert page.meta["og:url"] == [address]
        assert page.meta["og:title"] == [page.title]
        assert page.meta["og:description"] == page.meta["description"]
        assert page.meta["og:site_name"] == ["OpenModelAtlas"]
        assert page.meta["og:type"] == ["website" if name == "index.html" else "article"]
        assert page.meta["og:locale"] == ["en"]
        assert page.meta["og:image"] == [f"{site.base}img/card.png"]
        assert page.meta["twitter:card"] == ["summary"]


def test_the_picture_that_is_shared_is_one_that_networks_show() -> None:
    picture = (SITE / "img" / "card.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == (1200, 630)
    assert len(picture) < 100_000


def test_every_page_states_the_policy_and_holds_nothing_that_it_forbids(site: Whole) -> None:
    for name, page in site.pages.items():
        stated = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page.html)
        assert [one.replace("&#39;", "'") for one in stated] == [POLICY], name
        assert page.html.index("Content-Security-Policy") < page.html.index("<link"), "it holds for what follows it"
        assert page.inline == [], name
        assert page.styled == [], f"{name}: style attributes are KaTeX’s alone"


def test_no_script_of_the_site_makes_code_out_of_text(site: Whole) -> None:
    scripts = sorted(name for name in site.files if name.endswith((".js", ".mjs")))
    assert scripts
    for name in scripts:
        found = re.search(r"\beval\(|new Function|setTimeout\(['\"`]|WebAssembly|import\(['\"`]https?:", read(name))
        assert found is None, (name, found)
