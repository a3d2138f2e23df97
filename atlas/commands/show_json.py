"""The figures of a model as JSON: numbers as numbers, sizes and names in LaTeX as the entries have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from atlas.checks.configuration import Configuration
from atlas.checks.published import PublishedCheck
from atlas.commands.figures import BYTES, Figures
from atlas.graph.accounting import Account


def figures_data(figures: Figures) -> dict[str, Any]:
    """Everything that is shown, as JSON has it."""
    account, graph = figures.account, figures.loaded.graph
    titles = {entry.id: entry.data.title for entry in figures.loaded.collection.entries}
    return {
        "model": figures.loaded.collection.id,
        "title": figures.loaded.model.title,
        "complete": figures.loaded.model.complete,
        "variant": figures.variant if figures.configuration is None or figures.is_variant else None,
        "sizes_of": figures.variant,
        "sizes": dict(figures.choice.sizes),
        "inputs": dict(figures.lengths),
        "parameters": {
            "total": account.total,
            "active": account.active,
            "embedding": account.embedding,
            "non_embedding": account.non_embedding,
            "buffers": account.buffers,
        },
        "stacks": [asdict(one) for one in account.stacks],
        "components": [_component(name, titles[name], one) for name, one in account.entries.items()],
        "cache": {
            "numbers_per_token": account.cache,
            "bytes_per_token": {name: width * account.cache for name, width in BYTES.items()},
            "numbers_per_token_of_the_input": account.input_cache,
            "numbers_per_token_of_a_window": account.window_cache,
            "constant_numbers": account.constant_state,
            **_for_tokens(figures),
        },
        "multiply_accumulates": {"expression": str(account.macs), "value": figures.macs},
        "values": [
            {"name": key, "axes": [str(axis) for axis in graph.values[value].axes], "shape": list(shape)}
            for value, places in figures.shapes()
            for key, shape in places
        ],
        "published": [_published(one) for one in figures.published],
        **({"configuration": _configuration(figures.configuration)} if figures.configuration is not None else {}),
    }


def _for_tokens(figures: Figures) -> dict[str, Any]:
    """What is kept for the tokens that were asked for, if any."""
    if figures.tokens is None:
        return {}
    numbers = figures.tokens * figures.account.cache
    sizes = {name: width * numbers for name, width in BYTES.items()}
    return {"for_tokens": {"tokens": figures.tokens, "numbers": numbers, "bytes": sizes}}


def _component(name: str, title: str, account: Account) -> dict[str, Any]:
    return {
        "id": name,
        "title": title,
        "places": account.layers,
        "per_place": account.per_instance.value({}) if account.uniform else None,
        "total": account.across.value({}),
        "parameters": list(_rows(account)),
    }


def _rows(account: Account) -> Iterator[dict[str, Any]]:
    """The learned tensors in the first place; where places differ only their sizes do."""
    for row in account.rows:
        yield {
            "label": row.label,
            "symbol": row.symbol,
            "calculation": row.calculation,
            "count": row.count.value({}),
            "tied": row.tied,
        }


def _published(one: PublishedCheck) -> dict[str, Any]:
    return {
        "quantity": one.quantity,
        "published": one.published,
        "rounded_to": one.rounded_to,
        "at": dict(one.at),
        "derived": one.derived,
        "agrees": one.agrees,
        "reference": one.reference.model_dump(),
    }


def _configuration(one: Configuration) -> dict[str, Any]:
    return {
        "stated_by": dict(one.stated_by),
        "defaults": list(one.defaults),
        "as_documented": list(one.confirmed),
        "assumed": list(one.assumed),
        "ignored": dict(one.ignored),
        "no_part_of_the_architecture": list(one.bookkeeping),
        "not_understood": list(one.unknown),
        "other_classes": list(one.other_classes),
    }
