from __future__ import annotations

from collections.abc import Callable

import pytest

from atlas.exceptions import ExcerptError
from atlas.sources.definitions import definitions
from atlas.sources.store import PinnedText
from atlas.sources.symbols import (
    SignatureArgument,
    assignments,
    begins_with,
    call_literals,
    call_method,
    calls,
    defined_in,
    first_defined,
    signature,
)

Pin = Callable[..., PinnedText]

TODAY = '''\
"""def not_a_definition(): it is a text."""
import layers

SIZE = 512
low, (high, *rest) = 1, (2, 3)


@layers.register(
    "net",
)
class Net:
    """class NotOne:"""

    width: int = 4

    @property
    def depth(self):
        return self.size

    async def run(self, x, *, scale=1e-6):
        self.size = 3
        local = 4

        def inner(y):
            return layers.norm(
                layers.norm(y))
        return inner(x) + other.layers.norm(x)

    # a comment at the end


if SIZE:
    def chosen(): pass
else:
    def chosen(a): pass
'''

# The same, but no longer parsed since its last line.
YESTERDAY = TODAY + 'print "done", `low`\n'

EXPECTED = [
    ("SIZE", "assignment", 4, 4, 4),
    ("low", "assignment", 5, 5, 5),
    ("high", "assignment", 5, 5, 5),
    ("rest", "assignment", 5, 5, 5),
    ("Net", "class", 8, 11, 27),
    ("Net.width", "assignment", 14, 14, 14),
    ("Net.depth", "function", 16, 17, 18),
    ("Net.run", "function", 20, 20, 27),
    ("Net.run.self.size", "assignment", 21, 21, 21),
    ("Net.run.inner", "function", 24, 24, 26),
    ("chosen", "function", 33, 33, 33),
    ("chosen", "function", 35, 35, 35),
]


def found(text: str) -> list[tuple[str, str, int, int, int]]:
    return [(each.name, each.kind, each.first, each.line, each.last) for each in definitions(text)]


def test_definitions_have_dotted_names_and_lines() -> None:
    assert found(TODAY) == sorted(EXPECTED, key=lambda each: (each[3], each[0]))


def test_older_python_is_read_by_its_lines() -> None:
    # What a tuple assigns is the one thing that lines do not tell.
    assert found(YESTERDAY) == [each for each in EXPECTED if each[0] not in ("low", "high", "rest")]


def test_lines_are_those_of_git_whatever_else_ends_a_line_for_python() -> None:
    assert [each.line for each in definitions("a = 1\x0c\r\nb = '\\\n\r'\nc = 3\n")] == [1, 2, 4]
    assert [each.line for each in definitions("a = 1  # one\r# more\nb = 2\n")] == [1, 2]
    assert [each.name for each in definitions("\ufeffa = 1\n")] == ["a"]


def test_a_symbol_is_defined_where_its_name_is(pinned: Pin) -> None:
    for text in (TODAY, YESTERDAY):
        file = pinned(text)
        assert defined_in(file, 11, 11, "Net").last == 27
        assert defined_in(file, 16, 27, "run").name == "Net.run"
        assert defined_in(file, 1, 27, "Net.run").line == 20
        assert defined_in(file, 20, 22, "self.size").kind == "assignment"
        assert defined_in(file, 4, 4, "SIZE").line == 4


def refusal(file: PinnedText, first: int, last: int, symbol: str) -> str:
    with pytest.raises(ExcerptError) as caught:
        defined_in(file, first, last, symbol)
    assert caught.value.field == ("symbol",)
    return str(caught.value)


@pytest.mark.parametrize("text", [TODAY, YESTERDAY])
def test_a_symbol_that_is_not_defined_there_names_what_is(pinned: Pin, text: str) -> None:
    file = pinned(text)
    assert refusal(file, 16, 27, "rum") == (
        "lines 16-27 of pkg/layers.py do not define 'rum'; "
        "they define Net.run, Net.run.inner, Net.depth, Net.run.self.size"
    )
    assert refusal(file, 16, 19, "run") == (
        "lines 16-19 of pkg/layers.py do not define 'run'; they define Net.depth; it is defined at line 20"
    )
    assert refusal(file, 1, 3, "chosen") == (
        "lines 1-3 of pkg/layers.py do not define 'chosen'; they define nothing; it is defined at line 33 and 35"
    )
    assert refusal(file, 1, 27, "local").startswith("lines 1-27 of pkg/layers.py do not define 'local'; they define ")


