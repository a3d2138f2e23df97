"""Pages of the real content after a change of it: one layer, no argument, parts that lack."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from atlas.render.build import build_site
from atlas.render.site import Settings, Site
from tests.render.site_texts import CHAINER, FFN, ROOT, in_order, page, text_of


@dataclass(slots=True)
class Changed:
    root: Path
    built: list[Site] = field(default_factory=list)

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.root / "content" / path
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{path} holds {old!r} {text.count(old)} times"
        file.write_text(text.replace(old, new), encoding="utf-8")

    def build(self) -> Site:
        content, sources, workspace = (self.root / name for name in ("content", "sources", "workspace"))
        self.built.append(build_site(Settings(self.root, content, sources, workspace, site_name="Atlas")))
        assert [issue for issue in self.built[-1].issues if issue.severity == "error"] == []
        return self.built[-1]


def test_a_page_says_why_its_formula_was_not_executed(changed: Changed) -> None:
    reason = "formula_not_executed: integrals are not in the language\n"
    changed.edit("chainer/layer-normalization.yml", "batch: [N]\n", reason)
    page_text = text_of(changed.build(), CHAINER)
    in_order(page_text, "formula", "displayed, not executed: integrals are not in the language")
    assert "executed: equals" not in page_text


@pytest.fixture
def changed(tmp_path: Path) -> Iterator[Changed]:
    """A copy of the small atlas, which may be edited before it is built."""
    shutil.copytree(ROOT / "tests" / "project", tmp_path, dirs_exist_ok=True)
    (tmp_path / "workspace").mkdir()
    made = Changed(tmp_path)
    yield made
    for built in made.built:
        built.close()


def test_one_layer_is_not_multiplied(changed: Changed) -> None:
    changed.edit("transformer/model.yml", "layers: N", "layers: 1")
    changed.edit("transformer/model.yml", "  N: layers in a stack\n", "")
    for sizes in ("d: 512, N: 6", "d: 1024, N: 6"):
        changed.edit("transformer/model.yml", sizes, sizes.removesuffix(", N: 6"))
    for source in ("base", "base-layers"):
        changed.edit("transformer/model.yml", f"      N: {{source: {source}, name: hparams.num_hidden_layers}}\n", "")
    built = changed.build()
    in_order(text_of(built, "transformer/"), "Encoder × 1 layer #", "Component")
    component = text_of(built, FFN)
    in_order(component, "Encoder · 1 layer", "parameters 1,024 axis last", "1,024 parameters per instance.")
    assert "1 layers" not in component
    assert "independent layers" not in component


def test_a_layer_without_arguments_has_no_list_of_them(changed: Changed) -> None:
    file = changed.root / "content/chainer/layer-normalization.yml"
    text = file.read_text(encoding="utf-8")
    begin, end = text.index("api:\n"), text.index("sources:\n")
    api = "api: {name: models.transformer_base, excerpt: base, symbol: transformer_base}\n"
    claim = "{id: base, claim: It takes nothing., source: tensor2tensor, path: tensor2tensor/models/transformer.py, "
    text = text[:begin] + api + text[end:].replace("sources:\n", f"sources:\n  - {claim}lines: 268-306}}\n", 1)
    file.write_text(text, encoding="utf-8")
    html = page(changed.build(), CHAINER).body()
    assert "<code>models.transformer_base()</code>" in html
    assert 'id="arguments"' not in html
    assert not re.findall(r'<dl class="api">\s*</dl>', html)


def test_a_link_in_a_summary_is_right_on_every_page_that_shows_it(changed: Changed) -> None:
    summary = "summary: Center and scale each position’s features, then"
    changed.edit(
        "transformer/encoder/ffn-layer-norm.yml", summary, f"{summary} as [the first](attention-layer-norm.yml)"
    )
    built = changed.build()
    assert '<a href="../attention-layer-norm/">the first</a>' in page(built, FFN).body()
    assert '<a href="encoder/attention-layer-norm/">the first</a>' in page(built, "transformer/").body()


def test_a_page_names_the_first_others_with_its_operator_and_where_all_are(changed: Changed) -> None:
    names = [f"copy-{number}" for number in range(25)]
    folder = changed.root / "content/transformer/encoder"
    text = (folder / "ffn-layer-norm.yml").read_text(encoding="utf-8")
    for number, name in enumerate(names):
        copy = text.replace("'x_{n+1}': 'y'", f"'c_{{{number}}}': 'y'")
        (folder / f"{name}.yml").write_text(copy, encoding="utf-8")
    changed.edit("transformer/model.yml", "ffn-layer-norm]", f"ffn-layer-norm, {', '.join(names)}]")
    built = changed.build()
    for url in (FFN, "transformer/encoder/copy-24/"):  # one of those that are named first, and one of the others
        listed = page(built, url).body().partition('id="also-in"')[2].partition("</ul>")[0]
        assert listed.count("<li>") == 9
        assert '<a href="../../../operators/layer-norm/#layer-norm">19 more, with the operator</a>' in listed
    assert text_of(built, "operators/layer-norm/").count("Transformer · Encoder · LayerNorm") == 27


def test_a_model_without_all_its_components_says_so(changed: Changed) -> None:
    text = text_of(changed.build(), "transformer/")
    in_order(
        text,
        "documented in part",
        "documented parameters 12,288 base",
        "Encoder",
        "6,144",
        "6,144",
        "12,288",
        "Variants",
    )
    in_order(text, "base transformer_base", "big transformer_big", "512", "1,024", "6", "6", "12,288", "24,576")
