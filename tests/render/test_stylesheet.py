"""Two stylesheets of several, and scripts without their comments."""

from __future__ import annotations

from pathlib import Path

from atlas.render.site import SiteAsset
from atlas.render.stylesheet import FIRST_URL, URL, diagram_rules, site_scripts, site_stylesheets


def theme(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def text_of(asset: SiteAsset) -> str:
    assert isinstance(asset.content, bytes)
    return asset.content.decode()


def test_what_the_first_screen_needs_is_a_file_of_its_own_and_everything_else_another(tmp_path: Path) -> None:
    own = theme(tmp_path, css__atlas_css=":root { --a: 1 }", css__bbb_css="d{e:f}", css__aaa_css="b { c: d } /* why */")
    first, others = site_stylesheets([own], "r{s:t}", "code{e:f}", "@font-face{src:url(fonts/K.woff2)}")
    assert (first.url, text_of(first)) == (FIRST_URL, ":root{--a:1}\n")
    katex = "@font-face{src:url(../katex/fonts/K.woff2)}"
    assert (others.url, text_of(others)) == (URL, f"b{{c:d}}d{{e:f}}r{{s:t}}code{{e:f}}{katex}\n")


def test_a_file_of_the_same_name_in_an_earlier_theme_takes_the_place(tmp_path: Path) -> None:
    first = theme(tmp_path / "first", css__b_css="new{a:b}", css__c_css="more{a:b}")
    own = theme(tmp_path / "own", css__atlas_css="own{a:b}", css__b_css="old{a:b}")
    assert list(map(text_of, site_stylesheets([first, own], "", "", ""))) == ["own{a:b}\n", "new{a:b}more{a:b}\n"]


def test_what_a_character_set_says_is_left_out(tmp_path: Path) -> None:
    own = theme(tmp_path, css__atlas_css='@charset "utf-8";a{content:"×"}', css__b_css='@charset "utf-8";b{c:d}')
    assert list(map(text_of, site_stylesheets([own], "", "", ""))) == ['a{content:"×"}\n', "b{c:d}\n"]


def test_scripts_keep_their_names_and_meaning(tmp_path: Path) -> None:
    own = theme(tmp_path, js__atlas_js="/* why */\nconst a = `b  /* c */`; // d\n\nf(a);\n")
    (made,) = site_scripts([own])
    assert made.url == "js/atlas.js"
    assert text_of(made) == "const a=`b  /* c */`;f(a);\n"


def test_the_scripts_that_most_pages_need_are_one_file(tmp_path: Path) -> None:
    own = theme(tmp_path, js__symbols_js="g();", js__atlas_js="f();", js__search_js="h();")
    assert {made.url: text_of(made) for made in site_scripts([own])} == {
        "js/atlas.js": "f();\ng();\n",
        "js/search.js": "h();\n",
    }


def test_there_is_a_rule_for_each_node_of_the_largest_diagram() -> None:
    assert diagram_rules(0) == ""
    rules = diagram_rules(12)
    assert rules.count(":has(") == 12
    assert ".about-12{display:block}" in rules
    assert ":has(.node-3:is(:hover,:focus-visible)) .about-3" in rules
