"""Compares a whole model with the pinned code that a program of calls runs: sizes, tensors and values.

Run by `atlas verify` only, never while pages are built; only files whose blob ids were verified are executed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from atlas.checks.compared import Compared, Found, comparisons
from atlas.checks.records_model import TOLERANCES, Claim, claims, digest_of_model, digest_of_upstream
from atlas.entries.atlas import Collection, Source
from atlas.entries.collection import Model
from atlas.entries.program import Program
from atlas.graph.accounting import model_account
from atlas.graph.structure import Graph
from atlas.graph.unroll import Sizes
from atlas.graph.weights import weights
from atlas.sizes import size
from atlas.upstream.library_compare import Finding, compare_tensors
from atlas.upstream.library_values import compare_values
from atlas.upstream.linked import PinnedFile
from atlas.upstream.program_model import ProgramModel, chosen, names_of, tiny_sizes


def verify_program(
    collection: Collection, graph: Graph, source: Source, files: Mapping[str, PinnedFile]
) -> Iterator[Compared]:
    """Compare everything that is claimed of a model, in order; while tensors differ, no value is compared.

    Args:
        collection: The model.
        graph: Its graph.
        source: The manifest that pins the files.
        files: The pinned files by path.

    Raises:
        TypeError: the collection is no model, or names no program.
    """
    model = collection.data
    if not isinstance(model, Model) or model.program is None:
        raise TypeError(f"{collection.id} names no program of upstream calls")
    comparison = _Comparison(graph, model, model.program, files)
    run: dict[Claim, Callable[[], Found]] = {
        "hyperparameters": comparison.hyperparameters,
        "tensors": comparison.tensors,
        "float32": lambda: comparison.values("float32"),
        "float64": lambda: comparison.values("float64"),
    }
    recorded = claims(graph, model.program)
    yield from comparisons(
        collection,
        run,
        recorded,
        lambda claim: digest_of_model(graph, model, source, claim),
        {},
        digest_of_upstream(model, source),
    )


class _Comparison:
    """Both models at tiny sizes, and at those of the variants."""

    def __init__(self, graph: Graph, model: Model, program: Program, files: Mapping[str, PinnedFile]) -> None:
        self.graph = graph
        self.model = model
        self.program = program
        self.files = files
        self.sizes = tiny_sizes(program)

    def hyperparameters(self) -> Found:
        """What upstream's own function chooses for each variant: our sizes, and the settings of this architecture."""
        compared = 0
        findings: list[Finding] = []
        for name, variant in self.model.variants.items():
            function = self.program.hparams.functions[name]
            theirs = chosen(self.program, self.files, function)
            compared += len(theirs)
            for key, text in self.program.hparams.keys.items():
                ours = size(text).value(variant.numbers)
                if type(theirs[key]) is not int or theirs[key] != ours:
                    message = f"{text} is {ours:,} in the variant {name}, but {function} sets {key} to {theirs[key]!r}"
                    where = ("variants", name, "sizes", str(text))
                    findings.append(Finding(message, key=where if text in variant.sizes else ()))
            for key, stated in self.program.hparams.settings.items():
                if type(theirs[key]) is not type(stated) or theirs[key] != stated:
                    message = f"{key} is stated as {stated!r}, but {function} sets it to {theirs[key]!r}"
                    findings.append(Finding(message, key=("program", "hparams", "settings", key)))
        many = f"{compared} hyperparameters of {len(self.model.variants)} variants"
        return Found(f"{many} are {'not all ' if findings else ''}as upstream chooses them", compared, tuple(findings))

    def tensors(self) -> Found:
        """Names and shapes at tiny sizes, then at those that upstream chooses for each variant, with the total."""
        held = self._at(self.sizes).tensors()
        tiny = compare_tensors(weights(self.graph, self.sizes), held)
        if tiny:
            return Found("at the tiny sizes they differ", 1, tuple(tiny))
        compared = 0
        for name, variant in self.model.variants.items():
            sizes = Sizes.of(variant)
            # What a variant leaves open, the lengths of inputs, changes no tensor.
            stored = self._at(Sizes({**self.sizes.numbers, **sizes.numbers}, sizes.lists), name).tensors()
            compared += len(stored)
            findings = compare_tensors(weights(self.graph, sizes), stored)
            total = sum(one.count for one in stored.values())
            ours = model_account(self.graph, sizes).total
            if not findings and total != ours:
                findings = [Finding(f"the total is {ours:,} by our count, {total:,} by upstream’s")]
            if findings:
                return Found(f"the variant {name} differs", 1, tuple(findings))
        many = f"{compared:,} tensors of {len(self.model.variants)} variants"
        figure = f"{many} have upstream’s names and shapes, and totals are equal"
        return Found(figure, compared, names=tuple(sorted(held)))

    def values(self, dtype: str) -> Found:
        """Every value that is watched, and what the model returns, in one precision."""
        found = compare_values(
            self.graph,
            names_of(self.program),
            self.sizes,
            weights(self.graph, self.sizes),
            self._at(self.sizes),
            dtype,
            TOLERANCES[dtype],
        )
        figure = f"{found.compared} values, largest relative error {found.worst:.1e}"
        return Found(figure, found.compared, (found.finding,) if found.finding is not None else (), found.worst)

    def _at(self, sizes: Sizes, variant: str | None = None) -> ProgramModel:
        return ProgramModel(self.program, self.files, sizes, variant)
