from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atlas.exceptions import DiagramError
from atlas.render.budget import Budget, BudgetRow, bar, budget, figure, percentages

GPT2 = (
    BudgetRow("Token embedding", "embedding", 38_597_376, "gpt2/embedding/"),
    BudgetRow("Learned positions", "position", 786_432),
    BudgetRow("LayerNorm", "normalization", 38_400),
    BudgetRow("Causal self-attention", "attention", 28_348_416),
    BudgetRow("Feed-forward network", "feed-forward", 56_669_184),
    BudgetRow("Tied head", "projection", 0),
)


@pytest.fixture
def view() -> Budget:
    return budget("Parameters", GPT2)


def share(text: str) -> float:
    return float(text.removesuffix("%"))


def test_the_largest_comes_first_and_all_add_up(view: Budget) -> None:
    assert view.total == "124,439,808"
    assert [one.label for one in view.shares] == [
        *("Feed-forward network", "Token embedding", "Causal self-attention"),
        "2 parts of less than 1\u202f% each",
    ]
    assert [one.percent for one in view.shares] == [f"{text}\u202f%" for text in ("45.5", "31.0", "22.8", "0.7")]


def test_small_parts_are_drawn_together_and_listed_each(view: Budget) -> None:
    together = view.shares[-1]
    assert (together.count, together.kind) == ("824,832", "other")
    assert [(part.label, part.count, part.percent) for part in together.parts] == [
        ("Learned positions", "786,432", "0.6\u202f%"),
        ("LayerNorm", "38,400", "<\u202f0.1\u202f%"),
    ]
    html = figure(view)
    for row in GPT2[:-1]:
        assert html.count(row.label) >= 1
        assert f"{row.count:,}" in html


def test_a_single_small_part_stands_for_itself() -> None:
    view = budget("P", (BudgetRow("Large", "projection", 9_990), BudgetRow("Small", "loss", 10)))
    assert [(one.label, one.percent, one.parts) for one in view.shares] == [
        ("Large", "99.9\u202f%", ()),
        ("Small", "0.1\u202f%", ()),
    ]


def test_the_bar_is_true_to_scale_and_leaves_no_gap(view: Budget) -> None:
    end = 0.0
    counts = (56_669_184, 38_597_376, 28_348_416, 824_832)
    for segment, count in zip(view.segments, counts, strict=True):
        assert share(segment.x) == pytest.approx(end, abs=0.002)
        assert share(segment.width) == pytest.approx(100 * count / 124_439_808, abs=0.001)
        assert share(segment.middle) == pytest.approx(end + share(segment.width) / 2, abs=0.002)
        end += share(segment.width)
    assert end == pytest.approx(100, abs=0.01)


def test_a_percentage_is_written_only_where_it_has_room(view: Budget) -> None:
    assert [bool(segment.label) for segment in view.segments] == [True, True, True, False]


def test_the_bar_says_what_it_shows(view: Budget) -> None:
    root = ElementTree.fromstring(bar(view))  # noqa: S314 - it is our own
    assert root.get("role") == "img"
    assert root.get("aria-label") == view.told
    assert view.told.startswith("Parameters: Feed-forward network 45.5\u202f%, Token embedding 31.0\u202f%, ")
    assert [group.findtext("title") for group in root] == [segment.tooltip for segment in view.segments]


def test_rows_link_to_their_pages(view: Budget) -> None:
    html = figure(view, lambda url: f"../{url}")
    assert '<a href="../gpt2/embedding/">Token embedding</a>' in html
    assert html.count("<a ") == 1
    assert not re.search(r" style=|<script|<style", html)


def test_markup_in_labels_is_text() -> None:
    html = figure(budget("<b>P", (BudgetRow("<script>x</script>", "loss", 1, "x"),)))
    assert "<script" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ((), "none of its 0 rows has parameters"),
        ((BudgetRow("A", "loss", 0),), "none of its 1 rows has parameters"),
        ((BudgetRow("A", "loss", -1_000), BudgetRow(" ", "loss", 1)), "'A' has -1,000 parameters; a row has no label"),
        ((BudgetRow("A", "magic", 1),), "'A': 'magic' is no kind of component"),
    ],
)
def test_what_cannot_be_drawn_is_refused(rows: tuple[BudgetRow, ...], why: str) -> None:
    with pytest.raises(DiagramError, match=f"^the budget 'P' cannot be drawn: {re.escape(why)}"):
        budget("P", rows)


def test_percentages_add_up_to_a_hundred() -> None:
    assert percentages([1, 1, 1]) == tuple(f"{text}\u202f%" for text in ("33.4", "33.3", "33.3"))
    assert percentages([5]) == ("100.0\u202f%",)


@given(st.lists(st.integers(1, 10**15), min_size=1, max_size=30))
def test_percentages_of_any_counts_add_up_and_are_near(counts: list[int]) -> None:
    shown = [0.0 if text.startswith("<") else float(text.split("\u202f")[0]) for text in percentages(counts)]
    assert round(sum(shown), 1) == 100
    for count, percent in zip(counts, shown, strict=True):
        assert abs(percent - 100 * count / sum(counts)) < 0.1 + 1e-9
