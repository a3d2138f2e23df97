"""The work that every generator is given: the same pages, as Markdown for the peers and as entries for the atlas.

A page has a display formula of its own, six inline formulas, a table, and three code blocks with two distinct texts,
which are cut from a pinned file.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import yaml

LONG, SHORT = 38, 3
"""Lines of the two distinct texts of a page's code blocks; the long one is shown twice."""
SHORT_AT = 2
"""Where in the long text the short one begins."""
STEP = 7
"""By how many lines the excerpts of one page begin after those of the page before."""
FOLDER = 20
"""How many pages a folder has: the components of one model."""
SOURCE, PATH = "tensor2tensor", "tensor2tensor/models/common_layers.py"
"""The pinned file that the code blocks show."""
SUMMARY = "Center and scale each position's features of component {number}, then apply learned gain and bias."


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the workload, before any generator's syntax."""

    number: int
    """Its number, from 0."""
    title: str
    """Its title."""
    summary: str
    """What a reader learns first, as plain text."""
    formula: str
    """The display formula in LaTeX; no other page has the same."""
    inline: tuple[str, ...]
    """The six inline formulas in LaTeX."""
    lines: tuple[int, int]
    """First and last line of the long text in the pinned file."""
    short_lines: tuple[int, int]
    """First and last line of the short one, which lies within."""

    @property
    def folder(self) -> str:
        """The folder that the page is in."""
        return f"m{self.number // FOLDER:04d}"

    @property
    def name(self) -> str:
        """The page's name in its folder."""
        return f"c{self.number:05d}"


@dataclass(frozen=True, slots=True)
class Flavour:
    """How a generator's Markdown writes what plain Markdown has no syntax for."""

    front: Callable[[str], str]
    """The top of a page, from its title."""
    display: Callable[[str], str]
    """A display formula."""
    inline: Callable[[str], str]
    """An inline formula."""


def _dollars(text: str) -> str:
    return f"$$\n{text}\n$$"


def _heading(title: str) -> str:
    return f"# {title}\n"


FLAVOURS = {
    "dollars": Flavour(_heading, _dollars, lambda text: f"${text}$"),
    "hugo": Flavour(lambda title: f'---\ntitle: "{title}"\n---\n', _dollars, lambda text: rf"\({text}\)"),
    "myst": Flavour(_heading, lambda text: f"```{{math}}\n{text}\n```", lambda text: f"{{math}}`{text}`"),
}
"""The syntaxes by name."""


def formula(number: int) -> str:
    """The display formula of a page: layer normalization with this page's own gain and bias."""
    rows = (
        r"\mu_d(x) &= \frac{1}{d}\sum_{j=1}^d x_j",
        r"\sigma_d^2(x) &= \frac{1}{d}\sum_{j=1}^d (x_j-\mu_d(x))^2",
        rf"y &= \gamma_{{{number}}}\odot\frac{{x-\mu_d(x)}}{{\sqrt{{\sigma_d^2(x)+\varepsilon}}}}+\beta_{{{number}}}",
        r"\varepsilon &= 10^{-6}",
    )
    return "\n".join((r"\begin{aligned}", " \\\\\n".join(rows), r"\end{aligned}"))


def pages(count: int, file_lines: int) -> list[Page]:
    """That many pages, with excerpts of a file of so many lines.

    Raises:
        ValueError: the file is too short to cut an excerpt from.
    """
    if file_lines < LONG:
        raise ValueError(f"an excerpt has {LONG} lines, but the file has {file_lines}")
    made = []
    for number in range(count):
        begin = 1 + number * STEP % (file_lines - LONG + 1)
        inline = (
            f"w_{{{number}}}",
            f"x_{{{number + 1}}}",
            rf"1{{,}}024 \times {number}",
            "512",
            f"512+{number}",
            rf"\gamma_{{{number}}}",
        )
        lines, short = (begin, begin + LONG - 1), (begin + SHORT_AT, begin + SHORT_AT + SHORT - 1)
        text = SUMMARY.format(number=number)
        made.append(Page(number, f"LayerNorm {number}", text, formula(number), inline, lines, short))
    return made


def markdown(page: Page, code: Sequence[str], flavour: Flavour) -> str:
    """A page as Markdown; `code` is the pinned file by lines."""
    entering, leaving, product, gain, bias, symbol = map(flavour.inline, page.inline)
    long_text, short_text = ("\n".join(code[first - 1 : last]) for first, last in (page.lines, page.short_lines))
    return f"""{flavour.front(page.title)}
{page.summary}

{flavour.display(page.formula)}

in: {entering} [B batch, S source positions, 512 d]
out: {leaving} [B batch, S source positions, 512 d]
parameters: 1,024 · 6 layers = {product}

## Parameters

| Parameter | Calculation | Count |
|---|---|---|
| Learned gain | {gain} | 512 |
| Learned bias | {bias} | 512 |

## Code

```python
{long_text}
```

```python
{short_text}
```

## Sources

Direct evidence: LayerNorm over the last axis with a learned scale {symbol}.

```python
{long_text}
```
"""


