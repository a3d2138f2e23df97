"""What is known of entries as users of operators and sources: all that they state, from shares that stand alone."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise

import pytest

from atlas.checks.checked import Checked
from atlas.operators.catalogue import CATALOGUE, FAMILIES, find
from atlas.render.deferred import Typesetting
from atlas.render.parts import Parts
from atlas.render.reference_views import family_view, file_view, operators_view
from atlas.render.uses import MOST_NAMED, Documented, Related, Relatives, Use, Uses, UsesShare, uses_share

ATTENTION, OTHER = "multi_head_attention", "multi_head_attention_causal"
FAMILY = find(ATTENTION).family


def use(number: int, operator: str = ATTENTION) -> Use:
    return Use(
        f"m/{number}",
        f"Attention {number}",
        "M · Decoder",
        operator,
        find(operator).family,
        (Documented("s", "a.py", 1, number, "c"),),
    )


def related(number: int, uses: Uses) -> Relatives:
    return Related(uses).of(f"m/{number}", ATTENTION, FAMILY)


def of(*entries: Use) -> Uses:
    return Uses([UsesShare("m", "M", True, 1, entries, ((ATTENTION, "y"),))])


def test_every_entry_is_among_the_users_of_its_operator_in_the_order_of_the_atlas(
    whole_checked: Checked, whole_uses: Uses
) -> None:
    parts = Parts(whole_checked, Typesetting())
    for operator in CATALOGUE.values():
        entries = [one for one in whole_checked.entries if one.operator.name == operator.name]
        users = whole_uses.users(operator.name)
        assert [one.link for one in users] == [parts.entry_link(one, full=True) for one in entries]
        assert whole_uses.formula(operator.name) == (entries[0].entry.data.formula if entries else None)
    for family in FAMILIES:
        found = [one.entry.id for one in whole_checked.entries if one.operator.family == family]
        assert [one.id for one in whole_uses.relatives(family)] == found


def test_every_claim_is_among_the_passages_of_its_file(whole_checked: Checked, whole_uses: Uses) -> None:
    stated = [
        (claim.claim.source, claim.claim.path, entry.entry.id, claim.claim.id, claim.claim.span)
        for entry in whole_checked.entries
        for claim in entry.claims
    ]
    found = [
        (source.id, path, one.id, passage.claim, (passage.first, passage.last))
        for source in whole_checked.atlas.sources.values()
        for path in source.data.files
        for one, passage in whole_uses.passages(source.id, path)
    ]
    assert len(stated) > 50
    assert sorted(found) == sorted(stated)


def test_a_share_stands_alone(whole_checked: Checked, whole_uses: Uses) -> None:
    """From pickled shares, and without any collection, the pages are the same."""
    shares = [uses_share(one) for one in whole_checked.collections.values()]
    again = [pickle.loads(pickle.dumps(share)) for share in shares]  # noqa: S301 - made here
    assert again == shares
    alone = replace(whole_checked, collections={}, atlas=replace(whole_checked.atlas, collections={}))
    typesetting = Typesetting()
    parts, restored = Parts(alone, typesetting), Uses(again)
    assert operators_view(restored) == operators_view(whole_uses)
    for family in FAMILIES:
        assert family_view(family, restored, parts) == family_view(family, whole_uses, parts)
    passages = 0
    for source in whole_checked.atlas.sources.values():
        for path in source.data.files:
            view = file_view(source, path, restored, parts)
            assert view == file_view(source, path, whole_uses, parts)
            passages += len(view.passages)
    assert passages > 50
    assert typesetting.waiting


def test_a_share_is_small(whole_checked: Checked) -> None:
    written = sum(len(pickle.dumps(uses_share(one))) for one in whole_checked.collections.values())
    assert written / len(whole_checked.entries) < 600


def test_passages_stand_in_the_order_of_the_file(whole_checked: Checked, whole_uses: Uses) -> None:
    parts = Parts(whole_checked, Typesetting())
    source = whole_checked.atlas.sources["tensor2tensor"]
    view = file_view(source, "tensor2tensor/models/common_layers.py", whole_uses, parts)
    begun = [int(one.note.split()[1].partition("–")[0]) for one in view.passages]
    assert all(one <= after for one, after in pairwise(begun))
    at = {line.line.number: line for line in view.lines if line.docs}
    assert set(at) == set(begun)
    assert [link.url for link in at[begun[0]].docs] == [
        one.url for one, begin in zip(view.passages, begun, strict=True) if begin == begun[0]
    ]


def test_a_component_names_all_others_of_its_family(whole_checked: Checked, whole_uses: Uses) -> None:
    named, related = 0, Related(whole_uses)
    for entry in whole_checked.entries:
        relatives = related.of(entry.entry.id, entry.operator.name, entry.operator.family)
        links, more = relatives.links, relatives.more
        others = [
            f"{one.entry.id}/"
            for one in whole_checked.entries
            if one.operator.family == entry.operator.family and one is not entry
        ]
        assert [link.url for link in links] == others[:MOST_NAMED]
        assert (more is None) == (len(others) <= MOST_NAMED)
        named += len(links)
    assert named > 50


def test_another_formulation_is_called_by_its_name() -> None:
    relatives = related(0, of(use(0), use(1), use(2, OTHER)))
    links, more = relatives.links, relatives.more
    assert [(one.url, one.note) for one in links] == [("m/1/", ""), ("m/2/", f"another formulation: {OTHER}")]
    assert links[0].title == "M · Decoder · Attention 1"
    assert more is None


@pytest.mark.parametrize("own", [0, MOST_NAMED - 1, MOST_NAMED, MOST_NAMED + 1, MOST_NAMED + 5])
def test_of_too_many_others_the_first_are_named_and_the_rest_counted(own: int) -> None:
    relatives = related(own, of(*map(use, range(MOST_NAMED + 6))))
    links, more = relatives.links, relatives.more
    assert [one.url for one in links] == [f"m/{number}/" for number in range(MOST_NAMED + 1) if number != own][
        :MOST_NAMED
    ]
    assert more is not None
    assert more.title == "5 more, with the operator"
    assert more.url == "operators/multi-head-attention/#multi-head-attention"
    exactly = of(*map(use, range(MOST_NAMED + 1)))
    assert related(3, exactly).more is None


def test_those_after_the_first_of_a_family_have_the_same_relatives() -> None:
    every = Related(of(*map(use, range(MOST_NAMED + 5)), use(90, OTHER), use(91, OTHER)))
    last, other = every.of(f"m/{MOST_NAMED + 2}", ATTENTION, FAMILY), every.of("m/90", OTHER, FAMILY)
    assert every.of(f"m/{MOST_NAMED + 3}", ATTENTION, FAMILY) is last
    assert every.of("m/91", OTHER, FAMILY) is other
    assert [one.url for one in other.links] == [one.url for one in last.links]
    assert {one.note for one in last.links} == {""}
    assert {one.note for one in other.links} == {f"another formulation: {ATTENTION}"}
