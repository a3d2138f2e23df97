"""Verified upstream text → the objects that it defines, executed over a facade's modules only.

The text's git blob id is recomputed first, so nothing but the pinned code is ever executed. This keeps upstream's own
imports from running; it is no sandbox against hostile code, which is why the pin comes first.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType, MappingProxyType, ModuleType, TracebackType

from atlas.exceptions import UpstreamError
from atlas.sources.blob import blob_id
from atlas.upstream.definitions import needed, unknown
from atlas.upstream.facade import Facade, Modules, State

_MARK = "upstream:"
"""Begins the file name that upstream code is compiled with, so that its frames are known in a traceback."""

_BUILTINS = """
    ArithmeticError AssertionError AttributeError DeprecationWarning Ellipsis Exception FutureWarning IndexError
    KeyError LookupError NotImplemented NotImplementedError OverflowError RuntimeError RuntimeWarning StopIteration
    TypeError UserWarning ValueError ZeroDivisionError __build_class__ abs all any bool callable classmethod complex
    dict divmod enumerate filter float format frozenset getattr hasattr hash int isinstance issubclass iter len list
    map max min next object pow property range repr reversed round set setattr slice sorted staticmethod str sum
    super tuple type zip
""".split()  # noqa: SIM905  the list would take seventy lines


def load(
    text: str, blob: str, *, names: Sequence[str], facade: Facade, state: State, filename: str
) -> Mapping[str, object]:
    """Execute a pinned file's text, or what `names` need of it, and return the objects of these names."""
    found = blob_id(text.encode())
    if found != blob:
        raise UpstreamError(f"{filename} is pinned as blob {blob} but is {found}: it is not executed")
    namespace: dict[str, object] = {
        "__builtins__": {name: getattr(builtins, name) for name in _BUILTINS}
        | {"__import__": _Importer(facade.name, facade.serve(state))},
        "__name__": filename.removesuffix(".py").replace("/", "."),
    }
    code = _compiled(text, names, facade, filename)
    with located():
        exec(code, namespace)  # noqa: S102  the point of this room; the blob id was verified above
    for name in names:
        if name not in namespace:
            defined = [one for one in namespace if not one.startswith("__")]
            raise UpstreamError(unknown(f"{filename} defines no", name, defined))
    return MappingProxyType({name: namespace[name] for name in names})


@contextmanager
def located() -> Iterator[None]:
    """Give an error inside upstream code the upstream file's name and line; other errors pass unchanged."""
    try:
        yield
    except Exception as error:
        place = _innermost(error.__traceback__)
        if place is None:
            raise
        kind = "" if isinstance(error, UpstreamError) else f"{type(error).__name__}: "
        raise UpstreamError(f"{place}: {kind}{error}") from error


def _compiled(text: str, names: Sequence[str], facade: Facade, filename: str) -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what today's Python finds old-fashioned in the text is not ours to change
        try:
            tree = ast.parse(text, filename)
        except SyntaxError as error:
            raise UpstreamError(f"{filename}:{error.lineno}: today's Python cannot read it: {error.msg}") from error
        if not facade.is_for_whole_files:
            tree = needed(tree, names, filename)
        return compile(tree, _MARK + filename, "exec", dont_inherit=True)


def _innermost(trace: TracebackType | None) -> str | None:
    """The file and line of the upstream code that ran last, if any did."""
    place = None
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith(_MARK):
            place = f"{name.removeprefix(_MARK)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


class _FacadeModule(ModuleType):
    """A module that says which facade misses what."""

    def __getattr__(self, name: str) -> object:
        raise AttributeError(f"the facade has no {self.__name__}.{name}")


class _Importer:
    """Stands in for `__import__`; everything that the facade does not serve is refused."""

    def __init__(self, facade: str, modules: Modules) -> None:
        self._facade = facade
        self._modules: dict[str, ModuleType] = {}
        for name, content in modules.items():
            vars(self._module(name)).update(content)

    def _module(self, name: str) -> ModuleType:
        if name not in self._modules:
            self._modules[name] = _FacadeModule(name)
            parent, _, last = name.rpartition(".")
            if parent:
                setattr(self._module(parent), last, self._modules[name])
        return self._modules[name]

    def __call__(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002  the interpreter calls it with these names
        locals: Mapping[str, object] | None = None,  # noqa: A002  the same
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> object:
        if name == "__future__":
            return __import__(name)
        if level or name not in self._modules:
            raise UpstreamError(f"the {self._facade} facade serves no module {'.' * level}{name}")
        module = self._modules[name]
        for wanted in fromlist or ():
            # Checked here because the interpreter would go on to look in the real sys.modules.
            if wanted not in vars(module):
                raise UpstreamError(f"the {self._facade} facade serves no {name}.{wanted}")
        return module if fromlist else self._modules[name.partition(".")[0]]
