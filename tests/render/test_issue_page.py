from __future__ import annotations

from pathlib import Path

from atlas.issues import Issue
from atlas.render.issue_page import issue_page, write_issue_page

HOSTILE = "</pre><script>alert('1')</script>"


def test_every_part_of_an_issue_is_shown_and_escaped() -> None:
    page = issue_page([Issue(HOSTILE, 3, 4, "A101", HOSTILE, HOSTILE, HOSTILE)], HOSTILE)
    assert "<script>" not in page
    assert page.count("&lt;/pre&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;") == 5
    assert "</code>" in page.partition(":3:4")[2]


def test_issues_are_counted_ordered_and_shown_without_the_numbers_they_lack() -> None:
    page = issue_page([Issue("b.yml", 2, 0, "A101", "two"), Issue("a.yml", 0, 0, "A101", "one")])
    assert "2 issues in content" in page
    assert page.index("<code>a.yml</code>") < page.index("<code>b.yml:2</code>")


def test_the_page_replaces_all_that_was_built(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/index.html").write_text("built")
    (tmp_path / "style.css").write_text("built")
    write_issue_page(tmp_path, ["no network", Issue("a.yml", 1, 1, "A101", "one")])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["404.html", "index.html"]
    assert "<pre>no network</pre>" in (tmp_path / "index.html").read_text()
    assert "a.yml:1:1" in (tmp_path / "404.html").read_text()
