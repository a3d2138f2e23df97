"""`atlas explain`: what an issue code means, with a wrong and a right form."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict

import click

from atlas.commands.completion import issue_codes
from atlas.commands.output import print_json
from atlas.explain.catalogue import Explanation, catalogue
from atlas.issues import visible
from atlas.sources.nearest import nearest

WIDTH = 100
"""How wide running text is set."""


@click.command(short_help="Explain issue codes, with a wrong and a right example of each.")
@click.argument("codes", nargs=-1, metavar="[CODE]...", shell_complete=issue_codes)
@click.option("--json", "as_json", is_flag=True, help="Print the explanations as one JSON list.")
@click.pass_context
def explain(ctx: click.Context, codes: tuple[str, ...], as_json: bool) -> None:
    """Explain issue CODEs: what each means, what to do, a wrong and a right form.

    Without a CODE all of them are listed. `atlas explain A2` lists those that begin so. No project is needed.

    \b
    Example:
      atlas explain A214
    """  # noqa: D301 - \b is click's mark of a paragraph whose lines stay
    known = catalogue()
    wanted = [one for code in codes for one in _meant(ctx, known, code)] if codes else list(known.values())
    if as_json:
        print_json(json.dumps([_data(one) for one in wanted], ensure_ascii=False, indent=2))
        return
    is_listing = not codes or any(code.upper() not in known for code in codes)
    click.echo("\n".join(_listing(wanted)) if is_listing else "\n\n".join("\n".join(_text(one)) for one in wanted))


def _meant(ctx: click.Context, known: Mapping[str, Explanation], code: str) -> list[Explanation]:
    """The code, or those that begin like it."""
    name = code.strip().upper()
    found = [one for key, one in known.items() if key == name] or [
        one for key, one in known.items() if name and key.startswith(name)
    ]
    if not found:
        near = _padded(name, known) or nearest(name, known)
        hint = f"did you mean {near}?" if near else "`atlas explain` lists them all"
        raise click.UsageError(f"there is no issue code {visible(code[:40])}; {hint}", ctx)
    return found


def _padded(name: str, known: Mapping[str, Explanation]) -> str | None:
    """The code whose leading zeros were left out."""
    digits = name.removeprefix("A")
    code = f"A{digits:0>3}"
    return code if digits.isdecimal() and code in known else None


def _listing(wanted: list[Explanation]) -> Iterator[str]:
    group = ""
    for one in wanted:
        if one.group != group:
            yield from ([""] if group else [])
            group = one.group
            yield group
        yield f"  {one.code}  {one.title}" + (" (a warning)" if one.is_warning else "")


def _text(one: Explanation) -> Iterator[str]:
    yield f"{one.code}: {one.title}" + (" (a warning: pages can be built, and say so)" if one.is_warning else "")
    yield ""
    yield from textwrap.wrap(" ".join(one.meaning.split()), WIDTH, break_long_words=False, break_on_hyphens=False)
    example = one.example
    if example.where:
        yield ""
        yield f"In {example.where}:"
    if example.symbols:
        yield ""
        yield "Where " + ", ".join(f"{name} is {axes}" for name, axes in example.symbols.items())
    if example.setting:
        yield ""
        yield "Given:"
        yield from _indented(example.setting)
    for edit in example.given:
        yield ""
        yield f"Where {edit.file} has:"
        yield from _indented(edit.new)
    yield ""
    yield "Wrong:" + _own(example.wrong_symbols)
    yield from _indented(example.wrong)
    yield ""
    if example.right:
        yield "Right:" + _own(example.right_symbols)
        yield from _indented(example.right)
    else:
        yield "Right: to leave it out."


def _own(symbols: Mapping[str, str]) -> str:
    return f" with {', '.join(f'{name} {axes}' for name, axes in symbols.items())}" if symbols else ""


def _indented(text: str) -> Iterator[str]:
    yield from (f"    {visible(line)}".rstrip() for line in text.splitlines())


def _data(one: Explanation) -> dict[str, object]:
    """The explanation as JSON has it, without what only tests need."""
    example = {key: value for key, value in asdict(one.example).items() if key not in ("how", "base") and value}
    return {
        "code": one.code,
        "title": one.title,
        "severity": "warning" if one.is_warning else "error",
        "meaning": one.meaning.strip(),
        "example": example,
    }
