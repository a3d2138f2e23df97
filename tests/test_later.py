"""Libraries that are loaded when they are first used, whatever imports them before."""

from __future__ import annotations

import importlib
import inspect
import pickle
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from atlas.later import load_later, load_now

LIBRARY = "slow_library"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A library that leaves a file when it is loaded."""
    folder = tmp_path / LIBRARY
    folder.mkdir()
    text = f"""
        from pathlib import Path

        (Path(__file__).parent / "loaded").touch()
        from {LIBRARY}.inner import NUMBER


        def __getattr__(name):
            if name == "dynamic":
                return "made"
            raise AttributeError(name)


        class Thing:
            pass
        """
    (folder / "__init__.py").write_text(textwrap.dedent(text))
    (folder / "inner.py").write_text(f"import {LIBRARY}\nNUMBER = 7\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "uses_slow_library.py").write_text(f"import {LIBRARY} as first\nimport {LIBRARY} as second\n")
    yield folder / "loaded"
    for name in [name for name in sys.modules if name.partition(".")[0] in (LIBRARY, "uses_slow_library")]:
        del sys.modules[name]


def test_an_import_loads_nothing_and_the_first_use_does(library: Path) -> None:
    load_later(LIBRARY)
    user = importlib.import_module("uses_slow_library")
    assert user.first is user.second
    assert not library.exists()
    assert inspect.getmodule(test_an_import_loads_nothing_and_the_first_use_does) is not None
    assert not library.exists()
    assert user.first.NUMBER == 7
    assert library.exists()


def test_what_was_put_off_is_an_ordinary_module_once_it_is_used(library: Path) -> None:
    load_later(LIBRARY)
    module = importlib.import_module(LIBRARY)
    assert module.dynamic == "made"
    assert type(module) is type(sys)
    assert sys.modules[LIBRARY] is module
    assert pickle.dumps(module.Thing)
    with pytest.raises(AttributeError, match="missing"):
        _ = module.missing


def test_a_module_in_a_library_loads_the_library_first(library: Path) -> None:
    load_later(LIBRARY)
    assert importlib.import_module(f"{LIBRARY}.inner").NUMBER == 7
    assert library.exists()


def test_a_library_is_loaded_at_once_where_it_is_wanted_so(library: Path) -> None:
    load_later(LIBRARY)
    load_now(LIBRARY)
    assert library.exists()
    library.unlink()
    load_now(LIBRARY)
    load_later(LIBRARY)
    assert importlib.import_module(LIBRARY).NUMBER == 7
    assert not library.exists()


def test_a_library_that_fails_says_so_each_time_it_is_used(library: Path) -> None:
    (library.parent / "inner.py").write_text("raise ImportError('broken')\n")
    load_later(LIBRARY)
    module = importlib.import_module(LIBRARY)
    for _ in range(2):
        with pytest.raises(ImportError, match="broken"):
            _ = module.NUMBER


def test_a_library_that_is_not_there_is_missed_by_its_import() -> None:
    load_later("a_library_that_nobody_has")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("a_library_that_nobody_has")
