"""Dead links of pages are told where their texts are stated, also where these are inherited; else by their pages."""

from __future__ import annotations

from typing import Any

import pytest

from atlas.links.told import Names
from atlas.plugin.dead_links import Authors, told_where_written
from atlas.render.links import DeadLink

STATED = "transformer/encoder/ffn-layer-norm"
HEIR = "transformer/encoder/attention-layer-norm"


def dead_on(page: str, code: str = "A905") -> DeadLink:
    return DeadLink(code, page, "own" if code == "A905" else "", "label.yml", "#own", 2)


@pytest.mark.parametrize("pages", [[STATED], [HEIR], [STATED, HEIR], [f"{HEIR}/index.md"]])
def test_a_link_in_an_inherited_text_is_told_once_where_it_is_stated(real_project: Any, pages: list[str]) -> None:
    file = f"content/{STATED}.yml"
    real_project.edit(file, "Post-norm: the sum", "As [ever](#own), post-norm: the sum")
    content = real_project.root / "content"
    authors = Authors(real_project.root, content, real_project.root / "sources", [f"{STATED}.yml", f"{HEIR}.yml"])
    dead = [dead_on(page if page.endswith(".md") else f"{page}/") for page in pages]
    [issue] = told_where_written(dead, authors, "/", lambda: Names([], []), lambda address: ["owl"], has_folders=True)
    assert (issue.path, issue.line, issue.code) == (file, real_project.line(file, "As [ever]"), "A905")
    assert issue.hint == "did you mean `#owl`?"


def test_what_no_author_wrote_is_told_by_the_pages_that_have_it(real_project: Any) -> None:
    content = real_project.root / "content"
    authors = Authors(real_project.root, content, real_project.root / "sources", [f"{STATED}.yml", f"{HEIR}.yml"])
    dead = [dead_on("nothing/", "A904"), dead_on(f"{STATED}/")]
    told = told_where_written(dead, authors, "/", lambda: Names([], []), lambda address: (), has_folders=True)
    assert [(one.path, one.code) for one in told] == [("label.yml", "A904"), ("label.yml", "A905")]
    assert told[0].message == "the link '#own' leads to no page or file of the site (and 1 more pages)"
