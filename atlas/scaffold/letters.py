"""What an operator's arguments and options are called in formulas, as a first proposal.

The author of an entry takes the names of the paper instead; a proposal only has to be readable and distinct.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

GREEK = frozenset(
    (
        *("alpha", "beta", "gamma", "delta", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho"),
        *("sigma", "tau", "phi", "chi", "psi", "omega"),
    )
)
SPECIAL: Mapping[str, str] = MappingProxyType({"epsilon": r"\varepsilon", "result": "y"})
RESULTS = ("y", "z", "o", "u", "v", "w")
"""What a result may be called, in the order of preference."""


def symbol(name: str) -> str:
    r"""The symbol for a name as Python writes it: `W_q` → `W_q`, `gamma` → `\gamma`, `W_gate` → `W_{\mathrm{gate}}`."""
    stem, underscore, index = name.partition("_")
    if not underscore or not index:
        return _letter(stem)
    inner = index if len(index) == 1 or index.isdecimal() else _letter(index.replace("_", ""))
    return f"{_letter(stem)}_{inner}" if len(inner) == 1 else f"{_letter(stem)}_{{{inner}}}"


def symbols(names: Iterable[str]) -> dict[str, str]:
    """A distinct symbol for each name; results get another letter where theirs is taken."""
    found: dict[str, str] = {}
    for name in names:
        candidates = [symbol(name), *(RESULTS if name == "result" else (rf"\mathrm{{{name.replace('_', '')}}}",))]
        taken = set(found.values())
        found[name] = next((one for one in candidates if one not in taken), rf"\mathrm{{{name.replace('_', '')}}}")
    return found


def _letter(word: str) -> str:
    if word in SPECIAL:
        return SPECIAL[word]
    if word in GREEK:
        return f"\\{word}"
    return word if len(word) == 1 else rf"\mathrm{{{word}}}"
