"""Compares a whole model with the upstream library's own: tensors, values, cache and work, and says what differs.

Run by `atlas verify` only, never while pages are built; only a library whose version and files are the pinned ones is
loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from atlas.checks.base import listed
from atlas.checks.compared import FAILED, Compared, Found, comparisons
from atlas.checks.records_model import TOLERANCES, Claim, claims, digest_of_model, digest_of_upstream
from atlas.entries.atlas import Collection, Source
from atlas.entries.collection import Model, Upstream
from atlas.exceptions import AtlasError
from atlas.graph.accounting import ModelAccount, model_account
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes
from atlas.graph.weights import Weight, weights
from atlas.issues import Issue
from atlas.upstream.library import Library
from atlas.upstream.library_compare import Finding, compare_tensors
from atlas.upstream.library_config import tiny_sizes
from atlas.upstream.library_figures import Figure, compare_cache, compare_products
from atlas.upstream.library_ignored import vary_ignored
from atlas.upstream.library_model import LibraryModel, build
from atlas.upstream.library_statements import wrong_statements
from atlas.upstream.library_values import compare_values


def verify_model(collection: Collection, graph: Graph, source: Source, library: Library) -> Iterator[Compared]:
    """Compare everything that is claimed of a model, in order; while tensors differ, nothing is run.

    Raises:
        TypeError: the collection is no model, or names no upstream one.
    """
    model = collection.data
    if not isinstance(model, Model) or model.upstream is None:
        raise TypeError(f"{collection.id} names no upstream model")
    comparison = _Comparison(graph, model, model.upstream, library)
    run: dict[Claim, Callable[[], Found]] = {
        "tensors": comparison.tensors,
        "float32": comparison.in_float32,
        "float64": comparison.in_float64,
        "cache": comparison.cache,
        "multiply-accumulates": comparison.products,
    }
    issues, sound = _wrong_statements(collection, model.upstream, library)
    if issues:
        yield Compared("tensors", "the configuration is not as it is stated", None, issues)
    if not sound:
        return
    yield from comparisons(
        collection,
        run,
        claims(graph, model.upstream) if not issues else [],
        lambda claim: digest_of_model(graph, model, source, claim),
        library.versions,
        digest_of_upstream(model, source),
    )


def _wrong_statements(collection: Collection, upstream: Upstream, library: Library) -> tuple[tuple[Issue, ...], bool]:
    """What is wrong with what is stated of the configuration, and whether a model can be built to tell more."""
    try:
        found = tuple(
            collection.issue(one.key, FAILED, f"{collection.id}: {one.message}", one.hint)
            for one in wrong_statements(library, upstream)
        )
    except AtlasError as error:
        return (collection.issue_at_key(("upstream",), FAILED, f"{collection.id}: {error}"),), False
    return found, True


class _Comparison:
    """Both models at tiny sizes, and the counts of ours."""

    def __init__(self, graph: Graph, model: Model, upstream: Upstream, library: Library) -> None:
        self.graph = graph
        self.model = model
        self.upstream = upstream
        self.library = library
        self.sizes = tiny_sizes(upstream)

    def tensors(self) -> Found:
        """Names, shapes, kinds and ties at tiny sizes, then at those of every variant, with the total."""
        held = self._built().tensors()
        tiny = compare_tensors(self._weights(), held)
        if tiny:
            return Found("at the tiny sizes they differ", 1, tuple(tiny))
        compared = 0
        for name, variant in self.model.variants.items():
            sizes = Sizes.of(variant)
            theirs = build(self.library, self.upstream, sizes, meta=True)
            stored = theirs.tensors()
            compared += len(stored)
            findings = compare_tensors(weights(self.graph, sizes), stored)
            total = sum(one.count for one in stored.values() if one.learned and one.held_as == one.name)
            ours = model_account(self.graph, sizes).total
            if not findings and total != ours:
                findings = [Finding(f"the total is {ours:,} by our count, {total:,} by upstream’s")]
            if allocated := theirs.allocated():
                findings.append(Finding(f"{allocated[0]} takes memory, though it was built without"))
            if findings:
                return Found(f"the variant {name} differs", 1, tuple(findings))
        variants = ", ".join(self.model.variants)
        figure = f"{compared:,} tensors have upstream’s names and shapes, totals are equal: {variants}"
        return Found(figure, compared, names=tuple(sorted(held)))

    def in_float32(self) -> Found:
        """The values in float32, which no ignored key of the configuration changes."""
        found = self._values("float32", self._built())
        if found.findings:
            return found
        varied = vary_ignored(
            self.library, self.graph, self.upstream, self.sizes, self._weights(), TOLERANCES["float32"]
        )
        parts = [found.figure]
        parts += [f"the same with others of {len(varied.keys)} ignored keys"] if varied.keys else []
        parts += [f"not varied: {listed(varied.skipped)}"] if varied.skipped else []
        return replace(found, figure="; ".join(parts), findings=varied.findings)

    def in_float64(self) -> Found:
        """The values in float64; where the model says that upstream narrows, that this is so."""
        model = self._built()
        model.widen()
        if self.upstream.precision == "float64":
            return self._values("float64", model)
        try:
            found = self._values("float64", model)
        except AtlasError:
            return Found("upstream does not run", 1)  # as the model says
        if found.findings:
            return Found("upstream narrows numbers", 1)
        message = "upstream agrees in float64 too, so it does not narrow what it computes"
        finding = Finding(message, key=("upstream", "precision"), hint="remove `precision` and `precision_note`")
        return Found("as in float32", 1, (finding,))

    def cache(self) -> Found:
        """The numbers that are kept after a small run."""
        found = compare_cache(self.graph, self.upstream, self.sizes, self._account(), self._built())
        return _counted(found, "numbers are kept after a small run")

    def products(self) -> Found:
        """The products of a small run."""
        found = compare_products(self.graph, self.upstream, self.sizes, self._account(), self._built())
        return _counted(found, "multiply–accumulates of a small run")

    def _values(self, dtype: str, model: LibraryModel) -> Found:
        found = compare_values(self.graph, self.upstream, self.sizes, self._weights(), model, dtype, TOLERANCES[dtype])
        figure = f"{found.compared} values, largest relative error {found.worst:.1e}"
        return Found(figure, found.compared, (found.finding,) if found.finding is not None else (), found.worst)

    def _built(self) -> LibraryModel:
        return build(self.library, self.upstream, self.sizes)

    def _weights(self) -> list[Weight]:
        return weights(self.graph, self.sizes)

    def _account(self) -> ModelAccount:
        return model_account(self.graph, self.sizes)


def _counted(found: Figure, what: str) -> Found:
    findings = (found.finding,) if found.finding is not None else ()
    return Found(f"{found.theirs:,} {what}", max(found.theirs, 1), findings)
