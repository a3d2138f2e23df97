"""Scaffolds of every operator: YAML whose only fault is its blanks."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

import pytest

from atlas.entries.atlas import Atlas
from atlas.entries.blanks import BLANK, blank, blanks_in
from atlas.entries.component import Component
from atlas.entries.load import load
from atlas.entries.tree import parse
from atlas.entries.validate import validate
from atlas.operators.catalogue import CATALOGUE
from atlas.scaffold.component import Place, component_text, neighbours_batch
from atlas.scaffold.letters import symbol, symbols
from atlas.scaffold.starter import starter_files, write_starter
from atlas.scaffold.words import scalar


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> Atlas:
    root: Path = tmp_path_factory.mktemp("scaffold") / "atlas"
    write_starter(root, starter_files("Test", None))
    found, issues = load(root, root / "content", root / "sources")
    assert issues == []
    return found


def filled(text: str) -> str:
    """The text with something of the right form in every blank."""
    numbers = count(1)

    def word(match: re.Match[str]) -> str:
        what = match["what"]
        if what == "first and last line such as 59-61":
            return "1-2"
        if what.startswith("the size") or what == "the batch axis":
            return "d"
        if "number" in what or "most that" in what:
            return "3"
        return f"word_{next(numbers)}"

    return BLANK.sub(word, text)


@pytest.mark.parametrize("name", CATALOGUE)
@pytest.mark.parametrize("collection", ["miniature", "chainer"])
def test_a_scaffold_has_the_form_of_an_entry(atlas: Atlas, name: str, collection: str) -> None:
    operator = CATALOGUE[name]
    entry_id = f"{collection}/layers/new" if collection == "miniature" else f"{collection}/new"
    place = Place(entry_id, atlas.collections[collection], tuple(atlas.sources), (), {})
    text = component_text(operator, place)
    document, issues = parse(text, "new.yml")
    assert document is None
    assert {issue.code for issue in issues} == {"A016"}
    document, issues = parse(filled(text), "new.yml")
    assert document is not None
    assert issues == []
    entry, issues = validate(document, Component)
    assert [issue.message for issue in issues] == []
    assert entry is not None
    bound = {one.binds for one in entry.symbols.values()}
    arguments = {one.name for one in (*operator.contract.inputs, *operator.contract.outputs)}
    assert arguments <= bound
    assert {one.binds for one in entry.symbols.values() if one.parameter} == {*operator.parameters}
    assert dict(entry.conventions) == dict(operator.conventions)
    assert (entry.api is not None) == (collection == "chainer")
    required = {key: max(3, int(one.least or 0)) for key, one in operator.options.items() if one.required}
    assert operator.check_options(required | dict(entry.arguments)).keys() == operator.options.keys()


def test_the_formula_is_left_to_the_author(atlas: Atlas) -> None:
    place = Place("miniature/layers/new", atlas.collections["miniature"], (), ("B", "S"), {"C": "d"})
    text = component_text(CATALOGUE["layer_norm"], place)
    formula = text.partition("formula: |\n")[2].partition("batch:")[0]
    assert formula.count("TODO(") == 2
    assert "sqrt" not in formula
    assert "'x': {axes: [B, S, d], binds: x," in text


def test_a_layer_has_its_librarys_source_and_values_of_its_own(atlas: Atlas) -> None:
    place = Place("chainer/new", atlas.collections["chainer"], tuple(atlas.sources), ("N",), {"C": "C"})
    text = component_text(CATALOGUE["rms_norm"], place)
    assert "in:\n  'x': 'x'\nout:\n  'y': 'y'\n" in text
    assert "    source: chainer\n" in text
    model = Place("miniature/layers/new", atlas.collections["miniature"], tuple(atlas.sources), ("B", "S"), {"C": "d"})
    text = component_text(CATALOGUE["rms_norm"], model)
    assert "in:\n  TODO(value of the model for x): 'x'\n" in text
    assert "    source: TODO(a manifest chainer or tensor2tensor)\n" in text


def test_the_batch_axes_are_those_of_the_neighbours(atlas: Atlas) -> None:
    miniature = atlas.collections["miniature"]
    assert neighbours_batch(miniature, "miniature/layers/new") == ("B", "S")
    assert neighbours_batch(miniature, "miniature/nowhere/new") == ()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x", "x"),
        ("gamma", r"\gamma"),
        ("epsilon", r"\varepsilon"),
        ("W_q", "W_q"),
        ("W_1", "W_1"),
        ("W_gate", r"W_{\mathrm{gate}}"),
        ("mask", r"\mathrm{mask}"),
        ("result", "y"),
    ],
)
def test_arguments_have_readable_symbols(name: str, expected: str) -> None:
    assert symbol(name) == expected


def test_symbols_are_distinct() -> None:
    assert symbols(["y", "result"]) == {"y": "y", "result": "z"}
    for operator in CATALOGUE.values():
        names = [one.name for one in (*operator.contract.inputs, *operator.contract.outputs)]
        assert len(set(symbols(names).values())) == len(names)


def test_blanks_are_plain_yaml_in_every_place() -> None:
    what = "a, b: [c] {d} #e (f)"
    text = f"a: {blank(what)}\nb: [{blank(what)}, {blank(what)}]\nc: {{d: {blank(what)}, {blank(what)}: e}}\n"
    _, issues = parse(text, "a.yml")
    assert [(one.line, one.column, one.code) for one in issues] == [
        (1, 4, "A016"), (2, 5, "A016"), (2, 24, "A016"), (3, 5 + 3, "A016"), (3, 27, "A016"),
    ]  # fmt: skip
    assert list(blanks_in("TODO is no blank, nor is TODO (this)")) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [("last", "last"), ("yes", "'yes'"), ("a: b", "'a: b'"), ("it's", "'it''s'"), (1e-5, "1e-05"), (True, "true")],
)
def test_scalars_mean_what_they_say(value: object, expected: str) -> None:
    assert scalar(value) == expected