def write_markdown(root: Path, chosen: Sequence[Page], code: Sequence[str], flavour: Flavour) -> None:
    """Write the pages below a folder, `m0000/c00000.md` and so on."""
    for page in chosen:
        place = root / page.folder / f"{page.name}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(markdown(page, code, flavour), encoding="utf-8")


def entry(page: Page) -> dict[str, Any]:
    """A page as the atlas's entry, which states what the other generators' page only says."""
    entering, leaving, product, gain, bias, symbol = (f"${text}$" for text in page.inline)
    gamma, beta = rf"\gamma_{{{page.number}}}", rf"\beta_{{{page.number}}}"
    in_folder = page.number % FOLDER
    claims = (
        ("definition", "What the layer is made of.", page.lines),
        ("call", "How it is called.", page.short_lines),
        ("evidence", f"LayerNorm over the last axis with a learned scale {symbol}.", page.lines),
    )
    return {
        "title": page.title,
        "operator": "layer_norm",
        "arguments": {"epsilon": 1e-6},
        "summary": page.summary,
        "formula": page.formula,
        "batch": ["B", "S"],
        "symbols": {
            "x": {"axes": ["B", "S", "d"], "binds": "x", "meaning": "features of each position"},
            gamma: {"axes": ["d"], "binds": "gamma", "parameter": "Learned gain", "tensor": f"{page.name}/scale"},
            beta: {"axes": ["d"], "binds": "beta", "parameter": "Learned bias", "tensor": f"{page.name}/bias"},
            r"\varepsilon": {"axes": [], "binds": "epsilon", "meaning": "keeps the root away from zero"},
            "y": {"axes": ["B", "S", "d"], "binds": "result", "meaning": "normalized features"},
        },
        "in": {f"x_{{{in_folder}}}": "x"},
        "out": {f"x_{{{in_folder + 1}}}": "y"},
        "note": f"In: {entering}, out: {leaving}; parameters of 6 layers: {product}.",
        "parameters_note": f"The gain has {gain} numbers, the bias as many; together {bias}.",
        "conventions": {"axis": "last", "epsilon": "inside the root", "variance": "biased"},
        "sources": [
            {"id": name, "claim": claim, "source": SOURCE, "path": PATH, "lines": f"{first}-{last}"}
            for name, claim, (first, last) in claims
        ],
    }


def model(chosen: Sequence[Page]) -> dict[str, Any]:
    """The model of a folder's pages, each of which takes what the one before gives."""
    folder = chosen[0].folder
    return {
        "title": f"Model {folder}",
        "summary": f"Layers that follow one another, {len(chosen)} in all.",
        "kind": "chain",
        "paper": {"title": "Layer Normalization", "authors": ["J. L. Ba", "J. R. Kiros", "G. E. Hinton"], "year": 2016},
        "complete": True,
        "dimensions": {"B": "batch", "S": "source positions", "d": "model width"},
        "inputs": {"x_{0}": {"axes": ["B", "S", "d"], "meaning": "features of each position"}},
        "outputs": {f"chain.x_{{{len(chosen)}}}": "normalized features of each position"},
        "stacks": {"chain": {"title": "Chain", "components": [page.name for page in chosen]}},
        "variants": {"base": {"title": "base", "sizes": {"d": 512}}},
    }


def write_atlas(root: Path, chosen: Sequence[Page], sources: Path) -> None:
    """Write an atlas of these pages: entries, the models that they belong to, and the manifest that pins the code."""
    (root / "sources").mkdir(parents=True)
    manifest = yaml.safe_load((sources / f"{SOURCE}.yml").read_text(encoding="utf-8"))
    for name in (f"{SOURCE}.yml", "pins.lock", manifest["license_text"]):
        target = root / "sources" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(sources / name, target)
    records = yaml.safe_load((root / "sources" / "pins.lock").read_text(encoding="utf-8"))
    kept = [record for record in records if record["source"] == SOURCE]
    (root / "sources" / "pins.lock").write_text(yaml.safe_dump(kept, sort_keys=False), encoding="utf-8")
    for first in range(0, len(chosen), FOLDER):
        some = chosen[first : first + FOLDER]
        folder = root / "content" / some[0].folder
        _dump(folder / "model.yml", model(some))
        for page in some:
            _dump(folder / "chain" / f"{page.name}.yml", entry(page))
    config = {"site_name": "Benchmark", "docs_dir": "content", "theme": "openmodelatlas", "plugins": ["atlas"]}
    _dump(root / "mkdocs.yml", config)


class _Dumper(yaml.SafeDumper):
    """Writes LaTeX as entries must have it: names in single quotes, formulas as blocks."""

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """A text in the style that its content asks for."""
        style = "|" if "\n" in text else "'" if set(text) & set("\\{}") else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    yaml_representers: ClassVar[dict[type, Any]] = {**yaml.SafeDumper.yaml_representers, str: represent_text}


def _dump(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    path.write_text(text, encoding="utf-8")
