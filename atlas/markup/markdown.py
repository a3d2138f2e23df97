"""Plain texts, code, maths and parsed lines → Markdown that says the same to whatever parses it.

Pages have a Markdown version and data files hold texts of entries; both must not change what an author wrote, though
links are relative to another place there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from atlas.markup.destinations import destinations
from atlas.markup.pieces import MATHS, Piece

TEXTS = 5_000
"""How many short texts are remembered as they are written: names and titles are on many pages."""
_SPECIAL = re.compile(r"[\\`*\[\]<>|$~]|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
"""What may begin markup: an underscore within a word, and an ampersand that names no character, do not."""
_AT_START = re.compile(r"(?:[-+=#](?=[-+=#\s]|$)|(?<=\d)[.)](?=\s|$))")
"""What is markup at the beginning of a line only: lists, headings, rules and underlines."""
_FIRST = re.compile(r"\d*[-+=#.)]")
_MARKS = {"em_open": "*", "em_close": "*", "strong_open": "**", "strong_close": "**", "s_open": "~~", "s_close": "~~"}
_BAR = re.compile(r"\\\||\|")
_NO_DESTINATION = re.compile(r"[\s<>()\\]")
_OPEN_BAR = re.compile(r"(?<!\\)\|")


@lru_cache(maxsize=TEXTS)
def escaped(text: str) -> str:
    """A plain text in one line, of which nothing is markup."""
    line = " ".join(text.split())
    result = _SPECIAL.sub(lambda found: f"\\{found[0]}", line)
    first = _FIRST.match(result)
    if first is None:
        return result
    end = first.end() - 1
    return f"{result[:end]}\\{result[end:]}" if _AT_START.match(result, end) else result


def code_span(text: str) -> str:
    """A text in one line as code."""
    line = " ".join(text.split())
    if line and "`" not in line:
        return f"`{line}`"
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{room}{line}{room}{fence}" if line else ""


def code_block(text: str, language: str = "") -> str:
    """Lines of code, whatever backticks are in them."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2) if "```" in text else 2
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


@lru_cache(maxsize=TEXTS)
def inline_maths(tex: str) -> str:
    r"""A formula within a line; its bars are written as `\vert`, as the cell of a table ends at a bar."""
    line = _BAR.sub(lambda found: r"\Vert " if found[0] == r"\|" else r"\vert ", " ".join(tex.split()))
    return f"${line.strip()}$"


def display_maths(tex: str) -> str:
    """A formula that has lines of its own."""
    lines = [line.rstrip() for line in tex.strip().splitlines() if line.strip()]
    return "\n".join(["$$", *lines, "$$"])


def cell(markdown: str) -> str:
    """Markdown of one line in a cell of a table, which no bar in it ends."""
    line = " ".join(markdown.split())
    return _OPEN_BAR.sub(r"\\|", line) if "|" in line else line


def inline_markdown(tokens: Iterable[Piece], link: Callable[[str], str]) -> str:
    """A parsed line as Markdown, with each link leading where `link` says."""
    parts: list[str] = []
    opened: list[str] = []
    for token in tokens:
        if token.type in MATHS:
            parts.append(inline_maths(token.content))
        elif token.type == "code_inline":
            parts.append(code_span(token.content))
        elif token.type == "link_open":
            opened.append(link(str(token.attrs["href"])))
            parts.append("[")
        elif token.type == "link_close":
            parts.append(f"]({destination(opened.pop())})")
        elif token.type in _MARKS:
            parts.append(_MARKS[token.type])
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        else:
            parts.append(_between(token.content))
    return "".join(parts)


def destination(address: str) -> str:
    """An address as the destination of a link."""
    return _NO_DESTINATION.sub(lambda found: f"%{ord(found[0]):02X}", address)


def _between(text: str) -> str:
    """A stretch of text with the white space at its ends, which separates it from what stands beside it."""
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before and ' '}{escaped(text)}{after and ' '}" if text.strip() else text and " "


def relinked(markdown: str, resolve: Callable[[str], str]) -> str:
    """A text of several blocks with the targets of its links and images replaced, and nothing else.

    Only what the parser takes for a link is touched, on the lines that are no code and no formula.
    """
    parts, end = [], 0
    for one in destinations(markdown):
        first, after = one.outer
        parts += [markdown[end:first], destination(resolve(one.target))]
        end = after
    return "".join([*parts, markdown[end:]])
