"""Home, glossary, operators and the structure beside the page, over the real content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from atlas.checks.checked import Checked
from atlas.checks.run import check_project
from atlas.entries.collection import Model
from atlas.node.environment import prepare
from atlas.node.process import NodeProcess
from atlas.operators.catalogue import CATALOGUE
from atlas.render.deferred import Typesetting
from atlas.render.glossary_view import WORDS, Named, glossary_view
from atlas.render.home_view import home_view
from atlas.render.parts import Parts
from atlas.render.reference_views import operators_view
from atlas.render.structure_view import PlaceItem, StackItem, structure_view
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
        proved = sum(proof.status == "proved" for entry in collection.entries for proof in entry.proofs)
        assert card.verified.startswith(f"{proved} claims proved")
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
