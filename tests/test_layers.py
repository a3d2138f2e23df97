"""The order of the rooms: data flows one way, and each outside library has the rooms that may use it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "atlas"

ROOMS = (
    "issues",
    "exceptions",
    "files",
    "later",
    "cycles",
    "pickled",
    "kept",
    "spread",
    "size_text",
    "sizes",
    "entries",
    "formula",
    "operators",
    "sources",
    "graph",
    "upstream",
    "node",
    "markup",
    "checks",
    "project",
    "selection",
    "scaffold",
    "explain",
    "links",
    "render",
    "commands",
    "plugin",
    "cli",
)
"""From the first to the last; a file imports only from its own room and from those before it."""

SEPARATE = {"commands": {"render"}, "plugin": {"commands", "selection"}, "cli": {"plugin", "render"}}
"""Rooms that stand side by side, though one of them is written first."""

NETWORK = {"unearth", "httpx", "httpx2", "requests", "urllib3", "urllib.request", "http", "socket", "ssl", "ftplib"}

MAY_IMPORT = {
    "mkdocs": {"plugin"},
    "click": {"cli", "commands"},
    "subprocess": {"sources", "node"},
    "jinja2": {"render", "plugin"},
    "pygments": {"markup"},
    "markdown_it": {"markup"},
    "numpy": {"formula", "operators", "graph", "upstream", "checks"},
    "nodeenv": {"node"},
    "watchdog": {"commands"},
    "distributed": {"spread"},
    "torch": {"upstream"},
    "transformers": {"upstream"},
    **{library: {"sources"} for library in NETWORK},
    "socket": {"sources", "node"},  # a Node that is shared has one on this machine
}
"""Libraries that only some rooms may use; all others are free."""

FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(file: Path) -> str:
    """The module's dotted name below the package; empty for the package itself."""
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").rstrip(".")


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module that a file imports anywhere, also inside functions and for types only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def wrong_imports(module: str, text: str) -> list[str]:
    """What a module of the package imports and may not."""
    room = module.partition(".")[0]
    found = []
    for name in dict.fromkeys(imports(ast.parse(text))):
        if name.startswith("atlas."):
            other = name.split(".")[1]
            if room and (ROOMS.index(other) > ROOMS.index(room) or other in SEPARATE.get(room, ())):
                found.append(f"{room} imports {name}")
        rooms = next((rooms for library, rooms in MAY_IMPORT.items() if f"{name}.".startswith(f"{library}.")), None)
        if rooms is not None and room not in rooms:
            found.append(f"{room} imports {name}, which is for {', '.join(sorted(rooms))}")
    return found


def test_every_module_stands_in_a_room() -> None:
    rooms = {name_of(file).partition(".")[0] for file in FILES} - {""}
    assert rooms == set(ROOMS)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_file_imports_only_from_its_own_room_and_those_before_it(file: Path) -> None:
    assert wrong_imports(name_of(file), file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("entries.load", "from atlas.checks.run import check_project"),
        ("issues", "import atlas.sizes"),
        ("checks.run", "def f():\n    from atlas.render import build"),
        ("render.build", "import mkdocs.config"),
        ("checks.sources", "import subprocess"),
        ("entries.load", "from urllib.request import urlopen"),
        ("markup.prose", "from urllib import request"),
        ("render.site", "import click"),
        ("commands.check", "from atlas.render.build import build_site"),
        ("checks.upstream_model", "def f():\n    import torch"),
        ("graph.forward", "from atlas.upstream.library import open_library"),
    ],
)
def test_an_import_from_a_later_room_is_found(module: str, text: str) -> None:
    assert len(wrong_imports(module, text)) >= 1


def executed_imports(tree: ast.Module) -> Iterator[str]:
    """What a file imports when it runs: not for types only, and of `from package import module` the module."""
    body = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")]
    named = list(imports(ast.Module(body, [])))
    packages = {name for name in named if (PACKAGE.parent / name.replace(".", "/")).is_dir()}
    yield from (name for name in named if name not in packages)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_large_libraries_are_imported_only_where_a_proof_asks_for_them(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    body: list[ast.stmt] = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {name.partition(".")[0] for name in imports(ast.Module(body, []))}
    assert imported.isdisjoint({"torch", "transformers"})


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    modules = {name_of(file): file for file in FILES}
    graph = {
        name: {
            other
            for imported in executed_imports(ast.parse(file.read_text(encoding="utf-8")))
            if (other := imported.removeprefix("atlas.")) in modules and other != name
        }
        for name, file in modules.items()
    }
    while leaves := {name for name, needs in graph.items() if not needs & graph.keys()}:
        graph = {name: needs for name, needs in graph.items() if name not in leaves}
    assert graph == {}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_only_the_command_line_prints_and_exits(file: Path) -> None:
    if name_of(file).partition(".")[0] in ("cli", "commands"):
        return
    called = {
        ast.unparse(node.func) for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    }  # fmt: skip
    # A process that does work for another ends when that one is gone.
    allowed = {"os._exit"} if name_of(file) == "spread" else set()
    assert called & {"print", "exit", "quit", "input", "sys.exit", "os._exit", "sys.stdout.write"} <= allowed


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_nothing_is_evaluated_outside_of_the_room_for_upstream_code(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    allowed = {"exec", "compile", "__import__"} if name_of(file).startswith("upstream.") else set()
    assert called & {"eval", "exec", "compile", "__import__"} <= allowed
