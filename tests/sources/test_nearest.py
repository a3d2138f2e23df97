from __future__ import annotations

from atlas.sources.nearest import nearest


def test_a_spelling_mistake_finds_the_name() -> None:
    assert nearest("layer_nrm", ["layer_norm", "dense", "residual"]) == "layer_norm"


def test_the_same_file_elsewhere_is_nearer_than_a_similar_name() -> None:
    paths = ["a/models/net.py", "a/nets.py", "z/y/x/net.py"]
    assert nearest("a/net.py", paths) == nearest("a/net.py", reversed(paths)) == "a/models/net.py"


def test_nothing_alike_is_nothing() -> None:
    assert nearest("layer_norm", ["zzz"]) is None
    assert nearest("layer_norm", []) is None
