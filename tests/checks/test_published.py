"""Published figures beside those derived, and differences that name the claims that show them."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from markupsafe import Markup

from atlas.checks.checked import Checked
from atlas.checks.graph import check_graph
from atlas.checks.published import PublishedCheck, check_published, differences_of
from atlas.checks.run import Outcome, check_project
from atlas.entries.atlas import Collection
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.graph.accounting import ModelAccount, model_account
from atlas.graph.unroll import Sizes
from atlas.issues import Issue
from atlas.node.process import Typeset
from atlas.sources.store import SourceStore

MODEL = "content/nested/model.yml"
EXPERTS = "content/nested/shared/experts.yml"


def collection_of(project: Any, name: str) -> Collection:
    return project.atlas().collections[name]  # type: ignore[no-any-return]


def accounts_of(collection: Collection) -> dict[str, ModelAccount]:
    graph, issues = check_graph(collection)
    assert issues == []
    assert graph is not None
    assert isinstance(collection.data, Model)
    return {name: model_account(graph, Sizes.of(one)) for name, one in collection.data.variants.items()}


def published(project: Any, name: str = "nested") -> tuple[dict[str, tuple[PublishedCheck, ...]], list[Issue]]:
    collection = collection_of(project, name)
    return check_published(collection, accounts_of(collection))


def test_each_figure_is_beside_the_derived_one(models: Any) -> None:
    found, issues = published(models)
    assert issues == []
    assert list(found) == ["small", "wide"]
    assert found["wide"] == ()
    shown = [(one.quantity, one.published, one.rounded_to, one.derived, one.agrees) for one in found["small"]]
    assert shown == [
        ("parameters", 2000, 1000, 1436, False),
        ("active parameters", 1, 1, 1196, False),
        ("cache bytes per token", 56, 1, 56, True),
        ("multiply-accumulates", 10, 1, 2 * 2128, False),
    ]
    assert found["small"][0].reference.where == "page 1"
    assert found["small"][3].at == {"B": 1, "S": 2}
    layers, _ = published(models, "pyramid")
    assert [(one.derived, one.agrees) for one in layers["three"]] == [(3, True)]


@pytest.mark.parametrize(
    ("value", "rounded_to", "agrees"),
    [(1436, 1, True), (1435, 1, False), (1437, 1, False), (1400, 100, True), (1500, 100, False), (1430, 12, True),
     (1430, 11, False), (1000, 1000, True), (2000, 1000, False), (1446, 20, True)],
)  # fmt: skip
def test_a_rounded_figure_agrees_within_half_of_its_unit(
    models: Any, value: int, rounded_to: int, agrees: bool
) -> None:
    models.edit(MODEL, "value: 2000, rounded_to: 1000", f"value: {value}, rounded_to: {rounded_to}")
    found, _ = published(models)
    assert found["small"][0].agrees is agrees


def test_a_variant_without_an_account_is_left_out(models: Any) -> None:
    collection = collection_of(models, "nested")
    accounts = accounts_of(collection)
    del accounts["small"]
    assert list(check_published(collection, accounts)[0]) == ["wide"]


@pytest.mark.parametrize(
    ("old", "new", "code", "message", "hint"),
    [
        ("{B: 1, S: 2}", "{B: 1}", "A120", "depend on S, which has no value here", "add `S: …` to `at`"),
        ("{B: 1, S: 2}", "{B: 1, T: 2}", "A119", "T is no size of the model's inputs", "there is B and S"),
        ("{B: 1, S: 2}", "{B: 1, S: 2, d: 4}", "A119", "d is no size of the model's inputs", "there is B and S"),
        ("quantity: parameters", "quantity: layers", "A611", "stages/rest has layers within layers", ""),
    ],
)
def test_a_figure_that_cannot_be_compared_is_an_issue(
    models: Any, old: str, new: str, code: str, message: str, hint: str
) -> None:
    models.edit(MODEL, old, new)
    _, [issue] = published(models)
    assert (issue.path, issue.code, issue.hint) == (MODEL, code, hint)
    assert message in issue.message
    assert issue.line == models.line(MODEL, new)


@pytest.mark.parametrize(
    ("old", "new"), [(", at: {B: 1, S: 2}", ""), ("value: 2000,", "value: 2000, at: {B: 1},")]
)  # fmt: skip
def test_only_what_depends_on_inputs_states_their_sizes(models: Any, old: str, new: str) -> None:
    models.edit(MODEL, old, new)
    _, issues = load(models.root, models.root / "content", models.root / "sources")
    [issue] = [one for one in issues if one.path == MODEL]
    assert "`at` goes with multiply-accumulates" in issue.message


DIFFERENCE = """\
differences:
  - about: the width
    published: it is wide
    reference: {title: A report}
    code: it is narrow
    claims: [CLAIMS]
