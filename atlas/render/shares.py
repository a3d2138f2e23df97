"""What the pages and data files of the whole atlas are made of: every collection's shares, and nothing else of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from atlas.render.compare_view import CompareShare
from atlas.render.glossary_share import GlossaryShare
from atlas.render.home_share import HomeShare
from atlas.render.json_conflicts import ConflictsShare
from atlas.render.uses import Uses
from atlas.render.verification_view import VerificationShare


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares of all collections, in the order of their ids."""

    homes: Sequence[HomeShare]
    """For the home page."""
    names: Sequence[GlossaryShare]
    """For the glossary."""
    claims: Sequence[VerificationShare]
    """For the list of all claims."""
    comparisons: Sequence[CompareShare]
    """For the page that compares."""
    conflicts: Sequence[ConflictsShare]
    """For the list of what sources do not agree on."""
    uses: Uses
    """For the pages of operators and sources, and for all lists."""
