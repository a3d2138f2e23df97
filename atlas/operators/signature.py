"""Reads a contract's signature once, with the position of whatever is wrong with it.

    signature = [argument {, argument}] -> output {, output}
    argument  = name [?] [: int [(axis)]] "[" axes "]"              ? may be left out; int(V) holds numbers below V
    output    = [name] [: int] "[" axes "]"
    axes      = {axis} [...] {axis}                                 ... is any number of batch axes
    axis      = operand {(+ | - | / | //) operand}                  an operand is a name, a number, or ( … )

Axes are separated by blanks; a product is written with blanks inside parentheses, as in `(h v)` or `(2 r)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar, cast

from atlas.exceptions import ContractError
from atlas.operators.axes import Axis, Binary, Name, Number, Operation

RESULT = "result"
"""What a single output without a name is called."""

BATCH = "..."
"""How batch axes are written; in a count, the name of their product."""

MAX_LENGTH = 500
"""The longest signature that is read, in characters."""

MAX_NESTING = 8
"""How deep parentheses may be nested."""

_TOKEN = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[0-9]{1,9}(?!\w))|(?P<sign>->|\.\.\.|//|[\[\](),:?+/-])"
)
_DIGIT = re.compile("[0-9]")

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Argument:
    """One array that goes into an operator or comes out of it."""

    name: str
    """The name of the function's parameter, or of the output."""
    axes: tuple[Axis, ...]
    """The named axes, in order, without the batch axes."""
    batched: bool = False
    """Whether there are any number of batch axes (`...`); they are the same in all arguments that have them."""
    integer: bool = False
    """Whether the array holds integers; else it holds floating-point numbers."""
    below: Axis | None = None
    """Integers are at least 0 and below this size, where given."""
    optional: bool = False
    """Whether None may be given instead."""
    before: int = 0
    """How many of the named axes stand before the batch axes."""

    def __str__(self) -> str:
        kind = f": int({self.below})" if self.below else ": int" if self.integer else ""
        return f"{self.name}{'?' if self.optional else ''}{kind}{self.shape}"

    @property
    def shape(self) -> str:
        """The axes as the signature writes them, such as `[... C]`."""
        return f"[{' '.join(self.joined(tuple(map(str, self.axes)), (BATCH,)))}]"

    def parted(self, values: tuple[Value, ...]) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
        """One value for each axis of an array, as those of the named axes and those of the batch axes."""
        after = self.before + len(values) - len(self.axes)
        return (*values[: self.before], *values[after:]), values[self.before : after]

    def joined(self, named: tuple[Value, ...], batch: tuple[Value, ...]) -> tuple[Value, ...]:
        """The values of the named axes and of the batch axes, in the order in which an array has them."""
        return (*named[: self.before], *(batch if self.batched else ()), *named[self.before :])


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    offset: int


def read(signature: str) -> tuple[tuple[Argument, ...], tuple[Argument, ...]]:
    """The arguments and the outputs of a signature.

    Raises:
        ContractError: the signature cannot be read; the message says at which character.
    """
    if len(signature) > MAX_LENGTH:
        raise ContractError(f"a signature of {len(signature)} characters; at most {MAX_LENGTH} are read")
    return _Reader(signature).whole()


def read_count(text: str) -> Axis:
    """An expression that stands by itself, such as `... S T (k + v)`: it may use `...`, the product of the batch axes.

    Raises:
        ContractError: the expression cannot be read; the message says at which character.
    """
    if len(text) > MAX_LENGTH:
        raise ContractError(f"a count of {len(text)} characters; at most {MAX_LENGTH} are read")
    return _Reader(text, counts=True).count()


