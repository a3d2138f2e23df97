"""A library that is loaded when something of it is first used, and not when a module that may use it is imported.

Most builds after an edit compute nothing anew, so that NumPy would be loaded for nothing, which takes a tenth of their
time. `LazyLoader` of the standard library does not do: what it puts off, a second `import` of it loads.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import ModuleType
from typing import Any

_LOADING = RLock()
"""Held by the thread that loads a library; others wait until it is whole."""


class _Later(ModuleType):
    """A library that is not loaded yet; it becomes an ordinary module once it is."""

    # The standard library's `LazyLoader` does not do: what it puts off, a second `import` of it loads.

    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        # What is asked of every module that is imported or looked through; to ask for anything else loads it.
        self.__spec__ = spec
        self.__file__ = spec.origin or ""
        self._is_loading = False

    def __getattr__(self, name: str) -> Any:
        with _LOADING:
            if type(self) is _Later:
                self._load(name)
        return getattr(self, name)

    def _load(self, wanted: str) -> None:
        spec = self.__spec__
        if self._is_loading or spec is None or spec.loader is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {wanted!r}")
        self._is_loading = True
        self.__dict__.update(vars(module_from_spec(spec)))
        try:
            spec.loader.exec_module(self)
        except BaseException:
            self._is_loading = False
            raise
        del self._is_loading
        self.__class__ = ModuleType  # type: ignore[assignment]  # from now on it is as if it had been imported


def load_later(library: str) -> None:
    """Let all imports of a library from now on load it when something of it is first used.

    Nothing happens where it is loaded already, or is not there: then the import says so.
    """
    spec = None if library in sys.modules else find_spec(library)
    if spec is not None and spec.loader is not None:
        sys.modules[library] = _Later(spec)


def load_now(library: str) -> None:
    """Load a library that was put off; others are left alone."""
    module = sys.modules.get(library)
    if isinstance(module, _Later):
        hasattr(module, "__path__")
