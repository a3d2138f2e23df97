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
    html: Callable[[object], str] | None = getattr(kind, "__html__", None)
    return escape(value) if html is None else html(value)


class _Generator(CodeGenerator):
    """Writes templates as Python that prints by `printed`."""

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

    def has_own(self, name: str) -> bool:
        """Whether a template is our own theme's, and not one that an author put in its place."""
        folder = next((one for one in self.folders if (one / name).is_file()), self.own)
        return folder.resolve() == self.own.resolve()