def test_a_use_a_text_and_a_local_name_are_no_definitions(pinned: Pin) -> None:
    for symbol in ("not_a_definition", "NotOne", "local", "norm", "un"):
        with pytest.raises(ExcerptError, match="do not define"):
            defined_in(pinned(TODAY), 1, 30, symbol)


def test_lines_past_the_end_are_refused_before_anything_else(pinned: Pin) -> None:
    for ask in (lambda file: defined_in(file, 1, 300, "Net"), lambda file: calls(file, 1, 300, "layers.norm")):
        with pytest.raises(ExcerptError, match="lines 1-300 go past the end"):
            ask(pinned(TODAY))


def test_what_is_no_name_is_refused(pinned: Pin) -> None:
    for symbol in ("", "a b", "1x", "a.", "f()"):
        with pytest.raises(ExcerptError, match="is not a name or names joined by dots"):
            defined_in(pinned(TODAY), 1, 2, symbol)


def test_the_first_definition(pinned: Pin) -> None:
    file = pinned(TODAY)
    first = first_defined(file, 1, 27)
    assert first is not None
    assert first.name == "Net"
    assert first_defined(file, 1, 3) is None
    only = first_defined(file, 4, 6)
    assert only is not None
    assert only.name == "SIZE"
    assert begins_with(file, 16, 27, "depth").line == 17
    with pytest.raises(ExcerptError) as caught:
        begins_with(file, 16, 27, "run")
    assert str(caught.value) == (
        "the first definition in lines 16-27 of pkg/layers.py is Net.depth at line 17, not 'run'"
    )
    assert caught.value.field == ("first_symbol",)
    with pytest.raises(ExcerptError, match="is nothing, not 'run'"):
        begins_with(file, 1, 3, "run")


def test_calls_are_found_by_their_exact_name(pinned: Pin) -> None:
    assert calls(pinned(TODAY), 1, 35, "layers.norm") == [25, 26]
    assert calls(pinned(TODAY), 26, 27, "layers.norm") == [26]
    assert calls(pinned(TODAY), 1, 35, "other.layers.norm") == [27]
    assert calls(pinned(TODAY), 1, 35, "norm") == []
    assert calls(pinned(TODAY), 1, 35, "inner") == [27]


def test_calls_in_older_python_are_found_where_the_lines_alone_can_be_read(pinned: Pin) -> None:
    assert calls(pinned(YESTERDAY), 24, 27, "layers.norm") == [25, 26]
    assert calls(pinned(YESTERDAY), 4, 35, "layers.norm") == [25, 26]
    with pytest.raises(ExcerptError, match=r"lines 20-36 of pkg/layers\.py are not today's Python by themselves"):
        calls(pinned(YESTERDAY), 20, 36, "layers.norm")


SIGNATURES = """\
class Net(object):
    def __init__(self, units=None, tiny=1e-6, start=None,
                 stop={'a': (1, 2)}):
        pass

    @staticmethod
    def static(a): return a

    @classmethod
    def made(cls, a): return a


def free(a, /, b: "int | None" = 0x10, *args: float, c, d=[1,
         2], **kwargs): pass
"""


@pytest.mark.parametrize("text", [SIGNATURES, SIGNATURES + "exec 'x'\n"])
def test_signatures_are_as_written_without_the_bound_argument(pinned: Pin, text: str) -> None:
    file = pinned(text)
    assert signature(file, "Net.__init__") == (
        SignatureArgument("units", "None", "positional", None),
        SignatureArgument("tiny", "1e-6", "positional", None),
        SignatureArgument("start", "None", "positional", None),
        SignatureArgument("stop", "{'a': (1, 2)}", "positional", None),
    )
    assert [argument.name for argument in signature(file, "static")] == ["a"]
    assert [argument.name for argument in signature(file, "Net.made")] == ["a"]
    assert signature(file, "free") == (
        SignatureArgument("a", None, "positional-only", None),
        SignatureArgument("b", "0x10", "positional", '"int | None"'),
        SignatureArgument("args", None, "variadic", "float"),
        SignatureArgument("c", None, "keyword-only", None),
        SignatureArgument("d", "[1,\n         2]", "keyword-only", None),
        SignatureArgument("kwargs", None, "keywords", None),
    )


