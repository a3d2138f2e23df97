"""An upstream library's model, built from a configuration: its tensors, its values, its cache and its work.

All that is particular to the library and to what it computes with stays in this file; NumPy arrays go in and come out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from atlas.entries.collection import Upstream
from atlas.exceptions import UpstreamError
from atlas.graph.unroll import Sizes
from atlas.upstream.library import Library
from atlas.upstream.library_config import configuration
from atlas.upstream.tensor import Array
from atlas.upstream.whole_model import Returned, Stored

T = TypeVar("T")

IMPLEMENTATIONS = {"attn_implementation": "eager", "experts_implementation": "eager"}
"""The library's own plain code, which is what the pinned passages show; its faster ones compute the same otherwise."""


class LibraryModel:
    """One model in evaluation mode; on the meta device it has shapes and no numbers."""

    def __init__(self, module: Any, name: str, library: Library) -> None:
        """Take a model that was built; `build` builds one."""
        self.module = module
        self.name = name
        self.library = library

    def tensors(self) -> dict[str, Stored]:
        """Every tensor that the library stores, by name; whole numbers without axes count calls and are left out."""
        learned = {name for name, _ in self.module.named_parameters(remove_duplicate=False)}
        first: dict[int, str] = {}
        found = {}
        for name, tensor in self.module.state_dict(keep_vars=True).items():
            if tensor.ndim or tensor.is_floating_point():
                held_as = first.setdefault(id(tensor), name)
                found[name] = Stored(name, tuple(tensor.shape), name in learned, held_as)
        return found

    def allocated(self) -> list[str]:
        """The names of tensors that have numbers in memory; none on the meta device."""
        both = [*self.module.named_parameters(), *self.module.named_buffers()]
        return [name for name, tensor in both if not tensor.is_meta]

    def load(self, arrays: Mapping[str, Array]) -> None:
        """Give tensors these numbers, in the precision that they have."""
        import torch

        held = self.module.state_dict(keep_vars=True)
        with torch.no_grad():
            for name, array in arrays.items():
                held[name].copy_(torch.from_numpy(np.ascontiguousarray(array)))

    def widen(self) -> None:
        """Keep and compute everything in float64, as far as the library does."""
        self.module.double()

    def run(self, inputs: Mapping[str, Array], fields: list[str], modules: list[str]) -> Returned:
        """Call the model; `modules` are those whose output is wanted too.

        Raises:
            UpstreamError: it cannot be called so, or has no such field or module.
        """
        kept: dict[str, Array] = {}
        with ExitStack() as stack:
            known = dict(self.module.named_modules())
            for path in modules:
                handle = self._module_at(path, known).register_forward_hook(self._keeping(path, kept))
                stack.callback(handle.remove)
            output = self._called(inputs, with_cache=False)
        if never := [path for path in modules if path not in kept]:
            raise UpstreamError(f"{self.name} never calls its module {never[0]}")
        return Returned({name: self._field(output, name) for name in fields}, kept)

    def kept(self, inputs: Mapping[str, Array]) -> list[tuple[int, ...]]:
        """The shapes of what the model keeps of a call to go on from, layer by layer; none where it keeps nothing."""
        if not hasattr(self.module.config, "use_cache"):
            return []
        output = self._called(inputs, with_cache=True)
        held = next((output[name] for name in ("cache", "past_key_values") if name in output), None)
        layers = getattr(held, "layers", None)
        if layers is None:
            raise UpstreamError(f"{self.name} returns no cache whose layers can be counted")
        tensors = {id(one): one for layer in layers for one in vars(layer).values() if hasattr(one, "numel")}
        return [tuple(one.shape) for one in tensors.values()]

    def products(self, inputs: Mapping[str, Array]) -> dict[str, int]:
        """The multiply–accumulates of matrix products and convolutions of a call, by module; of the model as ``."""
        from torch.utils.flop_counter import FlopCounterMode

        with FlopCounterMode(display=False) as counter:
            self._called(inputs, with_cache=False)
        found: dict[str, int] = {"": 0}
        for name, by_operation in counter.get_flop_counts().items():
            path = "" if name == "Global" else name.partition(".")[2]
            if name == "Global" or path:  # the model itself is there under its class's name as well
                found[path] = sum(by_operation.values()) // 2
        return found

    def _called(self, inputs: Mapping[str, Array], *, with_cache: bool) -> Any:
        import torch

        width = next((one.dtype for one in self.module.parameters()), torch.float32)
        arguments: dict[str, Any] = {}
        for name, array in inputs.items():
            tensor = torch.from_numpy(np.ascontiguousarray(array))
            arguments[name] = tensor.to(width) if tensor.is_floating_point() else tensor
        if hasattr(self.module.config, "use_cache"):
            arguments["use_cache"] = with_cache
        with self.library.quiet(), _on_one_thread(), torch.no_grad(), _told(f"calling {self.name}"):
            return self.module(**arguments)

    def _module_at(self, path: str, known: Mapping[str, Any]) -> Any:
        if path not in known:
            near = get_close_matches(path, known, n=1)
            raise UpstreamError(f"{self.name} has no module {path}" + (f"; did you mean {near[0]}?" if near else ""))
        return known[path]

    def _keeping(self, path: str, kept: dict[str, Array]) -> Callable[[Any, Any, Any], None]:
        def hook(_module: Any, _inputs: Any, output: Any) -> None:
            if path in kept:
                raise UpstreamError(f"{self.name} calls its module {path} several times, so its output is no one value")
            first = next((one for one in output if hasattr(one, "numpy")), None) if _is_tuple(output) else output
            kept[path] = _array(first, f"the module {path}")

        return hook

    def _field(self, output: Any, name: str) -> Array:
        if name not in output:
            raise UpstreamError(f"{self.name} returns no {name}; it returns {', '.join(output)}")
        return _array(output[name], name)


