"""Sizes that belong to stacks: the same under two names along edges, and costs in the sizes of the model's inputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from atlas.entries.load import load
from atlas.graph.accounting import model_account
from atlas.graph.build import build
from atlas.graph.edges import misfits, with_carried_axes
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes, unroll
from atlas.sizes import Size, size

SOURCES = "sources: [{id: a, claim: A claim., source: nowhere, path: a.py, lines: 1}]\n"

CONVOLUTION = r"""
title: Convolution
operator: convolution_2d
arguments: {padding: 1}
summary: Weigh neighbours.
formula: y=x
symbols:
  'x': {axes: [B, C, H, W], binds: x}
  'K': {axes: [C, C, 3, 3], binds: kernel, parameter: Kernel}
  't': {axes: [], binds: stride, between: [1, 3]}
  'y': {axes: [B, C, '\lfloor (H-1)/t\rfloor+1', '\lfloor (W-1)/t\rfloor+1'], binds: result}
in: {'x_n': 'x'}
out: {'a': 'y'}
conventions: {channels: before rows and columns, kernel: not flipped, padding: zeros on all sides}
"""

RELU = r"""
title: ReLU
operator: relu
summary: Keep what is positive.
formula: y=\max(0,x)
symbols:
  'x': {axes: [B, C, h, w], binds: x}
  'y': {axes: [B, C, h, w], binds: result}
in: {'a': 'x'}
out: {'z': 'y'}
"""

POOLING = r"""
title: Pooling
operator: global_average_pool_2d
summary: Average.
formula: y=x
symbols:
  'x': {axes: [B, C, 'H_{out}', 'W_{out}'], binds: x}
  'y': {axes: [B, C], binds: result}
in: {'layers.block.z': 'x'}
out: {'y': 'y'}
conventions: {channels: before rows and columns}
"""

MODEL = r"""
title: Pyramid
summary: Ever smaller images.
kind: convolutional
paper: {title: None, authors: [Nobody], year: 2000, url: 'https://example.org'}
complete: true
dimensions:
  B: images
  I: rows given
  J: columns given
  H: rows that come in
  W: columns that come in
  h: rows that are left
  w: columns that are left
  'H_{out}': rows at last
  'W_{out}': columns at last
  C: channels
  N: layers
  t: stride
inputs:
  'x': {axes: [B, C, I, J], meaning: images}
outputs:
  'output.y': features
stacks:
  layers:
    title: Layers
    layers: N
    takes: {'x_n': 'x'}
    carries: {'x_n': 'block.z'}
    with: {H: I, W: J}
    then: {H: '\lfloor (H-1)/t\rfloor+1', W: '\lfloor (W-1)/t\rfloor+1'}
    ends: {H: 'H_{out}', W: 'W_{out}'}
    varies: [t]
    components: [block]
    stacks:
      block:
        title: Block
        with: {h: '\lfloor (H-1)/t\rfloor+1', w: '\lfloor (W-1)/t\rfloor+1'}
        components: [convolution, relu]
  output:
    title: Output
    components: [pooling]
variants:
  small:
    title: small
    sizes: {C: 5, N: 3, t: [1, 2, 2]}
"""


@pytest.fixture
def pyramid(tmp_path: Path) -> Callable[..., tuple[Graph, list[str]]]:
    """Build the model, with one text of its file replaced; what is wrong along its edges comes with it."""

    def make(old: str = "", new: str = "") -> tuple[Graph, list[str]]:
        assert not old or MODEL.count(old) == 1
        model = MODEL.replace(old, new) if old else MODEL
        files = {"layers/block/convolution": CONVOLUTION, "layers/block/relu": RELU, "output/pooling": POOLING}
        files = {name: text + SOURCES for name, text in files.items()} | {"model": model}
        for name, text in files.items():
            file = tmp_path / "content" / "pyramid" / f"{name}.yml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (tmp_path / "sources").mkdir()
        atlas, issues = load(tmp_path, tmp_path / "content", tmp_path / "sources")
        assert issues == []
        graph, issues = build(atlas.collections["pyramid"])
        assert issues == []
        graph = with_carried_axes(graph)
        return graph, [found.message for found in misfits(graph)]

    return make


def sizes(**more: int) -> Sizes:
    return Sizes({"C": 5, "N": 3, **more}, {"t": (1, 2, 2)})


def test_a_size_equals_what_its_stack_says_it_is(pyramid: Callable[..., tuple[Graph, list[str]]]) -> None:
    assert pyramid()[1] == []


@pytest.mark.parametrize(
    "wrong", [r"\lfloor (H-1)/t\rfloor", "H", r"\lfloor (H-1)/2\rfloor+1", r"\lfloor (W-1)/t\rfloor+1"]
)
def test_another_size_is_refused(pyramid: Callable[..., tuple[Graph, list[str]]], wrong: str) -> None:
    right = r"with: {h: '\lfloor (H-1)/t\rfloor+1'"
    found = pyramid(right, f"with: {{h: '{wrong}'")[1]
    assert found[0] == (
        r"x has the axes [B, C, h, w] here, but a, which layers/block/convolution gives, has "
        r"[B, C, \lfloor (H-1)/t\rfloor+1, \lfloor (W-1)/t\rfloor+1]"
    )


def test_sizes_of_stacks_are_told_in_those_of_the_inputs(pyramid: Callable[..., tuple[Graph, list[str]]]) -> None:
    graph, _ = pyramid()
    steps = [step for step in unroll(graph, sizes()) if step.node.name in ("convolution", "pooling")]
    assert [str(step.terms.get("H")) for step in steps[:3]] == [
        "I",
        "I",
        r"\lfloor (I+1)/2\rfloor",
    ]
    assert steps[3].terms["H_{out}"] == size(r"\lfloor (I+3)/4\rfloor")
    assert "H" not in steps[0].sizes


def test_a_cost_in_the_sizes_of_the_inputs_is_that_of_numbers(
    pyramid: Callable[..., tuple[Graph, list[str]]],
) -> None:
    graph, _ = pyramid()
    cost: Size = model_account(graph, sizes()).macs
    assert cost.symbols == {"B", "I", "J"}
    for given in ({"B": 2, "I": 17, "J": 22}, {"B": 1, "I": 4, "J": 3}):
        rows, columns, total = given["I"], given["J"], 0
        for stride in (1, 2, 2):
            rows, columns = -(-rows // stride), -(-columns // stride)
            total += given["B"] * 5 * 5 * 9 * rows * columns
        assert cost.value(given) == total
        assert model_account(graph, sizes(**given)).macs.number == total


def test_what_a_stack_hands_on_must_be_what_it_says(pyramid: Callable[..., tuple[Graph, list[str]]]) -> None:
    found = pyramid(r"then: {H: '\lfloor (H-1)/t\rfloor+1'", r"then: {H: '\lfloor H/t\rfloor'")[1]
    after, stated = r"\lfloor (H-1)/t\rfloor+1", r"\lfloor (W-1)/t\rfloor+1"
    message = f"a layer hands on z with the axes [B, C, {after}, {stated}], but the next takes [B, C, "
    assert [one for one in found if one.startswith(message)]
    assert rf"but z, which layers/block/relu gives, has [B, C, {after}, W_{{out}}]" in found[0]
