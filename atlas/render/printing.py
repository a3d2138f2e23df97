"""Jinja2 as the pages need it: strict, escaping, and quick about the hundreds of values that each page prints.

What Jinja2 prints it makes a `Markup` first, though it joins all of it to one text right after; here a value that is
finished, or a text in which nothing is to be escaped, is printed as it is. Macros it calls in four steps, each of which
looks at what it is given; here in one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, MutableMapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Call, Expr, Getattr
from jinja2.runtime import Context, Macro
from jinja2.utils import missing
from markupsafe import Markup, escape

_ESCAPED = re.compile("[&<>'\"]")
"""The characters that `escape` writes otherwise."""

_TAKEN_IN = re.compile(r"""\{%[-+]?\s*(?:import|include|from|extends)\s+["']([^"'{}]+)["']""")
"""The name of a template that another takes in."""

ALSO_IN = Markup("<!--also-in-->")
"""Stands where a component's page names its relatives, which are known once all collections are."""


def printed(value: object) -> str:
    """The same characters as those of `escape(value)`, as whatever kind of text is there already."""
    kind = type(value)
    if kind is Markup or (kind is str and not _ESCAPED.search(value)):  # type: ignore[call-overload]  # it is a str
        return value  # type: ignore[return-value]  # it is a str
    html: Callable[[object], str] | None = getattr(kind, "__html__", None)
    return escape(value) if html is None else html(value)


_PLAIN = (partial, MethodType, FunctionType)
"""What is called as in Python; none of those that templates are given asks for the template's context."""


def called(context: Context, callee: Callable[..., object], /, *given: object, **named: object) -> object:
    """What a call in a template gives.

    Args:
        context: The context of the template.
        callee: A macro or anything else that can be called.
        given: The arguments by position.
        named: The arguments by name.
    """
    kind = type(callee)
    if kind is Macro:
        lacking = callee._argument_count - len(given)  # type: ignore[attr-defined]  # it is a macro
        is_plain = lacking >= 0 and not (named or callee.caller or callee.catch_kwargs or callee.catch_varargs)  # type: ignore[attr-defined]
        if is_plain and context.eval_ctx.autoescape:
            # What a macro gives is finished. `Markup(…)` itself first looks whether it was before.
            return str.__new__(Markup, callee._func(*given, *(missing,) * lacking))  # type: ignore[attr-defined]
    elif kind in _PLAIN:
        return callee(*given, **named)
    return context.call(callee, *given, **named)


class _Generator(CodeGenerator):
    """Writes templates as Python that prints by `printed` and calls by `called`."""

    def visit_Getattr(self, node: Getattr, frame: Frame) -> None:  # noqa: N802 - so Jinja2 asks for it
        # Nearly all that is asked for are attributes that are there, which need no function of Jinja2's.
        self.write("(found_ if (found_ := getattr((owner_ := ")
        self.visit(node.node, frame)
        self.write(f"), {node.attr!r}, missing)) is not missing else environment.getattr(owner_, {node.attr!r}))")

    def visit_Call(self, node: Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802 - so Jinja2 asks for it
        self.write("environment.called(context, ")
        self.visit(node.node, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")

    def _output_child_pre(self, node: Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
            return
        self.write("environment.printed(")


class Templates(Environment):
    """The templates of a site; a folder that is given first may hold others than the theme's own.

    What is printed of a value is what `printing` makes of it, which the generated code calls.
    """

    code_generator_class = _Generator

    def __init__(
        self,
        folders: Iterable[Path],
        printing: Callable[[object], str] = printed,
        compiled: BytecodeCache | None = None,
    ) -> None:
        self.own = Path(str(files("openmodelatlas_theme")))
        self.folders = (*folders, self.own)
        super().__init__(
            loader=FileSystemLoader(self.folders),
            autoescape=True,
            undefined=StrictUndefined,
            bytecode_cache=compiled,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,  # templates do not change during a build, and each look for changes asks the disk
        )
        self.printed = printing
        self.called = called

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """What every template knows, as each of its pages copies it: a plain dictionary, as it does not change."""
        return {**self.globals, **(d or {})}

    def load(self, name: str) -> None:
        """Compile a template, and all that it takes in by name, however deep."""
        waiting, seen = [name], {name}
        while waiting:
            one = self.get_template(waiting.pop())
            taken = {str(match) for match in _TAKEN_IN.findall(Path(str(one.filename)).read_text(encoding="utf-8"))}
            waiting += sorted(taken - seen)
            seen |= taken

    def has_own(self, name: str) -> bool:
        """Whether a template is our own theme's, and not one that an author put in its place."""
        folder = next((one for one in self.folders if (one / name).is_file()), self.own)
        return folder.resolve() == self.own.resolve()
