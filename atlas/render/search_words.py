r"""Texts → the words under which search knows them; what a reader types is read by the same rules in `js/search.js`.

`\gamma`, gamma and γ are one word, `RMSNorm` is found by its parts too, and `self_attn.q_proj.weight` by `q_proj`. The
tests run both readers on the same texts, so that neither can be changed alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

LONGEST = 64
"""Words with more letters are addresses and hashes, which nobody types."""

GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu"),
    *("xi", "omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
"""The names of the small letters from α on; there are two forms of sigma."""
_NAMED = {"√": "sqrt", "∑": "sum", "∏": "prod", "⊙": "odot", "∞": "infty", "ℓ": "ell"}
_SIGNS = {
    **{0x3B1 + number: f" {name} " for number, name in enumerate(GREEK)},
    **{ord(sign): f" {name} " for sign, name in _NAMED.items()},
    **{0x2080 + digit: f"_{digit}" for digit in range(10)},
}
"""Signs that are words, by code point; Greek capitals are small letters by then."""

WHOLE, PART = 1.0, 0.75
"""The share of its text's weight with which a word counts, and a part of a word."""

_LOOKS = re.compile(
    r"\\(?:left|right|begin|end|quad|qquad|displaystyle|text|mathrm|operatorname|mathbf|mathcal|mathbb|boldsymbol"
    r"|lfloor|rfloor|lceil|rceil|frac|aligned|cases)(?![A-Za-z])|\{(?:aligned|cases)\}"
)
"""Commands that say how a formula looks and are no words of it."""
_COMMAND = re.compile(r"\\(?:var(?=epsilon|theta|phi|pi|rho|sigma|kappa))?([A-Za-z]+)")
_THOUSANDS = re.compile(r"(?<=\d)[,'\u2009](?=\d{3})")
_SUBSCRIPT = re.compile(r"\s*_\s*")
_WORD = re.compile(r"[^\W_]+(?:[._-]+[^\W_]+)*")
_PART = re.compile(r"[._-]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SHORTEST_HUMP = 3
_NAME = re.compile(r"[A-Za-z0-9]+")


def folded(text: str) -> str:
    """A text without what a reader may leave out: case, accents, marks of LaTeX, commas within numbers."""
    return _folded(_without_looks(text))


def _without_looks(text: str) -> str:
    return _LOOKS.sub(" ", text) if "\\" in text or "{" in text else text


def _folded(text: str) -> str:
    if "\\" in text:
        text = " ".join(_COMMAND.split(text))  # their names stay
    text = text.replace("{", "").replace("}", "")
    if "," in text or "'" in text or "\u2009" in text:
        text = _THOUSANDS.sub("", text)
    # What is ASCII alone has no signs, accents and forms.
    text = text.lower() if text.isascii() else _plain(text.translate(_SIGNS)).lower().translate(_SIGNS)
    return _SUBSCRIPT.sub("_", text) if "_" in text else text


def words(text: str) -> list[str]:
    """The words of a text as a reader may type them, compounds as they are: `q_proj`, `layer`, `gpt-2`."""
    return _WORD.findall(folded(text))


@lru_cache(maxsize=20_000)
def terms(text: str) -> Mapping[str, float]:
    """Everything by which a text is found, each with its share of the text's weight.

    A compound word is found as it is (a hyphen left out) and, for less, by each of its parts; so is a name whose parts
    begin with capitals.
    """
    found: dict[str, float] = {}
    bare = _without_looks(text)
    read = dict.fromkeys(_WORD.findall(_folded(bare)))
    for word in read:
        found[canonical(word)] = WHOLE
    for word in read:
        if not word.isalnum():  # most words are no compounds
            for part in _inner(word):
                found.setdefault(part, PART)
    for name in dict.fromkeys(_NAME.findall(_plain(bare))):
        # Letters of one kind, or a capital before small ones, are one part.
        for part in () if name.isalpha() and (name.islower() or name.isupper() or name.istitle()) else _humps(name):
            found.setdefault(part, PART)
    return MappingProxyType({term: share for term, share in found.items() if len(term) <= LONGEST})


def canonical(word: str) -> str:
    """The form in which a compound is looked up: `feedforward` for `feed-forward`."""
    return word.replace("-", "")


def parts(word: str) -> list[str]:
    """The parts of a compound; of a word that is none, itself."""
    return _PART.split(word)


@lru_cache(maxsize=50_000)
def _inner(word: str) -> tuple[str, ...]:
    """The parts of a compound by which it is found too; a letter alone would find too much."""
    inner = dict.fromkeys([*word.split("."), *parts(word)])
    return tuple(canonical(part) for part in inner if len(part) > 1 and part != word)


@lru_cache(maxsize=50_000)
def _humps(name: str) -> tuple[str, ...]:
    """The parts of a name that begin with capitals: `rms` and `norm` of `RMSNorm`."""
    humps = _HUMP.findall(name)
    if len(humps) < 2:
        return ()
    return tuple(hump.lower() for hump in humps if len(hump) >= _SHORTEST_HUMP and not hump.isdigit())


def _plain(text: str) -> str:
    """Letters without accents and in their common form: `²` is 2, a bold letter is the letter."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if unicodedata.category(char)[0] != "M")
