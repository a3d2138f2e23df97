"""Random edits of whole models beyond the tables: one name, port, tensor, layout or size is left out or is another's.

Each must be refused by `atlas check` or found by `atlas verify`, unless it says the same thing in other words: then
every step, shape and weight is what it was. What survives otherwise is a hole in the checks.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from atlas.checks.graph import check_graph, free_sizes
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.graph.unroll import Sizes, unroll
from atlas.graph.weights import weights
from atlas.issues import show
from atlas.sizes import product, size

REPOSITORY = Path(__file__).resolve().parents[2]
MODELS = sorted(file.stem for file in Path(__file__).with_name("edits").glob("*.yml"))
SEED, MANY = 1706, 48

PORTS = frozenset(("in", "out", "tensors", "with", "takes", "carries", "then", "ends", "active"))
"""Keys with a mapping, of which a key, a value or both are edited."""
WHOLE = frozenset(("axes", "tensor", "layout", "part", "tied", "scope", "layers", "operator", "use", "ids"))
"""Keys with a value that is edited as a whole."""
NOT_GRAPH = frozenset(("upstream", "program", "variants", "dimensions", "sources", "published"))
"""What is about something else than the graph; its edits are in the tables and in tests/upstream."""

Path_ = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """One thing that can be edited."""

    file: str
    """The file, below the model's folder."""
    path: Path_
    """The keys that lead to the mapping."""
    at: int
    """The pair in that mapping."""
    what: str
    """The key whose value it is, with `key` or `value` for a part of a mapping."""
    node: yaml.Node
    """What stands there."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One edit."""

    place: Place
    """Where."""
    other: yaml.Node | None
    """What stands there instead; None where the pair is left out."""

    def __str__(self) -> str:
        old, new = plain(self.place.node), "nothing" if self.other is None else plain(self.other)
        where = "/".join(map(str, (self.place.file, *self.place.path)))
        return f"{where}: {new} for the {self.place.what} {old}"

    def text(self, text: str) -> str:
        """The file with the edit made."""
        root: Any = yaml.compose(text)
        mapping = root
        for step in self.place.path:
            mapping = step_into(mapping, step)
        key, value = mapping.value[self.place.at]
        if self.other is None:
            del mapping.value[self.place.at]
        else:
            pair = (self.other, value) if self.place.what.endswith(" key") else (key, self.other)
            mapping.value[self.place.at] = pair
        return str(yaml.serialize(root, allow_unicode=True, width=10_000))


def plain(node: yaml.Node) -> str:
    """What stands there, however it is quoted."""
    value = yaml.safe_load(yaml.serialize(node, allow_unicode=True, width=10_000))
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def step_into(node: Any, step: str | int) -> Any:
    if isinstance(step, int):
        return node.value[step]
    return next(value for key, value in node.value if key.value == step)


def places(file: str, node: Any, path: Path_ = ()) -> Iterator[Place]:
    """Everything in a file that can be edited."""
    if isinstance(node, yaml.SequenceNode):
        for index, inner in enumerate(node.value):
            yield from places(file, inner, (*path, index))
    if not isinstance(node, yaml.MappingNode):
        return
    for at, (key, value) in enumerate(node.value):
        if path[-1:] and path[-1] in PORTS:
            yield Place(file, path, at, f"{path[-1]} key", key)
            yield Place(file, path, at, f"{path[-1]} value", value)
        elif key.value in WHOLE:
            yield Place(file, path, at, key.value, value)
        if key.value not in NOT_GRAPH:
            yield from places(file, value, (*path, key.value))


def mutations(texts: Mapping[str, str]) -> list[Mutation]:
    """Every edit that leaves a thing out, or puts what stands at another such place into it."""
    found = [one for file, text in texts.items() for one in places(file, yaml.compose(text))]
    pool: dict[str, dict[str, yaml.Node]] = {}
    for one in found:
        pool.setdefault(one.what, {}).setdefault(plain(one.node), one.node)
    made = [Mutation(one, other) for one in found for text, other in pool[one.what].items() if text != plain(one.node)]
    return [*made, *(Mutation(one, None) for one in found if not one.what.endswith(" key"))]


