"""Counts: an axis has a length in every variant, and a library's count of symbols is that of its operator."""

from __future__ import annotations

from typing import Any

import pytest

from atlas.checks.formula import read_table
from atlas.checks.parameters import check_counts
from atlas.checks.sizes import check_variants
from atlas.entries.load import load
from atlas.operators.catalogue import find

FFN_FILE = "content/transformer/encoder/ffn-layer-norm.yml"


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ("d-512", "in the variant transformer_base this axis has no length: d-512 is 0"),
        ("d-600", "in the variant transformer_base this axis has no length: d-600 is -88"),
        ("d/3", "in the variant transformer_base this axis has no length: "),
    ],
)
def test_an_axis_without_a_length_is_told_once_for_each_symbol(real_project: Any, axis: str, message: str) -> None:
    real_project.edit(FFN_FILE, "axes: [d], binds: gamma", f"axes: [{axis}], binds: gamma")
    root = real_project.root
    atlas, issues = load(root, root / "content", root / "sources")
    assert issues == []
    collection = atlas.collections["transformer"]
    found = list(check_variants(collection, collection.entries))
    line = real_project.line(FFN_FILE, "binds: gamma", 1)
    assert [(one.path, one.line, one.code) for one in found] == [(FFN_FILE, line, "A402")]
    assert found[0].message.startswith(message)


def test_axes_of_the_real_content_have_lengths(real_project: Any) -> None:
    root = real_project.root
    atlas, _ = load(root, root / "content", root / "sources")
    for collection in atlas.collections.values():
        assert list(check_variants(collection, collection.entries)) == []


@pytest.mark.parametrize(("axis", "codes"), [("C", []), ("2 C", ["A402"]), ("C+1", ["A402"]), ("N", ["A402"])])
def test_a_librarys_count_is_compared_with_its_operator(real_project: Any, axis: str, codes: list[str]) -> None:
    real_project.edit(
        "content/chainer/layer-normalization.yml", "axes: [C], binds: gamma", f"axes: [{axis}], binds: gamma"
    )
    root = real_project.root
    atlas, _ = load(root, root / "content", root / "sources")
    collection = atlas.collections["chainer"]
    (entry,) = collection.entries
    operator = find(entry.data.operator)
    table, _ = read_table(entry, operator)
    assert table is not None
    figure, issues = check_counts(entry, collection, operator, table)
    assert [one.code for one in issues] == codes
    assert bool(figure) is not bool(codes)
