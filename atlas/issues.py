"""What a check reports: one finding at one place in one file, and how a list of findings prints.

Every check collects issues instead of stopping at the first; the command line sorts and prints them once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Literal

Format = Literal["text", "json", "github"]
BLANK = "A016"
"""The code of a blank that is not filled in."""

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "A001": "a file or folder that cannot be read",
        "A002": "text that is not YAML",
        "A003": "a key that stands twice",
        "A004": "a backslash that begins an escape",
        "A005": "a word that is a truth value to some and a text to others",
        "A006": "a number with leading zeros",
        "A007": "an alias or a merge key where a text or fields were meant",
        "A008": "a name that must be quoted",
        "A009": "a key that is not a text",
        "A010": "a tag, which says nothing here",
        "A011": "more or deeper values than are read",
        "A012": "an invisible character",
        "A013": "a file that is not one mapping",
        "A014": "a number that is too long",
        "A015": "a text that a comment cuts off",
        "A016": "a blank that is not filled in",
        "A101": "an unknown key",
        "A102": "a missing key",
        "A103": "a value of another type",
        "A104": "a value that its key does not admit",
        "A110": "an entry that inherits from none",
        "A111": "entries that inherit in a circle",
        "A112": "a listed entry without a file",
        "A113": "an entry that no list names",
        "A114": "a file where none belongs",
        "A115": "a folder that is not one collection",
        "A116": "a source without a manifest",
        "A117": "a file that the manifest does not pin",
        "A118": "two source claims with one id",
        "A119": "a source claim or size that is not there",
        "A120": "a size without a value",
        "A121": "a size without a meaning",
        "A122": "a dimension that nothing has",
        "A123": "a layer without its API documentation",
        "A124": "an entry that is listed twice",
        "A125": "a licence without its text",
        "A130": "a declared symbol that is not in the formula",
        "A131": "a symbol of the formula that is not declared",
        "A132": "a value that enters or leaves as an unknown symbol",
        "A133": "a name that the operator does not have",
        "A134": "an argument or result without a symbol",
        "A135": "an argument with two symbols",
        "A136": "an unknown operator",
        "A137": "an unknown or missing option",
        "A138": "an option with a value that does not fit",
        "A139": "a convention that is not the operator's",
        "A201": "a character or command outside the formula language",
        "A202": "brackets, braces or environments that do not match",
        "A203": "a script that LaTeX shows otherwise",
        "A204": "a product written as `*`",
        "A205": "a transpose written as `^T`",
        "A206": "a division whose divisor is unclear",
        "A207": "an argument without parentheses that is unclear",
        "A208": "subscripts without a comma",
        "A209": "a symbol that is not known",
        "A210": "a run of letters that is not declared",
        "A211": "a function with an exponent before its argument",
        "A212": "a name with a number as superscript",
        "A213": "one name for two things",
        "A214": "a product over axes that differ",
        "A215": "a function without parentheses",
        "A216": "a missing operand or an unexpected sign",
        "A217": "a number after a factor",
        "A218": "a power of a square matrix",
        "A219": "two vectors side by side",
        "A220": "a dot or cross without a scalar",
        "A221": "axes that do not fit elementwise",
        "A222": "axes that cannot be told apart",
        "A223": "a transpose that has no meaning",
        "A224": "subscripts that do not fit the axes",
        "A225": "an index that ranges over another axis",
        "A226": "an index without a range",
        "A227": "a read out of range",
        "A228": "a subscript that is not a whole number",
        "A229": "a function with the wrong number of arguments or subscripts",
        "A230": "a function applied to other axes than declared",
        "A231": "a function that needs an axis",
        "A232": "a set or condition where a number is needed, or the reverse",
        "A233": "a left side that cannot be read",
        "A234": "a symbol that is defined twice",
        "A235": "pieces that overlap or leave gaps",
        "A236": "axes other than declared",
        "A237": "a definition in a circle",
        "A238": "a recurrence that does not look back",
        "A239": "a recurrence without a start value",
        "A240": "two sides of one equation that differ",
        "A241": "a range whose bounds are not whole numbers",
        "A242": "dots between terms of two kinds",
        "A243": "an intermediate whose axes must be declared",
        "A244": "a declaration that cannot be read",
        "A245": "sizes that cannot be chosen",
        "A246": "a formula that defines no declared symbol",
        "A247": "a declared symbol that is not used",
        "A248": "braces that are not shown but would count",
        "A249": "an input that is missing or does not fit",
        "A250": "a formula that is too long or too deep",
        "A251": "an intermediate that is too large",
        "A252": "more steps than are taken",
        "A260": "a value that differs from the reference",
        "A261": "a shape that differs from the reference",
        "A262": "a reference that fails or gives no numbers",
        "A263": "a symbol that the operator and the formula do not share",
        "A301": "axes that do not fit the operator",
        "A302": "axes that do not fit the operator's arrays",
        "A303": "axes without sizes to try",
        "A401": "a parameter that is not counted, or not one",
        "A402": "a count that is wrong or no whole number",
        "A403": "a parameter of which a token uses another part",
        "A501": "a pinned file that is not what was pinned",
        "A502": "a pin that was not proved, or edited since",
        "A503": "a pinned file that is not at hand",
        "A504": "lines that the pinned file does not have",
        "A505": "a passage without what the claim says it holds",
        "A506": "API documentation that is not the source's",
        "A507": "a size that is not the source's",
        "A601": "a value that nothing produces",
        "A602": "a value that is produced twice",
        "A603": "a value that is read before it is produced",
        "A604": "axes that do not agree along an edge",
        "A605": "a value that nothing reads",
        "A606": "a variant that cannot be built",
        "A607": "an argument or result without a value",
        "A608": "an upstream model that is not described as the graph is",
        "A609": "a component that is not in the model",
        "A610": "a tied parameter that does not fit",
        "A611": "a published figure that cannot be compared",
        "A620": "a configuration of another model",
        "A621": "a key of a configuration with a value that does not fit",
        "A622": "keys of a configuration that contradict each other",
        "A623": "a size that a configuration leaves out",
        "A701": "a recorded proof that is stale",
        "A702": "a proof that was not recorded",
        "A703": "a record of proofs that cannot be read",
        "A704": "a passage that could not be executed",
        "A705": "a passage and an operator that differ",
        "A706": "a tensor that is not upstream's",
        "A707": "a value that is not upstream's",
        "A708": "a count that is not upstream's",
        "A709": "an upstream model that cannot be built as described, or not be run",
        "A710": "a size or setting that upstream chooses otherwise",
        "A801": "a formula that cannot be displayed",
        "A901": "a file at an address of the atlas",
        "A902": "two pages with one address",
        "A903": "a link out of the site",
        "A904": "a link to nothing",
        "A905": "a link to a part that is not there",
        "A906": "a formula in prose that cannot be displayed",
        "A907": "a redirect to nothing",
        "A908": "a redirect from an address that is taken",
        "A909": "redirects in a circle",
        "A910": "a redirect from what is no address",
        "A911": "a file of another site that pages do not load",
        "A912": "markup in prose that is not understood",
    }
)
"""Every code with what it is about. A001 to A016 concern YAML, A1xx the schema and references, A2xx formulas, A3xx
shapes, A4xx parameters, A5xx pinned sources, A6xx models' graphs and configurations, A7xx proofs by execution, A8xx
display, A9xx pages, prose and links."""

WARNINGS = frozenset(("A701", "A702", "A703", "A911", "A912"))
"""Codes of proofs that are stale, missing or unreadable, which pages say, of what browsers leave out of pages, and of
what they show as it is written."""


@dataclass(frozen=True, slots=True, order=True)
class Issue:
    """One finding; the order of the fields is the order in which issues are sorted and printed."""

    path: str
    """The file, relative to the project where possible, with forward slashes."""
    line: int
    """1-based line; 0 where the finding concerns the whole file."""
    column: int
    """1-based column; 0 where the finding concerns the whole line or file."""
    code: str
    """A letter and three digits, stable over releases (`A101`)."""
    message: str
    """What was expected and what was found, in one sentence without a final full stop."""
    hint: str = ""
    """The nearest fix, or an empty string."""
    excerpt: str = ""
    """The source line and a line of carets below it, or an empty string."""

    def __post_init__(self) -> None:
        if self.code not in TITLES:
            raise ValueError(f"the issue code {self.code} has no title; add it to TITLES in atlas/issues.py")

    @property
    def severity(self) -> Literal["error", "warning"]:
        """`warning` where pages can be built and say themselves what is the matter."""
        return "warning" if self.code in WARNINGS else "error"


def ordered(issues: Iterable[Issue]) -> list[Issue]:
    """Issues sorted by file and position, each distinct one once."""
    return sorted(set(issues))


def show(issues: Iterable[Issue], style: Format = "text") -> str:
    """All issues as one text, in a deterministic order; an empty string (or an empty JSON list) for none."""
    found = ordered(issues)
    if style == "json":
        return json_text([{**asdict(issue), "severity": issue.severity} for issue in found])
    return "\n".join(map(_github_line, found) if style == "github" else issue_texts(found))


def issue_texts(issues: Iterable[Issue]) -> list[str]:
    """Issues for people, in order; the blanks of a file, which a new entry has many of, are listed in one text."""
    found = ordered(issues)
    blanks: dict[str, list[Issue]] = {}
    for issue in found:
        if issue.code == BLANK:
            blanks.setdefault(issue.path, []).append(issue)
    told: list[str] = []
    for issue in found:
        of_file = blanks.get(issue.path, [])
        if issue.code != BLANK or len(of_file) == 1:
            told.append(_text_line(issue))
        elif issue is of_file[0]:
            told.append(_blanks_text(of_file))
    return told


def _blanks_text(blanks: Sequence[Issue]) -> str:
    first = blanks[0]
    head = f"{visible(first.path)}:{first.line}:{first.column}: {BLANK} {len(blanks)} blanks are not filled in"
    places = [f"{one.line}:{one.column}" for one in blanks]
    width = max(map(len, places))
    wanted = [visible(one.message.partition(": ")[2]) for one in blanks]
    lines = [f"    {at.ljust(width)}  {what}".rstrip() for at, what in zip(places, wanted, strict=True)]
    return "\n".join([head, *lines, *([f"  {visible(first.hint)}"] if first.hint else [])])


def _text_line(issue: Issue) -> str:
    place = ":".join([visible(issue.path), *(str(number) for number in (issue.line, issue.column) if number)])
    lines = [f"{place}: {issue.code} {visible(issue.message)}"]
    if issue.excerpt:
        lines += [f"    {visible(line)}" for line in issue.excerpt.split("\n")]
    if issue.hint:
        lines.append(f"  {visible(issue.hint)}")
    return "\n".join(lines)


def json_text(data: object) -> str:
    """JSON that a terminal shows as it is: characters that are not printed are escaped, all others are readable."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)


def _github_line(issue: Issue) -> str:
    """A workflow command; the escapes are those that GitHub Actions defines for its commands."""
    fields = {"file": issue.path, "line": issue.line, "col": issue.column, "title": issue.code}
    shown = ",".join(f"{name}={_escape_property(str(value))}" for name, value in fields.items() if value)
    text = issue.message + (f" ({issue.hint})" if issue.hint else "")
    return f"::{issue.severity} {shown}::{_escape_data(text)}"


def _escape_data(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")


def visible(text: str) -> str:
    """The text with control and direction-changing characters spelled out, so that a terminal shows what is there."""
    return "".join(char if char.isprintable() or char == "\t" else _spelled(char) for char in text)


def _spelled(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
