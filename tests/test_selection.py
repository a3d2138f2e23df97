"""Which issues concern what somebody asks about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from atlas.exceptions import ProjectError
from atlas.project import project_in
from atlas.selection import Selection, select

ENCODER = "content/transformer/encoder"
FFN, ATTENTION = f"{ENCODER}/ffn-layer-norm.yml", f"{ENCODER}/attention-layer-norm.yml"
MODEL, LIBRARY = "content/transformer/model.yml", "content/chainer/library.yml"
CHAINER = "content/chainer/layer-normalization.yml"
TINY = {
    f"content/tiny/{name}.yml"
    for name in ("model", "input/embedding", "encoder/residual", "decoder/attention", "output/head")
}
T2T, PINS = "sources/tensor2tensor.yml", "sources/pins.lock"


def selected(real_project: Any, *names: str, here: str = ".") -> Selection:
    return select(project_in(real_project.root), names, real_project.root / here)


@pytest.mark.parametrize(
    ("here", "name"),
    [
        (".", FFN),
        (".", f"./{FFN}"),
        (".", "transformer/encoder/ffn-layer-norm"),
        (".", "transformer/encoder/ffn-layer-norm.yml"),
        (ENCODER, "ffn-layer-norm.yml"),
        (ENCODER, FFN),
        (ENCODER, "transformer/encoder/ffn-layer-norm"),
        ("sources", "../content/transformer/encoder/ffn-layer-norm.yml"),
        ("..", FFN),
        ("..", f"project/{FFN}"),
    ],
)
def test_an_entry_is_named_in_many_ways(real_project: Any, here: str, name: str) -> None:
    assert selected(real_project, name, here=here).named == (FFN,)
    assert selected(real_project, str(real_project.root / FFN), here=here).named == (FFN,)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("content/chainer", {CHAINER, LIBRARY}),
        ("chainer/", {CHAINER, LIBRARY}),
        ("transformer/encoder", {FFN, ATTENTION}),
        ("transformer", {FFN, ATTENTION, MODEL}),
        ("sources", {"sources/chainer.yml", T2T}),
        (".", {FFN, ATTENTION, MODEL, CHAINER, LIBRARY, *TINY, "sources/chainer.yml", T2T}),
    ],
)
def test_a_folder_names_what_is_in_it(real_project: Any, name: str, files: set[str]) -> None:
    assert set(selected(real_project, name).named) == files


def test_what_an_entry_rests_on_concerns_it(real_project: Any) -> None:
    found = selected(real_project, ATTENTION)
    concerning = {ATTENTION, FFN, MODEL, T2T, PINS, f"{ENCODER}/attention-layer-norm.proofs.json"}
    for path in concerning | {"content/transformer"}:
        assert found.concerns(path), path
    elsewhere = (CHAINER, LIBRARY, "content/chainer", "sources/chainer.yml", f"{ENCODER}/ffn-layer-norm.proofs.json")
    for path in (*elsewhere, "content", ""):
        assert not found.concerns(path), path


def test_a_manifest_rests_on_the_lock_alone(real_project: Any) -> None:
    found = selected(real_project, T2T)
    assert found.concerns(T2T)
    assert found.concerns(PINS)
    assert not found.concerns(FFN)
    assert not found.concerns("sources/chainer.yml")


def test_entries_that_inherit_in_a_circle_or_cannot_be_read_end(real_project: Any) -> None:
    real_project.edit(FFN, "operator: layer_norm\n", "operator: layer_norm\ninherits: attention-layer-norm\n")
    assert selected(real_project, FFN).concerns(ATTENTION)
    (real_project.root / FFN).write_text("title: [", encoding="utf-8")
    assert selected(real_project, ATTENTION).concerns(FFN)
    assert selected(real_project, FFN).concerns(MODEL)


def test_a_project_behind_a_link_is_the_same(real_project: Any, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(real_project.root, target_is_directory=True)
    assert select(project_in(link), [str(link / FFN)], link / "content").named == (FFN,)
    assert select(project_in(link), ["transformer/encoder"], link).named == (ATTENTION, FFN)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("transformer/encoder/ffn-layer-nrm", "did you mean transformer/encoder/ffn-layer-norm?"),
        ("content/transformer/encoder/ffn-layer-nrm.yml", f"did you mean {FFN}?"),
        ("mkdocs.yml", "mkdocs.yml holds no entry and no source manifest"),
        ("sources/licenses", "sources/licenses holds no entry and no source manifest"),
        ("/", None),
        ("zzz", "there is no file, folder or entry zzz; there is chainer, tiny and transformer"),
    ],
)
def test_a_name_that_is_no_part_of_the_project_is_refused(real_project: Any, name: str, message: str | None) -> None:
    if message is None:
        assert len(selected(real_project, name).named) == 7 + len(TINY)
        return
    with pytest.raises(ProjectError) as caught:
        selected(real_project, FFN, name)
    assert str(caught.value).endswith(message)
