"""Keys that a model's file calls of no consequence, changed one by one: the library's outputs must stay as they are.

The reason that the file gives for each is words; this is what stands behind them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from atlas.entries.collection import Upstream
from atlas.exceptions import UpstreamError
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes
from atlas.graph.weights import Weight
from atlas.upstream.compare import largest_relative_error
from atlas.upstream.library import Library
from atlas.upstream.library_compare import Finding, drawn
from atlas.upstream.library_model import LibraryModel, build, configured
from atlas.upstream.library_statements import others
from atlas.upstream.library_values import SEED, inputs_of, theirs_of
from atlas.upstream.tensor import Array


@dataclass(frozen=True, slots=True)
class Varied:
    """What came of changing the keys that are ignored."""

    keys: tuple[str, ...]
    """Those that were changed without any change of the outputs."""
    skipped: tuple[str, ...]
    """Those of which no other value builds a model that runs, so that nothing is known of them."""
    findings: tuple[Finding, ...]
    """Those whose change changes the model."""


def vary_ignored(
    library: Library, graph: Graph, upstream: Upstream, sizes: Sizes, weights: Sequence[Weight], tolerance: float
) -> Varied:
    """Build the library's model with another value of each ignored key, and compare tensors and outputs in float32.

    Args:
        library: The pinned library.
        graph: Our model.
        upstream: What is said of the library's.
        sizes: The sizes at which it is built.
        weights: Our weights there, which say how random numbers are drawn.
        tolerance: The largest relative error at which outputs are the same.

    Raises:
        AtlasError: the model cannot be run as it is.
    """
    usual = build(library, upstream, sizes)
    stored = usual.tensors()
    rng = np.random.default_rng(SEED)
    arrays = {name: array.astype("float32") for name, array in drawn(weights, stored, rng, 1.0).items()}
    given = theirs_of(upstream, inputs_of(graph, upstream, sizes, "float32", rng))
    fields = list(upstream.outputs)
    before = _outputs(usual, arrays, given, fields)
    default = configured(library, upstream, {})
    shapes = {name: one.shape for name, one in stored.items()}
    same: list[str] = []
    skipped: list[str] = []
    findings: list[Finding] = []
    for key in upstream.ignored:
        for other in others(getattr(default, key, None)):
            try:
                model = build(library, upstream, sizes, changes={key: other})
                differ = {name: one.shape for name, one in model.tensors().items()} != shapes
                after = {} if differ else _outputs(model, arrays, given, fields)
            except UpstreamError:
                continue
            if differ or not _equal(before, after, tolerance):
                what = "other tensors" if differ else "other outputs"
                message = f"{key} is said to change nothing, but with {key} = {other!r} {upstream.model} has {what}"
                findings.append(Finding(message, key=("upstream", "ignored", key)))
            else:
                same.append(key)
            break
        else:
            skipped.append(key)
    return Varied(tuple(same), tuple(skipped), tuple(findings))


def _outputs(
    model: LibraryModel, arrays: Mapping[str, Array], given: Mapping[str, Array], fields: list[str]
) -> Mapping[str, Any]:
    model.load(arrays)
    return model.run(given, fields, []).fields


def _equal(before: Mapping[str, Array], after: Mapping[str, Array], tolerance: float) -> bool:
    return all(
        before[name].shape == after[name].shape and largest_relative_error(before[name], after[name]) <= tolerance
        for name in before
    )
