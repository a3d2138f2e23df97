"""Which symbols of a component values may enter and leave as, and what to name instead of one that they may not.

Kept apart from what builds the graph, which only asks.
"""

from __future__ import annotations

from difflib import get_close_matches

from atlas.entries.atlas import Entry
from atlas.operators.catalogue import CATALOGUE


def near_or_all(name: str, known: list[str]) -> str:
    """What may be meant instead of a name, else what there is."""
    near = get_close_matches(name, known, n=1)
    return f"did you mean `{near[0]}`?" if near else f"there is {', '.join(known) or 'none'}"


def names_that(entry: Entry, go: str) -> str:
    """What to name instead of a symbol as which no value can enter, or leave."""
    results = {output.name for output in CATALOGUE[entry.data.operator].contract.outputs}
    symbols = entry.data.symbols.items()
    known = [name for name, one in symbols if (may_enter(entry, name) if go == "enter" else one.binds in results)]
    return f"what can {go}: {', '.join(known)}" if known else f"no symbol can {go}: give one `binds`"


def may_enter(entry: Entry, symbol: str) -> bool:
    """Whether a value may enter as this symbol: it stands for an argument that nothing stores."""
    declared = entry.data.symbols.get(symbol)
    if declared is None or declared.parameter is not None or declared.buffer is not None:
        return False
    return any(argument.name == declared.binds for argument in CATALOGUE[entry.data.operator].contract.inputs)
