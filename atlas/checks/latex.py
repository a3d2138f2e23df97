r"""A light reading of a formula: which names occur where, which are defined or bound, without its meaning.

It is enough to say that a symbol is declared and used; the formula's structure is not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# The end of a row may say how much space follows; that is no part of the formula.
_TOKEN = re.compile(r"\\\\(?:\*?\s*\[[^\]]*\])?|\\[A-Za-z]+\*?|\\.|\S", re.DOTALL)
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
_TAKES_ONE = _UPRIGHT | _STYLED | _ACCENTS
_WITH_TEXT = frozenset(
    ("begin", "end", "text", "textrm", "textbf", "textit", "tag", "label", "color", "textcolor", "hspace", "vspace")
)
_WITH_COLUMNS = frozenset(("array", "alignedat", "alignat", "darray", "subarray"))
_BINDERS = frozenset(("sum", "prod", "max", "min", "bigcup", "bigcap", "bigoplus", "operatorname"))
_RELATIONS = frozenset(("=", "<", ">", "\\in", "\\le", "\\leq", "\\ge", "\\geq", "\\ne", "\\neq", "\\mid", ":"))


@dataclass(frozen=True, slots=True)
class Token:
    """One command or character of LaTeX."""

    text: str
    """The token as it stands."""
    start: int
    """Offset of its first character in the formula."""
    end: int
    """Offset after its last character."""

    @property
    def command(self) -> str:
        """The command's name without backslash and star; empty for a character."""
        return self.text[1:].removesuffix("*") if self.text[:1] == "\\" and self.text[1:2].isalpha() else ""

    @property
    def is_name(self) -> bool:
        """Whether a name begins here."""
        return self.text.isalpha() or self.command in _GREEK or self.command in _TAKES_ONE


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One name where it stands, with the scripts on it."""

    base: str
    """The name without scripts, in canonical spelling."""
    sub: str
    """The subscript in canonical spelling with its `_`, or an empty string."""
    sup: str
    """The superscript in canonical spelling with its `^`, or an empty string."""
    span: tuple[int, int]
    """First character and the one after the last, in the formula."""
    scripts: tuple[tuple[Token, ...], tuple[Token, ...]]
    """The tokens of subscript and superscript."""
    applied: bool
    """Whether a parenthesis follows at once."""
    upright: bool
    """Whether the base is upright text, as functions are."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """What the name may be, from the longest to the shortest."""
        base, sub, sup = self.base, self.sub, self.sup
        return tuple(dict.fromkeys((base + sub + sup, base + sup + sub, base + sup, base + sub, base)))


def nesting(found: tuple[Token, ...]) -> int:
    r"""How deep braces are nested, commands such as `\hat` that take what follows counted like braces."""
    deepest = depth = run = 0
    for token in found:
        depth += (token.text == "{") - (token.text == "}")
        run = run + 1 if token.command in _TAKES_ONE else 0
        deepest = max(deepest, depth + run)
    return deepest


def tokens(latex: str) -> tuple[Token, ...]:
    """The tokens of a formula."""
    return tuple(Token(match[0], match.start(), match.end()) for match in _TOKEN.finditer(latex))


def canonical(latex: str) -> str:
    r"""A symbol in one spelling: no spaces, no braces around one name (`x_{n}` is `x_n`, `\bar A` is `\bar{A}`)."""
    return _spell(tokens(latex))


def occurrences(found: tuple[Token, ...]) -> Iterator[Occurrence]:
    """The names among tokens, from left to right, those in scripts left out (they are in `scripts`)."""
    index = 0
    while index < len(found):
        token = found[index]
        if token.command in _WITH_TEXT:
            inner, index = _argument(found, index + 1)
            if token.command == "begin" and "".join(one.text for one in inner).rstrip("*") in _WITH_COLUMNS:
                index = _argument(found, index)[1]
        elif token.is_name:
            occurrence, index = _occurrence(found, index)
            yield occurrence
        else:
            index += 1


def bound_names(found: tuple[Token, ...]) -> Iterator[str]:
    r"""The index names that sums, other binders and integrals introduce: `j` in `\sum_{j=1}^{d}`."""
    for index, token in enumerate(found):
        if token.command in _BINDERS:
            after = _argument(found, index + 1)[1] if token.command in _TAKES_ONE else index + 1
            yield from _names_before_relation(_subscript(found, after))
        elif token.command == "int":
            for first, second in zip(found[index:], found[index + 1 :], strict=False):
                if first.text == "d" and second.is_name:
                    yield from ("d", second.text)


def left_sides(found: tuple[Token, ...]) -> Iterator[tuple[Token, ...]]:
    r"""The tokens left of each `=` or `\in` of the rows; rows end at `\\`, and at a comma followed by wide space."""
    row: list[Token] = []
    depth = 0
    for index, token in enumerate(found):
        depth += (token.text == "{") - (token.text == "}")
        after = found[index + 1].text if index + 1 < len(found) else ""
        if depth == 0 and (token.text.startswith("\\\\") or (token.text == "," and after in ("\\quad", "\\qquad"))):
            row = []
        elif depth == 0 and token.text in ("=", "\\in"):
            yield tuple(row)
            row = []
        elif token.text not in ("&", "\\quad", "\\qquad"):
            row.append(token)


def _names_before_relation(found: tuple[Token, ...]) -> Iterator[str]:
    end = next((index for index, token in enumerate(found) if token.text in _RELATIONS), len(found))
    for occurrence in occurrences(found[:end]):
        yield occurrence.base


def _subscript(found: tuple[Token, ...], index: int) -> tuple[Token, ...]:
    """The subscript among the scripts that begin at `index`."""
    while index < len(found) and (found[index].text in ("_", "^") or found[index].command in ("limits", "nolimits")):
        if found[index].command:
            index += 1
            continue
        inner, after = _argument(found, index + 1)
        if found[index].text == "_":
            return inner
        index = after
    return ()


def _occurrence(found: tuple[Token, ...], index: int) -> tuple[Occurrence, int]:
    start = found[index]
    base, index = start.text, index + 1
    if start.command in _TAKES_ONE:
        inner, index = _argument(found, index)
        base = _styled(start.command, inner)
    scripts: dict[str, tuple[Token, ...]] = {"_": (), "^": ()}
    while index < len(found) and found[index].text in ("_", "^", "'"):
        if found[index].text == "'":
            base, index = f"{base}'", index + 1
            continue
        kind = found[index].text
        scripts[kind], index = _argument(found, index + 1)
    following = [token.text for token in found[index : index + 2]]
    applied = following[:1] == ["("] or following == ["\\left", "("]
    sub, sup = (_script(mark, scripts[mark]) for mark in "_^")
    span = (start.start, found[index - 1].end)
    upright = start.command in _UPRIGHT
    return Occurrence(base, sub, sup, span, (scripts["_"], scripts["^"]), applied, upright), index


def _argument(found: tuple[Token, ...], index: int) -> tuple[tuple[Token, ...], int]:
    r"""The tokens of the argument or script that begins at `index`, and the index after it; `\mathrm{ff}` is one."""
    if index >= len(found):
        return (), index
    if found[index].text != "{":
        end = _argument(found, index + 1)[1] if found[index].command in _TAKES_ONE else index + 1
        return found[index:end], end
    depth = 0
    for end in range(index, len(found)):
        depth += (found[end].text == "{") - (found[end].text == "}")
        if depth == 0:
            return found[index + 1 : end], end + 1
    return found[index + 1 :], len(found)


def _script(mark: str, found: tuple[Token, ...]) -> str:
    if not found:
        return ""
    return f"{mark}{_spell(found)}" if _is_one(found) else f"{mark}{{{_spell(found)}}}"


def _is_one(found: tuple[Token, ...]) -> bool:
    return len(found) == 1 or (found[0].command in _TAKES_ONE and _argument(found, 0)[1] == len(found))


def _spell(found: tuple[Token, ...]) -> str:
    parts = []
    index = 0
    while index < len(found):
        token = found[index]
        if token.text == "{":
            inner, index = _argument(found, index)
            parts.append(_spell(inner) if inner and _is_one(inner) else f"{{{_spell(inner)}}}")
        elif token.command in _TAKES_ONE:
            inner, index = _argument(found, index + 1)
            parts.append(_styled(token.command, inner))
        else:
            parts.append(f"{token.text} " if token.command else token.text)
            index += 1
    return re.sub(r" (?![A-Za-z])", "", "".join(parts)).strip()


def _styled(command: str, inner: tuple[Token, ...]) -> str:
    name = "mathrm" if command in _UPRIGHT else command
    return f"\\{name}{{{_spell(inner)}}}"
