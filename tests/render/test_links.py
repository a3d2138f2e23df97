from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from atlas.render.links import LinkCheck, anchor_ids, outward, rewrite, targets

HTML = (
    '<p id="top-of-it">text href="no" <a class="x" href="a/?b=1&amp;c=2#d">a</a> <img alt="&gt;" src="i.png">'
    '<code>&lt;a href=&quot;no&quot;&gt;</code><abbr data-href="no"><a\nhref="e/">e</a><svg><a href="f/"></a></svg>'
    '<use href="#icon"/><h2 data-id="no" id="&quot;q"></h2>'
)


def test_targets_are_those_of_links_and_images_only() -> None:
    assert targets(HTML) == ["a/?b=1&c=2#d", "i.png", "e/", "f/"]


def test_ids_are_those_of_elements() -> None:
    assert anchor_ids(HTML) == {"top-of-it", '"q'}


def test_rewriting_changes_targets_and_nothing_else_and_escapes_them() -> None:
    assert rewrite(HTML, lambda target: target) == HTML
    changed = rewrite(
        '<a href="a">a</a><a href="b">href="a"</a>', lambda target: {"a": '"><script>&', "b": "b"}[target]
    )
    assert changed == '<a href="&quot;&gt;&lt;script&gt;&amp;">a</a><a href="b">href="a"</a>'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for path, text in {
        "index.html": "<p id=home><p id='two'>",
        "a/b/index.html": '<p id="x y">',
        "a/c d/index.html": "",
        "assets/pic.svg": "<svg>",
        "404.html": "",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def file_in(site: Path, path: str) -> Path | None:
    """The file of a site that lies as a whole in a folder."""
    return site / path if (site / path).is_file() else None


def found(site: Path, link: str, root: str = "/") -> list[str]:
    check = LinkCheck(root)
    check.note_links("a.yml", "a/b/", outward("a/b/", f'<i id="own"></i><a href="{link}">x</a>', root))
    return [issue.code for issue in check.issues(partial(file_in, site))]


@pytest.mark.parametrize(
    "link",
    [
        "",
        "#own",
        "#x%20y",
        "../b/#x%20y",
        "../../#home",
        "../../#two",
        "../..",
        "../../index.html",
        "../b",
        "../c%20d/",
        "/",
        "/a/b/",
        "/404.html",
        "../../assets/pic.svg#anything",
        "https://example.org/",
        "//example.org/",
        "data:,x",
    ],
)
def test_links_that_hold(site: Path, link: str) -> None:
    assert found(site, link) == []


@pytest.mark.parametrize(
    ("link", "code"),
    [
        ("../d/", "A904"),
        ("../d/#home", "A904"),
        ("..", "A904"),
        ("/b/", "A904"),
        ("../../assets/pic.png", "A904"),
        ("../../#own", "A905"),
        ("#home", "A905"),
        ("../../../", "A903"),
        ("../../../../a/b/", "A903"),
    ],
)
def test_links_that_do_not(site: Path, link: str, code: str) -> None:
    assert found(site, link) == [code]


def test_a_site_below_a_path_is_reached_by_absolute_links_with_that_path(site: Path) -> None:
    assert found(site, "/atlas/a/b/", root="/atlas") == []
    assert found(site, "/a/b/", root="/atlas/") == ["A903"]


def test_where_the_site_lies_is_not_known_no_absolute_link_holds(site: Path) -> None:
    assert found(site, "/a/b/", root="") == ["A903"]
    assert found(site, "../../a/b/", root="") == []


def test_a_target_that_many_pages_lack_is_one_issue_that_counts_them(site: Path) -> None:
    check = LinkCheck()
    for number in range(3):
        links = outward(f"p{number}/", '<a href="../missing/">x</a><a href="../missing/">again</a>')
        check.note_links(f"{number}.yml", f"p{number}/", links)
    assert [(issue.path, issue.message) for issue in check.issues(partial(file_in, site))] == [
        ("0.yml", "the link '../missing/' leads to no page or file of the site (and 2 more pages)")
    ]


def test_links_that_were_gathered_apart_are_as_those_gathered_together(site: Path) -> None:
    together, apart, later = LinkCheck(), LinkCheck(), LinkCheck()
    for one in (together, apart):
        one.note_links("b.yml", "b/", ["../missing/", "../a/b/#gone"])
    for one in (together, later):
        one.note_links("a.yml", "a/", ["../missing/"])
        one.note_address("c.yml", "../c/", "c/")
    apart.add(later)
    find = partial(file_in, site)
    assert apart.issues(find) == together.issues(find)
    assert [(one.path, one.code, one.message.partition(" (")[2]) for one in together.issues(find)] == [
        ("a.yml", "A904", "and 1 more pages)"),
        ("b.yml", "A905", ""),
        ("c.yml", "A904", ""),
    ]


def test_ids_that_are_known_need_no_look_at_the_page(site: Path) -> None:
    asked = []

    def ids_of(address: str) -> tuple[str, ...]:
        asked.append(address)
        return ("from-afar",)

    check = LinkCheck()
    links = ["../a/b/#from-afar", "../a/b/#gone"]
    check.note_links("b.yml", "b/", links)
    found = check.issues(partial(file_in, site), ids_of)
    assert asked == ["a/b/"]
    assert [one.message for one in found] == [
        "the link '../a/b/#gone' leads to a page without an element with the id 'gone'"
    ]


def test_links_lead_where_a_browser_would_go(tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311 - reproducible examples, not secrets
    for number in range(300):
        url = "".join(f"{chance.choice('abc')}/" for _ in range(chance.randrange(4)))
        up, name = (
            chance.choice(["", "./", "../", "../../"]),
            chance.choice(["", "a/", "b/c.d/", "e%20f/", "~g/h.json"]),
        )
        reached = unquote(urlsplit(urljoin(f"http://host/site/{url}", up + name)).path)
        if not reached.startswith("/site/"):
            continue
        target = tmp_path / str(number) / reached.removeprefix("/site/")
        (target if reached.endswith("/") else target.parent).mkdir(parents=True)
        (target / "index.html" if reached.endswith("/") else target).write_text("<p id='i'>", encoding="utf-8")
        check = LinkCheck("/site/")
        check.note_links("page", url, {f"{up}{name}", f"{up}{name}#i"})
        assert check.issues(partial(file_in, tmp_path / str(number))) == [], (url, up, name)
        check.note_links("page", url, {f"{up}{name}missing"})
        assert [one.code for one in check.issues(partial(file_in, tmp_path / str(number)))] == ["A904"]


def test_links_that_are_right_are_let_go_and_no_others() -> None:
    links = LinkCheck(known={"b/index.html", "a/index.html"})
    links.note_links("a.yml", "a/", ["../b/#here", "../b/#gone", "../c/#here", "../d/", "#own"])
    ids = {"b/": {"here"}, "c/": {"here"}}
    links.settle(lambda url: ids.get(url, ()))
    left = [one.message.partition("'")[2].partition("'")[0] for one in links.issues(lambda path: None)]
    assert sorted(left) == ["#own", "../b/#gone", "../c/#here", "../d/"]
    assert len(links) == 4
    links.know({"d/index.html"})
    links.note_links("e.yml", "e/", ["../d/", "../d/#there"])
    assert len(links) == 5
