"""The browser's counting against Python's: the same figures at random sizes, on every model, and the same refusals."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from atlas.checks.model import runnable
from atlas.entries.atlas import Collection
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.exceptions import AtlasError
from atlas.graph.accounting import model_account
from atlas.graph.choice import open_sizes
from atlas.graph.program import program
from atlas.graph.structure import Graph
from atlas.graph.unroll import MAX_STEPS, Sizes
from atlas.node.environment import prepare
from atlas.render.program_data import expression_data, program_data
from atlas.sizes import size

ROOT = Path(__file__).parents[2]
COUNTING = ROOT / "templates" / "js" / "counting.js"
DRIVER = """
import { readFileSync } from "node:fs";
import { count } from "./counting.mjs";
const big = (value) => (Array.isArray(value) ? value.map(BigInt) : BigInt(value));
const plain = (_, value) => (typeof value === "bigint" ? String(value) : value instanceof Map ? [...value] : value);
const answer = ({ program, sizes }) => {
  try {
    return count(program, Object.fromEntries(Object.entries(sizes).map(([name, value]) => [name, big(value)])));
  } catch (error) {
    if (error.symbols === undefined) throw error;
    return { error: error.message, symbols: error.symbols };
  }
};
const { programs, cases } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([name, sizes]) => answer({ program: programs[name], sizes })), plain));
"""
DRAWS = 40
LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96)

Case = tuple[str, dict[str, Any]]
Count = Callable[[Mapping[str, object], list[Case]], list[dict[str, Any]]]


@pytest.fixture(scope="session")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Count:
    """Counts in Node with the script that pages load."""
    folder = tmp_path_factory.mktemp("counting")
    shutil.copy(COUNTING, folder / "counting.mjs")
    (folder / "driver.mjs").write_text(DRIVER, encoding="utf-8")

    def run(programs: Mapping[str, object], cases: list[Case]) -> list[dict[str, Any]]:
        given = json.dumps({"programs": programs, "cases": cases}).encode()
        command = [str(prepare().node), str(folder / "driver.mjs")]
        done = subprocess.run(command, input=given, capture_output=True, check=False)  # noqa: S603 - our own script
        assert done.returncode == 0, done.stderr.decode()
        answers: list[dict[str, Any]] = json.loads(done.stdout)
        return answers

    return run


@pytest.fixture(scope="session")
def graphs(small_models: Mapping[str, Collection]) -> dict[str, tuple[Graph, Model]]:
    """Every model of the content and the small ones of the tests, with its graph."""
    found: dict[str, tuple[Graph, Model]] = {}
    real, wrong = load(ROOT, ROOT / "content", ROOT / "sources")
    assert wrong == []
    for name, collection in {**real.collections, **small_models}.items():
        if isinstance(collection.data, Model):
            graph, issues = runnable(collection)
            if graph is not None and not issues:
                found[name] = graph, collection.data
    assert {"gpt-2", "mixtral", "resnet", "nested", "pyramid"} <= found.keys()
    return found


def figures(graph: Graph, sizes: Mapping[str, Any]) -> dict[str, Any] | None:
    """What Python counts, as the script says it; None where it refuses."""
    numbers = {name: value for name, value in sizes.items() if isinstance(value, int)}
    lists = {name: tuple(value) for name, value in sizes.items() if not isinstance(value, int)}
    try:
        found = model_account(graph, Sizes(numbers, lists))
        macs = found.macs.value({})
    except AtlasError:
        return None
    return {
        "total": str(found.total),
        "active": str(found.active),
        "embedding": str(found.embedding),
        "buffers": str(found.buffers),
        "token": str(found.cache),
        "input": str(found.input_cache),
        "window": str(found.window_cache),
        "constant": str(found.constant_state),
        "macs": str(macs),
        "stacks": {one.name: (str(one.layers), str(one.total)) for one in found.stacks},
    }


def drawn(model: Model, source: random.Random) -> Iterator[dict[str, Any]]:
    """The first variant's sizes, then sizes of which some, or all, are drawn; numbers of layers stay small."""
    first = next(iter(model.variants.values())).sizes
    yield dict(first)
    layers = {name for stack in model.paths.values() if stack.layers for name in size(stack.layers).symbols}
    for _ in range(DRAWS):
        sizes: dict[str, Any] = dict(first)
        changed = set(
            source.sample(sorted(sizes), source.randint(1, source.choice((1, min(2, len(sizes)), len(sizes)))))
        )
        for name in sorted(changed):
            lengths = (1, 2, 3, 4, 6) if name in layers else LENGTHS
            value = sizes[name]
            if isinstance(value, int):
                sizes[name] = source.choice(lengths)
            else:
                count = len(value) if source.random() < 0.9 else source.randint(1, 6)
                sizes[name] = tuple(source.choice(lengths) for _ in range(count))
        yield sizes


