r"""A light reading of a formula: which names occur where, which are defined or bound, without its meaning.

It is enough to say that a symbol is declared and used; the formula's structure is not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(r"\\(?P<command>[A-Za-z]+)\*?|\\(?P<escape>.)|(?P<char>\S)", re.DOTALL)
_GREEK = frozenset(
    re.split(
        r"\s+",
        """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho
        varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi
        Omega ell hbar""",
    )
)
_UPRIGHT = frozenset(("mathrm", "operatorname", "mathsf", "mathtt"))
_STYLED = frozenset(("mathbf", "boldsymbol", "mathcal", "mathbb", "mathfrak", "mathit"))
_ACCENTS = frozenset(("bar", "hat", "tilde", "dot", "vec", "overline", "widehat", "widetilde"))
_WITH_TEXT = frozenset(("begin", "end", "text", "textrm", "textbf", "textit", "tag", "label"))
_BINDERS = frozenset(("sum", "prod", "max", "min", "bigcup", "argmax", "argmin"))


@dataclass(frozen=True, slots=True)
class Token:
    """One command or character of LaTeX."""

    text: str
    """The token as it stands."""
    start: int
    """Offset of its first character in the formula."""
    end: int
    """Offset after its last character."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One name where it stands, with the scripts on it."""

    base: str
    """The name without scripts, in canonical spelling."""
    sub: str
    """The subscript in canonical spelling, or an empty string."""
    sup: str
    """The superscript in canonical spelling, or an empty string."""
    span: tuple[int, int]
    """First character and the one after the last, in the formula."""
    inner: tuple[tuple[Token, ...], tuple[Token, ...]]
    """The tokens of subscript and superscript."""
    applied: bool
    """Whether a parenthesis follows at once."""
    upright: bool
    """Whether the base is upright text, as functions are."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """What the name may be, from the longest to the shortest."""
        sub, sup = f"_{self.sub}" * bool(self.sub), f"^{self.sup}" * bool(self.sup)
        return tuple(
            dict.fromkeys((self.base + sub + sup, self.base + sup + sub, self.base + sup, self.base + sub, self.base))
        )


def tokens(latex: str) -> tuple[Token, ...]:
    """The tokens of a formula."""
    return tuple(Token(match[0], match.start(), match.end()) for match in _TOKEN.finditer(latex))


def canonical(latex: str) -> str:
    r"""A symbol in one spelling: no spaces, no braces around a single token (`x_{n}` is `x_n`, `\bar A` `\bar{A}`)."""
    return _spell(tokens(latex))


def occurrences(found: tuple[Token, ...]) -> Iterator[Occurrence]:
    """The names among tokens, from left to right, those in scripts left out (they are in `inner`)."""
    index = 0
    while index < len(found):
        text = found[index].text
        command = text[1:] if text.startswith("\\") else ""
        if command in _WITH_TEXT:
            index = _group(found, index + 1)[1]
        elif text.isalpha() or command in _GREEK or command in _UPRIGHT | _STYLED | _ACCENTS:
            occurrence, index = _occurrence(found, index)
            yield occurrence
        else:
            index += 1


def bound_names(found: tuple[Token, ...]) -> Iterator[str]:
    r"""The index names that sums and other binders introduce: `j` in `\sum_{j=1}^{d}`."""
    for index, token in enumerate(found):
        name = token.text.lstrip("\\")
        if name in _BINDERS and index + 1 < len(found) and found[index + 1].text == "_":
            inner, _ = _group(found, index + 2)
            for occurrence in occurrences(inner):
                yield occurrence.base
                break


def left_sides(found: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    r"""The tokens left of each `=` of the formula's rows; rows end at `\\`, and at a comma followed by wide space."""
    row: list[Token] = []
    depth = 0
    for index, token in enumerate(found):
        depth += (token.text == "{") - (token.text == "}")
        after = found[index + 1].text if index + 1 < len(found) else ""
        if depth == 0 and (token.text == "\\\\" or (token.text == "," and after in ("\\quad", "\\qquad"))):
            row = []
        elif depth == 0 and token.text == "=":
            yield tuple(row)
            row = []
        elif token.text not in ("&", "\\quad", "\\qquad"):
            row.append(token)


def _occurrence(found: tuple[Token, ...], index: int) -> tuple[Occurrence, int]:
    start = found[index]
    command = start.text[1:] if start.text.startswith("\\") else ""
    base, index = start.text, index + 1
    if command in _UPRIGHT | _STYLED | _ACCENTS:
        inner, index = _group(found, index)
        base = _styled(command, inner)
    scripts: dict[str, tuple[Token, ...]] = {"_": (), "^": ()}
    while index < len(found) and found[index].text in ("_", "^", "'"):
        if found[index].text == "'":
            base, index = f"{base}'", index + 1
            continue
        kind = found[index].text
        scripts[kind], index = _group(found, index + 1)
    following = [token.text for token in found[index : index + 2]]
    applied = following[:1] == ["("] or following == ["\\left", "("]
    sub, sup = scripts["_"], scripts["^"]
    span = (start.start, found[index - 1].end)
    return Occurrence(base, _spell(sub), _spell(sup), span, (sub, sup), applied, command in _UPRIGHT), index


def _group(found: tuple[Token, ...], index: int) -> tuple[tuple[Token, ...], int]:
    """The tokens of the argument that begins at `index`, and the index after it."""
    if index >= len(found):
        return (), index
    if found[index].text != "{":
        return found[index : index + 1], index + 1
    depth = 0
    for end in range(index, len(found)):
        depth += (found[end].text == "{") - (found[end].text == "}")
        if depth == 0:
            return found[index + 1 : end], end + 1
    return found[index + 1 :], len(found)


def _spell(found: tuple[Token, ...]) -> str:
    parts = []
    index = 0
    while index < len(found):
        text = found[index].text
        if text == "{":
            inner, index = _group(found, index)
            spelled = _spell(inner)
            parts.append(spelled if len(inner) == 1 else f"{{{spelled}}}")
        elif text.startswith("\\") and text[1:] in _UPRIGHT | _STYLED | _ACCENTS:
            inner, index = _group(found, index + 1)
            parts.append(_styled(text[1:], inner))
        else:
            parts.append(f"{text} " if text[-1].isalpha() and text[0] == "\\" else text)
            index += 1
    return "".join(parts).replace(" _", "_").replace(" ^", "^").strip()


def _styled(command: str, inner: tuple[Token, ...]) -> str:
    name = "mathrm" if command in _UPRIGHT else command
    return f"\\{name}{{{_spell(inner)}}}"
