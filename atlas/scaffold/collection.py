"""Files that begin a model, a library or the manifest of a pinned project, with marked blanks."""

from __future__ import annotations

from atlas.entries.blanks import blank
from atlas.scaffold.words import scalar

HEAD = "# Fill in every TODO(…), then run: atlas check"


def model_text(stack: str) -> str:
    """The file of a model with one stack."""
    return "\n".join(
        [
            HEAD,
            f"title: {blank('the name of the model')}",
            f"summary: {blank('what it is in one or two sentences')}",
            f"kind: {blank('what kind of model it is such as decoder')}",
            "paper:",
            f"  title: {blank('the title of its paper')}",
            f"  authors: [{blank('the first author')}]",
            f"  year: {blank('the year')}",
            f"  url: {blank('its https address; or write arxiv and the quoted identifier')}",
            "complete: false  # true once every component has an entry; only then are totals those of the model",
            "dimensions:  # every size that axes name, with its meaning",
            "  B: batch",
            "  S: positions",
            "  d: model width",
            "  N: layers",
            "inputs:",
            f"  'x': {{axes: [B, S, d], meaning: {blank('what the model is given')}}}",
            "outputs:",
            f"  '{stack}.{blank('the value that the last layer gives')}': {blank('what it is')}",
            "stacks:  # each is a folder beside this file",
            f"  {stack}:",
            f"    title: {scalar(stack.replace('-', ' ').replace('_', ' ').capitalize())}",
            "    layers: N",
            "    takes: {'x_n': 'x'}",
            "    carries: {'x_n': 'x_{n+1}'}",
            f"    components: [{blank('the first component; atlas new component makes its file')}]",
            "variants:",
            "  base:",
            "    title: base",
            f"    sizes: {{d: {blank('the model width')}, N: {blank('the number of layers')}}}",
        ]
    ) + "\n"  # fmt: skip


def library_text(source: str | None) -> str:
    """The file of a library."""
    return "\n".join(
        [
            HEAD,
            f"title: {blank('the name of the library')}",
            f"summary: {blank('what it is and which release is documented')}",
            f"kind: {blank('what kind of library it is')}",
            f"source: {source or blank('the manifest that pins it')}",
            "dimensions:  # every size that axes name, with its meaning",
            "  N: batch",
            f"  C: {blank('what the size C is')}",
            f"layers: [{blank('the first layer; atlas new component makes its file')}]",
        ]
    ) + "\n"  # fmt: skip


def source_text(title: str | None, repository: str | None) -> str:
    """The manifest of a pinned project."""
    return "\n".join(
        [
            "# Fill in every TODO(…), then run: atlas pin --prove",
            "# `atlas pin PACKAGE==VERSION PATH…` writes such a file whole, with all hashes and the licence.",
            f"title: {scalar(title) if title else blank('the name of the project')}",
            f"repository: {repository or blank('the https address of its repository')}",
            f"revision: {blank('a commit of 40 digits; or a release tag')}",
            f"license: {blank('the licence as an SPDX expression')}",
            f"license_text: {blank('a file beside this one that holds the text of the licence')}",
            f"copyright: {blank('year and holder as the project states them')}",
            "# With an archive the files come from a package index; without these lines they are fetched with git.",
            "artifact:",
            f"  pypi: {blank('name==version')}",
            f"  file: {blank('the file name of the archive')}",
            f"  sha256: {blank('the SHA-256 of the archive')}",
            "files:",
            f"  {blank('the path of a file in the repository')}: "
            f"{{blob: {blank('what git hash-object says of the file')}}}",
        ]
    ) + "\n"  # fmt: skip
