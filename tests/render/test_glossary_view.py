"""The glossary: every size, symbol and term with those who use it."""

from __future__ import annotations

import pytest

from atlas.checks.checked import Checked
from atlas.entries.collection import Model
from atlas.operators.catalogue import CATALOGUE
from atlas.render.deferred import Typesetting
from atlas.render.glossary_share import GlossaryShare, glossary_share
from atlas.render.glossary_view import USES, WORDS, GlossaryView, glossary_view
from atlas.render.json_symbols import symbols_document
from atlas.render.parts import Parts
from tests.render.shares import found, kept_and_found


@pytest.fixture(scope="module")
def checked(whole_checked: Checked) -> Checked:
    return whole_checked


@pytest.fixture
def parts(checked: Checked) -> Parts:
    return Parts(checked, Typesetting())


SELF_ATTENTION = "gpt-2/decoder/self-attention/"


@pytest.fixture
def names_shares(checked: Checked) -> list[GlossaryShare]:
    return [glossary_share(one) for one in checked.collections.values()]


@pytest.fixture
def glossary(names_shares: list[GlossaryShare]) -> GlossaryView:
    return glossary_view(names_shares, Typesetting())


def test_the_glossary_has_every_size_with_its_key_and_users(checked: Checked, glossary: GlossaryView) -> None:
    for collection in checked.collections.values():
        data = collection.collection.data
        for symbol, meaning in data.dimensions.items():
            (one,) = [one for one in found(glossary.sizes, symbol) if one.meaning == meaning]
            assert data.title in [use.title for use in one.uses] or one.more
            if isinstance(data, Model):
                keys = [
                    setting.name
                    for variant in data.variants.values()
                    for name, setting in variant.settings.items()
                    if name == symbol
                ]
                assert set(keys) <= set(one.keys)
    (width,) = found(glossary.sizes, "d")
    assert {"n_embd", "hidden_size", "hparams.hidden_size"} <= set(width.keys)


def test_the_glossary_has_every_symbol_with_its_argument_and_the_name_upstream(
    checked: Checked, glossary: GlossaryView
) -> None:
    for entry in checked.entries:
        for name, symbol in entry.entry.data.symbols.items():
            if symbol.binds:
                assert any(one.argument == symbol.binds for one in found(glossary.symbols, name)), (
                    entry.entry.id,
                    name,
                )
    query = next(one for one in found(glossary.symbols, "W^Q") if one.argument == "W_q")
    assert query.meaning == "Query weights"
    assert "attn.c_attn.weight" in query.keys
    assert [one.id for one in glossary.symbols] == [
        f"symbol-{number}" for number in range(1, len(glossary.symbols) + 1)
    ]


def test_terms_are_all_operators_and_words_are_told_once(checked: Checked, glossary: GlossaryView) -> None:
    assert {term.link.url.split("/")[1] for term in glossary.terms} == {one.family for one in CATALOGUE.values()}
    for term in glossary.terms:
        users = [one for one in checked.entries if one.operator.family == term.link.url.split("/")[1]]
        assert term.uses == len(users)
    assert len({word for word, _ in WORDS}) == len(WORDS)


def test_every_use_of_a_name_is_counted_and_the_first_are_named(checked: Checked, glossary: GlossaryView) -> None:
    for one in glossary.symbols:
        expected = [
            entry
            for entry in checked.entries
            if (symbol := entry.entry.data.symbols.get(one.symbol.tex))
            and (symbol.binds or "") == one.argument
            and one.meaning
            == (symbol.meaning or symbol.parameter or ("the result" if symbol.binds == "result" else ""))
        ]
        assert len(one.uses) + one.more == len(expected)
        assert [use.url for use in one.uses] == [f"{entry.entry.id}/" for entry in expected[:USES]]
        assert [use.title.rpartition(" · ")[2] for use in one.uses] == [
            entry.entry.data.title for entry in expected[:USES]
        ]
    assert any(one.more for one in glossary.symbols)
    (attention,) = {use.title for one in glossary.symbols for use in one.uses if use.url == SELF_ATTENTION}
    assert attention == "GPT-2 · Decoder · Causal self-attention"


def test_names_as_data_are_those_of_the_glossary_with_every_use(
    checked: Checked, names_shares: list[GlossaryShare], glossary: GlossaryView
) -> None:
    document = symbols_document(names_shares)
    for names, shown in ((document.sizes, glossary.sizes), (document.symbols, glossary.symbols)):
        assert [(one.symbol, one.meaning, one.argument or "", one.names) for one in names] == [
            (one.symbol.tex, one.meaning, one.argument, one.keys) for one in shown
        ]
        assert [len(one.used_by) for one in names] == [len(one.uses) + one.more for one in shown]
        assert all(one.used_by[0].page == other.uses[0].url for one, other in zip(names, shown, strict=True))
    users = {item.id: item.title for one in document.symbols for item in one.used_by}
    assert users.items() <= {entry.entry.id: entry.entry.data.title for entry in checked.entries}.items()


def test_what_the_glossary_needs_of_a_collection_can_be_kept(names_shares: list[GlossaryShare], parts: Parts) -> None:
    kept = kept_and_found(names_shares)
    assert kept == names_shares
    assert glossary_view(kept, parts.typesetting) == glossary_view(names_shares, parts.typesetting)
    assert symbols_document(kept) == symbols_document(names_shares)
