"""The pins of this repository itself: the archives are fetched as users fetch them, and hold what was pinned."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from atlas.entries.manifest import Manifest
from atlas.exceptions import ExcerptError
from atlas.sources.blob import blob_id
from atlas.sources.cache import BlobCache
from atlas.sources.excerpts import excerpt
from atlas.sources.pins import LOCK_NAME, PinState, load_lock, pin_status
from atlas.sources.store import SourceStore, fetch_all
from atlas.sources.symbols import assignments, begins_with, calls, defined_in, signature

ROOT = Path(__file__).parents[2] / "sources"
COMMON, TRANSFORMER = "tensor2tensor/models/common_layers.py", "tensor2tensor/models/transformer.py"
CHAINER = "chainer/links/normalization/layer_normalization.py"


def manifest(source_id: str) -> Manifest:
    return Manifest.model_validate(yaml.safe_load((ROOT / f"{source_id}.yml").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> BlobCache:
    return BlobCache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def store(cache: BlobCache) -> SourceStore:
    made = SourceStore({name: manifest(name) for name in ("chainer", "tensor2tensor")}, cache)
    report = fetch_all(made)
    assert [f"{name}: {error}" for name, error in report.failures] == []
    assert len(report.texts) == sum(len(made.manifests[name].files) for name in made.manifests) == 13
    return made


@pytest.mark.parametrize(
    ("source_id", "path", "blob"),
    [
        ("tensor2tensor", COMMON, "1e70505701300c3079d0ff497663263f44d2fc9e"),
        ("tensor2tensor", TRANSFORMER, "b341d6fe04a5d11fbc2a722989f7c159d98424f9"),
        ("tensor2tensor", "tensor2tensor/models/common_attention.py", "49cd40285724f7b90894d1938eec0db1fece9797"),
        ("tensor2tensor", "tensor2tensor/models/modalities.py", "60df80a1ccfcbe7888d7d2d54505f4a0deb94606"),
        ("tensor2tensor", "tensor2tensor/utils/t2t_model.py", "2a271afbfddd3a5ceeb8b32cdd15ae4204e495fd"),
        ("chainer", CHAINER, "12d63939d66339daa1fbf94c4830c5826bc92e4e"),
    ],
)
def test_the_archives_hold_the_pinned_files(store: SourceStore, source_id: str, path: str, blob: str) -> None:
    pinned = store.file(source_id, path)
    assert pinned.blob == blob == blob_id(pinned.text.encode())
    status = pin_status(source_id, pinned.manifest, path, load_lock(ROOT / LOCK_NAME))
    assert status.state is PinState.PROVED, status.message


def test_the_layer_norm_of_tensor2tensor_is_where_it_is_said_to_be(store: SourceStore) -> None:
    common = store.file("tensor2tensor", COMMON)
    assert len(excerpt(common, 406, 443).lines) == 38
    definition = defined_in(common, 406, 443, "layer_norm")
    # Lines 406-443 end one line before the function does.
    assert (definition.name, definition.kind, definition.line, definition.last) == ("layer_norm", "function", 429, 444)
    assert begins_with(common, 406, 443, "layer_norm_compute_python").line == 406
    defaults = {argument.name: argument.default for argument in signature(common, "layer_norm")}
    assert defaults == {"x": None, "filters": "None", "epsilon": "1e-6", "name": "None", "reuse": "None"}
    with pytest.raises(ExcerptError, match=r"do not define 'layer_nrm'; they define layer_norm, "):
        defined_in(common, 406, 443, "layer_nrm")
    with pytest.raises(ExcerptError, match=r"lines 406-4430 go past the end of .*, which has [0-9,]+ lines"):
        excerpt(common, 406, 4430)


def test_the_transformer_calls_it_on_line_60(store: SourceStore) -> None:
    transformer = store.file("tensor2tensor", TRANSFORMER)
    assert defined_in(transformer, 59, 61, "residual_fn").line == 59
    assert begins_with(transformer, 59, 61, "residual_fn").last == 61
    assert calls(transformer, 59, 61, "common_layers.layer_norm") == [60]
    base = defined_in(transformer, 1, len(transformer.lines), "transformer_base")
    [width] = assignments(transformer, base.first, base.last, "hparams.hidden_size")
    [depth] = assignments(transformer, base.first, base.last, "hparams.num_hidden_layers")
    assert (width.value, depth.value) == (512, 6)


def test_chainer_s_signature(store: SourceStore) -> None:
    arguments = signature(store.file("chainer", CHAINER), "LayerNormalization.__init__")
    assert [(argument.name, argument.default, argument.kind) for argument in arguments] == [
        ("size", "None", "positional"),
        ("eps", "1e-6", "positional"),
        ("initial_gamma", "None", "positional"),
        ("initial_beta", "None", "positional"),
    ]


def test_a_second_run_needs_no_network(store: SourceStore, cache: BlobCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def impossible(*_: object, **__: object) -> None:
        raise AssertionError("the network was to be used")

    monkeypatch.setattr(subprocess, "Popen", impossible)
    monkeypatch.setattr("socket.socket.connect", impossible)
    monkeypatch.setattr("socket.getaddrinfo", impossible)
    again = SourceStore(store.manifests, BlobCache(cache.folder))
    report = fetch_all(again)
    assert report.failures == ()
    assert [text.path for text in report.texts] == [CHAINER, *sorted(store.manifests["tensor2tensor"].files)]
