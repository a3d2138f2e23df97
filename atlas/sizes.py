r"""Size expressions: the length of an axis as the page shows it (`d`, `h d_v`, `2r`, `H-k+1`, `\lfloor n/2\rfloor`).

Two axes are equal if and only if their expressions are equal as polynomials, so an expression is parsed once into a
canonical sum of monomials; counts of parameters are sums and products of sizes and share the type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, lcm

from atlas.exceptions import SizeError
from atlas.size_text import Monomial, TokenReader, is_floor, term_text, values_text

MAX_LENGTH = 200
"""The longest expression that is read, in characters."""

MAX_NESTING = 20
"""How deep parentheses and floors may be nested."""

MAX_TERMS = 100
"""How many terms an expression may have when it is multiplied out."""

MAX_PRODUCT = 1000
"""How many terms are multiplied out at once; products of sums would else grow without bound."""

MAX_POWER = 9
"""The highest exponent that is read."""

LARGEST_VALUE = 10**300
"""The largest value that a size may have, also one that counts, and the largest factor."""

LARGEST_POWER, LONGEST_FLOOR = 100, 3000
"""What sizes that grow with each layer reach long before they fill memory."""


@dataclass(frozen=True, slots=True)
class Size:
    """A sum of monomials with rational coefficients; canonical, so `==` is equality of expressions."""

    terms: tuple[tuple[Monomial, Fraction], ...]
    """Monomials with coefficients that are not zero, sorted: higher degrees first, then by symbols."""

    @property
    def symbols(self) -> frozenset[str]:
        """The size symbols that must be bound before the size has a value."""
        if len(self.terms) == 1 and len(only := self.terms[0][0]) <= 1 and not (only and is_floor(only[0][0])):
            return frozenset((only[0][0],) if only else ())  # most sizes are one symbol or a number
        found: set[str] = set()
        for monomial, _ in self.terms:
            for name, _ in monomial:
                if is_floor(name):
                    found |= _floored(name).symbols
                else:
                    found.add(name)
        return frozenset(found)

    @property
    def number(self) -> int | None:
        """The value where the expression holds no symbol, else None."""
        return self.value({}) if not self.symbols else None

    def value(self, bindings: Mapping[str, int]) -> int:
        """The size with its symbols bound.

        Raises:
            SizeError: a symbol is not bound, or the value is not a whole number or beyond any that counts.
        """
        if len(self.terms) == 1:  # most sizes are one symbol or a number
            ((monomial, factor),) = self.terms
            if factor.denominator == 1:
                found = None
                if not monomial:
                    found = factor.numerator
                elif factor.numerator == 1 and len(monomial) == 1 and monomial[0][1] == 1:
                    found = bindings.get(monomial[0][0])
                if type(found) is int and abs(found) <= LARGEST_VALUE:
                    return found
        total = _fraction(self, bindings)
        if max(abs(total.numerator), total.denominator) > LARGEST_VALUE:
            raise SizeError(f"{self} is beyond {LARGEST_VALUE:.0e}")
        if total.denominator > 1:
            raise SizeError(f"{self} is {total}, not a whole number, for {values_text(bindings, self.symbols)}")
        return int(total)

    def __add__(self, other: Size) -> Size:
        if len(self.terms) == len(other.terms) == 1 and self.terms[0][0] == other.terms[0][0]:
            (monomial, first), second = self.terms[0], other.terms[0][1]
            whole = first.denominator == second.denominator == 1
            return _single(monomial, Fraction(first.numerator + second.numerator) if whole else first + second)
        return _collect([*self.terms, *other.terms])

    def __mul__(self, other: Size) -> Size:
        if len(self.terms) == len(other.terms) == 1:
            (monomial, first), (others, second) = self.terms[0], other.terms[0]
            whole = first.denominator == second.denominator == 1
            factor = Fraction(first.numerator * second.numerator) if whole else first * second
            return _single(_product(monomial, others), factor)
        if len(self.terms) * len(other.terms) > MAX_PRODUCT:
            raise SizeError(f"a size of more than {MAX_PRODUCT} terms")
        return _collect((_product(a, b), p * q) for a, p in self.terms for b, q in other.terms)

    def __neg__(self) -> Size:
        return Size(tuple((monomial, -factor) for monomial, factor in self.terms))

    def __truediv__(self, other: Size) -> Size:
        if not other.terms:
            raise SizeError(f"{self} is divided by 0")
        if len(other.terms) != 1:
            raise SizeError(f"{self} is divided by {other}, which is not a single product")
        ((monomial, factor),) = other.terms
        return self * Size(((tuple((name, -power) for name, power in monomial), 1 / factor),))

    def substitute(self, values: Mapping[str, Size]) -> Size:
        """The size with some of its symbols replaced, also inside floors; all at once, not one after the other.

        Raises:
            SizeError: a symbol that the size is divided by is replaced by a sum.
        """
        if not values or values.keys().isdisjoint(self.symbols):
            return self
        total = constant(0)
        for monomial, factor in self.terms:
            term = Size((((), factor),))
            for name, power in monomial:
                base = _replaced(name, values)
                for _ in range(abs(power)):
                    term = term * base if power > 0 else term / base
            total = total + term
        return total

    def fits_within(self, other: Size) -> bool:
        """Whether the size is at most the other for all values of the symbols from 1 on, as far as signs can tell.

        The difference, with each symbol written as 1 more than a number that is not negative, has no negative
        coefficient; so `d/2` fits within `d`, and `m` within `h m`, but `S` not within `d`.
        """
        difference = other + -self
        atoms = {name for monomial, _ in difference.terms for name, _ in monomial}
        for name in sorted(atoms):
            lowest = min(dict(monomial).get(name, 0) for monomial, _ in difference.terms)
            if lowest < 0:
                difference = difference * Size(((((name, -lowest),), Fraction(1)),))
        shifted = {name: symbol(name) + constant(1) for name in atoms if not is_floor(name)}
        try:
            return all(factor >= 0 for _, factor in difference.substitute(shifted).terms)
        except SizeError:
            return False

    def __str__(self) -> str:
        """The expression in LaTeX, in canonical order."""
        if not self.terms:
            return "0"
        parts = [term_text(monomial, factor) for monomial, factor in self.terms]
        return "".join(part if not index or part.startswith("-") else f"+{part}" for index, part in enumerate(parts))


def size(expression: str | int) -> Size:
    r"""Parse a size expression.

    Raises:
        SizeError: the expression cannot be read; the message says at which character.
    """
    return constant(expression) if isinstance(expression, int) else _parse(expression)


# Cached, as the few lengths of a model are asked for wherever an axis has one.
@lru_cache(maxsize=4096)
def symbols_of(expression: str | int) -> frozenset[str]:
    """The size symbols of an expression.

    Raises:
        SizeError: it cannot be read; the message says at which character.
    """
    return size(expression).symbols


# Cached, as the same few numbers and symbols are meant in every entry.
@lru_cache(maxsize=4096)
def constant(number: int) -> Size:
    """A size without symbols."""
    return Size((((), Fraction(number)),)) if number else Size(())


@lru_cache(maxsize=4096)
def symbol(name: str) -> Size:
    """The size that is one symbol."""
    return Size(((((name, 1),), Fraction(1)),))


def floored(inner: Size) -> Size:
    r"""The largest whole number that is not above a size.

    Whole parts are taken out, so that equal floors are written alike: `\lfloor (H-1)/2\rfloor+1` is
    `\lfloor (H+1)/2\rfloor`. Of fractions such as `-1/s` the floor is known, as symbols are at least 1.
    """
    inner = _of_one_floor(inner)
    products = [(monomial, factor) for monomial, factor in inner.terms if _is_whole(monomial)]
    whole = _collect((monomial, Fraction(floor(factor))) for monomial, factor in products)
    rest = inner + -whole
    zero = Fraction()
    low = sum((min(factor, zero) if monomial else factor for monomial, factor in rest.terms), zero)
    high = sum((max(factor, zero) if monomial else factor for monomial, factor in rest.terms), zero)
    # Where a fraction is subtracted, the highest value is never reached.
    top = ceil(high) - 1 if any(factor < 0 for _, factor in rest.terms) else floor(high)
    if top == floor(low) and all(power < 0 and not is_floor(name) for term, _ in rest.terms for name, power in term):
        return whole + constant(floor(low))
    if len(text := _over_one_divisor(rest)) > LONGEST_FLOOR:
        raise SizeError(f"a size with a floor of more than {LONGEST_FLOOR} characters")
    return whole + symbol("\\lfloor " + text + "\\rfloor")


def _of_one_floor(inner: Size) -> Size:
    """What a floor is taken of without a floor within: a whole number after a floor, divided by one, is one floor."""
    for monomial, part in inner.terms:
        rest = _collect([*inner.terms, (monomial, -part)])
        whole = all((factor / part).denominator == 1 and _is_whole(term) for term, factor in rest.terms)
        if len(monomial) == 1 and is_floor(monomial[0][0]) and monomial[0][1] == part.numerator == 1 and whole:
            return rest + _floored(monomial[0][0]) * Size((((), part),))
    return inner


def _is_whole(monomial: Monomial) -> bool:
    return all(power > 0 for _, power in monomial)


def floor_of(atom: str) -> Size | None:
    """What a floor among the atoms of a monomial is taken of; None where the atom is a symbol."""
    return _floored(atom) if is_floor(atom) else None


def product(sizes: Iterable[Size]) -> Size:
    """The product of sizes: the number of elements of an array with these axes."""
    total = constant(1)
    for factor in sizes:
        total = total * factor
    return total


@lru_cache(maxsize=4096)
def _parse(expression: str) -> Size:
    if len(expression) > MAX_LENGTH:
        raise SizeError(f"a size of {len(expression)} characters; at most {MAX_LENGTH} are read")
    return _Parser(expression).whole()


class _Parser(TokenReader):
    """Recursive descent over `sum := product (± product)*`, `product := factor (factor | / factor)*`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0

    def whole(self) -> Size:
        if not self.tokens:
            raise SizeError("an empty size")
        total = self.sum()
        if self.index < len(self.tokens):
            raise self.unexpected()
        return total

    def sum(self) -> Size:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise SizeError(f"the size `{self.text}` is nested more than {MAX_NESTING} deep")
        total = -self.product() if self.take("-") else self.product()
        while (plus := self.take("+")) or self.take("-"):
            total = total + (self.product() if plus else -self.product())
        self.depth -= 1
        return total

    def product(self) -> Size:
        total = self.factor()
        while True:
            if self.take("/"):
                total = total / self.factor()
            elif self.kind == "number":
                raise self.late_number()
            elif self.kind in ("symbol", "floor", "times") or self.peek == "(":
                self.index += self.kind == "times"
                total = self.bounded(total * self.factor())
            else:
                return total

    def bounded(self, total: Size) -> Size:
        if len(total.terms) > MAX_TERMS:
            raise SizeError(f"the size `{self.text}` has more than {MAX_TERMS} terms")
        return total

    def factor(self) -> Size:
        base = self.atom()
        if self.kind != "power":
            return base
        power = int(self.peek.strip("{} "))
        if power > MAX_POWER:
            raise SizeError(f"the size `{self.text}` has the exponent {power}; at most {MAX_POWER} is read")
        self.index += 1
        return product([base] * power)

    def atom(self) -> Size:
        kind, text = self.kind, self.peek
        if kind == "number":
            self.index += 1
            return constant(int(text))
        if kind == "symbol":
            self.index += 1
            return symbol(text)
        if self.take("("):
            inner = self.sum()
            self.expect(")")
            return inner
        if kind == "floor":
            self.index += 1
            inner = self.sum()
            self.expect("\\rfloor")
            return floored(inner)
        raise self.unexpected()


