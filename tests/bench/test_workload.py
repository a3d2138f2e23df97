from __future__ import annotations

import re
from pathlib import Path

import pytest

from atlas.entries.load import load
from bench.contenders import CONTENDERS, ROOT
from bench.tools import PEERS
from bench.workload import FLAVOURS, FOLDER, LONG, markdown, pages, write_atlas

CODE = [f"line_{number} = {number}" for number in range(1, 121)]


def test_every_page_has_a_formula_of_its_own_and_an_excerpt_that_is_in_the_file() -> None:
    made = pages(300, len(CODE))
    assert len({page.formula for page in made}) == 300
    assert all(page.lines[0] >= 1 and page.lines[1] <= len(CODE) for page in made)
    assert {page.lines[1] - page.lines[0] + 1 for page in made} == {LONG}
    assert max(page.lines[1] for page in made) == len(CODE)
    assert all(page.lines[0] <= page.short_lines[0] <= page.short_lines[1] <= page.lines[1] for page in made)


def test_a_file_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="38 lines, but the file has 37"):
        pages(1, 37)
    assert pages(1, 38)[0].lines == (1, 38)


@pytest.mark.parametrize("name", FLAVOURS)
def test_a_page_holds_the_same_work_in_every_syntax(name: str) -> None:
    page = pages(3, len(CODE))[2]
    text = markdown(page, CODE, FLAVOURS[name])
    blocks = re.findall(r"```python\n(.*?)\n```", text, re.DOTALL)
    assert [len(block.splitlines()) for block in blocks] == [38, 3, 38]
    assert blocks[0] == blocks[2] == "\n".join(CODE[14:52])
    assert blocks[1] == "\n".join(CODE[16:19])
    assert text.count(page.formula) == 1
    inline = {"dollars": r"(?<!\$)\$([^$\n]+)\$(?!\$)", "hugo": r"\\\((.+?)\\\)", "myst": r"\{math\}`([^`\n]+)`"}
    assert re.findall(inline[name], text) == list(page.inline)
    assert text.count("| Learned ") == 2


def test_the_atlas_of_the_pages_can_be_loaded_and_states_every_page(tmp_path: Path) -> None:
    made = pages(FOLDER + 2, len(CODE))
    write_atlas(tmp_path, made, ROOT / "sources")
    atlas, issues = load(tmp_path, tmp_path / "content", tmp_path / "sources")
    assert [issue.message for issue in issues] == []
    assert sorted(atlas.collections) == ["m0000", "m0001"]
    by_title = {entry.data.title: entry.data for entry in atlas.entries}
    assert {title: data.formula for title, data in by_title.items()} == {page.title: page.formula for page in made}


def test_the_versions_of_peers_are_exact() -> None:
    files = [*PEERS.glob("*/requirements.txt"), *PEERS.glob("*/package.json")]
    assert {file.parent.name for file in files} >= {one.key for one in CONTENDERS} - {"openmodelatlas", "mkdocs"}
    for file in files:
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".txt":
            assert all(re.fullmatch(r"[a-z0-9-]+==\d+(\.\d+)+", line) for line in text.splitlines()), file
        else:
            dependencies = text.partition('"dependencies"')[2]
            assert re.findall(r'": "(.*)"', dependencies)
            assert all(re.fullmatch(r"\d+\.\d+\.\d+", one) for one in re.findall(r'": "(.*)"', dependencies)), file
