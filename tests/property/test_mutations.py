"""Mutated YAML gives issues at places that exist, and never a traceback."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from atlas.checks.latex import canonical, occurrences, tokens
from atlas.checks.run import check_project
from atlas.entries.atlas import Atlas
from atlas.entries.component import Component
from atlas.entries.load import load
from atlas.entries.tree import parse, read
from atlas.entries.validate import validate
from atlas.exceptions import OfflineError
from atlas.issues import Issue, show
from atlas.node.process import Formula, Typeset
from atlas.sources.store import PinnedText, SourceStore, lines_of

PROJECT = Path(__file__).resolve().parents[1] / "project"
SEEDED = settings(derandomize=True, deadline=None, max_examples=150)

FILES = sorted(
    path.relative_to(PROJECT).as_posix()
    for folder in ("content", "sources")
    for path in (PROJECT / folder).rglob("*.yml")
)

PASSAGE = "\n".join(
    [
        "class LayerNormalization(Link):",
        "    def __init__(self, size=None, eps=1e-6, initial_gamma=None, initial_beta=None):",
        "        self.gamma, self.beta, self.eps = initial_gamma, initial_beta, eps",
        "    def __call__(self, x):",
        "        return common_layers.layer_norm(x)",
        "hparams.hidden_size = 512",
        *["# more"] * 700,
    ]
)


class Store(SourceStore):
    """Every pinned file is one and the same passage, or is not at hand."""

    def __init__(self, atlas: Atlas, at_hand: bool) -> None:
        super().__init__({name: source.data for name, source in atlas.sources.items()}, offline=True)
        self.at_hand = at_hand

    def file(self, source_id: str, path: str) -> PinnedText:
        if not self.at_hand:
            raise OfflineError(f"{path} is not at hand", ("files", path))
        manifest = self.manifest(source_id)
        return PinnedText(source_id, path, manifest.files[path].blob, PASSAGE, lines_of(PASSAGE), manifest)


def typeset(formulas: Iterable[Formula]) -> list[Typeset]:
    """Refuses a formula now and then, as KaTeX would."""
    return [
        Typeset(formula, None, "Undefined control sequence: \\x; remove it", len(formula.tex) // 2)
        if len(formula.tex) % 17 == 5 and formula.display
        else Typeset(formula, Markup(), "", None)
        for formula in formulas
    ]


@dataclass(frozen=True)
class Project:
    root: Path

    def with_text(self, path: str, text: str, *, at_hand: bool = True) -> list[Issue]:
        """The issues of the real project with another text in one file."""
        file = self.root / path
        before = file.read_bytes()
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            outcome = check_project(
                self.root,
                self.root / "content",
                self.root / "sources",
                make_store=lambda atlas: Store(atlas, at_hand),
                typesetter=typeset,
            )
            self.judge(list(outcome.issues))
        finally:
            file.write_bytes(before)
        assert (outcome.checked is None) == any(issue.severity == "error" for issue in outcome.issues)
        return list(outcome.issues)

    def judge(self, issues: list[Issue]) -> None:
        """Each issue stands in a file of the project, at a line and column that are there."""
        for issue in issues:
            place = self.root / issue.path
            assert issue.message
            if not issue.line:
                assert issue.column == 0
                continue
            lines = place.read_bytes().decode("utf-8", "replace").split("\n")
            assert 1 <= issue.line <= len(lines), issue
            assert 1 <= issue.column <= len(lines[issue.line - 1]) + 1, issue
        assert len(json.loads(show(issues, "json"))) == len(set(issues))
        assert show(issues, "text").count("\n") >= len(set(issues)) - 1
        assert len(show(issues, "github").splitlines()) == len(set(issues))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("mutations")
    for folder in ("content", "sources"):
        shutil.copytree(PROJECT / folder, root / folder)
    return Project(root)


CHARACTERS = "abxyZ019 \t\n\r'\"{}[]:,#&*!|>%@`\\-_.~^éεα😀\u200b\u202e\u2028\x00\ufeff"
WORDS = (
    *("yes", "no", "null", "true", "[]", "{}", "1e-5", "0123", "'", '"\\frac"', "*x", "&x 1", "!!set", "<<: *x", "- "),
    *("? ", "---", "\\gamma", "x_{n+1}", "9" * 200, "{a: {b: [c, {d: e}]}}", "transformer/model", "../../x"),
)


def mutated(text: str, draw: random.Random) -> str:
    """The text after one to four small accidents."""
    lines = text.split("\n")
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(lines))
        line = lines[at]
        column = draw.randint(0, len(line))
        match draw.randrange(10):
            case 0:
                del lines[at : at + draw.randint(1, 3)]
                lines = lines or [""]
            case 1:
                lines.insert(draw.randrange(len(lines)), line)
            case 2:
                other = draw.randrange(len(lines))
                lines[at], lines[other] = lines[other], line
            case 3 | 4:
                lines[at] = line[:column] + draw.choice(CHARACTERS) + line[column + draw.randint(0, 1) :]
            case 5:
                lines[at] = line[:column] + line[column + draw.randint(1, 5) :]
            case 6:
                lines[at] = " " * draw.randint(1, 3) + line if draw.random() < 0.5 else line[draw.randint(1, 3) :]
            case 7 | 8:
                key, colon, _ = line.partition(": ")
                lines[at] = f"{key}{colon}{draw.choice(WORDS)}"
            case _:
                lines[at] = line + draw.choice((" x", ",", ":", "'", " # x", "\r", " {"))
    return "\n".join(lines)


@SEEDED
@given(st.sampled_from(FILES), st.integers(0, 2**32), st.booleans())
def test_accidents_in_a_real_file(project: Project, path: str, seed: int, at_hand: bool) -> None:
    text = (PROJECT / path).read_text(encoding="utf-8")
    project.with_text(path, mutated(text, random.Random(seed)), at_hand=at_hand)  # noqa: S311  not for secrets


@pytest.mark.parametrize("path", FILES)
def test_a_real_file_with_other_line_endings_is_the_same(project: Project, path: str) -> None:
    text = (PROJECT / path).read_text(encoding="utf-8")
    assert project.with_text(path, text.replace("\n", "\r\n")) == project.with_text(path, text)


@pytest.mark.parametrize("path", FILES)
def test_a_file_that_ends_too_soon(project: Project, path: str) -> None:
    text = (PROJECT / path).read_text(encoding="utf-8")
    for end in range(0, len(text), max(1, len(text) // 12)):
        project.with_text(path, text[:end])


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize(
    "change", [str.upper, str.title, lambda text: text.replace("\n", "\n ")], ids=["upper", "title", "indented"]
)
def test_a_file_that_is_changed_throughout(project: Project, path: str, change: Callable[[str], str]) -> None:
    project.with_text(path, change((PROJECT / path).read_text(encoding="utf-8")))


@SEEDED
@given(st.text(alphabet=st.sampled_from(CHARACTERS), max_size=60))
@example("a: &a [*a]\n? b\n: <<")
@example("- - - [{? x\n: y")
def test_any_text_is_read_or_refused(text: str) -> None:
    document, issues = parse(text, "a.yml")
    assert document is not None or issues
    if document is not None:
        validate(document, Component)


@SEEDED
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "bytes.yml"
    file.write_bytes(raw)
    document, issues = read(file, "a.yml")
    assert document is not None or issues


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-9, 10**6), st.floats(), st.sampled_from(WORDS))
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "axes", "id", "type"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(SEEDED, max_examples=60)
@given(st.sampled_from([file for file in FILES if file.startswith("content")]), st.data())
def test_any_value_in_place_of_another(project: Project, path: str, data: st.DataObject) -> None:
    text = (PROJECT / path).read_text(encoding="utf-8")
    document, _ = parse(text, path)
    assert document is not None
    key = data.draw(st.sampled_from(sorted(document.value)))
    value = data.draw(VALUES)
    changed = {name: plain(inner) for name, inner in document.value.items()} | {key: value}
    project.with_text(path, yaml.safe_dump(changed, allow_unicode=True))


def plain(value: object) -> object:
    if isinstance(value, tuple):
        return [plain(inner) for inner in value]
    return {name: plain(inner) for name, inner in value.items()} if isinstance(value, dict) else value


PARTS = (
    *("x", "y", "_", "^", "{", "}", "\\frac", "\\sum", "\\mathrm", "\\hat", "'", "=", "&", "\\\\", ",", "(", "\\quad"),
    *("\\begin{array}{cc}", "\\operatorname*", "\\in", "\\int", "d", "2", "\\", "[", "]", "α"),
)
LATEX = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)


@SEEDED
@given(LATEX)
def test_any_formula_is_read(formula: str) -> None:
    found = tokens(formula)
    if is_balanced([token.text for token in found]):
        spelled = canonical(formula)
        assert canonical(spelled) == spelled
    for occurrence in occurrences(found):
        start, end = occurrence.span
        assert 0 <= start < end <= len(formula)
        assert occurrence.base


def is_balanced(parts: list[str]) -> bool:
    depth = 0
    for part in parts:
        depth += (part == "{") - (part == "}")
        if depth < 0:
            return False
    return depth == 0 and "\\" not in parts


def test_the_real_project_holds_with_what_stands_in_for_sources_and_katex(project: Project) -> None:
    atlas, issues = load(project.root, project.root / "content", project.root / "sources")
    assert issues == []
    files = [file for file in FILES if file.startswith("content/")]
    assert len(atlas.entries) == sum(not file.endswith(("/model.yml", "/library.yml")) for file in files)