def _single(monomial: Monomial, factor: Fraction) -> Size:
    """A size of one term, or of none where its factor is 0."""
    if max(abs(factor.numerator), factor.denominator) > LARGEST_VALUE:
        raise SizeError(f"a size with a factor beyond {LARGEST_VALUE:.0e}")
    return Size(((monomial, factor),) if factor else ())


def _collect(terms: Iterable[tuple[Monomial, Fraction]]) -> Size:
    totals: dict[Monomial, Fraction] = {}
    for monomial, factor in terms:
        totals[monomial] = totals[monomial] + factor if monomial in totals else factor
    kept = [(monomial, factor) for monomial, factor in totals.items() if factor]
    if len(kept) == 1:
        return _single(*kept[0])
    if any(max(abs(factor.numerator), factor.denominator) > LARGEST_VALUE for _, factor in kept):
        raise SizeError(f"a size with a factor beyond {LARGEST_VALUE:.0e}")
    kept.sort(key=lambda term: (-sum(power for _, power in term[0]), term[0]))
    return Size(tuple(kept))


def _product(first: Monomial, second: Monomial) -> Monomial:
    if not first or not second:
        return first or second
    powers = dict(first)
    for name, power in second:
        powers[name] = powers.get(name, 0) + power
        if abs(powers[name]) > LARGEST_POWER:
            raise SizeError(f"a size with a power beyond {LARGEST_POWER}")
    return tuple(sorted((name, power) for name, power in powers.items() if power))


