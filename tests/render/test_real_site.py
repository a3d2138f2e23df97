"""The real content, built: every value of the two seed documents stands on its page, and every page is whole."""

from __future__ import annotations

import re

import pytest

from atlas.render.site import Site
from tests.render.site_texts import CHAINER, FFN, in_order, page, text_of


@pytest.fixture
def site(whole_site: Site) -> Site:
    return whole_site


def test_a_page_says_that_its_formula_was_executed(site: Site) -> None:
    for url, operator in ((FFN, "layer_norm"), (CHAINER, "layer_norm_outer_epsilon")):
        in_order(
            text_of(site, url),
            f"executed: equals {operator} on 4 inputs, largest relative error ",
            f"atlas check content/{url.rstrip('/')}.yml",
        )


def test_there_are_no_errors(site: Site) -> None:
    assert [issue for issue in site.issues if issue.severity == "error"] == []


def test_the_transformer_page_says_what_the_seed_page_says_in_its_order(site: Site) -> None:
    in_order(
        text_of(site, FFN),
        "Encoder · 6 layers",
        "LayerNorm",
        "learned",
        "common_layers.layer_norm(…) · 60",
        "Center and scale each position’s features, then apply learned gain and bias.",
        r"\mu_d(x) &= \frac{1}{d}\sum_{j=1}^d x_j",
        r"\varepsilon &= 10^{-6}",
        "in",
        "w",
        "[B batch, S source positions, 512 d]",
        "out",
        "x_{n+1}",
        "[B batch, S source positions, 512 d]",
        "parameters 1,024 · × 6 layers = 6,144",
        "inside the root",
        r"called with \varepsilon = 10^{-6} epsilon",
        "Post-norm: the sum of the sublayer’s input and its output is normalized, as the paper’s",
        "Parameters",
        "1,024 parameters per instance.",
        "Exact per-instance accounting",
        "Component",
        "Calculation",
        "Learned gain",
        "512",
        "Learned bias",
        "512",
        "Per-instance total",
        "1,024",
        "Each normalization instance owns its learned gain and bias vectors.",
        r"Across 6 independent layers: 1{,}024 \times 6 = 6{,}144 parameters.",
        "Derived from the configured",
        "checkpoint tensors have not been independently counted.",
        "Code common_layers.py 406–443 · transformer.py 59–61",
        "def layer_norm_compute_python(x, epsilon, scale, bias):",
        "def residual_fn(x, y):",
        "Sources 2",
        "Direct evidence",
        "LayerNorm over the last axis with a learned scale and bias and ε = 1e-6.",
        "layer-norm · tensorflow/tensor2tensor / tensor2tensor/models/common_layers.py",
        "Pinned revision 0c66117d4297 ↗ · lines 406–443",
        "git blob 1e70505701300c3079d0ff497663263f44d2fc9e: that this file belongs to the revision was proved",
        "Read code excerpt",
        "Direct evidence",
        "Post-norm: each sublayer output is dropped out, added to its input and layer-normalized.",
        "residual-fn · tensorflow/tensor2tensor / tensor2tensor/models/transformer.py",
        "Pinned revision 0c66117d4297 ↗ · lines 59–61",
        "Read code excerpt",
        "Checked",
        "Reference",
        "Also in",
        "Previous",
    )


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mixtral/decoder/experts/", "called with k = 2 k "),
        ("resnet/stages/first/spatial-convolution/", r"called with t \in \{1, 2\} stride padding=1 "),
    ],
)
def test_an_option_that_is_a_size_has_its_values_in_all_places(site: Site, url: str, told: str) -> None:
    assert told in text_of(site, url)


def test_the_chainer_page_has_what_its_api_documentation_has(site: Site) -> None:
    in_order(
        text_of(site, CHAINER),
        "v1.24.0",
        "LayerNormalization",
        "experimental",
        r"\sigma(x)+\varepsilon",
        "[N batch, C units]",
        "parameters 2 C",
        "outside the root",
        "class chainer.links.LayerNormalization(size=None, eps=1e-6, initial_gamma=None, initial_beta=None)",
        "Arguments",
        "size",
        "eps",
        "default 1e-6",
        "initial_gamma",
        "initial_beta",
        "Attributes",
        "gamma",
        "beta",
        "eps",
        "__call__(x)",
        "Returns",
        "See also",
        "Ba, Kiros, Hinton",
        "Code layer_normalization.py 14–100",
        "class LayerNormalization(link.Chain):",
        "Sources 2",
        "Pinned revision 7ce9222db1b4 ↗ · lines 14–100",
        "MIT",
    )


def test_a_component_without_parameters_says_so_in_a_word(site: Site) -> None:
    text = text_of(site, "gpt-2/decoder/attention-residual/")
    in_order(text, "parameters none", "The operator has no learned parameters.")
    assert "0 parameters" not in text
    assert "= 0" not in text


def test_what_a_page_is_made_from_can_be_edited(site: Site) -> None:
    """Manifests lie beside the content, and the pages of pinned files follow from them."""
    made = {one.url: one.edit_path for one in site.pages}
    assert made["gpt-2/decoder/self-attention/"] == "gpt-2/decoder/self-attention.yml"
    file = "sources/tensor2tensor/tensor2tensor/models/common_layers.py/"
    assert made["sources/tensor2tensor/"] == made[file] == "../sources/tensor2tensor.yml"
    assert made["sources/"] is None


