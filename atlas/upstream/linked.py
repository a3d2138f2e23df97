"""Several pinned files of one project, each importing the others: a definition is executed when it is first asked for.

A model's files import far more of their project than one run reaches, and the rest would need the whole library.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType, MappingProxyType, ModuleType
from typing import Protocol

from atlas.exceptions import UpstreamError
from atlas.upstream.definitions import Definitions
from atlas.upstream.execute import Importer, module_name, new_namespace, run, verified_tree
from atlas.upstream.facade import Facade, State
from atlas.upstream.tensor import Array, Tensor


class PinnedFile(Protocol):
    """A file whose text is claimed to be that of a git blob."""

    @property
    def text(self) -> str:
        """The whole text."""

    @property
    def blob(self) -> str:
        """The git blob id."""


class Linked:
    """The pinned files of one run."""

    def __init__(
        self,
        files: Mapping[str, PinnedFile],
        facade: Facade,
        state: State,
        watches: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        """Verify every file and execute none of it yet.

        `watches` names functions, and methods as `Class.method`, of each path: what they return is kept in `values`.
        """
        self._watched = _Watched(state)
        importer = Importer(facade.name, facade.serve(state))
        self._modules = {
            path: _LinkedFile(path, file, importer, self._watched, watches.get(path, ()))
            for path, file in files.items()
        }
        self._check_paths(watches)
        for path, module in self._modules.items():
            importer.add(_LazyModule(module_name(path), module.definition))

    @property
    def values(self) -> Mapping[str, Array]:
        """What the watched functions returned, in the order in which they did.

        The key is the variable scope of the call and the function's name: `a/b/layer`, `a/b/layer_1` for the second
        call there. The members of a list or tuple have `:0`, `:1`, … appended; what is no tensor is left out.
        """
        return MappingProxyType(self._watched.values)

    def definition(self, path: str, name: str) -> object:
        """The object that a file defines under a name.

        Errors: UpstreamError where the file is not among those of this run, or defines no such name.
        """
        self._check_paths([path])
        return self._modules[path].definition(name)

    def calls(self, path: str, watch: str) -> int:
        """How often a watched function was called."""
        return self._watched.counts.get((path, watch), 0)

    def _check_paths(self, paths: Mapping[str, object] | Sequence[str]) -> None:
        for path in paths:
            if path not in self._modules:
                raise UpstreamError(f"{path} is not among the files: {', '.join(sorted(self._modules)) or 'none'}")


# Cached as one proof runs the same files a dozen times; what is read of a text never changes.
@functools.lru_cache(maxsize=64)
def _read(text: str, blob: str, path: str) -> Definitions:
    """What a file defines, once its text is proved to be the pinned one."""
    return Definitions(verified_tree(text, blob, path), path)


class _LazyModule(ModuleType):
    """A pinned file as the other files see it."""

    def __init__(self, name: str, definition: Callable[[str], object]) -> None:
        super().__init__(name)
        self._definition = definition

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # asked by the interpreter, of any module
            raise AttributeError(name)
        return self._definition(name)


class _LinkedFile:
    """The part of a pinned file that was executed so far."""

    def __init__(
        self, path: str, file: PinnedFile, importer: Importer, watched: _Watched, watches: Sequence[str]
    ) -> None:
        self._path = path
        self._definitions = _read(file.text, file.blob, path)
        self._namespace = new_namespace(path, importer)
        self._done: frozenset[int] = frozenset()
        self._watched = watched
        self._watches = tuple(watches)
        for name in self._watches:
            self._definitions.needed([name.partition(".")[0]])  # refused now rather than silently never called

    def definition(self, name: str) -> object:
        if name not in self._namespace:
            missing = self._definitions.needed([name]) - self._done
            # Marked first, as these statements may import a file that asks for one of them in turn.
            self._done |= missing
            known = set(self._namespace)
            run(self._definitions.part(missing), self._namespace, self._path)
            self._watch(self._namespace.keys() - known)
        if name not in self._namespace:
            raise UpstreamError(f"{self._path}: {name} is asked for while it is being defined")
        return self._namespace[name]

    def _watch(self, names: set[str]) -> None:
        """Put a recorder in front of each watched function that was just defined."""
        for watch in self._watches:
            owner, _, method = watch.partition(".")
            if owner not in names:
                continue
            found = self._namespace[owner]
            function = vars(found).get(method) if method and isinstance(found, type) else found
            if not isinstance(function, FunctionType) or (method and not isinstance(found, type)):
                raise UpstreamError(f"{self._path}: {watch} is no function, so what it returns cannot be watched")
            recording = self._watched.recording(function, (self._path, watch))
            if method:
                setattr(found, method, recording)
            else:
                self._namespace[owner] = recording


class _Watched:
    """What watched functions returned."""

    def __init__(self, state: State) -> None:
        self.values: dict[str, Array] = {}
        self.counts: dict[tuple[str, str], int] = {}
        self._state = state
        self._calls: dict[str, int] = {}

    def recording(self, function: FunctionType, watch: tuple[str, str]) -> Callable[..., object]:
        """The function, whose results are kept under the scope in which it was called."""

        @functools.wraps(function)
        def call(*arguments: object, **named: object) -> object:
            key = self._key(function.__name__)
            self.counts[watch] = self.counts.get(watch, 0) + 1
            result = function(*arguments, **named)
            self.values.update({name: tensor.value for name, tensor in _tensors(key, result)})
            return result

        return call

    def _key(self, function: str) -> str:
        """The name of a call; numbered in the order of beginning, as variable scopes are."""
        name = f"{self._state.scope}/{function}" if self._state.scope else function
        number = self._calls.get(name, 0)
        self._calls[name] = number + 1
        return f"{name}_{number}" if number else name


def _tensors(key: str, result: object) -> Iterator[tuple[str, Tensor]]:
    if isinstance(result, Tensor):
        yield key, result
    elif isinstance(result, list | tuple):
        for index, member in enumerate(result):
            yield from _tensors(f"{key}:{index}", member)
