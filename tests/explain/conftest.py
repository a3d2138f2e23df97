"""Carries out the examples of the catalogue: each in content of its own, with everything that a check does."""

from __future__ import annotations

import json
import logging
import re
import runpy
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from atlas.checks.display import Typesetter
from atlas.checks.formula import read_table
from atlas.checks.graph import check_graph
from atlas.checks.published import check_published
from atlas.checks.run import Outcome, check_project
from atlas.checks.shapes import check_shapes
from atlas.checks.upstream import verify_entry
from atlas.checks.upstream_model import verify_model
from atlas.checks.upstream_program import verify_program
from atlas.cli import main
from atlas.commands.checking import node_environment
from atlas.entries.collection import Model
from atlas.entries.load import load
from atlas.entries.tree import parse as parse_yaml
from atlas.exceptions import FormulaError
from atlas.explain.catalogue import Example
from atlas.formula.check import check
from atlas.formula.declarations import Declarations, SymbolDeclaration
from atlas.formula.engine import parse
from atlas.formula.sample import draw
from atlas.graph.accounting import model_account
from atlas.graph.unroll import Sizes
from atlas.node.process import Formula, NodeProcess, Typeset
from atlas.operators.family import Family
from atlas.operators.registry import Operator, operator
from atlas.project import find_project
from atlas.scaffold.starter import starter_files, write_starter
from atlas.sources.store import SourceStore
from atlas.upstream.library import open_library

REPOSITORY = Path(__file__).resolve().parents[2]
NOTATION = runpy.run_path(str(REPOSITORY / "tests" / "formula" / "corpus.py"))
ELLIPSIS_LINE = "…"

Run = Callable[[Example, bool], list[str]]


@pytest.fixture(scope="session")
def typesetter() -> Iterator[Typesetter]:
    """The real KaTeX; a formula that it has seen is not sent again."""
    known: dict[Formula, Typeset] = {}

    def typeset(formulas: Iterable[Formula]) -> list[Typeset]:
        wanted = list(formulas)
        known.update((result.formula, result) for result in process.typeset(one for one in wanted if one not in known))
        return [known[formula] for formula in wanted]

    with NodeProcess(node_environment(offline=False)) as process:
        yield typeset


def replaced(text: str, old: str, new: str) -> str:
    """The text with its one passage `old` replaced; a line … stands for lines that stay as they are, or that go."""
    parts = [part.strip("\n") for part in old.split(ELLIPSIS_LINE)]
    pattern = r"(\n(?:.*\n)*?)".join(map(re.escape, parts))
    found = list(
        re.finditer(rf"^(?P<indent> *){pattern}|{pattern}" if len(parts) == 1 else pattern, text, re.MULTILINE)
    )
    assert len(found) == 1, f"{old!r} stands {len(found)} times"
    start, end = found[0].span()
    indent = (found[0].groupdict().get("indent") or "") if len(parts) == 1 else ""
    middle = found[0].group(1) if len(parts) > 1 else ""
    new_parts = [part.strip("\n") for part in new.split(ELLIPSIS_LINE)]
    return text[:start] + indent + middle.join(new_parts) + text[end:]


def edit(root: Path, file: str, old: str, new: str) -> None:
    path = root / file
    path.write_text(replaced(path.read_text(encoding="utf-8"), old, new), encoding="utf-8")


def made(root: Path, base: str) -> None:
    """The content that an example changes."""
    if base == "starter":
        write_starter(root, starter_files("Example", None))
        return
    if base == "nested":
        shutil.copytree(REPOSITORY / "tests" / "models", root)
        return
    shutil.copytree(REPOSITORY / "content" / base, root / "content" / base)
    shutil.copytree(REPOSITORY / "sources", root / "sources")
    shutil.copyfile(REPOSITORY / "mkdocs.yml", root / "mkdocs.yml")


def prepared(root: Path, example: Example, is_wrong: bool) -> None:
    """The project of one form of an example."""
    made(root, example.base)
    for one in example.given:
        edit(root, one.file, one.old, one.new)
    if example.how in ("edit", "verify", "build", "recorded") and example.where:
        file = example.where.partition(",")[0]
        edit(root, file, example.right, example.wrong if is_wrong else example.right)
    for path, text in (example.wrong_files if is_wrong else example.right_files).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def unchanged() -> dict[tuple[Any, ...], list[str]]:
    """What content that many examples begin with gives, by what is done with it."""
    return {}


