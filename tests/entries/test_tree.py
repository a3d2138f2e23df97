"""Every trap of YAML, with the place and the code of the issue that it gives."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from atlas.entries.tree import MAX_BYTES, MAX_HIDDEN, MAX_NESTING, Document, Mark, Value, parse, read
from atlas.issues import Issue

PATH = "content/a.yml"


def read_text(text: str) -> tuple[Document | None, list[Issue]]:
    return parse(text, PATH)


def sound(text: str) -> Document:
    document, issues = read_text(text)
    assert issues == []
    assert document is not None
    return document


def only(text: str) -> Issue:
    _, issues = read_text(text)
    assert len(issues) == 1, issues
    assert issues[0].path == PATH
    return issues[0]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e-6", 1e-6),
        ("1e-5", 1e-5),
        ("1E+3", 1000.0),
        ("-1.5", -1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("512", 512),
        ("+7", 7),
        ("-3", -3),
        ("0", 0),
        ("0x1F", 31),
        ("0o17", 15),
        (".inf", float("inf")),
        ("-.INF", float("-inf")),
        ("true", True),
        ("False", False),
        ("", None),
        ("~", None),
        ("null", None),
        ("None", "None"),
        ("1_000", "1_000"),
        ("2017-06-12", "2017-06-12"),
        ("12:30", "12:30"),
        ("0b1", "0b1"),
        ("1.24.0", "1.24.0"),
        ("1e", "1e"),
        ("n", "n"),
        ("y", "y"),
        ("N", "N"),
        (r"\gamma_2", r"\gamma_2"),
        ("'1e-6'", "1e-6"),
        ('"512"', "512"),
        ("'yes'", "yes"),
        ('"no"', "no"),
        ("'0123'", "0123"),
        (r"'\frac{1}{d}'", r"\frac{1}{d}"),
        (r'"a \\frac \" \/ \x41 \u00e9 \U0001F600"', 'a \\frac " / A é 😀'),
        ("'it''s'", "it's"),
        ("|\n  one\n  two\n", "one\ntwo\n"),
        (">-\n  one\n  two\n", "one two"),
        ("one\n  two", "one two"),
        ("[a, 1, [true]]", ("a", 1, (True,))),
        ("{b: 1, 'c': {}}", {"b": 1, "c": {}}),
        ("[]", ()),
    ],
)
def test_values_have_the_meaning_of_yaml_1_2(written: str, value: Value) -> None:
    found = sound(f"a: {written}\n").value["a"]
    assert found == value
    assert type(found) is type(value)


def test_a_value_that_is_not_a_number_is_read_as_such() -> None:
    found = sound("a: .nan\n").value["a"]
    assert isinstance(found, float)
    assert found != found


def test_every_value_and_key_has_its_place() -> None:
    document = sound("title: A\nsymbols:\n  'x': {axes: [B, d], binds: x}\nlist:\n  - one\n  - two: 2\n")
    places = {path: (mark.line, mark.column, mark.style) for path, mark in document.marks.items()}
    assert places == {
        (): (1, 1, ""),
        ("title",): (1, 8, ""),
        ("symbols",): (3, 3, ""),
        ("symbols", "x"): (3, 8, ""),
        ("symbols", "x", "axes"): (3, 15, ""),
        ("symbols", "x", "axes", 0): (3, 16, ""),
        ("symbols", "x", "axes", 1): (3, 19, ""),
        ("symbols", "x", "binds"): (3, 30, ""),
        ("list",): (5, 3, ""),
        ("list", 0): (5, 5, ""),
        ("list", 1): (6, 5, ""),
        ("list", 1, "two"): (6, 10, ""),
    }
    assert document.key_marks["symbols", "x"] == Mark(PATH, 3, 3, "'")
    assert document.texts == {PATH: document.texts[PATH]}
    assert document.doubtful == frozenset()


def test_places_count_characters_and_line_feeds_in_any_line_ending() -> None:
    text = "a: 'ε😀é'\nb: {'😀': x, c: y}\nd: |\n  é\n  😀\ne: z\n"
    for ending in ("\n", "\r\n"):
        document = sound(text.replace("\n", ending))
        assert document.marks["b", "c"].line == 2
        assert document.marks["b", "c"].column == 16
        assert (document.marks["e",].line, document.marks["e",].column) == (6, 4)
        assert document.value["d"] == "é\n😀\n"


def test_a_value_stands_after_its_anchor() -> None:
    document = sound("a: &x 'foo'\nb: &y\n  - 1\nc: &z\n  text\nd: *x\ne: *y\nf: *z\n")
    assert document.marks["a",] == Mark(PATH, 1, 7, "'")
    assert document.marks["c",] == Mark(PATH, 5, 3, "")
    assert document.value["d"] == "foo"
    assert document.marks["d",] == document.marks["a",]
    assert document.value["e"] == (1,)
    assert document.marks["e",] == Mark(PATH, 7, 4, "")
    assert document.marks["e", 0] == Mark(PATH, 3, 5, "")


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "message", "hint"),
    [
        # A002: what is not YAML
        ("a: 'foo\nb: 1\n", "A002", 1, 4, "a quote is opened here and not closed", "''"),
        ('a: 1\nb: "foo\n', "A002", 2, 4, "a quote is opened here and not closed", 'write " at its end'),
        ("a: 'it's here'\n", "A002", 1, 8, "a quote ends where the text goes on", "quote the whole text"),
        ("a: 'foo' bar\n", "A002", 1, 10, "a quote ends where the text goes on", "quote the whole text"),
        ("a: Post-norm: the sum\n", "A002", 1, 13, "a colon with a space", "quote the text"),
        ("a: 1\n  b: 2\n", "A002", 2, 4, "indented deeper than the one above", "indent it like the line above"),
        ("a:\n    b: 1\n  c: 2\n", "A002", 3, 3, "this line is indented by 2 spaces", "line 2 is indented by 4"),
        ("a: 1\nfoo\nb: 2\n", "A002", 2, 1, "a key without its colon", "write `foo: ...`"),
        ("a: |\n\\begin{aligned}\nx\n", "A002", 2, 1, "less than the text of `a`", "by 2 spaces or more"),
        ("a: {x: 1, y: 2\nb: 3\n", "A002", 1, 4, "`{` is opened here", "in { } and [ ] quote"),
        ("a: [x, y\nb: 3\n", "A002", 1, 4, "`[` is opened here", "in { } and [ ] quote"),
        ("a: {x} is\n", "A002", 1, 8, "begins with {", "quote a text that begins so"),
        ("a: [x] is\n", "A002", 1, 8, "begins with [", "quote a text that begins so"),
        ("out: {x_{n+1}: y}\n", "A002", 1, 9, "`{` is opened here", "quote every text that holds { }"),
        ("a: {t: Ba: Layer}\n", "A002", 1, 10, "a comma or `}` is missing", '": "'),
        ("a: * x\n", "A002", 1, 4, "begins with *", "quote a text that begins so"),
        ("a: *x y\n", "A002", 1, 7, "begins with *", "quote a text that begins so"),
        ("a: @x\n", "A002", 1, 4, "begins with @", "quote a text that begins so"),
        ("a: `x` is\n", "A002", 1, 4, "begins with `", "quote a text that begins so"),
        ("a: %x\n", "A002", 1, 4, "begins with %", "quote a text that begins so"),
        ("a: |x\n", "A002", 1, 4, "begins with |", "quote a text that begins so"),
        ("a: > 5 things\n", "A002", 1, 4, "begins with >", "quote a text that begins so"),
        ("a: & x\n", "A002", 1, 4, "begins with &", "quote a text that begins so"),
        ("a: !foo!bar x\n", "A002", 1, 4, "begins with !", "quote a text that begins so"),
        ("- @x\n", "A002", 1, 3, "begins with @", "quote a text that begins so"),
        # tabs
        ("a:\n\tb: 1\n", "A002", 2, 1, "tabs", "use spaces"),
        ("a: x\n\tb: 1\n", "A002", 2, 1, "tabs", "use spaces"),
        ("a:\n  b: 1\n\tc: 2\n", "A002", 3, 1, "tabs", "use spaces"),
        # A003
        ("a: 1\nb: 2\na: 3\n", "A003", 3, 1, "the key `a` stands twice; it is first on line 1", "delete one of them"),
        ("a: {b: 1,\n  b: 2}\n", "A003", 2, 3, "the key `b` stands twice; it is first on line 1", "delete one of them"),
        ("'a': 1\r\na: 3\r\n", "A003", 2, 1, "the key `a` stands twice; it is first on line 1", "delete one of them"),
        # A004
        ('a: "\\frac{1}{d}"\n', "A004", 1, 5, "the backslash of `\\frac` begins an escape", "use single quotes"),
        ('a: "x \\beta"\n', "A004", 1, 7, "the backslash of `\\beta` begins an escape", "use single quotes"),
        ('a: "\\\\alpha \\nu"\n', "A004", 1, 13, "the backslash of `\\nu` begins an escape", "use single quotes"),
        ('a: "\\gamma"\n', "A004", 1, 5, "the backslash of `\\gamma` begins an escape", "use single quotes"),
        ('a: "\\xi"\n', "A004", 1, 5, "the backslash of `\\xi` begins an escape", "use single quotes"),
        ('a: "\\upsilon"\n', "A004", 1, 5, "the backslash of `\\upsilon` begins an escape", "use single quotes"),
        ('"\\theta": 1\n', "A004", 1, 2, "the backslash of `\\theta` begins an escape", "use single quotes"),
        ('a: "😀é\n  x \\tau"\n', "A004", 2, 5, "the backslash of `\\tau` begins an escape", "use single quotes"),
        ('a: 1\r\nb: "x \\\r\n  \\frac"\r\n', "A004", 3, 3, "the backslash of `\\frac`", "use single quotes"),
        ('a: &b "x \\rho"\n', "A004", 1, 10, "the backslash of `\\rho`", "use single quotes"),
        # A005
        ("a: yes\n", "A005", 1, 4, "`yes` is text in YAML 1.2 and true in YAML 1.1", "'yes'"),
        ("a: [No]\n", "A005", 1, 5, "`No` is text in YAML 1.2 and false in YAML 1.1", "'No'"),
        ("a: OFF\n", "A005", 1, 4, "`OFF` is text in YAML 1.2 and false in YAML 1.1", "write false"),
        ("on: 1\n", "A005", 1, 1, "`on` is text in YAML 1.2 and true in YAML 1.1", "'on'"),
        # A006
        ("a: 0123456\n", "A006", 1, 4, "a number with leading zeros", "quote it"),
        ("a: 00\n", "A006", 1, 4, "a number with leading zeros", "quote it"),
        ("012: a\n", "A006", 1, 1, "a number with leading zeros", "quote it"),
        # A007
        ("a: *foo\n", "A007", 1, 4, "nothing above is named &foo", "'*foo'"),
        ("a: &x [1, *x]\n", "A007", 1, 11, "`*x` stands inside the value that it names", "write it out"),
        ("a: &x {b: {c: *x}}\n", "A007", 1, 15, "`*x` stands inside the value that it names", "write it out"),
        ("a: &a {b: 1}\nc:\n  <<: *a\n", "A007", 3, 3, "merge keys", "inherits"),
        ("<<: {b: 1}\n", "A007", 1, 1, "merge keys", "inherits"),
        # A008
        ("x_{n+1}: y\n", "A008", 1, 1, "quote this name: 'x_{n+1}'", "braces and backslashes"),
        ("s:\n  \\gamma: y\n", "A008", 2, 3, "quote this name: '\\gamma'", "braces and backslashes"),
        ("s: {\\beta: y}\n", "A008", 1, 5, "quote this name: '\\beta'", "braces and backslashes"),
        # A009
        ("1: a\n", "A009", 1, 1, "the key `1` is read as a number", "'1'"),
        ("1e5: a\n", "A009", 1, 1, "the key `1e5` is read as a number", "'1e5'"),
        ("true: a\n", "A009", 1, 1, "the key `true` is read as a truth value", "'true'"),
        ("~: a\n", "A009", 1, 1, "the key `~` is read as a null", "'~'"),
        ("? [a, b]\n: c\n", "A009", 1, 3, "a key must be a text", "quote a key"),
        ("{{a: b}: c}\n", "A009", 1, 2, "a key must be a text", "quote a key"),
        ("? \n: b\n", "A009", 1, 2, "a key is missing before the colon", ""),
        ("a: {x}\n", "A009", 1, 5, "in { } the key `x` has no value", "begins with {"),
        ("a: {t: one, two and three, four}\n", "A009", 1, 13, "the key `two and three` has no value", "a comma"),
        # A010
        ("a: !!str 5\n", "A010", 1, 4, "the tag `!!str` has no meaning here", "remove it"),
        ("a: !!python/object:os.system [x]\n", "A010", 1, 4, "`!!python/object:os.system`", "remove it"),
        ("a: !x {b: 1}\n", "A010", 1, 4, "the tag `!x`", "remove it"),
        ("!!str a: 1\n", "A010", 1, 1, "the tag `!!str`", "remove it"),
        # A011
        (
            "a: " + "[" * 50 + "]" * 50,
            "A011",
            1,
            3 + MAX_NESTING + 1,
            "nested more than 40 deep",
            "write them less deep",
        ),
        ("a: " + "[" * 100_000, "A011", 1, 1003, "nested far too deep", "write them less deep"),
        ("- " * 100_000, "A011", 1, 1999, "nested far too deep", "write them less deep"),
        # A012
        ("a: 1\nb: x\x00y\n", "A012", 2, 5, "U+0000", "delete it"),
        ("a: 1\r\nb: 2\r\nc: x\u202ey\r\n", "A012", 3, 5, "U+202E", "delete it"),
        ("a: x\u2066y\n", "A012", 1, 5, "U+2066", "delete it"),
        ("a: x\u200by\n", "A012", 1, 5, "U+200B", "delete it"),
        ("a: x\U000e0041y\n", "A012", 1, 5, "U+E0041", "delete it"),
        ("a: x\x1by\n", "A012", 1, 5, "U+001B", "delete it"),
        ("a: 1\rb: 2\n", "A012", 1, 5, "U+000D", "delete it"),
        ("a: x\u0085y\n", "A012", 1, 5, "U+0085", "delete it"),
        ("a: x\u2028y\n", "A012", 1, 5, "U+2028", "delete it"),
        ("a: x\ufeffy\n", "A012", 1, 5, "U+FEFF", "delete it"),
        ("\ufeffa: x\n", "A012", 1, 1, "the file begins with a byte order mark", "UTF-8 without one"),
        ('a: "x\\u202ey"\n', "A012", 1, 4, "U+202E", "leave it out"),
        ('a: "\\x00"\n', "A012", 1, 4, "U+0000", "leave it out"),
        ('a: "\\U000E0041"\n', "A012", 1, 4, "U+E0041", "leave it out"),
        # A013
        ("a: 1\n---\nb: 2\n", "A013", 2, 1, "a second document begins here", "into a file of its own, or remove"),
        ("a: 1\n...\n---\n", "A013", 3, 1, "a second document begins here", "or remove the line"),
        ("- a\n- b\n", "A013", 1, 1, "must hold one mapping", "lines without dashes, such as `title: …`"),
        ("text\n", "A013", 1, 1, "must hold one mapping", "write `key: value` lines, such as `title: …`"),
        ("", "A013", 1, 1, "must hold one mapping", "it holds none; `atlas new` writes files"),
        ("# only a comment\n", "A013", 1, 1, "must hold one mapping", "it holds none; `atlas new` writes"),
        # A014
        ("a: " + "1" * 5000, "A014", 1, 4, "a number of 5,000 characters; at most 100", "quote it"),
        ("a: 0x" + "f" * 5000, "A014", 1, 4, "a number of 5,002 characters", "quote it"),
        ("a: 0." + "3" * 5000, "A014", 1, 4, "a number of 5,002 characters", "quote it"),
    ],
)
def test_traps(text: str, code: str, line: int, column: int, message: str, hint: str) -> None:
    issue = only(text)
    assert (issue.code, issue.line, issue.column) == (code, line, column), issue
    assert message in issue.message
    assert hint in issue.hint
    assert bool(hint) == bool(issue.hint)


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        ("a: yes\nb: 1\n", {("a",)}),
        ("a: {b: [0123]}\n", {("a", "b", 0)}),
        ('a: "\\frac"\n', {("a",)}),
        ("a: *foo\n", {("a",)}),
        ("a: &x [1, *x]\n", {("a", 1)}),
        ("a: &b {c: 1}\nd:\n  <<: *b\n", {("d",)}),
        ("a: !!str 5\n", {("a",)}),
        ("a: {t: one, two}\n", {("a",)}),
        ("1: a\n", {("1",)}),
        ("a: 1\na: 2\n", set()),
        ("x_{n}: y\n", set()),
    ],
)
def test_values_that_are_not_what_was_meant_are_marked(text: str, doubtful: set[tuple[str | int, ...]]) -> None:
    document, issues = read_text(text)
    assert len(issues) == 1
    assert document is not None
    assert document.doubtful == doubtful


def test_the_first_of_two_values_counts_and_the_second_is_read_too() -> None:
    document, issues = read_text("a: 1\na: yes\nb: 2\n")
    assert document is not None
    assert document.value == {"a": 1, "b": 2}
    assert [issue.code for issue in issues] == ["A003", "A005"]


def test_a_merge_key_brings_nothing() -> None:
    document, _ = read_text("a: &a {b: 1}\nc:\n  <<: *a\n  d: 2\n")
    assert document is not None
    assert document.value["c"] == {"d": 2}


def test_every_trap_of_a_file_is_reported() -> None:
    _, issues = read_text("a: yes\nb: 012\nc: *d\nx_{n}: !y 1\n")
    assert [(issue.line, issue.code) for issue in issues] == [
        (1, "A005"), (2, "A006"), (3, "A007"), (4, "A008"), (4, "A010"),
    ]  # fmt: skip


def test_aliases_that_explode_are_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    started = time.process_time()
    issue = only("\n".join(lines) + "\n")
    assert time.process_time() - started < 5
    assert (issue.code, issue.line) == ("A011", 5)
    assert "50,000 values, aliases included" in issue.message


@pytest.mark.parametrize(
    "text",
    [
        "a: [" + "x," * 480_000 + "]",
        "a: {" + "".join(f"k{n}: v," for n in range(80_000)) + "}",
        "".join(f"k{n}:\n" for n in range(120_000)),
        "\x00" * 900_000,
        'a: ["' + '\\f", "' * 120_000 + '"]',
        "".join(f"a{n}: &b{n} *c\n" for n in range(50_000)),
    ],
    ids=["items", "keys in braces", "keys", "invisible characters", "escapes", "anchors"],
)
def test_files_as_large_as_are_read_are_refused_in_seconds(text: str) -> None:
    assert len(text) <= MAX_BYTES
    started = time.process_time()
    document, issues = read_text(text)
    assert time.process_time() - started < 5
    assert document is None
    assert issues
    assert len(issues) <= MAX_HIDDEN or issues[-1].code == "A011"


def test_a_file_is_read_with_the_path_that_issues_name(tmp_path: Path) -> None:
    file = tmp_path / "a.yml"
    file.write_bytes("title: é\r\n".encode())
    document, issues = read(file, "shown.yml")
    assert issues == []
    assert document is not None
    assert document.value == {"title": "é"}
    assert document.marks["title",] == Mark("shown.yml", 1, 8)


def test_a_file_of_100_megabytes_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.yml"
    with file.open("wb") as sparse:
        sparse.truncate(100_000_000)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("the file is read"))
    document, issues = read(file, "a.yml")
    assert document is None
    message = "the file has 100,000,000 bytes; at most 1,000,000 are read"
    assert issues == [Issue("a.yml", 0, 0, "A001", message, "split it into several entries")]


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [(b"title: \xfc", 1, 8), ("é: 1\r\nb: ε".encode() + b"\xff", 2, 5), ("a: b".encode("utf-16"), 1, 1)],
)
def test_a_file_that_is_not_utf_8(tmp_path: Path, content: bytes, line: int, column: int) -> None:
    file = tmp_path / "a.yml"
    file.write_bytes(content)
    document, issues = read(file, "a.yml")
    assert document is None
    assert [(issue.code, issue.line, issue.column, issue.hint) for issue in issues] == [
        ("A001", line, column, "save it as UTF-8")
    ]


def test_what_cannot_be_read_is_an_issue(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.yml", tmp_path):
        document, issues = read(path, "a.yml")
        assert document is None
        assert [issue.code for issue in issues] == ["A001"]
        assert issues[0].message.startswith("the file cannot be read: ")


def test_marks_are_made_of_what_is_asked_for_and_of_nothing_else() -> None:
    document = sound("a: 1\nb: [x, 'y']\n")
    assert list(document.marks) == [(), ("a",), ("b",), ("b", 0), ("b", 1)]
    assert document.marks["b", 1] == Mark(PATH, 2, 8, "'")
    assert list(document.key_marks.items()) == [(("a",), Mark(PATH, 1, 1)), (("b",), Mark(PATH, 2, 1))]
    assert ("b", 2) not in document.marks
    assert document.marks.get(("b", 2)) is None