def test_what_has_no_signature_is_refused(pinned: Pin) -> None:
    file = pinned(SIGNATURES)
    with pytest.raises(
        ExcerptError, match=r"Net is a class in pkg/layers\.py; its arguments are those of Net\.__init__"
    ):
        signature(file, "Net")
    with pytest.raises(ExcerptError, match=r"defines no function 'fre'; it defines free, "):
        signature(file, "fre")
    with pytest.raises(ExcerptError, match=r"the arguments of f at line 1 of pkg/layers\.py are not today's Python"):
        signature(pinned("def f(a, (b, c)):\n    print a\n"), "f")


CONFIGURED = """\
def base():
    config = make()
    config.width = 512
    config.add("inner", 2048)
    config.add("rates", [0.1, -2e3], kind=None, *more)
    config.add(name, 2 * size)
    config.dropout = float(0)
    config.heads, other.heads = 8, 9
    config.width += 1
    a.config.width = 3
    config.nothing = None
    config.typed: int = 7
    return config
"""


@pytest.mark.parametrize("text", [CONFIGURED, "print 'x'\n" + CONFIGURED])
def test_assigned_values_are_told_from_computed_ones(pinned: Pin, text: str) -> None:
    file, more = pinned(text), len(text.split("\n")) - len(CONFIGURED.split("\n"))

    def told(name: str) -> list[tuple[int, str, bool, object]]:
        return [
            (value.line - more, value.text, value.literal, value.value)
            for value in assignments(file, 1 + more, 13 + more, name)
        ]

    assert told("config.width") == [(3, "512", True, 512), (9, "1", False, None)]
    assert told("config.dropout") == [(7, "float(0)", False, None)]
    assert told("config.heads") == [(8, "8, 9", False, None)]
    assert told("config.nothing") == [(11, "None", True, None)]
    assert told("config.typed") == [(12, "7", True, 7)]
    assert told("width") == []
    assert assignments(file, 4 + more, 6 + more, "config.width") == []


def test_arguments_of_calls_are_read(pinned: Pin) -> None:
    first, second, third = call_literals(pinned(CONFIGURED), 1, 13, "config.add")
    assert (first.line, [value.value for value in first.arguments], first.keywords) == (4, ["inner", 2048], ())
    assert [value.value for value in second.arguments] == ["rates", [0.1, -2000.0]]
    assert [(name, value.literal, value.value) for name, value in second.keywords] == [("kind", True, None)]
    assert [(value.text, value.literal) for value in third.arguments] == [("name", False), ("2 * size", False)]
    assert [call.line for call in call_literals(pinned(CONFIGURED), 5, 6, "config.add")] == [5, 6]


def test_nothing_of_a_file_is_executed_or_warned_of(pinned: Pin) -> None:
    text = "raise SystemExit('executed')\nPATTERN = '\\d'\n\n\ndef f(a=1/0):\n    return a is 1\n"
    assert [each.name for each in definitions(text)] == ["PATTERN", "f"]
    assert signature(pinned(text), "f") == (SignatureArgument("a", "1/0", "positional", None),)


@pytest.mark.parametrize("text", ["(" * 5000, "x = " + "-" * 100_000 + "1", "'''" * 3 + "\ndef f(): pass", "", "\\"])
def test_hostile_text_is_answered(text: str) -> None:
    assert len(definitions(text)) <= 1


@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        ("def forward(self, x): pass", "Net.forward"),
        ("def forward(self, x): pass\n    def __call__(self, x): pass", "Net.__call__"),
        ("def backward(self, x): pass", "Net.__call__"),
        ("forward = 5", "Net.__call__"),
    ],
)
def test_an_instance_is_called_by_the_method_that_its_class_has(pinned: Pin, methods: str, expected: str) -> None:
    text = f"class Net:\n    {methods}\n\n\nclass Other:\n    def forward(self): pass\n"
    assert call_method(pinned(text), "Net") == expected