@pytest.fixture(scope="session")
def built_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the examples are that are built: all in one place, so that what is the same in them is made once."""
    return tmp_path_factory.mktemp("built") / "project"


@pytest.fixture
def run(
    typesetter: Typesetter,
    unchanged: dict[tuple[Any, ...], list[str]],
    built_place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Run:
    """The codes that one form of an example gives."""
    runners: dict[str, Callable[[Path, Example, bool], list[str]]] = {
        "yaml": lambda root, one, wrong: [i.code for i in parse_yaml(one.wrong if wrong else one.right, "a.yml")[1]],
        "edit": lambda root, one, wrong: checked(root, typesetter) if one.base != "nested" else published(root),
        "files": lambda root, one, wrong: checked(root, typesetter),
        "formula": lambda root, one, wrong: formula_codes(one, wrong),
        "python": lambda root, one, wrong: python_codes(one, wrong, root, typesetter),
        "archive": lambda root, one, wrong: archive_codes(one, wrong, root, monkeypatch),
        "offline": lambda root, one, wrong: offline_codes(one, wrong, root, monkeypatch),
        "configuration": lambda root, one, wrong: configuration_codes(one, wrong, root),
        "recorded": lambda root, one, wrong: recorded_codes(one, wrong, root, monkeypatch),
        "verify": lambda root, one, wrong: verified_codes(root, typesetter),
        "build": lambda root, one, wrong: built_codes(root, caplog),
    }

    def carried_out(example: Example, is_wrong: bool) -> list[str]:
        root = built_place if example.how == "build" else tmp_path / ("wrong" if is_wrong else "right")
        shutil.rmtree(root, ignore_errors=True)
        # The right form of an edit is what stands there anyway.
        key = (example.how, example.base, example.given, not is_wrong and not example.right_files)
        if key[-1] and example.how in ("edit", "files", "recorded", "verify", "build"):
            if key not in unchanged:
                unchanged[key] = anew(root, example, is_wrong)
            return unchanged[key]
        return anew(root, example, is_wrong)

    def anew(root: Path, example: Example, is_wrong: bool) -> list[str]:
        if example.how not in ("yaml", "formula", "recorded"):
            prepared(root, example, is_wrong)
        return runners[example.how](root, example, is_wrong)

    return carried_out


def outcome(root: Path, typesetter: Typesetter) -> Outcome:
    project = find_project(root)
    return check_project(
        project.root,
        project.content,
        project.sources,
        make_store=lambda atlas: SourceStore({name: one.data for name, one in atlas.sources.items()}),
        typesetter=typesetter,
        missing="link" if not (root / "sources" / "tensor2tensor.yml").exists() else "fail",
    )


def checked(root: Path, typesetter: Typesetter) -> list[str]:
    real = (root / "content" / "miniature").is_dir()
    found = outcome(root, typesetter).issues
    return [one.code for one in found if real or one.severity == "error"]


def published(root: Path) -> list[str]:
    """What is said of the published figures of a model; the rest of that content is not whole."""
    atlas, _ = load(root, root / "content", root / "sources")
    collection = atlas.collections["nested"]
    graph, issues = check_graph(collection)
    assert graph is not None
    assert isinstance(collection.data, Model)
    accounts = {name: model_account(graph, Sizes.of(one)) for name, one in collection.data.variants.items()}
    return [one.code for one in (*issues, *check_published(collection, accounts)[1])]


def formula_codes(example: Example, is_wrong: bool) -> list[str]:
    """What is said of a formula that is compared with the right one, where both can be read."""
    own = example.wrong_symbols if is_wrong else example.right_symbols
    symbols = {**example.symbols, **own}
    try:
        declared = NOTATION["declared"](symbols)
        formula = parse(example.wrong if is_wrong else example.right, declared)
        sample = draw(formula, 0, 0)
        formula.run(sample.inputs, sample.sizes)
    except FormulaError as error:
        return [error.code]
    return [one.code for one in check(formula, formula.run).issues]


def python_codes(example: Example, is_wrong: bool, root: Path, typesetter: Typesetter) -> list[str]:
    """What some lines of Python, which use our own functions, give or raise."""

    def entry_with(made: Operator) -> tuple[Any, Operator, Any]:
        text = f"operator: {made.name}\n"
        edit(root, "content/miniature/layers/residual.yml", "operator: add\n", text)
        path = "content/miniature/layers/residual.yml"
        edit(root, path, "  'r': {axes: [B, S, d], binds: r, meaning: what the sublayer found}\n", "")
        atlas, issues = load(root, root / "content", root / "sources")
        assert issues == []
        entry = next(one for one in atlas.entries if one.id == "miniature/layers/residual")
        table, declared = read_table(entry, made)
        assert declared == []
        return entry, made, table

    names: dict[str, Any] = {
        "np": np,
        "parse": parse,
        "check": check,
        "Declarations": Declarations,
        "entry_with": entry_with,
        "SymbolDeclaration": SymbolDeclaration,
        "Family": Family,
        "operator": operator,
        "check_shapes": check_shapes,
    }
    try:
        exec(f"{example.setting}\n{example.wrong if is_wrong else example.right}", names)  # noqa: S102 - our own lines
    except FormulaError as error:
        return [error.code]
    return [one.code for one in (names["report"].issues if "report" in names else names.get("issues", ()))]


MANIFEST = """\
title: Halves
repository: https://example.org/me/halves
revision: v1.0
license: MIT
license_text: licenses/MIT-chainer.txt
copyright: 2026 Me
artifact: {{pypi: halves==1.0, file: halves-1.0-py3-none-any.whl, sha256: {sha256}}}
files:
  {pinned}