@lru_cache(maxsize=4096)
def _floored(atom: str) -> Size:
    """What a floor is taken of; it was read before, so it may be longer than what people may write."""
    return _Parser(atom.removeprefix("\\lfloor ").removesuffix("\\rfloor")).whole()


def _replaced(atom: str, values: Mapping[str, Size]) -> Size:
    if is_floor(atom):
        return floored(_floored(atom).substitute(values))
    return values[atom] if atom in values else symbol(atom)


def _power(name: str, power: int, bindings: Mapping[str, int]) -> int | Fraction:
    if is_floor(name):
        base = floor(_fraction(_floored(name), bindings))
    elif name in bindings:
        base = bindings[name]
    else:
        raise SizeError(f"{name} has no value")
    if base == 0 and power < 0:
        raise SizeError(f"division by {name}, which is 0")
    return base**power if power >= 0 else Fraction(1, base**-power)


def _fraction(expression: Size, bindings: Mapping[str, int]) -> Fraction:
    """The value; almost all sizes are whole, and whole numbers are much faster, so that they stay such meanwhile."""
    total: int | Fraction = 0
    for monomial, factor in expression.terms:
        term: int | Fraction = factor.numerator if factor.denominator == 1 else factor
        for name, power in monomial:
            term *= _power(name, power, bindings)
        total += term
    return Fraction(total)


def _over_one_divisor(expression: Size) -> str:
    """A size as one quotient: `(H+1)/2`, which is shorter to read than `H/2+1/2`."""
    lowest: dict[str, int] = {}
    for name, power in (one for monomial, _ in expression.terms for one in monomial):
        lowest[name] = min(lowest.get(name, 0), power)
    symbols = tuple(sorted((name, -power) for name, power in lowest.items() if power))
    divisor = Size(((symbols, Fraction(lcm(*(factor.denominator for _, factor in expression.terms)))),))
    if len(expression.terms) == 1 or divisor == constant(1):
        return str(expression)
    below = f"({divisor})" if " " in str(divisor) else str(divisor)
    return f"({expression * divisor})/{below}"
