"""Code for which a page has no room: it comes when the reader does, and its link stays where it cannot."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

Opener = Callable[..., Any]

SITE = Path(__file__).resolve().parents[2] / "site"
HEIGHT = "() => document.documentElement.scrollHeight"
PATIENCE = 200
"""How often it is looked whether a request has come, every 50 ms."""


@pytest.fixture(scope="module")
def heavy() -> str:
    """A component whose page has no room for its longest passage."""
    pages = [file for file in SITE.rglob("index.html") if "data-passage=" in file.read_text(encoding="utf-8")]
    assert pages, "every page has room for all its code: then this mechanism can go"
    return f"/{min(pages).parent.relative_to(SITE).as_posix()}/"


def links(page: Page) -> Any:
    return page.locator("a[data-passage]")


def test_code_comes_when_the_reader_comes_near_and_nothing_moves(visit: Opener, heavy: str) -> None:
    page = visit(heavy).page
    waiting = page.evaluate("() => [...document.querySelectorAll('a[data-passage]')].map(e => Number(e.dataset.lines))")
    lines = page.locator("main .code li").count()
    assert waiting
    held: list[Route] = []
    page.route("**/passages/*", lambda route: held.append(route))  # Playwright takes no method of a list
    for number, place in enumerate(page.locator("p.elsewhere").element_handles(), 1):
        place.evaluate("place => place.scrollIntoView()")  # others that are near enough are asked for too
        for _ in range(PATIENCE):
            if len(held) >= number:
                break
            page.wait_for_timeout(50)
    assert len(held) == len(waiting)
    before = page.evaluate(HEIGHT)
    for route in held:
        route.continue_()
    expect(links(page)).to_have_count(0)
    expect(page.locator("main .code li")).to_have_count(lines + sum(waiting))
    assert page.evaluate(HEIGHT) == before, "what stands below the code has moved"
    expect(page.locator("main .code .copy").last).to_be_visible()


def test_a_passage_that_cannot_be_brought_leaves_its_link(visit: Opener, heavy: str) -> None:
    page = visit(heavy).page
    page.route("**/passages/*", lambda route: route.abort())
    link = links(page).first
    with page.expect_event("requestfailed", lambda request: "/passages/" in request.url):
        link.evaluate("link => link.scrollIntoView()")
    expect(link).to_be_visible()
    expect(link.locator("xpath=..")).not_to_have_attribute("style", re.compile("."))


def test_without_scripts_the_link_leads_to_the_lines(visit: Opener, heavy: str) -> None:
    page = visit(heavy, scripts=False).page
    links(page).first.click()
    page.wait_for_url(re.compile(r"/sources/.*#L\d+"))
    expect(page.locator(".row:target, [id]:target").first).to_be_visible()


def test_each_passage_is_published_once_and_all_of_them_are_used() -> None:
    used = set()
    for file in SITE.rglob("index.html"):
        for name in re.findall(r'data-passage="[./]*(passages/\w+\.json)"', file.read_text(encoding="utf-8")):
            used.add(name)
    there = {file.relative_to(SITE).as_posix() for file in (SITE / "passages").glob("*")}
    assert used == there
    assert all(json.loads((SITE / name).read_text(encoding="utf-8")).startswith('<div class="code"') for name in there)


def test_focus_stays_where_a_link_gives_way_to_code(visit: Opener, heavy: str) -> None:
    page = visit(heavy).page
    page.locator("a[data-passage]").last.evaluate("link => link.focus()")
    expect(page.locator("main :focus")).to_have_count(1)
    for link in page.locator("a[data-passage]").element_handles():
        link.evaluate("link => link.scrollIntoView()")
    expect(links(page)).to_have_count(0)
    expect(page.locator("main .code :focus")).to_have_count(1)