def meaning(root: Path, name: str, bindings: list[Sizes]) -> object:
    """What a model is beside its words: steps, what they read and write, shapes, and weights, at all these sizes."""
    atlas, _ = load(root, root / "content", root / "sources")
    graph, _ = check_graph(atlas.collections[name])
    assert graph is not None
    return [
        [
            [
                (
                    step.key,
                    step.node.entry.data.operator,
                    step.reads,
                    step.writes,
                    {one: step.shape(one) for one in step.node.entry.data.symbols},
                    # Where upstream keeps nothing, only how many numbers are kept could be told, not in which axes.
                    [
                        (kept.lifetime, product(map(size, kept.axes)).value(step.sizes))
                        for kept in step.node.entry.data.state.values()
                    ],
                )
                for step in unroll(graph, sizes)
            ],
            [
                (one.key, one.shape, one.tensor, one.tied, one.active, one.learned, order(one.layout))
                for one in weights(graph, sizes)
            ],
        ]
        for sizes in bindings
    ]


def order(layout: Any) -> object:
    """A layout without the names that it gives to axes."""
    number = {name: index for index, name in enumerate(layout.right)}
    return [[number.get(name, "part") for name in axis] for axis in layout.left], layout.part, layout.parts


def sizes_of(name: str) -> list[Sizes]:
    """The sizes of every variant; that two sizes are equal in one does not make them equal in all."""
    atlas, _ = load(REPOSITORY, REPOSITORY / "content", REPOSITORY / "sources")
    data = atlas.collections[name].data
    assert isinstance(data, Model)
    return [Sizes.of(one, free_sizes(data, one)) for one in data.variants.values()]


@pytest.mark.parametrize("model", MODELS)
def test_a_random_edit_is_found_or_says_the_same_in_other_words(edited: Callable[[str], Any], model: str) -> None:
    project = edited(model)
    folder: Path = project.folder
    texts = {file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in sorted(folder.rglob("*.yml"))}
    listed = mutations(texts)
    assert len(listed) > 10 * MANY
    bindings = sizes_of(model)
    stated = meaning(project.root, model, bindings)
    survivors: list[str] = []
    kinds: set[str] = set()
    for one in random.Random(SEED).sample(listed, MANY):  # noqa: S311  not for secrets
        issues = project.found_with({one.place.file: one.text(texts[one.place.file])})
        kinds.update("verify" if issue.code >= "A704" else "check" for issue in issues)
        assert all(issue.path for issue in issues), show(issues)
        if not issues and mutated(project, one, texts, bindings) != stated:
            survivors.append(str(one))
    assert survivors == []
    assert kinds == {"check", "verify"}


def mutated(project: Any, one: Mutation, texts: Mapping[str, str], bindings: list[Sizes]) -> object:
    """What an edited model means."""
    file = project.folder / one.place.file
    file.write_text(one.text(texts[one.place.file]), encoding="utf-8")
    try:
        return meaning(project.root, project.name, bindings)
    finally:
        file.write_text(texts[one.place.file], encoding="utf-8")


def test_edits_are_made_where_they_are_said_to_be() -> None:
    text = "in: {'x_n': 'x', 'a_n': ['K', 'V']}\nsymbols:\n  'W': {axes: [d, f], tensor: w}\n  'b': {axes: [f]}\n"
    found = {str(one): one.text(text) for one in mutations({"a.yml": text})}
    assert yaml.safe_load(found["a.yml/in: x_n for the in key a_n"])["in"] == {"x_n": ["K", "V"]}
    assert yaml.safe_load(found["a.yml/in: nothing for the in value x"])["in"] == {"a_n": ["K", "V"]}
    assert yaml.safe_load(found["a.yml/symbols/W: [f] for the axes [d, f]"])["symbols"]["W"]["axes"] == ["f"]
    assert "tensor" not in yaml.safe_load(found["a.yml/symbols/W: nothing for the tensor w"])["symbols"]["W"]
    assert len(found) == 2 * 2 + 2 + 2 + 1 + 2