def test_excerpts_keep_the_numbers_and_the_text_of_the_pinned_lines(site: Site) -> None:
    html = page(site, FFN).body()
    lists = re.findall(r'<ol start="(\d+)">(.*?)</ol>', html)
    numbers = [range(int(first), int(first) + lines.count("<li>")) for first, lines in lists]
    assert numbers == [range(406, 444), range(59, 62)] * 2  # once as code, once below the source claim
    assert "<li><span" in lists[0][1]


def test_links_to_upstream_name_the_exact_lines_at_the_pinned_revision(site: Site) -> None:
    revision = "0c66117d4297d6f778d415790bfbce6cfafe1239"
    address = f"https://github.com/tensorflow/tensor2tensor/blob/{revision}/tensor2tensor/models"
    html = page(site, FFN).body()
    assert f"{address}/common_layers.py#L406-L443" in html
    assert f"{address}/transformer.py#L59-L61" in html


@pytest.mark.parametrize(
    ("url", "line", "entry"),
    [
        ("sources/tensor2tensor/tensor2tensor/models/common_layers.py/", 406, FFN),
        ("sources/tensor2tensor/tensor2tensor/models/transformer.py/", 59, FFN),
        ("sources/chainer/chainer/links/normalization/layer_normalization.py/", 14, CHAINER),
    ],
)
def test_a_pinned_file_links_each_passage_to_its_entry(site: Site, url: str, line: int, entry: str) -> None:
    html = page(site, url).body()
    row = re.search(rf'<span class="row[^"]*" id="L{line}">(.*?)</span>\s*<span class="row', html, re.DOTALL)
    assert row is not None
    assert f"{entry}#source-" in row[1]
    assert "[docs]" in row[1]


def test_every_line_of_a_pinned_file_has_its_anchor_and_the_licence_is_shown(site: Site) -> None:
    html = page(site, "sources/chainer/chainer/links/normalization/layer_normalization.py/").body()
    assert [int(number) for number in re.findall(r'id="L(\d+)"', html)] == list(range(1, 101))
    assert "Permission is hereby granted, free of charge" in text_of(site, "sources/chainer/")
    assert "Apache License" in text_of(site, "sources/tensor2tensor/")


def test_the_operator_page_shows_both_formulations_side_by_side(site: Site) -> None:
    text = text_of(site, "operators/layer-norm/")
    in_order(
        text, "layer_norm", "last", "inside the root", "biased", "epsilon=1e-6", "Transformer · Encoder · LayerNorm"
    )
    in_order(text, "layer_norm_outer_epsilon", "outside the root", "Chainer · LayerNormalization")


def test_the_model_page_sums_to_its_total(site: Site) -> None:
    text = text_of(site, "transformer/")
    assert "documented in part" not in text
    in_order(text, "parameters 61,413,376 base", "Figures", "61,413,376", "210,907,136")
    in_order(
        text, "Encoder input 17,274,880", "Encoder 3,152,384 18,914,304", "Decoder 4,204,032 25,224,192", "Variants"
    )
    assert 17_274_880 + 18_914_304 + 25_224_192 == 61_413_376
    in_order(
        *(text, "Variants", "base transformer_base big transformer_big", "33,708 33,708", "512 1,024", "8 16"),
        *("2,048 4,096", "6 6", "Parameters 61,413,376 210,907,136"),
    )


def test_the_cache_of_the_source_is_told_apart(site: Site) -> None:
    in_order(
        text_of(site, "transformer/decoder/encoder-decoder-attention/"),
        "[h,\\,d_k] for each token of the input, once: the key of each head",
    )
    in_order(
        text_of(site, "transformer/"),
        "Cached numbers per token",
        "6,144 12,288",
        "per token of the input",
        "6,144 12,288",
    )


def test_headings_are_exactly_the_anchors_of_the_page(site: Site) -> None:
    for one in site.pages:
        html = one.body()
        named = re.findall(r'<h[2-6] id="([^"]+)"', html)
        assert [heading.id for heading in one.headings()] == named, one.url
        ids = re.findall(r'\bid="([^"]+)"', html)
        assert len(ids) == len(set(ids)), f"{one.url} has an id twice"
        assert html.count("<h1") == 1, one.url


def test_no_page_loads_anything_from_another_host(site: Site) -> None:
    for one in site.pages:
        assert not re.findall(r'(?:src|srcset|poster|data)="(?:https?:)?//', one.body()), one.url


def test_code_that_would_make_a_page_heavy_is_one_click_away(site: Site) -> None:
    heavy, light = page(site, "transformer/decoder/self-attention/").body(), page(site, FFN).body()
    lines = "sources/tensor2tensor/tensor2tensor/models/common_attention.py/#L348"
    linked = rf'<a href="[./]*/{re.escape(lines)}" data-passage="[./]*passages/\w+\.json" data-lines="\d+">'
    rest = re.search(rf"{linked}Lines (\d+)–421 in the pinned file</a>", heavy)
    assert rest is not None
    shown = heavy[heavy.index('id="excerpt-attention"') : rest.start()]
    assert 'start="348"' in shown
    assert shown.count("<li>") == int(rest[1]) - 348 > 0
    assert '<a href="#excerpt-attention">Read code excerpt</a>' in heavy
    assert re.search(r'<a href="[^"]*operators/[^"]*">Read the operator</a>', heavy)
    assert "in the pinned file</a>" not in light
    assert "<summary>Read the operator</summary>" in light
    assert "<summary>Read code excerpt</summary>" in light
