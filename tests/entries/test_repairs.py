"""Repairs: what is meant by a value that its key does not admit, or nothing where no small change helps."""

from __future__ import annotations

import pytest

from atlas.entries import repairs
from atlas.entries.base import HttpsUrl, Identifier, Name
from atlas.entries.component import LineRange, SourceClaim
from atlas.entries.manifest import Artifact, PinnedFile, RepositoryPath, RepositoryUrl, Revision, Sha256


@pytest.mark.parametrize(
    ("annotation", "value", "meant"),
    [
        (LineRange, "406–443", "406-443"),
        (LineRange, "#L406-L443", "406-443"),
        (LineRange, "“406 .. 443”", "406-443"),
        (LineRange, "0-443", "1-443"),
        (LineRange, "all of them", ""),
        (LineRange, "406-410, 420-443", ""),
        (Identifier, "Layer Norm", "layer-norm"),
        (Identifier, "layerNorm.yml", "layernorm"),
        (Identifier, "encoder/layer-norm", "layer-norm"),
        (Identifier, "層", ""),
        (Name, "layer-norm", "layer_norm"),
        (Name, "layer_norm(x)", "layer_norm"),
        (Name, "2d", ""),
        (RepositoryPath, "https://github.com/a/b/blob/main/src/c.py#L3", "src/c.py"),
        (RepositoryPath, "src\\c.py", "src/c.py"),
        (RepositoryPath, "./src/c.py", "src/c.py"),
        (RepositoryUrl, "git@github.com:a/b.git", "https://github.com/a/b"),
        (RepositoryUrl, "a/b", "https://github.com/a/b"),
        (HttpsUrl, "http://example.org/a", "https://example.org/a"),
        (HttpsUrl, "javascript:alert(1)", ""),
        (HttpsUrl, "data:text/html,x", ""),
        (Revision, "HEAD", ""),
        (Revision, "7ce9222", ""),
        (Sha256, "sha256:" + "A" * 64, "a" * 64),
        (Sha256, "a" * 63, ""),
        (Identifier, "X" * 400, ""),
        (Identifier, 5, ""),
    ],
)
def test_a_repair_is_admitted_by_the_key(annotation: object, value: object, meant: str) -> None:
    assert repairs.repair(annotation, value) == meant


def test_items_without_commas_are_told_apart() -> None:
    assert repairs.several(Identifier, "attention ffn") == "attention, ffn"
    assert repairs.several(Identifier, "attention FFN") == ""
    assert repairs.several(Identifier, "attention") == ""


@pytest.mark.parametrize(
    ("value", "meant"),
    [("1_024", "1024"), ("1,024", "1024"), (512.0, "512"), (512.5, ""), ("8*64", ""), (True, ""), ("'7'", "7")],
)
def test_a_whole_number_is_told_by_its_digits(value: object, meant: str) -> None:
    assert repairs.number(value) == meant


def test_what_a_record_says_of_its_keys() -> None:
    assert repairs.only_key(PinnedFile) == "blob"
    assert repairs.only_key(Artifact) == ""
    assert repairs.only_key(None) == ""
    assert repairs.about(SourceClaim, "claim") == "What the passage shows, in one sentence"
    assert repairs.about(SourceClaim, "nothing") == ""
