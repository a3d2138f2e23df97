"""The little of Python's standard library, and of six for code that also runs on Python 2, that pinned code may use.

Nothing here reads or changes anything outside of the run.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

from atlas.upstream.facade import Modules

K = TypeVar("K")
V = TypeVar("V")


def _iteritems(mapping: Mapping[K, V]) -> Iterator[tuple[K, V]]:
    """The pairs of a mapping, one after the other."""
    return iter(mapping.items())


def _no_time() -> float:
    """The same moment always, as what is computed may not depend on when."""
    return 0.0


def standard_modules() -> Modules:
    """Module name → what it holds."""
    return {
        "copy": {"copy": copy.copy},
        "math": {"exp": math.exp, "log": math.log, "sqrt": math.sqrt},
        "re": {"compile": re.compile, "sub": re.sub},
        "six": {"iteritems": _iteritems},
        "six.moves": {"xrange": range, "zip": zip},
        "time": {"time": _no_time},
    }
