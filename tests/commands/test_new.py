"""`atlas new`: files whose blanks are named one by one, and which pass once these are filled in."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from atlas.cli import main
from atlas.scaffold.starter import starter_files, write_starter

Atlas = Callable[..., Result]

RMS_NORM = "content/miniature/layers/rms-norm.yml"
CLAIM = {
    "what these lines show in one sentence": "The norm of the layers, which this one is simpler than.",
    "a manifest chainer or tensor2tensor": "tensor2tensor",
    "the file in the repository": "tensor2tensor/models/common_layers.py",
    "first and last line such as 59-61": "406-443",
    "the function or class that is defined there": "layer_norm",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_starter(tmp_path / "atlas", starter_files("Test", None))
    monkeypatch.chdir(tmp_path / "atlas")
    return tmp_path / "atlas"


@pytest.fixture
def atlas(root: Path) -> Atlas:
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="atlas")


def refused(result: Result) -> str:
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


def codes(result: Result) -> list[str]:
    return re.findall(r"^\S+: (A\d{3}) ", result.stdout, re.MULTILINE)


def fill(file: Path, words: dict[str, str]) -> None:
    """Write something into every blank, as an editor would."""
    text = file.read_text(encoding="utf-8")
    for blank in re.findall(r"TODO\(([^)]*)\)", text.partition("title:")[2]):
        assert blank in words, blank
        text = text.replace(f"TODO({blank})", words[blank], 1) if blank == "its value" else text.replace(
            f"TODO({blank})", words[blank]
        )  # fmt: skip
    file.write_text(text, encoding="utf-8")


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_component_that_is_listed_already_is_not_to_be_listed(atlas: Atlas, root: Path) -> None:
    model = root / "content/miniature/model.yml"
    replace(model, "components: [feed-forward, residual, layer-norm]", "components: [feed-forward, residual, rms-norm]")
    result = atlas("new", "component", "miniature/layers/rms-norm", "--operator", "rms_norm", "--axis", "C=d")
    assert result.exit_code == 0
    assert "among" not in result.stderr
    assert "; content/miniature/model.yml names rms-norm already; `atlas check`" in result.stderr


def test_a_component_passes_once_its_blanks_are_filled_in(atlas: Atlas, root: Path) -> None:
    result = atlas("new", "component", "miniature/layers/rms-norm", "--operator", "rms_norm", "--axis", "C=d")
    assert result.exit_code == 0
    blanks = (root / RMS_NORM).read_text(encoding="utf-8").partition("title:")[2].count("TODO(")
    assert result.stdout == f"{RMS_NORM} written with {blanks} blanks\n"
    assert "name rms-norm among the `components` of the stack layers in content/miniature/model.yml" in result.stderr
    model = root / "content/miniature/model.yml"
    replace(model, "components: [feed-forward, residual, layer-norm]", "components: [feed-forward, residual, rms-norm]")
    (root / "content/miniature/layers/layer-norm.yml").unlink()
    found = atlas("check", RMS_NORM)
    assert codes(found) == ["A016"]
    assert f" A016 {blanks} blanks are not filled in\n" in found.stdout
    lines = (root / RMS_NORM).read_text(encoding="utf-8").splitlines()
    places = re.findall(r"^    (\d+):(\d+) +\S", found.stdout, re.MULTILINE)
    assert len(places) == blanks
    for line, column in places:
        assert lines[int(line) - 1][int(column) - 1 :].startswith("TODO(")
    each = json.loads(atlas("check", RMS_NORM, "--format", "json").stdout)
    assert [(str(one["line"]), str(one["column"])) for one in each] == places
    fill(
        root / RMS_NORM,
        {
            **CLAIM,
            "the name as people say it": "RMSNorm",
            "a finite number of at least 0 as the source has it": "1e-6",
            "what it does in one sentence": "Divide features by the root of their mean square.",
            r"an expression of x and \gamma and \varepsilon": (
                r"\gamma\odot\frac{x}{\sqrt{\frac{1}{d}\sum_{j=1}^{d}x_j^2+\varepsilon}}"
            ),
            "its value": "10^{-6}",
            "what it is in a few words": "features of each position",
            "its name in the table of parameters": "Gain",
            "what it is for": "keeps the root away from zero",
            "value of the model for x": "'s_n'",
            "value of the model for result": "'x_{n+1}'",
        },
    )
    result = atlas("check")
    assert (result.exit_code, result.stdout) == (0, ""), result.stdout


def test_a_component_with_several_inputs_passes_too(atlas: Atlas, root: Path) -> None:
    (root / "content/miniature/layers/feed-forward.yml").unlink()
    arguments = [*("--axis", "d=d"), *("--axis", "f=f"), *("--axis", "m=d"), *("--batch", "B, S")]
    name = "miniature/layers/feed-forward"
    assert atlas("new", "component", name, "--operator", "feed_forward_relu", *arguments).exit_code == 0
    fill(
        root / "content/miniature/layers/feed-forward.yml",
        {
            **CLAIM,
            "the name as people say it": "Feed-forward",
            "what it does in one sentence": "Widen, keep what is positive, and narrow.",
            "an expression of x and W_1 and b_1 and W_2 and b_2": r"\max(0,xW_1+b_1)W_2+b_2",
            "what it is in a few words": "features of each position",
            "its name in the table of parameters": "Weights or bias",
            "value of the model for x": "'x_n'",
            "value of the model for result": "'r_n'",
        },
    )
    result = atlas("check")
    assert (result.exit_code, result.stdout) == (0, ""), result.stdout


def test_a_model_passes_once_its_blanks_are_filled_in(atlas: Atlas, root: Path) -> None:
    assert atlas("new", "model", "tiny-norms", "--stack", "norms").exit_code == 0
    fill(
        root / "content/tiny-norms/model.yml",
        {
            "the name of the model": "Norms",
            "what it is in one or two sentences": "A few norms, one after the other.",
            "what kind of model it is such as decoder": "encoder",
            "the title of its paper": "On Norms",
            "the first author": "Ada Stone",
            "the year": "2024",
            "its https address; or write arxiv and the quoted identifier": "https://example.org/norms",
            "what the model is given": "features",
            "the value that the last layer gives": "x_{n+1}",
            "what it is": "features",
            "the first component; atlas new component makes its file": "norm",
            "the model width": "8",
            "the number of layers": "2",
        },
    )
    norm = "tiny-norms/norms/norm"
    options = ["--operator", "layer_norm", "--axis", "C=d", "--batch", "B,S"]
    assert atlas("new", "component", norm, *options).exit_code == 0
    fill(
        root / f"content/{norm}.yml",
        {
            **CLAIM,
            "the name as people say it": "LayerNorm",
            "a finite number of at least 0 as the source has it": "1e-6",
            "what it does in one sentence": "Center and scale the features.",
            r"an expression of x and \gamma and \beta and \varepsilon": (
                r"\gamma\odot\frac{x-\mu}{\sqrt{\frac{1}{d}\sum_{j=1}^{d}(x_j-\mu)^2+\varepsilon}}+\beta \\"
                "\n"
                r"  \mu &= \frac{1}{d}\sum_{j=1}^{d}x_j"
            ),
            "its value": "10^{-6}",
            "what it is in a few words": "features of each position",
            "its name in the table of parameters": "Gain or bias",
            "what it is for": "keeps the root away from zero",
            "value of the model for x": "'x_n'",
            "value of the model for result": "'x_{n+1}'",
        },
    )
    result = atlas("check")
    assert (result.exit_code, result.stdout) == (0, ""), result.stdout


def test_a_library_and_a_source_name_their_blanks_and_nothing_else(atlas: Atlas, root: Path) -> None:
    result = atlas("new", "library", "flax", "--source", "chainer")
    assert result.exit_code == 0
    assert "source: chainer\n" in (root / "content/flax/library.yml").read_text(encoding="utf-8")
    arguments = ["--title", "Flax: a library", "--repository", "https://github.com/google/flax"]
    assert atlas("new", "source", "flax", *arguments).exit_code == 0
    manifest = (root / "sources/flax.yml").read_text(encoding="utf-8")
    assert "title: 'Flax: a library'\nrepository: https://github.com/google/flax\n" in manifest
    assert {*codes(atlas("check"))} == {"A016"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["component", "miniature/layers/a", "--operator", "rmsnorm"], "is called rmsnorm; did you mean rms_norm"),
        (["component", "miniature/layers/a", "--operator", "zzzz"], "no operator is called zzzz; there are add, "),
        (["component", "miniature/layers/a"], "Missing option '--operator'"),
        (["component", "minature/layers/a", "--operator", "add"], "no collection minature; did you mean miniature?"),
        (["component", "zz/layers/a", "--operator", "add"], "`atlas new model zz` or `… library …` begins one"),
        (["component", "miniature/layer/a", "--operator", "add"], "no stack layer; did you mean miniature/layers/a?"),
        (["component", "miniature/a", "--operator", "add"], "a component of miniature stands in a stack; it has "),
        (["component", "chainer/a/b", "--operator", "add"], "a layer of a library is called chainer/NAME"),
        (["component", "miniature/layers/A b", "--operator", "add"], "`A b` is no name of a file here: lower-case"),
        (["component", "../layers/a", "--operator", "add"], "`..` is no name of a file here"),
        (["component", "miniature/layers/residual", "--operator", "add"], "is there already; delete it first"),
        (["component", "miniature/layers/a", "--operator", "rms_norm", "--axis=D=d"], "has no size D; its contract"),
        (["component", "miniature/layers/a", "--operator", "rms_norm", "--axis", "C"], "such as C=d, not C"),
        (["component", "miniature/layers/a", "--operator", "rms_norm", "--axis", "C=[d"], "such as C=d, not C=[d"),
        (["model", "Miniature"], "`Miniature` is no name of a file here"),
        (["model", "miniature"], "miniature is a model already"),
        (["library", "chainer"], "chainer is a library already"),
        (["library", "flax", "--source", "chaine"], "there is no manifest chaine; did you mean chainer?"),
        (["library", "flax", "--source", "flax"], "`atlas new source flax` writes one"),
        (["source", "chainer"], "sources/chainer.yml is there already"),
        (["source", "flax", "--repository", "git@github.com:google/flax"], "is not an https address such as"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_told(atlas: Atlas, root: Path, arguments: list[str], message: str) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert message in refused(atlas("new", *arguments))
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
