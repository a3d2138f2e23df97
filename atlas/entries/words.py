"""The wording of YAML's own errors, in the terms of someone who writes an entry rather than of a parser."""

from __future__ import annotations

import re

import yaml

from atlas.issues import Issue

AMBIGUOUS_WORDS = {"yes": "true", "on": "true", "no": "false", "off": "false"}
"""Words that are truth values in YAML 1.1 and texts in YAML 1.2, with what they were."""

_VALUE = re.compile(r"^\s*(?:-\s+)*(?:(?:'[^']*'|\"[^\"]*\"|[^:#'\"]+):\s+)?(.*)$")


def quoted(text: str) -> str:
    """The text in YAML's single quotes."""
    return "'" + text.replace("'", "''") + "'"


def explain_syntax(error: yaml.MarkedYAMLError, text: str, shown: str) -> Issue:
    """One issue for a syntax error, at the place where the reader should look."""
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = text.split("\n")
    source = lines[line - 1] if line <= len(lines) else ""
    problem = (error.problem or "the text cannot be read").strip()
    message, hint = _explanation(problem, error.context or "", source, column)
    return Issue(shown, line, column, "A002", message, hint)


def _explanation(problem: str, context: str, source: str, column: int) -> tuple[str, str]:
    if "\t" in source[:column]:
        return "YAML does not allow tabs for indentation", "use spaces"
    if "unknown escape character" in problem or "did not find expected hexdecimal number" in problem:
        return ("in double quotes a backslash begins an escape",
                "use single quotes, in which a backslash is a backslash")  # fmt: skip
    if "quoted scalar" in context:
        return "a quote is opened here and not closed where it should be", "write '' for a quote inside single quotes"
    match = _VALUE.match(source)
    value = match[1] if match else ""
    if value[:1] in ("{", "[", "*", "&", "!", "%", "@", "`", "|", ">"):
        return (f"a value that begins with {value[0]} is not read as text ({problem})",
                "quote a text that begins so; in { } and [ ] quote every text that holds { } [ ] or ,")  # fmt: skip
    if "mapping values are not allowed" in problem:
        return "a colon with a space after it stands inside an unquoted text", "quote the text"
    if "'" in value and problem.startswith("did not find expected"):
        return "a quote ends where the text goes on", "write '' for a quote inside single quotes"
    if "{" in source or "[" in source:
        return (f"brackets do not match ({problem})",
                "in { } and [ ] quote every text that holds { } [ ] or ,")  # fmt: skip
    if "could not find expected ':'" in problem:
        return "a key without its colon, or a text that goes on with too little indentation", "write `key: value`"
    return problem, "check the indentation of this line and the one above"
