"""How texts are read for search, in Python and in the browser alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from atlas.render.search_words import LONGEST, PART, WHOLE, canonical, terms, words

Ask = Callable[..., Any]

READ = {
    r"\gamma": ["gamma"],
    "γ": ["gamma"],
    "Γ": ["gamma"],
    "gamma": ["gamma"],
    r"\gamma_2": ["gamma_2"],
    "γ₂": ["gamma_2"],
    r"\beta _ 2": ["beta_2"],
    r"\varepsilon": ["epsilon"],
    "ϵ ε": ["epsilon", "epsilon"],
    r"\variance": ["variance"],
    "ς σ": ["sigma", "sigma"],
    "ℓ": ["ell"],
    r"\ell": ["ell"],
    r"d_{\text{model}}": ["d_model"],
    "h_{kv}": ["h_kv"],
    "W_{QKV}": ["w_qkv"],
    r"\hat{q}_n": ["hat", "q_n"],
    r"\frac{1}{\sqrt{d_k}}\operatorname{softmax}(QK^\top)": ["1", "sqrt", "d_k", "softmax", "qk", "top"],
    r"\left\lfloor i/g\right\rfloor": ["i", "g"],
    "self_attn.q_proj.weight": ["self_attn.q_proj.weight"],
    "RMSNorm": ["rmsnorm"],
    "Feed-forward, GPT-2!": ["feed-forward", "gpt-2"],
    "1,048,576": ["1048576"],
    "46.7B": ["46.7b"],
    "1, 2": ["1", "2"],
    "é Ångström": ["e", "angstrom"],
    "√ ∑ ∞": ["sqrt", "sum", "infty"],
    "Ελλάδα": ["epsilon", "lambda", "lambda", "alpha", "delta", "alpha"],
    "自己注意 внимание": ["自己注意", "внимание"],
    "__init__": ["init"],
    "  ": [],
    r"\\": [],
}


@pytest.mark.parametrize("text", READ)
def test_a_text_is_read_as_its_words(text: str) -> None:
    assert words(text) == READ[text]


def test_the_browser_reads_texts_alike(ask_search: Ask) -> None:
    texts = [*READ, r"\mathrm{FFN}(x) = W_2\,\max(0, xW_1)", "layers.{n}.self_attn", "½ × ² ﬁ", "a_b-c.d", "K–V", "𝛾 𝐖"]
    assert ask_search(texts=texts)["words"] == [words(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "whole", "part"),
    [
        ("RMSNorm", {"rmsnorm"}, {"rms", "norm"}),
        ("MixtralRMSNorm", {"mixtralrmsnorm"}, {"mixtral", "rms", "norm"}),
        (
            "self_attn.q_proj.weight",
            {"self_attn.q_proj.weight"},
            {"self_attn", "q_proj", "weight", "self", "attn", "proj"},
        ),
        ("feed-forward", {"feedforward"}, {"feed", "forward"}),
        ("ReLU", {"relu"}, set()),
        ("d_k", {"d_k"}, set()),
        (r"\gamma_2", {"gamma_2"}, {"gamma"}),
        ("norm norm_1", {"norm", "norm_1"}, set()),
    ],
)
def test_a_text_is_found_by_its_words_and_for_less_by_their_parts(text: str, whole: set[str], part: set[str]) -> None:
    assert terms(text) == {**dict.fromkeys(whole, WHOLE), **dict.fromkeys(part, PART)}


def test_what_nobody_types_is_left_out() -> None:
    assert list(terms("a" * (LONGEST + 1) + " b")) == ["b"]


def test_a_hyphen_may_be_left_out() -> None:
    assert canonical("grouped-query") == "groupedquery"
