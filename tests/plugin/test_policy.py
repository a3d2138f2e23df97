"""What the pages' policy keeps from loading is said when the site is built, and the policy is documented as it is."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from atlas.render.policy import HEADERS, POLICY

ROOT = Path(__file__).parents[2]
CDN = "https://cdn.example.org"

Build = Callable[..., Path]


@pytest.fixture
def built(tmp_path: Path) -> Build:
    """Build a site of prose alone with these settings, and give its folder."""

    def make(
        text: str = "# Hello\n\nA first paragraph with `code`.\n", *, strict: bool = False, **options: object
    ) -> Path:
        (tmp_path / "content").mkdir(exist_ok=True)
        (tmp_path / "sources").mkdir(exist_ok=True)
        (tmp_path / "content" / "index.md").write_text(text, encoding="utf-8")
        (tmp_path / "content" / "own.css").write_text("p {}", encoding="utf-8")
        settings = {
            "site_name": "Notes",
            "site_url": "https://notes.example.org/",
            "docs_dir": "content",
            "theme": "openmodelatlas",
            "plugins": ["atlas"],
        }
        (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(settings | options), encoding="utf-8")
        config = load_config(config_file=str(tmp_path / "mkdocs.yml"), strict=strict)
        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()
        return tmp_path / "site"

    return make


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "A911" in record.getMessage()]


def test_style_sheets_and_scripts_of_other_sites_are_told(built: Build, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        built(
            extra_css=[f"{CDN}/a.css", "own.css", "https://notes.example.org/own.css"],
            extra_javascript=["//cdn.example.org/b.js", {"path": f"{CDN}/c.mjs", "type": "module"}],
        )
    told = warnings(caplog)
    assert len(told) == 3, told
    for one, named in zip(
        sorted(told), (f"extra_css: {CDN}/a.css", "extra_javascript: //cdn", f"{CDN}/c.mjs"), strict=True
    ):
        assert one.startswith("mkdocs.yml: A911 ")
        assert named in one
        assert "put a copy of it into docs_dir" in one


def test_a_strict_build_does_not_accept_what_browsers_leave_out(built: Build) -> None:
    with pytest.raises(Abort):
        built(strict=True, extra_css=[f"{CDN}/a.css"])
    built(strict=True, extra_css=["own.css"])


def test_pictures_of_other_sites_in_prose_are_links(built: Build, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        site = built(f"# Hello\n\n![a dot]({CDN}/dot.png)\n")
    page = (site / "index.html").read_text(encoding="utf-8")
    assert f'href="{CDN}/dot.png"' in page
    assert f'src="{CDN}' not in page
    assert warnings(caplog) == []


def test_other_themes_load_what_they_like(built: Build, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        site = built(theme="mkdocs", extra_css=[f"{CDN}/a.css"])
    assert f'href="{CDN}/a.css"' in (site / "index.html").read_text(encoding="utf-8")
    assert warnings(caplog) == []


def test_pages_state_the_policy_and_describe_themselves(built: Build) -> None:
    page = (built() / "index.html").read_text(encoding="utf-8")
    assert f'content="{POLICY}"' in page.replace("&#39;", "'")
    assert '<meta name="description" content="A first paragraph with code.">' in page
    assert '<meta property="og:description" content="A first paragraph with code.">' in page
    assert '<meta property="og:image" content="https://notes.example.org/img/card.png">' in page


def test_a_description_of_ones_own_is_kept(built: Build) -> None:
    page = (built('---\ndescription: "Mine & <yours>"\n---\n# Hello\n\nText.\n') / "index.html").read_text(
        encoding="utf-8"
    )
    assert '<meta name="description" content="Mine &amp; &lt;yours&gt;">' in page


def test_without_an_address_a_page_says_nothing_of_sharing(built: Build) -> None:
    page = (built(site_url="") / "index.html").read_text(encoding="utf-8")
    assert "og:" not in page
    assert "canonical" not in page


@pytest.mark.parametrize("file", ["README.md", "content/contribute/deploying.md"])
def test_the_documented_headers_are_those_of_the_code(file: str) -> None:
    lines = {line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()}
    assert {f"{name}: {value}" for name, value in HEADERS} <= lines


def test_the_example_of_a_host_sends_all_of_them() -> None:
    text = (ROOT / "content" / "contribute" / "deploying.md").read_text(encoding="utf-8")
    sent = dict(re.findall(r'add_header (\S+) "?([^"\n]+?)"? always;', text))
    assert {name: sent[name] for name, _ in HEADERS} == dict(HEADERS)


def test_the_code_states_a_policy() -> None:
    assert dict(HEADERS)["Content-Security-Policy"].startswith(POLICY)


def test_the_policy_admits_one_thing_inline_and_no_code_from_text() -> None:
    assert [one for one in POLICY.split("; ") if "unsafe" in one] == ["style-src-attr 'unsafe-inline'"]
    assert "http" not in POLICY
    assert "*" not in POLICY


def test_markup_that_is_not_understood_is_told_and_fails_a_strict_build(
    built: Build, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        built("---\ntitle: x\n---\n\n# Hello\n\nH<sub>2</sub>O\n")
    [told] = [record.getMessage() for record in caplog.records if "A912" in record.getMessage()]
    assert told.startswith("content/index.md:7:2: A912 `<sub>` is raw HTML")
    for _ in range(2):  # what was told before is told again
        with pytest.raises(Abort):
            built("---\ntitle: x\n---\n\n# Hello\n\nH<sub>2</sub>O\n", strict=True)
