"""What `atlas show` tells of an operator and of a pinned project; neither needs the checks to run."""

from __future__ import annotations

from collections.abc import Iterator

from atlas.commands.report import Cell, Report, Section
from atlas.entries.atlas import Atlas, Source
from atlas.operators.options import Option
from atlas.operators.registry import Operator
from atlas.sources.cache import BlobCache
from atlas.sources.pins import PinLock, pin_status

CellRows = Iterator[tuple[Cell, ...]]


def operator_report(one: Operator, atlas: Atlas | None) -> Report:
    """The report on an operator, and on the entries that are checked against it where there is a project."""
    entries = atlas.entries if atlas is not None else ()
    used = tuple((entry.id, entry.data.title) for entry in entries if entry.data.operator == one.name)
    sections = (
        Section("facts", ("what", "value"), tuple(_facts(one))),
        Section("arguments", ("name", "axes", "kind"), tuple(_arguments(one))),
        Section("options", ("name", "takes", "default"), tuple(map(_option, one.options.values()))),
        Section("conventions", ("name", "value"), tuple(one.conventions.items())),
        Section("used by", ("id", "title"), used),
    )
    return Report("operator", one.name, one.title, one.summary, sections)


def source_report(source: Source, lock: PinLock, atlas: Atlas) -> Report:
    """The report on a pinned project: its files with the state of their pins, and who cites them."""
    data, cache = source.data, BlobCache()
    files = tuple(
        (path, pinned.blob, str(pin_status(source.id, data, path, lock).state), _at_hand(cache, pinned.blob))
        for path, pinned in data.files.items()
    )
    cited = tuple(
        (entry.id, claim.id, f"{claim.path}:{claim.lines}")
        for entry in atlas.entries
        for claim in entry.data.sources
        if claim.source == source.id
    )
    sections = (
        Section("facts", ("what", "value"), tuple(_about(source))),
        Section("files", ("path", "blob", "pin", "cache"), files),
        Section("cited by", ("id", "claim", "where"), cited),
    )
    return Report("source", source.id, data.title, "", sections)


def _facts(one: Operator) -> CellRows:
    yield "contract", str(one.contract)
    yield "family", one.family
    yield "kind", one.kind
    yield "published in", one.source
    yield "multiply-accumulates", str(one.cost)
    yield "precision", f"at least {one.precision}"


def _arguments(one: Operator) -> CellRows:
    for argument in one.contract.inputs:
        kind = "parameter" if argument.name in one.parameters else "optional" if argument.optional else "input"
        yield argument.name, argument.shape, f"{kind}, whole numbers" if argument.integer else kind
    yield from ((output.name, output.shape, "result") for output in one.contract.outputs)


def _option(one: Option) -> tuple[Cell, ...]:
    return one.name, one.wanted, "required" if one.required else str(one.default)


def _about(source: Source) -> CellRows:
    data = source.data
    yield "manifest", source.path
    yield "repository", data.repository
    yield "revision", data.revision
    if data.release is not None:
        yield "release", data.release
    yield "licence", f"{data.license}, © {data.copyright}"
    if data.artifact is not None:
        yield "archive", f"{data.artifact.file} of {data.artifact.pypi}"
        yield "SHA-256", data.artifact.sha256


def _at_hand(cache: BlobCache, blob: str) -> str:
    return "in the cache" if cache.place(blob).is_file() else "not in the cache"