def test_the_browser_counts_what_python_counts(graphs: dict[str, tuple[Graph, Model]], counted: Count) -> None:
    source = random.Random(11)  # noqa: S311 - seeded, no secret
    programs = {name: program_data(program(graph, model)) for name, (graph, model) in graphs.items()}
    cases: list[Case] = []
    for name, (_, model) in graphs.items():
        for sizes in drawn(model, source):
            inputs = {one: source.randint(1, 300) for one in open_sizes(model, sizes)}
            cases.append((name, {**sizes, **inputs}))
    agreed: dict[str, int] = dict.fromkeys(graphs, 0)
    refused: dict[str, int] = dict.fromkeys(graphs, 0)
    for (name, sizes), answer in zip(cases, counted(programs, cases), strict=True):
        expected = figures(graphs[name][0], sizes)
        if expected is None:
            refused[name] += 1
            assert answer.get("error"), (name, sizes)
            continue
        assert "error" not in answer, (name, sizes, answer)
        stacks = {one: (stack["layers"], stack["total"]) for one, stack in answer.pop("stacks")}
        assert answer | {"stacks": stacks} == expected, (name, sizes)
        agreed[name] += 1
    assert min(agreed.values()) > 8, agreed
    assert refused["gpt-2"] > 5, refused
    assert refused["resnet"] > 5, refused


def test_published_figures(graphs: dict[str, tuple[Graph, Model]], counted: Count) -> None:
    graph, model = graphs["gpt-2"]
    sizes = {**model.variants["gpt2"].sizes, "B": 1, "S": 1024}
    (answer,) = counted({"gpt-2": program_data(program(graph, model))}, [("gpt-2", sizes)])
    assert (answer["total"], answer["token"]) == ("124439808", "18432")


def test_what_does_not_fit_names_the_sizes(graphs: dict[str, tuple[Graph, Model]], counted: Count) -> None:
    def refused(name: str, **changed: object) -> tuple[str, set[str]]:
        graph, model = graphs[name]
        sizes = dict(next(iter(model.variants.values())).sizes)
        sizes |= dict.fromkeys(open_sizes(model, sizes), 8)
        (answer,) = counted({name: program_data(program(graph, model))}, [(name, {**sizes, **changed})])
        return answer["error"], set(answer["symbols"])

    assert refused("gpt-2", h=7) == ("decoder: d_k: 768/7 is no whole number, for d = 768, h = 7", {"d", "h"})
    assert refused("resnet", m=[3, 4]) == ("m has 2 values, but stages has 4 layers", {"m"})
    message, symbols = refused("resnet", m=[1, 1, 1, 1])
    assert message == f"stages/rest has 0 layers; there are 1 to {MAX_STEPS:,}"
    assert "m" in symbols
    message, symbols = refused("gpt-2", N=10**12)
    assert message.startswith("decoder has 1,000,000,000,000 layers")
    assert symbols == {"N"}
    message, symbols = refused("mixtral", k=9)
    assert message == "decoder/experts: one token would use 9 of 8"
    assert {"k", "n_e"} <= symbols


def test_large_models_are_exact_too(graphs: dict[str, tuple[Graph, Model]], counted: Count) -> None:
    graph, model = graphs["gpt-2"]
    sizes = {**model.variants["gpt2"].sizes, "B": 1, "S": 1024, "d": 12 * 10**12}
    one, two, many = counted(
        {"gpt-2": program_data(program(graph, model))}, [("gpt-2", {**sizes, "N": layers}) for layers in (1, 2, 8_000)]
    )
    for name in ("total", "token", "macs"):
        first, second = int(one[name]), int(two[name])
        assert int(many[name]) == first + 7_999 * (second - first) > 2**53


@pytest.mark.parametrize(
    "text", [r"\lfloor (H-7)/t\rfloor+9", r"\lfloor H/3\rfloor^2+1", r"5-\lfloor (2 H-9)/4\rfloor"]
)
def test_floors_also_of_what_is_below_zero(counted: Count, text: str) -> None:
    weight = {"axes": [expression_data(size(text))]}
    block = {"id": "a", "title": "A", "of": [{"id": "a/b", "weights": [weight], "macs": []}]}
    made = {"blocks": [block], "follows": {}, "most": 10, "largest": str(10**300)}
    found = counted({"one": made}, [("one", {"H": height, "t": 2}) for height in range(1, 12)])
    assert [int(one["total"]) for one in found] == [size(text).value({"H": height, "t": 2}) for height in range(1, 12)]


@pytest.mark.parametrize(
    ("expression", "data"),
    [
        ("4 d", [[4, 1, "d", 1]]),
        ("d/h", [[1, 1, "d", 1, "h", -1]]),
        ("d^2/2+1", [[1, 2, "d", 2], [1, 1]]),
        (r"\lfloor (H-1)/t\rfloor+1", [[1, 1, [[1, 1, "H", 1, "t", -1], [-1, 1, "t", -1]], 1], [1, 1]]),
        (str(2**53 + 1), [[str(2**53 + 1), 1]]),
        (0, []),
    ],
)
def test_expressions_as_data(expression: str | int, data: object) -> None:
    assert expression_data(size(expression)) == data
