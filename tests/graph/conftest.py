"""Tiny models from texts: what a test does not say is filled in, so that it shows one rule and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from atlas.checks.graph import check_graph
from atlas.entries.atlas import Collection
from atlas.entries.load import load
from atlas.graph.structure import Graph

REST_OF_A_MODEL = """
title: Tiny
summary: A model of a test.
kind: test
paper: {title: None, authors: [Nobody], year: 2026}
"""

REST_OF_A_COMPONENT = """
title: Part
summary: A part of a test's model.
formula: y=x
formula_not_executed: the test is about the graph
sources: [{id: code, claim: It is this., source: nowhere, path: a.py, lines: 1}]
"""

DIMENSIONS = ("B", "S", "T", "V", "c", "d", "e", "f", "h", "k", "n", "m", "H", "W", "N", "M")

MakeModel = Callable[..., Collection]


@pytest.fixture
def model_of(tmp_path: Path) -> MakeModel:
    """Load a model from the text of its file and the texts of its components by path.

    The lines of a model's text are those of its file. What is left out: `complete` is true, there is one variant with
    the sizes that are given, and every usual letter is a dimension.
    """

    def make(text: str, components: Mapping[str, str], **sizes: int | list[int]) -> Collection:
        rest = REST_OF_A_MODEL
        if "complete:" not in text:
            rest += "complete: true\n"
        if "dimensions:" not in text:
            rest += yaml.safe_dump({"dimensions": dict.fromkeys(DIMENSIONS, "a size")})
        if "variants:" not in text:
            rest += yaml.safe_dump({"variants": {"small": {"title": "small", "sizes": sizes or {"d": 4}}}})
        files = {"model": text.rstrip() + rest} | {
            path: one.rstrip() + REST_OF_A_COMPONENT for path, one in components.items()
        }
        for path, content in files.items():
            file = tmp_path / "content" / "tiny" / f"{path}.yml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        (tmp_path / "sources").mkdir(exist_ok=True)
        atlas, issues = load(tmp_path, tmp_path / "content", tmp_path / "sources")
        assert [issue for issue in issues if issue.code != "A124"] == []
        return atlas.collections["tiny"]

    return make


@pytest.fixture
def graph_of(model_of: MakeModel) -> Callable[..., Graph]:
    """As `model_of`, but the graph of a model that holds."""

    def make(text: str, components: Mapping[str, str], **sizes: Any) -> Graph:
        graph, issues = check_graph(model_of(text, components, **sizes))
        assert issues == []
        assert graph is not None
        return graph

    return make


@pytest.fixture
def part() -> Callable[..., str]:
    """The text of a component: its operator, its symbols in short, the values that enter and those that leave.

    A symbol in short is `argument: axis, axis`; an argument with a star is learned, one with a plus is a buffer. What
    else a symbol says follows in a mapping.
    """

    def text(
        operator: str,
        symbols: Mapping[str, str | tuple[str, Mapping[str, Any]]],
        enters: Mapping[str, Any],
        leaves: Mapping[str, str],
        **more: Any,
    ) -> str:
        found: dict[str, Any] = {}
        for name, one in symbols.items():
            short, others = (one, {}) if isinstance(one, str) else one
            argument, _, axes = short.partition(":")
            kind = {"*": {"parameter": "Learned"}, "+": {"buffer": "Kept"}}.get(argument[-1:], {})
            axes_found = [int(axis) if axis.isdigit() else axis for axis in (each.strip() for each in axes.split(","))]
            found[name] = {"axes": [axis for axis in axes_found if axis != ""], **kind, **others}
            if argument.rstrip("*+"):
                found[name]["binds"] = argument.rstrip("*+")
        data = {"operator": operator, "symbols": found, "in": dict(enters), "out": dict(leaves), **more}
        return "".join(f"{name}: {_flow(one)}\n" for name, one in data.items())

    return text


def _flow(value: Any) -> str:
    """A value on one line, every text between single quotes as names with braces and backslashes must be."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(name)}: {_flow(one)}" for name, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value).lower()
