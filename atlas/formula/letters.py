r"""Commands and characters that the formula language knows, and what to write for those that it does not.

Where two spellings are displayed alike (`\le` and `\leq`, `\mathrm` and `\operatorname`), one is canonical.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable


def _words(text: str) -> frozenset[str]:
    return frozenset(re.split(r"\s+", text))


GREEK = _words(
    r"""alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho
    sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
    ell"""
)
"""Commands that are a letter."""

FUNCTIONS = _words("exp log ln sin cos tan tanh sinh cosh arctan max min")
"""Commands that are a function's name."""

UPRIGHT = frozenset(("mathrm", "operatorname", "operatorname*", "text", "mathsf", "textrm"))
r"""Commands that make upright text, all read as `\mathrm`."""

STYLES = frozenset(("mathbf", "boldsymbol", "mathcal", "mathbb", "mathfrak", "mathit"))
"""Commands that make another letter of a letter."""

ACCENTS = frozenset(("bar", "hat", "tilde", "dot", "vec", "overline", "widehat", "widetilde"))
"""Commands that put something above a letter and make another name of it."""

SPACING = _words("quad qquad displaystyle textstyle limits nolimits thinspace") | frozenset(
    size + side for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
)
"""Commands that change the look only."""

ALIASES = {
    "le": "leq",
    "ge": "geq",
    "ne": "neq",
    "lt": "<",
    "gt": ">",
    "ldots": "dots",
    "cdots": "dots",
    "dotsc": "dots",
    "vert": "|",
    "Vert": "||",
    "lVert": "||",
    "rVert": "||",
    "tfrac": "frac",
    "dfrac": "frac",
    "intercal": "top",
    "lbrace": "(",
    "rbrace": ")",
    "lbrack": "(",
    "rbrack": ")",
}
"""Commands that are read as another command or sign."""

STRUCTURE = _words(
    """frac sqrt sum prod top odot cdot times bmod in leq geq neq dots lfloor rfloor lceil rceil lvert rvert
    infty"""
)
"""Commands that are signs of the language; the kind of their token is the command with its backslash."""

_REPLACEMENTS = {
    "×": r"\times",
    "·": r"\cdot",
    "⋅": r"\cdot",
    "⊙": r"\odot",
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "−": "-",
    "∑": r"\sum",
    "∏": r"\prod",
    "√": r"\sqrt{...}",
    "∞": r"\infty",
    "∈": r"\in",
    "⊤": r"\top",
    "…": r"\dots",
    "ℓ": r"\ell",
    "ϕ": r"\phi",
    "ϵ": r"\epsilon",
    "‖": r"\lVert ... \rVert",
    "⌊": r"\lfloor",
    "⌋": r"\rfloor",
}

_REFUSED = {
    "star": r"\odot (elementwise), \cdot (scalar) or nothing (matrix)",
    "ast": r"\odot (elementwise), \cdot (scalar) or nothing (matrix)",
    "circ": r"\odot (elementwise)",
    "otimes": r"\odot (elementwise), or ab^\top for the outer product",
    "div": r"\frac{...}{...}",
    "over": r"\frac{...}{...}",
    "mod": r"\bmod",
    "pmod": r"\bmod",
    "binom": "the factorials or the number itself",
    "mathop": r"\operatorname{...}",
    "textbf": r"\mathbf{...}",
    "mathtt": r"\mathrm{...}",
    "rm": r"\mathrm{...}",
    "bf": r"\mathbf{...}",
    "bm": r"\boldsymbol{...}",
    "langle": r"a^\top b for an inner product",
    "rangle": r"a^\top b for an inner product",
    "mid": r"\lvert ... \rvert for an absolute value",
    "transpose": r"\top",
    "to": "the range of the index, as in i=1,\\dots,n",
    "leftarrow": "=",
    "gets": "=",
    "triangleq": "=",
    "coloneqq": "=",
    "equiv": "=",
    "approx": "= with the exact formula",
    "tag": "nothing: formulas have no numbers",
    "label": "nothing: formulas have no numbers",
    "nonumber": "nothing: formulas have no numbers",
    "notag": "nothing: formulas have no numbers",
    "color": "nothing: the page gives colours",
    "textcolor": "nothing: the page gives colours",
    "mbox": r"\text{...}",
    "hbox": r"\text{...}",
    "norm": r"\lVert ... \rVert",
    "abs": r"\lvert ... \rvert",
    "R": r"\mathbb{R}",
    "E": r"\mathbb{E}",
    "forall": r"a range, as in ,\quad i=1,\dots,n",
}


_VARIANT = re.compile(r"\\var(?=(?:epsilon|theta|pi|rho|sigma|phi|kappa)(?![A-Za-z]))")
_STYLE = re.compile(rf"\\(?:{'|'.join(sorted(STYLES))})\{{([^{{}}]*)\}}")


def plain_letters(name: str) -> str:
    r"""A canonical name with the plain form of each letter: `\epsilon` for `\varepsilon`, `x` for `\mathbf{x}`.

    Names of which this is the same differ in nothing but the look of their letters, which is easily mistaken.
    """
    return _STYLE.sub(r"\1", _VARIANT.sub(r"\\", name))


def lookalikes(name: str, others: Iterable[str]) -> list[str]:
    """Those of some other canonical names that differ from this one in the look of their letters alone."""
    plain = plain_letters(name)
    return [other for other in others if other != name and plain_letters(other) == plain]


def command_for(char: str) -> str:
    r"""What to write for a raw character (`\varepsilon` for ε), or an empty string."""
    if char in _REPLACEMENTS:
        return _REPLACEMENTS[char]
    words = unicodedata.name(char, "").split()
    if words[:1] != ["GREEK"] or words[2:3] != ["LETTER"] or len(words) != 4:
        return ""
    letter = words[3].lower().replace("lamda", "lambda")
    if letter == "epsilon" and words[1] == "SMALL":
        return r"\varepsilon"
    if words[1] == "CAPITAL":
        letter = letter.capitalize()
    return "\\" + letter if letter in GREEK else ""


def spelling_for(command: str) -> str:
    """What to write for a command that is not in the language, or an empty string."""
    return _REFUSED.get(command, "")
