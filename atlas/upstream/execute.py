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
from types import MappingProxyType, ModuleType, TracebackType

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
    tree = verified_tree(text, blob, filename)
    namespace = new_namespace(filename, Importer(facade.name, facade.serve(state)))
    run(tree if facade.is_for_whole_files else needed(tree, names, filename), namespace, filename)
    for name in names:
        if name not in namespace:
            defined = [one for one in namespace if not one.startswith("__")]
            raise UpstreamError(unknown(f"{filename} defines no", name, defined))
    return MappingProxyType({name: namespace[name] for name in names})


def verified_tree(text: str, blob: str, filename: str) -> ast.Module:
    """A pinned file's syntax tree, once its text is proved to be the pinned one."""
    found = blob_id(text.encode())
    if found != blob:
        raise UpstreamError(f"{filename} is pinned as blob {blob} but is {found}: it is not executed")
    with _old_fashioned():
        try:
            return ast.parse(text, filename)
        except SyntaxError as error:
            raise UpstreamError(f"{filename}:{error.lineno}: today's Python cannot read it: {error.msg}") from error


def module_name(filename: str) -> str:
    """The dotted name under which a file is imported."""
    return filename.removesuffix(".py").replace("/", ".")


def new_namespace(filename: str, importer: Importer) -> dict[str, object]:
    """What a file's code begins with: the harmless built-in functions, and `importer` as its way to import."""
    return {
        "__builtins__": {name: getattr(builtins, name) for name in _BUILTINS} | {"__import__": importer},
        "__name__": module_name(filename),
    }


def run(tree: ast.Module, namespace: dict[str, object], filename: str) -> None:
    """Execute statements of a verified tree."""
    with _old_fashioned():
        code = compile(tree, _MARK + filename, "exec", dont_inherit=True)
    with located():
        exec(code, namespace)  # noqa: S102  the point of this room; the blob id was verified


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


@contextmanager
def _old_fashioned() -> Iterator[None]:
    """What today's Python finds old-fashioned in the text is not ours to change."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


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


class Importer:
    """Stands in for `__import__`; everything that neither the facade nor another pinned file serves is refused."""

    def __init__(self, facade: str, modules: Modules) -> None:
        self._facade = facade
        self._modules: dict[str, ModuleType] = {}
        for name, content in modules.items():
            vars(self._module(name)).update(content)

    def add(self, module: ModuleType) -> None:
        """Serve a further module, below packages that follow from its name."""
        name = module.__name__
        if name in self._modules:
            raise UpstreamError(f"the {self._facade} facade serves {name} itself")
        self._modules[name] = module
        self._join(name)

    def _module(self, name: str) -> ModuleType:
        if name not in self._modules:
            self._modules[name] = _FacadeModule(name)
            self._join(name)
        return self._modules[name]

    def _join(self, name: str) -> None:
        """Make a module an attribute of its package."""
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(self._module(parent), last, self._modules[name])

    def __call__(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002  the interpreter calls it with these names
        locals: Mapping[str, object] | None = None,  # noqa: A002  the same
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> object:
        """What an import statement asks for: the module, or the first package of a dotted name."""
        if name == "__future__":
            return __import__(name)
        if level or name not in self._modules:
            raise UpstreamError(f"the {self._facade} facade serves no module {'.' * level}{name}")
        module = self._modules[name]
        for wanted in fromlist or ():
            # Checked here because the interpreter would go on to look in the real sys.modules.
            if isinstance(module, _FacadeModule) and wanted not in vars(module):
                raise UpstreamError(f"the {self._facade} facade serves no {name}.{wanted}")
        return module if fromlist else self._modules[name.partition(".")[0]]
