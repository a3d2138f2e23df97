"""Jinja2 as the pages need it: strict, escaping, and quick about the hundreds of values that each page prints.

What Jinja2 prints it makes a `Markup` first, though it joins all of it to one text right after; here a value that is
finished, or a text in which nothing is to be escaped, is printed as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Expr
from markupsafe import Markup, escape

_ESCAPED = re.compile("[&<>'\"]")
"""The characters that `escape` writes otherwise."""

ALSO_IN = Markup("<!--also-in-->")
"""Stands where a component's page names its relatives, which are known once all collections are."""


def printed(value: object) -> str:
    """The same characters as those of `escape(value)`, as whatever kind of text is there already."""
    kind = type(value)
    if kind is Markup or (kind is str and not _ESCAPED.search(value)):  # type: ignore[call-overload]  # it is a str
        return value  # type: ignore[return-value]  # it is a str
    return escape(value)


class _Generator(CodeGenerator):
    """Writes templates as Python that prints by `printed`."""

    def _output_child_pre(self, node: Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
            return
        self.write("environment.printed(")
        if finalize.src is not None:
            self.write(finalize.src)


class Templates(Environment):
    """The templates of a site; a folder that is given first may hold others than the theme's own."""

    code_generator_class = _Generator
    printed = staticmethod(printed)
    """What the generated code calls for each value."""

    def __init__(
        self,
        folders: Iterable[Path],
        finalize: Callable[[object], object] | None = None,
        compiled: BytecodeCache | None = None,
    ) -> None:
        super().__init__(
            loader=FileSystemLoader([*folders, Path(str(files("openmodelatlas_theme")))]),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=finalize,
            bytecode_cache=compiled,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,  # templates do not change during a build, and each look for changes asks the disk
        )
