from __future__ import annotations

from atlas.sources.nearest import nearest, nearest_few


def test_a_spelling_mistake_finds_the_name() -> None:
    assert nearest("layer_nrm", ["layer_norm", "dense", "residual"]) == "layer_norm"


def test_the_same_file_elsewhere_is_nearer_than_a_similar_name() -> None:
    paths = ["a/models/net.py", "a/nets.py", "z/y/x/net.py"]
    assert nearest("a/net.py", paths) == nearest("a/net.py", reversed(paths)) == "a/models/net.py"


def test_nothing_alike_is_nothing() -> None:
    assert nearest("layer_norm", ["zzz"]) is None
    assert nearest("layer_norm", []) is None


def test_a_few_near_paths_come_nearest_first() -> None:
    paths = ["pkg/models/net.py", "pkg/nets.py", "doc/net.py", "pkg/layers.py"]
    assert nearest_few("pkg/net.py", paths) == ["pkg/models/net.py", "doc/net.py", "pkg/nets.py"]
    assert nearest_few("pkg/net.py", paths, 1) == ["pkg/models/net.py"]
    assert nearest_few("a/b/c.md", paths) == []
