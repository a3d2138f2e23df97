"""Where things are on the site: the address of every page and anchor, below the site's root."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atlas.checks.checked import CheckedClaim
    from atlas.entries.atlas import Entry
    from atlas.operators.registry import Operator

HOME = ""
OPERATORS = "operators/"
SOURCES = "sources/"
GLOSSARY = "glossary/"
VERIFICATION = "verification/"
COMPARE = "compare/"
INDEX = "a-z/"
DATA = "data/"
API = "api/v1/"
SCHEMAS = f"{API}schema/"
EVERYTHING = f"{API}all.jsonl"
BIBTEX = f"{API}atlas.bib"
CONTRIBUTE = "contribute/"
ENTRIES = f"{CONTRIBUTE}entries/"
ISSUE_CODES = f"{CONTRIBUTE}issue-codes/"


def collection_page(collection_id: str) -> str:
    """The page of a model or library."""
    return f"{collection_id}/"


def stack_anchor(page: str, path: str) -> str:
    """The place of a stack on its model's page."""
    return f"{page}#stack-{path.replace('/', '-')}"


def entry_page(entry: Entry) -> str:
    """The page of a component or layer."""
    return component_page(entry.id)


def component_page(entry_id: str) -> str:
    """The page of the component or layer with an id."""
    return f"{entry_id}/"


def family_page(family: str) -> str:
    """The page of a family of operators."""
    return f"{OPERATORS}{family}/"


def operator_anchor(operator: Operator) -> str:
    """The place of one formulation on its family's page."""
    return formulation(operator.family, operator.name)


def formulation(family: str, operator: str) -> str:
    """The same, of an operator that is known by its name and its family's."""
    return f"{family_page(family)}#{anchor(operator)}"


def standalone_file(operator: Operator) -> str:
    """An operator's source with all that it needs, as a file."""
    return f"{family_page(operator.family)}{operator.name}.py"


def data_file(kind: str, name: str) -> str:
    """The data file of one entity: `kind` is `models`, `components` and so on."""
    return f"{API}{kind}/{name}.json"


def list_file(kind: str) -> str:
    """The data file that lists all entities of a kind, or one that is about the whole atlas."""
    return f"{API}{kind}.json"


def graph_file(collection_id: str) -> str:
    """The data file of a model's graph."""
    return data_file("graphs", collection_id)


def schema_file(kind: str) -> str:
    """The JSON Schema of one kind of data file."""
    return f"{SCHEMAS}{kind}.json"


def entry_schema_file(kind: str) -> str:
    """The JSON Schema of one kind of YAML file."""
    return f"{SCHEMAS}entries/{kind}.json"


def markdown_file(page: str) -> str:
    """The Markdown version of a page."""
    return f"{page}index.md"


def bibtex_file(page: str) -> str:
    """How to cite a page."""
    return f"{page}cite.bib"


def source_page(source_id: str) -> str:
    """The page of a pinned project."""
    return f"{SOURCES}{source_id}/"


def file_page(source_id: str, path: str) -> str:
    """The page of a pinned file."""
    return f"{SOURCES}{source_id}/{path}/"


def line_anchor(source_id: str, path: str, line: int) -> str:
    """One line of a pinned file."""
    return f"{file_page(source_id, path)}#L{line}"


def claim_anchor(claim: CheckedClaim) -> str:
    """The first line of a claim's passage, in the pinned file."""
    return line_anchor(claim.claim.source, claim.claim.path, claim.claim.span[0])


def anchor(name: str) -> str:
    """A name as the id of an element."""
    return name.replace("_", "-").lower()