"""


def with_difference(models: Any, path: str, claims: str) -> list[Issue]:
    file = models.root / path
    file.write_text(DIFFERENCE.replace("CLAIMS", claims) + file.read_text(encoding="utf-8"), encoding="utf-8")
    return list(differences_of(collection_of(models, "nested")))


def test_differences_name_source_claims_that_are_there(models: Any) -> None:
    assert with_difference(models, EXPERTS, "code") == []
    models.edit(EXPERTS, "claims: [code]", "claims: [code, coed]")
    [issue] = differences_of(collection_of(models, "nested"))
    assert (issue.path, issue.line, issue.code, issue.hint) == (EXPERTS, 6, "A119", "did you mean `code`?")
    assert issue.message == "there is no source claim coed"


def test_differences_of_a_model_name_its_own_claims_or_those_of_a_variant(models: Any) -> None:
    [issue] = with_difference(models, MODEL, "width")
    assert (issue.path, issue.line, issue.code) == (MODEL, 6, "A119")
    claim = "\n    sources: [{id: width, claim: It is narrow., source: project, path: a.py, lines: 1}]\n"
    models.edit(MODEL, "  wide:\n    title: wide\n", f"  wide:\n    title: wide{claim}")
    assert list(differences_of(collection_of(models, "nested"))) == []


def whole_check(models: Any) -> Outcome:
    """All checks over the model `line`, without a network and without Node."""
    for name in ("nested", "pyramid"):
        shutil.rmtree(models.root / "content" / name, ignore_errors=True)
    return check_project(
        models.root,
        models.root / "content",
        models.root / "sources",
        make_store=lambda atlas: SourceStore({key: one.data for key, one in atlas.sources.items()}, offline=True),
        typesetter=lambda formulas: [Typeset(formula, Markup(), "", None) for formula in formulas],
        missing="link",
    )


def test_a_check_of_everything_keeps_the_figures_for_pages(models: Any) -> None:
    outcome = whole_check(models)
    assert outcome.issues == ()
    assert isinstance(outcome.checked, Checked)
    found = outcome.checked.collections["line"].published["short"]
    assert [(one.quantity, one.derived, one.agrees) for one in found] == [
        ("parameters", 75, True),
        ("layers", 3, False),
    ]


def test_a_check_of_everything_finds_what_is_wrong_with_them(models: Any) -> None:
    models.edit(
        "content/line/model.yml",
        "{quantity: layers, value: 4,",
        "{quantity: multiply-accumulates, value: 4, at: {C: 1},",
    )
    entry = models.root / "content/line/layers/product.yml"
    entry.write_text(DIFFERENCE.replace("CLAIMS", "coed") + entry.read_text(encoding="utf-8"), encoding="utf-8")
    found = {(one.path, one.code, one.message) for one in whole_check(models).issues}
    assert found == {
        ("content/line/model.yml", "A119", "C is no size of the model's inputs"),
        ("content/line/layers/product.yml", "A119", "there is no source claim coed"),
    }