def build(
    library: Library,
    upstream: Upstream,
    sizes: Sizes,
    *,
    meta: bool = False,
    without: str | None = None,
    changes: Mapping[str, Any] = MappingProxyType({}),
) -> LibraryModel:
    """The library's model at these sizes; on the meta device no memory is taken for its tensors.

    Args:
        library: The pinned library.
        upstream: What the model's file says of the library's.
        sizes: The sizes.
        meta: Whether it is built on the meta device.
        without: A key of the configuration that is left out.
        changes: Keys that are given beside those that the model's file states; the library need not have them.

    Raises:
        SizeError: a key of the configuration is no size here.
        UpstreamError: the library has no such key, or refuses its value; or the model cannot be built.
    """
    import torch

    stated = {name: value for name, value in configuration(upstream, sizes).items() if name != without}
    model = library.member(upstream.model)
    where = torch.device("meta" if meta else "cpu")
    with library.quiet(), _on_one_thread(), torch.random.fork_rng(devices=[]), where:
        config = configured(library, upstream, stated, changes)
        with _told(f"building {upstream.model}"):
            return LibraryModel(model(config).eval(), upstream.model, library)


def configured(
    library: Library, upstream: Upstream, stated: Mapping[str, Any], changes: Mapping[str, Any] = MappingProxyType({})
) -> Any:
    """The library's configuration with these keys; one that it does not have would do nothing, so it is refused.

    Args:
        library: The pinned library.
        upstream: What the model's file says of the library's.
        stated: Keys that the configuration must have, and take as they are stated.
        changes: Keys that are given beside them, whatever becomes of them.

    Raises:
        UpstreamError: the library has no such configuration or key, or refuses a value.
    """
    made = library.member(upstream.config)
    with library.quiet(), _told(f"making {upstream.config}"):
        default = made()
    for name in stated:  # of those that change nothing, old files have some that the library dropped
        if not hasattr(default, name):
            near = get_close_matches(name, vars(default), n=1)
            raise UpstreamError(f"{upstream.config} has no key {name}" + (f"; did you mean {near[0]}?" if near else ""))
    with library.quiet(), _told(f"making {upstream.config}"):
        config = made(**{**stated, **changes}, **IMPLEMENTATIONS)
    for name, value in stated.items():
        found = getattr(config, name)
        if name not in changes and not holds(found, value):
            raise UpstreamError(f"{upstream.config} makes {found!r} of {name}, which is stated as {value!r}")
    return config


def holds(found: Any, stated: Any) -> bool:
    """Whether the library took a value as it was stated; it may add to a mapping and keep a list as a tuple."""
    if isinstance(stated, dict):
        return isinstance(found, Mapping) and all(name in found and holds(found[name], stated[name]) for name in stated)
    if isinstance(stated, list):
        return len(found) == len(stated) and all(map(holds, found, stated))
    return type(found) is type(stated) and bool(found == stated)


@contextmanager
def _on_one_thread() -> Iterator[None]:
    """Small arrays gain nothing from several threads, which wait for each other where the machine is busy."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _told(doing: str) -> Iterator[None]:
    """Whatever upstream code raises becomes one error that says what was being done."""
    try:
        yield
    except UpstreamError:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise UpstreamError(f"{doing}: {type(error).__name__}: {text[:300]}") from error


def _is_tuple(output: Any) -> bool:
    return isinstance(output, tuple | list)


def _array(tensor: Any, what: str) -> Array:
    """A copy of a tensor's numbers; the library may write into the tensor later."""
    if not hasattr(tensor, "numpy"):
        raise UpstreamError(f"{what} is a {type(tensor).__name__} where a tensor was expected")
    return np.array(tensor.detach().numpy(), copy=True)
