"""The API documentation of a library's layer, as plain data in the order in which its page shows it.

What it says was checked against the pinned source's own signature before it comes here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from atlas.checks.checked import CheckedEntry
from atlas.entries.component import Api, ApiArgument
from atlas.render.deferred import Inline
from atlas.render.parts import Link, Parts
from atlas.sources.definitions import definitions
from atlas.sources.store import PinnedText
from atlas.sources.symbols import CALLED, call_method


@dataclass(frozen=True, slots=True)
class ApiArgumentView:
    """One argument in the API documentation."""

    name: str
    """Its name."""
    type: Inline
    """Its type."""
    default: str
    """Its default, or empty."""
    text: Inline
    """What it does."""


@dataclass(frozen=True, slots=True)
class ApiView:
    """The API documentation of a library's layer."""

    name: str
    """The full public name."""
    signature: str
    """The name with its arguments and defaults, in one line."""
    arguments: tuple[ApiArgumentView, ...]
    """The arguments."""
    attributes: tuple[ApiArgumentView, ...]
    """The attributes."""
    call_signature: str
    """How an instance is called, or empty."""
    call_arguments: tuple[ApiArgumentView, ...]
    """The arguments of that call."""
    returns: ApiArgumentView | None
    """What is returned."""
    warnings: tuple[Inline, ...]
    """What a user must know."""
    experimental: bool
    """Whether upstream announces that the interface may change."""
    see_also: tuple[Link, ...]
    """Further reading."""


def api_view(entry: CheckedEntry, api: Api, parts: Parts) -> ApiView:
    """The API documentation of an entry."""
    text = partial(parts.text, entry.entry)

    def arguments(given: Mapping[str, ApiArgument]) -> tuple[ApiArgumentView, ...]:
        return tuple(
            ApiArgumentView(name, text(argument.type), argument.default or "", text(argument.text))
            for name, argument in given.items()
        )

    def signature(given: Mapping[str, ApiArgument]) -> str:
        return ", ".join(name if one.default is None else f"{name}={one.default}" for name, one in given.items())

    return ApiView(
        name=api.name,
        signature=f"{_keyword(entry, api)}{api.name}({signature(api.arguments)})",
        arguments=arguments(api.arguments),
        attributes=tuple(
            ApiArgumentView(name, text(value.type), "", text(value.text)) for name, value in api.attributes.items()
        ),
        call_signature=f"{_called(entry, api)}({signature(api.call_arguments)})" if api.call_arguments else "",
        call_arguments=arguments(api.call_arguments),
        returns=ApiArgumentView("", text(api.returns.type), "", text(api.returns.text)) if api.returns else None,
        warnings=tuple(text(warning) for warning in api.warnings),
        experimental=api.experimental,
        see_also=tuple(Link(one.title, one.url) for one in api.see_also),
    )


def _keyword(entry: CheckedEntry, api: Api) -> str:
    """`class ` where the pinned source defines a class."""
    found = [one for pinned in _pinned(entry, api) for one in definitions(pinned.text) if one.is_named(api.symbol)]
    return "class " if found and found[-1].kind == "class" else ""


def _called(entry: CheckedEntry, api: Api) -> str:
    """The name of the method that is called, as the pinned source has it."""
    methods = [call_method(pinned, api.symbol) for pinned in _pinned(entry, api)]
    return (methods or [CALLED[0]])[0].rpartition(".")[2]


def _pinned(entry: CheckedEntry, api: Api) -> list[PinnedText]:
    """The pinned file that holds the definition; none where it is not at hand."""
    return [one.excerpt.pinned for one in entry.claims if one.claim.id == api.excerpt and one.excerpt]