"""


def archive_codes(example: Example, is_wrong: bool, root: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `atlas fetch` says of a manifest whose archive is in a folder."""
    folder = root / "archives"
    folder.mkdir()
    archive = folder / "halves-1.0-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("halves.py", "half = 0.5\n")
        file.writestr("halves-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: halves\nVersion: 1.0\n")
    pinned = example.wrong if is_wrong else example.right
    text = MANIFEST.format(sha256=sha256(archive.read_bytes()).hexdigest(), pinned=pinned)
    (root / example.where).write_text(text, encoding="utf-8")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("OPENMODELATLAS_CACHE", str(root / "cache"))
    result = CliRunner().invoke(main, ["fetch", "halves", "--project", str(root)])
    return re.findall(r": (A\d{3}) ", result.stdout)


def offline_codes(example: Example, is_wrong: bool, root: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What checks say without a network, with an empty cache and with one that `atlas fetch` filled."""
    environment = node_environment(offline=False)
    cache = root / "cache"
    if is_wrong:
        cache.mkdir()
        (cache / "node").symlink_to(environment.modules.parents[1], target_is_directory=True)
        monkeypatch.setenv("OPENMODELATLAS_CACHE", str(cache))
    found: list[str] = []
    for line in (example.wrong if is_wrong else example.right).splitlines():
        result = CliRunner().invoke(main, [*line.split()[1:], "--project", str(root)])
        found += re.findall(r": (A\d{3}) ", result.stdout)
    monkeypatch.undo()
    return found


def configuration_codes(example: Example, is_wrong: bool, root: Path) -> list[str]:
    file = root / "config.json"
    file.write_text(example.wrong if is_wrong else example.right, encoding="utf-8")
    result = CliRunner().invoke(main, ["show", "--config", str(file), "--json", "--project", str(root)])
    assert result.exit_code == is_wrong, result.output
    return [one["code"] for one in json.loads(result.stdout)] if is_wrong else []


def recorded_codes(example: Example, is_wrong: bool, root: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What checks say of an entry that was changed after its proofs were recorded."""
    prepared(root, example, False)
    result = CliRunner().invoke(main, ["verify", "--record", "--project", str(root)])
    assert result.exit_code == 0, result.output
    if is_wrong:
        edit(root, example.where.partition(",")[0], example.right, example.wrong)
    result = CliRunner().invoke(main, ["check", "--format", "json", "--project", str(root)])
    return [one["code"] for one in json.loads(result.stdout)]


def verified_codes(root: Path, typesetter: Typesetter) -> list[str]:
    """What checks find, or else `atlas verify`."""
    found = outcome(root, typesetter)
    errors = [one.code for one in found.issues if one.severity == "error"]
    if found.checked is None:
        return errors
    for entry in found.checked.entries if (root / "content" / "miniature").is_dir() else ():
        pinned = {one.claim.id: one.excerpt.pinned for one in entry.claims if one.excerpt is not None}
        issues = (one.issue for one in verify_entry(entry.entry, entry.operator, pinned))
        errors += [issue.code for issue in issues if issue is not None]
    for one in found.checked.collections.values():
        data = one.collection.data
        if not isinstance(data, Model) or one.graph is None:
            continue
        if data.upstream is not None:
            source = found.checked.atlas.sources[data.upstream.source]
            compared = verify_model(one.collection, one.graph, source, open_library(source))
            errors += [issue.code for each in compared for issue in each.issues]
        elif data.program is not None:
            source = found.checked.atlas.sources[data.program.source]
            files = {path: text for (name, path), text in found.checked.files.items() if name == source.id}
            compared = verify_program(one.collection, one.graph, source, files)
            errors += [issue.code for each in compared for issue in each.issues]
    return errors


def built_codes(root: Path, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What stops a strict build."""
    logger = logging.getLogger("mkdocs")
    propagate, logger.propagate = logger.propagate, True
    caplog.clear()
    config = load_config(config_file=str(root / "mkdocs.yml"), strict=True)
    said = ""
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    except Abort as error:
        said = str(error)
    finally:
        config.plugins.on_shutdown()
        logger.propagate = propagate
    assert ("site" in [one.name for one in root.iterdir()]) == (not said)
    return re.findall(r"\b(A\d{3})\b", "\n".join([said, *(one.getMessage() for one in caplog.records)]))


@pytest.fixture
def codes_raised() -> Mapping[str, set[str]]:
    """Every code that a module raises, with the modules."""
    found: dict[str, set[str]] = {}
    package = REPOSITORY / "atlas"
    for file in sorted(package.rglob("*.py")):
        if file.relative_to(package).as_posix() in ("issues.py", "explain/catalogue.py", "formula/codes.py"):
            continue
        for code in re.findall(r'"(A\d{3})"', file.read_text(encoding="utf-8")):
            found.setdefault(code, set()).add(file.name)
    return found
