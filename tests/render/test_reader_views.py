"""Home, glossary, operators and the structure beside the page, over the real content."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from atlas.checks.checked import Checked, CheckedCollection
from atlas.entries.collection import Model
from atlas.node.environment import prepare
from atlas.node.process import NodeProcess
from atlas.operators.catalogue import CATALOGUE
from atlas.render.compare_view import CompareShare, CompareView, compare_share, compare_view
from atlas.render.deferred import Typesetting
from atlas.render.diagram import layout
from atlas.render.entrance_view import BESIDE, Fact, entrance_view
from atlas.render.figures_view import diagram_view
from atlas.render.json_conflicts import ConflictsShare, conflicts_document, conflicts_share
from atlas.render.json_types import FilePlace
from atlas.render.json_verification import verification_document
from atlas.render.parts import Parts
from atlas.render.reference_views import operators_view
from atlas.render.structure_view import PlaceItem, StackItem, Structures
from atlas.render.uses import Uses
from atlas.render.verification_view import (
    VerificationShare,
    VerificationView,
    verification_share,
    verification_view,
)
from tests.render.shares import kept_and_found

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def checked(whole_checked: Checked) -> Checked:
    return whole_checked


@pytest.fixture
def parts(checked: Checked) -> Parts:
    return Parts(checked, Typesetting())


@pytest.fixture
def claims_shares(checked: Checked) -> list[VerificationShare]:
    return [verification_share(one) for one in checked.collections.values()]


@pytest.fixture
def claims(claims_shares: list[VerificationShare]) -> VerificationView:
    return verification_view(claims_shares)


@pytest.fixture
def compare_shares(checked: Checked) -> list[CompareShare]:
    return [share for one in checked.collections.values() if (share := compare_share(one)) is not None]


@pytest.fixture
def comparison(compare_shares: list[CompareShare]) -> CompareView:
    return compare_view(compare_shares, Typesetting())


@pytest.fixture
def conflicts_shares(checked: Checked, parts: Parts) -> list[ConflictsShare]:
    return [conflicts_share(one, parts) for one in checked.collections.values()]


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
        shown = Structures(collection).of("elsewhere/")
        assert [one.title for one in places(shown.parts)] == [node.title for node in collection.graph.nodes]
        assert not any(one.is_here or one.is_current for one in places(shown.parts))
        assert shown.more == 0


def test_a_component_in_several_places_is_marked_in_all_and_current_in_one(checked: Checked) -> None:
    shown = Structures(checked.collections["gpt-2"]).of("gpt-2/decoder/attention-layer-norm/")
    here = [one for one in places(shown.parts) if one.is_here]
    assert [one.is_current for one in here] == [True, False, False]
    decoder = next(one for one in shown.parts if isinstance(one, StackItem) and one.title == "Decoder")
    assert (decoder.times, decoder.url) == ("× 12", "gpt-2/#stack-decoder")
    assert Structures(checked.collections["gpt-2"]).of("gpt-2/").is_current


def test_stacks_stand_within_stacks(checked: Checked) -> None:
    shown = Structures(checked.collections["resnet"]).of("resnet/")
    stages = next(one for one in shown.parts if isinstance(one, StackItem) and one.title == "Stages")
    assert [(one.title, one.times) for one in stages.parts if isinstance(one, StackItem)] == [
        ("First block", ""),
        ("Further blocks", "× m-1"),
    ]
    assert stages.times == "× 4"


def test_a_library_lists_its_layers(checked: Checked) -> None:
    shown = Structures(checked.collections["chainer"]).of("chainer/layer-normalization/")
    assert [(one.title, one.is_current) for one in places(shown.parts)] == [("LayerNormalization", True)]


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


def test_every_claim_is_listed_once_below_its_collection(checked: Checked, claims: VerificationView) -> None:
    stated = sum(
        len(one.proofs) + sum(len(entry.proofs) for entry in one.entries) for one in checked.collections.values()
    )
    assert claims.claims == stated == sum(one.count for one in claims.totals)
    assert [one.status for one in claims.totals] == ["proved", "recorded", "stale", "missing"]
    anchors = [thing.anchor for group in claims.groups for thing in group.things]
    assert len(set(anchors)) == len(anchors)
    assert "entry-gpt-2--decoder--self-attention" in anchors
    for group in claims.groups:
        proofs = [proof for thing in group.things for _, proof in thing.proofs]
        assert group.claims == len(proofs)
        assert {one.status: one.count for one in group.counts} == Counter(proof.status for proof in proofs)
    assert {"formula", "shapes", "parameters", "excerpts", "upstream"} <= set(claims.kinds)
    assert claims.latest == max(
        proof.date for group in claims.groups for thing in group.things for _, proof in thing.proofs
    )
    models = [isinstance(checked.collections[group.id].collection.data, Model) for group in claims.groups]
    assert models == sorted(models, reverse=True)


def test_claims_of_an_entry_are_below_its_stack_and_title(checked: Checked, claims: VerificationView) -> None:
    for group in claims.groups:
        collection = checked.collections[group.id]
        entries = {f"{one.entry.id}/": one for one in collection.entries}
        assert [thing.link.url for thing in group.things] == [
            *([f"{group.id}/"] if collection.proofs else []),
            *(url for url, one in entries.items() if one.proofs),
        ]
        for thing in group.things:
            if entry := entries.get(thing.link.url):
                stack = collection.collection.stack_of(entry.entry)
                names = [*([stack.title] if stack else []), entry.entry.data.title]
                assert thing.link.title == " · ".join(names)
                assert [proof.claim for _, proof in thing.proofs] == [proof.claim for proof in entry.proofs]


def test_a_collection_without_claims_is_no_group_and_its_entries_are_data_all_the_same(
    claims_shares: list[VerificationShare],
) -> None:
    silent, *others = claims_shares
    silent = replace(silent, proofs=(), entries=tuple(replace(one, proofs=()) for one in silent.entries))
    assert silent.id not in [group.id for group in verification_view([silent, *others]).groups]
    listed = {one.entity.id: one.proofs for one in verification_document([silent, *others]).entities}
    assert silent.id not in listed
    assert silent.entries
    assert all(listed[one.id] == () for one in silent.entries)


def test_claims_as_data_are_models_first_and_count_what_the_page_counts(
    checked: Checked, claims_shares: list[VerificationShare], claims: VerificationView
) -> None:
    document = verification_document(claims_shares)
    assert document.totals == {one.status: one.count for one in claims.totals}
    assert [one.entity.id for one in document.entities] == [
        *(name for name, one in checked.collections.items() if one.proofs),
        *(entry.entry.id for entry in checked.entries),
    ]


def test_claims_as_data_are_all_written_each_time(claims_shares: list[VerificationShare]) -> None:
    document = verification_document(claims_shares)
    for indent in (2, None):  # once as a file, once as a line among all data
        written = json.loads(document.written(FilePlace("api/v1/verification.json"), indent=indent))
        assert [one["entity"]["id"] for one in written["entities"]] == [one.entity.id for one in document.entities]
        counted = Counter(proof["status"] for one in written["entities"] for proof in one["proofs"])
        assert {status: count for status, count in written["totals"].items() if count} == counted
        assert written["entities"][0]["entity"]["page"].startswith("../../")


def test_what_the_list_of_claims_needs_of_a_collection_can_be_kept(claims_shares: list[VerificationShare]) -> None:
    kept = kept_and_found(claims_shares)
    assert kept == claims_shares
    assert verification_view(kept) == verification_view(claims_shares)
    assert verification_document(kept) == verification_document(claims_shares)


def test_a_text_of_many_claims_is_kept_once(claims_shares: list[VerificationShare]) -> None:
    largest = max(claims_shares, key=lambda one: len(one.entries))
    texts = [proof.figure for entry in largest.entries for proof in entry.proofs]
    (often, count), *_ = Counter(texts).most_common(1)
    assert count > 1
    assert pickle.dumps(largest).count(often.encode()) == 1


def test_every_variant_is_in_the_table_of_all_models(checked: Checked, comparison: CompareView) -> None:
    counted = {name: one for name, one in checked.collections.items() if one.accounts}
    assert [one.id for one in comparison.choices] == list(counted)
    assert {one.id for one in comparison.choices}.isdisjoint({"chainer"})  # a library is compared with nothing
    for choice in comparison.choices:
        model = counted[choice.id].collection.data
        assert isinstance(model, Model)
        assert choice.variants == tuple((name, one.title) for name, one in model.variants.items())
    rows = iter(comparison.overview)
    for name, one in counted.items():
        for account in one.accounts.values():
            row = next(rows)
            assert row.link.url == f"{name}/"
            assert (row.total, row.active) == (f"{account.total:,}", f"{account.active:,}")
            assert row.cache == (f"{2 * account.cache:,} bytes" if account.cache else "")
    assert next(rows, None) is None


def test_models_with_several_variants_show_what_differs(checked: Checked, comparison: CompareView) -> None:
    several = [name for name, one in checked.collections.items() if len(one.accounts) > 1]
    assert [one.link.url for one in comparison.families] == [f"{name}/" for name in several]
    gpt = next(one for one in comparison.families if one.link.url == "gpt-2/")
    assert all(len(set(values)) > 1 for _, _, values in gpt.sizes)
    assert {tex.tex: values for tex, _, values in gpt.sizes}["d"] == ("768", "1,024", "1,280", "1,600")
    assert "V = 50{,}257" in [equation.tex for equation in gpt.same]
    figures = dict(gpt.figures)
    assert figures["Parameters"] == tuple(f"{one.total:,}" for one in checked.collections["gpt-2"].accounts.values())
    assert all(set(values) != {"0"} for values in figures.values())


def test_what_the_comparison_needs_of_a_model_can_be_kept(compare_shares: list[CompareShare], parts: Parts) -> None:
    kept = kept_and_found(compare_shares)
    assert kept == compare_shares
    assert compare_view(kept, parts.typesetting) == compare_view(compare_shares, parts.typesetting)


def test_conflicts_as_data_are_those_that_are_stated_or_found(
    checked: Checked, conflicts_shares: list[ConflictsShare]
) -> None:
    document = conflicts_document(conflicts_shares)
    models = [
        (name, one.about)
        for name, collection in checked.collections.items()
        if isinstance(collection.collection.data, Model)
        for one in collection.collection.data.differences
    ]
    entries = [(entry.entry.id, one.about) for entry in checked.entries for one in entry.entry.data.differences]
    assert models
    assert entries
    assert [(one.entity.id, one.difference.about.markdown) for one in document.differences] == [*models, *entries]
    assert [(one.model.id, one.variant, one.figure.published) for one in document.figures] == [
        (name, variant, one.published)
        for name, collection in checked.collections.items()
        for variant, found in collection.published.items()
        for one in found
        if not one.agrees
    ]


def test_what_the_list_of_conflicts_needs_of_a_collection_can_be_kept(conflicts_shares: list[ConflictsShare]) -> None:
    kept = kept_and_found(conflicts_shares)
    assert kept == conflicts_shares
    assert conflicts_document(kept) == conflicts_document(conflicts_shares)


def test_operators_are_listed_once_by_what_they_do(whole_uses: Uses) -> None:
    kinds = operators_view(whole_uses).kinds
    families = [card.link.url for _, _, cards in kinds for card in cards]
    assert len(families) == len(set(families)) == len({one.family for one in CATALOGUE.values()})
    norms = next(cards for _, title, cards in kinds if title == "Normalization")
    layer_norm = next(card for card in norms if card.link.url == "operators/layer-norm/")
    assert layer_norm.users == len(whole_uses.relatives("layer-norm")) > 2
