"""Where things are on the site: the address of every page and anchor, below the site's root."""

from __future__ import annotations

from atlas.checks.checked import CheckedClaim
from atlas.entries.atlas import Entry
from atlas.operators.registry import Operator

HOME = ""
OPERATORS = "operators/"
SOURCES = "sources/"
VERIFICATION = "verification/"


def collection_page(collection_id: str) -> str:
    """The page of a model or library."""
    return f"{collection_id}/"


def entry_page(entry: Entry) -> str:
    """The page of a component or layer."""
    return f"{entry.id}/"


def family_page(family: str) -> str:
    """The page of a family of operators."""
    return f"{OPERATORS}{family}/"


def operator_anchor(operator: Operator) -> str:
    """The place of one formulation on its family's page."""
    return f"{family_page(operator.family)}#{anchor(operator.name)}"


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
