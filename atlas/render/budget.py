"""Where a model's parameters sit, as a picture: one bar whose parts are as wide as their share of the total.

The bar is true to scale, so what is small is drawn together; the table below it lists everything and is its text too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from markupsafe import Markup

from atlas.exceptions import DiagramError
from atlas.render.diagram_svg import printed
from atlas.render.kinds import named

SMALL = Fraction(1, 100)
"""The share below which parts are drawn together, where there are several."""
LABELLED = Fraction(12, 100)
"""The share from which a part is wide enough for its percentage, also on a telephone."""
TOGETHER = "other"
"""The kind in whose colour small parts are drawn together."""


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """The parameters of one part of a model."""

    label: str
    """What it is called."""
    kind: str
    """One of `atlas.render.kinds.KINDS`: its colour."""
    count: int
    """How many parameters it has."""
    href: str = ""
    """The page that it links to, below the site's root or another site's; without one it is no link."""


@dataclass(frozen=True, slots=True)
class Share:
    """A row of the table."""

    label: str
    """What it is called."""
    kind: str
    """Its colour."""
    kind_name: str
    """Its kind in words; empty for small parts together."""
    href: str
    """Where it leads; empty where it is no link."""
    count: str
    """How many parameters it has, with grouped digits."""
    percent: str
    """Its share of the total."""
    parts: tuple[Share, ...] = ()
    """What is drawn together as this part."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the bar; lengths are percentages of its width."""

    kind: str
    """Its colour."""
    x: str
    """Where it begins."""
    width: str
    """How wide it is."""
    middle: str
    """Where its middle is."""
    label: str
    """Its percentage; empty where there is no room for it."""
    tooltip: str
    """What it is, with its count and share."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What the template `entity/budget.html` prints."""

    title: str
    """What the picture shows."""
    total: str
    """The total, with grouped digits."""
    told: str
    """The bar for those who cannot see it."""
    segments: tuple[Segment, ...]
    """The bar."""
    shares: tuple[Share, ...]
    """The table, largest first; small parts together at the end."""


def budget(title: str, rows: Iterable[BudgetRow]) -> Budget:
    """The picture of a budget; rows without parameters are left out, as nothing of them can be drawn.

    Raises:
        DiagramError: a count is negative, a label is empty, a kind is unknown, or no row has parameters.
    """
    given = tuple(rows)
    if mistakes := [mistake for row in given for mistake in _mistakes(row)]:
        raise DiagramError(f"the budget {title!r} cannot be drawn: {'; '.join(mistakes)}")
    counted = sorted((row for row in given if row.count), key=lambda row: -row.count)
    if not counted:
        raise DiagramError(f"the budget {title!r} cannot be drawn: none of its {len(given)} rows has parameters")
    total = sum(row.count for row in counted)
    small = [row for row in counted if Fraction(row.count, total) < SMALL]
    if len(small) < 2:
        small = []
    large = counted[: len(counted) - len(small)]
    counts = [row.count for row in large] + ([sum(row.count for row in small)] if small else [])
    percents = percentages(counts)
    shares = [_share(row, percent) for row, percent in zip(large, percents, strict=False)]
    if small:
        inner = tuple(_share(row, _percent(round(1000 * Fraction(row.count, total)))) for row in small)
        label = f"{len(small)} parts of less than {SMALL.numerator * 100 // SMALL.denominator}\u202f% each"
        shares.append(Share(label, TOGETHER, "", "", f"{counts[-1]:,}", percents[-1], inner))
    return Budget(
        title=title,
        total=f"{total:,}",
        told=f"{title}: " + ", ".join(f"{share.label} {share.percent}" for share in shares),
        segments=_segments(shares, counts, total),
        shares=tuple(shares),
    )


def bar(one: Budget) -> Markup:
    """The bar alone, as SVG for an HTML page."""
    return printed("entity/budget.html", "bar", one)


def figure(one: Budget, to: Callable[[str], str] = str) -> Markup:
    """The bar with its table; `to` turns the rows' addresses into links from the page that shows it."""
    return printed("entity/budget.html", "figure", one, to)


def percentages(counts: Sequence[int]) -> tuple[str, ...]:
    """The shares of positive counts in percent, rounded to tenths such that they add up to 100.0."""
    total = sum(counts)
    tenths = [1000 * count // total for count in counts]
    # What rounding down left over goes to those that lost most by it, of equal ones to the first.
    by_loss = sorted(range(len(counts)), key=lambda index: -(1000 * counts[index] % total))
    for index in by_loss[: 1000 - sum(tenths)]:
        tenths[index] += 1
    return tuple(map(_percent, tenths))


def _percent(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10}\u202f%" if tenths else "<\u202f0.1\u202f%"


def _mistakes(row: BudgetRow) -> Iterable[str]:
    if not row.label.strip():
        yield "a row has no label"
    if row.count < 0:
        yield f"{row.label!r} has {row.count:,} parameters"
    try:
        named(row.kind)
    except DiagramError as error:
        yield f"{row.label!r}: {error}"


def _share(row: BudgetRow, percent: str) -> Share:
    return Share(row.label, row.kind, named(row.kind), row.href, f"{row.count:,}", percent)


def _segments(shares: Sequence[Share], counts: Sequence[int], total: int) -> tuple[Segment, ...]:
    segments = []
    before = 0
    for share, count in zip(shares, counts, strict=True):
        begin, width = Fraction(before, total), Fraction(count, total)
        segments.append(
            Segment(
                kind=share.kind,
                x=_length(begin),
                width=_length(width),
                middle=_length(begin + width / 2),
                label=share.percent if width >= LABELLED else "",
                tooltip=f"{share.label}: {share.count} parameters, {share.percent}",
            )
        )
        before += count
    return tuple(segments)


def _length(share: Fraction) -> str:
    return f"{float(100 * share):.3f}%"
