"""The alphabetical index: every name under its letter, on one page or on one for each letter."""

from __future__ import annotations

from atlas.render.index_names import names_of
from atlas.render.index_view import IndexLine, IndexView, index_plans
from atlas.render.pages import PagePlan
from atlas.render.parts import Link
from atlas.render.search_found import ALIAS, TEXT, grouped
from atlas.render.site import FoundKind, SearchRecord


def record(title: str, url: str, *aliases: str, kind: FoundKind = "component", where: str = "GPT-2") -> SearchRecord:
    texts = (*((ALIAS, alias) for alias in aliases), (TEXT, "text that is no name"))
    return SearchRecord(kind, url, title, where, "width. 512 in base", texts)


def view(plan: PagePlan) -> IndexView:
    assert isinstance(plan.view, IndexView)
    return plan.view


def test_names_stand_in_the_order_of_the_alphabet_under_their_letter() -> None:
    records = [record(name, f"{name}/") for name in ("b", "Überlagerung", "Attention", "9 × 9", "α", "alpha", "unit")]
    (plan,) = index_plans(names_of(grouped(records)))
    assert [(one.letter, [line.name for line in one.lines]) for one in view(plan).shown] == [
        ("A", ["alpha", "Attention"]),
        ("B", ["b"]),
        ("U", ["Überlagerung", "unit"]),
        ("Other signs", ["9 × 9", "α"]),
    ]
    assert [one.url for one in view(plan).letters] == [f"a-z/#letter-{one}" for one in ("a", "b", "u", "other")]


def test_a_name_leads_to_everything_that_has_it() -> None:
    records = [
        record("Norm", "a/"),
        record("Norm", "b/", where="Mixtral"),
        record("RMSNorm", "o/#rms", "Norm", kind="operator", where="RMS"),
    ]
    lines = [line for letter in view(next(index_plans(names_of(grouped(records))))).shown for line in letter.lines]
    assert lines == [
        IndexLine(
            "Norm",
            (
                Link("GPT-2", "a/", "component"),
                Link("Mixtral", "b/", "component"),
                Link("RMSNorm", "o/#rms", "operator"),
            ),
        ),
        IndexLine("RMSNorm", (Link("RMS", "o/#rms", "operator"),)),
    ]


def test_only_operators_are_listed_under_their_other_names() -> None:
    lines = view(next(index_plans(names_of(grouped([record("Norm", "a/", "Other")]))))).shown[0].lines
    assert [line.name for line in lines] == ["Norm"]


def test_a_size_says_what_it_is_and_a_page_that_belongs_to_nothing_its_own_title() -> None:
    records = [record("d", "gpt-2/", kind="symbol"), record("Data", "data/", kind="page", where="")]
    lines = {line.name: line.links for line in view(next(index_plans(names_of(grouped(records))))).shown[0].lines}
    assert lines == {
        "d": (Link("width · GPT-2", "gpt-2/", "symbol"),),
        "Data": (Link("Data", "data/", "page"),),
    }


def test_a_long_index_has_a_page_for_each_letter() -> None:
    records = [record(f"{letter} {number}", f"{letter}{number}/") for letter in "xyz" for number in range(3)]
    assert len(list(index_plans(names_of(grouped(records)), most=9))) == 1
    first, *rest = index_plans(names_of(grouped(records)), most=8)
    assert (first.url, view(first).shown, view(first).count) == ("a-z/", (), 9)
    assert [plan.url for plan in rest] == ["a-z/x/", "a-z/y/", "a-z/z/"]
    assert [[line.name for line in view(plan).shown[0].lines] for plan in rest] == [
        [f"{letter} {number}" for number in range(3)] for letter in "xyz"
    ]
    assert {tuple(one.url for one in view(plan).letters) for plan in (first, *rest)} == {("a-z/x/", "a-z/y/", "a-z/z/")}


def test_the_index_is_in_no_menu() -> None:
    assert next(index_plans([])).nav is None
