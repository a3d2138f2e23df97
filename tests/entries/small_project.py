"""A small project with a model, a library and a source, for tests to write to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from atlas.entries.atlas import Atlas, Entry
from atlas.entries.load import load
from atlas.issues import Issue

ENTRY = """\
title: Layer
operator: layer_norm
summary: It normalizes.
formula: y = x
symbols:
  'x': {axes: [d]}
  'y': {axes: [d]}
sources:
  - {id: one, claim: It does., source: project, path: a.py, lines: 1-2}
"""


MODEL = """\
title: Model
summary: It is one.
kind: stack
paper: {title: Paper, authors: [A. Author], year: 2020}
complete: false
dimensions: {d: width}
stacks:
  encoder: {title: Encoder, layers: 2, components: [a, b]}
variants:
  base: {title: base, sizes: {d: 8}}
"""


LIBRARY = """\
title: Library
summary: It is one.
kind: framework
source: project
dimensions: {d: width}
layers: [one]
"""


MANIFEST = """\
title: Project
repository: https://git.example/owner/project
revision: 0123456789abcdef0123456789abcdef01234567
license: MIT
license_text: licenses/MIT.txt
copyright: 2020 The authors
files:
  a.py: {blob: 0123456789abcdef0123456789abcdef01234567}
"""


Write = Callable[..., None]


class Project:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("content/model/model.yml", MODEL)
        self.write("content/model/encoder/a.yml", ENTRY)
        self.write("content/model/encoder/b.yml", "inherits: a\ntitle: Other\n")
        self.write("content/library/library.yml", LIBRARY)
        self.write("content/library/one.yml", ENTRY)
        self.write("sources/project.yml", MANIFEST)
        self.write("sources/licenses/MIT.txt", "MIT\n")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert text.count(old) == 1
        self.write(path, text.replace(old, new))

    def load(self) -> tuple[Atlas, list[Issue]]:
        atlas, issues = load(self.root, self.root / "content", self.root / "sources")
        return atlas, sorted(set(issues))

    def found(self) -> list[tuple[str, int, int, str]]:
        return [(issue.path, issue.line, issue.column, issue.code) for issue in self.load()[1]]

    def only(self) -> Issue:
        issues = self.load()[1]
        assert len(issues) == 1, issues
        return issues[0]

    def entry(self, entry_id: str) -> Entry:
        return next(entry for entry in self.load()[0].entries if entry.id == entry_id)
