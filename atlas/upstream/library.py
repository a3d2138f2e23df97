"""The installed upstream library, used only if it is the pinned one: its version, and its files by git blob id.

It is imported when a proof asks for it and at no other time: it is large, and the atlas works without it.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from atlas.entries.atlas import Source
from atlas.exceptions import LibraryError, UpstreamError
from atlas.sources.blob import blob_id

if TYPE_CHECKING:
    from packaging.version import Version

PACKAGE, EXTRA = "openmodelatlas", "verify"
BACKEND = "torch"
"""What the library computes with; its version is the one that the extra asks for."""
HOW_TO_INSTALL = f"pip install '{PACKAGE}[{EXTRA}]'"


@dataclass(frozen=True, slots=True)
class Library:
    """An installed library that is the pinned one."""

    name: str
    """The package with its version, as `transformers 5.24.0`."""
    module: Any
    """Its main module."""
    files: frozenset[Path]
    """The installed files that equal the pinned ones."""
    versions: Mapping[str, str]
    """The versions of the package and of what it computes with."""

    def member(self, name: str) -> Any:
        """A class of the main module, out of a file that is pinned.

        Raises:
            UpstreamError: there is none, or its file is not pinned.
        """
        found = self.module
        for part in name.split("."):
            if not hasattr(found, part):
                raise UpstreamError(f"{self.name} has no {name}")
            found = getattr(found, part)
        file = inspect.getsourcefile(found) if inspect.isclass(found) else None
        if file is None:
            raise UpstreamError(f"{name} of {self.name} is no class that is written in Python")
        if Path(file).resolve() not in self.files:
            raise UpstreamError(f"the manifest does not pin {Path(file).name}, in which {self.name} has {name}")
        return found

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Leave out what the library warns of: it is not about what is proved, and a wrong outcome is told anyway."""
        logger = logging.getLogger(self.module.__name__)
        before = logger.level
        logger.setLevel(logging.CRITICAL)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield
        finally:
            logger.setLevel(before)


def pinned_versions(source: Source) -> dict[str, str]:
    """The versions that a proof against a library is made with: the manifest's package, and what the extra asks for.

    Raises:
        LibraryError: the manifest pins no package.
    """
    name, version = _package(source)
    return {name: version, BACKEND: _asked_for()}


def open_library(source: Source) -> Library:
    """The installed library that a manifest pins.

    Raises:
        LibraryError: it is not installed, has another version, or a file of it is not the pinned one.
    """
    versions = pinned_versions(source)
    name = next(iter(versions))
    found = {package: _installed(package, version) for package, version in versions.items()}
    distribution = metadata.distribution(name)
    files = {
        Path(str(distribution.locate_file(path))).resolve(): (path, pinned.blob)
        for path, pinned in ((_in_package(source, one), pinned) for one, pinned in source.data.files.items())
    }
    for file, (path, blob) in files.items():
        try:
            installed = blob_id(file.read_bytes())
        except OSError as error:
            raise LibraryError(f"the installed {name} {found[name]} has no {path}: {error.strerror}") from None
        if installed != blob:
            message = f"{path} is pinned as blob {blob}, but the installed {name} {found[name]} has {installed}"
            raise LibraryError(f"{message}; install it anew: {HOW_TO_INSTALL}")
    return Library(
        f"{name} {found[name]}",
        _imported(_main_module(source)),
        frozenset(files),
        MappingProxyType({package: str(version) for package, version in found.items()}),
    )


def _package(source: Source) -> tuple[str, str]:
    artifact = source.data.artifact
    if artifact is None:
        raise LibraryError(f"{source.path} pins no package, so no installed library can be the pinned one")
    name, _, version = artifact.pypi.partition("==")
    return name, version


def _in_package(source: Source, path: str) -> str:
    """The path of a pinned file in the package."""
    strip = source.data.artifact.strip if source.data.artifact is not None else None
    return path.removeprefix(f"{strip}/") if strip is not None else path


def _main_module(source: Source) -> str:
    found = sorted({_in_package(source, path).partition("/")[0].removesuffix(".py") for path in source.data.files})
    if len(found) != 1:
        raise LibraryError(f"{source.path} pins files of {' and '.join(found)}, so its main module is not known")
    return found[0]


def _installed(package: str, wanted: str) -> Version:
    """The installed version, which must be the wanted one; what a build adds to it, such as `+cpu`, is its own."""
    from packaging.version import Version  # here and below, as few builds compare versions and all import this module

    try:
        found = Version(metadata.version(package))
    except metadata.PackageNotFoundError:
        message = f"{package} is not installed, with which whole models are proved"
        raise LibraryError(f"{message}; install it with: {HOW_TO_INSTALL}") from None
    if found.public != Version(wanted).public:
        message = f"{package} {found} is installed, but proofs are made with {wanted}"
        raise LibraryError(f"{message}; install it with: {HOW_TO_INSTALL}")
    return found


# Cached as every model's records ask for it; what is installed does not change while the program runs.
@cache
def _asked_for() -> str:
    """The version of the backend that our own extra asks for."""
    from packaging.requirements import Requirement

    for text in metadata.requires(PACKAGE) or ():
        asked = Requirement(text)
        if asked.name == BACKEND and asked.marker is not None and asked.marker.evaluate({"extra": EXTRA}):
            return next((one.version for one in asked.specifier if one.operator == "=="), "")
    raise LibraryError(f"the installed {PACKAGE} has no extra {EXTRA}; install it anew: {HOW_TO_INSTALL}")


def _imported(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it finds old-fashioned in others is not ours to change
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise LibraryError(f"{name} cannot be imported: {error}; install it anew: {HOW_TO_INSTALL}") from error
