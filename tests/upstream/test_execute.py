from __future__ import annotations

import json.decoder
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from atlas.exceptions import UpstreamError
from atlas.sources.blob import blob_id
from atlas.upstream.execute import load, located
from atlas.upstream.facade import Facade, Modules, State
from atlas.upstream.tensor import Tensor

Load = Callable[..., Mapping[str, object]]


def serve(state: State) -> Modules:
    return {"library": {"double": lambda x: 2 * x}, "library.deep.part": {"triple": lambda x: 3 * x}, "json": {}}


PART = Facade(name="library", is_for_whole_files=False, serve=serve, tensor=Tensor)
WHOLE = Facade(name="library", is_for_whole_files=True, serve=serve, tensor=Tensor)


def test_a_named_function_runs_over_the_facade(load_text: Load) -> None:
    found: Any = load_text(
        """
        import numpy.absent
        import library as lib
        from library.deep import part
        import library.deep.part as same

        def six(x):
            return part.triple(lib.double(x)) + same.triple(0) + lib.deep.part.triple(0)

        def refused():
            return numpy.absent
        """,
        "six",
        facade=PART,
    )
    assert found["six"](7) == 42
    assert list(found) == ["six"]


def test_a_whole_file_runs_every_statement(load_text: Load) -> None:
    found = load_text("from library import double\nvalues = [double(i) for i in range(3)]", "values", facade=WHOLE)
    assert found["values"] == [0, 2, 4]


def test_text_that_is_not_the_pinned_one_is_never_executed(tmp_path: Path) -> None:
    text = "raise ValueError('executed')\n"
    with pytest.raises(UpstreamError) as caught:
        load(text, blob_id(b"other"), names=(), facade=WHOLE, state=State(), filename="a/b.py")
    assert str(caught.value) == (
        f"a/b.py is pinned as blob {blob_id(b'other')} but is {blob_id(text.encode())}: it is not executed"
    )


def test_the_blob_id_is_gits(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("ε = 1\n", encoding="utf-8")
    git = subprocess.run(["git", "hash-object", "b.py"], cwd=tmp_path, check=True, capture_output=True, text=True)  # noqa: S607  git is found on the PATH here as everywhere
    found = load("ε = 1\n", git.stdout.strip(), names=["ε"], facade=WHOLE, state=State(), filename="b.py")
    assert found["ε"] == 1


@pytest.mark.parametrize(
    ("statement", "missing"),
    [
        ("import os", "module os"),
        ("import os.path", "module os.path"),
        ("from library.absent import part", "module library.absent"),
        ("from library import absent", "library.absent"),
        ("import library.absent as it", "module library.absent"),
        ("from . import sibling", "module ."),
        ("from .sibling import it", "module .sibling"),
        ("from .library import double", "module .library"),
        ("from library import *", "library.*"),
    ],
)
def test_other_imports_are_refused_by_name(load_text: Load, statement: str, missing: str) -> None:
    with pytest.raises(UpstreamError, match=r"^project/module.py:2: ") as caught:
        load_text(f"# first\n{statement}\n", facade=WHOLE)
    assert str(caught.value) == f"project/module.py:2: the library facade serves no {missing}"


def test_a_real_module_that_is_loaded_already_is_not_reached(load_text: Load) -> None:
    assert json.decoder.__name__ in sys.modules
    with pytest.raises(UpstreamError, match=r"the library facade serves no json\.decoder"):
        load_text("from json import decoder", facade=WHOLE)


def test_a_refused_import_cannot_be_caught_as_a_missing_one(load_text: Load) -> None:
    with pytest.raises(UpstreamError, match="serves no module os"):
        load_text("try:\n    import os\nexcept AttributeError:\n    pass\n", facade=WHOLE)


@pytest.mark.parametrize("name", ["open", "exec", "eval", "compile", "globals", "vars", "print", "breakpoint", "input"])
def test_builtins_with_effects_are_not_there(load_text: Load, name: str) -> None:
    with pytest.raises(UpstreamError, match=rf"^project/module\.py:1: NameError: name '{name}' is not defined"):
        load_text(f"{name}('x')", facade=WHOLE)


def test_an_error_in_a_call_names_the_innermost_upstream_line(load_text: Load) -> None:
    found: Any = load_text(
        """
        import library


        def inner(x):
            raise KeyError(x)


        def outer(x):
            return library.double(
                inner(x))
        """,
        "outer",
        facade=PART,
    )
    with pytest.raises(UpstreamError, match=r"^project/module\.py:6: KeyError: 5$") as caught, located():
        found["outer"](5)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_call_that_the_facade_misses_is_named(load_text: Load) -> None:
    found: Any = load_text("import library\ndef f():\n    return library.deep.other(1)\n", "f", facade=PART)
    with (
        pytest.raises(
            UpstreamError, match=r"^project/module\.py:3: AttributeError: the facade has no library\.deep\.other$"
        ),
        located(),
    ):
        found["f"]()


def test_an_error_outside_upstream_code_stays_what_it_is() -> None:
    with pytest.raises(KeyError), located():
        raise KeyError("ours")


def test_text_that_python_cannot_read_names_its_line(load_text: Load) -> None:
    with pytest.raises(UpstreamError, match=r"^project/module\.py:2: today's Python cannot read it: "):
        load_text("x = 1\nprint 'two'\n", "x", facade=PART)


def test_old_escapes_warn_nobody(load_text: Load) -> None:
    assert load_text("pattern = '\\d'\nsame = 1 is 1\n", "pattern", facade=WHOLE)["pattern"] == "\\d"


def test_a_missing_name_is_refused_with_the_nearest(load_text: Load) -> None:
    with pytest.raises(UpstreamError, match=r"^project/module\.py defines no layer \(did you mean layers\?\)$"):
        load_text("layers = 1", "layer", facade=WHOLE)


def test_annotations_are_not_postponed_by_ours(load_text: Load) -> None:
    found: Any = load_text("def f(x: 1 + 1): pass", "f", facade=WHOLE)
    assert found["f"].__annotations__ == {"x": 2}


def test_what_was_loaded_cannot_be_replaced(load_text: Load) -> None:
    found: Any = load_text("x = 1", "x", facade=WHOLE)
    with pytest.raises(TypeError):
        found["x"] = 2