class _Reader:
    """Recursive descent over the grammar above; `depth` counts the parentheses that are open.

    A count is read as if parentheses stood around it, so that factors may stand side by side.
    """

    def __init__(self, text: str, counts: bool = False) -> None:
        self.text = text
        self.counts = counts
        self.tokens = list(self.scan())
        self.index = 0
        self.depth = 0

    def scan(self) -> Iterator[_Token]:
        offset = 0
        while self.text[offset:].strip():
            offset += len(self.text[offset:]) - len(self.text[offset:].lstrip())
            match = _TOKEN.match(self.text, offset)
            if match is None:
                hint = (
                    "; a product is written (2 r), a number has at most 9 digits"
                    if _DIGIT.match(self.text, offset)
                    else ""
                )
                raise self.error(f"`{self.text[offset]}` cannot be read here{hint}", offset)
            yield _Token(match.lastgroup or "", match[0], offset)
            offset = match.end()
        yield _Token("end", "", len(self.text))

    @property
    def token(self) -> _Token:
        return self.tokens[self.index]

    def at(self, *texts: str) -> bool:
        return self.token.text in texts and self.token.kind == "sign"

    def take(self, text: str) -> bool:
        taken = self.at(text)
        self.index += taken
        return taken

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise self.unexpected(f"`{text}`")

    def unexpected(self, wanted: str) -> ContractError:
        found = f"`{self.token.text}`" if self.token.text else "the end"
        return self.error(f"{wanted} should stand here, not {found}", self.token.offset)

    def error(self, message: str, offset: int) -> ContractError:
        line = re.sub(r"\s", " ", self.text)
        what = "count" if self.counts else "signature"
        return ContractError(f"{what}, character {offset + 1}: {message}\n    {line}\n    {' ' * offset}^")

    def count(self) -> Axis:
        self.depth = 1
        total = self.sum()
        if self.token.kind != "end":
            raise self.unexpected("a sign or the end")
        return total

    def whole(self) -> tuple[tuple[Argument, ...], tuple[Argument, ...]]:
        inputs: list[Argument] = []
        if not self.at("->"):
            self.list_of(inputs, output=False)
        self.expect("->")
        batched = any(argument.batched for argument in inputs)
        outputs: list[Argument] = []
        self.list_of(outputs, output=True, batched=batched)
        if self.token.kind != "end":
            raise self.unexpected("`,` or the end")
        return tuple(inputs), tuple(outputs)

    def list_of(self, found: list[Argument], output: bool, batched: bool = True) -> None:
        while True:
            start = self.token.offset
            unnamed = self.token.kind != "name"
            argument = self.argument(output)
            if any(argument.name == other.name for other in found):
                raise self.error(f"a second {argument.name}", start)
            if argument.batched and not batched:
                raise self.error("an output has batch axes `...`, but no argument has any", start)
            found.append(argument)
            if not self.take(","):
                return
            if output and (unnamed or self.at("[", ":")):
                raise self.error("only a single output may go without a name", self.token.offset)

    def argument(self, output: bool) -> Argument:
        name = RESULT
        if self.token.kind == "name":
            name = self.token.text
            self.index += 1
        elif not (output and self.at("[", ":")):
            raise self.unexpected("the name of an array")
        optional = not output and self.take("?")
        integer, below = self.kind() if self.take(":") else (False, None)
        self.expect("[")
        axes: list[Axis] = []
        before: int | None = None
        while not self.take("]"):
            if not self.at(BATCH):
                axes.append(self.sum())
            elif before is None:
                before = len(axes)
                self.index += 1
            else:
                raise self.error("batch axes `...` stand in one place", self.token.offset)
        return Argument(name, tuple(axes), before is not None, integer, below, optional, before or 0)

    def kind(self) -> tuple[bool, Axis | None]:
        if self.token.text != "int":
            raise self.unexpected("`int`")
        self.index += 1
        if not self.at("("):
            return True, None
        return True, self.operand()

    def sum(self) -> Axis:
        total = self.term()
        while self.at("+", "-"):
            total = Binary(self.operation(), total, self.term())
        return total

    def term(self) -> Axis:
        total = self.operand()
        divided = False
        while True:
            if self.at("/", "//"):
                total, divided = Binary(self.operation(), total, self.operand()), True
            elif self.depth and (self.token.kind in ("name", "number") or self.at("(") or self.at_batch()):
                if divided:
                    raise self.error("a product after a quotient; add parentheses", self.token.offset)
                total = Binary("*", total, self.operand())
            else:
                return total

    def operation(self) -> Operation:
        self.index += 1
        return cast(Operation, self.tokens[self.index - 1].text)

    def at_batch(self) -> bool:
        return self.counts and self.at(BATCH)

    def operand(self) -> Axis:
        token = self.token
        if token.kind == "name" or self.at_batch():
            self.index += 1
            return Name(token.text)
        if token.kind == "number":
            self.index += 1
            return Number(int(token.text))
        if not self.take("("):
            raise self.unexpected("a size or `]`" if not self.depth else "a size")
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.error(f"parentheses nested more than {MAX_NESTING} deep", token.offset)
        inner = self.sum()
        self.expect(")")
        self.depth -= 1
        return inner
