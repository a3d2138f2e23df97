"""The stable codes of everything that the formula engine refuses: their part of the one catalogue of issues.

A code stays when its message is reworded, so that a contributor can look it up and a test can name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from atlas.issues import TITLES as ALL

TITLES: Mapping[str, str] = MappingProxyType({code: title for code, title in ALL.items() if "A201" <= code <= "A262"})
"""Every code with what it is about: A201 to A217 reading, A218 to A249 meaning, A25x bounds, A26x comparison."""
