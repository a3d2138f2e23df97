"""The wording of YAML's own errors, in the terms of someone who writes an entry rather than of a parser.

libyaml says where it gave up; what is shown is where the reader should look.
"""

from __future__ import annotations

import re

import yaml

from atlas.entries.slips import slip
from atlas.issues import Issue

AMBIGUOUS_WORDS = {"yes": "true", "on": "true", "no": "false", "off": "false"}
"""Words that are truth values in YAML 1.1 and texts in YAML 1.2, with what they were."""

ESCAPE_HINT = "use single quotes, in which a backslash is a backslash"
QUOTE_HINT = "write '' for a quote inside single quotes"
BRACKETS_HINT = 'quote a text that begins so; in { } and [ ] quote every text that holds { } [ ] , or ": "'
COMMA_HINT = 'put a comma between the parts; in { } and [ ] quote a text that holds { } [ ] , or ": "'

_VALUE = re.compile(r"^\s*(?:-\s+)*(?:(?:'[^']*'|\"[^\"]*\"|[^:#'\"]+):\s+)?(.*)$")
_KEY = re.compile(r"\s+[^\s:][^:]*")


def quoted(text: str) -> str:
    """The text in YAML's single quotes."""
    return "'" + text.replace("'", "''") + "'"


def escape_message(escape: str) -> str:
    """The message about an escape in double quotes, such as the one that makes a form feed of `frac`."""
    return f"in double quotes the backslash of `{escape}` begins an escape"


def explain_syntax(error: yaml.MarkedYAMLError, text: str, shown: str) -> Issue:
    """One issue for a syntax error, at the place where the reader should look."""
    mark = _mark(error)
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = text.rstrip().split("\n")
    problem = (error.problem or "the text cannot be read").strip()
    if line > len(lines):
        message = "the file ends here, where brackets or a value are not closed"
        return Issue(shown, len(lines), len(lines[-1]) + 1, "A002", f"{message} ({problem})", BRACKETS_HINT)
    lines = [one.rstrip("\r") for one in lines]
    source = lines[line - 1]
    if "tab" not in problem and (found := slip(lines, line, column, problem, error.context or "")) is not None:
        return Issue(shown, found.line, found.column, found.code, found.message, found.hint)
    code, message, hint = _explanation(problem, error.context or "", source, column)
    if code == "A004" and (escape := re.match(r"\\[A-Za-z]*", source[: column + 40][source.rfind("\\", 0, column) :])):
        return Issue(shown, line, source.rfind("\\", 0, column) + 1, code, escape_message(escape[0]), hint)
    return Issue(shown, line, column, code, message, hint)


def _mark(error: yaml.MarkedYAMLError) -> yaml.Mark | None:
    """Where the reader should look: at what was opened where its end is missing, else at what stands wrong."""
    problem, context = error.problem_mark, error.context_mark
    if problem is None or context is None:
        return problem or context
    about = error.context or ""
    if "tab" in (error.problem or ""):
        return problem
    unclosed = "scanning a quoted scalar" in about or ("parsing a flow" in about and problem.line > context.line)
    return (
        context if unclosed or "simple key" in about or "block scalar" in about or "scanning an a" in about else problem
    )


def _explanation(problem: str, context: str, source: str, column: int) -> tuple[str, str, str]:
    """Code, message and hint."""
    if "nesting depth" in problem:
        return "A011", "values are nested far too deep", "write them less deep"
    if "unknown escape character" in problem or "expected hexdecimal number" in problem:
        return "A004", escape_message("\\"), ESCAPE_HINT
    indentation = source[: len(source) - len(source.lstrip())]
    if "\t" in indentation and ("tab" in problem or "start any token" in problem):
        return "A002", "YAML does not allow tabs for indentation", "use spaces"
    if "quoted scalar" in context:
        hint = 'write " at its end' if source[column - 1 : column] == '"' else QUOTE_HINT
        return "A002", "a quote is opened here and not closed", hint
    if "mapping values are not allowed" in problem and _KEY.fullmatch(source[: column - 1]):
        hint = "indent it like the line above; a text over several lines begins with | or >- and is indented"
        return "A002", "this line is indented deeper than the one above, as if it went on with its text", hint
    return "A002", *_explained_value(problem, source, column)


def _explained_value(problem: str, source: str, column: int) -> tuple[str, str]:
    """Message and hint where the value on the line is what is wrong."""
    if "did not find expected" in problem and (found := _explained_bracket(problem, source, column)) is not None:
        return found
    match = _VALUE.match(source)
    value = match[1] if match else ""
    if value[:1] in ("{", "[", "*", "&", "!", "%", "@", "`", "|", ">"):
        return f"a value that begins with {value[0]} is not read as text ({problem})", BRACKETS_HINT
    if value[:2] in ("- ", "? "):
        return f"a value that begins with `{value[:2]}` is not read as text", "quote the text"
    if "mapping values are not allowed" in problem:
        return "a colon with a space after it stands inside an unquoted text", "quote the text"
    if value[:1] in ("'", '"') and problem.startswith("did not find expected"):
        return "a quote ends where the text goes on", f"quote the whole text; {QUOTE_HINT}"
    if "could not find expected ':'" in problem:
        return "a key without its colon, or a text that goes on with too little indentation", "write `key: value`"
    if "{" in source or "[" in source:
        return f"brackets do not match ({problem})", BRACKETS_HINT
    return problem, "check the indentation of this line and the one above"


def _explained_bracket(problem: str, source: str, column: int) -> tuple[str, str] | None:
    """Message and hint where brackets and quotes do not go together; None where they are not the reason."""
    here, before = source[column - 1 : column], source[max(column - 2, 0) : column - 1]
    if here in ("]", "}") and "expected key" in problem:
        return f"`{here}` closes a bracket that is not open", "delete it, or quote the text"
    if before in ("'", '"'):
        return "a quote ends where the text goes on", f"quote the whole text; {QUOTE_HINT}"
    if here in ("[", "{"):
        return f"`{here}` is opened here and not closed, or a text holds it", BRACKETS_HINT
    wanted = re.fullmatch("did not find expected ',' or '(.)'", problem)
    return (f"a comma or `{wanted[1]}` is missing before this", COMMA_HINT) if wanted else None
