"""What the calculator and the comparison are made of, on the site of the real content."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from atlas.checks.checked import Checked
from atlas.exceptions import DisplayError
from atlas.node.process import Formula, NodeProcess
from atlas.operators.catalogue import CATALOGUE
from atlas.render.addresses import standalone_file
from atlas.render.data_files import DataFile, collection_files, settled
from atlas.render.deferred import Typesetting
from atlas.render.parts import Parts
from atlas.render.site import Site

ROOT = Path(__file__).parents[2]


@pytest.fixture
def site(whole_site: Site) -> Site:
    return whole_site


def body(site: Site, url: str) -> str:
    return next(page for page in site.pages if page.url == url).body()


def text(site: Site, url: str) -> str:
    content = next(asset for asset in site.assets if asset.url == url).content
    if isinstance(content, Path):
        return content.read_text(encoding="utf-8")
    return content.decode() if isinstance(content, bytes) else content()


def data(site: Site, url: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text(site, url))
    return found


def test_a_collection_has_its_files_finished(site: Site, whole_checked: Checked, node: NodeProcess) -> None:
    """They are texts once formulas are typeset, which a pickle holds and which need nothing else to be written."""
    typesetting = Typesetting()
    parts = Parts(whole_checked, typesetting)
    files = list(collection_files(whole_checked.collections["gpt-2"], parts))
    assert [file.url for file in files] == ["calculator/gpt-2.json", "compare/gpt-2.json"]
    with pytest.raises(DisplayError, match="never typeset"):
        settled(files[1])
    typesetting.take(node.typeset(typesetting.waiting))
    share = tuple(map(settled, files))
    assert all(isinstance(file.content, str) for file in share)
    restored = pickle.loads(pickle.dumps(share))  # noqa: S301 - made here
    assert restored == share == tuple(map(settled, share))
    for file in restored:
        assert file.content == text(site, file.url)
    assert list(collection_files(whole_checked.collections["chainer"], parts)) == []


def test_a_formula_in_a_file_has_no_marks_and_all_of_its_text(node: NodeProcess) -> None:
    typesetting, like_a_mark = Typesetting(), r'\text{ data-symbol="1"}'
    maths = typesetting.of(Formula(f"x+{like_a_mark}", coloured=rf"\textcolor{{#a71a01}}{{x}}+{like_a_mark}"))
    typesetting.take(node.typeset(typesetting.waiting))
    marked, escaped = str(maths.__html__()), "data-symbol=&quot;1&quot;"
    assert marked.count(' data-symbol="1"') == 1
    assert marked.count(escaped) > 0
    shown = json.loads(str(settled(DataFile("a.json", [maths])).content))[0]
    assert shown == marked.replace('mathnormal" data-symbol="1">', 'mathnormal">')
    assert shown.count(escaped) == marked.count(escaped)


def test_every_operator_is_a_file_that_pages_link(site: Site) -> None:
    for operator in CATALOGUE.values():
        assert f"\ndef {operator.name}(" in text(site, standalone_file(operator))
    assert 'href="layer_norm.py" download' in body(site, "operators/layer-norm/")
    page = body(site, "gpt-2/decoder/attention-layer-norm/")
    assert 'href="../../../operators/layer-norm/layer_norm.py" download' in page
    assert "In GPT-2, LayerNorm: layer_norm(x=x, gamma=gamma, beta=beta, epsilon=1e-05)" in page


def test_an_option_that_is_a_size_is_in_the_call(site: Site) -> None:
    page = body(site, "mixtral/decoder/experts/")
    assert "mixture_of_swiglu_experts_renormalized(x=x, W_r=W_r, W_g=W_g, W_u=W_u, W_d=W_d, k=2)" in page


def test_the_calculator_begins_with_the_figures_of_the_first_variant(site: Site) -> None:
    page = body(site, "mixtral/")
    for key, value in (("total", "46,702,792,704"), ("active", "12,879,925,248"), ("token", "65,536")):
        assert f'data-result="{key}" data-bytes="1">{value}</output>' in page
    assert f'data-result="tokens" data-bytes="2">{65_536 * 2 * 1024:,}</output>' in page
    assert '<output aria-live="off" data-layers="decoder">32</output>' in page
    assert 'data-layers="input"' not in page
    assert 'data-size="h_{kv}" value="8"' in page
    assert "data-calculator" not in body(site, "chainer/")


def test_what_is_kept_of_a_source_is_counted_apart(site: Site) -> None:
    page = body(site, "transformer/")
    assert 'data-result="input" data-bytes="1">' in page
    assert ["cache", "Cached numbers per token of an input", str(6 * 2 * 512)] in (
        data(site, "compare/transformer.json")["variants"]["transformer_base"]["figures"]
    )


def test_lengths_of_inputs_are_those_of_a_published_figure(site: Site) -> None:
    page = body(site, "resnet/")
    assert 'data-size="H_{in}" value="224"' in page
    assert 'data-size="c" value="256, 512, 1024, 2048"' in page
    assert "data-tokens" not in page  # nothing is kept from token to token


def test_data_of_a_comparison(site: Site) -> None:
    found = data(site, "compare/gpt-2.json")
    assert list(found["variants"]) == ["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"]
    first = found["variants"]["gpt2"]
    assert ["parameters", "Parameters", "124439808"] in first["figures"]
    assert first["sizes"]["d_k"] == "64"  # it follows from others, and is compared with models that set it
    assert first["stacks"]["decoder"] == [12, str(12 * 7_087_872)]
    assert sum(map(int, first["kinds"].values())) == 124_439_808
    assert [one["title"] for one in found["structure"]] == ["Input", "Decoder", "Output"]
    assert [one["operator"] for one in found["structure"][1]["parts"]] == [
        "layer_norm",
        "multi_head_attention_causal",
        "add",
        "layer_norm",
        "feed_forward_gelu_tanh",
        "add",
    ]
    assert all(one["html"].startswith("<span") for one in found["formulas"])
    assert found["settings"]["tie_word_embeddings"] == "true"
    assert data(site, "compare/mixtral.json")["settings"]["rope_parameters.rope_type"] == "default"


def test_nested_blocks_keep_their_order(site: Site) -> None:
    found = data(site, "compare/resnet.json")["structure"]
    assert [(one["path"], one["depth"]) for one in found] == [
        ("input", 0),
        ("stages", 0),
        ("stages/first", 1),
        ("stages/rest", 1),
        ("output", 0),
    ]


def test_the_page_reads_without_a_script(site: Site) -> None:
    page = body(site, "compare/")
    for expected in ("1,557,611,200", "12,879,925,248", "131,072 bytes", "Variants of ResNet"):
        assert expected in page
    assert 'value="mixtral:mixtral-8x7b" data-url="mixtral.json"' in page


def test_symbols_are_marked_wherever_the_page_shows_them(site: Site) -> None:
    page = body(site, "gpt-2/decoder/attention-layer-norm/")
    formula, rest = page.split('<dl class="facts">', 1)
    assert 'data-symbol="0"' in formula
    assert 'data-symbol="0"' in rest
    assert '<tr data-card="0">' in rest
    assert "size 768" in rest  # d, which is no symbol of its own
