from __future__ import annotations

import ast
import textwrap

import pytest

from atlas.exceptions import UpstreamError
from atlas.upstream.definitions import Definitions, needed

MODULE = textwrap.dedent(
    '''
    """A module."""
    from __future__ import division
    import os, math as m
    from project import used, unused

    RATE = -0.5
    SCALES = (1.0, [2, RATE_OFFSET]) if False else None
    START = 3
    START = 4

    register()

    def wrap(function):
        return function

    def scale(x):
        return used.scale(x)

    def inner(x, scale):
        scale = scale + m.pi
        return x * scale * RATE

    @wrap
    def outer(x, begin=START):
        def local(y):
            return inner(y, 1)
        return local(x)

    class Base(object):
        rate = RATE

    class Derived(Base):
        def f(self):
            return scale(1)

    if RATE:
        late = 1

    def uses_late():
        return late

    def uses_scales():
        return SCALES

    def missing():
        return nowhere

    TABLE = {}
    TABLE["a"] = START

    def uses_table():
        return TABLE

    NAMES, COUNT = list(), 0
    NAMES.append(START)

    def uses_count():
        return COUNT

    def uses_names():
        return NAMES

    class Holder:
        pass

    holder = Holder()
    holder.rate = 1
    del holder.rate

    def uses_holder():
        return holder
    '''
)


def part(*names: str) -> list[str]:
    return [ast.unparse(node).splitlines()[0] for node in needed(ast.parse(MODULE), names, "module.py").body]


def test_a_function_brings_its_decorators_defaults_and_callees_and_nothing_else() -> None:
    assert part("outer") == [
        "from __future__ import division",
        "import math as m",
        "RATE = -0.5",
        "START = 3",
        "START = 4",
        "def wrap(function):",
        "def inner(x, scale):",
        "@wrap",
    ]


def test_a_local_name_does_not_bring_a_definition_of_the_same_name() -> None:
    assert "def scale(x):" not in part("inner")


def test_a_class_brings_its_bases_and_what_its_methods_call() -> None:
    assert part("Derived") == [
        "from __future__ import division",
        "from project import used",
        "RATE = -0.5",
        "def scale(x):",
        "class Base(object):",
        "class Derived(Base):",
    ]


def test_an_assignment_brings_what_its_value_is_computed_from() -> None:
    module = """
    import re
    import unused
    PART = "[a-z]"
    WORD, OTHER = re.compile(PART + "+"), None
    def words(text):
        return WORD.findall(text)
    """
    found = needed(ast.parse(textwrap.dedent(module)), ["words"], "module.py")
    assert [ast.unparse(node).splitlines()[0] for node in found.body] == [
        "import re",
        "PART = '[a-z]'",
        "WORD, OTHER = (re.compile(PART + '+'), None)",
        "def words(text):",
    ]


def test_a_statement_may_be_taken_later_than_those_after_it() -> None:
    module = Definitions(ast.parse(MODULE), "module.py")
    first = module.needed(["outer"])
    then = module.needed(["Derived"]) - first
    assert [ast.unparse(node).splitlines()[0] for node in module.part(then).body] == [
        "from __future__ import division",
        "from project import used",
        "def scale(x):",
        "class Base(object):",
        "class Derived(Base):",
    ]


def test_line_numbers_are_those_of_the_file() -> None:
    (function,) = [
        node for node in needed(ast.parse(MODULE), ["inner"], "module.py").body if isinstance(node, ast.FunctionDef)
    ]
    assert MODULE.splitlines()[function.lineno - 1] == "def inner(x, scale):"


def test_a_name_that_is_defined_nowhere_is_left_to_the_call() -> None:
    assert part("missing") == ["from __future__ import division", "def missing():"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("uses_late", r"^module\.py:37: late is needed, but this statement, which defines it, is not executed"),
        ("uses_table", r"^module\.py:50: TABLE is needed, but this statement, which may change it, is not executed$"),
        ("uses_names", r"^module\.py:56: NAMES is needed, but this statement, which may change it, is not"),
        ("uses_count", r"^module\.py:56: NAMES is needed"),
        ("uses_holder", r"^module\.py:68: holder is needed"),
        ("late", r"^module\.py:37: late is needed"),
        ("outr", r"^module\.py defines no outr \(did you mean outer\?\)$"),
        ("xyz", r"^module\.py defines no xyz$"),
    ],
)
def test_what_cannot_be_selected_is_refused(name: str, message: str) -> None:
    with pytest.raises(UpstreamError, match=message):
        part(name)
