from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from atlas.exceptions import NodeError
from atlas.node.assets import install_assets, woff2_only
from atlas.node.environment import Environment


def test_every_address_in_the_css_is_a_copied_woff2_font(environment: Environment, tmp_path: Path) -> None:
    files = install_assets(environment, tmp_path)
    css = files[0].read_text(encoding="utf-8")
    named = set(re.findall(r"url\((.*?)\)", css))
    assert len(named) == 20
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")} == named | {
        "katex.min.css",
        "katex-LICENSE.txt",
    }
    for name in named:
        assert (tmp_path / name).read_bytes()[:4] == b"wOF2"
    assert set(files) == {path for path in tmp_path.rglob("*") if path.is_file()}
    assert "Permission is hereby granted" in (tmp_path / "katex-LICENSE.txt").read_text(encoding="utf-8")


def test_nothing_but_the_font_lists_changes(environment: Environment) -> None:
    original = (environment.katex_dist / "katex.min.css").read_text(encoding="utf-8")
    outside = re.compile(r"src:[^}]*}")
    assert outside.sub("", woff2_only(original)) == outside.sub("", original)
    assert original.count("@font-face") == woff2_only(original).count('format("woff2")')


def test_a_font_list_keeps_its_woff2() -> None:
    css = '@font-face{src:url(f.woff) format("woff"),url(f.woff2) format("woff2"),url(f.ttf);font-weight:400}a{b:c}'
    assert woff2_only(css) == '@font-face{src:url(f.woff2) format("woff2");font-weight:400}a{b:c}'


def test_a_font_without_woff2_is_an_error() -> None:
    with pytest.raises(NodeError, match="without a woff2"):
        woff2_only("@font-face{src:url(fonts/a.ttf)}")


@pytest.mark.parametrize("address", ["https://elsewhere.example/a.woff2", "../a.woff2", "fonts/../../a.woff2"])
def test_an_address_that_leaves_the_folder_is_an_error(environment: Environment, tmp_path: Path, address: str) -> None:
    (tmp_path / "katex.min.css").write_text(f"@font-face{{src:url({address})}}", encoding="utf-8")
    with pytest.raises(NodeError, match="not one of its fonts"):
        install_assets(replace(environment, katex_dist=tmp_path), tmp_path / "out")


def test_a_missing_font_is_an_error(environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "katex.min.css").write_text("@font-face{src:url(fonts/a.woff2)}", encoding="utf-8")
    with pytest.raises(NodeError, match=r"a\.woff2 is missing"):
        install_assets(replace(environment, katex_dist=tmp_path), tmp_path / "out")
