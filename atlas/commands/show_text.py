"""The figures of a model as text for people: one block for each question, with columns that line up."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from atlas.checks.published import PublishedCheck
from atlas.commands.figures import BYTES, Figures
from atlas.commands.models import shown_shape, shown_sizes
from atlas.commands.output import counted
from atlas.graph.accounting import grouped
from atlas.issues import visible
from atlas.sizes import Size

RIGHT = frozenset("0123456789,")
"""Cells of these characters only are numbers, which line up at their right end."""


LEAST = 32
"""How many characters of a terminal's line the last column must have, or each cell gets a line of its own."""


def terminal_width() -> int | None:
    """How many characters a line of the terminal has; None where what is printed goes to a file or a program."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def figures_text(figures: Figures, width: int | None = None) -> str:
    """Everything that is shown, in tables that fit a terminal of this width, where one is given."""
    blocks = [
        _head(figures),
        _parameters(figures),
        _stacks(figures),
        _components(figures),
        _cache(figures),
        _computation(figures),
        _shapes(figures),
        _published(figures),
        _configuration(figures),
    ]
    return "\n\n".join("\n".join(narrowed(block, width)) for block in map(list, blocks) if block)


def narrowed(lines: Iterable[str], width: int | None) -> Iterator[str]:
    """Lines of which those that are too long for a terminal of this width, where one is given, are continued below."""
    for line in lines:
        if width is None or len(line) <= width:
            yield line
        else:
            indent = " " * (len(line) - len(line.lstrip()))
            yield from _wrapped(line.strip(), width, indent, f"{indent}    ")


def _wrapped(text: str, width: int, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, len(others) + LEAST),
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def fitted(
    rows: Iterable[Sequence[str]], names: Sequence[str], width: int | None, *, named: bool = True
) -> Iterator[str]:
    """A table that fits a terminal of this width, where one is given.

    The last column is continued below itself; where that leaves it too little room, each row begins with its first
    cell, and the others follow on lines of their own, with the names of their columns. Lines of one column stay. With
    `named` the columns have their names above them.
    """
    listed = [list(row) for row in rows]
    above = [_named_columns(listed, names)] if named else []
    lines = list(table([*above, *listed]))
    if width is None or len(names) == 1 or all(len(line) <= width for line in lines):
        yield from lines
        return
    heads = list(table([[*row[:-1], "|"] for row in [*above, *listed]]))
    place = max(map(len, heads)) - 1
    if width - place >= LEAST:
        for row, head in zip([*above, *listed], heads, strict=True):
            yield from _wrapped(row[-1], width, head[:-1], " " * place) or [head[:-1].rstrip()]
        return
    for row in listed:
        yield from _wrapped(row[0], width, "  ", "      ")
        for name, cell in zip(names[1:], row[1:], strict=True):
            if cell:
                yield from _wrapped(f"{name.replace('_', ' ')}: {cell}", width, "    ", "      ")


def _named_columns(rows: Sequence[Sequence[str]], names: Sequence[str]) -> list[str]:
    """The names of columns as a row, each at the end of its column at which its cells line up."""
    found = []
    for index, name in enumerate(names):
        cells = [row[index] for row in rows if row[index]]
        is_number = bool(cells) and all(RIGHT.issuperset(cell) for cell in cells)
        text = name.replace("_", " ")
        found.append(text.rjust(max(map(len, cells), default=0)) if is_number else text)
    return found


def table(rows: Iterable[Sequence[str]], indent: str = "  ") -> Iterator[str]:
    """Rows with columns that line up, numbers at the right; the last column of texts is not padded."""
    listed = [list(row) for row in rows]
    columns = max(map(len, listed), default=0)
    widths = [max((len(row[index]) for row in listed if index < len(row)), default=0) for index in range(columns)]
    for row in listed:
        cells = [
            cell.rjust(width) if cell and RIGHT.issuperset(cell) else cell.ljust(width)
            for cell, width in zip(row, widths, strict=False)
        ]
        yield (indent + "  ".join(cells)).rstrip()


def sum_text(size: Size) -> str:
    """A size with grouped digits: `18,432 B S S + 123,532,032 B S`."""
    terms = []
    for monomial, factor in size.terms:
        names = " ".join(name for name, power in monomial for _ in range(power) if power > 0)
        whole = factor.denominator == 1 and all(power > 0 for _, power in monomial)
        one = Size(((monomial, abs(factor)),))
        text = f"{grouped(abs(int(factor)))} {names}".strip() if whole else str(one)
        terms.append(("- " if factor < 0 else "+ ") + text)
    return " ".join(terms).removeprefix("+ ") or "0"


def _head(figures: Figures) -> Iterator[str]:
    loaded = figures.loaded
    if figures.path is not None:
        yield f"{loaded.model.title} ({loaded.collection.id}) of {visible(figures.path)}{_relation(figures)}"
    elif figures.variant is not None:
        other = " with other sizes" if figures.changed else ""
        title = loaded.model.variants[figures.variant].title
        yield f"{loaded.model.title} {title} ({loaded.collection.id}, variant {figures.variant}){other}"
    yield f"  {shown_sizes(figures.choice)}"
    if not loaded.model.complete:
        yield "  not complete: figures are those of the components that have entries"


def _relation(figures: Figures) -> str:
    """What a configuration is to the documented model: a variant only where everything in the file is understood."""
    read = figures.configuration
    if figures.is_variant or read is None:
        return f", which is the variant {figures.variant}" if figures.variant is not None else ""
    parts = [f"has the sizes of the variant {figures.variant}"] if figures.variant is not None else []
    parts += [f"with keys not understood: {', '.join(map(visible, read.unknown))}"] if read.unknown else []
    if read.other_classes:
        upstream = figures.loaded.model.upstream
        documented = f", not {upstream.model}" if upstream is not None else ""
        parts.append(f"made for {', '.join(map(visible, read.other_classes))}{documented}")
    return f", which {'; '.join(parts)}" if figures.variant is not None else "".join(f", {one}" for one in parts)


def _parameters(figures: Figures) -> Iterator[str]:
    account = figures.account
    yield "Parameters"
    rows = [
        ("total", grouped(account.total), "tied ones once"),
        ("active", grouped(account.active), "those that one token meets"),
        ("embedding", grouped(account.embedding), "look-up tables of tokens and positions"),
        ("non-embedding", grouped(account.non_embedding)),
    ]
    if account.buffers:
        rows.append(("buffers", grouped(account.buffers), "kept and not learned, no part of the total"))
    yield from table(rows)


def _stacks(figures: Figures) -> Iterator[str]:
    yield "By stack"
    stacks = figures.loaded.model.paths
    yield from table(
        (
            one.name,
            grouped(one.total),
            "" if stacks[one.name].layers is None else _times(one.layers, one.per_layer),
        )
        for one in figures.account.stacks
    )


def _components(figures: Figures) -> Iterator[str]:
    yield "By component"
    prefix = f"{figures.loaded.collection.id}/"
    yield from table(
        (
            name.removeprefix(prefix),
            grouped(one.across.value({})),
            _times(one.layers or 1, one.per_instance.value({}) if one.uniform else None),
        )
        for name, one in figures.account.entries.items()
    )


def _times(count: int, each: int | None) -> str:
    """How a total comes about: `12 × 7,087,872`."""
    if count == 1:
        return ""
    return f"{count:,} × {each:,}" if each is not None else f"{count:,} that differ"


def _cache(figures: Figures) -> Iterator[str]:
    account = figures.account
    kept = {
        "each token": account.cache,
        "each token of the input": account.input_cache,
        "each token of a window": account.window_cache,
    }
    if figures.tokens is not None:
        kept[counted(figures.tokens, "token")] = figures.tokens * account.cache
    for name, count in kept.items():
        if count:
            sizes = ", ".join(f"{width * count:,} bytes in {dtype}" for dtype, width in BYTES.items())
            yield f"Kept for {name}: {counted(count, 'number')} ({sizes})"
    if account.constant_state:
        yield f"Kept in all: {counted(account.constant_state, 'number')}"


def _computation(figures: Figures) -> Iterator[str]:
    yield "Multiply–accumulates of matrix products and convolutions"
    yield f"  {sum_text(figures.account.macs)}"
    if figures.lengths:
        at = ", ".join(f"{name} = {value:,}" for name, value in figures.lengths.items())
        yield f"  {figures.macs:,} for {at}"


def _shapes(figures: Figures) -> Iterator[str]:
    yield "Values"
    rows = []
    for value_id, places in figures.shapes():
        value = figures.loaded.graph.values[value_id]
        axes = f"[{', '.join(map(str, value.axes))}]"
        shapes = {shape for _, shape in places}
        below = f"below {value.ids}" if value.ids is not None else ""
        if len(shapes) == 1:
            times = f"× {len(places)}" if len(places) > 1 else ""
            rows.append((value_id, axes, shown_shape(places[0][1]), times or below))
        else:
            rows += [(key, axes, shown_shape(shape), below) for key, shape in places]
    yield from table(rows)


def _published(figures: Figures) -> Iterator[str]:
    if figures.published:
        yield "Published"
        yield from table(map(_claim, figures.published))


def _claim(one: PublishedCheck) -> tuple[str, ...]:
    where = f", {one.reference.where}" if one.reference.where is not None else ""
    rounded = f" (to {one.rounded_to:,})" if one.rounded_to > 1 else ""
    verdict = "agrees" if one.agrees else f"CONFLICT: derived are {one.derived:,}"
    at = ", ".join(f"{name} = {value:,}" for name, value in one.at.items())
    return (
        f"{one.quantity} for {at}" if at else one.quantity,
        f"{one.published:,}{rounded}",
        verdict,
        f"{one.reference.title}{where}",
    )


def _configuration(figures: Figures) -> Iterator[str]:
    read = figures.configuration
    if read is None:
        return
    yield "Keys of the configuration"
    sizes = [f"{name} from {key}" for name, key in read.stated_by.items()]
    rows = [("sizes", ", ".join(sizes)), ("not understood", ", ".join(read.unknown) or "none")]
    if read.confirmed:
        rows.append(("as documented", ", ".join(read.confirmed)))
    if read.assumed:
        rows.append(("left out, taken as documented", ", ".join(read.assumed)))
    rows += [(f"without consequence: {key}", reason) for key, reason in read.ignored.items()]
    if read.bookkeeping:
        rows.append(("no part of the architecture", ", ".join(read.bookkeeping)))
    yield from table([(visible(what), visible(which)) for what, which in rows])
    if read.unknown:
        yield "  Keys that were not understood may change the model; then these figures are not its figures."
