"""Home, glossary, operators and the structure beside the page, over the real content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from atlas.checks.checked import Checked, CheckedCollection
from atlas.checks.run import check_project
from atlas.entries.collection import Model
from atlas.node.environment import prepare
from atlas.node.process import NodeProcess
from atlas.operators.catalogue import CATALOGUE
from atlas.render.deferred import Typesetting
from atlas.render.diagram import layout
from atlas.render.entrance_view import BESIDE, Fact, entrance_view
from atlas.render.figures_view import diagram_view
from atlas.render.glossary_view import WORDS, Named, glossary_view
from atlas.render.home_view import home_view
from atlas.render.parts import Parts
from atlas.render.reference_views import operators_view
from atlas.render.structure_view import PlaceItem, StackItem, structure_view
from atlas.render.verification_view import verification_view
from atlas.sources.store import SourceStore

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def checked() -> Checked:
    with NodeProcess(prepare()) as node:
        outcome = check_project(
            ROOT,
            ROOT / "content",
            ROOT / "sources",
            make_store=lambda atlas: SourceStore({name: source.data for name, source in atlas.sources.items()}),
            typesetter=node.typeset,
        )
    assert outcome.checked is not None
    return outcome.checked


@pytest.fixture
def parts(checked: Checked) -> Parts:
    return Parts(checked, Typesetting())


def places(items: tuple[PlaceItem | StackItem, ...]) -> Iterator[PlaceItem]:
    for item in items:
        if isinstance(item, PlaceItem):
            yield item
        else:
            yield from places(item.parts)


def test_the_structure_of_a_model_has_every_place_in_the_order_of_the_graph(checked: Checked) -> None:
    for collection in checked.collections.values():
        if collection.graph is None:
            continue
        shown = structure_view(collection, "elsewhere/")
        assert [one.title for one in places(shown.parts)] == [node.title for node in collection.graph.nodes]
        assert not any(one.is_here or one.is_current for one in places(shown.parts))
        assert shown.more == 0


def test_a_component_in_several_places_is_marked_in_all_and_current_in_one(checked: Checked) -> None:
    shown = structure_view(checked.collections["gpt-2"], "gpt-2/decoder/attention-layer-norm/")
    here = [one for one in places(shown.parts) if one.is_here]
    assert [one.is_current for one in here] == [True, False, False]
    decoder = next(one for one in shown.parts if isinstance(one, StackItem) and one.title == "Decoder")
    assert (decoder.times, decoder.url) == ("× 12", "gpt-2/#stack-decoder")
    assert structure_view(checked.collections["gpt-2"], "gpt-2/").is_current


def test_stacks_stand_within_stacks(checked: Checked) -> None:
    shown = structure_view(checked.collections["resnet"], "resnet/")
    stages = next(one for one in shown.parts if isinstance(one, StackItem) and one.title == "Stages")
    assert [(one.title, one.times) for one in stages.parts if isinstance(one, StackItem)] == [
        ("First block", ""),
        ("Further blocks", "× m-1"),
    ]
    assert stages.times == "× 4"


def test_a_library_lists_its_layers(checked: Checked) -> None:
    shown = structure_view(checked.collections["chainer"], "chainer/layer-normalization/")
    assert [(one.title, one.is_current) for one in places(shown.parts)] == [("LayerNormalization", True)]


def test_the_home_page_shows_every_collection_with_its_figures(checked: Checked, parts: Parts) -> None:
    view = home_view(parts)
    years = [int(card.year) for card in view.models]
    assert years == sorted(years, reverse=True)
    assert len(view.models) + len(view.libraries) == len(checked.collections)
    for card in view.models:
        collection = checked.collections[card.link.url.strip("/")]
        account = next(iter(collection.accounts.values()))
        assert card.facts[0][0] == f"{account.total:,}"
        assert sum(float(width) for _, _, width in card.bar) == pytest.approx(100, abs=0.1)
        starts = [float(start) for _, start, _ in card.bar]
        assert starts == sorted(starts)
        proofs = [*collection.proofs, *(proof for entry in collection.entries for proof in entry.proofs)]
        proved = sum(proof.status in ("proved", "recorded") for proof in proofs)
        assert card.verified.startswith(f"{proved} of {len(proofs)} claims proved")
    mixtral = next(card for card in view.models if card.link.title == "Mixtral")
    assert ("12,879,925,248", "active for one token") in mixtral.facts


def test_every_question_has_an_answer_and_the_table_sets_models_side_by_side(parts: Parts) -> None:
    view = home_view(parts)
    assert len(view.questions) == 8
    assert all(question.answers for question in view.questions)
    titles = [link.title for link in view.beside]
    normalization = next(row for row in view.rows if row.title == "Normalization")
    cells = dict(zip(titles, normalization.cells, strict=True))
    assert [link.title for link in cells["Mixtral"]] == ["RMSNorm"]
    assert [link.title for link in cells["GPT-2"]] == ["LayerNorm"]
    assert all(any(row.cells) for row in view.rows)


def test_the_gallery_is_narrowed_down_by_what_models_differ_in(parts: Parts) -> None:
    view = home_view(parts)
    filters = {one.name: dict(one.options) for one in view.filters}
    assert list(filters) == ["family", "kind", "year", "parameters"]
    for card in view.models:
        assert card.family in filters["family"]
        assert card.kind in filters["kind"]
        assert card.year in filters["year"]
        assert set(card.ranges.split()) <= set(filters["parameters"])
    ranges = {card.link.title: card.ranges for card in view.models}
    assert ranges["GPT-2"] == "1b 10b"  # 124 million to 1.6 billion
    assert ranges["Mixtral"] == "100b"
    assert ranges["ResNet"] == "100m"
    assert not view.is_dense
    assert all(not card.ranges and not card.family for card in view.libraries)


def test_a_property_that_all_models_share_is_no_filter(checked: Checked) -> None:
    one = replace(checked, collections={name: checked.collections[name] for name in ("gpt-2", "mixtral")})
    assert [each.name for each in home_view(Parts(one, Typesetting())).filters] == ["family", "year", "parameters"]


def test_the_latest_changes_come_first_and_name_their_collection(checked: Checked, parts: Parts) -> None:
    view = home_view(parts)
    assert 0 < len(view.latest) <= 8
    dates = [one.date for one in view.latest]
    assert dates == sorted(dates, reverse=True)
    for one in view.latest:
        stated = checked.collections[one.link.url.strip("/")].collection.data.changes
        assert (one.date, one.what.plain) in [(change.date, change.what) for change in stated]


def test_the_question_of_what_differs_leads_to_the_comparison(parts: Parts) -> None:
    (asked,) = [one for one in home_view(parts).questions if "differs" in one.asked]
    assert asked.answers[0].url == "compare/?a=mixtral&b=gpt-2"


def facts_of(checked: Checked, name: str) -> dict[str, Fact]:
    view = entrance_view(checked.collections[name], None, None, Parts(checked, Typesetting()))
    return {fact.name: fact for fact in view.facts}


def test_the_facts_of_a_model_are_derived(checked: Checked) -> None:
    gpt, mixtral, resnet = (facts_of(checked, name) for name in ("gpt-2", "mixtral", "resnet"))
    assert (gpt["parameters"].value, gpt["parameters"].note) == ("124,439,808", "124M")
    assert "active for one token" not in gpt
    assert mixtral["active for one token"].value == "12,879,925,248"
    assert (mixtral["cache per token"].value, mixtral["cache per token"].note) == ("131,072 bytes", "128 KiB, bfloat16")
    assert gpt["context"].value == "1,024 positions"  # its table of positions
    assert mixtral["context"].value == "any length"  # its angles are computed
    assert "context" not in resnet
    assert "cache per token" not in resnet
    where = gpt["cache per token"].link
    assert where is not None
    assert where.url == "gpt-2/#calculator"
    link = gpt["compared with"].link
    assert link is not None
    assert (link.title, link.url, gpt["compared with"].note) == (
        "Transformers v5.24.0",
        "sources/transformers/",
        "Apache-2.0",
    )


def test_the_facts_count_every_claim(checked: Checked) -> None:
    for name, collection in checked.collections.items():
        if isinstance(collection.collection.data, Model):
            proofs = [*collection.proofs, *(proof for entry in collection.entries for proof in entry.proofs)]
            proved = sum(proof.status in ("proved", "recorded") for proof in proofs)
            fact = facts_of(checked, name)["claims proved"]
            assert fact.value == f"{proved} of {len(proofs)}"
            assert fact.link is not None
            assert fact.link.url == f"verification/#of-{name}"


def test_a_diagram_stands_beside_the_facts_where_it_has_the_room(checked: Checked, parts: Parts) -> None:
    def is_beside(collection: CheckedCollection, node: NodeProcess) -> tuple[float, bool]:
        diagram = diagram_view(collection, lambda sketch: layout(sketch, node))
        assert diagram is not None
        return diagram.placed.width, entrance_view(collection, diagram, None, parts).is_beside

    with NodeProcess(prepare()) as node:
        found = [is_beside(checked.collections[name], node) for name in ("gpt-2", "resnet")]
    assert found[0][0] <= BESIDE < found[1][0]
    assert [beside for _, beside in found] == [True, False]


def test_every_claim_is_listed_once_below_its_collection(checked: Checked, parts: Parts) -> None:
    view = verification_view(parts)
    stated = sum(
        len(one.proofs) + sum(len(entry.proofs) for entry in one.entries) for one in checked.collections.values()
    )
    assert view.claims == stated == sum(one.count for one in view.totals)
    assert [one.status for one in view.totals] == ["proved", "recorded", "stale", "missing"]
    anchors = [thing.anchor for group in view.groups for thing in group.things]
    assert len(set(anchors)) == len(anchors)
    assert "entry-gpt-2--decoder--self-attention" in anchors
    for group in view.groups:
        proofs = [proof for thing in group.things for _, proof in thing.proofs]
        assert group.claims == len(proofs)
        assert {one.status: one.count for one in group.counts} == Counter(proof.status for proof in proofs)
    assert {"formula", "shapes", "parameters", "excerpts", "upstream"} <= set(view.kinds)
    assert view.latest == max(
        proof.date for group in view.groups for thing in group.things for _, proof in thing.proofs
    )
    models = [isinstance(checked.collections[group.id].collection.data, Model) for group in view.groups]
    assert models == sorted(models, reverse=True)


def found(names: tuple[Named, ...], tex: str) -> list[Named]:
    return [one for one in names if one.symbol.tex == tex]


def test_the_glossary_has_every_size_with_its_key_and_users(checked: Checked, parts: Parts) -> None:
    view = glossary_view(parts)
    for collection in checked.collections.values():
        data = collection.collection.data
        for symbol, meaning in data.dimensions.items():
            (one,) = [one for one in found(view.sizes, symbol) if one.meaning == meaning]
            assert data.title in [use.title for use in one.uses] or one.more
            if isinstance(data, Model):
                keys = [
                    setting.name
                    for variant in data.variants.values()
                    for name, setting in variant.settings.items()
                    if name == symbol
                ]
                assert set(keys) <= set(one.keys)
    (width,) = found(view.sizes, "d")
    assert {"n_embd", "hidden_size", "hparams.hidden_size"} <= set(width.keys)


def test_the_glossary_has_every_symbol_with_its_argument_and_the_name_upstream(checked: Checked, parts: Parts) -> None:
    view = glossary_view(parts)
    for entry in checked.entries:
        for name, symbol in entry.entry.data.symbols.items():
            if symbol.binds:
                assert any(one.argument == symbol.binds for one in found(view.symbols, name)), (entry.entry.id, name)
    query = next(one for one in found(view.symbols, "W^Q") if one.argument == "W_q")
    assert query.meaning == "Query weights"
    assert "attn.c_attn.weight" in query.keys
    assert [one.id for one in view.symbols] == [f"symbol-{number}" for number in range(1, len(view.symbols) + 1)]


def test_terms_are_all_operators_and_words_are_told_once(parts: Parts) -> None:
    view = glossary_view(parts)
    assert {term.link.url.split("/")[1] for term in view.terms} == {one.family for one in CATALOGUE.values()}
    assert len({word for word, _ in WORDS}) == len(WORDS)


def test_operators_are_listed_once_by_what_they_do(parts: Parts) -> None:
    kinds = operators_view(parts).kinds
    families = [card.link.url for _, _, cards in kinds for card in cards]
    assert len(families) == len(set(families)) == len({one.family for one in CATALOGUE.values()})
    norms = next(cards for _, title, cards in kinds if title == "Normalization")
    layer_norm = next(card for card in norms if card.link.url == "operators/layer-norm/")
    assert layer_norm.users == len(parts.relatives(CATALOGUE["layer_norm"])) > 2
