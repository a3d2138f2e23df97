"""Entries of someone who means harm: what is legal text stays text, what is not is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from atlas.checks.checked import Checked
from atlas.checks.run import Outcome
from atlas.issues import show

Check = Callable[[Path], Outcome]

HOSTILE = Path(__file__).resolve().parent / "hostile"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    root = tmp_path / "hostile"
    shutil.copytree(HOSTILE, root)
    return root


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*texts(key), *texts(inner))
    elif isinstance(value, tuple):
        for inner in value:
            yield from texts(inner)


def sound(outcome: Outcome) -> Checked:
    assert outcome.checked is not None
    return outcome.checked


def test_markup_is_legal_text_and_stays_as_it_was_written(check: Check) -> None:
    outcome = check(HOSTILE)
    assert show(outcome.issues) == ""
    checked = sound(outcome)
    assert [one.entry.id for one in checked.entries] == ["library/layer", "model/encoder/norm"]
    records = [
        *(one.entry.data for one in checked.entries),
        *(one.collection.data for one in checked.collections.values()),
        *(source.data for source in checked.atlas.sources.values()),
    ]
    found = {text for record in records for text in texts(record.model_dump(by_alias=True))}
    for payload in (
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[link](javascript:alert(1))",
        '" onmouseover="alert(1)" x=\'',
        "{{ 7 * 7 }}{% raw %}${x}",
        "</title></script><svg onload=alert(1)>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "<!-- --><![CDATA[x]]>",
    ):
        assert any(payload in text for text in found), payload


def test_every_text_that_pages_show_is_hostile(check: Check) -> None:
    """So that a page which forgets to escape one field shows it."""
    signs = ("<", "javascript:", "{{", "onmouseover", "&lt;")
    fixed = {
        "title",
        "summary",
        "note",
        "parameters_note",
        "formula_not_executed",
        "training",
        "kind",
        "copyright",
        "license",
        "release",
    }
    for one in sound(check(HOSTILE)).entries:
        data = one.entry.data
        shown = [getattr(data, name) for name in fixed & data.model_fields_set]
        shown += [
            text for symbol in data.symbols.values() for text in (symbol.parameter, symbol.tensor, symbol.meaning)
        ]
        shown += [claim.claim for claim in data.sources]
        if data.api is not None:
            for values in (data.api.arguments, data.api.call_arguments, data.api.attributes):
                shown += [text for value in values.values() for text in (value.type, value.text)]
            shown += [*data.api.warnings, *(other.title for other in data.api.see_also)]
        assert len(shown) > 5
        assert all(any(sign in text for sign in signs) for text in shown if text is not None)


@pytest.mark.parametrize(
    "formula",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\url{javascript:alert(1)}",
        r"\includegraphics{x.png}",
        r"\htmlStyle{position: fixed}{x}",
        r"\htmlClass{nav}{x}",
        r"\htmlId{top}{x}",
        r"\htmlData{x=y}{x}",
        r"\def\bomb{\bomb\bomb}\bomb",
        r"\def\a{xxxxxxxxxx}\def\b{\a\a\a\a\a\a\a\a\a\a}\def\c{\b\b\b\b\b\b\b\b\b\b}\c\c\c\c\c\c\c\c\c\c",
        r"\newcommand{\x}{\x x}\x",
        r"{" * 200 + "x",
        r"\gdef\x{\x\x}\x",
        r"\csname x\endcsname",
        r'\char"202E',
        r"\rule{99999em}{99999em}",
        r"x\kern99999em x",
        r"\mkern 99999999mu x",
        r"\raisebox{9999em}{x}",
        r"\hat" * 300 + " x",
        r"\left(" * 300 + "x",
        r"\frac{1}{" * 100 + "x" + "}" * 100,
        r"x" + "_{y" * 200 + "}" * 200,
        r"\fbox{" * 100 + "x" + "}" * 100,
        r"\unknown<script>",
    ],
)
def test_formulas_that_do_more_than_show_maths_are_refused(hostile: Path, check: Check, formula: str) -> None:
    file = hostile / "content/model/encoder/norm.yml"
    text = file.read_text(encoding="utf-8")
    old = r"y = \gamma x + \beta \text{<script>alert(1)</script>}"
    assert text.count(old) == 1
    file.write_text(text.replace(old, rf"y = \gamma x + \beta {formula}"), encoding="utf-8")
    outcome = check(hostile)
    assert [(issue.path, issue.line, issue.code) for issue in outcome.issues] == [
        ("content/model/encoder/norm.yml", 4, "A801")
    ], show(outcome.issues)
    assert outcome.checked is None


@pytest.mark.parametrize(
    "formula", [r"\begin{aligned}" * 60 + "x" + r"\end{aligned}" * 60, r"x\\" * 3000, "x+" * 9000 + "x"]
)
def test_formulas_that_are_only_large_are_typeset_in_bounds(hostile: Path, check: Check, formula: str) -> None:
    file = hostile / "content/model/encoder/norm.yml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(r"\text{<script>alert(1)</script>}'", f"{formula}'"), encoding="utf-8")
    outcome = check(hostile)
    assert show(outcome.issues) == ""
    assert len(sound(outcome).entries[1].entry.data.formula) > len(formula)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("https://example.org/?q=%22%3E%3Cscript%3E", "javascript:alert(1)", "A104"),
        ("https://example.org/?q=%22%3E%3Cscript%3E", 'https://example.org/"onload="alert(1)', "A104"),
        ("https://example.org/?q=%22%3E%3Cscript%3E", "https://user:pass@example.org/", "A104"),
        ("excerpt: layer", "excerpt: '<script>'", "A104"),
        ("name: chainer.links.LayerNormalization", "name: '<b>'", "A104"),
        ("lines: 73-81", "lines: '73-81<script>'", "A104"),
        ("layer_normalization.py\n    lines: 73", "../../x\n    lines: 73", "A104"),
        ("operator: layer_norm_outer_epsilon", "operator: __import__", "A136"),
        ("batch: [N]", "batch: ['<script>']", "A121"),
        ("'{{config.items}}'", "'<img src=x onerror=alert(1)>'", "A104"),
        ("title: '<script>", "title: 'x\u202e<script>", "A012"),
    ],
)  # fmt: skip
def test_what_becomes_an_address_or_a_name_is_no_free_text(
    hostile: Path, check: Check, old: str, new: str, code: str
) -> None:
    file = hostile / "content/library/layer.yml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert [issue.code for issue in check(hostile).issues] == [code]


@pytest.mark.parametrize("name", ["<script>.yml", "a b.yml", "$(touch x).yml", "\u202e.yml", "-rf.yml"])
def test_file_names_are_shown_and_belong_to_no_list(hostile: Path, check: Check, name: str) -> None:
    (hostile / "content/library" / name).write_text("title: x\n", encoding="utf-8")
    (issue,) = check(hostile).issues
    assert (issue.code, issue.path) == ("A113", "content/library/library.yml")
    assert name in issue.message
    assert show([issue]).split("\n")[0].isprintable()
