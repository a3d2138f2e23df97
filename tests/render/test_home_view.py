"""The home page: every collection with its figures, what models differ in, and where questions are answered."""

from __future__ import annotations

from collections import Counter

import pytest

from atlas.checks.checked import Checked
from atlas.render.deferred import Typesetting
from atlas.render.home_share import HomeShare, home_share
from atlas.render.home_view import HomeView, home_view
from atlas.render.parts import Parts
from tests.render.shares import kept_and_found


@pytest.fixture(scope="module")
def checked(whole_checked: Checked) -> Checked:
    return whole_checked


@pytest.fixture
def parts(checked: Checked) -> Parts:
    return Parts(checked, Typesetting())


@pytest.fixture
def home_shares(checked: Checked, parts: Parts) -> list[HomeShare]:
    return [home_share(one, parts) for one in checked.collections.values()]


@pytest.fixture
def home(home_shares: list[HomeShare], parts: Parts) -> HomeView:
    return home_view(home_shares, parts.typesetting)


def test_the_home_page_shows_every_collection_with_its_figures(checked: Checked, home: HomeView) -> None:
    years = [int(card.year) for card in home.models]
    assert years == sorted(years, reverse=True)
    assert len(home.models) + len(home.libraries) == len(checked.collections)
    for card in home.models:
        collection = checked.collections[card.link.url.strip("/")]
        account = next(iter(collection.accounts.values()))
        assert card.facts[0][0] == f"{account.total:,}"
        assert sum(float(width) for _, _, width in card.bar) == pytest.approx(100, abs=0.1)
        starts = [float(start) for _, start, _ in card.bar]
        assert starts == sorted(starts)
        proofs = [*collection.proofs, *(proof for entry in collection.entries for proof in entry.proofs)]
        proved = sum(proof.status in ("proved", "recorded") for proof in proofs)
        assert card.verified.startswith(f"{proved} of {len(proofs)} claims proved")
    mixtral = next(card for card in home.models if card.link.title == "Mixtral")
    assert ("12,879,925,248", "active for one token") in mixtral.facts


def test_every_question_has_an_answer_and_the_table_sets_models_side_by_side(home: HomeView) -> None:
    assert len(home.questions) == 8
    assert all(question.answers for question in home.questions)
    titles = [link.title for link in home.beside]
    normalization = next(row for row in home.rows if row.title == "Normalization")
    cells = dict(zip(titles, normalization.cells, strict=True))
    assert [link.title for link in cells["Mixtral"]] == ["RMSNorm"]
    assert [link.title for link in cells["GPT-2"]] == ["LayerNorm"]
    assert all(any(row.cells) for row in home.rows)


def test_the_gallery_is_narrowed_down_by_what_models_differ_in(home: HomeView) -> None:
    filters = {one.name: dict(one.options) for one in home.filters}
    assert list(filters) == ["family", "kind", "year", "parameters"]
    for card in home.models:
        assert card.family in filters["family"]
        assert card.kind in filters["kind"]
        assert card.year in filters["year"]
        assert set(card.ranges.split()) <= set(filters["parameters"])
    ranges = {card.link.title: card.ranges for card in home.models}
    assert ranges["GPT-2"] == "1b 10b"  # 124 million to 1.6 billion
    assert ranges["Mixtral"] == "100b"
    assert ranges["ResNet"] == "100m"
    assert not home.is_dense
    assert all(not card.ranges and not card.family for card in home.libraries)


def test_a_property_that_all_models_share_is_no_filter(home_shares: list[HomeShare]) -> None:
    two = [one for one in home_shares if one.id in ("gpt-2", "mixtral")]
    assert [each.name for each in home_view(two, Typesetting()).filters] == ["family", "year", "parameters"]


def test_the_latest_changes_come_first_and_name_their_collection(checked: Checked, home: HomeView) -> None:
    assert 0 < len(home.latest) <= 8
    dates = [one.date for one in home.latest]
    assert dates == sorted(dates, reverse=True)
    for one in home.latest:
        stated = checked.collections[one.link.url.strip("/")].collection.data.changes
        assert (one.date, one.what.plain) in [(change.date, change.what) for change in stated]


def test_the_question_of_what_differs_leads_to_the_comparison(home: HomeView) -> None:
    (asked,) = [one for one in home.questions if "differs" in one.asked]
    assert asked.answers[0].url == "compare/?a=mixtral&b=gpt-2"


def test_the_home_page_leads_to_the_code_of_attention_and_to_the_operator_that_most_components_use(
    checked: Checked, home: HomeView
) -> None:
    answers = {one.asked: one.answers for one in home.questions}
    (code,) = answers["Where in the source does this happen?"]
    shown = {f"{entry.entry.id}/#code": entry for entry in checked.entries}[code.url]
    assert shown.operator.kind == "attention"
    assert shown.claims
    users = Counter(entry.operator.family for entry in checked.entries)
    used = answers["Which models use this operator?"][1].url.split("/")[1]
    assert users[used] == max(users.values())


def test_the_home_page_of_an_atlas_without_entries_leads_to_no_users(parts: Parts) -> None:
    answers = {one.asked: one.answers for one in home_view([], parts.typesetting).questions}
    assert [one.url for one in answers["Which models use this operator?"]] == ["operators/"]


def test_the_totals_of_the_home_page_are_those_of_all_entries(
    checked: Checked, home_shares: list[HomeShare], home: HomeView
) -> None:
    proofs = [*(proof for one in checked.collections.values() for proof in one.proofs)]
    proofs += [proof for entry in checked.entries for proof in entry.proofs]
    statuses = [proof.status for proof in proofs]
    assert [int(number.replace(",", "")) for number, _ in home.totals] == [
        len(checked.entries),
        statuses.count("proved"),
        statuses.count("recorded"),
        sum(len(entry.claims) for entry in checked.entries),
        statuses.count("stale") + statuses.count("missing"),
    ]
    assert home.proved_on == max(proof.date for proof in proofs if proof.date)
    for share in home_shares:
        one = checked.collections[share.id]
        own = [*one.proofs, *(proof for entry in one.entries for proof in entry.proofs)]
        assert share.proved_on == max((proof.date for proof in own if proof.date), default="")
        assert (share.entries, share.has_graph) == (len(one.entries), one.graph is not None)


def test_what_the_home_page_needs_of_a_collection_can_be_kept(home_shares: list[HomeShare], parts: Parts) -> None:
    kept = kept_and_found(home_shares)
    assert kept == home_shares
    assert home_view(kept, parts.typesetting) == home_view(home_shares, parts.typesetting)
